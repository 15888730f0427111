"""A claimed formula as it is said of its subject: of a law or a family for all parameters, of anything else as a number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import sympy as sp

from ...mechanisms.family import Family
from ...mechanisms.model import Model
from ...mechanisms.stated import FunctionalSubject, ProgramSubject, Stated
from ...symbolic.claim import Claim
from ...symbolic.errors import SpecError
from ...symbolic.parameter_domain import Ends, sign_of
from ...symbolic.predicates import ErrorBound, FisherInformation
from ...symbolic.privacy.guarantees import Guarantee
from ...symbolic.proof.enclosure import enclose, rational
from ...symbolic.stated_formula import StatedFormula, read_entry
from ...symbolic.stated_optima import Minimiser, OptimalValue, SensitivityBound
from .claimed_point import read_point


def read_formula(claim: Claim) -> Claim:
    """The claim with the names, the order and the domains of its formula complete; SpecError where they do not fit the subject."""
    subject, predicate = claim.subject, claim.predicate
    if isinstance(subject, Model):
        return _of_model(claim, subject)
    if isinstance(subject, Stated):
        return _of_problem(claim, subject)
    if isinstance(predicate, SensitivityBound | Minimiser | OptimalValue):
        raise SpecError(
            f"{subject.name}: {predicate.sentence()!r} is said of a query on a domain, a program or a functional: examine a "
            "DatasetQuery, a Program or a Functional"
        )
    if not isinstance(predicate, FisherInformation | ErrorBound) or predicate.formula is None:
        return claim
    try:
        if isinstance(subject, Family):
            symbols = symbols_of(subject, predicate.formula)
            names = {s.name for s in symbols}
            own = {n: e for n, e in subject.domains.items() if n in names}
            stated = within(own, dict(predicate.formula.domains))
            formula = replace(predicate.formula, domains=stated)
            return replace(
                claim, predicate=predicate.over(formula.on(symbols, symbols, subject.exact is not None))
            )
        if predicate.formula.words:
            raise ValueError(
                f"{subject.name} has no parameters for {', '.join(predicate.formula.words)}: give a number"
            )
        return replace(claim, predicate=_number(predicate, predicate.formula))
    except ValueError as error:
        raise SpecError(f"{subject.name}: {predicate.sentence()!r} does not fit: {error}") from None


def symbols_of(family: Family, formula: StatedFormula) -> tuple[sp.Symbol, ...]:
    """The parameters of a family in the order of theta: those of its law, those that the claim names, or theta (theta1, theta2, ...)."""
    if family.exact is not None:
        return family.exact[1]
    # The one name in the formula about a family of one parameter leaves no choice.
    only = formula.words if family.dimension == 1 and len(formula.words) == 1 else None
    names = (
        formula.of
        or only
        or (("theta",) if family.dimension == 1 else tuple(f"theta{i + 1}" for i in range(family.dimension)))
    )
    if len(names) != family.dimension:
        raise ValueError(
            f"of= must name the {family.dimension} numbers of theta in their order, got {len(names)} names"
        )
    known = formula.own_symbols
    return tuple(known.get(name, sp.Symbol(name, real=True)) for name in names)


def within(law: Mapping[str, Ends], claim: Mapping[str, Ends]) -> tuple[tuple[str, Ends], ...]:
    """Where both the law and what is claimed of it are said; ValueError where that is nowhere."""
    both = {**law, **claim}
    for name in law.keys() & claim.keys():
        (a, b), (low, high) = law[name], claim[name]
        ends = (a if sign_of(a - low) == 1 else low), (b if sign_of(high - b) == 1 else high)
        if sign_of(ends[1] - ends[0]) != 1:
            raise ValueError(f"domains: {name} lies in ({low}, {high}), and that of the law in ({a}, {b})")
        both[name] = ends
    return tuple(sorted(both.items()))


def _of_model(claim: Claim, model: Model) -> Claim:
    predicate = claim.predicate
    if isinstance(predicate, Guarantee) or not isinstance(predicate, FisherInformation | ErrorBound):
        raise SpecError(
            f"{model.name} is a parametric law, which supports FisherInformation and ErrorBound, got {predicate.sentence()!r}: give a mechanism or a pair of inputs"
        )
    formula = predicate.formula
    try:
        if formula is None:
            given = (
                predicate.matrix().tolist() if isinstance(predicate, FisherInformation) else predicate.value
            )
            formula = StatedFormula.read(given, None, {}, "the value")
            assert formula is not None
        stated = replace(formula, domains=within(model.stated, dict(formula.domains)))
        read = stated.on(
            model.symbols, model.symbols if len(formula.entries) == len(model.symbols) == 1 else None
        )
    except ValueError as error:
        raise SpecError(f"{model.name}: {predicate.sentence()!r} does not fit: {error}") from None
    scope = claim.scope if claim.scope != model.scope else replace(model.scope, domain=read.where())
    return replace(claim, predicate=predicate.over(read), about="law", scope=scope)


def _of_problem(claim: Claim, subject: Stated) -> Claim:
    """The claim as one of the law, its formulas read once; SpecError for what is not said of such a problem."""
    predicate = claim.predicate
    kinds = (
        (Minimiser, OptimalValue)
        if isinstance(subject, ProgramSubject | FunctionalSubject)
        else (SensitivityBound,)
    )
    if not isinstance(predicate, kinds):
        names = " and ".join(kind.__name__ for kind in kinds)
        raise SpecError(
            f"{subject.name} is {subject.summary}: {names} can be said of it, got {predicate.sentence()!r}"
        )
    try:
        if isinstance(predicate, Minimiser):
            read_point(replace(claim, subject=subject))
        if isinstance(predicate, OptimalValue):
            problem = subject.functional if isinstance(subject, FunctionalSubject) else subject.program  # type: ignore[attr-defined]
            read_entry(predicate.value, {s.name: s for s in problem.parameters})
    except ValueError as error:
        raise SpecError(f"{subject.name}: {predicate.sentence()!r} does not fit: {error}") from None
    return claim if subject.of_code else replace(claim, about="law")


def at_theta(family: Family, predicate: FisherInformation | ErrorBound) -> tuple[Any, dict[str, str]]:
    """The claim in numbers at the parameters of a family, and these by name; None where the formula has no lawful value there."""
    formula = predicate.formula
    assert formula is not None
    symbols = symbols_of(family, formula)
    values = {s.name: rational(float(v)) for s, v in zip(symbols, family.theta, strict=True)}
    at = {name: sp.sstr(value) for name, value in values.items()}
    if list(formula.of or ()) != [s.name for s in symbols]:
        return None, at
    stated = {s.name: s for s in symbols}
    try:
        numbers = formula.matrix(stated).subs({stated[n]: v for n, v in values.items()})
        floats = [[float(enclose(e).mid()) for e in row] for row in numbers.tolist()]
        if isinstance(predicate, FisherInformation):
            return FisherInformation(floats[0][0] if formula.scalar else floats), at
        return ErrorBound(
            floats[0][0], predicate.adversary, predicate.weight, predicate.domain, predicate.prior
        ), at
    except (ValueError, TypeError, ArithmeticError):
        return None, at


def _number(predicate: FisherInformation | ErrorBound, formula: StatedFormula) -> Any:
    """A formula without parameters as the number that it is."""
    values = formula.matrix({}).applyfunc(lambda e: sp.Float(float(enclose(e).mid())))
    if isinstance(predicate, FisherInformation):
        return FisherInformation(float(values[0, 0]) if formula.scalar else values.tolist())
    return ErrorBound(
        float(values[0, 0]), predicate.adversary, predicate.weight, predicate.domain, predicate.prior
    )
