"""Which textbook sampler a release uses, its centres and its scale: guessed from claim and inputs, settled by the outcomes.

A wrong guess explains a fraction of the outcomes only, the right one all of them: a few dozen outcomes decide.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ....symbolic.arrays import Floats
from ..outcomes import Outcomes
from .reachable import SAMPLERS, Sampler

_SHOWN = 20_000  # outcomes that show where the centre and the scale lie
_FIRST, _ALL, _COMPARED = (
    4,
    60,
    2_000,
)  # outcomes that a guess must explain, at first and in the end; that compare guesses
_ERRORS = 5.0  # standard errors by which centre and scale may be off
_CENTRES, _PARAMETERS = 40, 80  # guesses
_WHOLE, _WIDE = 1e4, 0.05  # sensitivities k/size that are guessed: the largest k, and how far from the spread
_COLUMNS, _LARGEST = 8, 1e290
_USEFUL = 0.97  # sets that explain more than this of the other input's outcomes tell nothing


@dataclass(frozen=True)
class Fitted:
    """A sampler with its parameter and its centre on inputs 0 and 1, of one column of the outcomes."""

    column: int
    sampler: Sampler
    parameter: float
    centres: tuple[float, float]

    @property
    def name(self) -> str:
        word = "rate" if self.sampler.divides else "scale"
        zero, one = self.centres
        return f"{self.sampler.name}; {word} {self.parameter!r}, centres {zero!r} and {one!r}, number {self.column + 1}"

    def score(self, values: Floats) -> Floats:
        """1 where only input 1 can have written the number, -1 where only input 0 can, 0 where both can or neither."""
        y = np.ascontiguousarray(values[:, self.column])
        zero, one = (self.sampler.reaches(y, c, self.parameter) for c in self.centres)
        return one.astype(float) - zero


def fit(sample: Sequence[Outcomes], inputs: tuple[Any, Any], epsilon: float | None) -> tuple[Fitted, ...]:
    """The textbook samplers that explain every outcome shown of both inputs, at most one per column."""
    found: list[Fitted] = []
    usable = [s.values[s.plain()][:_SHOWN] for s in sample]
    if min(map(len, usable)) < 2 * _ALL:
        return ()
    for column in range(min(_COLUMNS, *(u.shape[1] for u in usable))):
        y = [np.ascontiguousarray(u[:, column]) for u in usable]
        if any(len(np.unique(v[:200])) < 150 or np.abs(v).max() > _LARGEST for v in y):
            continue  # a number that repeats is seen without its bits; sums of larger ones overflow
        samplers = (found[0].sampler,) if found else SAMPLERS
        best = _best(column, y, inputs, epsilon, samplers)
        if best is not None:
            found.append(best)
    return tuple(found)


def _best(
    column: int,
    y: Sequence[Floats],
    inputs: tuple[Any, Any],
    epsilon: float | None,
    samplers: Iterable[Sampler],
) -> Fitted | None:
    middles = [float(np.median(v)) for v in y]
    spread = float(np.mean([np.abs(v - m).mean() for v, m in zip(y, middles, strict=True)]))
    if not spread > 1 / _LARGEST:
        return None
    centres = [_centres(x, column, v) for x, v in zip(inputs, y, strict=True)]
    scales = [] if not epsilon else _claimed_scales(epsilon, centres, inputs, spread)
    candidates: list[tuple[float, float, Fitted]] = []
    for sampler in samplers:
        guesses = _parameters(spread, len(y[0]), sampler.divides, scales)
        zero, one = (_explains(sampler, v, c, guesses) for v, c in zip(y, centres, strict=True))
        for parameter in zero.keys() & one.keys():
            fitted = Fitted(column, sampler, parameter, (zero[parameter], one[parameter]))
            missed, confused = _errors(fitted, y)
            if confused < _USEFUL:
                candidates.append((missed, confused, fitted))
                if missed == 0:
                    return fitted  # coarser grids come first: no later sampler explains as much with less
    return min(candidates, key=lambda c: (c[0], c[1], c[2].name))[2] if candidates else None


def _explains(sampler: Sampler, y: Floats, centres: Floats, parameters: Floats) -> dict[float, float]:
    """For each parameter that explains all outcomes shown, the centre with which it does."""
    c, p = (g.ravel() for g in np.meshgrid(centres, parameters))
    # Far from the centre the reachable numbers are sparse: outcomes from there decide first.
    far = y[np.argsort(np.abs(y - np.median(y)), kind="stable")]
    first = far[[int(q * (len(far) - 1)) for q in np.linspace(0.9, 0.97, _FIRST)]]
    # The first of them alone refutes most guesses.
    for shown in (first[:1], first[1:], y[:_ALL]):
        if not len(c):
            return {}
        reached = sampler.reaches(
            np.tile(shown, len(c)), np.repeat(c, len(shown)), np.repeat(p, len(shown))
        ).reshape(len(c), len(shown))
        c, p = c[reached.all(axis=1)], p[reached.all(axis=1)]
    return {float(b): float(a) for a, b in zip(c[::-1], p[::-1], strict=True)}


def _errors(fitted: Fitted, y: Sequence[Floats]) -> tuple[float, float]:
    """The fractions of outcomes that their own input could not have written, and that the other input could."""
    last = [v[-_COMPARED:] for v in y]
    own, other = (
        [fitted.sampler.reaches(v, c, fitted.parameter).mean() for v, c in zip(last, centres, strict=True)]
        for centres in (fitted.centres, fitted.centres[::-1])
    )
    return 1 - float(np.mean(own)), float(np.mean(other))


def _centres(data: Any, column: int, y: Floats) -> Floats:
    """Guesses of f(data): the number in this place of the input, its sum, mean and length, and short numbers near the median."""
    middle = float(np.median(y))
    error = _ERRORS * float(np.abs(y - middle).mean()) / np.sqrt(len(y))
    guesses: list[float] = [0.0]
    try:
        flat = np.ravel(np.asarray(data, dtype=float))
    except (TypeError, ValueError):
        flat = np.zeros(0)
    if flat.size:
        guesses += [float(flat.sum()), float(flat.mean()), float(flat.size)]
        if column < flat.size:
            guesses.append(float(flat[column]))
    near = [g for g in guesses if abs(g - middle) <= 2 * error]
    return np.array(list(dict.fromkeys([*near, *_short(middle - error, middle + error)]))[:_CENTRES])


def _claimed_scales(
    epsilon: float, centres: Sequence[Floats], inputs: tuple[Any, Any], spread: float
) -> list[float]:
    """Sensitivity/epsilon for sensitivities that inputs and centres suggest: their distances, 1, and whole numbers over the size."""
    distances = [1.0, *(abs(float(a) - float(b)) for a in centres[0][:3] for b in centres[1][:3])]
    try:
        zero, one = (np.ravel(np.asarray(x, dtype=float)) for x in inputs)
        apart = np.abs(zero - one)
        distances += [float(apart.sum()), float(apart.max())]
        near = spread * epsilon * zero.size
        if zero.size > 1 and near < _WHOLE:
            first = np.floor((1 - _WIDE) * near)
            distances += [(first + k) / zero.size for k in range(int(2 * _WIDE * near) + 2)]
    except (TypeError, ValueError):
        pass  # inputs that are no numbers, or of different sizes
    distances = [d for d in dict.fromkeys(distances) if d > 0]
    return [
        s for d in distances for s in (d / epsilon, d * (1 / epsilon), 2 * d / epsilon, d / (2 * epsilon))
    ]


def _parameters(spread: float, size: int, divides: bool, scales: Sequence[float]) -> Floats:
    """Guesses of the scale (or of the rate): the claim's, and short numbers near the mean distance from the middle."""
    error = spread * _ERRORS / np.sqrt(2 * size)
    low, high = spread - error, spread + error
    near = [s for s in scales if low <= s <= high]
    if divides:
        near, low, high = [1 / s for s in near], 1 / high, 1 / low
    reciprocals = [1 / s for s in _short(1 / high, 1 / low)]
    return np.array(list(dict.fromkeys([*near, *_short(low, high), *reciprocals]))[:_PARAMETERS])


def _short(low: float, high: float) -> list[float]:
    """Short decimals in [low, high], at most about 60, those with fewest digits first; then fractions of small numbers."""
    out: list[float] = []
    for digits in range(7):
        step = 10.0**digits
        first, last = np.ceil(low * step), np.floor(high * step)
        if last - first > 60:
            break
        out += [float(n) / step for n in np.arange(first, last + 1)]
    for q in range(3, 13):
        first, last = np.ceil(low * q), np.floor(high * q)
        if last - first <= 12:
            out += [float(n) / q for n in np.arange(first, last + 1)]
    return list(dict.fromkeys(out))
