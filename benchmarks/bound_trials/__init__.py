"""Error bounds that only comparisons use: on a grid, between two points, and by the best shift."""
