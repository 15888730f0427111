"""The smoothed hinge loss piece by piece: how its pieces join, how far it is from the hinge, and its convexity."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from .....symbolic.proof.as_written import applied, difference, product, quotient, total, value_at
from .....symbolic.proof.derivation import Derivation, Step, evaluated
from .....symbolic.proof.exact_numbers import ball, enclosed
from .....symbolic.proof.expressions import parse
from ....dossier import Comparison, Formula, Instances, argued, rule
from ....record.evidence import Line, Series
from .exact import Matrix, matrix, plus, problem_of, texts

H = sp.Symbol("h", positive=True)
S = sp.Symbol("s", real=True)
ZERO, ONE = sp.Integer(0), sp.Integer(1)


@dataclass(frozen=True)
class Pieces:
    """The loss at s = x'(Phi_y - Phi_c)x, minus the lead: 0 for s < -h, `middle` for |s| <= h, `low` for s > h (texts in s, h)."""

    middle: str
    low: str

    def of(self, name: str) -> sp.Expr:
        """The piece as an expression."""
        return parse(getattr(self, name), {"s": S, "h": H})


PRINTED = Pieces("(h - s)**2/(4*h)", "-s")
CORRECTED = Pieces("(h + s)**2/(4*h)", "s")


def joints(pieces: Pieces) -> tuple[Formula, ...]:
    """Values and slopes of neighbouring pieces where they meet, at s = -h and at s = h; values first."""
    middle, low = pieces.of("middle"), pieces.of("low")
    slope = sp.factor(sp.diff(middle, S))
    return (
        Formula(value_at(middle, {S: -H}), "=", ZERO),
        Formula(value_at(middle, {S: H}), "=", value_at(low, {S: H})),
        Formula(value_at(slope, {S: -H}), "=", ZERO),
        Formula(value_at(slope, {S: H}), "=", sp.diff(low, S)),
    )


def drawn() -> Series:
    """Both readings of equation 6 for h = 1/2, and the hinge of equation 4."""
    grid = [sp.Rational(i, 20) for i in range(-40, 41)]

    def values(pieces: Pieces) -> tuple[float, ...]:
        at = {H: sp.Rational(1, 2)}
        middle, low = (pieces.of(name).subs(at) for name in ("middle", "low"))
        return tuple(float((ZERO if s < -at[H] else low if s > at[H] else middle).subs(S, s)) for s in grid)

    x = tuple(float(s) for s in grid)
    return Series(
        "huber loss",
        "Loss of a record, half width h = 1/2",
        "s = x'(Phi_y - Phi_c)x",
        "loss",
        (
            Line("equation 6 as printed", "claimed", x, values(PRINTED)),
            Line("equation 6, signs corrected", "law", x, values(CORRECTED)),
            Line("hinge of equation 4, margin 1", "bound", x, tuple(max(0.0, 1 + s) for s in x)),
        ),
    )


def smoothed(s: sp.Expr, h: sp.Expr = H) -> sp.Expr:
    """The corrected loss in one expression."""
    return sp.Max(0, sp.Min(s + h, 2 * h)) ** 2 / (4 * h) + sp.Max(0, s - h)


def near_hinge(margin: int, share: sp.Expr = ONE) -> Formula:
    """|loss at s + margin - max(0, 1 + s)| against share h/4."""

    def argue(formula: Formula) -> Derivation:
        p, rest = sp.Symbol("p", nonnegative=True), sp.Symbol("q", positive=True)
        width = p + rest
        regions = (
            ({S: H + p - 1}, ZERO, "beyond the parabola on the losing side"),
            ({S: -H - p - 1}, ZERO, "beyond it on the winning side"),
            ({H: width, S: p - 1}, rest**2 / (4 * width), "on the parabola, where the hinge is positive"),
            ({H: width, S: -p - 1}, rest**2 / (4 * width), "on the parabola, where it is zero"),
        )
        steps = [
            Step(value_at(formula.left, at), "=", apart, f"distance {where}", how=evaluated)
            for at, apart, where in regions
        ]
        steps.append(
            Step(
                value_at(formula.right, {H: width}),
                ">=",
                rest**2 / (4 * width),
                "largest at the hinge's corner",
            )
        )
        return Derivation("the distance from the hinge is at most h/4", tuple(steps))

    return Formula(sp.Abs(smoothed(S + margin) - sp.Max(0, 1 + S)), "<=", share * H / 4, argument=argue)


def convexity_steps(pieces: Pieces) -> Derivation:
    """The pieces join with equal slopes, and none bends downwards; the parabola as a semidefinite constraint."""
    u, w = sp.symbols("u w", real=True)
    middle, low = pieces.of("middle"), pieces.of("low")
    slopes = {piece: sp.factor(sp.diff(piece, S)) for piece in (middle, low)}
    steps = [
        Step(value_at(middle, {S: -H}), "=", ZERO, "values of neighbouring pieces at s = -h"),
        Step(value_at(middle, {S: H}), "=", value_at(low, {S: H}), "values of neighbouring pieces at s = h"),
        *(
            Step(sp.Derivative(piece, S), "=", slope, f"the slope of the {name} piece")
            for name, (piece, slope) in zip(("middle", "low"), slopes.items(), strict=True)
        ),
        Step(value_at(slopes[middle], {S: -H}), "=", ZERO, "slopes of neighbouring pieces at s = -h"),
        Step(value_at(slopes[middle], {S: H}), "=", slopes[low], "slopes of neighbouring pieces at s = h"),
        *(
            Step(
                sp.Derivative(pieces.of(name), (S, 2)),
                ">=",
                ZERO,
                f"the {name} piece does not bend downwards",
            )
            for name in ("middle", "low")
        ),
        Step(
            difference(product(w, product(4, H)), product(u, u)),
            "=",
            product(4, H, difference(w, quotient(u**2, 4 * H))),
            "the determinant of [[w, u], [u, 4h]], which is positive semidefinite if and only if u^2/(4h) <= w",
        ),
    ]
    lemmas = (
        "a function on the line that is continuously differentiable with slopes that never fall is convex",
        "a convex function of s stays one when s is linear in the matrices; sums of such and linear terms too",
        "the loss is min u^2/(4h) + v over u + v >= h + s, v >= 0, u >= 0: a semidefinite program",
    )
    return Derivation("the objective is convex and a semidefinite program", tuple(steps), lemmas)


