"""The exact worst pair of records under grid noise, as a pair of laws whose profile can be enclosed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.privacy.pair import Pair
from ...symbolic.proof.derivation import Step
from ...symbolic.proof.enclosure import EnclosedFunction, NotEnclosableError, enclose
from ...symbolic.proof.exact_numbers import above, below
from .half_line import enclosed_profile, enclosed_renyi, exact_profile
from .loss_sum import CELLS, profile_bounds
from .sampler import GridNoise

Columns = tuple[tuple[GridNoise, int, int], ...]

_CERTAIN_BITS = 256
_WIDEST = 1 << 21  # steps between two records for which losses are added up
_FIGURE_CELLS = 1 << 16  # for figures and first guesses
_READABLE = 2_000  # digits of numbers that a certificate shows


@dataclass(frozen=True)
class GridPair(Pair):
    """Independent columns, each grid noise at two centres `span` >= 1 steps apart: (noise, span, how often)."""

    columns: Columns

    def profile(self, epsilon: sp.Expr) -> sp.Expr:
        epsilon = sp.sympify(epsilon)
        if self._single and not epsilon.free_symbols:
            noise, span, _ = self.columns[0]
            with ctx.workprec(_CERTAIN_BITS):
                exact = exact_profile(noise, span, enclose(epsilon, bits=_CERTAIN_BITS))
            if exact is not None and max(v.denominator for v in exact) < 10**_READABLE:
                p, q = (sp.Rational(v.numerator, v.denominator) for v in exact)
                return p - sp.exp(epsilon) * q
        return _profile_function(self.columns)(epsilon)

    @property
    def _single(self) -> bool:
        return len(self.columns) == 1 and self.columns[0][2] == 1

    def bounds(self, epsilon: ArrayLike, cells: int = CELLS) -> tuple[Floats, Floats]:
        """Rigorous lower and upper bounds of the profile at each epsilon >= 0; fewer `cells` are quicker and wider."""
        eps = np.asarray(epsilon, dtype=float)
        flat = np.atleast_1d(eps).ravel()
        if not (np.isfinite(flat).all() and (flat >= 0).all()):
            raise ValueError(f"the privacy curve is defined for finite epsilon >= 0, got {epsilon!r}")
        if self._single:
            low, high = _one_column(*self.columns[0][:2], flat)
        elif any(noise.tail and span > _WIDEST for noise, span, _ in self.columns):
            # Bounds of a thousand scales and more: what the widest column shows alone is all but everything.
            low = np.max([_one_column(noise, span, flat)[0] for noise, span, _ in self.columns], axis=0)
            high = np.ones(len(flat))
        else:
            low, high = profile_bounds(self.columns, flat, cells)
        return low.reshape(eps.shape), high.reshape(eps.shape)

    def delta(self, epsilon: ArrayLike) -> Floats:
        low, high = self.bounds(epsilon, _FIGURE_CELLS)
        return np.asarray((low + high) / 2, dtype=float)

    def max_loss(self) -> sp.Expr:
        if any(not noise.tail for noise, _, _ in self.columns):
            return sp.oo
        return sp.Add(
            *(n * span * sp.log(sp.Rational(1 << 64, noise.ratio)) for noise, span, n in self.columns)
        )

    def pure_epsilon(self) -> float | None:
        """The largest loss, rounded up to a double; None if it is not finite."""
        loss = self.max_loss()
        return None if loss is sp.oo else above(enclose(loss))

    def renyi(self, order: sp.Expr) -> sp.Expr:
        if self.max_loss() is sp.oo:
            return sp.oo
        return _renyi_function(self.columns)(order)

    def steps(self) -> tuple[Step, ...]:
        return tuple(
            step for noise in dict.fromkeys(c[0] for c in self.columns) for step in noise_steps(noise)
        )


def _one_column(noise: GridNoise, span: int, epsilon: Floats) -> tuple[Floats, Floats]:
    with ctx.workprec(160):
        balls = [enclosed_profile(noise, span, arb(e)) for e in epsilon.tolist()]
    return np.array([max(0.0, below(b)) for b in balls]), np.array([min(1.0, above(b)) for b in balls])


def noise_steps(noise: GridNoise) -> tuple[Step, ...]:
    """What the whole weights must satisfy for the half-lines to be the best events."""
    w, name = noise.weights, f"{noise.kind} noise {noise.parameter:g} on the grid 2^{noise.exponent}"
    least = min((b * b - a * c for a, b, c in zip(w, w[1:], w[2:], strict=False)), default=0)
    steps = [
        Step(
            sp.Integer(sum(w) + 2 * noise.tail),
            "=",
            sp.Integer(2) ** 128,
            f"{name}: the whole weights and both tails sum to 2^128",
        ),
        Step(
            sp.Integer(least),
            ">=",
            sp.Integer(0),
            f"{name}: the least w[k]^2 - w[k-1] w[k+1] over all k: log-concave, so that the loss of a shift is monotone in the outcome",
        ),
    ]
    if noise.tail:
        ratio, last = sp.Rational(noise.ratio, 1 << 64), sp.Integer(w[-1])
        first = noise.tail * (1 - ratio)
        steps += [
            Step(
                first / last,
                ">=",
                ratio,
                f"{name}: from the last weight to the tail the law falls by no more than in the tail",
            ),
            Step(
                first / last,
                "<=",
                last / (w[-2] if len(w) > 1 else first),
                f"{name}: and by no less than before it",
            ),
            Step(
                sp.log(1 / ratio),
                "<=",
                sp.Rational(2) ** noise.exponent / sp.Rational(repr(noise.parameter)),
                f"{name}: the loss of one step is at most 2^exponent/scale",
            )
            if noise.kind == "laplace"
            else Step(sp.log(1 / ratio), ">", sp.Integer(0), f"{name}: the tail falls"),
        ]
    return tuple(steps)


class GridProfile(EnclosedFunction):
    """delta(epsilon) of one pair; `columns` belongs to the subclass that is made for the pair."""

    columns: Columns = ()
    word = "delta"
    witness = "grid profile"

    def _sympystr(self, printer: Any) -> str:
        inside = ", ".join(
            f"{n} x {noise.kind} {noise.parameter:g} on 2^{noise.exponent} moved by {span} steps"
            for noise, span, n in self.columns[:4]
        )
        return f"{self.word}[{inside}{', ...' if len(self.columns) > 4 else ''}]({printer.doprint(self.args[0])})"

    def columns_as_data(self) -> list[dict[str, Any]]:
        """What a witness needs to evaluate the profile again."""
        return [
            {
                "noise": noise.kind,
                "parameter": noise.parameter,
                "exponent": noise.exponent,
                "span": span,
                "entries": n,
            }
            for noise, span, n in self.columns
        ]


@lru_cache(maxsize=256)
def _profile_function(columns: Columns) -> type[GridProfile]:
    return GridProfile.enclosed_by(partial(_enclosed_delta, columns), columns=columns)


@lru_cache(maxsize=256)
def _renyi_function(columns: Columns) -> type[GridProfile]:
    value = partial(_enclosed_renyi, columns)
    return GridProfile.enclosed_by(value, "GridRenyi", columns=columns, word="renyi")


def _enclosed_delta(columns: Columns, epsilon: arb) -> arb:
    if len(columns) == 1 and columns[0][2] == 1:
        return enclosed_profile(*columns[0][:2], epsilon)
    low, high = _remembered(columns, max(0.0, below(epsilon)), max(0.0, above(epsilon)))
    return arb(low).union(arb(high))


@lru_cache(maxsize=512)
def _remembered(columns: Columns, least: float, most: float) -> tuple[float, float]:
    # The profile falls with epsilon.
    low, high = GridPair(columns).bounds(np.array([least, most]))
    return float(low[1]), float(high[0])


def _enclosed_renyi(columns: Columns, order: arb) -> arb:
    if any(span > _WIDEST for _, span, _ in columns):
        raise NotEnclosableError("no Renyi divergence is computed for records so many steps apart")
    return sum((n * enclosed_renyi(noise, span, order) for noise, span, n in columns), arb(0))
