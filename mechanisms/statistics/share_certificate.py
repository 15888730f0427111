"""How far shares of a budget among measurements are from the best ones: a bound below every objective, in exact arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from ...symbolic.programs.certificate import PointCertificate
from ...symbolic.proof.derivation import Derivation, Step
from ...symbolic.proof.enclosure import rational
from ...symbolic.proof.truth import Truth
from .share_program import ShareProgram
from .split_certificate import theorem

TOLERANCE = Fraction(1, 10**6)
TANGENT = (
    "sum c/p' + t^2 sum (c/p^2) p' >= 2 t sum c/p, component by component; the second sum is at most t^2 M T for weights that add up to T, "
    "and t = F/(M T) gives sum c/p' >= F^2/(M T)"
)
SQUARES = "the squares of numbers that are not negative add up to at most the square of their sum"


@dataclass(frozen=True)
class ShareCertificate:
    """The objective of the shares, a bound below that of all other shares, and the steps that show it.

    PROVED: nothing is better by more than 1e-6 of the value.  FOUND: the best of many searches of a program that is not convex, and no
    more is claimed than the bound.
    """

    verdict: Literal["PROVED", "FOUND", "UNDECIDED"]
    value: Fraction = field(repr=False)
    lower: Fraction = field(repr=False)
    reason: str
    derivation: Derivation = field(repr=False)

    @property
    def gap(self) -> float:
        """How far the value may lie above the optimum, as a part of the optimum."""
        return float(self.value / self.lower - 1)


def gaussian_certificate(
    program: ShareProgram, weights: Sequence[Fraction], total: Fraction
) -> ShareCertificate:
    """That weights which add up to at most the total are the best within 1e-6."""
    value, lower, steps = lower_bound(program, weights, total)
    last = "no weights of this total are better by more than 1e-6"
    steps.append(Step(rational(value), "<=", rational(lower * (1 + TOLERANCE)), last))
    proved = _holds(steps)
    reason = (
        f"no shares of {_many(program)} are better by more than {float(value / lower - 1):.1e} of the optimum"
    )
    return ShareCertificate(
        "PROVED" if proved else "UNDECIDED",
        value,
        lower,
        reason if proved else f"not within 1e-6 of the bound: {reason}",
        _derivation(reason, steps, TANGENT),
    )


def laplace_certificate(
    program: ShareProgram, weights: Sequence[Fraction], relaxed: Sequence[Fraction], total: Fraction
) -> ShareCertificate:
    """A bound for Laplace noise from near-optimal weights of the convex program, which allows more than Laplace noise does.

    The shares of Laplace noise are the roots of the weights, and their sum is at most the root of the total.
    """
    value = program.exact_value(weights)
    _, lower, steps = lower_bound(program, relaxed, total)
    steps.append(Step(rational(lower), "<=", rational(value), "the bound lies below the value"))
    reason = (
        "the best of many searches: precisions are squares of shares, the program is not convex; no shares of "
        f"{_many(program)} have a root mean squared error below 1/{float(value / lower) ** 0.5:.3g} of this one"
    )
    word: Literal["FOUND", "UNDECIDED"] = "FOUND" if _holds(steps) else "UNDECIDED"
    return ShareCertificate(word, value, lower, reason, _derivation(reason, steps, TANGENT, SQUARES))


def lower_bound(
    program: ShareProgram, weights: Sequence[Fraction], total: Fraction
) -> tuple[Fraction, Fraction, list[Step]]:
    """The value F of the weights, the bound F^2 / (M T) with M the greatest gain of a measurement, and the steps."""
    gains, value = program.exact_gains(weights), program.exact_value(weights)
    most, spent = max(gains), sum(weights, Fraction(0))
    lower = value**2 / (most * total)
    gained = sum((w * g for w, g in zip(weights, gains, strict=True)), Fraction(0))
    steps = [
        Step(
            rational(spent),
            "<=",
            rational(total),
            "the weights are within the total",
            shown=_both(spent, total),
        ),
        Step(
            rational(gained),
            "=",
            rational(value),
            "the gains of the weights add up to the objective: it is homogeneous of degree -1",
            shown=(f"sum of weight * gain = {float(gained):.12g}", f"sum of c / p = {float(value):.12g}"),
        ),
        *(
            Step(rational(g), "<=", rational(most), f"the gain of measuring {name}", shown=_both(g, most))
            for name, g in zip(program.names, gains, strict=True)
        ),
        Step(
            rational(lower * most * total),
            "=",
            rational(value**2),
            "the bound F^2 / (M T)",
            shown=(f"{float(lower):.12g} * M * T", f"F^2 = {float(value**2):.12g}"),
        ),
    ]
    return value, lower, steps


def _many(program: ShareProgram) -> str:
    return f"{len(program.names)} {'tables' if len(program.names) > 1 else 'table'}"


def _holds(steps: list[Step]) -> bool:
    """Whether the steps hold, and the theorem of one component, which was checked when it was made."""
    return Derivation("", tuple(steps)).check() is Truth.HOLDS and _theorem().verdict == "PROVED"


def _theorem() -> PointCertificate:
    return theorem(1, False, True)


def _derivation(reason: str, steps: list[Step], *lemmas: str) -> Derivation:
    found = _theorem().derivation
    return Derivation(reason, (*steps, *found.steps), (*lemmas, *found.lemmas))


def _both(left: Fraction, right: Fraction) -> tuple[str, str]:
    return f"{float(left):.12g}", f"{float(right):.12g}"
