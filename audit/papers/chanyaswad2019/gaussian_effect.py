"""Projections of well spread records are nearly Gaussian: the conditions, the range of p, normalisation."""

from __future__ import annotations

import sympy as sp

from ...dossier import ARGUED, Formula, Parts, Statement, parts, times
from ...dossier.arguments.gaussian_model import projected_second_moment
from ...dossier.parts import enclosures, tried
from .arguments.projected_laws import dimensions_in_range, regular_laws, shifted_laws
from .arguments.regularity_conditions import (
    SIGMA,
    averaged_variance,
    centred_data,
    centring_helps,
    every_direction,
    finite_moment,
    mean_is_zero,
    means_of_functions,
    narrower,
    normalised,
    on_the_sphere,
    projected_mean,
    spread_about_mean,
)
from .dossier import DOSSIER

LESS, MORE = sp.Rational(99, 100), sp.Rational(101, 100)
ZERO, ONE = sp.Integer(0), sp.Integer(1)
U = sp.Symbol("u", positive=True)
BOUND = sp.Symbol("L", positive=True)
NATURAL = "2*log(m)/log(log(m))"
# How near is near: for one coordinate and a bounded multiple L of the isotropic second moment; a point is never nearer than 0.78.
NEAR = "1/4"
NORMALISED = (
    "X/sigma, not X, meets condition (ii) up to a constant: sup_v E<v, X>^2 <= L sigma^2 (tried with L = 10)."
)


@DOSSIER.disputed(
    "table-1",
    "The regularity conditions (Table 1)",
    reading="condition (i), E|X|^2 = sigma^2 m, and the law sigma N(0, I) of Theorem 2",
    printed=("sigma", SIGMA),
    twin=("sigma^2", SIGMA**2),
)
def table_1(said: str, claimed: sp.Expr) -> Statement[Parts]:
    """The conditions are assumptions; what the caption adds can be tested."""
    text = (
        f"(i) E|X|^2 = sigma^2 m, (ii) sup_v E<v, X>^2 <= 1, (iii) E||X|^2/sigma^2 - m| <= c sqrt(m), where {said} is the variance of the normal "
        "law that projections are compared with. Formula: the second moment of one coordinate of W'X, averaged over W."
    )
    return Statement(text, parts(projected_second_moment(claimed, SIGMA)))


@DOSSIER.disputed(
    "theorem-2",
    "Most projections are nearly Gaussian (Theorem 2)",
    condition=NORMALISED,
    reading="the law sigma N(0, I) itself, whose covariance is sigma^2 I",
    printed="Under (i), (iii) and the condition most projections W'X, W fixed, are near sigma N(0, I) in the "
    "bounded-Lipschitz distance, p << m, and sigma is the variance of this law. Tried at p = 1, at the "
    "scale of the law: distance of W'X/sigma from N(0, 1) at most 1/4 for nine W of ten, on X = +-sigma "
    "sqrt(m) e_i and the digits data after Algorithm 1 without noise.",
    twin="Under (i), (iii) and the condition most projections W'X, W fixed, are near sigma N(0, I) in the "
    "bounded-Lipschitz distance, p << m, and sigma^2 is the variance of this law. Tried at p = 1, at the "
    "scale of the law: distance of W'X/sigma from N(0, 1) at most 1/4 for nine W of ten, on X = +-sigma "
    "sqrt(m) e_i and the digits data after Algorithm 1 without noise.",
    without="Under (i) to (iii) as printed most projections W'X, W fixed, are near sigma N(0, I) in the "
    "bounded-Lipschitz distance, p << m, and sigma^2 is the variance of this law. Tried at p = 1, at the "
    "scale of the law: distance of W'X/sigma from N(0, 1) at most 1/4 for nine W of ten, on X = +-sigma "
    "sqrt(m) e_i and the digits data after Algorithm 1 without noise. Also: X the same unit vector v for "
    "all records, and X = +-v, which has mean zero; sigma = 1/sqrt(m).",
    at=(("10*s**2", "s"), ("10*s**2", "s**2"), ("1", "s**2")),
)
def theorem_2(said: str, claimed: str) -> Parts:
    """Distances are divided by sigma; without that every law is near, since both sides shrink to the point zero."""
    return Parts(instances=regular_laws(said, NEAR, claimed))


