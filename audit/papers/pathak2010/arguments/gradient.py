"""How far one record moves the gradient of the large-margin loss: norms of rank-one matrices, weights, signs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from .....symbolic.proof.as_written import applied, power, product, total
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.exact_numbers import ball, enclosed
from .....symbolic.proof.expressions import parse
from .....symbolic.proof.trace import Column, Trace, identity
from ....dossier import Comparison, Formula, Instances, argued, rule
from .exact import inner, matrix, plus, problem_of
from .loss import CORRECTED, H, S

C = 2 + sp.Symbol("j", integer=True, nonnegative=True)
ZERO, ONE = sp.Integer(0), sp.Integer(1)
PRINTED_BOUND = "2"
NEEDED_BOUND = "max(2*C, 2*sqrt(2)*(C - 1))"
EPSILON = sp.Symbol("epsilon", positive=True)


def bound_of(text: str) -> sp.Expr:
    """The bound as an expression in the number of classes."""
    return parse(text, {"C": C})


def block_bound(text: str) -> Derivation:
    """|a X - a'X'| for the part of one class: a in [0, C - 1] for the record's own class, in [-1, 0] for a wrong one."""
    x, y = Column("x"), Column("y")
    s = sp.Symbol("s", nonnegative=True)
    bound = bound_of(text)
    apart, alike = product(2, C), product(2, sp.sqrt(2), C - 1)
    steps = (
        identity(
            Trace(x * x.T * x * x.T),
            Trace(x.T * x) ** 2,
            "|X| = |x|^2 for the extended record, in every dimension",
        ),
        identity(Trace(x * x.T * y * y.T), Trace(x.T * y) ** 2, "<X, X'> is a square, so never negative"),
        Step(1 + (1 / (1 + s)) ** 2, "<=", sp.Integer(2), "|X| = 1 + |x|^2 <= 2 in the unit ball"),
        Step(
            total(product(C - 1, 2), product(1, 2)),
            "=",
            apart,
            "a and a' of different signs: the triangle inequality",
        ),
        Step(
            total(power(product(C - 1, 2), 2), power(product(C - 1, 2), 2)),
            "=",
            power(alike, 2),
            "a and a' of one sign: the squares add up at most, since <X, X'> >= 0",
        ),
        Step(applied(sp.Max, apart, bound), "=", bound, "the triangle inequality stays within the bound"),
        Step(applied(sp.Max, alike, bound), "=", bound, "and so does the root of the squares"),
    )
    return Derivation(f"one record moves the gradient in one Phi_c by at most {text}", steps)


