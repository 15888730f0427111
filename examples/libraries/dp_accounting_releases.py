"""What the accountants of dp-accounting 0.6 say: python dp_accounting_releases.py rdp|pld.

Input {"sigma": s, "rate": q, "steps": k, "delta": d}: the epsilon of k Gaussian releases, each on a Poisson sample.
"""

from __future__ import annotations

from typing import Any

from serving import require, serve

require("dp-accounting", "0.6.0")

import dp_accounting  # noqa: E402
from dp_accounting import pld, rdp  # noqa: E402


def epsilon(accountant: Any, case: dict[str, Any]) -> float:
    """The epsilon of the case by this accountant."""
    event = dp_accounting.GaussianDpEvent(case["sigma"])
    if case["rate"] < 1:
        event = dp_accounting.PoissonSampledDpEvent(case["rate"], event)
    return float(accountant.compose(event, case["steps"]).get_epsilon(case["delta"]))


serve(
    {
        "rdp": lambda case: epsilon(rdp.RdpAccountant(), case),
        "pld": lambda case: epsilon(pld.PLDAccountant(), case),
    }
)
