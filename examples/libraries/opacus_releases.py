"""What the accountants of Opacus 1.6 say: python opacus_releases.py rdp|gdp|prv.  Torch is not needed.

Input {"sigma": s, "rate": q, "steps": k, "delta": d}: the epsilon of k Gaussian releases, each on a Poisson sample.
"""

from __future__ import annotations

import sys
import types
import warnings
from importlib.util import find_spec
from typing import Any

from serving import require, serve

require("opacus", "1.6.0")

# The package itself imports torch, which its accountants do not use: a bare package of that name leads to them.
bare = types.ModuleType("opacus")
spec = find_spec("opacus")
bare.__path__ = list((spec.submodule_search_locations if spec else None) or [])
sys.modules["opacus"] = bare
optimizers: Any = types.ModuleType("opacus.optimizers")
optimizers.DPOptimizer = object  # named in a type hint of the accountants
sys.modules["opacus.optimizers"] = optimizers

from opacus.accountants import GaussianAccountant, PRVAccountant, RDPAccountant  # noqa: E402

warnings.simplefilter("ignore")  # GaussianAccountant warns that it is experimental and can underestimate


def epsilon(kind: Any, case: dict[str, Any]) -> float:
    """The epsilon of the case by this accountant."""
    accountant = kind()
    accountant.history = [(case["sigma"], case["rate"], case["steps"])]
    return float(accountant.get_epsilon(case["delta"]))


serve(
    {
        "rdp": lambda case: epsilon(RDPAccountant, case),
        "gdp": lambda case: epsilon(GaussianAccountant, case),
        "prv": lambda case: epsilon(PRVAccountant, case),
    }
)
