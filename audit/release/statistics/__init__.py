"""Releases of statistics: from a policy to a workload, from a table to its sums, and the trial of the code between them."""
