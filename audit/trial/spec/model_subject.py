"""The subject of a spec that brings a law of its own: the law alone, or with code that is meant to follow it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ....mechanisms.family import Family
from ....mechanisms.model import Model
from ....symbolic.errors import SpecError
from ....symbolic.laws.law import Law
from .function import load_function
from .model_file import model_from
from .models import SpecModel


def subject_of_model(model: SpecModel, folder: Path) -> Model | Family:
    """The law of [model], with the code of [code] if there is any; SpecError for what does not belong to a law."""
    for key in ("mechanism", "data", "neighbours"):
        if getattr(model, key) is not None:
            raise SpecError(f"a spec has [model] or [mechanism]: [{key}] says nothing about a law", key=key)
    assert model.model is not None
    read = model_from(model.model, folder)
    domains = {name: ends for name, ends in read.domains.items() if name not in read.integers}
    if model.code is None:
        return Model(read.law, read.title, domains)
    if not isinstance(read.law, Law):
        raise SpecError(f"code is held against a law of one number, not {read.law.name}", key="code")
    try:
        sample = load_function(model.code.sample, (folder,))
    except SpecError as error:
        raise error.within(key="code.sample") from error.__cause__
    if missing := sorted(set(read.parameters) ^ set(model.code.at)):
        raise SpecError(
            f"expected a value for each of {', '.join(read.parameters)}; see {', '.join(missing)}",
            key="code.at",
        )
    theta: Any = [float(model.code.at[name]) for name in read.parameters]
    try:
        made = Family.of_law(
            read.law,
            tuple(read.parameters.values()),
            theta[0] if len(theta) == 1 else theta,
            sample=sample,
            domains=domains,
        )
    except ValueError as error:
        raise SpecError(str(error), key="code.at") from None
    made.name = read.title
    return made
