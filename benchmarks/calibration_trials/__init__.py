"""Printed calibrations of Laplace and Gaussian noise over whole regions (Farokhi, Sandberg 2019)."""
