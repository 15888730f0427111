"""Small seeded versions of the experiments of Farokhi (2020), on drawn points and on the set that comes with scikit-learn.

Trained machines are floating-point numbers with a certificate; what is compared are differences far above their error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from flint import arb

from .....mechanisms.dataset_noise import NullSpaceNoise
from .....mechanisms.dataset_noise.laplace import LaplaceNoise
from .....mechanisms.gaussian import OptimalGaussian
from .....mechanisms.learning.svm import SvmProgram, SvmSolution
from .....mechanisms.learning.svm_limit import svm_limit
from .....symbolic.arrays import Floats
from .....symbolic.proof.exact_numbers import enclosed
from .....symbolic.proof.expressions import parse
from ....dossier.instances import Comparison, rule


@rule("regularised machine is close")
def close(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Program (2) at the printed rho gives every record the label of the limit rho -> 0, and a vector within the printed share."""
    x, y = _data("two classes", numbers["seed"])
    limit, near = svm_limit(x, y), _trained("two classes", numbers["seed"], printed["rho"])
    aim = np.append(limit.alpha, limit.beta)
    share = np.linalg.norm(np.append(near.alpha, near.beta) - aim) / np.linalg.norm(aim)
    changed = np.count_nonzero((near.decision(x) > 0) != (x @ limit.alpha + limit.beta > 0))
    yield "records with another label", arb(int(changed)), "<=", arb(0)
    yield "relative distance of (alpha, beta)", _ball(share), "<=", enclosed(printed["share"])


@rule("release leaves the classifier")
def unchanged(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Trained again on data with null-space noise, of which a printed share of free noise goes towards the classifier."""
    data, seed = numbers["data"], numbers["seed"]
    x, y = _data(data, seed)
    found = _trained(data, seed, "1/100")
    noise = NullSpaceNoise.of(found, _number(printed["m"]))
    rng = np.random.default_rng([numbers["release"], 1])
    w = noise.draw(rng)
    towards = rng.standard_normal(len(x)) * np.sqrt(noise.m) * _number(printed["towards"])
    w += np.outer(towards, noise.direction)
    again = SvmProgram(0.01, 1.0).solve(x + w, y)
    moved = np.linalg.norm(
        np.concatenate([again.alpha - found.alpha, [again.beta - found.beta], again.xi - found.xi])
    )
    size = float(np.abs(w).max())
    limit = enclosed(printed["tolerance"])
    yield "deviation of (alpha, beta, xi)", _ball(moved), "<=", limit
    yield (
        "largest noise towards the classifier, over the largest",
        _ball(np.abs(w @ noise.direction).max() / size),
        "<=",
        limit,
    )
    yield "largest noise", _ball(size), ">=", arb(1)


@rule("least error of null-space noise")
def least_error(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """min_i of the least error of unbiased adversaries, with the printed power of the norm, is the printed value up to rounding.

    With power 2 it is m (1 - c_i^2)(p - 1), at most m (p - 1) on every set of p features; with power 1 it is at most the root of
    that (Jensen), since the raw release is unbiased.
    """
    found = _trained(numbers["data"], numbers["seed"], "1/100")
    m, power = _number(printed["m"]), int(printed["power"])
    at = {"m": parse(printed["m"])}
    value, rounding = (enclosed(printed[key], at) for key in ("value", "rounding"))
    most = _ball((m * (len(found.alpha) - 1)) ** (power / 2))
    yield "the most that any set of so many features allows", most, ">=", value
    least = _ball(np.float64(NullSpaceNoise.of(found, m).errors().min()) ** (power / 2))
    twice = _ball(np.float64(NullSpaceNoise.of(found, 2 * m).errors().min()) ** (power / 2))
    yield f"least E|x_i - xhat_i|^{power}", least, ">=", value
    yield "distance from the printed value", abs(least - value), "<=", rounding
    yield "the same for 2 m", twice, ">", least


@rule("success of released records")
def success(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Records judged rightly over all repeats, standardised breast cancer data; all noises are made of the same numbers.

    At the `last` lambda, where all noises are faint, only the distance from the original data is asked for: a hundredth.
    """
    scores = _scores(numbers["lam"], printed["equal"], numbers["repeats"], numbers["seed"])
    normal, laplace = (arb(n) for n in scores)
    if not numbers.get("last"):
        yield (
            "records judged rightly after normal noise, over those after Laplace noise",
            normal,
            ">",
            laplace,
        )
    if "before" in numbers:
        before = _scores(numbers["before"], printed["equal"], numbers["repeats"], numbers["seed"])[0]
        yield "after normal noise, at this lambda and at the one before", normal, ">", arb(before)
    if numbers.get("last"):
        x, y = _data("breast cancer, standardised", 0)
        original = _trained("breast cancer, standardised", 0, "1/100").decision(x)
        aim = int(np.count_nonzero(y * original > 0)) * numbers["repeats"]
        yield (
            "distance from the original data",
            abs(aim - normal),
            "<=",
            arb(len(y) * numbers["repeats"]) / 100,
        )


@lru_cache(maxsize=64)
def _scores(lam: str, equal: str, repeats: int, seed: int) -> tuple[int, int]:
    """Records judged rightly over all repeats, after normal and after Laplace noise."""
    from scipy import special

    from ....studies.dataset_release.equal_terms import laplace_of_normal

    x, y = _data("breast cancer, standardised", 0)
    normal = OptimalGaussian(_number(lam), (np.zeros(x.shape[1]), np.ptp(x, axis=0)))
    scales = LaplaceNoise.matching(normal, equal).scales  # type: ignore[arg-type]
    deviations = np.sqrt(np.diag(normal.covariance()))
    totals = [0, 0]
    for repeat in range(repeats):
        g = special.ndtri(np.random.default_rng([seed, repeat]).uniform(size=x.shape))
        for k, noise in enumerate((deviations * g, scales * laplace_of_normal(g))):
            found = SvmProgram(0.01, 1.0).solve(x + noise, y)
            totals[k] += int(np.count_nonzero(y * found.decision(x) > 0))
    return totals[0], totals[1]


@lru_cache(maxsize=64)
def _trained(data: str, seed: int, rho: str) -> SvmSolution:
    x, y = _data(data, seed)
    return SvmProgram(_number(rho), 1.0).solve(x, y)


@lru_cache(maxsize=64)
def _data(data: str, seed: int) -> tuple[Floats, Floats]:
    """Records (q, p) and labels (q,): fifty points around (0, 0) and as many around (0, 5), or breast cancer, benign +1."""
    if data == "two classes":
        from ....studies.experiments.illustration import two_classes

        return two_classes(np.random.default_rng(seed))
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer()
    x = np.asarray(bunch.data, dtype=float)
    if data == "breast cancer, standardised":
        x = (x - x.mean(axis=0)) / x.std(axis=0)
    return x, np.where(bunch.target == 1, 1.0, -1.0)


def _number(text: str) -> float:
    return float(parse(text))


def _ball(value: float | np.floating[Any]) -> arb:
    return arb(float(value))
