"""Laws that meet the regularity conditions, their projections to a line, and how far these are from normal: rigorous bounds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from .....symbolic.proof.enclosure import enclose
from .....symbolic.proof.expressions import parse
from ....dossier.instances import Comparison, Instances, rule
from ....record.evidence import Line, Series

# The largest value of a distance: functions are at most 1 in absolute value.
FARTHEST = arb(2)
# Shares of the projections W that must be near, as in "most".
MOST = 0.9
# Laws on the unit sphere that are not spread at all: the second has mean zero.
POINTS = ("one vector", "plus or minus one vector")
# Sums of records' moments in floating point are right to this many digits, with room to spare.
ROUNDING = arb(0, 1e-9)


@rule("projections of regular laws are near normal", "m", "sigma")
def near_normal(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """p = 1. A law that misses a condition as `printed` is no instance; distances are divided by sigma.

    Conditions: E|X|^2 = sigma^2 m, top second moment at most `top` (an expression in s = sigma, m), |X| constant.
    """
    m, sigma = int(numbers["m"]), parse(numbers["sigma"])
    names = {"s": sigma, "m": sp.Integer(m)}
    total, top = _moments(numbers["law"], m, sigma)
    if not total.overlaps(enclose(sigma**2 * m)) or top > enclose(parse(printed["top"], names)):
        return
    if "variance" in printed:
        yield "variance of sigma Z", enclose(parse(printed["variance"], names)), "=", total / m
    distances = sorted(
        (_distance(numbers["law"], m, seed) for seed in numbers["seeds"]), key=lambda d: float(d.mid())
    )
    middle = distances[int(np.ceil(MOST * len(distances))) - 1]
    near = enclose(parse(printed["near"], names))
    # Where a lower bound is enough, it is shown.
    shown = arb(middle.lower()) if middle > near else middle
    yield f"distance/sigma of {numbers['law']}, m = {m}, for most of {len(distances)} W", shown, "<=", near


@rule("the mean of a law with nearly normal projections", "m")
def mean_of_law(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """X = t e_1 +- sqrt(m - 1) e_i, i = 2..m, each with equal probability; conditions hold with sigma^2 = (m - 1 + t^2)/m."""
    m, mean = int(numbers["m"]), parse(numbers["mean"])
    names = {"m": sp.Integer(m), "t": mean}
    sigma = sp.sqrt((m - 1 + mean**2) / sp.Integer(m))
    yield "top second moment", enclose(sp.Max(mean**2, 1)), "<=", arb(1)
    for seed in numbers["seeds"]:
        w = _direction(m, seed)
        atoms = [
            (enclose(mean) * w[0] + sign * arb(m - 1).sqrt() * x) / enclose(sigma)
            for x in w[1:]
            for sign in (1, -1)
        ]
        yield (
            f"distance/sigma for m = {m}",
            _between(arb(0), _earth_mover(atoms)),
            "<=",
            enclose(parse(printed["near"], names)),
        )
    yield f"{printed['what']}, m = {m}", enclose(mean**2), "=", enclose(parse(printed["squared mean"], names))


@rule("normal projections within the range of p", "m", "p")
def within_range(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """X = +-sqrt(m) e_i, i = 1..m: all conditions hold with sigma = 1 and |X| constant.  Whatever W is, W'X has 2m atoms."""
    m, p = sp.Integer(numbers["m"]), int(numbers["p"])
    near = enclose(parse(printed["near"], {"m": m}))
    if not arb(p) < enclose(parse(printed["bound"], {"m": m})):
        if "floor" in printed:
            floor = enclose(parse(printed["floor"]))
            yield f"least distance for m = {m}, p = {p}", few_atoms(2 * int(m), p), ">=", floor
        return
    if p == 1:
        found = sorted(
            (_distance("cross-polytope", int(m), s) for s in numbers["seeds"]), key=lambda d: float(d.upper())
        )
        distance = found[int(np.ceil(MOST * len(found))) - 1]
    else:
        least = few_atoms(2 * int(m), p)
        # What is not known to be far is not known to be near either.
        distance = least if least > near else _between(least, FARTHEST)
    yield f"distance for m = {m}, p = {p}", distance, "<=", near


