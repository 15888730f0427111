"""A histogram of five bins, each with Laplace noise of its own; one more record moves one bin by one."""

from __future__ import annotations

import numpy as np

from .entry import EPSILON
from .laplace import laplace_entry

NOISY_HISTOGRAM = laplace_entry("noisy_histogram", np.zeros(5), np.eye(5)[0], 1.0 / EPSILON)
