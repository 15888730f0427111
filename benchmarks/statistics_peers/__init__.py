"""Peers of noiseproof's statistics releases at the same claim and workload; each driver runs in an environment of its own."""
