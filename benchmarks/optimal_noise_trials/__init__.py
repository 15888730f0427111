"""Optimal noise by other routes: Kummer functions, orders of convergence, a bound on the second moment."""
