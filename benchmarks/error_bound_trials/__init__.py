"""Textbook models whose estimators have exactly known risks, from outside: what no error bound may exceed."""
