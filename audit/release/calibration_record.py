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
    kind, terms = planned.kind, planned.kind.terms
    return {
        "schema": SCHEMA,
        "title": planned.policy.title,
        "mechanism": {"kind": kind.name, "parameters": plain(terms.parameters)},
        "columns": [plain(asdict(c)) for c in terms.columns],
        "guarantees": [g.to_dict() for g in terms.guarantees],
        "costs": planned.cost.to_dict(),
        "error_bounds": [plain(asdict(e)) for e in terms.error_bounds],
        "utility": plain(terms.published_utility),
        "lines": list(_lines(planned)),
        "unmet": list(planned.unmet),
        "series": [plain(s) for s in kind.figures()] if figures else [],
    }


def _lines(planned: ReleasePlan) -> Iterator[str]:
    terms = planned.kind.terms
    yield f"{planned.kind.name}, {planned.policy.title}"
    for column in terms.columns:
        noise = ", ".join(f"{k} {_short(v)}" for k, v in column.noise.items())
        grid = "" if column.exponent is None else f", in steps of 2^{column.exponent}"
        yield f"  {column.name}: {noise}{grid}"
    for guarantee in terms.guarantees:
        yield f"  {guarantee.sentence}"
    for bound in terms.error_bounds:
        about = bound.column or "the whole record"
        yield f"  {about}: mean squared error at least {bound.bound:.6g} {bound.unit}".rstrip()
    utility = terms.utility or {}
    for name in ("mean-squared-error", "relative-error"):
        if name in utility:
            yield f"  {name}: {utility[name]:.6g}"


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
