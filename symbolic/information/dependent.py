"""The information of chains, of Markov chains, and of regressions: sums of the informations of their links.

The information of a chain is the sum over its links of the expected information of each given those before it
(Zamir 1998, A proof of the Fisher information inequality via a data processing argument, lemma 1).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from ..laws.chain import Chain, MarkovChain
from ..laws.domains import positive_within, within_domains
from ..laws.joint import JointLaw
from ..laws.law import simplified
from ..laws.regression import Regression
from ..proof.derivation import Derivation, Step
from ..proof.truth import Truth, all_hold
from .fisher import Information

CHAIN_RULE = (
    "the information of a chain is the sum of the expected informations of its links (Zamir 1998, lemma 1)"
)
SMOOTH = (
    "densities that are continuously differentiable in the parameters, with a finite continuous information, are regular"
    " (van der Vaart 1998, Asymptotic Statistics, lemma 7.6)"
)
Ask = Callable[[Any, Any], Any]
Route = Callable[[Any, list[sp.Symbol]], Information | None]


def routes_of_links(law: JointLaw, ask: Ask) -> list[tuple[str, Route]]:
    """The route for a law that consists of links, none for others; `ask(law, parameters)` gives the information of one link."""
    if isinstance(law.form, Chain):
        return [("sum over the chain", lambda joint, theta: _of_chain(joint, theta, ask))]
    if isinstance(law.form, MarkovChain):
        return [("sum over the states", _of_markov)]
    if isinstance(law.form, Regression):
        return [("sum over the rows of the design", lambda joint, theta: _of_regression(joint, theta, ask))]
    return []


def _none(truth: Truth, reason: str) -> Information:
    return Information(None, None, truth, reason, Derivation(reason, ()))


def _of_chain(law: JointLaw, theta: list[sp.Symbol], ask: Ask) -> Information | None:
    form, k = law.form, len(theta)
    assert isinstance(form, Chain)
    value, steps, lemmas, truths = sp.zeros(k, k), list[Step](), {CHAIN_RULE, SMOOTH}, [Truth.HOLDS]
    for place, link in enumerate(form.laws):
        at = [i for i, p in enumerate(theta) if p in link.free_symbols]
        if not at:
            continue
        found = ask(link, [theta[i] for i in at])
        if found.value is None:
            # Of a support that moves with values before it and not with the parameters nothing is refuted.
            return _none(found.regular, f"{link.name}: {found.reason}")
        truths.append(found.regular)
        steps += found.derivation.steps
        lemmas |= set(found.derivation.lemmas)
        for a, i in enumerate(at):
            for b, j in enumerate(at[: a + 1]):
                mean = _mean_before(form, place, found.value[a, b])
                if mean is None:
                    return _none(
                        Truth.UNKNOWN,
                        f"{link.name}: the mean of {found.value[a, b]} over the values before it is not known",
                    )
                value[i, j] += mean
                if i != j:
                    value[j, i] += mean
    summed = sp.ImmutableMatrix(value.applyfunc(simplified))
    truth = all_hold(truths)
    reason = "each link is regular, and the expected information of each is finite"
    if truth is not Truth.HOLDS:
        reason = "the expected information of each link is known; that each link is regular is not proved"
    derivation = Derivation("the Fisher information of a chain", tuple(steps), tuple(sorted(lemmas)))
    return Information(summed, None, truth, reason, derivation)


def _mean_before(form: Chain, place: int, entry: sp.Expr) -> sp.Expr | None:
    """The mean over all values before `place`, taken from the last to the first; None where one has no closed form."""
    for k in range(place - 1, -1, -1):
        law = form.laws[k]
        entry = entry.xreplace({s: law.variable for s in entry.free_symbols if s.name == law.variable.name})
        if not entry.has(law.variable):
            continue
        entry = simplified(law.expectation(sp.expand(entry)))
        if entry.has(sp.Integral, sp.Sum, sp.Piecewise, sp.oo, -sp.oo, sp.nan, sp.zoo):
            return None
    return entry


def _of_markov(law: JointLaw, theta: list[sp.Symbol]) -> Information | None:
    """The information of the first state, and that of each row of moves times how often it is expected to be left."""
    form, k = law.form, len(theta)
    assert isinstance(form, MarkovChain)
    moves = form.transition
    now, left = sp.Matrix([list(form.initial)]), sp.zeros(1, len(form.initial))
    for _ in range(form.length - 1):
        left, now = left + now, (now * moves).applyfunc(sp.expand)
    rows = [(sp.Integer(1), form.initial), *((left[i], tuple(moves.row(i))) for i in range(moves.rows))]
    masses = [p for weight, row in rows if weight != 0 for p in row if p != 0]
    wrong = next((p for p in masses if within_domains(p, law.domains).is_negative), None)
    if wrong is not None:
        return _none(Truth.FAILS, f"the probability {wrong} is negative")

    def entry(a: sp.Symbol, b: sp.Symbol) -> sp.Expr:
        slopes = [
            weight * sum(sp.diff(p, a) * sp.diff(p, b) / p for p in row if p != 0) for weight, row in rows
        ]
        return sp.factor(sp.simplify(sp.Add(*slopes)))

    value = sp.ImmutableMatrix(k, k, lambda i, j: entry(theta[max(i, j)], theta[min(i, j)]))
    steps = [
        Step(sp.Add(*row), "=", sp.Integer(1), "probabilities add up to one")
        for weight, row in rows
        if weight != 0
    ]
    steps.append(
        Step(
            sp.Add(*left),
            "=",
            sp.Integer(form.length - 1),
            "the expected visits to all states before the last",
        )
    )
    # Minus the mean second derivative, the other way to the same number.
    for i, a in enumerate(theta):
        for j, b in enumerate(theta[: i + 1]):
            second = [
                -weight * sum(p * sp.diff(sp.log(p), a, b) for p in row if p != 0) for weight, row in rows
            ]
            steps.append(
                Step(sp.Add(*second), "=", value[i, j], f"minus the mean second derivative in {a}, {b}")
            )
    open_ = [p for p in masses if not positive_within(p, law.domains)]
    truth, reason = Truth.HOLDS, "finitely many paths, each with a positive smooth probability"
    if open_:
        truth = Truth.UNKNOWN
        reason = f'that {open_[0]} is positive is not proved: say where the parameters lie, domains={{"p": (0, 1)}}'
    derivation = Derivation("the Fisher information of a Markov chain", tuple(steps), (CHAIN_RULE,))
    return Information(value, None, truth, reason, derivation)


def _of_regression(law: JointLaw, theta: list[sp.Symbol], ask: Ask) -> Information | None:
    """The information of one response about its linear predictor and dispersion, by the chain rule in every row."""
    form = law.form
    assert isinstance(form, Regression)
    others = [p for p in theta if p in form.response.free_symbols]
    inner = [form.eta, *others]
    one = ask(form.response, inner)
    if one.value is None or one.regular is Truth.FAILS:
        return _none(one.regular, f"{form.response.name}: {one.reason}")
    total = sp.zeros(len(theta), len(theta))
    for predictor in form.predictors:
        moved = sp.Matrix([predictor, *others])
        jacobian = moved.jacobian(sp.Matrix(theta))
        there = one.value.applyfunc(lambda e, at=predictor: e.subs(form.eta, at))
        total += jacobian.T * there * jacobian
    reason = f"{len(form.predictors)} independent outcomes, each with a predictor that is linear in the coefficients"
    if form.eta.is_positive:
        reason += ", where all predictors are positive"
    derivation = Derivation(
        "the Fisher information of a regression is the sum over the rows x of its design of x x' times that about the predictor",
        one.derivation.steps,
        (*one.derivation.lemmas, "chain rule for the score of each outcome, and independence"),
    )
    return Information(sp.ImmutableMatrix(total), None, one.regular, reason, derivation)
