"""What a manifest says that follows from its policy alone: computed when a release is made, and again by whoever verifies it."""

from __future__ import annotations

import math
from typing import Any

from .manifest import Manifest
from .plan import ReleasePlan
from .policy import Policy

WEAK, _DELTA = (
    10.0,
    1e-6,
)  # the epsilon from which on a promise is called next to none; where only rho is stated, at this delta
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
        does_not_mean=(*next_to_none(planned), *terms.does_not_mean, *_formulas(policy)),
        rows=None,
        salted_digest=None,
        files=(),
        verdict="",
        answers=dict(policy.model.answers),
        versions={},
    )


def next_to_none(planned: ReleasePlan) -> tuple[str, ...]:
    """A warning where what is promised lets the odds of a guess move so far that it protects next to nobody."""
    stated = [g.numbers for g in planned.kind.terms.guarantees]
    found = [(float(n["epsilon"]), float(n.get("delta") or 0)) for n in stated if "epsilon" in n]
    rhos = [float(n["rho"]) for n in stated if "rho" in n and "epsilon" not in n]
    # Bun and Steinke 2016, proposition 1.3.
    found += [(rho + 2 * math.sqrt(rho * math.log(1 / _DELTA)), _DELTA) for rho in rhos]
    epsilon, delta = min(found, default=(0.0, 0.0))
    if epsilon < WEAK * (1 - 1e-9):
        return ()
    at = f" at delta {delta:.3g}" if delta else ""
    factor = f"{math.exp(epsilon):,.0f}" if epsilon < 30 else f"e^{epsilon:.4g}"
    return (
        f"Epsilon {epsilon:.4g}{at} protects next to nobody: the odds of a guess about one {planned.policy.unit} may move by a factor of {factor}, "
        f"so that a chance of one in {factor} may become an even one. This is said from epsilon {WEAK:g} on.",
    )


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
