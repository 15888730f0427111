"""Convexity: both words at formulas that are known, what is open stays open, and a fuzz against chords in floating point."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.proof.truth import Truth

x, y = sp.symbols("x y", real=True)
u, v = sp.symbols("u v", positive=True)
a = sp.Symbol("a", real=True)
c = sp.Symbol("c", positive=True)
half = sp.Rational(1, 2)

CONVEX = [
    x**2 - x * y + y**2,
    sp.exp(x + y) + sp.exp(-x),
    sp.log(sp.exp(x) + sp.exp(y)),
    sp.log(1 + sp.exp(-c * x)),
    sp.sqrt(x**2 + y**2),
    sp.sqrt(x**2 - 2 * x * y + 2 * y**2),
    sp.sqrt(1 + x**2),
    sp.Max(x, y**2) + sp.Abs(x - y),
    (sp.Abs(x) + 1) ** 2,
    sp.Abs(x) ** 3,
    x**4 + x**2 * y**2 + y**4,
    x**2 + x * y + y**2 + sp.Abs(x),
    u * sp.log(u),
    u * sp.log(u / v),
    x**2 / v,
    (x**2 + y**2) / v,
    v * sp.exp(x / v),
    -sp.sqrt(u * v),
    1 / (u * v),
    u**2 / sp.sqrt(v),
    -sp.log(1 - x**2 - y**2),
    -sp.sqrt(1 - x**2),
    c * sp.log(1 + c / u),
    c**u,
    c * x**2 + a * x * y + (1 + a**2) * y**2 / (2 * c),
]
NOT_CONVEX = [
    x * y,
    x**3,
    x**4 - x**2,
    sp.sin(x),
    -sp.Abs(x),
    sp.Min(x, y),
    sp.sqrt(u),
    u / v,
    1 / x,
    1 / x**2,
    sp.log(x**2 - 1),
    sp.atan(x),
    (x * y - 1) ** 2,
    x**2 + a * x * y + y**2,
    u**c,
    10 * x**2 - sp.sqrt(x**4 + x**2),
    x**2 + y**2 - sp.Rational(2000001, 1000000) * x * y,
]


def program(e: sp.Expr, *relations: Any) -> npf.Program:
    names = e.free_symbols.union(*(r.free_symbols for r in relations))
    return npf.Program(
        e, [s for s in (x, y, u, v) if s in names], relations, [s for s in (a, c) if s in names]
    )


@pytest.mark.parametrize("e", CONVEX, ids=str)
def test_convex_formulas_are_proved(e: sp.Expr) -> None:
    found = program(e).convexity()
    assert found.program.truth is Truth.HOLDS, found
    assert found.derivation.check() is Truth.HOLDS


@pytest.mark.parametrize("e", NOT_CONVEX, ids=str)
def test_others_are_refuted_by_two_points_and_their_middle(e: sp.Expr) -> None:
    found = program(e).convexity()
    assert found.objective.truth is Truth.FAILS, found
    assert found.derivation.check() is Truth.HOLDS
    assert above_its_chord(e, found.objective)


def above_its_chord(e: sp.Expr, fact: npf.Fact) -> bool:
    """In forty digits, apart from the balls that found it."""
    order = [s for s in (x, y, u, v) if s in fact.at]
    first, last = ({**fact.at, **dict(zip(order, end, strict=True))} for end in fact.found)
    values = [sp.N(e.subs(at), 40) for at in (fact.at, first, last)]
    return bool(values[0] > (values[1] + values[2]) / 2)


def test_what_bounds_say_counts() -> None:
    assert program(x**3, x >= 0).convexity().program.truth is Truth.HOLDS
    assert program(1 / x + y, x >= 0, y >= 0).convexity().program.truth is Truth.HOLDS
    assert program(x**3, x >= -1).convexity().objective.truth is Truth.FAILS
    assert program(x**3, x >= c).convexity().where == "x >= c"
    assert program(x**3, x >= a).convexity().objective.truth is Truth.FAILS


def test_a_sum_with_a_sharp_limit_has_the_right_word_on_both_sides() -> None:
    """x^2 + y^2 + k x y is convex exactly for |k| <= 2."""
    tiny = sp.Rational(1, 10**9)
    k = sp.Symbol("k", real=True)
    form = x**2 + y**2 + k * x * y
    assert program(form.subs(k, 2)).convexity().objective.truth is Truth.HOLDS
    assert program(form.subs(k, 2 - tiny)).convexity().objective.truth is Truth.HOLDS
    assert program(form.subs(k, 2 + tiny)).convexity().objective.truth is not Truth.HOLDS
    within = npf.Program(form, [x, y], [], [k], domains={"k": (-2, 2)})
    assert within.convexity().objective.truth is not Truth.FAILS
    beyond = npf.Program(form, [x, y], [], [k], domains={"k": (-2, "21/10")})
    assert beyond.convexity().objective.truth is not Truth.HOLDS


def test_each_constraint_has_its_word() -> None:
    found = npf.Program(
        x,
        [x, y],
        [x**2 + y <= 1, sp.Eq(x * y, 1), npf.NormCone([x, y], 1), npf.PSD([[x, 1], [1, y]]), x * y >= 1],
    ).convexity()
    assert [f.truth.name for f in found.constraints] == ["HOLDS", "FAILS", "HOLDS", "HOLDS", "FAILS"]
    assert found.program.truth is Truth.FAILS


def test_open_is_open() -> None:
    kinked = sp.Piecewise((x**2, x > 0), (0, True))
    assert program(kinked).convexity().objective.truth is Truth.UNKNOWN


def test_whole_numbers_are_no_convex_set() -> None:
    k = sp.Symbol("k", integer=True)
    found = npf.Program(k**2, [k], [k >= 1]).convexity()
    assert (found.objective.truth, found.program.truth) == (Truth.HOLDS, Truth.FAILS)
    assert "relaxation" in found.program.reason


def test_a_symbol_without_assumptions_is_real_and_comes_back() -> None:
    plain = sp.Symbol("w")
    found = npf.Program(plain**2 - sp.sqrt(plain**2), [plain]).convexity().objective
    assert found.truth is Truth.FAILS
    assert plain in found.at


def test_a_false_step_falls() -> None:
    """What a derivation of the rules says of x^2 is not said of x^3."""
    derivation = program(x**2 + sp.exp(x)).convexity().derivation
    (step,) = derivation.steps
    assert replace(derivation, steps=(replace(step, left=x**3, right=x**3),)).check() is Truth.FAILS


ATOMS = [
    x**2,
    x * y,
    y**2,
    (x - y) ** 2,
    x**4,
    sp.exp(x),
    sp.exp(-y),
    sp.exp(x * y),
    sp.Abs(x - 2 * y),
    sp.Max(x, -y),
    sp.sqrt(1 + x**2),
    sp.sqrt(x**2 + y**2),
    x / u,
    x**2 / u,
    u * sp.log(u),
    sp.log(u),
    sp.sqrt(u),
    1 / u,
    u * y,
    u**3,
    sp.log(sp.exp(x) + sp.exp(u)),
    sp.sin(x),
    x**3,
    sp.Min(x, u),
]


def random_formula(rng: random.Random) -> sp.Expr:
    terms = rng.sample(ATOMS, rng.randint(1, 3))
    whole = sp.Add(*(rng.choice((-1, 1, 1, 1, 2, half, 3)) * term for term in terms))
    return rng.choice((whole, whole, whole, sp.exp(whole), whole**2, sp.Max(whole, x)))


def worst_chord(e: sp.Expr, rng: np.random.Generator) -> float:
    """By how much the formula lies above its chords, at most, relative to its size, at random points near and far."""
    order = [x, y, u]
    f = sp.lambdify(order, e, "numpy")
    centre = rng.normal(size=(3, 4_000)) * 2
    step = rng.normal(size=(3, 4_000)) * 10.0 ** rng.uniform(-2, 0.5, 4_000)
    centre[2], step[2] = np.exp(centre[2] / 2), 0.9 * np.tanh(step[2]) * np.exp(centre[2] / 2)
    with np.errstate(all="ignore"):
        middle, one, two = (
            np.asarray(f(*p), dtype=float) + 0 * p[0] for p in (centre, centre + step, centre - step)
        )
        gap = (middle - (one + two) / 2) / (1e-300 + np.abs(middle) + np.abs(one) + np.abs(two))
    return float(np.nanmax(np.where(np.isfinite(gap), gap, -1.0)))


@pytest.mark.parametrize("count", [12, pytest.param(150, marks=pytest.mark.long)])
def test_a_fuzz_finds_no_wrong_word(count: int) -> None:
    rng, numbers = random.Random(20_261_125), np.random.default_rng(7)
    words = {Truth.HOLDS: 0, Truth.FAILS: 0, Truth.UNKNOWN: 0}
    for _ in range(count):
        e = random_formula(rng)
        fact = program(e).convexity().objective
        words[fact.truth] += 1
        if fact.truth is Truth.HOLDS:
            assert worst_chord(e, numbers) < 1e-12, e
        if fact.truth is Truth.FAILS:
            assert above_its_chord(e, fact), e
    assert words[Truth.HOLDS] >= count // 8
    assert words[Truth.FAILS] >= count // 4
    assert words[Truth.UNKNOWN] <= count // 4
