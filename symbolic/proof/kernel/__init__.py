"""A small checker of proofs: standard library and python-flint, no computer algebra, no search; what it cannot decide it rejects."""
