"""Cosine-squared noise on intervals and boxes, optimal for linear queries: Corollaries 1, 2 and 3."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.programs.functional.functional import Functional
from ....symbolic.programs.functional.integrals import integrated
from ....symbolic.proof.as_written import inner, power, product, quotient, weighted
from ....symbolic.proof.derivation import Step
from ....symbolic.proof.trace import Column, Trace, identity
from ...dossier import ARGUED, Formula, Instances, Parts, argued, parts
from ...dossier.arguments.bounds_arguments import WIRTINGER
from .cosine_density import (
    DENSITY,
    ENTRIES,
    HALF,
    LOWER,
    L,
    T,
    information_written,
    inverse_information,
    quality,
    variance_written,
)
from .dossier import DOSSIER

DATA_INDEPENDENT = (
    "The noise does not depend on x, w_lo < w_hi, and X has finite volume (p has mass one). Problem 2 admits densities of the "
    "noise given x: where the query ranges over less than the width of W, answers that do not look at x cost nothing."
)
ANY_POLICY = "no lower bound is derived for policies that look at the data"
ONE_END_ZERO = "One end of the interval is 0."


def cosine_noise(
    data_independent: bool = True, query: bool = False, normaliser: sp.Expr = 2 / L, rate: sp.Expr = sp.pi / L
) -> Parts:
    """The density normaliser cos^2(rate (w - middle)) on an interval of length L is the optimum of Problem 2."""
    gram = sp.Symbol("q", positive=True) if query else sp.Integer(1)
    wave = sp.sin(rate * L) / (2 * rate)
    cost = 4 * gram * normaliser * rate**2 * (L / 2 - wave)
    p = sp.Function("p")(T)
    # In t = (w - middle)/L.
    cost_of = sp.diff(p, T) ** 2 / (L**2 * p)
    unit = Functional(cost_of, p, (T, -HALF, HALF), boundary={-HALF: 0, HALF: 0}, density=True)
    found = unit.certify(L * normaliser * sp.cos(rate * L * T) ** 2)
    least, how = sp.Symbol("unknown", positive=True), None
    if found.verdict == "PROVED":
        density = L * normaliser * sp.cos(rate * L * T) ** 2
        least = sp.Integral(sp.diff(density, T) ** 2 / (L**2 * density), (T, -HALF, HALF))
        how = integrated
    steps = (
        *found.derivation.steps,
        Step(least, "=", 4 * sp.pi**2 / L**2, "the least information of an entry", how),
    )
    if query:
        c, k = Column("c"), sp.Symbol("K", positive=True)
        reason = "Tr(C' K C) = K C C' for a row C = c' of every length, so that C enters through q = C C'"
        steps += (identity(Trace(c * k * c.T), k * Trace(c.T * c), reason),)
    formula = Formula(
        cost,
        "=",
        gram * 4 * sp.pi**2 / L**2,
        argument=argued(
            *steps,
            lemmas=found.derivation.lemmas,
            written=weighted(
                gram,
                product(
                    4, normaliser, power(rate, 2), sp.Integral(sp.sin(rate * T) ** 2, (T, -L / 2, L / 2))
                ),
            ),
        ),
    )
    printed = {"normaliser": sp.sstr(normaliser), "frequency": sp.sstr(rate)}

    def draw(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
        grams = ("1/3", "1/2", "1", "7/2") if query else ("1",)
        others: list[dict[str, str]] = [{"type": "parabola"}]
        others += [{"type": "power", "exponent": q} for q in ("3/4", "99/100", "101/100", "3/2", "2")]
        if not data_independent:
            others.insert(0, {"type": "answers", "range": "1/2", "share": "1/2"})
        for gram in grams:
            for width in ("1", f"{int(rng.integers(11, 60))}/10"):
                yield from ({"width": width, "gram": gram, "competitor": other} for other in others)

    sentence = "the noise has mass one and the least Fisher information of all policies tried"
    rule = "cosine noise against another policy"
    return parts(
        formula,
        instances=Instances(rule, printed, draw, sentence),
        missing="" if data_independent else ANY_POLICY,
    )


@DOSSIER.disputed(
    "corollary-1",
    "Optimal noise on a box for f(x) = x (Corollary 1)",
    checks=ARGUED,
    condition=DATA_INDEPENDENT,
    printed="For f(x) = x, constant weight p and W = [w_lo, w_hi]^m the solution of Problem 2 has independent "
    "entries with the density (2/L) cos^2(pi (w - middle)/L), L = w_hi - w_lo.",
    without="The same among all policies.",
    at=(True, False),
)
def corollary_1(data_independent: bool) -> Parts:
    """One entry stands for all: cost and lower bound add up over the entries of a box."""
    return cosine_noise(data_independent=data_independent)


@DOSSIER.disputed(
    "corollary-2i",
    "Privacy of the optimal noise (Corollary 2, i)",
    printed="For the noise of Corollary 1 every unbiased estimate has E|x - xhat|^2 >= Tr I^-1 = kappa L^2, with "
    "a constant kappa > 0 that does not depend on the interval.",
    twin="Tr I^-1 = kappa L^2.02.",
    at=(sp.Integer(2), sp.Rational(202, 100)),
)
def corollary_2i(exponent: sp.Expr) -> Formula:
    """kappa is m/(4 pi^2): it depends on m, not on the interval."""

    kappa = inverse_information().subs(L, 1)
    steps = (
        Step(information_written(), "=", 4 * sp.pi**2 / L**2, "information of one entry, by integration"),
        Step(
            sp.Integral(sp.diff(DENSITY, T), (T, -HALF, HALF)),
            "=",
            sp.Integer(0),
            "scores have mean 0, and entries of the noise are independent: the information has no other entries",
        ),
        Step(
            quotient(ENTRIES, product(information_written(), L**2)),
            "=",
            ENTRIES / (4 * sp.pi**2),
            "so kappa = m/(4 pi^2)",
        ),
        Step(kappa, ">", sp.Integer(0), "kappa is positive"),
    )
    lemmas = (
        "Cramer-Rao inequality (Proposition 1): the density vanishes with its slope at the ends of the interval",
    )
    return Formula(
        kappa * L**exponent,
        "=",
        inverse_information(),
        argument=argued(*steps, lemmas=lemmas, written=quotient(ENTRIES, information_written())),
    )


PRINTED_QUALITY = (2 * sp.pi**2 - 3) / (6 * sp.pi**2)


@DOSSIER.disputed(
    "corollary-2ii",
    "Quality of the optimal noise (Corollary 2, ii)",
    condition=ONE_END_ZERO
    + (
        " In general Q = m ((pi^2 - 6) L^2/(12 pi^2) + (w_lo + w_hi)^2/4), as Appendix E has it before it "
        "inserts the ends; on an interval around 0 this is 0.0327 m L^2."
    ),
    printed="For the noise of Corollary 1, Q = m L^2 (2 pi^2 - 3)/(6 pi^2), about 0.2827 m L^2.",
    without="The same for every interval [w_lo, w_lo + L].",
    at=(sp.Integer(0), LOWER),
)
def corollary_2ii(lower: sp.Expr) -> Formula:
    """The printed constant is (pi^2 - 6)/(12 pi^2) + 1/4: the variance, and the squared mean of an interval that starts at 0."""

    steps = (
        Step(
            variance_written(),
            "=",
            (sp.pi**2 - 6) / (12 * sp.pi**2),
            "variance of an entry for L = 1, by integration",
        ),
        Step(
            abs(PRINTED_QUALITY - sp.Rational("0.2827")),
            "<",
            sp.Rational(5, 10**5),
            "the decimals of the constant",
        ),
    )
    return Formula(ENTRIES * L**2 * PRINTED_QUALITY, "=", quality(lower), argument=argued(*steps))


@DOSSIER.disputed(
    "corollary-2-tradeoff",
    "Trade-off between quality and privacy (after Corollary 2)",
    reading="Corollary 2 itself: dividing its part (ii) by its part (i) gives this factor; the printed one is turned "
    "upside down and has lost m",
    printed="For the optimal noise (one end of its interval at 0) Q = (6 pi^2 kappa/(2 pi^2 - 3)) Tr I^-1.",
    twin="Q = m (2 pi^2 - 3)/(6 pi^2 kappa) Tr I^-1, which is (2/3)(2 pi^2 - 3) Tr I^-1, about 11.16 Tr I^-1.",
    at=(True, False),
)
def corollary_2_tradeoff(upside_down: bool) -> Formula:
    """The quotient of (ii) by (i), with one end of the interval at 0."""
    kappa = inverse_information().subs(L, 1)
    steps = (
        Step(
            quotient(ENTRIES, information_written()),
            "=",
            kappa * L**2,
            "Tr I^-1, by integration of the information",
        ),
    )
    factor = kappa / PRINTED_QUALITY if upside_down else ENTRIES * PRINTED_QUALITY / kappa
    return Formula(factor * inverse_information(), "=", quality(sp.Integer(0)), argument=argued(*steps))


@DOSSIER.disputed(
    "corollary-2-conflict",
    "Privacy and quality are in conflict (after Corollary 2)",
    condition="One end of the interval stays at 0. From [1, 2] to [-1, 2] the privacy is nine times as large and Q falls "
    "from 2.283 m to 0.544 m, since the noise is less biased.",
    printed="For the optimal noise, every change of w_lo or w_hi that raises Tr I^-1 raises Q as well; a wider interval has the "
    "larger Tr I^-1.",
    without="The same for every change of the interval.",
    at=(True, False),
)
def corollary_2_conflict(one_end_at_zero: bool) -> Formula:
    """A wider interval that moves towards 0 is better in both respects."""
    wider = sp.Symbol("d", positive=True)
    privacy = inverse_information()
    grown = sp.expand(privacy.subs(L, L + wider) - privacy)
    argument = argued(Step(grown, ">", sp.Integer(0), "a wider interval has more privacy"))
    before, after = (sp.Integer(0),) * 2 if one_end_at_zero else (LOWER, sp.Symbol("after", real=True))
    left, right = quality(after).subs(L, L + wider), quality(before)
    if one_end_at_zero:
        left, right = sp.expand(left - right), sp.Integer(0)
    return Formula(left, ">", right, argument=argument)


@DOSSIER.disputed(
    "corollary-3",
    "Optimal noise on an interval for f(x) = C x (Corollary 3)",
    checks=ARGUED,
    condition=DATA_INDEPENDENT,
    printed="For a scalar query C x with C not 0, constant weight and W = [w_lo, w_hi] the solution of Problem 2 "
    "is the density (2/L) cos^2(pi (w - middle)/L).",
    without="The same among all policies.",
    at=(True, False),
)
def corollary_3(data_independent: bool) -> Parts:
    """C enters through q = C C' > 0."""
    return cosine_noise(data_independent=data_independent, query=True)


