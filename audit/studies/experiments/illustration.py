"""The illustrative example (section 3.1, figures 3 and 4): two classes in the plane, independent and null-space noise."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ....mechanisms.dataset_noise import NullSpaceNoise
from ....mechanisms.learning.svm import SvmSolution
from ....symbolic.arrays import Floats
from ..dataset_release.attacks import Draw, RecordErrors, record_errors
from ..dataset_release.equal_terms import noise_variance
from ..dataset_release.error_bounds import independent_bound, null_space_bounds, trace_bound
from ..dataset_release.estimators import (
    Estimator,
    KnowsOthers,
    LabelKnowledge,
    NormalPrior,
    PosteriorMean,
    RawRelease,
    Shrinkage,
)
from ..dataset_release.fitting import distance, fit_classifier, success
from ..dataset_release.stability import (
    global_stability,
    local_stability,
    proposition_2_3,
    proposition_2_3_global,
)
from ..dataset_release.utility import qualities
from .illustration_figures import (
    LAMBDAS,
    PRINTED_BOUNDS,
    PRINTED_NULL_SPACE,
    RHO,
    THETA,
    WIDE,
    M,
    angles,
    figure_1,
    figure_2,
    figure_3,
    figure_4,
)
from .repeats import run_repeats
from .result import ExperimentResult, Fact, ResultTable, Run


def two_classes(rng: np.random.Generator, each: int = 50) -> tuple[Floats, Floats]:
    """`each` records from N(0, I_2) labelled +1 and as many from N([0 5]', I_2) labelled -1."""
    x = np.vstack([rng.normal(size=(each, 2)), rng.normal(size=(each, 2)) + [0, 5]])
    return x, np.repeat([1.0, -1.0], each)


@dataclass(frozen=True, eq=False)
class Motion:
    """One repeat at one lambda: how far the classifier moves, and the angle (degrees) between the two normals."""

    x: Floats
    y: Floats
    original: SvmSolution
    lambdas: tuple[float, ...]

    def __call__(self, point: int, rng: np.random.Generator) -> Mapping[str, float]:
        noise = np.sqrt(noise_variance(self.lambdas[point])) * rng.normal(size=self.x.shape)
        found = fit_classifier(self.x + noise, self.y, theta=THETA, rho=RHO)
        a, b = found.alpha, self.original.alpha
        cosine = a @ b / (np.linalg.norm(a) * np.linalg.norm(b))
        return {
            "distance": distance(found, self.original),
            "angle": float(np.degrees(np.arccos(np.clip(cosine, -1, 1)))),
            "success": success(found, self.x, self.y),
        }


@dataclass(frozen=True)
class OneDataSet:
    """One data set of its own seed: its null-space guarantee at m = 100, and what the classifier trained on a release deviates."""

    m: float = M

    def __call__(self, point: int, rng: np.random.Generator) -> Mapping[str, float]:
        x, y = two_classes(rng)
        original = fit_classifier(x, y, theta=THETA, rho=RHO)
        noise = NullSpaceNoise.of(original, self.m)
        bounds = null_space_bounds(noise)
        again = fit_classifier(x + noise.draw(rng), y, theta=THETA, rho=RHO)
        return {
            "least": float(bounds.unbiased.min()),
            # E|w_i| of a normal number of that variance: the error without the square, as printed.
            "norm": float(np.sqrt(2 * bounds.unbiased.min() / np.pi)),
            "pseudo": float(bounds.pseudo_inverse.min()),
            "unprotected": len(bounds.unprotected),
            "deviation": distance(again, original),
        }


def illustration(run: Run) -> ExperimentResult:
    """Figures 3 and 4 with the numbers 200, 20, 2 and 80.5, the attacks on both releases, and the quality D."""
    x, y = two_classes(np.random.default_rng(run.seed))
    original = fit_classifier(x, y, theta=THETA, rho=RHO)
    motion = Motion(x, y, original, WIDE)
    asked = {"experiment": "illustration", "part": "independent", "lambdas": list(WIDE)}
    moved = run_repeats(
        motion,
        len(WIDE),
        run.repeats,
        asked=asked,
        seed=run.seed,
        workers=run.workers,
        checkpoint=run.checkpoint("illustration-independent"),
        progress=run.part(0.0, 0.6, "independent noise"),
    )
    sets = run_repeats(
        OneDataSet(),
        1,
        max(run.repeats, 2) * 10,
        asked={"experiment": "illustration", "part": "sets", "m": M},
        seed=run.seed,
        workers=run.workers,
        checkpoint=run.checkpoint("illustration-sets"),
        progress=run.part(0.6, 0.9, "data sets for figure 4"),
    )
    noise = NullSpaceNoise.of(original, M)
    facts, table, attacked = _independent(x, y, run)
    null_facts, null_table = _null_space(x, y, original, noise, sets, run)
    return ExperimentResult(
        name="illustration",
        title="The illustrative example: figures 1 to 4",
        question="Which errors are forced on which adversaries by the noises of Theorems 2.4 and 2.10, and does the classifier stay?",
        settings={
            "q": len(x),
            "p": 2,
            "rho": RHO,
            "theta": THETA,
            "Pi": "I",
            "m": M,
            "lambdas": LAMBDAS,
            "seed": run.seed,
            "simulations": run.repeats,
        },
        facts=(*facts, *null_facts),
        tables=(table, attacked, null_table, _quality(x, y, original, moved)),
        scatters=(figure_3(x, y, original, run.seed), figure_4(x, y, original, noise, run.seed)),
        series=(angles(moved), figure_1(), figure_2()),
        notes=(
            "Errors are mean squared errors E|x_i - xhat_i|^2; the paper prints 80.5 without the square.",
            "The bound of the null-space noise is m (p - 1)(1 - c_i^2), c the unit vector along omega_i y_i: the variance of the raw release, "
            "which unbiased adversaries who know the noise law cannot beat. It depends on the data set, hence on its unstated seed.",
            "Whoever knows all other records recovers every support vector exactly, because sum omega_i y_i x_i is unchanged.",
            "Shrinkage and label knowledge are biased adversaries: the Cramer-Rao bound does not speak of them.",
        ),
    )


def _independent(x: Floats, y: Floats, run: Run) -> tuple[list[Fact], ResultTable, ResultTable]:
    facts, rows = [], []
    samples = max(20, run.repeats)
    columns = ("lambda", "variance", "bound", "1/Tr(Pi^-1 I)")
    attack_rows = []
    for lam, printed in zip(LAMBDAS, PRINTED_BOUNDS, strict=True):
        variance = noise_variance(lam)
        covariance = variance * np.eye(2)
        bound = independent_bound(covariance).numeric or 0.0
        facts.append(
            Fact(
                f"least error of unbiased adversaries, lambda = {lam:g}",
                bound,
                None,
                printed,
                "p/sqrt(lambda), exact",
            )
        )
        rows.append((lam, variance, bound, trace_bound(covariance)))
        means = np.where(y[:, None] > 0, [0.0, 0.0], [0.0, 5.0])
        adversaries: list[Estimator] = [
            RawRelease(),
            Shrinkage(covariance),
            LabelKnowledge(covariance, y),
            PosteriorMean(x.min(axis=0), x.max(axis=0), np.sqrt(np.full(2, variance))),
            NormalPrior(means, np.ones(2), variance, "knows how records of each label are spread"),
        ]
        found = record_errors(x, _gaussian(variance, x), adversaries, samples=samples, seed=run.seed)
        attack_rows += [
            (
                lam,
                e.estimator,
                e.mean,
                e.mean_standard_error,
                bound,
                bool(e.mean + 5 * e.mean_standard_error < bound),
            )
            for e in found
        ]
    caption = f"Attacks on independent noise: error averaged over the records, {samples} releases"
    attacked = ResultTable(
        caption, ("lambda", "adversary", "error", "± s.e.", "bound", "below the bound"), tuple(attack_rows)
    )
    return facts, ResultTable("Bounds at the three lambdas of figure 3", columns, tuple(rows)), attacked


def _null_space(
    x: Floats, y: Floats, original: SvmSolution, noise: NullSpaceNoise, sets: Mapping[str, Floats], run: Run
) -> tuple[list[Fact], ResultTable]:
    least = sets["least"][0]
    count = len(least)
    share = float(np.mean(least >= PRINTED_NULL_SPACE))
    bounds = null_space_bounds(noise)
    quantiles = np.quantile(least, [0.05, 0.5, 0.95])
    facts = [
        Fact(
            "least error min_i, m = 100: mean over data sets",
            float(least.mean()),
            float(least.std(ddof=1) / np.sqrt(count)),
            "80.5",
            f"5 %, 50 %, 95 % quantiles {quantiles[0]:.4g}, {quantiles[1]:.4g}, {quantiles[2]:.4g} over {count} data sets",
        ),
        Fact(
            "share of data sets whose least error is at least 80.5",
            share,
            float(np.sqrt(share * (1 - share) / count)),
            "",
            f"nearest to 80.5: {least[np.argmin(np.abs(least - PRINTED_NULL_SPACE))]:.4g}",
        ),
        Fact(
            "largest least error WITHOUT the square, E|x_i - xhat_i|, over data sets",
            float(sets["norm"].max()),
            None,
            "80.5",
            "at most sqrt(2 m/pi) = 7.98 for the raw release: the printed norm cannot be meant",
        ),
        Fact(
            "least value of the pseudo-inverse reading of (13)",
            float(sets["pseudo"].min()),
            None,
            "80.5",
            "m (p - 1)/(1 - c_i^2) is never below 100, and the raw release lies below it: not a bound",
        ),
        Fact(
            "largest deviation |(alpha, beta, xi) - (alphabar, betabar, xibar)|",
            float(sets["deviation"].max()),
            None,
            "0",
            f"over {count} data sets with one release each",
        ),
        Fact(
            "records that an adversary who knows all others recovers exactly, mean",
            float(sets["unprotected"].mean()),
            float(sets["unprotected"].std(ddof=1) / np.sqrt(count)),
            "",
            "the support vectors",
        ),
    ]
    estimators: list[Estimator] = [RawRelease(), KnowsOthers(noise, x)]
    errors = record_errors(x, noise.draw, estimators, samples=max(20, run.repeats), seed=run.seed)
    rows = [
        _by_group(e, bounds.informed > 0, bounds.unbiased if k == 0 else bounds.informed)
        for k, e in enumerate(errors)
    ]
    columns = (
        "adversary",
        "support vectors: error",
        "± s.e.",
        "bound",
        "other records: error",
        "± s.e.",
        "bound",
    )
    title = f"Attacks on null-space noise, m = {M:g}: who is protected ({len(bounds.unprotected)} of {len(x)} are support vectors)"
    return facts, ResultTable(title, columns, tuple(rows))


def _by_group(found: RecordErrors, free: NDArray[np.bool_], bound: Floats) -> tuple[str | float, ...]:
    row: list[str | float] = [found.estimator]
    for group in (~free, free):
        if not group.any():
            row += ["none"] * 3
            continue
        # Records of one release are all but independent: their noises are coupled by one vector condition only.
        spread = float(np.sqrt(np.sum(found.standard_error[group] ** 2)) / group.sum())
        row += [float(found.error[group].mean()), spread, float(bound[group].mean())]
    return tuple(row)


def _quality(x: Floats, y: Floats, original: SvmSolution, moved: Mapping[str, Floats]) -> ResultTable:
    q = len(x)
    local, whole = local_stability(original), global_stability(original)
    tolerance = local.constant * local.radius
    rows = []
    for k, lam in enumerate(WIDE):
        trace = 2 * noise_variance(lam)
        for tol in (tolerance, 1.0, 10.0):
            found = qualities(moved["distance"][k], [tol])[0]
            rows.append(
                (
                    lam,
                    tol,
                    found.estimate,
                    found.low,
                    found.high,
                    proposition_2_3(q, trace, local.constant, tol),
                    proposition_2_3_global(q, trace, whole, tol),
                )
            )
    caption = (
        f"Quality D (Proposition 2.3): local constant c = {local.constant:.4g} to first order up to eps_0 = {tolerance:.3g} "
        f"(first line of each lambda), global |dz|^2 <= {whole.constant:.4g} |M|; a bound below 0 says nothing"
    )
    return ResultTable(
        caption,
        ("lambda", "tolerance", "D", "95 % from", "to", "1 - q c^2 Tr V/tol^2", "global bound"),
        tuple(rows),
    )


def _gaussian(variance: float, x: Floats) -> Draw:
    return lambda rng: np.sqrt(variance) * rng.normal(size=x.shape)
