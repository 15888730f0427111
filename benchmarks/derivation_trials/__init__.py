"""Textbook families with their true Fisher information, and a check of each by quadrature at thirty digits."""