@lru_cache(maxsize=256)
def few_atoms(atoms: int, p: int, steps: int = 400) -> arb:
    """A lower bound of the distance of any law on `atoms` points of R^p from N(0, I); see `benchmarks/gaussian_effect`.

    The lower Riemann sum of 1 - atoms P(|Z| <= r) over [0, 1], cut at zero.
    """
    total = arb(0)
    for k in range(1, steps + 1):
        inside = (arb(k * k) / (2 * steps * steps)).gamma_lower(arb(p) / 2, regularized=1)
        total += (1 - atoms * inside).max(arb(0))
    return total / steps


def _moments(law: str, m: int, sigma: sp.Expr) -> tuple[arb, arb]:
    """E|X|^2 and the largest second moment in a direction."""
    if law in POINTS:
        return arb(1), arb(1)
    if law == "cross-polytope":
        return enclose(sigma**2 * m), enclose(sigma**2)
    rows = _prepared(law)
    if rows.shape[1] != m:
        raise ValueError(f"{law} has {rows.shape[1]} attributes, got m = {m}")
    top = np.linalg.eigvalsh(rows.T @ rows / len(rows))[-1]
    return arb(float(np.mean(np.sum(rows**2, axis=1)))) + ROUNDING, arb(float(top)) + ROUNDING


@lru_cache(maxsize=8)
def _prepared(name: str) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """A bundled data set after Algorithm 1 without noise: normalised, centred, normalised again."""
    import sklearn.datasets

    from .....mechanisms.ron_gauss.normalisation import centred, on_sphere

    first = on_sphere(getattr(sklearn.datasets, f"load_{name}")().data)
    return on_sphere(centred(first, first.mean(axis=0)))


def _direction(m: int, seed: int) -> list[arb]:
    """A uniform unit vector from normal draws, normalised in balls."""
    drawn = [arb(float(x)) for x in np.random.default_rng(seed).standard_normal(m)]
    length = sum((x * x for x in drawn), arb(0)).sqrt()
    return [x / length for x in drawn]


@lru_cache(maxsize=1024)
def _distance(law: str, m: int, seed: int) -> arb:
    """A ball around the distance of <w, X>/sigma from N(0, 1), with w from the seed."""
    w = _direction(m, seed)
    if law in POINTS:
        a = arb(m).sqrt() * w[0]
        return _from_point(a) if law == "one vector" else _between(_from_two(a), _earth_mover([a, -a]))
    if law == "cross-polytope":
        return _between(arb(0), _earth_mover([sign * arb(m).sqrt() * x for x in w for sign in (1, -1)]))
    views = _prepared(law) @ np.array([float(x.mid()) for x in w]) * np.sqrt(m)
    return _between(arb(0), _earth_mover([arb(float(v)) for v in views]) + ROUNDING)


def _from_point(a: arb) -> arb:
    """The exact distance of the point a from N(0, 1): E min(|Z - a|, 2), of the only coupling there is."""
    return _area(a) + _area(-a) - _area(-a - 2) - _area(a - 2)


def _from_two(a: arb) -> arb:
    """A lower bound of the distance of a and -a, equally likely, from N(0, 1): E f(Z), f = 1 less a tent of height 1 on each.

    Where the tents overlap f is below min(1, distance to the nearer), which is a function of the class.
    """
    return 1 - 2 * (_area(1 - a) - 2 * _area(-a) + _area(-1 - a))


def _area(x: arb) -> arb:
    """E (Z + x)+ = x Phi(x) + phi(x), the integral of Phi up to x."""
    return x * _phi(x) + (-x * x / 2).exp() / (2 * arb.pi()).sqrt()


def _phi(x: arb) -> arb:
    return (1 + (x / arb(2).sqrt()).erf()) / 2


