"""Releases in a process of their own."""
