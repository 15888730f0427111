"""What can be derived of a user's own program, query or functional: the record that pages are drawn from."""