def _earth_mover(atoms: Sequence[arb]) -> arb:
    """The integral of |F - Phi| for equally likely atoms, F their distribution function: no smaller than the distance."""
    from scipy.special import ndtri

    n = len(atoms)
    points = sorted(atoms, key=lambda a: float(a.mid()))
    at = [a.mid() for a in points]
    areas = [_area(a) for a in at]
    total = areas[0] + _area(-at[-1]) + sum((a.rad() for a in points), arb(0)) / n
    for k, crossing in enumerate(ndtri(np.arange(1, n) / n)):
        low, high, level = at[k], at[k + 1], arb(k + 1) / n
        middle = min(max(arb(float(crossing)), low), high, key=float) if low < high else low
        area = _area(middle)
        total += level * (middle - low) - (area - areas[k]) + (areas[k + 1] - area) - level * (high - middle)
        # Where Phi meets the level a little beside `middle`, what is missed is below twice this product.
        left, right = _phi(low) >= level, _phi(high) <= level
        if not (left and middle == low) and not (right and middle == high):
            total += arb(0, float((2 * (high - low) * abs(level - _phi(middle))).upper()) + 1e-300)
    return total


def _between(low: arb, high: arb) -> arb:
    return low.union(high)


def regular_laws(top: str, near: str, variance: str = "") -> Instances:
    """Cross-polytopes of several sizes and scales, bundled data after Algorithm 1, and laws of one or two points."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        def seeds(number: int) -> list[int]:
            return [int(s) for s in rng.integers(0, 2**31, number)]

        for m, sigma in ((64, "1"), (256, "1/2"), (400, "1/20")):
            yield {"law": "cross-polytope", "m": m, "sigma": sigma, "seeds": seeds(10)}
        for m in (100, 400, 10_000):
            for law in POINTS:
                yield {"law": law, "m": m, "sigma": f"1/{int(np.sqrt(m))}", "seeds": seeds(10)}
        yield {"law": "digits", "m": 64, "sigma": "1/8", "seeds": seeds(10)}

    printed = {"top": top, "near": near} | ({"variance": variance} if variance else {})
    what = f"projections of laws with top second moment <= {top}, s = sigma: distance from sigma N(0, 1) over sigma <= {near}"
    return Instances("projections of regular laws are near normal", printed, draw, what)


def shifted_laws(what: str, squared_mean: str, near: str) -> Instances:
    """Laws with a mean of length t <= 1 whose projections approach N(0, 1) as m grows."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for m, mean in ((64, "1"), (256, "1"), (1024, "1/2")):
            yield {"m": m, "mean": mean, "seeds": [int(s) for s in rng.integers(0, 2**31, 2)]}

    printed = {"what": what, "squared mean": squared_mean, "near": near}
    return Instances(
        "the mean of a law with nearly normal projections", printed, draw, f"{what} = {squared_mean}"
    )


def dimensions_in_range(bound: str, near: str, floor: str = "") -> Instances:
    """p = 1, and the largest p < 2 log(m)/log(log(m)), for sizes up to 10^100; beyond `bound` the distance is at least `floor`."""
    sizes = tuple(10**k for k in (2, 3, 4, 6, 9, 12, 20, 50, 100))

    def largest(m: int) -> int:
        return int(np.ceil(float(2 * arb(m).log() / arb(m).log().log()))) - 1

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for m in (64, 256, 400):
            yield {"m": m, "p": 1, "seeds": [int(s) for s in rng.integers(0, 2**31, 10)]}
        for m in sizes:
            yield {"m": str(m), "p": largest(m), "seeds": []}

    line = Line(
        "no projection is closer",
        "bound",
        tuple(np.log10(float(m)) for m in sizes),
        tuple(float(few_atoms(2 * m, largest(m)).lower()) for m in sizes),
    )
    figure = Series(
        "distance at the end of the range",
        "X = +-sqrt(m) e_i, p just below the bound",
        "log10(m)",
        "distance from N(0, I)",
        (line,),
    )
    what = f"projections to p < {bound} dimensions are within {near} of N(0, I), distances up to 2"
    printed = {"bound": bound, "near": near} | ({"floor": floor} if floor else {})
    return Instances("normal projections within the range of p", printed, draw, what, (figure,))
