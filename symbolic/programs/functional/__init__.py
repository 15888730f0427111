"""Calculus of variations: programs whose unknown is a function or a density."""
