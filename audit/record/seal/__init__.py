"""Seal: canonical bytes, digests and signatures of a folder."""
