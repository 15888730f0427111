"""Statements over random domains, expectations of functions with kinks, van Trees bounds; truth by mpmath and by construction."""

from __future__ import annotations

from collections.abc import Callable

import mpmath
import numpy as np
import sympy as sp

from noiseproof.audit.dossier.formula import Formula, at_points, derivation
from noiseproof.audit.record.evidence import Verdict
from noiseproof.symbolic.information.error_bounds import van_trees
from noiseproof.symbolic.laws import laplace, logistic, normal, student_t, triangular, uniform
from noiseproof.symbolic.laws.law import VARIABLE, Law
from noiseproof.symbolic.proof.enclosure import compare
from noiseproof.symbolic.proof.truth import Truth

from .subject_case import SubjectCase

X, Y = sp.Symbol("x", real=True), sp.Symbol("y", real=True)
POSITIVE = sp.Symbol("p", positive=True)
SPOKEN = {Truth.HOLDS: "PROVED", Truth.FAILS: "REFUTED", Truth.UNKNOWN: "UNDECIDED"}


def _margin(rng: np.random.Generator) -> tuple[float, sp.Rational]:
    """A relative margin from 1e-12 to 1e-1 on a random side, as a float and exactly."""
    size = sp.Rational(int(rng.integers(1, 10))) * sp.Integer(10) ** int(rng.integers(-12, -1))
    return float(size), size * int(rng.choice([-1, 1]))


def _number(rng: np.random.Generator) -> sp.Rational:
    return sp.Rational(int(rng.integers(1, 40)), int(rng.integers(1, 12)))


def _said(formula: Formula) -> Callable[[], str]:
    """The word of both checks together, as a dossier combines them: a refutation wins, else the strongest support."""

    def word() -> str:
        found = [check(formula, np.random.default_rng(1)).verdict for check in (derivation, at_points)]
        return (Verdict.REFUTED if Verdict.REFUTED in found else max(found)).name

    return word


def _terms(rng: np.random.Generator) -> sp.Expr:
    """A random expression that is real wherever x is."""
    a, b = _number(rng), _number(rng)
    shapes = [
        a * X + b,
        X**2 - a,
        sp.sin(a * X),
        sp.atan(X + b),
        sp.exp(-a * X**2),
        sp.Abs(X - a),
        sp.Max(X, a),
        sp.floor(X + b),
        sp.tanh(X),
        sp.cosh(X / a),
        sp.sqrt(X**2 + b),
        sp.log(1 + a * X**2),
        sp.asin(sp.sin(X)),
        sp.sign(X - b),
        sp.Piecewise((X, a < X), (b, True)),
    ]
    first, second = (shapes[int(rng.integers(len(shapes)))] for _ in range(2))
    return first + second if rng.random() < 0.5 else first * second


def identity_case(rng: np.random.Generator) -> SubjectCase:
    """(u + v)^2 = u^2 + 2 u v + v^2, true or with a factor beside 1."""
    u, v = _terms(rng), _terms(rng)
    size, step = _margin(rng)
    holds = bool(rng.random() < 0.5)
    right = u**2 + 2 * u * v + v**2 + (0 if holds else step * (1 + u**2))
    formula = Formula((u + v) ** 2, "=", right)
    return SubjectCase("identities", formula.sentence, _said(formula), holds, size)


def square_case(rng: np.random.Generator) -> SubjectCase:
    """An expected square is not negative; less a margin it is negative where the square vanishes."""
    a = _number(rng) * int(rng.choice([-1, 1]))
    size, step = _margin(rng)
    relation = str(rng.choice([">=", ">"]))
    formula = Formula(X**2 + a**2 * (1 + step), relation, 2 * a * X)
    holds = bool(step > 0)
    return SubjectCase("squares", formula.sentence, _said(formula), holds, size)


def domain_case(rng: np.random.Generator) -> SubjectCase:
    """An identity by cancellation, said where the denominator may vanish or where it does not; empty domains are no truth."""
    a = _number(rng)
    left, right, pole = [
        ((X**2 - a**2) / (X - a), X + a, X - a),
        (sp.tan(a * X) * sp.cot(a * X), sp.Integer(1), sp.sin(2 * a * X)),
        (sp.Mul(X - a, 1 / (X - a), evaluate=False), sp.Integer(1), X - a),
        (sp.Mul((X - a) ** 2, 1 / (X - a), evaluate=False), X - a, X - a),
        (sp.log((X - a) ** 3), 3 * sp.log(X - a), X - a),
    ][int(rng.integers(5))]
    kind = int(rng.integers(4))
    if kind == 3:
        shut = Formula(left, "=", right, where=(pole - a, -a - pole))
        return SubjectCase("domains", shut.sentence, _said(shut), False, 1.0)
    where = ((pole,), (pole, pole + 1), ())[kind]
    formula = Formula(left, "=", right, where=where)
    # Undefined at the pole: what is said for all real x is not so, and at no other point is it false.
    return SubjectCase("domains", formula.sentence, _unrefuted(formula, bool(where)), bool(where), 1.0)


