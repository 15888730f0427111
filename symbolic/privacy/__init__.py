"""Privacy: guarantees as curves, and exact pairs of output laws with their profiles."""