@DOSSIER.disputed("remark-3", "The bounded-Lipschitz distance (Remark 3)", printed=ONE, twin=LESS)
def remark_3(factor: sp.Expr) -> Statement[Parts]:
    """Symmetry is plain; separation is cited; the triangle inequality is checked."""
    text = (
        "The bounded-Lipschitz distance is a distance between laws; near means that it is small. Formula: the triangle inequality "
        f"|a - c| <= {times(factor)}(|a - b| + |b - c|) for the means of one function under three laws."
    )
    return Statement(text, parts(means_of_functions(factor=factor)))


@DOSSIER.disputed(
    "dfm-range",
    "The range of p (after Meckes)",
    printed="Projections of laws that meet the conditions are nearly Gaussian for p < 2 log(m)/log(log(m)). "
    "Tried on X = +-sqrt(m) e_i (sigma = 1, |X| constant): bounded-Lipschitz distance, at most 2, below "
    "1/3 for nine W of ten. A lower bound for all W: E min(1, distance of Z to the nearest of 2m points).",
    twin="They are so for p = 1. The range is that of a limit theorem for m to infinity: at its end the "
    "distance is at least 0.36 for m = 10^2, ..., 10^100 and every W.",
    at=((NATURAL, ""), ("1 + 1/m", "36/100")),
)
def dfm_range(bound: str, said: str) -> Parts:
    """A law of 2m atoms is far from normal in p dimensions, whatever W is; the theorem is about the limit of large m."""
    return Parts(instances=dimensions_in_range(bound, "1/3", floor=said))


def _below(p: int, base: int = 0) -> Formula:
    """p < 2 log(100)/log(log(100)), natural logarithms or to a base."""
    unit = sp.log(base) if base else ONE
    log = sp.log(100) / unit
    return Formula(sp.Integer(p), "<", 2 * log / (sp.log(log) / unit))


@DOSSIER.disputed(
    "dfm-m100",
    "The range of p at m = 100",
    printed="For m = 100 the range p < 2 log(m)/log(log(m)) contains p = 13.",
    twin="It contains p = 6 (the bound is 6.03, natural logarithms). To base 10 the same formula would "
    "contain 13.",
    at=(parts(_below(13)), parts(_below(6), _below(13, 10))),
)
def dfm_m100(data: Parts) -> Parts:
    """6.03 with natural logarithms; 13.3 to base 10, where log(log(100)) = log(2) = 0.301."""
    return data


@DOSSIER.disputed(
    "dfm-intuition",
    "What the conditions mean",
    printed="Data that meet the conditions are spread around their mean, with a finite second moment. Formula: "
    "E|X - EX|^2 > 0 for X = t e_1 + sqrt(1 - t^2) V, V uniform on the sphere at a right angle to e_1, t "
    "= 1/(1 + u), which meets the conditions with sigma = 1/sqrt(m); at t = 1 all records are one vector.",
    twin="They have a finite second moment about the origin, and no more about the mean. Spread is assured by "
    "sigma = 1 only: then E<v, X>^2 = 1 in every direction v. Formulas: E|X - EX|^2 <= E|X|^2; the third "
    "of three eigenvalues with sum 3, the others at most 1.",
    at=(parts(spread_about_mean()), parts(finite_moment(), every_direction())),
)
def dfm_intuition(data: Parts) -> Parts:
    """The conditions are about the origin, not about the mean."""
    return data


@DOSSIER.disputed(
    "dfm-zero-mean",
    "Convergence and the mean",
    printed=(
        "If the projections converge to sigma N(0, I), then EX = 0. Tried on ",
        " and has projections within 5/sqrt(m) of normal. Formula: |EX|^2 = 0, t = 1/(1 + u).",
        mean_is_zero(),
        "0",
    ),
    twin=(
        "If they converge, the mean of the projections does: E|W'EX|^2 = p |EX|^2/m tends to 0, which a mean "
        "of any bounded length does. Tried on ",
        ", where |EX| = t; a shift of X by a shifts W'X by W'a.",
        projected_mean(),
        "t**2",
    ),
)
def dfm_zero_mean(words: str, value: str, formula: Formula, claimed: str) -> Statement[Parts]:
    """A mean of length 1 meets the conditions with sigma = 1; its projection has a length of about sqrt(p/m)."""
    law = "X = t e_1 +- sqrt(m - 1) e_i, i >= 2, which meets the conditions (t <= 1)"
    near = "5/sqrt(m)"
    return Statement(
        f"{words}{law}{value}",
        parts(formula, instances=shifted_laws("squared length of the mean", claimed, near)),
    )


