"""What a calibration found, as plain data: the noise, what it keeps, what it costs, and the curves around it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from ...symbolic.errors import SpecError
from ..record.plain import plain
from .booking import refusals
from .checklist.parameters import FEW
from .ledger.cost import Cost
from .ledger.currency import charge
from .manifest import ColumnNoise, typical_noise
from .next_steps import next_steps
from .plan import ReleasePlan
from .statements import left_out_unseen, weak_guarantee

SCHEMA = "noiseproof-calibration-1"


def calibration_record(
    planned: ReleasePlan, figures: bool = True, records: int | None = None
) -> dict[str, Any]:
    """The plan as plain data; `lines` says it in words, `unmet` what the limits or the ledger refuse, `warnings` what they let through.

    `next` is what to run, if they are met; `records` is the number of records, where it is known.
    """
    kind, terms = planned.kind, planned.kind.terms
    budgets, unmet = _budgets(planned), [*planned.unmet, *refusals(planned)]
    expected = None if records is None or not budgets.get("delta") else budgets["delta"] * records
    return {
        "schema": SCHEMA,
        "title": planned.policy.title,
        "mechanism": {"kind": kind.name, "parameters": plain(terms.parameters)},
        "columns": [{**plain(asdict(c)), "relative_error": _over_width(c)} for c in terms.columns],
        "guarantees": [g.to_dict() for g in terms.guarantees],
        "costs": planned.cost.to_dict(),
        "budgets": budgets,
        "delta_times_rows": expected,
        "error_bounds": [{**plain(asdict(e)), "said": e.said} for e in terms.error_bounds],
        "utility": plain(terms.published_utility),
        "statistics": list(terms.lines),
        "lines": list(_lines(planned, budgets, expected)),
        "warnings": [
            *weak_guarantee(planned),
            *left_out_unseen(planned.policy),
            *_warnings(terms.columns, expected),
        ],
        "unmet": unmet,
        "next": [] if unmet else list(next_steps(planned)),
        "series": [plain(s) for s in kind.figures()] if figures else [],
    }


def _budgets(planned: ReleasePlan) -> dict[str, float]:
    """What one unit pays: the least epsilon that is stated, with its delta, and rho; nothing where none is finite."""
    cost = planned.cost
    stated = [g.numbers for g in planned.kind.terms.guarantees if "epsilon" in g.numbers]
    found = {key: float(value) for key, value in (stated or [{}])[0].items() if key in ("epsilon", "delta")}
    with suppress(SpecError):
        found["rho"] = float(charge(cost, Cost.zcdp(0.0, unit=cost.unit, adjacency=cost.adjacency))["rho"])
    return found


def _over_width(column: ColumnNoise) -> float | None:
    """The root mean squared noise over the width of the declared interval."""
    deviation = column.noise.get("standard_deviation")
    return None if deviation is None else float(deviation) / (column.high - column.low)


def _warnings(columns: tuple[ColumnNoise, ...], expected: float | None) -> Iterator[str]:
    wide = [c.name for c in columns if (_over_width(c) or 0.0) > 1]
    if wide:
        yield (
            f"{', '.join(wide)}: the noise is wider than the column, so that a released number says next to nothing about its record; "
            "allow a larger epsilon or rho, release fewer columns, or ask a question about many records at once (`ron-gauss`)"
        )
    if expected is not None and expected > FEW:
        yield (
            f"delta: times the number of records it is {expected:.3g}, about as many may be shown without any bound; the checklist asks for at most {FEW:g}"
        )


def _lines(planned: ReleasePlan, budgets: dict[str, float], expected: float | None) -> Iterator[str]:
    terms = planned.kind.terms
    yield f"{planned.kind.name}, {planned.policy.title}"
    yield from (f"  {line}" for line in terms.lines)
    for column in () if terms.lines else terms.columns:
        noise = ", ".join(f"{_word(k)} {_short(v)}" for k, v in column.noise.items())
        grid = "" if column.exponent is None else f", in steps of 2^{column.exponent}"
        ratio = _over_width(column)
        over = "" if ratio is None else f", standard deviation over the width {ratio:.3g}"
        yield f"  {column.name}: {noise}{grid}{over}"
    for guarantee in terms.guarantees:
        yield f"  {guarantee.sentence}"
    if budgets:
        at = f" at delta {budgets['delta']:.6g}" if budgets.get("delta") else ""
        paid = [f"epsilon {budgets['epsilon']:.6g}{at}"] if "epsilon" in budgets else []
        paid += [f"rho {budgets['rho']:.6g}"] if "rho" in budgets else []
        yield f"  cost per {planned.policy.unit}: {paid[0]}{f' ({paid[1]})' if paid[1:] else ''}"
    if expected is not None:
        yield f"  delta times the number of records: {expected:.3g}"
    elif budgets.get("delta"):
        yield "  delta times the number of records: give --rows"
    yield from (f"  {bound.said}" for bound in terms.error_bounds)
    if "relative-error" in (terms.utility or {}):
        said = typical_noise(terms.utility or {}, {c.name: c.unit for c in terms.columns})
        yield "  " + "; ".join(f"{name}: {value}" for name, value in said.items())


def _word(key: str) -> str:
    return key.replace("to_ideal", "distance from the exact law").replace("_", " ")


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
