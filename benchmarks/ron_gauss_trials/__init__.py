"""Attacks on RON-Gauss, piece by piece: the covariance, its augmented twin, the pipeline, the synthetic records."""
