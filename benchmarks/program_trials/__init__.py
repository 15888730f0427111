"""Forty-one programs, wrong points and moving minimisers with outside truths, written down before anything solves them."""
