"""Mistakes at the command line and in Python, as data, and what must never come of them."""
