"""Neighbours found by search: domains, adjacency relations, and the pair that a release hides worst."""