@rule("objective at a midpoint", "price", "width")
def midpoint(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The objective halfway between two parameters against the mean of both, the loss made from the pieces given."""
    problem = problem_of(numbers)
    ends: list[list[Matrix]] = [[matrix(p) for p in numbers[k]] for k in ("phi", "other_phi")]
    half = [plus(plus(p, p, Fraction(-1, 2)), q, Fraction(1, 2)) for p, q in zip(*ends, strict=True)]

    def value(phi: list[Matrix]) -> arb:
        total = arb(0)
        h = problem.width
        for row, y in zip(problem.leads(phi), problem.sample.labels, strict=True):
            for c, t in enumerate(row):
                if c != y and t <= h:
                    name = "low" if t < -h else "middle"
                    total += enclosed(printed[name], {"s": str(-t), "h": str(h)})
        traces = sum((p[i][i] for p in phi for i in range(len(p) - 1)), Fraction(0))
        return total + ball(problem.price * traces)

    yield "objective at the midpoint", value(half), "<=", (value(ends[0]) + value(ends[1])) / 2


def midpoints(pieces: Pieces) -> Instances:
    """One record whose lead crosses either joint; then random positive semidefinite matrices of two classes."""
    nought = [["0", "0"], ["0", "0"]]

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        base = {"noise": nought, "price": "1/4", "width": "1/2"}
        one = {"features": [["0"]], "labels": [0], "classes": 2}
        ends = [[nought, [["0", "0"], ["0", top]]] for top in ("1", "0")]
        yield {**base, "data": one, "phi": ends[0], "other_phi": ends[1]}
        # Across the joint of the parabola and the line.
        ends = [[[["0", "0"], ["0", top]], nought] for top in ("99/200", "101/200")]
        yield {**base, "data": one, "phi": ends[0], "other_phi": ends[1]}
        for _ in range(12):
            features = [[str(Fraction(int(x), 8))] for x in rng.integers(-8, 9, 3)]
            data = {"features": features, "labels": [int(y) for y in rng.integers(0, 2, 3)], "classes": 2}
            ends = [[texts(_positive(rng)) for _ in range(2)] for _ in range(2)]
            yield {**base, "data": data, "phi": ends[0], "other_phi": ends[1]}

    return Instances(
        "objective at a midpoint",
        {"middle": pieces.middle, "low": pieces.low},
        draw,
        "the objective halfway is at most the mean of both ends",
    )


def _positive(rng: np.random.Generator) -> Matrix:
    a, b, c = (Fraction(int(x), 4) for x in rng.integers(-4, 5, 3))
    return [[a * a, a * b], [a * b, b * b + c * c]]


@rule("loss of mixtures at a midpoint")
def mixtures(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Hinge loss 1 + own score - least score of the other class, halfway; scores are linear in the matrices.

    `own` is "told" (the first component is that of the record) or "least" over the components of its class.
    """
    ends = [[[Fraction(x) for x in scores] for scores in numbers[k]] for k in ("scores", "other_scores")]
    halfway = [[(a + b) / 2 for a, b in zip(p, q, strict=True)] for p, q in zip(*ends, strict=True)]

    def loss(own: list[Fraction], other: list[Fraction]) -> Fraction:
        score = own[0] if printed["own"] == "told" else min(own)
        return max(Fraction(0), 1 + score - min(other))

    left, first, second = (loss(*s) for s in (halfway, *ends))
    yield "loss of the record halfway", ball(left), "<=", ball((first + second) / 2)


def mixture_losses(own: str) -> Instances:
    """Components whose scores swap; then random scores."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        yield {"scores": [["0", "2"], ["0", "0"]], "other_scores": [["2", "0"], ["0", "0"]]}
        for _ in range(20):
            both = [[[str(int(x)) for x in rng.integers(0, 5, 2)] for _ in range(2)] for _ in range(2)]
            yield {"scores": both[0], "other_scores": both[1]}

    return Instances(
        "loss of mixtures at a midpoint",
        {"own": own},
        draw,
        f"the loss of a mixture is convex, own component {own}",
    )


def mixture_formulas(own: str) -> tuple[Formula, Formula]:
    """The loss against the least score is a largest linear term, beside the noise's t; a feasible slack is at least the hinge.

    Own scores are a and a2; b is the least score of the components so far, b + u that of one more (or the other way round).
    """
    a, a2, b, t = sp.symbols("a a2 b t", real=True)
    score = a if own == "told" else sp.Min(a, a2)
    u, w = sp.symbols("u w", nonnegative=True)
    least = applied(sp.Min, b, b + u)
    left = total(applied(sp.Max, 0, difference(1 + score, least)), t)
    lemmas = (
        "a largest of linear terms is convex, and so are sums of such; a minimum over components is made of minima of two",
    )
    hinge = applied(sp.Max, 0, difference(total(w, u), u))
    return (
        Formula(left, "=", sp.Max(0, 1 + a - b, 1 + a - b - u) + t, argument=argued(lemmas=lemmas)),
        Formula(hinge, "<=", w + u, argument=argued(Step(hinge, "=", w, "hinge of a lead 1 - w"))),
    )
