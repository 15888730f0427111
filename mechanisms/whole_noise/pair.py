"""Two vectors of whole numbers under the same discrete noise, as a pair of laws whose profile can be enclosed."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx
from numpy.typing import ArrayLike

from ...symbolic.arrays import Floats
from ...symbolic.privacy.pair import Pair
from ...symbolic.proof.as_written import applied
from ...symbolic.proof.derivation import Step
from ...symbolic.proof.enclosure import EnclosedFunction, enclose, rational
from ...symbolic.proof.exact_numbers import above, below
from .gaussian import DiscreteGaussian
from .laplace import DiscreteLaplace
from .noise import BITS
from .profile import Columns, enclosed_delta, enclosed_renyi, thresholds


@dataclass(frozen=True)
class WholePair(Pair):
    """Independent columns, each discrete noise at two centres `span` >= 1 steps apart: (noise, span, how often).

    The profile of one column is exact; of several it is enclosed between that of the widest one and what the sum of
    their costs allows, which `delta` shows.
    """

    columns: Columns

    @property
    def curve_known(self) -> str:  # type: ignore[override]
        return "law, exact" if self.single else "law, upper bound"

    @property
    def single(self) -> bool:
        """Whether the two vectors differ in one column only."""
        return len(self.columns) == 1 and self.columns[0][2] == 1

    def profile(self, epsilon: sp.Expr) -> sp.Expr:
        epsilon = sp.sympify(epsilon)
        noise, span, _ = self.columns[0]
        if self.single and isinstance(noise, DiscreteLaplace) and not epsilon.free_symbols:
            return _laplace_profile(noise, span, epsilon)
        return _profile_function(self.columns)(epsilon)

    def bounds(self, epsilon: ArrayLike) -> tuple[Floats, Floats]:
        """Rigorous lower and upper bounds of the profile at each epsilon >= 0."""
        eps = np.asarray(epsilon, dtype=float)
        if not (np.isfinite(eps).all() and (eps >= 0).all()):
            raise ValueError(f"the privacy curve is defined for finite epsilon >= 0, got {epsilon!r}")
        with ctx.workprec(BITS):
            balls = [enclosed_delta(self.columns, arb(e)) for e in eps.ravel().tolist()]
        low = np.array([max(0.0, below(b)) for b in balls]).reshape(eps.shape)
        return low, np.array([min(1.0, above(b)) for b in balls]).reshape(eps.shape)

    def delta(self, epsilon: ArrayLike) -> Floats:
        low, high = self.bounds(epsilon)
        return (low + high) / 2 if self.single else high

    def max_loss(self) -> sp.Expr:
        if not all(isinstance(noise, DiscreteLaplace) for noise, _, _ in self.columns):
            return sp.oo
        return sp.Add(*(n * rational(noise.rate * span) for noise, span, n in self.columns))

    def renyi(self, order: sp.Expr) -> sp.Expr:
        known = self.concentration()
        if known is not None and sp.sympify(order).is_integer:
            return order * known[0]
        return _renyi_function(self.columns)(order)

    def concentration(self) -> tuple[sp.Expr, str] | None:
        if not all(isinstance(noise, DiscreteGaussian) for noise, _, _ in self.columns):
            return None
        value = sum((n * noise.rate * span**2 for noise, span, n in self.columns), Fraction(0))
        reason = "the Renyi divergence of order a is at most a times the sum of d^2/(2 s^2), for every a, and attains it at a = 2"
        return rational(value), reason

    def steps(self) -> tuple[Step, ...]:
        kinds = {noise.kind for noise, _, _ in self.columns}
        return (
            *(_gaussian_steps() if "gaussian" in kinds else ()),
            *(_laplace_steps() if "laplace" in kinds else ()),
        )


def _laplace_profile(noise: DiscreteLaplace, span: int, epsilon: sp.Expr) -> sp.Expr:
    """P(Y < t) - e^epsilon P(Y < t - span) in exponentials; at a tie both thresholds give the same."""
    with ctx.workprec(BITS):
        ends = thresholds(noise, span, enclose(epsilon, bits=BITS))
    q = sp.exp(-rational(noise.rate))

    def before(n: int) -> sp.Expr:
        return q ** (1 - n) / (1 + q) if n <= 0 else 1 - q**n / (1 + q)

    values = [before(t) - sp.exp(epsilon) * before(t - span) for t in dict.fromkeys(ends)]
    return sp.Max(sp.Integer(0), *values, evaluate=False)


def _gaussian_steps() -> tuple[Step, ...]:
    x, d, a = (sp.Symbol(n, real=True) for n in ("x", "d", "a"))
    s2 = sp.Symbol("s2", positive=True)
    j, k = sp.Symbol("j", integer=True), sp.Symbol("k", integer=True)
    return (
        Step(
            -a * (x - d) ** 2 / (2 * s2) - (1 - a) * x**2 / (2 * s2),
            "=",
            -((x - a * d) ** 2) / (2 * s2) + a * (a - 1) * d**2 / (2 * s2),
            "the exponent of p^a q^(1-a): its sum is e^(a (a - 1) d^2/(2 s2)) times sum_x e^(-(x - a d)^2/(2 s2))",
        ),
        Step(
            applied(sp.cos, 2 * sp.pi * j * k),
            "=",
            sp.Integer(1),
            "by Poisson's formula sum_x e^(-(x - c)^2/(2 s2)) is a sum over j of positive weights times cos(2 pi j c): largest "
            "at whole c, so that the divergence is at most a d^2/(2 s2), and equal to it where a d is whole",
        ),
    )


def _laplace_steps() -> tuple[Step, ...]:
    y, d = sp.Symbol("y", nonnegative=True), sp.Symbol("d", nonnegative=True)
    return (
        Step(
            (y + d) - sp.Abs(y),
            "=",
            d,
            "the loss in scales, |y + d| - |y|, is at most d by the triangle inequality, and d at every y >= 0",
        ),
    )


class WholeProfile(EnclosedFunction):
    """A curve of one pair; `columns` belongs to the subclass that is made for the pair."""

    columns: Columns = ()
    word = "delta"
    witness = "whole profile"

    def _sympystr(self, printer: Any) -> str:
        inside = ", ".join(
            f"{n} x {noise.kind} {noise.rate} moved by {span}" for noise, span, n in self.columns[:4]
        )
        return f"{self.word}[{inside}{', ...' if len(self.columns) > 4 else ''}]({printer.doprint(self.args[0])})"

    def columns_as_data(self) -> list[dict[str, Any]]:
        """What a witness needs to evaluate the profile again."""
        return [
            {"noise": noise.kind, "parameter": str(parameter), "span": span, "entries": n}
            for noise, span, n in self.columns
            for parameter in (noise.proxy if isinstance(noise, DiscreteGaussian) else 1 / noise.rate,)
        ]


@lru_cache(maxsize=256)
def _profile_function(columns: Columns) -> type[WholeProfile]:
    return WholeProfile.enclosed_by(partial(enclosed_delta, columns), columns=columns)


@lru_cache(maxsize=256)
def _renyi_function(columns: Columns) -> type[WholeProfile]:
    return WholeProfile.enclosed_by(
        partial(enclosed_renyi, columns), "WholeRenyi", columns=columns, word="renyi"
    )