def _unrefuted(formula: Formula, defined: bool) -> Callable[[], str]:
    def word() -> str:
        said = _said(formula)()
        return "PROVED" if said == "REFUTED" and not defined else said

    return word


_LAWS: tuple[Callable[[sp.Rational, sp.Rational], Law], ...] = (
    normal,
    laplace,
    logistic,
    lambda m, s: uniform(m - s, m + s),
    lambda m, s: triangular(m - s, m, m + 2 * s),
    lambda m, s: student_t(5, m, s),
)


def _function(rng: np.random.Generator, y: sp.Symbol) -> tuple[sp.Expr, list[sp.Rational]]:
    a, b = _number(rng) * int(rng.choice([-1, 1])), _number(rng)
    choices: list[tuple[sp.Expr, list[sp.Rational]]] = [
        (sp.Abs(y - a), [a]),
        (sp.Max(y, a), [a]),
        (sp.Piecewise((y**2, y > a), (b, True)), [a]),
        (sp.Heaviside(y - a) + 1, [a]),
        (1 + sp.sign(y - a) / 2, [a]),
        (sp.Min(sp.Abs(y), b), [-b, sp.Integer(0), b]),
        (sp.Abs(y - a) * sp.Heaviside(b - y), [a, b]),
        (y**2 + sp.Abs(y - a), [a]),
    ]
    return choices[int(rng.integers(len(choices)))]


def _mean(law: Law, function: sp.Expr, marks: list[sp.Rational]) -> mpmath.mpf:
    """The integral of the density times the function, cut at the marks and by quantiles."""
    inner = {float(m) for m in marks} | {
        float(law.quantile(q)) for q in (1e-6, 0.02, 0.25, 0.5, 0.75, 0.98, 1 - 1e-6)
    }
    kinks = {float(m) for m in (law.mean(), *law.support) if m.is_finite}
    low, high = (float(end) for end in law.support)
    with mpmath.workdps(25):
        value = sp.lambdify(law.variable, law.density * function, modules="mpmath")
        exact = {float(m): mpmath.mpf(m.p) / m.q for m in marks}
        near = [exact.get(m, mpmath.mpf(m)) for m in sorted(inner | kinks) if low < m < high]
        return mpmath.quad(value, [mpmath.mpf(low), *near, mpmath.mpf(high)])


def expectation_case(rng: np.random.Generator) -> SubjectCase:
    """E[g(Y)] <= the number of mpmath times (1 + margin), g with kinks and jumps."""
    centre = _number(rng) * int(rng.choice([-1, 1]))
    law = _LAWS[int(rng.integers(len(_LAWS)))](centre, _number(rng))
    function, marks = _function(rng, law.variable)
    size, step = _margin(rng)
    truth = _mean(law, function, [*marks, centre])
    claimed = sp.Rational(mpmath.nstr(truth, 18)) * (1 + step)
    holds = bool(step > 0) == bool(truth > 0)

    def word() -> str:
        value = law.expectation(function)
        return "UNDECIDED" if value.has(sp.Integral) else SPOKEN[compare(value, "<=", claimed)]

    return SubjectCase("expectations", f"E[{function}], {law.name} {law.density}", word, holds, size)


def van_trees_case(rng: np.random.Generator) -> SubjectCase:
    """1/(E[I(theta)] + I_prior) >= the number of mpmath times (1 + margin), I with kinks and jumps."""
    theta = sp.Symbol("theta", real=True)
    m, s = _number(rng) * int(rng.choice([-1, 1])), _number(rng)
    prior = (normal, logistic)[int(rng.integers(2))](m, s)
    information, marks = _function(rng, theta)
    size, step = _margin(rng)
    of_prior = 1 / s**2 if prior.name == "normal" else 1 / (3 * s**2)
    mean = _mean(prior, (information**2).subs(theta, VARIABLE), marks)
    truth = 1 / (mean + mpmath.mpf(of_prior.p) / of_prior.q)
    claimed = sp.Rational(mpmath.nstr(truth, 18)) * (1 + step)

    def word() -> str:
        bound = van_trees(information**2, prior, [theta])
        if bound.value is None or bound.derivation.check() is not Truth.HOLDS:
            return "UNDECIDED"
        return SPOKEN[compare(bound.value, ">=", claimed)]

    return SubjectCase(
        "van Trees bounds", f"{information}^2, {prior.name}({m}, {s})", word, bool(step < 0), size
    )


FAMILIES = (identity_case, square_case, domain_case, expectation_case, van_trees_case)
