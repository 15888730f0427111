"""Noise in floating point whose bits are on trial: the snapping mechanism, Laplace noise rounded to a grid."""