@DOSSIER.disputed(
    "lemma-1",
    "Normalised records (Lemma 1)",
    condition="D is not zero, almost surely: a zero record has no direction.",
    printed=("m|.", ZERO),
    without=("m|. With D = 0 of probability 1/(1 + u), and X = 0 there.", 1 / (1 + U)),
)
def lemma_1(words: str, zero: sp.Expr) -> Statement[Parts]:
    """The footnote asks for a finite norm; a norm of zero is what breaks the division."""
    return Statement(
        "X = D/|D| has (a) E|X|^2 = 1, (b) sup_v E<v, X>^2 <= 1, (c) E||X|^2/sigma^2 - m| = |sigma^-2 - "
        f"{words}",
        parts(*normalised(zero)),
    )


@DOSSIER.disputed(
    "lemma-1-sigma",
    "Normalised records and Theorem 2",  # No proof: that the theorem holds is cited, its conclusion only tried.
    checks=(tried, enclosures),
    condition=NORMALISED + " For unit records: no direction has a second moment above L/m.",
    printed=("", True),
    without=(
        " For all records on the sphere, whose top second moment is anything up to 1. (Without division by sigma "
        "the distance is at most 2 sqrt(p/m) for any unit records whatsoever, and says nothing.)",
        False,
    ),
)
def lemma_1_sigma(said: str, spread: bool) -> Statement[Parts]:
    """As printed (ii) asks nothing of unit vectors: sup_v E<v, X>^2 <= E|X|^2 = 1."""
    slack, top = sp.Symbol("s", nonnegative=True), 1 / (1 + sp.Symbol("s", nonnegative=True))
    text = (
        "Records on the sphere meet the conditions with sigma = 1/sqrt(m), so that Theorem 2 applies: most W'X are near sigma N(0, I). "
        f"Formulas: (i), (iii), and (ii) for X/sigma; instances as for Theorem 2.{said}"
    )
    slack = sp.Symbol("s", nonnegative=True)
    top = BOUND / (sp.Symbol("m", integer=True, positive=True) * (1 + slack)) if spread else 1 / (1 + slack)
    return Statement(
        text, parts(*on_the_sphere(top, BOUND), instances=regular_laws("10*s**2" if spread else "1", NEAR))
    )


@DOSSIER.disputed(
    "lemma-1-variance",
    "sigma and the spread of the projections",
    condition="EX = 0, and the variance is averaged over uniform W. sigma is not chosen: |X| = 1 and (i) force "
    "1/sqrt(m).",
    printed=("zero.", ZERO),
    without=("zero. With a mean of squared length sigma^2 m/(1 + u).", 1 / (1 + U)),
)
def lemma_1_variance(words: str, mean: sp.Expr) -> Statement[Parts]:
    """On average over W; for one W the variance is w'Cov w."""
    return Statement(
        "sigma says what the variance of the projected data is, sigma^2, and the smaller it is, the narrower "
        "the bell. Formulas: the variance of <w, X>, averaged over w, for E|X|^2 = sigma^2 m; the density of "
        f"sigma Z at {words}",
        parts(averaged_variance(mean), narrower()),
    )


@DOSSIER.disputed(
    "sphere",
    "Centring before normalisation",
    checks=ARGUED,
    condition="The top second moment after centring and normalising is at most |mean|^2 of the records normalised without centring; so "
    "it is on the iris, wine, breast cancer and digits data.",
    printed=("", True),
    without=(
        " For all data: two records that centring makes opposite, and the diabetes data, which come centred.",
        False,
    ),
)
def sphere(said: str, spread: bool) -> Statement[Parts]:
    """Without centring the direction of the mean has at least the second moment |mean|^2; centring can still do worse."""
    share = 1 / (1 + U)
    text = (
        "Normalised records lie on the sphere, and centring before helps to keep them spread: their top second moment, 1/m at best and 1 at "
        f"worst, is no larger than without centring. Formula: |mean|^2 and a variance against what it is with centring.{said}"
    )
    top = (share if spread else 1) / (1 + sp.Symbol("s", nonnegative=True))
    return Statement(
        text, parts(centring_helps(top, share), instances=centred_data("share" if spread else "1"))
    )
