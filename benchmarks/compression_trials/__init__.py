"""Compression beside the paper's alpha, outside the protected set, and what released tables are good for."""
