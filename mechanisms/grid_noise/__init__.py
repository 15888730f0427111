"""Noise for real releases: from a secure generator, on a grid of powers of two, with a law that is known exactly."""

from .laws import default_exponent, grid_cosine, grid_gaussian, grid_laplace, grid_noise
from .release import GridCosts, GridRelease
from .sampler import GridNoise
from .secure_bits import Bits, SecureBits, secure_bits, seeded_bits
