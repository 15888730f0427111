"""Bounds that only comparisons use: of errors on a grid and between two points, of means, of sample sizes."""
