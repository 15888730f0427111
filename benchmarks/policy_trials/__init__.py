"""Policies of one formula, their exact cost, and bounds that no policy passes (Farokhi, Sandberg 2019)."""
