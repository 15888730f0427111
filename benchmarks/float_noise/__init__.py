"""Noise in floating point whose bits are audited: the snapping mechanism, Laplace noise rounded to a grid."""
