"""Whether what was audited is what was released: the numbers of the audited subject against those of the manifest."""

from __future__ import annotations

from typing import Any

from ...record.reading.by_path import Record, as_number
from .figures_from_noise import SIZES
from .item import Answer, met, not_met, unsettled
from .question import Case
from .support import audited_claims, pointers, stated

_NUMBERS = ("noise", "parameter", "exponent", "low", "high")


def configuration_agrees(case: Case) -> Answer:
    """Noise on columns is compared number by number, other mechanisms by the parameters that both sides name."""
    findings = {f.id: f for _, found in audited_claims(case.manifest, case.certificate) for f in found}
    names = {f.subject for f in findings.values()}
    places = pointers(tuple(findings.values()))
    subjects = [Record.of(s, "certificate.json: subjects") for s in case.certificate.subjects]
    audited = [s for s in subjects if s.get("name") in names and isinstance(s.get("parameters"), dict)]
    if not audited:
        return unsettled("no finding names an audited subject with parameters", *places)
    # An error bound rests on records near each other: there the noise must be the same, not the interval.
    keys = _NUMBERS if stated(case.manifest) else _NUMBERS[:3]
    answers = [_compared(case.manifest, one.record("parameters"), keys) for one in audited]
    if True in answers:
        return met(
            "the audited subject has the numbers of the manifest", *places, case.manifest.where("mechanism")
        )
    if False in answers:
        return not_met(
            "the audited subject has other numbers than the manifest",
            *places,
            case.manifest.where("mechanism"),
        )
    return unsettled(
        "subject and manifest name no parameter in common", *places, case.manifest.where("mechanism")
    )


def _compared(manifest: Record, audited: Record, keys: tuple[str, ...]) -> bool | None:
    """Whether the numbers agree; None if there is nothing to compare."""
    released = [_column(c)[: len(keys)] for c in manifest.records("mechanism.columns")]
    if isinstance(audited.get("columns"), list) and released:
        tried = [tuple(c.get(k) for k in keys) for c in audited.records("columns")]
        # A unit of several records is audited as one long record.
        return (
            len(tried) % len(released) == 0
            and tried == released * (len(tried) // len(released))
            and bool(tried)
        )
    mine = manifest.record("mechanism.parameters").data
    shared = [name for name in mine if name in audited.data]
    return all(_same(mine[name], audited.data[name]) for name in shared) if shared else None


def _column(column: Record) -> tuple[Any, ...]:
    law = column.get("noise.law")
    size = column.get(f"noise.{SIZES.get(str(law), 'parameter')}")
    return law, size, column.get("exponent"), column.number("low"), column.number("high")


def _same(one: Any, other: Any) -> bool:
    a, b = as_number(one), as_number(other)
    return bool(one == other) if a is None or b is None else a == b
