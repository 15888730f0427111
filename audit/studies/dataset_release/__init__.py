"""Guarantees of a released data set, the attacks that test them, and what the release is worth to those who train on it."""
