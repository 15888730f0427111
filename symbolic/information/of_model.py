"""The Fisher information of a user's own model: exact where a route finds a closed form, and which routes agree on it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

import sympy as sp

from ..laws.countable import CountableLaw
from ..laws.domains import domain_points
from ..laws.enclosed_expectation import enclosed_expectation
from ..laws.finite import DiscreteLaw
from ..laws.form import meaning
from ..laws.joint import JointLaw
from ..laws.law import Law, simplified, smooth_derivative
from ..laws.premises import premises, under
from ..laws.vector_forms import Multinomial
from ..proof.apart import UnfinishedError, apart, at_once
from ..proof.as_written import difference
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import NotEnclosableError, enclose, is_zero
from ..proof.truth import Truth
from .conditions import SMOOTH, Condition, conditions_of, inner_law, joined
from .dependent import routes_of_links
from .enclosers import encloser_of
from .exponential_family import FAMILY, of_exponential_family
from .finite_sums import by_masses
from .fisher import Information, mass_step
from .fisher import fisher_information as by_integrals
from .model_information import Encloser, FisherInformationMatrix
from .normal_vector import by_moments
from .smooth_parameters import doubt_of_smoothness

Route = Callable[[Any, list[sp.Symbol]], Information | None]
INTEGRALS, INSIDE = "integrals of the scores", "parameters inside of their domains"
_MOST_OUTCOMES = 64


def fisher_information(
    law: Law | JointLaw, parameters: Any, *, effort: float = 1.0
) -> FisherInformationMatrix:
    """The Fisher information matrix of a law about its parameters, as a FisherInformationMatrix.

    `law` is a Law or a JointLaw, `parameters` a symbol or several, or their names; the others are known. `effort`
    scales the limit on processor time.
    Without a closed form `value` is None, and `enclose` answers at a point. TypeError for what is no law, ValueError for
    what is no parameter of it. Source: Lehmann and Casella 1998, Theory of point estimation, 2.5.

    >>> y, scale = sp.Symbol("y"), sp.Symbol("scale", positive=True)
    >>> rayleigh = npf.Law.from_density(y / scale**2 * sp.exp(-(y**2) / (2 * scale**2)), y, (0, "oo"))
    >>> npf.fisher_information(rayleigh, scale).scalar
    4/scale**2
    """
    if not isinstance(law, Law | JointLaw):
        raise TypeError(f"law must be a Law, such as Law.from_density(...), got {type(law).__name__}")
    theta = parameters_of(law, parameters)
    return at_once(partial(_by_routes, law, theta), effort)


def _by_routes(law: Law | JointLaw, theta: list[sp.Symbol]) -> FisherInformationMatrix:
    found: dict[str, Information] = {}
    stuck = ""
    routes = _routes(law, theta)
    for k, (name, route) in enumerate(routes):
        try:
            answer = apart(partial(route, law, theta), name)
            found |= {name: answer} if answer is not None else {}
        except UnfinishedError as error:
            stuck = f"unknown: {error}"
        if k + 2 == len(routes) and routes[-1][0] == INSIDE and any(_closed(i) for i in found.values()):
            break
    return _noted(_joined(law, theta, found, stuck), law.notes)


def _routes(law: Law | JointLaw, theta: list[sp.Symbol]) -> list[tuple[str, Route]]:
    if isinstance(law, JointLaw):
        if links := routes_of_links(law, fisher_information):
            return links
        if law.parts:
            return [("independent parts", _by_parts)]
        if law.covariance is not None:
            return [("normal vector", by_moments)]
        if isinstance(law.form, Multinomial):
            return [("sum over the categories", _by_categories)]
        return [("exponential family", _by_family)]
    routes: list[tuple[str, Route]] = [] if law.parts else [("exponential family", _by_family)]
    routes.append(
        ("sums of the scores", _by_sums) if isinstance(law, CountableLaw) else (INTEGRALS, by_integrals)
    )
    ends = {s for _, *pair in law.domains for e in pair for s in e.free_symbols}
    # Where the end of one domain moves with another parameter, the chain rule would need more than one slope each.
    if any(symbol in theta for symbol, _, _ in law.domains) and not ends & {s for s, _, _ in law.domains}:
        routes.append((INSIDE, _inside))
    return routes


def _by_family(law: Any, theta: list[sp.Symbol]) -> Information | None:
    answer = None if isinstance(law, DiscreteLaw) else of_exponential_family(law, theta)
    if answer is None:
        return None
    value, derivation = answer
    if isinstance(law, JointLaw):
        doubt = doubt_of_smoothness(law, theta)
        return Information(value, None, Truth.UNKNOWN if doubt else Truth.HOLDS, doubt or FAMILY, derivation)
    # The scores have mean zero because the mass is one, whatever the parameters are.
    step = mass_step(law, "the mass is one")
    return Information(value, None, Truth.HOLDS, FAMILY, replace(derivation, steps=(step, *derivation.steps)))


def _by_categories(law: Any, theta: list[sp.Symbol]) -> Information | None:
    """The finite sum over the categories of one trial, times the number of trials."""
    value, derivation = by_masses(law.name, law.form.probabilities, theta)
    trials, doubt = law.form.trials, doubt_of_smoothness(law, theta)
    conclusion = (
        f"{derivation.conclusion}: {trials} times that of one trial" if trials > 1 else derivation.conclusion
    )
    reason = doubt or "finitely many categories, each with a positive smooth probability"
    truth = Truth.UNKNOWN if doubt else Truth.HOLDS
    whole = sp.ImmutableMatrix(value * trials)
    return Information(whole, None, truth, reason, replace(derivation, conclusion=conclusion))


def _by_sums(law: Any, theta: list[sp.Symbol]) -> Information | None:
    """E[s_i s_j] as sums over whole numbers: by generating functions, or term by term of a few."""
    lower, upper = law.support
    if (upper - lower).is_Integer and upper - lower <= _MOST_OUTCOMES:
        return _by_outcomes(law, theta, [lower + k for k in range(int(upper - lower) + 1)])
    scores = [smooth_derivative(law.log_density(), p) for p in theta]
    k, steps = len(theta), list[Step]()
    entries: dict[tuple[int, int], sp.Expr] = {}
    for i in range(k):
        for j in range(i + 1):
            sums = _again(law, scores[i] * scores[j])
            value = sums()
            if value is None:
                return None
            entries[i, j] = value
            left = sp.Sum(law.density * scores[i] * scores[j], (law.variable, lower, upper))
            steps.append(
                Step(
                    left,
                    "=",
                    value,
                    f"E[s_{theta[i]} s_{theta[j]}]",
                    _agrees(sums, law, scores[i] * scores[j]),
                )
            )
    matrix = sp.ImmutableMatrix(k, k, lambda i, j: entries[max(i, j), min(i, j)])
    steps.insert(0, mass_step(law, "the mass is one"))
    names = ", ".join(map(str, theta))
    derivation = Derivation(f"the Fisher information of {law.name} about {names}", tuple(steps))
    return Information(matrix, None, Truth.UNKNOWN, "sums of the scores", derivation)


def _again(law: CountableLaw, function: sp.Expr) -> Callable[[], sp.Expr | None]:
    def value() -> sp.Expr | None:
        found = law.series(function)
        return (
            None
            if found is None or found.has(sp.Sum, sp.Integral, sp.oo, sp.zoo, sp.nan)
            else simplified(found)
        )

    return value


def _agrees(
    again: Callable[[], sp.Expr | None], law: Law, function: sp.Expr
) -> Callable[[sp.Expr, sp.Expr], Truth]:
    """A check by the series anew, and by terms in balls at one value of the parameters, which may refute it."""

    def check(_left: sp.Expr, right: sp.Expr) -> Truth:
        for at in domain_points(law.free_symbols, law.domains, 1):
            with suppress(NotEnclosableError, ValueError):
                if not enclosed_expectation(law.at(at), function.subs(at), 1e-8).overlaps(enclose(right, at)):
                    return Truth.FAILS
        value = again()
        return Truth.UNKNOWN if value is None else is_zero(value - right)

    return check


def _by_outcomes(law: Law, theta: list[sp.Symbol], outcomes: list[sp.Expr]) -> Information | None:
    masses = [sp.simplify(law.density.subs(law.variable, n)) for n in outcomes]
    try:
        few = DiscreteLaw(outcomes, masses, law.name)
    except ValueError:
        return None
    return by_integrals(few, theta) if set(theta) <= few.free_symbols else None


def _inside(law: Any, theta: list[sp.Symbol]) -> Information | None:
    """The information about positive numbers that stand for the places in the domains, and back by the chain rule."""
    inner, fresh, changes = inner_law(law, theta)
    route = _by_sums if isinstance(law, CountableLaw) else by_integrals
    found = route(inner, fresh)
    if found is None or not _closed(found):
        return found if found is not None and found.regular is Truth.FAILS else None
    assert found.value is not None
    slopes = [sp.diff(changes.get(p, p), t) for p, t in zip(theta, fresh, strict=True)]
    back: dict[sp.Symbol, sp.Expr] = {}
    for p, t in zip(theta, fresh, strict=True):
        if p in changes:
            (solved,) = sp.solve(changes[p] - p, t)
            back[t] = solved
    k = len(theta)
    value = sp.ImmutableMatrix(
        k, k, lambda i, j: simplified((found.value[i, j] / (slopes[i] * slopes[j])).subs(back))
    )
    steps = [
        Step(
            value[i, j].subs({p: changes[p] for p in theta if p in changes}) * slopes[i] * slopes[j],
            "=",
            found.value[i, j],
            f"chain rule: {theta[i]}, {theta[j]} written as points inside of their domains",
        )
        for i in range(k)
        for j in range(i + 1)
    ]
    derivation = replace(found.derivation, steps=(*found.derivation.steps, *steps))
    return replace(found, value=value, derivation=derivation)


def _by_parts(law: Any, theta: list[sp.Symbol]) -> Information | None:
    """The sum of the matrices of independent parts, each about the parameters that it has."""
    k, steps, reasons = len(theta), list[Step](), list[str]()
    value, lemmas = sp.zeros(k, k), set[str]()
    for part in law.parts:
        places = [i for i, p in enumerate(theta) if p in part.free_symbols]
        if not places:
            continue
        found = fisher_information(part, [theta[i] for i in places])
        if found.value is None or found.regular is not Truth.HOLDS:
            return Information(None, None, found.regular, f"{part.name}: {found.reason}", found.derivation)
        for a, i in enumerate(places):
            for b, j in enumerate(places):
                value[i, j] += found.value[a, b]
        steps += found.derivation.steps
        lemmas |= set(found.derivation.lemmas)
        reasons.append(found.reason)
    derivation = Derivation(
        "the Fisher information of independent parts is the sum of theirs",
        tuple(steps),
        tuple(sorted(lemmas)),
    )
    summed = sp.ImmutableMatrix(value.applyfunc(simplified))
    return Information(summed, None, Truth.HOLDS, "; ".join(dict.fromkeys(reasons)), derivation)


def _closed(found: Information) -> bool:
    # Derivatives are left of floors and the like, which have none where they jump.
    return found.value is not None and not found.value.has(sp.Integral, sp.Sum, sp.Derivative, sp.Subs)


def _noted(answer: FisherInformationMatrix, notes: tuple[str, ...]) -> FisherInformationMatrix:
    """The answer, whose derivation says how the numbers of the law were read."""
    derivation = answer.derivation
    return replace(answer, derivation=replace(derivation, lemmas=(*notes, *derivation.lemmas)))


def _joined(
    law: Law | JointLaw, theta: list[sp.Symbol], found: dict[str, Information], stuck: str
) -> FisherInformationMatrix:
    """One answer of the routes; ValueError where two of them differ, which none ever should."""
    refuted = next((i for i in found.values() if i.regular is Truth.FAILS), None)
    if refuted is not None:
        broken = Condition("the family is regular", Truth.FAILS, refuted.reason)
        return FisherInformationMatrix(
            law, tuple(theta), None, Truth.FAILS, refuted.reason, (), refuted.derivation, (broken,)
        )
    closed = {n: i for n, i in found.items() if _closed(i)}
    conditions, stopped = _conditions(law, theta, closed, found)
    regular = joined(conditions)
    asked = frozenset(law.free_symbols | set(theta))
    if regular is Truth.FAILS:
        reason = next(c.reason for c in conditions if c.truth is Truth.FAILS)
        empty = Derivation(reason, ())
        return FisherInformationMatrix(law, tuple(theta), None, regular, reason, (), empty, conditions)
    encloser = encloser_of(law, theta)
    left = [c for c in conditions if c.truth is Truth.UNKNOWN]
    doubt = "; ".join(f"that {c.name} is open: {c.reason}" for c in left)
    if not closed:
        reason = stuck or stopped or "no route found a closed form"
        if encloser is not None:
            reason += f": {_tried(law, encloser, asked)}"
        reason += f"; {doubt}" if doubt else ""
        nothing = Derivation(reason, ())
        cut = bool(stuck or stopped)  # at the limit on processor time
        return FisherInformationMatrix(
            law, tuple(theta), None, regular, reason, (), nothing, conditions, encloser, asked, stopped=cut
        )
    first = next(iter(closed.values()))
    value = first.value
    assert value is not None
    steps = list(first.derivation.steps)
    for name, other in list(closed.items())[1:]:
        assert other.value is not None
        for e in value - other.value:
            if is_zero(e) is Truth.FAILS:
                raise ValueError(f"two routes differ by {e}: please report this law")
        steps += [
            Step(difference(one, another), "=", sp.Integer(0), f"the route by {name} gives the same")
            for one, another in dict.fromkeys(zip(value, other.value, strict=True))
            if one != 0 or another != 0
        ]
    derivation = Derivation(first.derivation.conclusion, under(steps, premises(law)), first.derivation.lemmas)
    reason = next((c.reason for c in conditions if c.truth is Truth.HOLDS and c.name == SMOOTH), first.reason)
    return FisherInformationMatrix(
        law,
        tuple(theta),
        value,
        regular,
        f"{reason}; {doubt}" if doubt else reason,
        tuple(closed),
        derivation,
        conditions,
        encloser,
        asked,
    )


def _tried(law: Law | JointLaw, encloser: Encloser, symbols: frozenset[sp.Symbol]) -> str:
    """Whether balls answer, by trying them at one value of the parameters."""
    at = next(iter(domain_points(symbols, law.domains, 1)), {})
    shown = ", ".join(f"{s} = {v}" for s, v in sorted(at.items(), key=str))
    try:
        apart(lambda: encloser(at, 1e-6), "balls")
    except UnfinishedError as stuck:
        return f"`enclose` may answer at another point: at {shown} {stuck}"
    except (NotEnclosableError, ArithmeticError, TypeError, ValueError) as trouble:
        return f"nor did `enclose` answer where it was tried, at {shown}: {trouble}"
    return "`enclose` answers at a point"


def _conditions(
    law: Law | JointLaw,
    theta: list[sp.Symbol],
    closed: Mapping[str, Information],
    found: Mapping[str, Information],
) -> tuple[tuple[Condition, ...], str]:
    """The conditions, and where their proofs were stopped."""
    known = next(iter(closed.values()), next(iter(found.values()), None))
    if isinstance(law, JointLaw):
        if known is None:
            return (), ""
        return (Condition("the family is regular", known.regular, known.reason),), ""
    if isinstance(law, DiscreteLaw) and known is not None:
        return (Condition("the family is regular", known.regular, known.reason),), ""
    family = FAMILY if "exponential family" in closed else ""
    try:
        step = "the proof of the conditions"
        return apart(lambda: conditions_of(law, theta, family, bool(closed)), step), ""
    except UnfinishedError as stuck:
        return (Condition("the family is regular", Truth.UNKNOWN, f"unknown: {stuck}"),), str(stuck)


def parameters_of(law: Law | JointLaw, parameters: Any) -> list[sp.Symbol]:
    """The symbols of the law that are meant, a symbol or several, or their names; ValueError for what is none of them."""
    asked = [parameters] if isinstance(parameters, str | sp.Symbol) else list(parameters)
    known = {s.name: s for s in law.free_symbols}
    found: list[sp.Symbol] = []
    for p in asked:
        name = p if isinstance(p, str) else getattr(p, "name", None)
        if name not in known:
            names = ", ".join(sorted(known)) or "none"
            meant = meaning([str(name)], law.notes)
            raise ValueError(f"{p!r} is no parameter of {law.name}; its parameters are: {names}{meant}")
        found.append(known[name])
    if not found or len(set(found)) < len(found):
        raise ValueError("parameters must be one or several different symbols of the law")
    return found
