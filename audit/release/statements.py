"""What a manifest says that follows from its policy alone: computed when a release is made, and again by whoever verifies it."""

from __future__ import annotations

import math
from typing import Any

from ...symbolic.privacy.guarantees import ZeroConcentratedDP
from .manifest import Manifest
from .plan import ReleasePlan
from .policy import Policy

WEAK = 10.0  # the epsilon from which on a guarantee with a delta is called weak
# Without a delta: an attacker at even odds may become 99 % certain.
WEAK_PURE = math.log(99)
_DELTA = 1e-6  # at which rho is read as an epsilon
# What spreadsheet programs take for the beginning of a formula.
_FORMULA = ("=", "+", "-", "@", "\t")


def statements(planned: ReleasePlan) -> Manifest:
    """The manifest of a planned release before anything is drawn: of what is known only then, nothing is filled in."""
    policy, terms = planned.policy, planned.kind.terms
    return Manifest(
        title=policy.title,
        created="",
        policy=policy.public_data(),
        mechanism={"kind": planned.kind.name, "parameters": dict(terms.parameters)},
        columns=terms.columns,
        guarantees=terms.guarantees,
        adjacency=terms.adjacency,
        unit_of_privacy=policy.unit,
        costs=planned.cost.to_dict(),
        ledger=None,
        error_bounds=terms.error_bounds,
        utility=terms.published_utility,
        does_not_mean=(
            *weak_guarantee(planned),
            *left_out_unseen(policy),
            *terms.does_not_mean,
            *_formulas(policy),
        ),
        rows=None,
        salted_digest=None,
        files=(),
        verdict="",
        answers=dict(policy.model.answers),
        versions={},
    )


def weak_guarantee(planned: ReleasePlan) -> tuple[str, ...]:
    """A warning where what is guaranteed allows a guess to become all but certain."""
    stated = [g.numbers for g in planned.kind.terms.guarantees]
    found = [(float(n["epsilon"]), float(n.get("delta") or 0)) for n in stated if "epsilon" in n]
    of_rho = [(_epsilon(float(n["rho"])), _DELTA) for n in stated if "rho" in n]
    epsilon, delta = min(found or of_rho, default=(0.0, 0.0))
    if epsilon < (WEAK if delta else WEAK_PURE) * (1 - 1e-9):
        return ()
    at = f" at delta {delta:.3g}" if delta else ""
    weak = f"with a delta is called weak from {WEAK:g} on"
    if not delta:
        weak = f"without a delta is called weak from {WEAK_PURE:.2g} on, where a guess at even odds may become 99 % certain"
    factor = f"{math.exp(epsilon):,.0f}" if epsilon < 30 else f"e^{epsilon:.4g}"
    return (
        f"Epsilon {epsilon:.4g}{at} is a weak guarantee: by itself it allows the odds of a guess about one {planned.policy.unit} to grow by a factor of {factor}. Here an epsilon {weak}.",
    )


def left_out_unseen(policy: Policy) -> tuple[str, ...]:
    """A warning where records with an undeclared value are left out and no number tells how many."""
    told = {one.column for one in policy.model.statistics if one.measure == "undeclared"}
    names = " or ".join(c.name for c in policy.kept if c.undeclared == "skip" and c.name not in told)
    said = (
        f"Records whose {names} is none of the declared categories, misspelt or a date of another form perhaps, are left out, and no "
        'number tells how many: the measure "undeclared" would publish it, `noiseproof policy check` tells who holds the table.'
    )
    return (said,) if names else ()


def _epsilon(rho: float) -> float:
    """The epsilon at `_DELTA` of rho, where it is 10 at least; 0 if it is less."""
    from scipy.optimize import brentq

    curve = ZeroConcentratedDP(rho).curve() if rho else None
    if curve is None or float(curve(WEAK)) <= _DELTA:
        return 0.0
    largest = rho + 2 * math.sqrt(rho * math.log(1 / _DELTA))  # Bun and Steinke 2016, proposition 1.3
    return float(brentq(lambda epsilon: float(curve(epsilon)) - _DELTA, WEAK, largest, xtol=1e-9))


def _formulas(policy: Policy) -> tuple[str, ...]:
    """Cells of a CSV file are written as they are declared or read: some would be run by who opens it in a spreadsheet."""
    # Of statistics names are guarded: `spreadsheet.guarded`.
    if policy.model.output.format != "csv" or policy.model.statistics:
        return ()
    cells: list[Any] = [cell for c in policy.public for cell in (c.name, *(c.categories or ()))]
    found = [t for t in dict.fromkeys(map(str, [*cells, *(n.name for n in policy.numbers)])) if _runs(t)]
    texts = [c.name for c in policy.kept if c.kind == "text"]
    said = [f"cells of data.csv begin like a formula ({', '.join(map(repr, found[:6]))})"] if found else []
    if texts:
        said.append(f"the texts of {', '.join(map(repr, texts[:6]))} are not looked through for formulas")
    if not said:
        return ()
    return (
        f"A spreadsheet program may run what it finds: {'; '.join(said)}. Read the file as text, or release Parquet.",
    )


def _runs(text: str) -> bool:
    if not text.lstrip().startswith(_FORMULA):
        return False
    try:
        float(text)
    except ValueError:
        return True
    return False
