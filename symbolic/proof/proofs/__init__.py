"""Proofs for the kernel: derivations in its language, and the search for the rules and hints that it accepts."""
