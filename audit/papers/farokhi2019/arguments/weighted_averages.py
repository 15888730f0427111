"""What is printed about one noisy linear answer C x + w, C of shape (1, n), on one query, box and noise.

Names that printed formulas may use: D = upper - lower, most = max|c_i|, top = max c_i, S = D most, q = C C', hidden =
|(I - C^+ C) x|^2, theta the variance of the noise, b the scale of Laplace noise.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import sympy as sp
from flint import arb

from .....symbolic.information.fisher import location_information
from .....symbolic.laws import catalogue as laws
from .....symbolic.proof.enclosure import enclose
from .....symbolic.proof.exact_numbers import enclosed
from .....symbolic.proof.expressions import parse
from ....dossier.instances import Comparison, rule
from .calibration_regions import exact_delta
from .calibrations import AverageOnBox


@rule("information matrix", "theta")
def information_matrix(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """The information about x is the printed matrix, C C' (1 x 1) or C' C (n x n), times the printed scale.

    The other side: C' times the information of the noise, 1/b^2 or 1/theta by integration of its density, times C.
    """
    weights, theta = [sp.Rational(c) for c in numbers["weights"]], sp.Rational(numbers["theta"])
    outer = [[a * b for b in weights] for a in weights]
    shown = outer if printed["outer"] == "C'C" else [[sp.Add(*(c * c for c in weights))]]
    yield "rows of the matrix", arb(len(shown)), "=", arb(len(weights))
    scale = enclosed(printed["scale"], {"theta": theta, "b": sp.sqrt(theta / 2)})
    for i, j in itertools.product(range(min(len(weights), len(shown))), repeat=2):
        exact = enclose(outer[i][j] * _information(printed["noise"], theta))
        yield f"entry ({i + 1}, {j + 1})", enclose(shown[i][j]) * scale, "=", exact


@rule("least-squares error", "theta")
def least_squares_error(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """The exact error of C^+ y, whose mean is C^+ C x, is not below the printed bound for all estimators of this mean."""
    query, x = _query(numbers), [sp.Rational(v) for v in numbers["x"]]
    theta = sp.Rational(numbers["theta"])
    pseudo = [c / query.gram for c in query.weights]
    answer = sp.Add(*(c * v for c, v in zip(query.weights, x, strict=True)))
    bias = sp.Add(*((p * answer - v) ** 2 for p, v in zip(pseudo, x, strict=True)))
    error = bias + theta * sp.Add(*(p**2 for p in pseudo))
    named = {"hidden": query.hidden(x), "q": query.gram, "theta": theta}
    yield "error of least squares", enclose(error), ">=", enclosed(printed["bound"], named)


@rule("supremum of the error ratio", "theta")
def supremum_of_ratio(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """The ratio of the two bounds is at most the printed supremum at every point of the box, and equal to it at one."""
    query, theta = _query(numbers), sp.Rational(numbers["theta"])
    (largest, at_largest), (least, at_least) = query.most_hidden(), query.least_hidden()
    named = {"q": query.gram, "theta": theta, "largest": largest, "least": least}
    supremum = enclosed(printed["supremum"], named)
    middle = tuple((a + b) / 2 for a, b in zip(at_least, at_largest, strict=True))
    found = [
        enclosed(printed["ratio"], {**named, "hidden": query.hidden(x)})
        for x in (at_least, at_largest, middle)
    ]
    for value in found:
        yield "ratio at a point of the box", value, "<=", supremum
    yield "largest of these", max(found, key=lambda v: float(v.mid())), "=", supremum


@rule("ratio of the bounds", "theta")
def ratio_of_bounds(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """At every point of the box the bound under normal noise is at least the printed factor times that under Laplace noise."""
    query, theta = _query(numbers), sp.Rational(numbers["theta"])
    largest, corner = query.most_hidden()
    factor = enclosed(printed["factor"], {"q": query.gram, "theta": theta, "largest": largest})
    for x in (corner, query.least_hidden()[1]):
        hidden = query.hidden(x)
        normal, laplace = (
            enclose(hidden + 1 / (query.gram * _information(noise, theta))) for noise in ("normal", "laplace")
        )
        yield "bound under normal noise", normal, ">=", factor * laplace


@rule("laplace privacy", "epsilon", "theta")
def laplace_privacy(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """For records that differ in one entry the largest log ratio of the densities, |C(x - x')|/b, is at most epsilon.

    Printed: the scale b for a given epsilon, or the epsilon that a variance theta = 2 b^2 gives.
    """
    query = _query(numbers)
    named = _named(query, numbers)
    if "scale" in printed:
        epsilon = sp.Rational(numbers["epsilon"])
        scale, claimed = parse(printed["scale"], {**named, "epsilon": epsilon}), enclose(epsilon)
    else:
        theta = sp.Rational(numbers["theta"])
        scale, claimed = sp.sqrt(theta / 2), enclosed(printed["epsilon"], {**named, "theta": theta})
    for i, c in enumerate(query.weights):
        shift = sp.Abs(c) * (query.upper - query.lower)
        yield f"log ratio when entry {i + 1} changes", enclose(shift / scale), "<=", claimed


@rule("chain of ratios", "b")
def chain_of_ratios(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """log of the density ratio <= |C(x - x')|/b <= printed middle, for x, x' that differ in one entry."""
    query, b = _query(numbers), sp.Rational(numbers["b"])
    middle = enclosed(printed["middle"], {**_named(query, numbers), "b": b})
    answer = sp.Rational(numbers["y"])
    base = [query.lower for _ in query.weights]
    for i, c in enumerate(query.weights):
        moved = [query.upper if j == i else v for j, v in enumerate(base)]
        first, second = (
            sp.Add(*(w * v for w, v in zip(query.weights, x, strict=True))) for x in (base, moved)
        )
        shift = enclose(sp.Abs(c) * (query.upper - query.lower) / b)
        loss = enclose((sp.Abs(answer - second) - sp.Abs(answer - first)) / b)
        yield f"log ratio at y, entry {i + 1} changed", abs(loss), "<=", shift
        yield f"|C(x - x')|/b, entry {i + 1} changed", shift, "<=", middle


@rule("normal privacy", "S", "epsilon")
def normal_privacy(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """Normal noise of the printed least variance, in S, epsilon and K, has exact delta at most delta = exp(-K^2/2)/2."""
    named = {name: sp.Rational(numbers[name]) for name in ("S", "epsilon", "K")}
    variance = enclosed(printed["variance"], named)
    delta = enclose(sp.exp(-(named["K"] ** 2) / 2) / 2)
    epsilon, shift = enclose(named["epsilon"]), enclose(named["S"])
    yield "exact delta", exact_delta(epsilon, shift / variance.sqrt()), "<=", delta


@rule("normal curve", "mu")
def normal_curve(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """The exact delta of normal noise, centres mu deviations apart, against zero as printed, and below one."""
    delta = exact_delta(enclose(sp.Rational(numbers["epsilon"])), enclose(sp.Rational(numbers["mu"])))
    yield "exact delta", delta, "=" if printed["vanishes"] else ">", arb(0)
    yield "exact delta", delta, "<", arb(1)


@rule("mutual information", "theta")
def mutual_information(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """Normal noise with the printed variances has no more mutual information than other normal noise of the same total.

    x is normal with covariance I, the eigenvalues s_i of C C' are `signal`, theta is the total variance; the noise has
    variance theta share_i / sum share_j along eigenvector i, the printed share being a function of s.
    """
    signal, theta = [sp.Rational(s) for s in numbers["signal"]], sp.Rational(numbers["theta"])

    def information(shares: list[sp.Expr]) -> arb:
        total = sp.Add(*shares)
        return sum(
            (
                (1 + enclose(s * total / (theta * share))).log() / 2
                for s, share in zip(signal, shares, strict=True)
            ),
            arb(0),
        )

    ours = information([parse(printed["share"], {"s": s}) for s in signal])
    for others in numbers["others"]:
        yield (
            f"information against shares {others}",
            ours,
            "<=",
            information([sp.Rational(v) for v in others]),
        )


def _query(numbers: Mapping[str, Any]) -> AverageOnBox:
    lower, upper = (sp.Rational(numbers.get(k, d)) for k, d in (("lower", "0"), ("upper", "1")))
    return AverageOnBox.of([sp.Rational(c) for c in numbers["weights"]], lower, upper)


def _named(query: AverageOnBox, _: Mapping[str, Any]) -> dict[str, sp.Expr]:
    return {
        "D": query.upper - query.lower,
        "most": sp.Max(*map(sp.Abs, query.weights)),
        "top": sp.Max(*query.weights),
        "S": query.sensitivity,
    }


_SCALE = sp.Symbol("b", positive=True)


def _information(noise: str, theta: sp.Expr) -> sp.Expr:
    """The information of noise with variance theta about its centre."""
    return _of_scale(noise).subs(_SCALE, sp.sqrt(theta / 2) if noise == "laplace" else sp.sqrt(theta))


@cache
def _of_scale(noise: str) -> sp.Expr:
    return location_information((laws.laplace if noise == "laplace" else laws.normal)(0, _SCALE)).scalar
