"""Mechanisms whose code follows their law, from noise far below to far above the lattice and from one outcome to a million.

    python -m benchmarks.calibration_trials.laws --fits 400 --audits 20

prints how often each is refuted by `fit`, and by whole audits, with exact intervals.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np

import noiseproof as npf
from noiseproof.audit.trial.checks.fit import Fit
from noiseproof.audit.trial.outcomes import canonical
from noiseproof.mechanisms.grid_noise import grid_gaussian, grid_laplace
from noiseproof.mechanisms.grid_noise.release import GridMechanism, GridRelease
from noiseproof.mechanisms.whole_noise import (
    DiscreteGaussian,
    DiscreteLaplace,
    DiscreteNoiseMechanism,
    ExponentialMechanism,
    JointChoiceMechanism,
    Levels,
)
from noiseproof.symbolic.claim import Claim

from .alarms import interval

SCALES = ("1/16", "1/12", "1/8", "1/3", "1", "7", "100")
UNITS = 12
_MEDIAN, _QUARTILES = Levels.of([Fraction(1, 2)]), Levels.of([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)])
_TABLE, _MOVED = (3, 0, 5, 4, 2, 0, 1), (3, 0, 5, 3, 3, 0, 1)


def _whole(noise: Any, size: int = 1) -> Any:
    return DiscreteNoiseMechanism(noise, [0] * size, [1] + [0] * (size - 1))


def _grid(noise: Any) -> Any:
    return GridMechanism(GridRelease((noise,), (0.0,), (1.0,)))


def _chosen(levels: Levels, epsilon: int) -> Any:
    return JointChoiceMechanism(_TABLE, _MOVED, levels, epsilon, 2 * levels.denominator)


def _candidates(count: int, epsilon: int) -> Any:
    utilities = np.arange(count) % 5
    moved = utilities.copy()
    moved[0] += 1
    return ExponentialMechanism(utilities.tolist(), moved.tolist(), epsilon)


def _any_of(count: int) -> Any:
    """Whole numbers below `count`, of which the first few are the more likely by e."""

    def release(d: int, size: int, rng: np.random.Generator) -> Any:
        honest = rng.random(size) < np.e / (1 + np.e)
        place = np.where(honest, d, 1 - d) * (count // 2)
        return place + rng.integers(0, max(1, count // 2), size)

    return npf.BlackBox(release, (0, 1))


def _rounded(scale: float) -> Any:
    """Discrete Laplace noise of a library's own, of any scale."""
    stop = -np.expm1(-1 / scale)

    def release(d: int, size: int, rng: np.random.Generator) -> Any:
        return d + rng.geometric(stop, size) - rng.geometric(stop, size)

    return npf.BlackBox(release, (0, 1))


