"""Utility against lambda for several noises on equal terms: means, standard errors, and paired differences.

The released records are x + n with n of variance 1/sqrt(lambda) per entry (Theorem 2.4 with Pi = I) or Laplace on equal
terms; the model is trained on them and judged on the ORIGINAL records.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from ....symbolic.arrays import Floats
from ...record.evidence import Line, Series
from ..dataset_release.equal_terms import (
    NAMES,
    LaplaceTerms,
    Terms,
    laplace_of_normal,
    laplace_on,
    noise_variance,
)
from ..dataset_release.fitting import distance, fit_classifier, fit_ridge, ridge_loss, success
from .result import Fact, ResultTable

Role = Literal["claimed", "measured", "bound", "attack", "law"]
GAUSSIAN, DISTANCE = "gaussian", "distance"
UNRESOLVED = "not resolved"
_FEW = 10


@dataclass(frozen=True, eq=False)
class Sweep:
    """One repeat at one lambda: the released records are judged for every noise, all made of the same normal numbers.

    `x` (q, p), `y` (q,); `widths` (p,) of the domain, for equal epsilon.  "distance" is how far the model moves under
    normal noise: in (alpha, beta, xi) or in phi.
    """

    model: Literal["classifier", "regression"]
    x: Floats
    y: Floats
    lambdas: tuple[float, ...]
    terms: tuple[Terms, ...]
    widths: Floats
    delta: float = 1e-6
    theta: float = 1.0
    rho: float = 1e-2
    sigma: float = 1e-5

    def __call__(self, point: int, rng: np.random.Generator) -> Mapping[str, float]:
        g = rng.normal(size=self.x.shape)
        score, away = self.judged(self.x + np.sqrt(noise_variance(self.lambdas[point])) * g)
        found = {GAUSSIAN: score, DISTANCE: away}
        shape = laplace_of_normal(g)
        for terms in self.terms:
            found[terms] = self.judged(self.x + self.laplace[terms, point].scale * shape)[0]
        return found

    @cached_property
    def laplace(self) -> dict[tuple[Terms, int], LaplaceTerms]:
        """The Laplace noise on equal terms at each lambda."""
        return {
            (terms, k): laplace_on(terms, lam, self.widths, self.delta)
            for terms in self.terms
            for k, lam in enumerate(self.lambdas)
        }

    @cached_property
    def original(self) -> Any:
        """The model trained on the original records."""
        return self._trained(self.x)

    def judged(self, released: Floats) -> tuple[float, float]:
        """Success rate or loss on the original records of the model trained on the released ones, and how far it moved."""
        found = self._trained(released)
        if self.model == "regression":
            away = float(np.linalg.norm(found.phi - self.original.phi))
            return ridge_loss(found.phi, self.x, self.y, sigma=self.sigma), away
        return success(found, self.x, self.y), distance(found, self.original)

    def _trained(self, records: Floats) -> Any:
        if self.model == "regression":
            return fit_ridge(records, self.y, sigma=self.sigma)
        return fit_classifier(records, self.y, theta=self.theta, rho=self.rho)

    @property
    def better(self) -> int:
        """1 if larger is better (success rate), -1 if smaller is (loss)."""
        return 1 if self.model == "classifier" else -1


def mean_and_error(values: Floats) -> tuple[Floats, Floats]:
    """Means (points,) over repeats (points, n) and their standard errors; missing repeats are left out."""
    count = np.sum(np.isfinite(values), axis=1)
    spread = np.nanstd(values, axis=1, ddof=1) / np.sqrt(count)
    return np.asarray(np.nanmean(values, axis=1)), np.asarray(spread)


def paired(
    gains: Floats, words: tuple[str, str], level: float = 0.05
) -> tuple[Floats, Floats, NDArray[np.str_]]:
    """Mean, standard error and word (points,) of differences `gains` (points, repeats): first, second, or not resolved.

    t intervals, together at `level` over all points (Bonferroni).
    """
    gain, spread = mean_and_error(gains)
    count = np.sum(np.isfinite(gains), axis=1)
    reach = stats.t.isf(level / (2 * len(gain)), np.maximum(count - 1, 1)) * spread
    # Of a few repeats the spread itself is not known: they resolve nothing.
    reach = np.where(count < _FEW, np.inf, reach)
    found = np.where(gain > reach, words[0], np.where(gain < -reach, words[1], UNRESOLVED))
    return gain, spread, found


def comparison(
    sweep: Sweep, terms: Terms, results: Mapping[str, Floats], level: float = 0.05
) -> tuple[ResultTable, Fact]:
    """Normal noise against Laplace on equal `terms`: a row per lambda, and at how many the normal one is better.

    Paired t intervals, together at `level` over all lambdas of this comparison (Bonferroni).
    """
    gauss, laplace = results[GAUSSIAN], results[terms]
    means, errors = mean_and_error(gauss)
    other, other_errors = mean_and_error(laplace)
    gain, spread, words = paired(sweep.better * (gauss - laplace), ("normal better", "Laplace better"), level)
    p = sweep.x.shape[1]
    rows = []
    for k, lam in enumerate(sweep.lambdas):
        laplace_noise = sweep.laplace[terms, k]
        rows.append(
            (
                lam,
                p * noise_variance(lam),
                laplace_noise.bound,
                laplace_noise.raw_error,
                means[k],
                errors[k],
                other[k],
                other_errors[k],
                sweep.better * gain[k],
                spread[k],
                str(words[k]),
            )
        )
    columns = (
        "lambda",
        "bound, normal (attained)",
        "bound, Laplace",
        "raw error, Laplace",
        "normal",
        "± s.e.",
        "Laplace",
        "± s.e.",
        "difference",
        "± s.e.",
        "verdict",
    )
    table = ResultTable(f"Normal noise against {NAMES[terms]}", columns, tuple(rows))
    wins, losses = int(np.sum(words == "normal better")), int(np.sum(words == "Laplace better"))
    fact = Fact(
        f"normal noise against {NAMES[terms]}",
        f"better at {wins}, worse at {losses}, not resolved at {len(rows) - wins - losses} of {len(rows)} lambdas",
        None,
        "always better" if terms == "bound" else "",
        f"paired t intervals, together at level {level:g}",
    )
    return table, fact


def curve_series(
    sweep: Sweep, results: Mapping[str, Floats], original: float, figure: str, title: str
) -> Series:
    """The curves with bands of two standard errors, and the level of the model trained on the original records."""
    lambdas = tuple(sweep.lambdas)
    # Roles stand for colours and dashes here: each noise needs its own.
    lines = [Line("original records", "claimed", lambdas, (original,) * len(lambdas))]
    roles: dict[str, Role] = {GAUSSIAN: "measured", "bound": "attack", "variance": "bound", "epsilon": "law"}
    for name, label in ((GAUSSIAN, "normal noise (Theorem 2.4)"), *((t, NAMES[t]) for t in sweep.terms)):
        mean, error = mean_and_error(results[name])
        low, high = (tuple(float(v) for v in mean + k * error) for k in (-2, 2))
        lines.append(Line(label, roles[name], lambdas, tuple(float(v) for v in mean), low, high))
    y_label = "success rate on the original records" if sweep.better > 0 else "loss on the original records"
    scale: Literal["linear", "log"] = "linear" if sweep.better > 0 else "log"
    return Series(figure, title, "lambda", y_label, tuple(lines), "log", scale)


def guarantee_series(lambdas: Sequence[float], entries: int, figure: str, title: str) -> Series:
    """The least error of unbiased adversaries against lambda, p/sqrt(lambda), and the weaker 1/(p sqrt(lambda))."""
    x = tuple(lambdas)
    exact = tuple(entries * noise_variance(v) for v in x)
    weak = tuple(noise_variance(v) / entries for v in x)
    lines = (
        Line("Tr(Pi I^-1): the Cramer-Rao bound, attained", "law", x, exact),
        Line("1/Tr(Pi^-1 I): the weaker bound of (4)", "bound", x, weak),
    )
    return Series(figure, title, "lambda", "least mean squared error per record", lines, "log", "log")


def approach(sweep: Sweep, results: Mapping[str, Floats], original: float) -> Fact:
    """Whether the curve under normal noise rises (falls) to the original level: its two ends, with standard errors."""
    mean, error = mean_and_error(results[GAUSSIAN])
    return Fact(
        "normal noise: distance from the original at the largest lambda",
        round(float(sweep.better * (original - mean[-1])), 12),
        float(error[-1]),
        "approaches zero",
        f"at the smallest lambda it is {sweep.better * (original - mean[0]):.4g} ± {error[0]:.2g}",
    )