@rule("one record in the gradient", "price", "width")
def moved(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """|dL/dPhi_c - dL'/dPhi_c| for each class against the bound."""
    one, two = problem_of(numbers), problem_of(numbers, "other")
    phi = [matrix(p) for p in numbers["phi"]]
    bound = enclosed(printed["bound"], {"C": one.sample.classes})
    for c, (g, g2) in enumerate(zip(one.gradient(phi), two.gradient(phi), strict=True), 1):
        gap = plus(g, g2, Fraction(-1))
        yield f"move of the gradient in class {c}", ball(inner(gap, gap)).sqrt(), "<=", bound


def moves(bound: str) -> Instances:
    """Records 1 of class 1 and nearly 1 of class 2, both far on the wrong side; 1 and -1 of class 1; random ones."""
    nought = [["0", "0"], ["0", "0"]]

    def case(classes: int, records: list[tuple[str, int]], phi: list[list[list[str]]]) -> dict[str, Any]:
        sides = [{"features": [[x]], "labels": [y], "classes": classes} for x, y in records]
        return {
            "data": sides[0],
            "other": sides[1],
            "phi": phi,
            "noise": nought,
            "price": "1/4",
            "width": "1/2",
        }

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for classes in (2, 3, 5):
            for gap in (Fraction(1, 2), Fraction(1, 500)):
                near = 1 - gap
                level = 4 / gap**2
                # u is at a right angle to (near, 1), v to (1, 1).
                u, v = (1, -near), (1, -1)
                phi = [_square(u, level), _square(v, level)] + [nought] * (classes - 2)
                yield case(classes, [("1", 0), (str(near), 1)], phi)
            yield case(classes, [("1", 0), ("-1", 0)], [[["4", "0"], ["0", "4"]], *[nought] * (classes - 1)])
        for _ in range(12):
            classes = int(rng.integers(2, 6))
            records = [
                (str(Fraction(int(x), 8)), int(rng.integers(0, classes))) for x in rng.integers(-8, 9, 2)
            ]
            phi = [
                _square([Fraction(int(x), 2) for x in rng.integers(-4, 5, 2)], Fraction(1))
                for _ in range(classes)
            ]
            yield case(classes, records, phi)

    return Instances(
        "one record in the gradient",
        {"bound": bound},
        draw,
        f"one record moves the gradient in one Phi_c by at most {bound}",
    )


def _square(z: Any, level: Fraction) -> list[list[str]]:
    return [[str(level * a * b) for b in z] for a in z]


def noise_ratio(rate: sp.Expr) -> tuple[Formula, Formula]:
    """e^(rate (|b2| - |b1|)) <= e^(rate |b2 - b1|), then <= e^epsilon where |b2 - b1| comes near its supremum."""
    r, gap, w = sp.symbols("r g w", nonnegative=True)
    supremum = bound_of(NEEDED_BOUND)
    triangle = Formula(rate * ((r + gap - w) - r), "<=", rate * gap)
    steps = block_bound(NEEDED_BOUND).steps
    return triangle, Formula(
        product(rate, supremum),
        "<=",
        EPSILON,
        argument=argued(*steps, lemmas=("|b2| <= |b1| + |b2 - b1|",), relation="<="),
    )


def rank_one(exponent: int, most: int) -> tuple[Formula, Formula]:
    """|(x, 1)(x, 1)'| against |(x, 1)|^exponent, d = 1, and against `most` for x in the unit ball, x = 1/(1 + u)."""
    x = sp.Symbol("x", real=True)
    inside = 1 / (1 + sp.Symbol("u", nonnegative=True))
    z = sp.Matrix([x, 1])
    norm = sp.sqrt(sp.factor(sum(e**2 for e in sp.expand(z * z.T))))
    a = Column("x")
    general = identity(Trace(a * a.T * a * a.T), Trace(a.T * a) ** 2, "in every dimension |zz'|^2 = |z|^4")
    entries = Step(
        total(*(power(e, 2) for e in z * z.T)), "=", power(1 + x**2, 2), "the squares of the entries of zz'"
    )
    largest = sp.simplify(norm).subs(x, inside)
    return (
        Formula(norm, "=", power(sp.sqrt(1 + x**2), exponent), argument=argued(general, entries)),
        Formula(largest, "<=", sp.Integer(most)),
    )


def factor_bounds(unit: bool) -> tuple[Formula, ...]:
    """The factor on the parabola, against 1 at the lead h - q and 0 at q - h; then factor times |X|, and two of them; |X| <= 1 or 1 + x^2."""
    q, u, u2, x, y = sp.symbols("q u u2 x y", nonnegative=True)

    def factor(lead: sp.Expr) -> sp.Expr:
        return (H - (-lead)) / (2 * H)

    size, other = (1 / (1 + x), 1 / (1 + y)) if unit else (1 + 1 / (1 + x) ** 2, 1 + 1 / (1 + y) ** 2)
    weight, second = 1 / (1 + u), 1 / (1 + u2)
    return (
        Formula(factor(H - q), "<=", ONE),
        Formula(factor(q - H), ">=", ZERO),
        Formula(weight * size, "<=", ONE),
        Formula(weight * size + second * other, "<=", sp.Integer(2)),
    )


def derivative_formulas(middle: str, low: str, own: str) -> tuple[Formula, ...]:
    """Printed coefficients of X (texts in s, h; own class: in s, s2, h) times <X, E> against the derivative of the loss along E.

    The loss is that of CORRECTED; d = 1, E is any symmetric direction of Phi_c.
    """
    x, eta = sp.symbols("x eta", real=True)
    e = sp.Matrix(
        [
            [sp.Symbol("e1", real=True), sp.Symbol("e2", real=True)],
            [sp.Symbol("e2", real=True), sp.Symbol("e3", real=True)],
        ]
    )
    z = sp.Matrix([x, 1])
    along = sp.expand((z.T * e * z)[0])
    second = sp.Symbol("s2", real=True)
    names = {"s": S, "s2": second, "h": H}

    def slope(piece: str, s: sp.Expr, sign: int) -> sp.Expr:
        # Phi_c enters s = x'(Phi_y - Phi_c)x with a minus sign, Phi_y with a plus sign.
        return sp.diff(CORRECTED.of(piece).subs(S, s + sign * eta * along), eta).subs(eta, 0)

    wrong = tuple(
        Formula(product(parse(text, names), along), "=", sp.expand(slope(piece, S, -1)))
        for piece, text in (("middle", middle), ("low", low))
    )
    both = sp.expand(slope("middle", S, 1) + slope("middle", second, 1))
    return (*wrong, Formula(product(parse(own, names), along), "=", both))
