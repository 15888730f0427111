"""The words with which a proof of a minimiser ends: the step beside them is the one that the certificate is looked at for."""

LEAST = "the value at the point is at most what bounds every feasible value from below"
