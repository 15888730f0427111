"""Random small programs against brute force: nothing that is proved is wrong, nothing that is refuted is right."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import sympy as sp
from fuzz_programs import domain_faults, name_faults

from noiseproof.symbolic.programs.certify import certify_numbers
from noiseproof.symbolic.programs.program import Program
from noiseproof.symbolic.programs.stated_program import StatedProgram

x, y = sp.symbols("x y", real=True)
GRID = np.linspace(-1, 1, 201)


def test_the_saddle_of_a_product_is_no_minimiser() -> None:
    square = [x >= -1, x <= 1, y >= -1, y <= 1]
    found = certify_numbers(StatedProgram(x * y, [x, y], square), [0, 0])
    assert found.verdict == "REFUTED"


def random_quadratic(seed: int, convex: bool) -> tuple[sp.Expr, list[sp.Expr]]:
    draw = np.random.default_rng(seed)
    a, b, c, d, e = (int(k) for k in draw.integers(-3, 4, 5))
    form = (a * x + b * y) ** 2 + (x - y) ** 2 if convex else a * x**2 + b * x * y + c * y**2
    p, q, r = (int(k) for k in draw.integers(-2, 3, 3))
    return sp.expand(form + d * x + e * y), [p * x + q * y - sp.Rational(abs(r) + 1, 2)]


def brute_force(f: sp.Expr, rows: list[sp.Expr]) -> float:
    u, v = np.meshgrid(GRID, GRID)
    values = np.broadcast_to(sp.lambdify([x, y], f)(u, v), u.shape)
    inside = np.all([np.broadcast_to(sp.lambdify([x, y], g)(u, v), u.shape) <= 0 for g in rows], axis=0)
    return float(values[inside].min())


@pytest.mark.parametrize(("seed", "convex"), list(itertools.product(range(6), (True, False))))
def test_proved_optima_are_those_of_a_grid(seed: int, convex: bool) -> None:
    f, rows = random_quadratic(seed, convex)
    box = [x >= -1, x <= 1, y >= -1, y <= 1]
    found = Program(f, [x, y], [*(sp.Le(g, 0) for g in rows if g.free_symbols), *box]).solve()
    least = brute_force(f, list(rows))
    assert found.status in ("optimal", "unknown", "near") if not convex else found.status == "optimal"
    if found.status == "optimal":
        assert float(found.value) <= least + 1e-9
        assert float(found.value) >= least - 0.3


@pytest.mark.parametrize("seed", range(5))
def test_a_further_constraint_never_lowers_the_optimum(seed: int) -> None:
    f, rows = random_quadratic(seed, True)
    box = [x >= -1, x <= 1, y >= -1, y <= 1]
    before = Program(f, [x, y], box).solve()
    after = Program(
        f, [x, y], [*box, sp.Le(rows[0] + sp.Rational(1, 4), 0)] if rows[0].free_symbols else box
    ).solve()
    assert before.status == after.status == "optimal"
    assert bool(before.value <= after.value)


@pytest.mark.parametrize("seed", [1, 6, 18])
def test_no_word_is_wrong_at_the_border_of_a_domain(seed: int) -> None:
    assert list(domain_faults(seed)) == []


@pytest.mark.parametrize("seed", [2, 5])
def test_no_word_depends_on_the_names_of_parameters(seed: int) -> None:
    assert list(name_faults(seed)) == []


@pytest.mark.long
def test_no_word_is_wrong_on_many_programs() -> None:
    assert [(s, f) for s in range(300) for f in domain_faults(s)] == []
    assert [(s, f) for s in range(200) for f in name_faults(s)] == []
