"""Compression under audit: the exact log-density ratio and its supremum, guarantees with their scope, attacks."""
