"""Section 5: differential privacy of Laplace and normal noise on C x, x in [x_lo, x_hi]^n, S = (x_hi - x_lo) max|c_i|."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.information.fisher import location_information
from ....symbolic.laws import catalogue as laws
from ....symbolic.privacy.pair import GaussianPair, Phi, gaussian_delta
from ....symbolic.proof.as_written import difference, power, product, quotient, value_at
from ....symbolic.proof.derivation import Derivation, Step, evaluated
from ....symbolic.proof.enclosure import compare
from ...dossier import ARGUED, Formula, Instances, Parts, Statement, argued
from ...dossier.arguments.bounds_arguments import cancelled
from ...dossier.arguments.written_integrals import information
from ...record.evidence import Line, Series
from .arguments.calibration_regions import figure_2 as figure_2_grid
from .arguments.calibration_regions import white_boundary
from .arguments.calibrations import deviation_reading, laplace_epsilon
from .arguments.exact_curves import by_erf, largest_log_ratio, tails
from .arguments.normal_calibration import DELTA, K, S, eps, normal_calibration
from .dossier import DOSSIER
from .laplace_and_gaussian import random_weights

theta, mu = sp.symbols("theta mu", positive=True)
CONDITION = K / eps + 1 / sp.sqrt(2 * eps)


@DOSSIER.disputed(
    "disc-gaussian-dp",
    "Normal noise and differential privacy (Section 5)",
    checks=ARGUED,
    printed="The optimal normal noise is at odds with differential privacy: whatever its variance, it is not "
    "epsilon-differentially private for any finite epsilon (its information is finite all the same: a "
    "bound on it is the weaker demand), but (epsilon, delta)-differentially private for every epsilon > "
    "0 with some delta < 1.",
    twin="It is epsilon-differentially private: its delta vanishes at some epsilon.",
    at=(">", "="),
)
def disc_gaussian_dp(relation: str) -> Parts:
    """The exact curve of two normal laws lies strictly between 0 and 1."""
    profile = GaussianPair(mu).profile(eps)

    def argument(formula: Formula) -> Derivation:
        pair = GaussianPair(mu).steps()
        start = sp.Symbol("nu", positive=True)
        steps = (
            *pair,
            Step(
                formula.left,
                "=",
                tails(mu, eps),
                "the exact curve for centres mu deviations apart: P(y > t) - e^epsilon Q(y > t)",
                by_erf,
            ),
            Step(
                sp.Limit(GaussianPair(start).profile(eps), start, 0),
                "=",
                sp.Integer(0),
                "delta vanishes as the centres meet",
            ),
            Step(pair[-1].right, formula.relation, formula.right, "and its slope in mu is a normal density"),
        )
        return Derivation(
            "normal noise has delta > 0 at every epsilon",
            steps,
            ("Neyman-Pearson: the exact curve of two normal laws",),
        )

    def below(formula: Formula) -> Derivation:
        first = Phi(mu / 2 - eps / mu)
        steps = (
            Step(
                difference(formula.left, first),
                "=",
                -sp.exp(eps) * Phi(-mu / 2 - eps / mu),
                "the second term only takes away",
            ),
            Step(
                first + Phi(eps / mu - mu / 2),
                "=",
                formula.right,
                "Phi(t) + Phi(-t) = 1, and both are positive",
                lambda left, right: compare(sp.expand(left.rewrite(sp.erf)), "=", right),
            ),
        )
        return Derivation("normal noise has delta < 1 at every epsilon", steps)

    return Parts(
        (
            Formula(profile, relation, sp.Integer(0), argument=argument),
            Formula(profile, "<", sp.Integer(1), argument=below),
            Formula(
                location_information(laws.normal(0, mu)).scalar,
                "=",
                mu**-2,
                argument=argued(written=information(laws.normal(0, mu))),
            ),
        ),
        Instances("normal curve", {"vanishes": relation == "="}, _curves),
    )


@DOSSIER.disputed(
    "disc-mi",
    "The optimal noise minimises the mutual information, too (Section 5)",
    checks=ARGUED,
    condition="There is one answer, the data have a normal prior (mutual information needs a prior, the paper names none), and "
    "the noise does not depend on the data.",
    printed="For unconstrained noise with E|w|^2 <= theta on a linear query, the policy of Corollary 6 also minimises the mutual "
    "information between the data and the answer.",
    without="The same for several answers: the normal noise with covariance proportional to (C C')^(1/2) has the least mutual "
    "information.",
    at=(True, False),
)
def disc_mi(one_answer: bool) -> Parts:
    """One answer and a normal prior: normal noise of the full variance has the least mutual information; two answers: another split is better."""
    s, more = sp.Symbol("s", positive=True), sp.Symbol("r", nonnegative=True)
    variance = theta / (1 + more)

    def one(formula: Formula) -> Derivation:
        a = sp.Symbol("a", real=True)
        linear = (1 - a) ** 2 * s + a**2 * variance
        least = s * variance / (s + variance)
        steps = (
            Step(
                difference(linear, least),
                "=",
                product(s + variance, power(difference(a, s / (s + variance)), 2)),
                "the error of a y about C x is (1 - a)^2 s + a^2 v for every noise of variance v, and least s v/(s + v)",
                cancelled,
            ),
            Step(
                sp.simplify(s / least),
                "=",
                formula.right,
                "so exp(2 MI) is at least s over that, for noise of variance v <= theta",
            ),
            Step(
                sp.simplify(formula.right - formula.left),
                ">=",
                sp.Integer(0),
                "which is at least 1 + s/theta, its value for normal noise of variance theta",
            ),
        )
        return Derivation(
            "normal noise of variance theta has the least mutual information",
            steps,
            (
                "among laws of one variance the normal law has the largest entropy: h(Cx | y) <= h(Cx - a y) <= log(2 pi e error)/2",
                "mutual information of a normal signal of variance s in normal noise of variance theta: log(1 + s/theta)/2",
            ),
        )

    s2, other = sp.symbols("s2 q", positive=True)
    roots = sp.sqrt(s) + sp.sqrt(s2)
    optimum = (1 + sp.sqrt(s) * roots / theta) * (1 + sp.sqrt(s2) * roots / theta)
    split = (1 + s * (1 + other) / theta) * (1 + s2 * (1 + other) / (other * theta))
    formula = (
        Formula(1 + s / theta, "<=", 1 + s / variance, argument=one)
        if one_answer
        else Formula(optimum, "<=", split)
    )
    spectra = (("1",), ("4",), ("1/9",)) if one_answer else (("1", "4"), ("2", "2"))

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for signal in spectra:
            drawn = [[f"{int(v)}/10" for v in rng.integers(5, 30, size=len(signal))] for _ in range(10)]
            # Close to the best split of C = diag(1, 2) at theta = 3.
            others = [*([["11943", "18057"]] if len(signal) == 2 else []), *drawn]
            yield {"signal": list(signal), "theta": "3", "others": others}

    return Parts((formula,), Instances("mutual information", {"share": "sqrt(s)"}, draw))


DOSSIER.introduces(
    "def-dp",
    "Differential privacy (Section 5)",
    "The answer is epsilon-differentially private if P(Cx + w in B) <= e^epsilon P(Cx' + w in B) for all x, x' of the box "
    "that differ in one entry and all measurable B.",
)


@DOSSIER.disputed(
    "proposition-3",
    "Laplace noise for differential privacy (Proposition 3)",
    reading="Appendix L, whose last step needs (x_hi - x_lo) max c_i / b = epsilon",
    printed="The answer C x + w is epsilon-differentially private for Laplace noise of scale b = epsilon/[(x_hi "
    "- x_lo) max|c_i|].",
    twin="It is for b = (x_hi - x_lo) max|c_i|/epsilon. With the printed scale the exact epsilon is "
    "S^2/epsilon, more than claimed wherever epsilon < S.",
    at=(eps / S, S / eps),
)
def proposition_3(scale: sp.Expr) -> Parts:
    """The exact epsilon of Laplace noise of scale b is S/b."""

    def argument(formula: Formula) -> Derivation:
        return Derivation("epsilon-differentially private", largest_log_ratio(formula, scale))

    formula = Formula(laplace_epsilon(S, scale), "<=", eps, argument=argument)
    return Parts((formula,), Instances("laplace privacy", {"scale": sp.sstr(scale)}, _scaled))


@DOSSIER.disputed(
    "laplace-eps",
    "Differential privacy of Laplace noise of a given variance (Section 5)",
    printed=(
        "Under Q = theta Laplace noise gives [(x_hi - x_lo) sqrt(theta/2) max c_i]-differential privacy.",
        S * sp.sqrt(theta / 2),
        "D*sqrt(theta/2)*top",
    ),
    twin=(
        "It gives [(x_hi - x_lo) max|c_i| / sqrt(theta/2)]-differential privacy: more noise means a smaller "
        "epsilon.",
        S / sp.sqrt(theta / 2),
        "D*most/sqrt(theta/2)",
    ),
)
def laplace_eps(value: str, claimed: sp.Expr, text: str) -> Statement[Parts]:
    """b = sqrt(theta/2), and the exact epsilon is S/b; max c_i falls short of max|c_i| for weights such as (-2, 3/2, 3/2)."""

    scale = sp.sqrt(theta / 2)

    def argument(formula: Formula) -> Derivation:
        return Derivation("differentially private under Q = theta", largest_log_ratio(formula, scale))

    formula = Formula(laplace_epsilon(S, scale), "<=", claimed, argument=argument)
    return Statement(value, Parts((formula,), Instances("laplace privacy", {"epsilon": text}, _variances)))


DOSSIER.introduces(
    "def-eps-delta-dp",
    "Approximate differential privacy (Section 5)",
    "The answer is (epsilon, delta)-differentially private if P(Cx + w in B) <= e^epsilon P(Cx' + w in B) + delta for all x, "
    "x' of the box that differ in one entry and all measurable B.",
)


@DOSSIER.disputed(
    "proposition-4",
    "Normal noise for approximate differential privacy (Proposition 4)",
    checks=ARGUED,
    printed="With the noise of Corollary 6, of variance theta, the answer is (epsilon, delta)-differentially "
    "private if delta <= 1/2 and theta >= S (sqrt(2 ln(1/(2 delta)))/epsilon + 1/sqrt(2 epsilon)), S = "
    "(x_hi - x_lo) max|c_i|.",
    twin="It is if sqrt(theta), the standard deviation, is at least the right side (as printed it is only "
    "where theta <= sqrt(theta), theta <= 1, that the one condition gives the other).",
    at=(S * CONDITION, S**2 * CONDITION**2),
)
def proposition_4(variance: sp.Expr) -> Parts:
    """theta is the variance of Corollary 6, the right side of (16) has the dimension of a deviation."""
    return normal_calibration(variance, CONDITION)


@DOSSIER.disputed(
    "figure-2",
    "Region in which condition (16) promises privacy (Figure 2)",
    printed="With theta/S = 1 the white points, where (16) holds and delta <= 1/2, are those of (epsilon, delta) "
    "for which the noise of Corollary 6, of variance theta, is (epsilon, delta)-differentially private: "
    "white implies private, for every S.",
    twin="White implies private if sqrt(theta)/S = 1. (On the axes of the figure white is a sliver, epsilon "
    ">= 1/2 and delta above 0.478.)",
    at=(sp.sqrt(S), sp.Integer(1)),
)
def figure_2(shift: sp.Expr) -> Parts:
    """The white set is written by parameters: epsilon = (1+h)^2/2, K = h (1+h)/(2 (1+v)) with h, v >= 0."""
    h, v = sp.symbols("h v", nonnegative=True)
    white = {eps: (1 + h) ** 2 / 2, K: h * (1 + h) / (2 * (1 + v))}

    profile = GaussianPair(shift).profile(eps).subs(white)

    def argument(formula: Formula) -> Derivation:
        before = deviation_reading()
        ratio = sp.simplify(CONDITION.subs(white))
        steps = (
            *before.steps,
            Step(sp.factor(1 - ratio), ">=", sp.Integer(0), "every such point satisfies (16) with ratio 1"),
            Step(
                quotient(S, S / shift),
                "<=",
                sp.Integer(1),
                "S over the deviation of the noise, which is at least S",
            ),
            Step(formula.left, "=", tails(shift, white[eps]), "its exact delta", by_erf),
            Step(formula.right, "=", value_at(DELTA, white), "delta at the point", evaluated),
        )
        return Derivation("white points are private", steps, before.lemmas)

    return Parts((Formula(profile, "<=", DELTA.subs(white), argument=argument, series=(_figure(),)),))


def _figure() -> Series:
    """The edge of the white region, and the exact delta of the noise that each reading of the ratio gives."""
    grid = figure_2_grid(points=61)
    epsilon = np.asarray(grid.epsilon, dtype=float)
    edge = white_boundary(epsilon)
    seen = ~np.isnan(edge)

    def line(name: str, role: Any, x: Any, y: Any) -> Line:
        return Line(name, role, tuple(map(float, x)), tuple(map(float, y)))

    return Series(
        "figure 2",
        "Condition (16) at ratio 1 and the exact delta of the noise",
        "epsilon",
        "delta",
        (
            line("white above: (16) as printed, theta/S = 1", "claimed", epsilon[seen], edge[seen]),
            line("exact delta, sqrt(theta)/S = 1 (any S)", "law", epsilon, gaussian_delta(1.0, epsilon)),
            line("exact delta, theta/S = 1 with S = 9", "law", epsilon, gaussian_delta(3.0, epsilon)),
            line("delta = 1/2", "bound", epsilon[[0, -1]], (0.5, 0.5)),
        ),
        "log",
        "log",
    )


def _curves(rng: np.random.Generator) -> Iterator[dict[str, str]]:
    yield {"mu": "1", "epsilon": "10"}
    for _ in range(20):
        yield {"mu": f"{int(rng.integers(1, 60))}/10", "epsilon": f"{int(rng.integers(1, 100))}/10"}


def _scaled(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    yield {"weights": ["1"], "lower": "0", "upper": "1", "epsilon": "1/2"}
    yield {"weights": ["-2", "3/2", "3/2"], "lower": "0", "upper": "2", "epsilon": "3"}
    for n in (2, 3, 4, 5):
        yield {
            "weights": random_weights(rng, n),
            "lower": "-1",
            "upper": "2",
            "epsilon": f"{int(rng.integers(1, 60))}/10",
        }


def _variances(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    yield {"weights": ["1"], "lower": "0", "upper": "1", "theta": "1/2"}
    yield {"weights": ["-2", "3/2", "3/2"], "lower": "0", "upper": "1", "theta": "2"}
    for n in (2, 3, 4, 5):
        yield {
            "weights": random_weights(rng, n),
            "lower": "-1",
            "upper": "2",
            "theta": f"{int(rng.integers(1, 60))}/10",
        }
