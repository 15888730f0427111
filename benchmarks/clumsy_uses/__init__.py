"""Clumsy uses of the command and of the Python door, as data, and what must never come of them."""