@DOSSIER.disputed(
    "corollary-3-weights",
    "The weights are irrelevant (after Corollary 3)",
    checks=ARGUED,
    condition=DATA_INDEPENDENT
    + " With weights so small that C x ranges over less than the width of W, other policies win.",
    printed="For all C and D that are not 0 the costs of every noise are in the ratio C C' : D D', so that the "
    "optimal noise does not depend on the weights.",
    without="One noise is optimal for all C among all policies.",
    at=(True, False),
)
def corollary_3_weights(data_independent: bool) -> Parts:
    """The weights multiply the cost of every noise by the same number."""

    claim = cosine_noise(data_independent, query=True)
    c, d = sp.Matrix(sp.symbols("c1 c2", positive=True)), sp.Matrix(sp.symbols("d1 d2", positive=True))
    slope = sp.Function("g")(T).diff(T) ** 2 / sp.Function("g")(T)
    costs = [(slope * v * v.T).trace() for v in (c, d)]
    ratio = sp.simplify(costs[0] / costs[1])
    any_cost = sp.Symbol("cost", positive=True)
    written = quotient(product(any_cost, inner(c, c)), product(any_cost, inner(d, d)))
    printed = (c.T * c)[0, 0] / (d.T * d)[0, 0]
    steps = (
        Step(
            sp.Derivative(written, any_cost),
            "=",
            sp.Integer(0),
            "the quotient of the two costs does not contain the density",
        ),
    )
    formula = Formula(printed, "=", ratio, argument=argued(*steps, lemmas=(WIRTINGER,), written=written))
    return replace(claim, formulas=(formula,))
