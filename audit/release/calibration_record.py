"""What a calibration found, as plain data: the noise, what it keeps, what it costs, and the curves around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from ..record.plain import plain
from .plan import ReleasePlan

SCHEMA = "noiseproof-calibration-1"


def calibration_record(planned: ReleasePlan, figures: bool = True) -> dict[str, Any]:
    """The plan as plain data; `lines` says it in words, `unmet` what the limits refuse."""
    kind = planned.kind
    return {
        "schema": SCHEMA,
        "title": planned.policy.title,
        "mechanism": {"kind": kind.name, "parameters": plain(kind.parameters())},
        "columns": [plain(asdict(c)) for c in kind.columns()],
        "guarantees": [g.to_dict() for g in kind.guarantees()],
        "costs": planned.cost.to_dict(),
        "error_bounds": [plain(asdict(e)) for e in kind.error_bounds()],
        "utility": plain(kind.utility()) if kind.utility() is not None else "withheld",
        "lines": list(_lines(planned)),
        "unmet": list(planned.unmet),
        "series": [plain(s) for s in kind.trade_off()] if figures else [],
    }


def _lines(planned: ReleasePlan) -> Iterator[str]:
    kind = planned.kind
    yield f"{kind.name}, {planned.policy.title}"
    for column in kind.columns():
        noise = ", ".join(f"{k} {_short(v)}" for k, v in column.noise.items())
        grid = "" if column.exponent is None else f", in steps of 2^{column.exponent}"
        yield f"  {column.name}: {noise}{grid}"
    for guarantee in kind.guarantees():
        yield f"  {guarantee.sentence}"
    for bound in kind.error_bounds():
        about = bound.column or "the whole record"
        yield f"  {about}: mean squared error at least {bound.bound:.6g} {bound.unit}".rstrip()
    utility = kind.utility()
    for name in ("mean-squared-error", "relative-error"):
        if utility is not None and name in utility:
            yield f"  {name}: {utility[name]:.6g}"


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
