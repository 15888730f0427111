"""Noise against privacy, error and usefulness, as figures: exact numbers of the laws on the grid."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ...mechanisms.grid_noise import GridNoise, default_exponent
from ...symbolic.arrays import Floats
from ...symbolic.privacy.guarantees import Guarantee, PureDP
from ..record.evidence import Line, Series
from .grid_figures import error_bound, standard_deviation
from .policy import Policy

_FACTORS = tuple(float(f) for f in np.geomspace(1 / 3, 3, 7))
_POINTS = 33
_COARSER = 3
_NEXT_TO_NOTHING = 1e-15  # a delta below is no longer drawn: the scale would show nothing else


def noise_curves(
    policy: Policy,
    sizes: Sequence[float],
    law_of: Callable[[float, int], GridNoise],
    epsilon_at: Callable[[float], float | None],
) -> tuple[Series, ...]:
    """The error of the column with the most noise and, where it is finite, epsilon, each against the size of the noise.

    Drawn on a grid eight times as coarse as that of the release, for the sake of speed: exact for that grid.
    `epsilon_at` takes the factor by which there is more noise than `sizes`.
    """
    ratios = [s / (n.high - n.low) for n, s in zip(policy.numbers, sizes, strict=True)]
    column = policy.numbers[int(np.argmax(ratios))]
    noise, error, epsilon = [], [], []
    for factor in _FACTORS:
        size = max(ratios) * factor
        law = law_of(size, default_exponent(size) + _COARSER)
        span = math.floor(1 / law.step)
        if span < 2:
            continue  # so much noise that a step of the grid is the whole interval
        noise.append(standard_deviation(law))
        error.append(math.sqrt(float(error_bound(law, span).value or 0)))
        epsilon.append(epsilon_at(factor))
    about = f"least root mean squared error of every adversary about {column.name}, over its width"
    x = f"root mean squared noise on {column.name}, over its width"
    shown, known = tuple(noise), tuple(e for e in epsilon if e is not None)
    line = Line(about, "bound", shown, tuple(error))
    drawn = [("More noise: a record is harder to estimate", "error over the width", line)]
    if len(known) == len(shown):
        line = Line(f"epsilon of one {policy.unit}", "law", shown, known)
        drawn.append(("More noise: smaller epsilon, less utility", "epsilon", line))
    return tuple(Series("trade-off", title, x, y, (line,), "log", "log") for title, y, line in drawn)


def privacy_curves(
    policy: Policy, stated: Guarantee | None, delta_at: Callable[[Floats], Floats], bound: str = ""
) -> tuple[Series, ...]:
    """The privacy curve of one unit, of which `stated` is a point; nothing where there is none.

    It is that of the law that is drawn from, unless `bound` says of what it is no more than a bound.
    """
    if stated is None:
        return ()
    top = 1.5 * max(*(stated.knots() or (1.0,)), 0.1)
    epsilon = np.linspace(0.0, top, _POINTS)
    delta = delta_at(epsilon)
    limits = policy.model.limits
    shown = delta >= min(_NEXT_TO_NOTHING, (limits.delta or 1.0) / 1000)
    lines = [
        Line(
            bound or "exact curve of the distribution that is drawn from",
            "bound" if bound else "law",
            tuple(epsilon[shown].tolist()),
            tuple(delta[shown].tolist()),
        )
    ]
    if limits.epsilon is not None and limits.delta is not None:
        lines.append(Line("limit of the policy", "claimed", (float(limits.epsilon),), (limits.delta,)))
    title = f"What one {policy.unit} risks: delta at every epsilon"
    if isinstance(stated, PureDP):
        title = f"Below the guaranteed epsilon of {stated.epsilon:.4g}, delta is the most by which a probability may exceed e^epsilon times that under a neighbour; from there on it is 0"
    return (Series("privacy curve", title, "epsilon", "delta", tuple(lines), "linear", "log"),)
