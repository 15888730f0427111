"""Section 5: Laplace and normal noise of one variance on a weighted average, C of shape (1, n), q = C C'."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.information.estimability import least_squares_split
from ....symbolic.information.fisher import location_information
from ....symbolic.laws import catalogue as laws
from ....symbolic.proof.as_written import difference, power, product, quotient
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.enclosure import compare
from ....symbolic.proof.truth import Truth
from ...dossier import ARGUED, Formula, Instances, Parts, argued
from ...dossier.arguments.written_integrals import information
from ...dossier.formula import direction
from .arguments.calibrations import error_ratio, gaussian_entropy, laplace_entropy
from .dossier import DOSSIER

_b, _theta, _q = sp.symbols("b theta q", positive=True)
_n = sp.Symbol("n", positive=True, integer=True)
_CENT = sp.Rational(101, 100)
_SAME_MEAN = "Cramer-Rao for estimators of mean C^+ C x: the error is at least |(I - C^+ C) x|^2 + |C^+|^2 / I_w, |C^+|^2 = 1/q"
_NO_UNBIASED = "for n > 1 no unbiased estimator of x exists, so the sentence is read for estimators of mean C^+ C x, to which its first term belongs"


@DOSSIER.disputed(
    "laplace-Q",
    "Variance of the Laplace noise (Section 5)",
    printed="Laplace noise exp(-|w|/b)/(2b) has Q = 2 b^2.",
    twin="It has Q = 2.02 b^2.",
    at=(2 * _b**2, 2 * _CENT * _b**2),
)
def laplace_q(value: sp.Expr) -> Formula:
    """The second moment of the Laplace density, by integration."""
    moment = laws.laplace(0, _b).variance()

    y = sp.Symbol("y", positive=True)
    written = sp.Integral(product(y**2, sp.exp(-y / _b) / _b), (y, 0, sp.oo))
    return Formula(value, "=", moment, argument=argued(written=written))


def _information(law: str, rows: sp.Expr, scale: sp.Expr) -> Parts:
    """The number of rows of the printed matrix, its scale against the information of the noise, and both on queries."""
    exact = (
        location_information(laws.laplace(0, _b)).scalar.subs(_b, sp.sqrt(_theta / 2))
        if law == "laplace"
        else (location_information(laws.normal(0, _b)).scalar.subs(_b, sp.sqrt(_theta)))
    )
    by_theta = scale.subs(_b, sp.sqrt(_theta / 2))
    i = sp.Symbol("i", integer=True)
    half = sp.sqrt(_theta / 2)
    squared_score = (
        quotient(1, power(half, 2)) if law == "laplace" else information(laws.normal(0, sp.sqrt(_theta)))
    )
    formulas = (
        Formula(rows, "=", _n, argument=argued(written=sp.Sum(1, (i, 1, _n)))),
        Formula(by_theta, "=", exact, argument=argued(written=squared_score)),
    )
    printed = {"outer": "C'C" if rows == _n else "CC'", "scale": sp.sstr(scale), "noise": law}
    return Parts(formulas, Instances("information matrix", printed, _queries))


@DOSSIER.disputed(
    "laplace-fisher",
    "Information under Laplace noise (Section 5)",
    reading="the definition of I for linear queries in Section 3, C' (...) C, an n x n matrix whose trace is "
    "meant here",
    printed="For Laplace noise of scale b on C x, C of shape (1, n), the information matrix about x is I = C "
    "C'/b^2 = 2 C C'/theta, 1/b^2 being twice the integral of (d gamma/dw)^2/gamma over w > 0.",
    twin="I = C' C/b^2 = 2 C' C/theta, n x n; C C'/b^2 is its trace.",
    at=(sp.Integer(1), _n),
)
def laplace_fisher(rows: sp.Expr) -> Parts:
    """C' (.) C is n x n; the printed C C' is its trace."""
    w = sp.Symbol("w", positive=True)
    half = sp.exp(-w / _b) / (2 * _b)
    integral = 2 * sp.integrate(sp.simplify(sp.diff(half, w) ** 2 / half), (w, 0, sp.oo))
    last = 2 / _theta
    found = _information("laplace", rows, 1 / _b**2)
    whole = product(2, sp.Integral(sp.simplify(sp.diff(half, w) ** 2 / half), (w, 0, sp.oo)))
    over = quotient(2, product(2, power(_b, 2)))
    chain = (
        Formula(1 / _b**2, "=", integral, argument=argued(written=whole)),
        Formula(last.subs(_theta, 2 * _b**2), "=", 1 / _b**2, argument=argued(written=over)),
    )
    return Parts((*found.formulas, *chain), found.instances)


@DOSSIER.disputed(
    "gauss-fisher",
    "Information under the optimal noise (Section 5)",
    reading="the definition of I for linear queries in Section 3, C' (...) C, an n x n matrix whose trace is "
    "meant here",
    printed="For normal noise of variance theta on C x, C of shape (1, n), the information matrix about x is I = "
    "C C'/theta.",
    twin="I = C' C/theta, n x n; C C'/theta is its trace.",
    at=(sp.Integer(1), _n),
)
def gauss_fisher(rows: sp.Expr) -> Parts:
    """The same for normal noise of variance theta."""
    return _information("normal", rows, 1 / _theta)


def _bound(law: str, noise: sp.Expr) -> Parts:
    """The printed noise term against the Cramer-Rao bound (a proof if it is not above), and against the error of C^+ y."""
    variance = (
        1 / location_information(laws.laplace(0, _b) if law == "laplace" else laws.normal(0, _b)).scalar
    )
    variance = variance.subs(_b, sp.sqrt(_theta / 2) if law == "laplace" else sp.sqrt(_theta))

    def argument(formula: Formula) -> Derivation:
        split = least_squares_split()
        steps = (
            *split.steps,
            direction(formula, ">="),
            Step(
                formula.left,
                ">=",
                quotient(1, product(_q, 1 / variance)),
                "least squares, of error theta/q beside the hidden part, obeys the bound",
            ),
            Step(
                quotient(1, product(_q, 1 / variance)),
                ">=",
                formula.right,
                "the printed noise term is not above |C^+|^2 over the information of the noise",
            ),
        )
        return Derivation("bound for estimators of mean C^+ C x", steps, (_SAME_MEAN, *split.lemmas))

    formula = Formula(_theta / _q, ">=", noise, argument=argument)
    return Parts(
        (formula,), Instances("least-squares error", {"bound": f"hidden + {sp.sstr(noise)}"}, _records)
    )


@DOSSIER.disputed(
    "laplace-bound",
    "Error bound under Laplace noise (Section 5)",
    printed="Under Laplace noise of variance theta every estimator of mean C^+ C x has error at least |(I - C^+ "
    f"C) x|^2 + theta/(2 (C C')^2) ({_NO_UNBIASED}).",
    twin="The error is at least |(I - C^+ C) x|^2 + theta/(2 C C'), the first power of C C'. For the average "
    "of n entries the printed bound is n times as large in its last term, and the least-squares "
    "adversary stays below it. (This is the Cramer-Rao bound, which least squares, of error theta/(C C') "
    "beside the hidden part, does not attain.)",
    at=(_theta / (2 * _q**2), _theta / (2 * _q)),
)
def laplace_bound(noise: sp.Expr) -> Parts:
    """C^+ y has the mean in question and error |(I - C^+ C) x|^2 + theta/q, below the printed bound where q < 1/2."""
    return _bound("laplace", noise)


@DOSSIER.disputed(
    "gauss-bound",
    "Error bound under the optimal noise (Section 5)",
    printed="Under normal noise of variance theta every estimator of mean C^+ C x has error at least |(I - C^+ "
    f"C) x|^2 + theta/(C C')^2 ({_NO_UNBIASED}).",
    twin="The error is at least |(I - C^+ C) x|^2 + theta/(C C'), which least squares attains.",
    at=(_theta / _q**2, _theta / _q),
)
def gauss_bound(noise: sp.Expr) -> Parts:
    """C^+ y attains the corrected bound."""
    return _bound("normal", noise)


def _not_below(left: sp.Expr, right: sp.Expr) -> Truth:
    """left >= right, read off the factors of the difference where these show it."""
    return Truth.HOLDS if sp.factor(left - right).is_nonnegative else compare(left, ">=", right)


def _above(left: sp.Expr, right: sp.Expr) -> Truth:
    return Truth.HOLDS if sp.factor(left - right).is_positive else compare(left, ">", right)


@DOSSIER.disputed(
    "ratio-kappa",
    "Supremum of the ratio of the two bounds (Section 5)",
    checks=ARGUED,
    printed="Over the box, the supremum of (A + theta/q^2)/(A + theta/(2 q^2)), A = |(I - C^+ C) x|^2, q = C C', is 1 + kappa > 1 "
    "with kappa = 1/(1 + 2 q^2 max A/theta).",
    twin="kappa = 1/(1 + 2 q^2 min A/theta), the LEAST hidden part (kappa = 1 if the box has a multiple of C' in it); the "
    "printed value is the infimum. With the corrected bounds q^2 becomes q.",
    at=("largest", "least"),
)
def ratio_kappa(hidden: str) -> Parts:
    """The ratio falls as the hidden part grows: its supremum is where the least is hidden."""
    low, more = sp.symbols("A B", nonnegative=True)
    rest = sp.Symbol("R", nonnegative=True)

    def _falling(formula: Formula) -> Derivation:
        ratio = error_ratio(low, _q, _theta, 2)
        steps = (
            Step(-sp.diff(ratio, low), ">", sp.Integer(0), "the ratio falls with the hidden part", _above),
            Step(
                formula.right,
                ">=",
                formula.left,
                "so it is at most its value at the least hidden part",
                _not_below,
            ),
        )
        return Derivation("supremum of the ratio", steps)

    _more = argued(
        reason="numerator and denominator differ by theta/(2 q^2)",
        how=_above,
        conclusion="the ratio exceeds one",
    )
    one_more = 1 + 1 / (1 + 2 * _q**2 * (low + more + rest if hidden == "largest" else low) / _theta)
    above = Formula(error_ratio(low + more, _q, _theta, 2), "<=", one_more, argument=_falling)
    reached = Formula(error_ratio(low, _q, _theta, 2), "=", one_more)
    large = Formula(error_ratio(low + more, _q, _theta, 2), ">", sp.Integer(1), argument=_more)
    printed = {
        "supremum": f"1 + 1/(1 + 2*q**2*{hidden}/theta)",
        "ratio": "(hidden + theta/q**2)/(hidden + theta/(2*q**2))",
    }
    return Parts((above, reached, large), Instances("supremum of the error ratio", printed, _boxes))


@DOSSIER.disputed(
    "ratio-kappa-consequence",
    "How much stronger the optimal noise is than Laplace noise (Section 5)",
    checks=ARGUED,
    printed="For the same variance, the Cramer-Rao bound on the error (estimators of mean C^+ C x) is everywhere "
    "in the box at least 1 + kappa times larger under normal noise, kappa = 1/(1 + 2 (C C')^2 max "
    "A/theta).",
    twin="So it is for kappa = 1/(1 + 2 C C' max A/theta). This compares bounds: the error of the "
    "least-squares adversary, A + theta/(C C'), is the same under both noises.",
    at=(2, 1),
)
def ratio_kappa_consequence(power: int) -> Parts:
    """The printed kappa is an infimum of printed ratios; against the true bounds its power of q is wrong."""
    low, more = sp.symbols("A B", nonnegative=True)
    _everywhere = argued(
        reason="the ratio at A, and what the box's largest A + B gives",
        how=_not_below,
        conclusion="ratio of the Cramer-Rao bounds",
        lemmas=(_SAME_MEAN,),
    )
    factor = 1 + 1 / (1 + 2 * _q**power * (low + more) / _theta)
    normal, laplace = low + _theta / _q, low + _theta / (2 * _q)
    formula = Formula(normal / laplace, ">=", factor, argument=_everywhere)
    printed = {"factor": f"1 + 1/(1 + 2*q**{power}*largest/theta)"}
    return Parts((formula,), Instances("ratio of the bounds", printed, _boxes))


def _entropy(number: sp.Expr, exact: sp.Expr) -> Formula:
    """log2(number) against the entropy in bits that the density has."""

    def argument(formula: Formula) -> Derivation:
        spread = [sp.expand(sp.expand_log(e, force=True)) for e in (formula.left, formula.right)]
        step = Step(
            formula.left,
            "=",
            formula.right,
            "minus the mean of log2 of the density, integrated",
            lambda left, right: compare(sp.simplify(spread[0] - spread[1]), "=", sp.Integer(0)),
        )
        return Derivation("the differential entropy in bits", (step,))

    return Formula(sp.log(number) / sp.log(2), "=", exact, argument=argument)


_UNDER_LOGARITHM = {"Laplace": sp.E * sp.sqrt(2 * _theta), "Normal": sp.sqrt(2 * sp.pi * sp.E * _theta)}
_LARGER = "The number under the logarithm is 1 % larger."


def _entropy_is(noise: str) -> str:
    return f"{noise} noise of variance theta has the entropy log2({sp.sstr(_UNDER_LOGARITHM[noise])}) bits."


@DOSSIER.disputed(
    "entropy-laplace",
    "Entropy of the Laplace noise (Section 5)",
    printed=_entropy_is("Laplace"),
    twin=_LARGER,
    at=(sp.Integer(1), _CENT),
)
def entropy_laplace(factor: sp.Expr) -> Formula:
    """By integration of the density."""
    return _entropy(factor * _UNDER_LOGARITHM["Laplace"], laplace_entropy(_theta))


@DOSSIER.disputed(
    "entropy-gauss",
    "Entropy of the optimal noise (Section 5)",
    printed=_entropy_is("Normal"),
    twin=_LARGER,
    at=(sp.Integer(1), _CENT),
)
def entropy_gauss(factor: sp.Expr) -> Formula:
    """By integration of the density."""
    return _entropy(factor * _UNDER_LOGARITHM["Normal"], gaussian_entropy(_theta))


@DOSSIER.disputed(
    "entropy-order",
    "Order of the two entropies (Section 5)",
    printed="At the same variance the normal noise has at least the entropy of the Laplace noise (as every law "
    "of this variance: it is the most uncertain one).",
    twin="It has at least 0.105 bits more (the exact difference is log2(pi/e)/2 = 0.1044).",
    at=(sp.Integer(0), sp.Rational(105, 1000)),
)
def entropy_order(less: sp.Expr) -> Formula:
    """The difference is log2(pi/e)/2 for every theta."""
    gap = sp.log(sp.pi / sp.E) / (2 * sp.log(2))

    def argument(formula: Formula) -> Derivation:
        excess = formula.left - gaussian_entropy(_theta)
        steps = (
            Step(
                difference(formula.left, formula.right),
                "=",
                sp.expand_log(gap, force=True) + excess,
                "the difference of the two entropies",
                _same_logarithms,
            ),
            Step(gap + excess, formula.relation, sp.Integer(0), "e < pi: about 0.104 bits"),
        )
        return Derivation("the normal law has the larger entropy", steps)

    return Formula(gaussian_entropy(_theta) - less, ">=", laplace_entropy(_theta), argument=argument)


def _same_logarithms(left: sp.Expr, right: sp.Expr) -> Truth:
    expanded = sp.simplify(sp.expand(sp.expand_log(left.doit(), force=True)))
    return compare(expanded, "=", right)


def _queries(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    for weights in (["1/2", "1/2"], ["1"], ["-2", "3/2", "3/2"], random_weights(rng, 4)):
        yield {"weights": weights, "theta": f"{int(rng.integers(1, 30))}/7"}


def random_weights(rng: np.random.Generator, n: int) -> list[str]:
    """Random weights that add up to one, some of them possibly negative."""
    drawn = [int(v) for v in rng.integers(-3, 7, size=n - 1)]
    return [f"{v}/6" for v in (*drawn, 6 - sum(drawn))]


def _records(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    yield {"weights": ["1/3", "1/3", "1/3"], "theta": "4", "x": ["1", "2", "0"]}
    for n in (2, 3, 4, 5):
        for weights in ([f"1/{n}"] * n, random_weights(rng, n)):
            record = [str(int(v)) for v in rng.integers(-4, 5, size=n)]
            yield {"weights": weights, "theta": f"{int(rng.integers(1, 40))}/3", "x": record}


def _boxes(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    yield {"weights": ["1/2", "1/2"], "lower": "0", "upper": "1", "theta": "1"}
    yield {"weights": ["1/2", "1/3", "1/6"], "lower": "1", "upper": "3", "theta": "1/2"}
    for n in (2, 3, 3, 4):
        lower = int(rng.integers(-3, 3))
        yield {
            "weights": random_weights(rng, n),
            "lower": str(lower),
            "upper": str(lower + int(rng.integers(1, 4))),
            "theta": f"{int(rng.integers(1, 20))}/5",
        }
