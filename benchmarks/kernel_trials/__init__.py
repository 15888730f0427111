"""Random theorems for the kernel of proofs, true by construction or changed, and their truth at points by other means."""
