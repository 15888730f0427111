"""F. Farokhi: noise for the public release of data sets (support vector machines)."""

from __future__ import annotations

from importlib import import_module

from .arguments import experiment_releases, noisy_classifiers, oscillator_levels
from .dossier import DOSSIER

__all__ = ["DOSSIER"]

# In the order of the paper: importing a section registers its claims.
SECTIONS = (
    "headlines",
    "classifier",
    "independent_release",
    "appendix_c",
    "independent_noise",
    "local_privacy",
    "constrained_noise",
    "correlated_noise",
    "null_space",
    "learning",
    "illustration_noise",
    "experiments",
)

for _section in SECTIONS:
    import_module(f".{_section}", __name__)
