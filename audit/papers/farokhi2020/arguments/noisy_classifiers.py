"""Classifiers trained on released synthetic data: how far they lie from the one of the original data, noise level by noise level."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from flint import arb

from .....symbolic.errors import SpecError
from .....symbolic.proof.exact_numbers import enclosed
from .....symbolic.proof.expressions import parse
from ....dossier.instances import Comparison, rule

# Means of floating-point results: what depends on the machine is far below this.
DIGITS = 1e-6


@rule("classifiers approach as the noise shrinks")
def _approach(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The mean of |(alpha, beta) - (alphabar, betabar)|/|(alpha, beta)| over data sets and releases, at one lambda against the next."""
    lambdas = [float(parse(text)) for text in printed["lambdas"]]
    found = [distances(seed, numbers["releases"], tuple(lambdas)) for seed in numbers["seeds"]]
    means = [arb(m, DIGITS * (1 + m)) for m in np.mean(found, axis=0).tolist()]
    for (first, second), (before, after) in zip(pairwise(lambdas), pairwise(means), strict=True):
        yield f"mean distance at lambda = {second:g} against {first:g}", after, "<", before
    if "limit" in printed:
        yield f"mean distance at lambda = {lambdas[-1]:g}", means[-1], "<", enclosed(printed["limit"])


@lru_cache(maxsize=32)
def distances(seed: int, releases: int, lambdas: tuple[float, ...]) -> tuple[float, ...]:
    """The mean relative distance of the classifiers at each lambda: data of section 3.1 with this seed, rho = 1e-2, theta = 1, Pi = I."""
    from ....studies.dataset_release.fitting import fit_classifier
    from ....studies.experiments.illustration import two_classes

    rng = np.random.default_rng(seed)
    x, y = two_classes(rng)
    true = _line(fit_classifier(x, y))
    means = []
    # The same standard normal numbers at every lambda.
    noises = [rng.standard_normal(x.shape) for _ in range(releases)]
    for lam in lambdas:
        if not lam > 0:
            raise SpecError(f"lambda is a number > 0, got {lam}")
        lines = [_line(fit_classifier(x + lam**-0.25 * noise, y)) for noise in noises]
        means.append(float(np.mean([np.linalg.norm(line - true) for line in lines]) / np.linalg.norm(true)))
    return tuple(means)


def _line(model: Any) -> Any:
    return np.append(model.alpha, model.beta)
