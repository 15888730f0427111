"""Error bounds for what an adversary would estimate: each says whom it binds, and the best of them comes first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp
from flint import arb, arb_mat

from ....symbolic.errors import SpecError, nearest_name
from ....symbolic.information.bounds.answer import EstimationBound
from ....symbolic.information.bounds.error_bound import KINDS, best_bound, error_bound
from ....symbolic.laws.law import Law
from ....symbolic.proof.enclosure import enclose
from ...trial.spec.model_file import ModelFile
from ...trial.spec.model_law import end_of
from .answered import At, intervals, steps_of, texts

_FORMULAS = ("cramer-rao", "bhattacharyya", "van-trees")  # kinds without points to be sought


@dataclass(frozen=True)
class Question:
    """What is estimated, under which priors, and the kinds of bounds that were asked for; None for the best one."""

    estimand: sp.Expr | list[sp.Expr]
    priors: dict[str, Law]
    kinds: tuple[str, ...] | None


def read_question(model: ModelFile) -> Question | None:
    """The question of a model file for error bounds, None if there is none; SpecError for what cannot be read."""
    asked = model.derive
    if asked.estimand is None:
        for key in ("prior", "bounds"):
            if getattr(asked, key):
                raise SpecError(
                    "this says nothing without an estimand: name what is estimated, or leave this out",
                    key=f"derive.{key}",
                    file=model.file,
                )
        return None
    single = isinstance(asked.estimand, str)
    texts = [asked.estimand] if isinstance(asked.estimand, str) else asked.estimand
    keys = ["derive.estimand"] if single else [f"derive.estimand[{i}]" for i in range(len(texts))]
    formulas = [model.formula(text, key) for text, key in zip(texts, keys, strict=True)]
    for formula, key in zip(formulas, keys, strict=True):
        if not formula.free_symbols:
            raise SpecError(
                f"expected a formula that contains a parameter, got {formula}: it is known already",
                key=key,
                file=model.file,
            )
    kinds = None if asked.bounds is None else tuple(asked.bounds)
    for kind in kinds or ():
        if kind not in KINDS:
            raise SpecError(
                f"unknown kind {kind[:40]!r}; {nearest_name(kind, KINDS)}",
                key="derive.bounds",
                file=model.file,
            )
    return Question(formulas[0] if single else formulas, _priors(model), kinds)


def bound_records(
    model: ModelFile, question: Question, theta: Sequence[sp.Symbol], at: At, observations: int, effort: float
) -> list[dict[str, Any]]:
    """A record for each bound that was asked for, or that was looked at, the best first."""
    more: dict[str, Any] = {"observations": observations, "effort": effort}
    if question.priors:
        more["prior"] = question.priors
    asked = (model.law, list(theta), question.estimand)
    try:
        if question.kinds is None:
            who = "anyone" if question.priors else "unbiased"
            best = best_bound(*asked, against=who, at=dict(at), **more)
            found = [best, *(b for b in best.compared if b.kind != best.kind)]
        else:
            found = [error_bound(*asked, kind=kind, at=dict(at), **more) for kind in question.kinds]
        for i, bound in enumerate(found):
            if bound.kind in _FORMULAS and bound.status == "bound":
                # For all parameters, where that is known too.
                general = error_bound(*asked, kind=bound.kind, **more)
                found[i] = general if general.status == "bound" and general.value is not None else bound
    except (ValueError, TypeError) as error:
        raise SpecError(str(error), key="derive.estimand", file=model.file) from None
    return [_record(bound, at, model.derive.tolerance) for bound in found]


def say_after(
    bounds: Sequence[dict[str, Any]],
    question: Question,
    theta: Sequence[sp.Symbol],
    at: At,
    left: Sequence[dict[str, Any]],
) -> None:
    """Adds to the sentence of each bound what it says of outcomes that were processed: the bound itself is of the whole ones."""
    for bound in bounds:
        if bound["status"] not in ("bound", "open") or not left:
            continue
        bound["sentence"] += "; this is of outcomes as they are drawn"
        for rest in left:
            words, told = rest["after"], rest["information"]
            numbers = told["numbers"] if told is not None else None
            if bound["kind"] == "cramer-rao" and numbers is not None:
                shown = ", ".join(f"{s} = {v}" for s, v in at.items())
                least = _least(question, theta, at, numbers)
                known = "is not known" if least is None else f"is at least {least} at {shown}"
                bound["sentence"] += f"; after {words} it {known}"
            elif words.startswith("truncation"):
                bound["sentence"] += f"; it says nothing of outcomes after {words}"
            else:
                bound["sentence"] += f"; after {words} it holds too, and a larger one may"


def _least(
    question: Question, theta: Sequence[sp.Symbol], at: At, numbers: Sequence[Sequence[dict[str, float]]]
) -> str | None:
    """G I^-1 G' from the ends of the information that is left, rounded down, one number for each estimand."""
    asked = question.estimand if isinstance(question.estimand, list) else [question.estimand]
    slopes = [[enclose(sp.diff(g, p).subs(dict(at))) for p in theta] for g in asked]
    whole = arb_mat([[arb(e["lower"]).union(arb(e["upper"])) for e in row] for row in numbers])
    try:
        found = arb_mat(slopes) * whole.inv() * arb_mat(slopes).transpose()
    except ZeroDivisionError:
        return None
    ends = [float(found[i, i].lower()) for i in range(len(asked))]
    return ", ".join(f"{e - 1e-6 * abs(e):.6g}" for e in ends) if all(map(math.isfinite, ends)) else None


def _record(bound: EstimationBound, at: At, tolerance: float) -> dict[str, Any]:
    value = (
        bound.value
        if isinstance(bound.value, sp.MatrixBase) or bound.value is None
        else sp.Matrix([[bound.value]])
    )
    numbers, trouble = None, ""
    if bound.status in ("bound", "open"):
        numbers, trouble = intervals(lambda: bound.enclose(dict(at), tolerance))
    return {
        "kind": bound.kind,
        "status": bound.status,
        "binds": bound.binds,
        "sentence": bound.sentence(),
        "value": None if value is None else texts(value),
        "reason": bound.reason,
        "at": {s.name: str(v) for s, v in bound.problem.at.items() if bound.adversary != "anyone"},
        "points": [[str(e) for e in point] for point in bound.points],
        "conclusion": bound.derivation.conclusion,
        "derivation": steps_of(bound.derivation),
        "numbers": numbers,
        "no_numbers": trouble,
    }


def _priors(model: ModelFile) -> dict[str, Law]:
    """A law for each parameter that has one; the parameter is its variable."""
    found: dict[str, Law] = {}
    for name, fields in model.derive.prior.items():
        key = f"derive.prior.{name}"
        variable = sp.Symbol(name, real=True)
        others = {n: s for n, s in model.parameters.items() if n != name}
        formula = model.formula(fields.density, f"{key}.density", {name: variable})
        if strange := sorted(n for n in others if others[n] in formula.free_symbols):
            raise SpecError(
                f"expected a formula in {name} alone, got one that contains {strange[0]}",
                key=f"{key}.density",
                file=model.file,
            )
        ends = tuple(end_of(e, {}, f"{key}.support") for e in fields.support)
        try:
            found[name] = Law.from_density(formula, variable, ends, name=f"the prior of {name}")
        except ValueError as error:
            raise SpecError(str(error), key=f"{key}.density", file=model.file) from None
    return found
