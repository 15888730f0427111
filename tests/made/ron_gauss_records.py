"""Records, labels and options that the tests of RON-Gauss share."""

from __future__ import annotations

from typing import Any

import numpy as np

RNG = np.random.default_rng
X = RNG(1).normal(size=(60, 6)) * np.array([3.0, 2.0, 1.0, 1.0, 0.5, 0.1]) + 0.4
Y = np.clip(X[:, 0] / 6, -1, 1)
LABELS = np.where(X[:, 1] > 0, "high", "low")
ADDED: dict[str, Any] = {"adjacency": "add-or-remove", "public_size": False, "epsilon_size": 0.5}
