"""What Pathak and Raj (2010) say about robustness, objective perturbation and one-vs-all, in formulas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from .....symbolic.proof.as_written import difference, product, value_at
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.exact_numbers import ball
from .....symbolic.proof.expressions import parse
from .....symbolic.proof.trace import cauchy_schwarz
from ....dossier import Comparison, Formula, Instances, Parts, argued, rule
from .exact import Matrix, form, inner, is_positive, matrix, outer, plus, texts, zero
from .risk_convexity import LAMBDA, NOISE, ZERO


@rule("lead under a perturbation")
def lead_under_perturbation(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The lead of a record after Phi_c has moved by E_c, Phi_y by E_y, each of the printed norm; `toward` gives their directions."""
    z = [Fraction(x) for x in numbers["record"]]
    phi = [matrix(p) for p in numbers["phi"]]
    if not all(is_positive(p) for p in phi):
        raise ValueError("phi must be positive semidefinite")
    size = sum(x * x for x in z)
    lead = form(phi[1], z) - form(phi[0], z)
    if lead <= 0:
        raise ValueError(f"the record is misclassified before it is perturbed: lead {lead}")
    radius = Fraction(str(parse(printed["radius"], {"m": str(lead), "X": str(size)})))
    for k, pair in enumerate(numbers["toward"]):
        steps = [matrix(e) for e in pair] if pair else [outer(z), plus(zero(len(z)), outer(z), Fraction(-1))]
        lengths = [Fraction(str(sp.sqrt(sp.Rational(str(inner(e, e)))))) for e in steps]
        moved = [plus(p, e, radius / n) for p, e, n in zip(phi, steps, lengths, strict=True)]
        yield f"lead after perturbation {k + 1}", ball(form(moved[1], z) - form(moved[0], z)), ">=", ball(0)


def robust(factor: sp.Expr, any_size: bool = False) -> Parts:
    """Perturbations of Frobenius norm up to factor m/(2 |z|^2) leave a lead m nonnegative; no classifier of a lead up to m has more.

    Where they may have `any_size`, the leads of the others are t m, for any t > 0.
    """

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for _ in range(6):
            z = [Fraction(int(rng.integers(-4, 5)), 4), Fraction(1)]
            a, b = (Fraction(int(x), 4) for x in rng.integers(1, 20, 2))
            phi = [zero(2), [[a, Fraction(0)], [Fraction(0), b]]]
            toward: list[list[list[list[str]]]] = [[], [_corner(3, 4), _corner(-4, 3)]]
            yield {"record": [str(x) for x in z], "phi": [texts(p) for p in phi], "toward": toward}

    m, size = sp.symbols("m X", positive=True)
    radius = factor * m / (2 * size)
    share = sp.Symbol("t", positive=True) if any_size else 1 / (1 + sp.Symbol("k", nonnegative=True))
    others = Formula(share * m / (2 * size), "<=", m / (2 * size))

    def argument() -> Derivation:
        steps = (
            cauchy_schwarz(size**2, "<X, E>^2 <= |X|^2 |E|^2 for the entries of E and X = z z', |X| = |z|^2"),
            Step(
                difference(m, product(2, radius, size)),
                ">=",
                ZERO,
                "the lead falls by <X, E_y> - <X, E_c> at most",
            ),
        )
        return Derivation("robustness of a lead", steps)

    text = f"{sp.sstr(factor)}*m/(2*X)"
    found = Instances(
        "lead under a perturbation", {"radius": text}, draw, f"no lead m turns up to norm {text}, X = |z|^2"
    )
    return Parts((others,), found, argument)


def _corner(a: int, b: int) -> list[list[str]]:
    entries: Matrix = [[Fraction(a), Fraction(0)], [Fraction(0), Fraction(b)]]
    return texts(entries)


def objective_perturbation(curved: bool) -> Formula:
    """The mean squared error with the noise b in the objective against that of noise on the output, M = E|b|^2.

    The loss has curvature c at least, beside the ridge lambda: (lambda + c) r <= |b|/n for the shift r.
    """
    c = sp.Symbol("c", positive=True) if curved else sp.Symbol("c", nonnegative=True)
    n, m, r = sp.symbols("n M r", positive=True)
    excess = (LAMBDA + c) * r**2 - r * NOISE / n
    shift = sp.solve(excess, r)[0]
    output = sp.solve(LAMBDA * r - NOISE / n, r)[0]
    step = Step(
        value_at(excess, {r: shift}), "=", ZERO, "equality in (lambda + c) |D|^2 <= <b, D>/n <= |b| |D|/n"
    )
    lemmas = (
        "density of the output noise: exp(-n lambda eps |eta|/2), so that n lambda eta has the law of b",
    )
    return Formula(
        (shift**2).subs(NOISE, sp.sqrt(m)),
        "<",
        (output**2).subs(NOISE, sp.sqrt(m)),
        argument=argued(step, lemmas=lemmas),
    )


def one_against_all(grows: bool) -> Formula:
    """The mean norm of the noise of one of C binary problems at eps/C each, against C times that of one problem at eps.

    Where the noise `grows`, its scale is in proportion to how far one record moves the gradient, (1 + R^2) |a - a'| = 2 sqrt(2) C
    for two labels of one record of length R = 1; otherwise it is that of equation 7 for every number of classes.
    """
    eps, r = sp.symbols("eps r", positive=True)
    shape = sp.Symbol("N", integer=True, positive=True)
    classes = 2 + sp.Symbol("j", integer=True, nonnegative=True)

    def mean(budget: sp.Expr, number: sp.Expr) -> sp.Expr:
        rate = budget / (2 * (2 * sp.sqrt(2) * number if grows else 1))
        mass, first = (sp.integrate(r ** (shape - 1 + k) * sp.exp(-rate * r), (r, 0, sp.oo)) for k in (0, 1))
        return sp.powsimp(sp.gammasimp(first / mass), force=True)

    one, all_of_them = mean(eps / classes, sp.Integer(2)), mean(eps, classes)
    return Formula(sp.simplify(one), "=", product(classes, sp.simplify(all_of_them)))
