"""Two neighbouring samples and what the perturbed large-margin objective releases: an event that only one of them produces.

As printed one noise b serves all classes, M = lambda I_Phi + (b + b')/2 and the matrices are positive semidefinite; a minimiser
exists only if M is, and M is not singular with probability one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from .....symbolic.proof.exact_numbers import ball, enclosed
from ....dossier.instances import Comparison, Instances, rule
from .exact import Problem, definite, flat_identity, form, inner, plus, problem_of, symmetric, zero
from .minimisers import TWO

BOUND = "epsilon + log(1 + 2*alpha/(n*price) + alpha**2/(n*price)**2)"
# log-densities come in floating point.
ROUNDING = 1e-6


@rule("releases of two neighbours", "epsilon", "price", "width")
def releases(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """P(E) <= e^bound P'(E) for the event E that Phi_1 is not 0 (as printed), or the log density ratio (private variant)."""
    if printed["mechanism"] == "one noise for all classes":
        names = {k: Fraction(numbers[k]) for k in ("epsilon", "alpha", "price")}
        bound = enclosed(
            printed["bound"], {**{k: str(v) for k, v in names.items()}, "n": len(numbers["data"]["labels"])}
        )
        seldom = arb(0) if _first_is_zero(problem_of(numbers, "other")) else arb(1)
        yield "P(Phi_1 is not 0)", _often(problem_of(numbers), numbers), "<=", bound.exp() * seldom
        return
    from .....mechanisms.large_margin import PrivateLargeMarginGaussian

    epsilon = float(Fraction(numbers["epsilon"]))
    model = PrivateLargeMarginGaussian(
        epsilon, range(int(numbers["data"]["classes"])), width=float(Fraction(numbers["width"]))
    )
    samples = [
        (np.array(numbers[k]["features"], dtype=float), np.array(numbers[k]["labels"]))
        for k in ("data", "other")
    ]
    rng = np.random.default_rng(int(numbers["seed"]))
    drawn = np.concatenate([model.released(*s, 20, rng) for s in samples])
    gaps = np.abs(model.log_density(drawn, *samples[0]) - model.log_density(drawn, *samples[1]))
    for gap in gaps:
        yield (
            "log ratio of the densities",
            arb(float(gap)),
            "<=",
            arb(float(Fraction(printed["share"])) * epsilon + ROUNDING),
        )


def _first_is_zero(problem: Problem) -> bool:
    """Whether Phi_1 = 0 whenever a minimiser exists and M is positive definite, as far as the two reasons below reach.

    Either every record is of class 1, so that the slope M + (a positive semidefinite matrix) is definite and Phi_1 = 0 by
    complementarity; or the gradient at 0 vanishes, so that the objective exceeds its value at 0 by <M, sum Phi_c> at least.
    """
    gradient = problem.gradient([zero(problem.sample.order)] * problem.sample.classes)
    flat = not any(any(any(row) for row in g) for g in gradient)
    return flat or all(y == 0 for y in problem.sample.labels)


def _often(problem: Problem, numbers: Mapping[str, Any]) -> arb:
    """A lower bound for P(Phi_1 is not 0): the noise within `radius` of the given one, wherever Phi_1 = 0 cannot be optimal.

    With Phi_1 = 0 records of other classes have leads <= 0, so weights of at least that of the lead 0; those of class 1 have
    leads >= 0, so weights of at most that for each wrong class.  A direction v in which the slope is negative shows the rest.
    """
    sample, radius = problem.sample, Fraction(numbers["radius"])
    v = [Fraction(x) for x in numbers["direction"]]
    centre = plus(symmetric(problem.noise[0]), flat_identity(sample.order), problem.price)
    pull, level = Fraction(0), problem.weight(Fraction(0))
    for z, y in zip(sample.rows, sample.labels, strict=True):
        square = sum((a * b for a, b in zip(v, z, strict=True)), Fraction(0)) ** 2
        pull += square * (level * (sample.classes - 1) if y == 0 else -level)
    length = sum((a * a for a in v), Fraction(0))
    if not (definite(centre, radius) and form(centre, v) + radius * length + pull < 0):
        return arb(0)
    size = sample.order**2
    rate = ball(Fraction(numbers["epsilon"]) / 2)
    farthest = ball(inner(problem.noise[0], problem.noise[0])).sqrt() + ball(radius)
    # Volume of the ball, times the least density on it: Gamma(N/2) (eps/2)^N / (2 pi^(N/2) Gamma(N)) exp(-(eps/2) |b|).
    volume = arb.pi() ** (arb(size) / 2) / (arb(size) / 2 + 1).gamma() * ball(radius) ** size
    peak = (arb(size) / 2).gamma() * rate**size / (2 * arb.pi() ** (arb(size) / 2) * arb(size).gamma())
    return volume * peak * (-rate * farthest).exp()


def _pairs(labels_move: bool) -> Iterator[dict[str, Any]]:
    """Neighbours in the label (one record), or in the features only (two records of two classes)."""
    corner = [["1/4", "0"], ["0", "1/2"]]
    common = {
        "noise": corner,
        "radius": "12/25",
        "price": "1/4",
        "width": "1/2",
        "direction": ["1", "-1"],
        "seed": 0,
    }
    if labels_move:
        # z = (-1, 1): v = (1, -1) pulls with weight 1/2 at least, (v'z)^2 = 4.
        pair = {
            "data": {"features": [["-1"]], "labels": [1], "classes": 2},
            "other": {"features": [["-1"]], "labels": [0], "classes": 2},
        }
    else:
        pair = {"data": {**TWO, "features": [["1"], ["-1"]]}, "other": {**TWO, "features": [["1"], ["1"]]}}
    for epsilon, alpha, margin in (("1", "1", "0"), ("10", "1000000", "1"), ("1/10", "1000", "0")):
        yield {**common, **pair, "epsilon": epsilon, "alpha": alpha, "margin": margin}


def event_of_a_release(mechanism: str, labels_move: bool, share: str = "1") -> Instances:
    """`mechanism` is "one noise for all classes" (printed) or "private variant" with `share` of its epsilon as the bound."""
    what = {
        "one noise for all classes": "an event that has a probability under one sample, and none under its neighbour",
        "private variant": "log density ratios of releases",
    }[mechanism]
    return Instances(
        "releases of two neighbours",
        {"mechanism": mechanism, "bound": BOUND, "share": share},
        lambda _: _pairs(labels_move),
        what,
    )
