"""RON-Gauss: private synthetic data from a random orthonormal projection and a Gaussian model.

Source of the algorithms: Chanyaswad, Liu, Mittal (2019).  Records are rows.  Names are looked up when they are first
used: scikit-learn is loaded with the estimators only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .mixture import RonGaussMixture
    from .model import RonGauss, RonGaussSupervised
    from .normalisation import centred, on_sphere, renormalised
    from .projection import qr_of_uniform, uniform_projection
    from .release import RonGaussRelease, RonGaussSupervisedRelease
    from .repair import nearest_covariance

_HOME = {
    "RonGauss": "model",
    "RonGaussMixture": "mixture",
    "RonGaussRelease": "release",
    "RonGaussSupervised": "model",
    "RonGaussSupervisedRelease": "release",
    "centred": "normalisation",
    "nearest_covariance": "repair",
    "on_sphere": "normalisation",
    "qr_of_uniform": "projection",
    "renormalised": "normalisation",
    "uniform_projection": "projection",
}

__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value
