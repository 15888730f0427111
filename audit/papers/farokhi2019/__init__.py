"""F. Farokhi, H. Sandberg: additive noise of least Fisher information (Automatica, 2019)."""

from __future__ import annotations

from importlib import import_module

from .arguments import known_optima, linear_noise, linear_systems, policy_values, weighted_averages
from .dossier import DOSSIER

__all__ = ["DOSSIER"]

# In the order of the paper: importing a section registers its claims.
SECTIONS = (
    "introduction",
    "model",
    "estimators",
    "problems",
    "relaxation",
    "linear_queries",
    "cosine_noise",
    "weighted_average",
    "policies",
    "unconstrained",
    "gaussian_noise",
    "dynamics",
    "vehicle",
    "laplace_and_gaussian",
    "privacy",
    "conclusions",
    "appendix_a",
    "appendix_b",
    "appendix_c",
    "appendix_e_f",
    "appendix_g_h_i",
    "appendix_j_k",
    "appendix_l_m",
)

for _section in SECTIONS:
    import_module(f".{_section}", __name__)