LAWS: dict[str, Callable[[], tuple[Any, Any]]] = {
    **{
        f"whole Laplace {s}": lambda s=s: (_whole(DiscreteLaplace(s)), npf.PureDP(float(1 / Fraction(s))))
        for s in SCALES
    },  # type: ignore[misc]
    **{
        f"whole Gaussian {s}": lambda s=s: (  # type: ignore[misc]
            _whole(DiscreteGaussian(Fraction(s) ** 2)),
            npf.ZeroConcentratedDP(float(1 / (2 * Fraction(s) ** 2))),
        )
        for s in ("1/4", *SCALES[3:])
    },
    **{
        f"black box, lattice {s:g}": lambda s=s: (_rounded(s), npf.PureDP(1 / s))  # type: ignore[misc]
        for s in (0.01, 0.1, 1.0, 10.0, 100.0)
    },
    "three whole Laplace 1/8": lambda: (_whole(DiscreteLaplace("1/8"), 3), npf.PureDP(8)),
    **{
        f"grid Laplace {s}": lambda s=s: (
            _grid(grid_laplace(float(Fraction(s)), 0)),
            npf.PureDP(float(Fraction(10_001, 10_000) / Fraction(s))),
        )  # type: ignore[misc]
        for s in ("1/3", "1", "7", "100")
    },
    "grid Gaussian 1": lambda: (_grid(grid_gaussian(1.0, 0)), npf.ApproxDP(2, 0.05)),
    **{
        f"median at epsilon {e}": lambda e=e: (_chosen(_MEDIAN, e), npf.PureDP(e))  # type: ignore[misc]
        for e in (1, 8, 50, 100)
    },
    **{
        f"quartiles at epsilon {e}": lambda e=e: (_chosen(_QUARTILES, e), npf.PureDP(e))  # type: ignore[misc]
        for e in (1, 50)
    },
    **{
        f"{n} candidates at epsilon {e}": lambda n=n, e=e: (_candidates(n, e), npf.PureDP(e))  # type: ignore[misc]
        for n, e in ((2, 1), (2, 40), (300, 1), (5_000, 8))
    },
    **{
        f"response of {n}": lambda n=n: (npf.RandomisedResponse(1.0, n), npf.PureDP(1))  # type: ignore[misc]
        for n in (2, 1_000)
    },
    **{f"{n} values": lambda n=n: (_any_of(n), npf.PureDP(1)) for n in (2, 100, 10_000, 1_000_000)},  # type: ignore[misc]
    "one value": lambda: (npf.BlackBox(lambda d, size, rng: np.zeros(size), (0, 1)), npf.PureDP(1)),
    "mean": lambda: (npf.BoundedMean(-1.0, 2.0, 7, epsilon=0.5), npf.PureDP(0.5)),
    "sum": lambda: (npf.BoundedSum(-3.0, 2.0, epsilon=1.0), npf.PureDP(1)),
    "linear": lambda: (npf.LinearQuery([1.0, -3.0, 0.5], -1.0, 1.0, epsilon=1.0), npf.PureDP(1)),
    "optimal": lambda: (npf.OptimalGaussian(2.0, ([0.0, -1.0], [1.0, 1.0])), npf.GaussianDP(10)),
    "covariance": lambda: (npf.LaplaceCovariance.needed(3, 4, 1.0), npf.PureDP(1)),
}


def fit_alarms(name: str, trials: int, samples: int, alpha: float) -> int:
    """How often `fit` alone refutes this true claim, one seed each; 0 where no law is declared."""
    subject, claim = LAWS[name]()
    check = Fit.bind(Claim(claim, subject))
    if check is None:
        return 0
    found = 0
    for seed in range(trials):
        drawing, counting = (np.random.default_rng([seed, i]) for i in (0, 1))
        # In units as an audit has them, of which many may be alike.
        units = [
            [
                canonical(subject.sample(x, samples // UNITS, drawing), samples // UNITS)
                for x in check.inputs()
            ]
            for _ in range(UNITS)
        ]
        plan = check.learn(units[0])
        counts = np.sum([check.count(plan, unit, counting) for unit in units], axis=0)
        found += check.judge(plan, counts, alpha).verdict is npf.Verdict.REFUTED
    return found


def alarms(name: str, audits: int, samples: int, alpha: float) -> int:
    """How many whole audits of this true claim, one seed each, are refuted."""
    subject, claim = LAWS[name]()
    verdicts = [
        npf.examine(subject, claim, samples=samples, seed=s, alpha=alpha).verdict for s in range(audits)
    ]
    return verdicts.count(npf.Verdict.REFUTED)


def main() -> None:
    """One line for each mechanism; a lower end above alpha is a broken promise."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fits", type=int, default=400, help="trials of the check `fit` alone")
    parser.add_argument("--audits", type=int, default=20, help="whole audits")
    parser.add_argument("--alpha", type=float, default=0.05)
    parser.add_argument("--samples", type=int, default=600)
    parser.add_argument("--only", default="", help="the beginning of the names")
    chosen = parser.parse_args()
    for name in (n for n in LAWS if n.startswith(chosen.only)):
        said = []
        for of, many in ((fit_alarms, chosen.fits), (alarms, chosen.audits)):
            found = of(name, many, chosen.samples, chosen.alpha)
            low, high = interval(found, many)
            broken = " ABOVE ALPHA" if low > chosen.alpha else ""
            said.append(f"{found} of {many}, {low:.4f} to {high:.4f}{broken}")
        print(f"{name}: fit {said[0]}; audits {said[1]}", flush=True)


if __name__ == "__main__":
    main()
