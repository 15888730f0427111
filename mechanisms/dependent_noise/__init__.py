"""Policies: noise whose density may depend on x (Problems 2 and 3)."""
