"""RON-Gauss under audit: its noisy second moments, and the exact loss of its whole pipeline at one output."""
