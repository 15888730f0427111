"""Studies: the mechanisms of the papers under attack, one folder each with its `claims` for examine, and their experiments."""
