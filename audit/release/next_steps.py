"""What to run after a calibration: the ledger with room for the release, then the release, as commands that can be pasted."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator
from decimal import ROUND_CEILING, Context
from pathlib import Path

from .booking import budget_of
from .ledger.cost import Cost
from .plan import ReleasePlan

_UP = Context(prec=4, rounding=ROUND_CEILING)
_ALL = "# that budget is for all releases of the table and never raised; this release takes all of it"


def next_steps(planned: ReleasePlan) -> tuple[str, ...]:
    """Commands in their order; what is no command is a comment."""
    policy, model, cost = planned.policy, planned.policy.model.ledger, planned.cost
    release = shlex.join(["noiseproof", "release", policy.file, "-o", "release"])
    if not (cost.currencies or cost.fisher_information):
        no = f"# no ledger takes it, leave [ledger] out of the policy: {cost.reason}"
        return (release,) if model is None else (no, release)
    stem = Path(policy.file).stem
    path, table = policy.ledger_path or policy.folder / f"{stem}.ledger", model.table_id if model else stem
    if os.path.lexists(path):
        words = ["show", str(path)]
    elif model is not None and model.create:
        return (release,)
    else:
        words = ["create", str(path), "--table", table, *_budget(cost, budget_of(policy))]
    named = f'# in the policy: [ledger] with path = "{path.name}" and table_id = "{table}"'
    notes = (
        *((_ALL,) if words[0] == "create" and not budget_of(policy) else ()),
        *(() if model else (named,)),
    )
    return (shlex.join(["noiseproof", "ledger", *words]), *notes, release)


def _budget(cost: Cost, stated: Cost | None) -> Iterator[str]:
    """The budget that the policy states, else room for this one release, rounded up to four digits."""
    budget = stated or cost

    def shown(value: float) -> str:
        return repr(value) if stated else f"{float(_UP.create_decimal(repr(value))):.4g}"

    yield from ("--unit", cost.unit)
    if cost.adjacency != "replace-one":
        yield from ("--adjacency", cost.adjacency)
    if budget.epsilon is not None:
        yield from ("--epsilon", shown(budget.epsilon))
    elif budget.rho is not None:
        yield from ("--rho", shown(budget.rho))
    elif budget.approximate is not None:
        yield from ("--epsilon", shown(budget.approximate[0]), "--delta", shown(budget.approximate[1]))
    if stated or not cost.currencies:
        for one in budget.fisher_information:
            yield from ("--information", f"{one.about}={shown(one.value)}/{one.unit}")
