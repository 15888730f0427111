"""The minimiser of a functional by finite elements, its value from above and, where the functional is convex, from below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

import sympy as sp
from flint import arb

from ...errors import SpecError
from ...proof.apart import UnfinishedError, apart
from ...proof.derivation import Derivation, Step
from ...proof.enclosure import enclose
from ...proof.exact_numbers import above, below
from ...proof.fact import Fact
from ...proof.truth import Truth
from .euler_lagrange import convexity
from .fixed_ends import unbounded_step
from .integrals import integral_ball
from .lower_bound import LowerBound, lower_bound
from .ritz import NoMinimiserError, RitzSolution, ritz
from .stated_functional import StatedFunctional

FENCHEL = (
    "an admissible function bounds the optimum of a convex functional on one side, and the integral of the infimum at each point "
    "on the other (Fenchel's inequality); both integrals are enclosed in balls"
)
_DEGREES = (6, 10, 14, 18, 22, 26)


@dataclass(frozen=True)
class FunctionalSolution:
    """`function` is admissible, exactly; its value is at most `upper`, and no competitor has less than `lower` (None: not known).

    None where no function was found; an infinite `upper` says that the functional has no lower bound.  For a maximum the two change places.  `degree` is that of the finite element; `reason` says how the bound came about, or why not.
    """

    function: sp.Expr | None
    lower: float | None
    upper: float | None
    multipliers: tuple[float, ...]
    degree: int
    convex: Fact
    reason: str
    derivation: Derivation = field(repr=False)

    @property
    def gap(self) -> float:
        """The width of the enclosure of the optimum; infinite where one side is not known."""
        if self.lower is None or self.upper is None:
            return float("inf")
        return self.upper - self.lower

    def _repr_latex_(self) -> str:
        low, high = (
            ("-\\infty" if self.lower is None else f"{self.lower:.9g}"),
            ("\\infty" if self.upper is None else f"{self.upper:.9g}"),
        )
        return f"$\\min J \\in [{low}, {high}]$"


def solve(functional: StatedFunctional, tolerance: float = 1e-6) -> FunctionalSolution:
    """Elements of rising degree until the enclosure is narrower than tolerance times the value.

    Raises SpecError for a functional on an unbounded interval or with parameters: give numbers, or certify a formula.
    """
    f = functional
    if f.parameters:
        raise SpecError(
            f"finite elements need numbers, and {f.parameters[0]} is a parameter: substitute a value, or certify a formula"
        )
    if not (f.low.is_rational and f.high.is_rational):
        raise SpecError(
            f"finite elements need rational ends, got ({f.low}, {f.high}): give a bounded interval, or certify a formula"
        )
    bent = next((c for c in f.constraints if not _affine(f, c.integrand)), None)
    if bent is not None:
        raise SpecError(
            f"finite elements keep constraints that are affine in u and u', and {f.written(bent.integrand)} is not: for a square, "
            "state the problem for the density p = u**2"
        )
    convex, best, stopped = convexity(f), None, ""
    for degree in _DEGREES:
        try:
            found = apart(partial(_of_degree, f, degree, convex), f"elements of degree {degree}")
        except UnfinishedError as error:
            stopped = f"; {error}"
            break
        except (NoMinimiserError, sp.PolynomialError, ZeroDivisionError, ValueError) as error:
            stopped = f"; degree {degree}: {error}"
            continue
        if best is None or found.gap < best.gap:
            best = found
        if found.function is not None and (convex.truth is not Truth.HOLDS or found.lower is None):
            falls = unbounded_step(f, found.function.xreplace({f.unknown.args[0]: f.x}))
            if falls is not None:
                return _without_bound(f, found, falls)
        if best.gap <= tolerance * max(1.0, abs(best.upper or 0.0)):
            break
    if best is None:
        nothing = f"no minimiser was found{stopped}"
        return FunctionalSolution(None, None, None, (), 0, convex, nothing, Derivation(nothing, ()))
    return replace(best, reason=best.reason + stopped)


def _of_degree(f: StatedFunctional, degree: int, convex: Fact) -> FunctionalSolution:
    return _enclosed(f, ritz(f, degree), convex)


def _without_bound(f: StatedFunctional, found: FunctionalSolution, falls: Step) -> FunctionalSolution:
    infinite = float("-inf") if f.sign == 1 else float("inf")
    ends = (None, infinite) if f.sign == 1 else (infinite, None)
    what = "the functional has no lower bound" if f.sign == 1 else "the functional has no upper bound"
    words = f"{what}: {falls.reason}"
    return replace(
        found,
        function=None,
        lower=ends[0],
        upper=ends[1],
        reason=words,
        derivation=Derivation(words, (falls,)),
    )


def _affine(f: StatedFunctional, e: sp.Expr) -> bool:
    names = (f.u, f.slope)
    return all(sp.simplify(sp.diff(e, a, b)) == 0 for a in names for b in names)


def _enclosed(f: StatedFunctional, found: RitzSolution, convex: Fact) -> FunctionalSolution:
    along = _along(f, found)
    upper = integral_ball(along, f.x, f.low, f.high)
    bound = LowerBound(None, f"no lower bound: {convex.reason}")
    if convex.truth is Truth.HOLDS:
        bound = lower_bound(f, found)
    low, high = _end(bound.value, below), _end(upper, above)
    steps = [] if high is None else [_upper_step(f, along, high)]
    steps += [] if low is None else [_lower_step(f, found, low, bound.argument)]
    if f.sign == -1:
        low, high = (None if high is None else -high), (None if low is None else -low)
    return FunctionalSolution(
        found.function.xreplace({f.x: f.unknown.args[0]}),
        low,
        high,
        tuple(f.sign * float(m) for m in found.multipliers),
        found.degree,
        convex,
        bound.argument,
        Derivation("an enclosure of the optimum", tuple(steps), (FENCHEL, *bound.lemmas)),
    )


def _upper_step(f: StatedFunctional, along: sp.Expr, high: float) -> Step:
    """The value of an admissible function, integrated anew whenever it is checked."""

    def again(left: sp.Expr, right: sp.Expr) -> Truth:
        ball = integral_ball(left.function, f.x, f.low, f.high)
        return Truth.HOLDS if ball is not None and bool(ball <= enclose(right)) else Truth.UNKNOWN

    shown = ("the integral along the function of the finite elements", repr(high))
    left, right = sp.Integral(along, (f.x, f.low, f.high)), sp.Rational(*high.as_integer_ratio())
    return Step(left, "<=", right, "an admissible function, its value in balls", again, shown)


def _lower_step(f: StatedFunctional, found: RitzSolution, low: float, argument: str) -> Step:
    """The bound that no admissible function is below, found anew whenever it is checked."""

    def again(left: sp.Expr, _right: sp.Expr) -> Truth:
        value = lower_bound(f, found).value
        return Truth.HOLDS if value is not None and bool(enclose(left) <= value) else Truth.UNKNOWN

    left = sp.Rational(*low.as_integer_ratio())
    shown = (repr(low), "the value of every admissible function")
    return Step(left, "<=", sp.Symbol("J", real=True), argument, again, shown)


def _along(f: StatedFunctional, found: RitzSolution) -> sp.Expr:
    """The integrand along the function: where this is w^2 r, powers of w that stand above and below are gone."""
    if found.root is None:
        return f.at(f.integrand, found.function)
    w, dw, r, dr = sp.symbols("w dw r dr", real=True, cls=sp.Dummy)
    image = {f.u: w**2 * r, f.slope: 2 * w * dw * r + w**2 * dr}
    whole = sp.cancel(f.integrand.subs(image, simultaneous=True))
    parts = (found.root, sp.diff(found.root, f.x), found.share, sp.diff(found.share, f.x))
    return whole.xreplace(
        {a: sp.horner(b) if b.has(f.x) else b for a, b in zip((w, dw, r, dr), parts, strict=True)}
    )


def _end(ball: arb | None, side: Callable[[arb], float]) -> float | None:
    return None if ball is None or not ball.is_finite() else float(side(ball))
