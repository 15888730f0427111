"""What to run after a calibration: the ledger with room for the release, then the release, as commands that can be pasted."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from decimal import ROUND_CEILING, Context
from pathlib import Path

from .booking import SLACK, budget_of
from .ledger.cost import Cost
from .plan import ReleasePlan

_UP = Context(prec=4, rounding=ROUND_CEILING)


def next_steps(planned: ReleasePlan) -> tuple[str, ...]:
    """Commands in their order; what is no command is a comment."""
    policy, model = planned.policy, planned.policy.model.ledger
    release = shlex.join(["noiseproof", "release", policy.file, "-o", "release"])
    stem = Path(policy.file).stem
    path = policy.ledger_path or policy.folder / f"{stem}.ledger"
    if model is not None and os.path.lexists(path):
        return shlex.join(["noiseproof", "ledger", "show", str(path)]), release
    if model is not None and model.create:
        return (release,)
    stated = budget_of(policy, planned.cost)
    if stated is None and not (planned.cost.currencies or planned.cost.fisher_information):
        no = f"# no ledger takes it, leave [ledger] out of the policy: {planned.cost.reason}"
        return (release,) if model is None else (no, release)
    table = stem if model is None else model.table_id
    words = ["noiseproof", "ledger", "create", str(path), "--table", table, *_budget(planned, stated)]
    named = f'# in the policy: [ledger] with path = "{path.name}" and table_id = "{table}"'
    return (shlex.join(words), *(() if model is not None else (named,)), release)


def _budget(planned: ReleasePlan, stated: Cost | None) -> Iterator[str]:
    """The budget that the policy states, else room for this one release, rounded up to four digits."""
    cost = stated or planned.cost

    def shown(value: float) -> str:
        return repr(value) if stated else f"{float(_UP.create_decimal(repr(value))):.4g}"

    yield from ("--unit", cost.unit)
    if cost.adjacency != "replace-one":
        yield from ("--adjacency", cost.adjacency)
    if cost.epsilon is not None:
        yield from ("--epsilon", shown(cost.epsilon))
    elif cost.rho is not None:
        yield from ("--rho", shown(cost.rho))
        if cost.delta_slack > SLACK:
            yield from ("--slack", shown(cost.delta_slack))
    elif cost.approximate is not None:
        yield from ("--epsilon", shown(cost.approximate[0]), "--delta", shown(cost.approximate[1]))
    if stated or not cost.currencies:
        for one in cost.fisher_information:
            yield from ("--information", f"{one.about}={shown(one.value)}/{one.unit}")
