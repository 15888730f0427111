"""What is left of an information after an outcome was rounded, censored, truncated or had noise added."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import sympy as sp

from ....symbolic.errors import SpecError
from ....symbolic.information.model_information import FisherInformationMatrix
from ....symbolic.laws.law import Law
from ....symbolic.proof.apart import UnfinishedError, apart
from ...trial.spec.model_fields import AfterFields
from ...trial.spec.model_file import ModelFile
from ...trial.spec.model_law import end_of, formula_of
from .answered import At, information_record

Step = tuple[AfterFields, str, Sequence[Any]]


def read_after(model: ModelFile) -> list[Step]:
    """What the entries of `after` mean; SpecError for one that cannot be read."""
    return [
        (fields, *_read(model, fields, f"derive.after[{i}]")) for i, fields in enumerate(model.derive.after)
    ]


def left_records(
    asked: Sequence[Step], found: FisherInformationMatrix, at: At, tolerance: float
) -> list[dict[str, Any]]:
    """One record for each step, in words and in numbers."""
    records: list[dict[str, Any]] = []
    for fields, words, values in asked:
        told, reason = None, ""
        try:
            rest = apart(partial(_left, found, fields, values), words)
            told = information_record(rest, at, tolerance)
        except UnfinishedError as stuck:
            reason = f"unknown: {stuck}"
        except ValueError as error:
            reason = str(error)
        records.append({"after": words, "information": told, "reason": reason})
    return records


def _read(model: ModelFile, fields: AfterFields, key: str) -> tuple[str, Sequence[Any]]:
    """What happens in words, and the numbers or the law of it."""
    given = sorted(fields.model_fields_set)
    if len(given) != 1:
        raise SpecError(
            f"expected exactly one of round, censor, truncate and noise, got {', '.join(given) or 'none'}",
            key=key,
            file=model.file,
        )
    place = f"{key}.{given[0]}"
    try:
        if fields.round is not None:
            step = formula_of(fields.round, {}, place)
            if step.is_positive is not True:
                raise SpecError(f"expected a step above 0, got {fields.round}", key=place)
            return f"rounding to multiples of {step}", (step,)
        if fields.noise is not None:
            return "independent noise", (_noise(model, fields, place),)
        ends = [end_of(e, {}, place) for e in (fields.censor or fields.truncate or [])]
    except SpecError as error:
        raise error.within(file=model.file) from error.__cause__
    word = "censoring" if fields.censor is not None else "truncation"
    return f"{word} to between {ends[0]} and {ends[1]}", [None if e.is_infinite else e for e in ends]


def _noise(model: ModelFile, fields: AfterFields, key: str) -> Law:
    given = fields.noise
    assert given is not None
    y = sp.Symbol(given.variable, real=True)
    density = formula_of(given.density, {**model.parameters, given.variable: y}, f"{key}.density")
    ends = tuple(end_of(e, model.parameters, f"{key}.support") for e in given.support)
    try:
        return Law.from_density(density, y, ends, name="the noise")
    except ValueError as error:
        raise SpecError(str(error), key=f"{key}.density") from None


def _left(
    found: FisherInformationMatrix, fields: AfterFields, values: Sequence[Any]
) -> FisherInformationMatrix:
    if fields.round is not None:
        return found.rounded(*values)
    if fields.censor is not None:
        return found.censored(*values)
    return found.truncated(*values) if fields.truncate is not None else found.noisy(*values)
