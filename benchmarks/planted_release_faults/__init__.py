"""Planted faults in a copy of the code that releases statistics: which are caught, by what."""
