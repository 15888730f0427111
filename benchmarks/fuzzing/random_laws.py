"""Random laws that are normalised by how they are made, with what is true of their regularity known from how they are made.

A shape without parameters is stretched, moved and bent by functions of the parameters; the change of variables keeps the mass.
What decides about regularity is followed by hand: which points of the density move, and how it behaves next to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy as sp

import noiseproof as npf

Y = sp.Symbol("y", real=True)
S, R = sp.symbols("s r", positive=True)
T = sp.Symbol("t", real=True)
W = sp.Symbol("w", positive=True)  # a weight: between 0 and 1
_HALF = sp.Rational(1, 2)
# Next to a point of this order a density vanishes faster than any power.
FLAT = sp.Integer(100)


@dataclass(frozen=True)
class RandomLaw:
    """A density with its support, the parameters, and a point at which it is a law.

    `points` are places where the density is not smooth: (place, order): next to it the density, or its part that is not smooth, is of
    that order, 0 for a jump.  `kinked`: parameters enter through a function that has a kink.
    """

    said: str
    density: sp.Expr
    support: tuple[sp.Expr, sp.Expr]
    at: Mapping[sp.Symbol, sp.Rational]
    points: tuple[tuple[sp.Expr, sp.Expr], ...] = ()
    discrete: bool = False
    kinked: bool = False
    domains: Mapping[str, tuple[Any, Any]] = field(default_factory=dict)
    low: Any = FLAT

    @property
    def parameters(self) -> tuple[sp.Symbol, ...]:
        """What is still a symbol, in order of the names."""
        found = set().union(*(e.free_symbols for e in (self.density, *self.support))) - {Y}
        return tuple(sorted(found, key=str))

    @property
    def moving(self) -> tuple[tuple[sp.Expr, sp.Expr], ...]:
        """The points that a parameter moves."""
        return tuple(
            (p, a) for p, a in self.points if any(sp.simplify(sp.diff(p, q)) != 0 for q in self.parameters)
        )

    @property
    def irregular(self) -> bool:
        """Whether the information is infinite, or a jump moves, for some values of the parameters."""
        # An order that depends on a parameter is small for some of its values.
        return any(not a.is_number or a <= self._least(place) for place, a in self.moving)

    def _least(self, place: sp.Expr) -> sp.Expr:
        """The order up to which a moving point is irregular: an end or zero of order 1, a cusp of order 1/2."""
        return sp.Integer(1) if place in self.support else _HALF

    def law(self) -> npf.Law:
        """The law, as a user writes it."""
        return npf.Law.from_density(
            self.density, Y, self.support, discrete=self.discrete, name=self.said, domains=self.domains
        )

    def another(self, rng: np.random.Generator) -> dict[sp.Symbol, sp.Rational]:
        """Other values of the parameters, drawn from where the law is one."""
        return {p: drawn_value(p, rng) for p in self.parameters}


def drawn_value(p: sp.Symbol, rng: np.random.Generator) -> sp.Rational:
    """A value that the parameter may have."""
    if p == W:
        return sp.Rational(int(rng.integers(1, 12)), 12)
    low = 1 if p.is_positive else -12
    return sp.Rational(int(rng.integers(low, 13)), 4)


@dataclass(frozen=True)
class Shape:
    """A density without parameters, the order of its zeros at finite ends, and its inner points that are not smooth.

    `low`: the order at 0 of its exponential, of shapes on the whole line.
    """

    name: str
    density: sp.Expr
    support: tuple[Any, Any]
    orders: tuple[Any, Any] = (FLAT, FLAT)
    inner: tuple[tuple[Any, Any], ...] = ()
    low: Any = FLAT


def _power(a: sp.Expr) -> Shape:
    density = sp.exp(-(sp.Abs(Y) ** a)) * a / (2 * sp.gamma(1 / a))
    return Shape(f"exp(-|y|^{a})", density, (-sp.oo, sp.oo), inner=((0, a),), low=FLAT if a > 1 else a - 1)


SHAPES: tuple[Shape, ...] = (
    Shape("normal", sp.exp(-(Y**2) / 2) / sp.sqrt(2 * sp.pi), (-sp.oo, sp.oo)),
    Shape("logistic", sp.exp(-Y) / (1 + sp.exp(-Y)) ** 2, (-sp.oo, sp.oo), low=0),
    Shape("Cauchy", 1 / (sp.pi * (1 + Y**2)), (-sp.oo, sp.oo), low=-1),
    Shape("Gumbel", sp.exp(-Y - sp.exp(-Y)), (-sp.oo, sp.oo)),
    Shape("Student 3", 2 / (sp.pi * sp.sqrt(3) * (1 + Y**2 / 3) ** 2), (-sp.oo, sp.oo), low=-1),
    Shape("secant", 1 / (sp.pi * sp.cosh(Y)), (-sp.oo, sp.oo), low=0),
    *(_power(sp.Rational(*a)) for a in ((1, 3), (1, 2), (3, 4), (1, 1), (3, 2), (4, 1))),
    Shape("exponential", sp.exp(-Y), (0, sp.oo), (0, FLAT)),
    Shape("gamma 2", Y * sp.exp(-Y), (0, sp.oo), (1, FLAT)),
    Shape(
        "gamma 5/2",
        Y ** sp.Rational(3, 2) * sp.exp(-Y) / sp.gamma(sp.Rational(5, 2)),
        (0, sp.oo),
        (sp.Rational(3, 2), FLAT),
    ),
    Shape("gamma 3", Y**2 * sp.exp(-Y) / 2, (0, sp.oo), (2, FLAT)),
    Shape("inverse gamma", sp.exp(-1 / Y) / Y**2, (0, sp.oo)),
    Shape("Pareto", 3 / (1 + Y) ** 4, (0, sp.oo), (0, FLAT)),
    Shape("uniform", sp.Integer(1), (0, 1), (0, 0)),
    Shape("ramp", 2 * Y, (0, 1), (1, 0)),
    Shape("triangle", 1 - sp.Abs(Y), (-1, 1), (1, 1), ((0, 1),)),
    Shape("parabola", sp.Rational(3, 4) * (1 - Y**2), (-1, 1), (1, 1)),
    Shape("bump", sp.Rational(15, 16) * (1 - Y**2) ** 2, (-1, 1), (2, 2)),
    Shape("cosine", sp.cos(sp.pi * Y / 2) ** 2, (-1, 1), (2, 2)),
    Shape("arcsine", 1 / (sp.pi * sp.sqrt(Y * (1 - Y))), (0, 1), (-_HALF, -_HALF)),
    Shape(
        "beta 5/2",
        32 * (Y * (1 - Y)) ** sp.Rational(3, 2) / (3 * sp.pi) * 4,
        (0, 1),
        (sp.Rational(3, 2), sp.Rational(3, 2)),
    ),
)
# Functions of the parameters, and whether they have a kink.
_REAL: tuple[tuple[sp.Expr, bool], ...] = (
    *((f, False) for f in (T, 2 * T - 1, T**2, sp.sin(T), sp.exp(T / 4), S - R, sp.log(S))),
    *((f, True) for f in (sp.Abs(T), sp.Max(T, 0), sp.Piecewise((T, T > 1), (2 * T - 1, True)))),
)
_POSITIVE: tuple[tuple[sp.Expr, bool], ...] = (
    *((f, False) for f in (S, 1 / S, S**2, sp.sqrt(S), S * R, S + R, sp.exp(T / 3), 1 + T**2)),
    *((f, True) for f in (1 + sp.Abs(T), sp.Max(S, 1))),
)


def _shaped(rng: np.random.Generator) -> RandomLaw:
    shape = SHAPES[int(rng.integers(len(SHAPES)))]
    ends = tuple(sp.sympify(e) for e in shape.support)
    finite = [(e, sp.sympify(o)) for e, o in zip(ends, shape.orders, strict=True) if e.is_finite]
    inner = [(sp.sympify(e), sp.sympify(o)) for e, o in shape.inner]
    return RandomLaw(shape.name, shape.density, (ends[0], ends[1]), {}, tuple(finite + inner), low=shape.low)


def _mapped(one: RandomLaw, back: sp.Expr, said: str, image: sp.Expr) -> RandomLaw:
    """The law of the increasing image of the outcome; `back` takes it back."""
    ends = [image.subs(Y, e) if e.is_finite else sp.limit(image, Y, e) for e in one.support]
    points = tuple((image.subs(Y, p), a) for p, a in one.points)
    density = one.density.subs(Y, back) * sp.diff(back, Y)
    return replace(one, said=said, density=density, support=(ends[0], ends[1]), points=points)


def _affine(one: RandomLaw, rng: np.random.Generator) -> RandomLaw:
    (m, bent), (s, curved) = (sp.Integer(0), False), (sp.Integer(1), False)
    kind = int(rng.integers(0, 3))
    if kind != 1:
        m, bent = _REAL[int(rng.integers(len(_REAL)))]
    if kind != 0:
        s, curved = _POSITIVE[int(rng.integers(len(_POSITIVE)))]
    moved = _mapped(one, (Y - m) / s, f"({one.said}) * ({s}) + ({m})", m + s * Y)
    return replace(moved, kinked=bent or curved)


def _bent(one: RandomLaw, rng: np.random.Generator) -> RandomLaw:
    """The exponential, the hyperbolic sine, or of what begins at 0 a power."""
    kind = int(rng.integers(0, 3))
    if kind == 0:
        low = ((sp.Integer(0), sp.sympify(one.low)),) if one.support[0] == -sp.oo else ()
        moved = _mapped(one, sp.log(Y), f"exp({one.said})", sp.exp(Y))
        return replace(moved, points=(*moved.points, *low))
    if kind == 1 and one.support == (-sp.oo, sp.oo):
        return _mapped(one, sp.asinh(Y), f"sinh({one.said})", sp.sinh(Y))
    return _raised(one, rng) if one.support[0] == 0 else one


def _raised(one: RandomLaw, rng: np.random.Generator) -> RandomLaw:
    """A power of a positive outcome; its order at 0 changes."""
    a = (sp.Integer(2), _HALF, S, 1 / S)[int(rng.integers(4))]
    y = sp.Symbol("y", positive=True)
    back = y ** (1 / a)
    density = (one.density.subs(Y, back) * sp.diff(back, y)).subs(y, Y)
    top = one.support[1] ** a if one.support[1].is_finite else sp.oo
    points = tuple((p**a, o if p != 0 or o == FLAT else (o + 1) / a - 1) for p, o in one.points)
    return replace(
        one, said=f"({one.said})^({a})", density=density, support=(sp.Integer(0), top), points=points
    )


def _mixed(one: RandomLaw, rng: np.random.Generator) -> RandomLaw:
    """With a standard normal law, by a weight that is known or not; on the line only."""
    if one.support != (-sp.oo, sp.oo):
        return one
    w = (W, _HALF)[int(rng.integers(2))]
    density = w * one.density + (1 - w) * sp.exp(-(Y**2) / 2) / sp.sqrt(2 * sp.pi)
    domains = {**one.domains, **({"w": (0, 1)} if w == W else {})}
    return replace(one, said=f"mixture of {one.said}, {w}", density=density, domains=domains)


def _tilted(one: RandomLaw, rng: np.random.Generator) -> RandomLaw:
    """On (0, 1): times 1 + (1 - w) cos(2 pi y), or two pieces of another height next to a border that moves or not."""
    border = (W, sp.Rational(1, 3))[int(rng.integers(2))]
    kind = int(rng.integers(0, 3))
    if kind == 0:
        density = 1 + (1 - W) * sp.cos(2 * sp.pi * Y)
        points: tuple[tuple[sp.Expr, sp.Expr], ...] = ()
        said = "tilted uniform"
    elif kind == 1:
        density = sp.Piecewise((2 * Y / border, border > Y), (2 * (1 - Y) / (1 - border), True))
        points, said = ((border, sp.Integer(1)),), f"triangle with its top at {border}"
    else:
        density = sp.Piecewise(
            (sp.Rational(1, 4) / border, border > Y), (sp.Rational(3, 4) / (1 - border), True)
        )
        points, said = ((border, sp.Integer(0)),), f"two heights on either side of {border}"
    return RandomLaw(said, density, (sp.Integer(0), sp.Integer(1)), {}, points, domains={"w": (0, 1)})


def _counted(rng: np.random.Generator) -> RandomLaw:
    rate, bent = _POSITIVE[int(rng.integers(len(_POSITIVE)))]
    zero, end = sp.Integer(0), sp.oo
    kind = int(rng.integers(0, 4))
    if kind == 0:
        return RandomLaw(
            f"Poisson {rate}", rate**Y * sp.exp(-rate) / sp.factorial(Y), (zero, end), {}, (), True, bent
        )
    if kind == 1:
        p = 1 / (1 + rate)
        return RandomLaw(f"geometric {p}", p * (1 - p) ** Y, (zero, end), {}, (), True, bent)
    if kind == 2:
        p = rate / (1 + rate)
        mass = sp.binomial(4, Y) * p**Y * (1 - p) ** (4 - Y)
        return RandomLaw(f"binomial {p}", mass, (zero, sp.Integer(4)), {}, (), True, bent)
    mass = sp.gamma(Y + 3) / (2 * sp.factorial(Y)) * rate**Y / (1 + rate) ** (Y + 3)
    return RandomLaw(f"negative binomial {rate}", mass, (zero, end), {}, (), True, bent)


def random_law(rng: np.random.Generator) -> RandomLaw:
    """A law with at least one parameter, drawn by the generator."""
    while True:
        kind = rng.random()
        if kind < 0.12:
            drawn = _counted(rng)
        elif kind < 0.2:
            drawn = _tilted(_shaped(rng), rng)
        else:
            drawn = _shaped(rng)
            if rng.random() < 0.25:
                drawn = _bent(drawn, rng)
            drawn = _affine(drawn, rng)
            if rng.random() < 0.2:
                drawn = _bent(drawn, rng)
            if rng.random() < 0.2:
                drawn = _mixed(drawn, rng)
        if drawn.parameters:
            return replace(drawn, at=drawn.another(rng))
