"""The noise of the perturbed objective: its radial law, the sign of what it adds, and the change of variables it is meant for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from operator import attrgetter
from typing import NamedTuple

import sympy as sp
from sympy.polys.matrices import DomainMatrix

from .....symbolic.proof.as_written import difference, power, product, quotient, total, value_at
from .....symbolic.proof.derivation import Derivation, Step
from ....dossier.formula import Formula, argued
from .loss import CORRECTED, convexity_steps, smoothed

EPSILON, R = sp.symbols("epsilon r", positive=True)
D = sp.Symbol("d", integer=True, positive=True)
ORDER = (D + 1) ** 2
ONE, ZERO = sp.Integer(1), sp.Integer(0)
LAMBDA, RIDGE, WIDTH, SPENT = sp.symbols("lambda mu h e", positive=True)


@cache
def sphere_steps() -> tuple[Step, ...]:
    """d = 1: four numbers in polar coordinates have the volume element r^3 times a function of the direction."""
    a, b, c = sp.symbols("a b c", positive=True)
    point = sp.Matrix(
        [
            R * sp.cos(a),
            R * sp.sin(a) * sp.cos(b),
            R * sp.sin(a) * sp.sin(b) * sp.cos(c),
            R * sp.sin(a) * sp.sin(b) * sp.sin(c),
        ]
    )
    element = sp.trigsimp(point.jacobian([R, a, b, c]).det())
    return (
        Step(
            sp.Derivative(sp.log(element), R),
            "=",
            3 / R,
            "(d + 1)^2 = 4 numbers: the volume element grows like r^3",
            where=(sp.sin(a), sp.sin(b)),
        ),
    )


POLAR = "the volume element of N numbers in polar coordinates is r^(N - 1) dr times that of the unit sphere"


def radial(exponent: sp.Expr, shape: sp.Expr = ORDER) -> Formula:
    """The slope of log(r^exponent e^(-epsilon r/2)) against that of the Gamma density of this shape and scale 2/epsilon."""
    density = R**exponent * sp.exp(-EPSILON * R / 2)
    gamma = (shape - 1) / R - EPSILON / 2
    return Formula(
        sp.simplify(sp.diff(sp.log(density), R)),
        "=",
        gamma,
        argument=argued(*sphere_steps(), lemmas=(POLAR,)),
    )


def ratio_of_densities(exponent: sp.Expr) -> Formula:
    """The ratio of r^m e^(-epsilon r/2)/surf(r) at two lengths, surf(r) = surf(1) r^m."""
    r1, r2 = sp.symbols("r1 r2", positive=True)

    def term(r: sp.Expr) -> sp.Expr:
        return r**exponent * sp.exp(-EPSILON * r / 2) / r**exponent

    return Formula(term(r1) / term(r2), "=", sp.exp(EPSILON / 2 * (r2 - r1)))


def mass(factor: sp.Expr = ONE) -> Formula:
    """The integral of e^(-(epsilon/2)|b|) over N = (d + 1)^2 numbers, over that for epsilon = 2, against factor (2/epsilon)^N."""
    size = sp.Symbol("N", positive=True)
    finite = Step(
        sp.Integral(R ** (size - 1) * sp.exp(-EPSILON * R / 2), (R, 0, sp.oo)),
        "=",
        sp.gamma(size) * (2 / EPSILON) ** size,
        "the integral over the lengths is finite, for every N",
    )
    at_rates = (value_at(finite.right, {EPSILON: rate}) for rate in (EPSILON, 2))
    over = Step(
        quotient(*at_rates), "=", (2 / EPSILON) ** size, "over that for epsilon = 2, where Gamma(N) cancels"
    )
    return Formula(
        quotient((2 / EPSILON) ** ORDER, power(quotient(2, 2), ORDER)),
        "=",
        factor * (2 / EPSILON) ** ORDER,
        argument=argued(*sphere_steps(), finite, over, lemmas=(POLAR,)),
    )


def _vector() -> sp.Matrix:
    return sp.Matrix(sp.symbols("v1 v2", real=True))


def descent(definite: bool) -> Formula:
    """What moving both Phi_c by vv' adds to the objective, 2 v'(lambda I_Phi + b)v, d = 1; at a minimiser never less than 0.

    With `definite` lambda I_Phi + (b + b')/2 is G'G + m, and the least is 2 m |v|^2; otherwise b is any matrix.
    """
    v = _vector()
    if not definite:
        b = sp.Matrix(2, 2, lambda i, j: sp.Symbol(f"b{i + 1}{j + 1}", real=True))
        return Formula(sp.expand(2 * (v.T * (LAMBDA * sp.diag(1, 0) + b) * v)[0]), ">=", ZERO)
    g1, g2, g3, skew = sp.symbols("g1 g2 g3 a", real=True)
    m = sp.Symbol("m", positive=True)
    root = sp.Matrix([[g1, g2], [0, g3]])
    noise = root.T * root + m * sp.eye(2) - LAMBDA * sp.diag(1, 0) + skew * sp.Matrix([[0, 1], [-1, 0]])
    cost = sp.expand(2 * (v.T * (LAMBDA * sp.diag(1, 0) + noise) * v)[0])
    least = 2 * m * (v[0] ** 2 + v[1] ** 2)
    squares = product(2, total(*((row * v)[0] ** 2 for row in (root.row(0), root.row(1)))))
    lemmas = (
        "moving all Phi_c by one matrix leaves every lead as it is",
        "losses are not negative, so the objective is at least m times the sum of the traces: its level sets are compact",
    )

    def argue(formula: Formula) -> Derivation:
        steps = (
            Step(difference(formula.left, formula.right), "=", squares, "the excess is 2 |Gv|^2"),
            Step(squares, ">=", ZERO, "a sum of squares"),
        )
        return Derivation("the objective grows at least like the traces", steps, lemmas)

    return Formula(cost, ">=", least, argument=argue)


def perturbation_term(positive: bool) -> tuple[Formula, ...]:
    """sum_c <b, Phi_c> for one class, d = 1: on a segment; with `positive` its sign at vv' as well."""
    b, f, g = (sp.Matrix(2, 2, lambda i, j, n=n: sp.Symbol(f"{n}{i + 1}{j + 1}", real=True)) for n in "bfg")
    a = sp.Symbol("a", real=True)

    def term(phi: sp.Matrix) -> sp.Expr:
        return sp.expand(sum(x * y for x, y in zip(b, phi, strict=True)))

    v = _vector()
    linear = Formula(term(a * f + (1 - a) * g), "=", a * term(f) + (1 - a) * term(g))
    return (linear, Formula(term(v * v.T), ">=", ZERO)) if positive else (linear,)


class _Terms(NamedTuple):
    """What the objective is made of: the lead of a record, terms that are linear in the matrices, the sum of squares of entries."""

    lead: sp.Expr
    linear: sp.Expr
    size: sp.Expr


def _moved_alike() -> Iterator[_Terms]:
    """The terms of J, both classes moved by s vv', by -s vv' and by nothing; one record, d = 1."""
    x, v2 = sp.symbols("x v2", real=True)
    s = sp.Symbol("s", positive=True)
    one, two = (
        sp.Matrix(
            [
                [sp.Symbol(f"{n}11", real=True), sp.Symbol(f"{n}12", real=True)],
                [sp.Symbol(f"{n}12", real=True), sp.Symbol(f"{n}22", real=True)],
            ]
        )
        for n in "fg"
    )
    z, v = sp.Matrix([x, 1]), sp.Matrix([sp.Symbol("v1", positive=True), v2])
    noise = sp.Matrix(2, 2, lambda i, j: sp.Symbol(f"b{i + 1}{j + 1}", real=True))
    for share in (s, -s, ZERO):
        first, second = (phi + share * v * v.T for phi in (one, two))
        tilt = sum(n * (p + q) for n, p, q in zip(noise, first, second, strict=True))
        size = sum(p**2 + q**2 for p, q in zip(first, second, strict=True))
        traces = LAMBDA * (first[0, 0] + second[0, 0])
        scores = ((z.T * phi * z)[0] for phi in (first, second))
        yield _Terms(difference(*scores), traces + tilt, size)


def bend(ridge: sp.Expr, regularised: bool = True) -> Formula:
    """J(Phi + sD) + J(Phi - sD) - 2 J(Phi) > 0 for both classes moved by D = vv', one record, d = 1; positive for a strict minimum.

    Without `regularised` it is that of the losses alone.
    """

    def objective(terms: _Terms) -> sp.Expr:
        loss = smoothed(sp.expand(terms.lead), WIDTH)
        return loss + terms.linear + ridge / 2 * terms.size if regularised else loss

    ahead, back, here = map(objective, _moved_alike())
    return Formula(sp.factor(sp.expand(ahead + back - 2 * here)), ">", ZERO)


def bend_steps(ridge: sp.Expr) -> tuple[Step, ...]:
    """The same second difference term by term: leads do not move, linear terms cancel, squares bend."""
    ahead, back, here = _moved_alike()

    def second(term: Callable[[_Terms], sp.Expr]) -> sp.Expr:
        return total(term(ahead), term(back), product(-2, term(here)))

    where = "where all Phi_c move by one matrix"
    return (
        *(Step(moved.lead, "=", here.lead, f"no lead moves {where}") for moved in (ahead, back)),
        Step(
            second(attrgetter("linear")), "=", ZERO, f"second difference of the traces and the tilt {where}"
        ),
        Step(
            product(ridge / 2, second(attrgetter("size"))),
            ">",
            ZERO,
            f"second difference of the ridge {where}",
        ),
    )


def strict_minimum(ridge: sp.Expr) -> Derivation:
    """That the objective has exactly one minimiser: convex losses, and a bend in the directions in which no lead moves."""
    steps = (*convexity_steps(CORRECTED).steps, *bend_steps(ridge))
    lemmas = (
        "a continuous function that is convex apart from (mu/2)|Phi|^2 has exactly one minimiser on a closed convex set",
    )
    return Derivation("there is exactly one minimiser", steps, lemmas)


def kink() -> Formula:
    """The slopes of the hinge loss max(0, 1 - t) of a support vector machine from both sides of t = 1."""
    t = sp.Symbol("t", real=True)
    return Formula(sp.diff(1 - t, t), "=", sp.diff(ZERO, t))


def linear_rules() -> Formula:
    """The objective at Psi_c = eta, against Psi_c = eta/2; records 1 and -1 of two classes with leads h + 1: every such rule has a cheaper one."""
    eta = sp.Symbol("eta", positive=True)
    slope = (1 + WIDTH) / 4

    def objective(size: sp.Expr) -> sp.Expr:
        phi = [sp.Matrix([[size, s * slope], [s * slope, slope**2 / size]]) for s in (-1, 1)]
        loss = ZERO
        for x, own, wrong in ((1, 0, 1), (-1, 1, 0)):
            z = sp.Matrix([x, 1])
            loss += smoothed(sp.expand((z.T * (phi[own] - phi[wrong]) * z)[0]), WIDTH)
        return sp.simplify(loss) + LAMBDA * 2 * size

    return Formula(objective(eta), "<=", objective(eta / 2))


def change_of_variables(exponent: int, steps: tuple[Step, ...] = ()) -> Formula:
    """The density of phi = -b/mu at phi > 0, from its distribution function, against p(b) |db/dphi|^exponent; one number, |b| exponential."""
    from .....mechanisms.large_margin.epsilon import LEMMAS

    phi = sp.Symbol("phi", positive=True)
    tail = sp.exp(-EPSILON * RIDGE * phi / 2) / 2
    density = EPSILON / 4 * sp.exp(-EPSILON * RIDGE * phi / 2)
    half = Step(
        sp.Integral(EPSILON / 4 * sp.exp(-EPSILON * R / 2), (R, RIDGE * phi, sp.oo)),
        "=",
        tail,
        "P(phi > x) = P(b < -mu x)",
    )
    falls = Step(
        product(-1, sp.Derivative(tail, phi)),
        "=",
        density * RIDGE,
        "the density of phi: how fast that probability falls",
    )
    return Formula(
        -sp.diff(tail, phi),
        "=",
        product(density, power(RIDGE, exponent)),
        argument=argued(half, falls, *steps, lemmas=LEMMAS),
    )


def determinant(ridge: sp.Expr) -> sp.Expr:
    """The determinant of the second derivative of the loss of one record on its parabola, plus a ridge; two 2 x 2 matrices."""
    x = sp.Symbol("x", real=True)
    entries = sp.Matrix([x**2, x, x, 1])
    both = sp.Matrix([*entries, *(-entries)])
    second = both * both.T / (2 * WIDTH) + ridge * sp.eye(8)
    field = DomainMatrix.from_Matrix(second).to_field()
    return sp.factor(field.domain.to_sympy(field.det()))


def jacobian(ridge: bool) -> tuple[Formula, ...]:
    """That the determinants are positive, so that a ratio exists; with a ridge also the factor that one record causes."""
    found = determinant(RIDGE if ridge else ZERO)
    if not ridge:
        return (Formula(found, ">", ZERO),)
    x, u = sp.Symbol("x", real=True), sp.Symbol("u", nonnegative=True)
    general, kappa = _privacy(2, 1)
    inside = sp.factor((found / RIDGE**8).subs(x, 1 / (1 + u)))
    within = Formula(inside, "<=", sp.exp(kappa), argument=argued(*general.steps, lemmas=general.lemmas))
    return Formula(found, ">", ZERO), within


def private_steps(classes: int = 3, size: int = 100) -> Derivation:
    """That the variant with a ridge, one noise per class and the derived scale is private, for any width, ridge and epsilon above kappa."""
    return _privacy(classes, size)[0]


def _privacy(classes: int, size: int) -> tuple[Derivation, sp.Expr]:
    """The derivation for any epsilon above kappa, the share of the Jacobian, and kappa."""
    from .....mechanisms.large_margin import PrivacyTerms

    terms = PrivacyTerms(classes, size, WIDTH, RIDGE)
    return terms.derivation(terms.jacobian + SPENT), terms.jacobian
