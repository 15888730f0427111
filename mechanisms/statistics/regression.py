"""Linear regression from noisy sums: least squares of one number on others, by groups, from counts, sums and products alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import ClassVar

import numpy as np

from ...symbolic.arrays import Floats
from .amounts import Amount, One, Product, Steps, product_of
from .figures import Figure
from .measurement import Measurement
from .parts import Drawer, NoisySums, Part, SumsDrawer
from .rows import Condition
from .statistic import Drawn, Statistic
from .targets import CONFIDENCE

_SIMULATED, _SEED = 2_000, 7
_LEAST = 4.0  # deviations of the noise that the least eigenvalue of the products has to reach
_TOO_FAR = 1e6  # of a slope in scaled numbers: nothing is said


@dataclass(frozen=True)
class Regression(Statistic):
    """`response` on `features` and a constant; all numbers are clipped, centred, and scaled to [-1, 1] for the sums.

    What is published follows from noisy sums: coefficients by least squares, intervals from noise of the same law that is
    added once more (2,000 times, by a public seed).
    """

    response: Steps | None = None
    features: tuple[Steps, ...] = ()

    measure: ClassVar[str] = "regression"
    interval: ClassVar[str] = (
        "2.5 % to 97.5 % of the estimates after the same noise was added again 2,000 times, mirrored at the estimate: about 0.95 where the "
        "noise is small against the sums"
    )
    marked: ClassVar[str] = (
        "the noise is no smaller than a quarter of the least eigenvalue of the sums of products, or the interval is as wide as the range of the response "
        "(of a slope: over that of its column)"
    )

    @property
    def numbers(self) -> tuple[Steps, ...]:
        """The features and the response."""
        assert self.response is not None
        return (*self.features, self.response)

    @property
    def quantities(self) -> tuple[str, ...]:
        return ("intercept", *(f"slope of {f.column}" for f in self.features))

    @property
    def products(self) -> tuple[Product, ...]:
        """Of all pairs but that of the response with itself, which no coefficient needs."""
        pairs = list(combinations_with_replacement(range(len(self.numbers)), 2))[:-1]
        return tuple(product_of(self.numbers[i], self.numbers[j]) for i, j in pairs)

    @property
    def terms(self) -> tuple[tuple[Part, Fraction], ...]:
        needed = (Condition(n.column) for n in self.numbers if n.skips)
        where = tuple(sorted({*self.where, *needed}, key=repr))
        amounts: tuple[Amount, ...] = (*self.numbers, *self.products)
        size = max(max(abs(a.least), abs(a.most)) for a in amounts)
        moments = NoisySums(Measurement(self.by, amounts, where))
        return (
            (moments, Fraction(1, size**2)),
            (NoisySums(Measurement(self.by, (One(),), where)), Fraction(1)),
        )

    def figures(self, drawn: Drawn) -> Iterator[Figure]:
        (top, sums), (bottom, counts) = (drawn[part] for part in self.parts)
        assert isinstance(top, SumsDrawer)
        assert isinstance(bottom, SumsDrawer)
        scales = self._scales()
        noise = top.law.standard_deviation() * scales, bottom.law.standard_deviation()
        said = f"sums and products {top.law.kind}, deviation {top.law.standard_deviation():.6g} steps"
        for groups, row, count in zip(self._groups(), sums, counts[:, 0], strict=True):
            found = self._fitted(row * scales, float(count), noise, top.law.kind)
            for i, quantity in enumerate(self.quantities):
                if found is None:
                    yield Figure(groups, quantity, None, None, None, said, True)
                    continue
                value, low, high = (float(side[i]) for side in found)
                yield Figure(groups, quantity, value, low, high, said, high - low >= self._range_of(i))

    def _range_of(self, i: int) -> float:
        """The width from which on an interval of a coefficient, the intercept first, says nothing."""
        response, one = (_reach(n) for n in (self.numbers[-1], self.numbers[i - 1]))
        return float(2 * response if i == 0 else response / one)

    def _scales(self) -> Floats:
        """What a step of each sum is in scaled numbers."""
        reach = [_reach(n) for n in self.numbers]
        pairs = list(combinations_with_replacement(range(len(reach)), 2))[:-1]
        first = [float(n.step / h) for n, h in zip(self.numbers, reach, strict=True)]
        second = [
            float(p.step / (reach[i] * reach[j])) for p, (i, j) in zip(self.products, pairs, strict=True)
        ]
        return np.array([*first, *second])

    def _fitted(
        self, sums: Floats, count: float, noise: tuple[Floats, float], law: str
    ) -> tuple[Floats, Floats, Floats] | None:
        """Coefficients, and the lower and upper ends of their intervals; None where the noise hides them."""
        left, right = self._equations(sums[None, :], np.array([count]))
        size = max(float(noise[0].max()), noise[1]) * math.sqrt(len(self.features) + 1)
        if float(np.linalg.eigvalsh(left[0])[0]) < _LEAST * size:
            return None
        value = self._unscaled(_solved(left, right))[0]
        rng = np.random.default_rng(_SEED)
        draw = rng.normal if law == "gaussian" else lambda size: rng.laplace(size=size) / math.sqrt(2)
        moved = sums + noise[0] * draw(size=(_SIMULATED, len(sums)))
        left, right = self._equations(moved, count + noise[1] * draw(size=_SIMULATED))
        again = self._unscaled(_solved(left, right))
        risk = float(1 - CONFIDENCE) / 2
        low, high = np.quantile(again, [risk, 1 - risk], axis=0)
        if (
            not np.isfinite([low, high]).all()
            or np.abs([low, high]).max() > _TOO_FAR * np.abs(value).max() + _TOO_FAR
        ):
            return None
        return value, 2 * value - high, 2 * value - low

    def _equations(self, sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
        """The normal equations (k, p + 1, p + 1) and (k, p + 1) of k sets of sums, in scaled numbers."""
        p = len(self.features)
        left, right = np.zeros((len(sums), p + 1, p + 1)), np.zeros((len(sums), p + 1))
        left[:, 0, 0] = counts
        left[:, 0, 1:] = left[:, 1:, 0] = sums[:, :p]
        right[:, 0] = sums[:, p]
        for at, (i, j) in enumerate(list(combinations_with_replacement(range(p + 1), 2))[:-1], p + 1):
            if j == p:
                right[:, i + 1] = sums[:, at]
            else:
                left[:, i + 1, j + 1] = left[:, j + 1, i + 1] = sums[:, at]
        return left, right

    def _unscaled(self, scaled: Floats) -> Floats:
        """Coefficients (k, p + 1) of the numbers themselves."""
        assert self.response is not None
        height, out = float(_reach(self.response)), np.empty_like(scaled)
        widths = np.array([float(_reach(f)) for f in self.features])
        centres = np.array([float(f.centre) for f in self.features])
        out[:, 1:] = scaled[:, 1:] * height / widths
        out[:, 0] = scaled[:, 0] * height + float(self.response.centre) - out[:, 1:] @ centres
        return out

    def spread(self, drawers: Mapping[Part, Drawer]) -> tuple[float, float] | None:
        """About that of the first slope in a group of the declared size whose features spread evenly."""
        if self.size is None:
            return None
        drawer = drawers[self.parts[0]]
        assert isinstance(drawer, SumsDrawer)
        assert self.response is not None
        scaled = drawer.law.standard_deviation() * float(self._scales().max()) * 3 / self.size
        deviation = scaled * float(_reach(self.response) / _reach(self.features[0]))
        return deviation, 1.96 * deviation

    def unit(self, of_column: str) -> str:
        return of_column and f"{of_column} of the response"


def _reach(number: Steps) -> Fraction:
    return max(abs(number.least), abs(number.most)) * number.step


def _solved(left: Floats, right: Floats) -> Floats:
    return np.asarray(np.linalg.solve(left, right[..., None])[..., 0], dtype=float)
