"""The figures of the illustrative example, and the settings that its parts share."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ....mechanisms.dataset_noise import NullSpaceNoise
from ....mechanisms.learning.svm import SvmSolution
from ....symbolic.arrays import Floats
from ....symbolic.privacy.pair import gaussian_epsilon
from ...record.evidence import Line, Series
from ..dataset_release.equal_terms import noise_variance
from ..dataset_release.fitting import fit_classifier
from ..dataset_release.local_privacy import printed_epsilon
from ..dataset_release.operational import least_gaussian_error, printed_error, two_point_error
from .curves import mean_and_error
from .result import Scatter

LAMBDAS = (1e-4, 1e-2, 1.0)
PRINTED_BOUNDS = ("200", "20", "2")
PRINTED_NULL_SPACE = 80.5
M, THETA, RHO = 100.0, 1.0, 1e-2
WIDE = tuple(float(v) for v in np.logspace(-4, 18, 12))


def angles(moved: Mapping[str, Floats]) -> Series:
    """The angle between the normals of the noisy and the original classifier against lambda."""
    mean, error = mean_and_error(moved["angle"])
    low, high = (tuple(float(max(v, 1e-12)) for v in mean + k * error) for k in (-2, 2))
    line = Line("angle, mean of the simulations", "measured", WIDE, tuple(float(v) for v in mean), low, high)
    title = "The classifier of the noisy data approaches the original one as lambda grows"
    return Series("figure 3, angles", title, "lambda", "degrees between the normals", (line,), "log", "log")


def figure_3(x: Floats, y: Floats, original: SvmSolution, seed: int) -> Scatter:
    """The original records and one release at each of the three lambdas, with their classifiers."""
    rng = np.random.default_rng([seed, 3])
    groups, lines = [_group("original", x)], [_line("original", original, x)]
    for lam in LAMBDAS:
        released = x + np.sqrt(noise_variance(lam)) * rng.normal(size=x.shape)
        groups.append(_group(f"lambda = {lam:g}", released))
        lines.append(_line(f"lambda = {lam:g}", fit_classifier(released, y, theta=THETA, rho=RHO), x))
    return Scatter("Figure 3: independent noise", "first entry", "second entry", tuple(groups), tuple(lines))


def figure_4(x: Floats, y: Floats, original: SvmSolution, noise: NullSpaceNoise, seed: int) -> Scatter:
    """The original records and one release with null-space noise, with both classifiers."""
    released = x + noise.draw(np.random.default_rng([seed, 4]))
    lines = (
        _line("original", original, x),
        _line("released", fit_classifier(released, y, theta=THETA, rho=RHO), x),
    )
    groups = (_group("original", x), _group("released", released))
    return Scatter("Figure 4: null-space noise, m = 100", "first entry", "second entry", groups, lines)


def figure_1() -> Series:
    """The boundary of the region of Theorem 2.5 at norm 0.1, and the exact one on the unit box."""
    deltas = tuple(float(v) for v in np.logspace(-10, -1, 19))
    lines = (
        Line("condition of Theorem 2.5", "claimed", deltas, tuple(printed_epsilon(0.1, d) for d in deltas)),
        Line("exact curve", "law", deltas, tuple(gaussian_epsilon(0.1, d) for d in deltas)),
    )
    title = "Figure 1: least epsilon at each delta for lambda^(1/4) |Pi^(1/4)| = 0.1, records in the unit box"
    return Series("figure 1", title, "delta", "epsilon", lines, "log", "linear")


def figure_2() -> Series:
    """The printed lower bound on the error at epsilon = 1, and that of the least normal noise that is private enough."""
    deltas, one = tuple(float(v) for v in np.logspace(-10, -1, 19)), np.eye(1)
    lines = (
        Line(
            "printed, with Tr(Pi^(1/2)) |Pi^(1/4)|^2 = 1",
            "claimed",
            deltas,
            tuple(printed_error(one, 1.0, d) for d in deltas),
        ),
        Line(
            "least normal noise that is (1, delta)-private",
            "law",
            deltas,
            tuple(least_gaussian_error(one, 1.0, d) for d in deltas),
        ),
        Line(
            "floor for every adversary, unit interval",
            "bound",
            deltas,
            tuple(two_point_error(1.0, d, 1.0) for d in deltas),
        ),
    )
    title = "Figure 2 at epsilon = 1: what (epsilon, delta) says about the error"
    return Series("figure 2", title, "delta", "mean squared error", lines, "log", "log")


def _group(name: str, x: Floats) -> tuple[str, tuple[float, ...], tuple[float, ...]]:
    return name, tuple(float(v) for v in x[:, 0]), tuple(float(v) for v in x[:, 1])


def _line(name: str, model: SvmSolution, x: Floats) -> tuple[str, tuple[float, ...], tuple[float, ...]]:
    """The points alpha'x + beta = 0 within five units of the original records, along the line."""
    a = model.alpha / np.linalg.norm(model.alpha)
    centre = x.mean(axis=0)
    foot = centre - a * (a @ centre + model.beta / np.linalg.norm(model.alpha))
    along = np.array([-a[1], a[0]]) * 12.0
    ends = np.array([foot - along, foot + along])
    return name, tuple(float(v) for v in ends[:, 0]), tuple(float(v) for v in ends[:, 1])
