"""A user's own model, derived: what was asked, what came out, and the curves that show it."""
