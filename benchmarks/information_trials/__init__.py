"""Families that others sample, with the Fisher information that the literature gives them."""
