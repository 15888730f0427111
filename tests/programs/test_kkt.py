"""The first-order conditions of textbook programs, each against the equations that were derived by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.proof.truth import Truth

x, y, w = sp.symbols("x y w", real=True)
c = sp.Symbol("c", positive=True)
p, q = sp.symbols("p q", positive=True)
n = sp.Symbol("n", nonnegative=True)
m1, m2, m3, m4 = sp.symbols("mu_1:5", real=True)
v1 = sp.Symbol("nu_1", real=True)


def same(found: tuple[sp.Expr, ...], expected: list[sp.Expr]) -> bool:
    return len(found) == len(expected) and all(
        sp.expand(a - b) == 0 for a, b in zip(found, expected, strict=True)
    )


CASES = {
    # program, stationarity, complementarity
    "factory": (
        npf.Program(maximise=3 * x + 5 * y, over=[x, y], subject_to=[x <= 4, 3 * x + 2 * y <= 18]),
        [m1 + 3 * m2 - 3, 2 * m2 - 5],
        [m1 * (x - 4), m2 * (3 * x + 2 * y - 18)],
    ),
    "least norm": (
        npf.Program(x**2 + y**2, [x, y], [sp.Eq(x + 2 * y, c)], [c]),
        [2 * x + v1, 2 * y + 2 * v1],
        [],
    ),
    "entropy": (
        npf.Program(p * sp.log(p) + q * sp.log(q), [p, q], [sp.Eq(p + q, 1)]),
        [sp.log(p) + 1 + v1, sp.log(q) + 1 + v1],
        [],
    ),
    "water-filling": (
        npf.Program(maximise=sp.log(1 + n), over=[n], subject_to=[n <= c], parameters=[c]),
        [m1 - m2 - 1 / (1 + n)],
        [m1 * (n - c), -m2 * n],
    ),
    "geometric": (npf.Program(p + q, [p, q], [p * q >= 4]), [1 - m1 * q, 1 - m1 * p], [m1 * (4 - p * q)]),
    "lasso": (
        npf.Program((x - 3) ** 2 / 2 + c * sp.Abs(x), [x], [], [c]),
        [x - 3 + m1 - m2, c - m1 - m2],
        [m1 * (x - sp.Symbol("t_1", real=True)), m2 * (-x - sp.Symbol("t_1", real=True))],
    ),
    "disc": (
        npf.Program(x + y, [x, y], [x**2 + y**2 <= c**2], [c]),
        [1 + 2 * m1 * x, 1 + 2 * m1 * y],
        [m1 * (x**2 + y**2 - c**2)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_the_conditions_are_those_derived_by_hand(name: str) -> None:
    program, stationarity, complementarity = CASES[name]
    found = program.kkt()
    assert same(found.stationarity, stationarity)
    assert same(found.complementarity, complementarity)
    assert found.derivation.check() is Truth.HOLDS


def test_the_cone_of_a_norm_has_the_dual_norm() -> None:
    z1, z2, s = sp.symbols("z_1_1 z_1_2 s_1", real=True)
    duals = {
        "l2": sp.sqrt(z1**2 + z2**2),
        "l1": sp.Max(sp.Abs(z1), sp.Abs(z2)),
        "max": sp.Abs(z1) + sp.Abs(z2),
    }
    for norm, dual in duals.items():
        found = npf.Program(x + y, [x, y], [npf.NormCone([x - 1, y], 2 * x, norm)]).kkt()
        assert same(found.stationarity, [1 + z1 - 2 * s, 1 + z2])
        assert same(found.complementarity, [z1 * (x - 1) + z2 * y - 2 * s * x])
        assert found.dual == (sp.Le(dual, s),)


def test_a_matrix_has_a_matrix_of_multipliers() -> None:
    found = npf.Program(x + y, [x, y], [npf.PSD([[x, 1], [1, y]])]).kkt()
    a, b, d = found.symbols
    assert same(found.stationarity, [1 - a, 1 - d])
    assert same(found.complementarity, [a * x + b, a + b * y, b * x + d, b + d * y])


def test_a_wrong_gradient_is_seen() -> None:
    found = npf.Program(x**2 + y**2, [x, y], [x * y >= 1]).kkt()
    steps = found.derivation.steps
    wrong = replace(steps[-1], left=steps[-1].left + x / 10**6)
    assert replace(found.derivation, steps=(*steps[:-1], wrong)).check() is Truth.FAILS


def test_kinks_become_variables_and_the_objective_comes_back() -> None:
    objective = sp.Max(x, y, -x) + sp.Abs(x - y) + sp.sqrt(x**2 + (y - 1) ** 2) - sp.Min(x, 2 * y)
    found = npf.Program(objective, [x, y], [sp.Abs(x) <= 1]).kkt()
    lifting = found.lifting
    assert len(lifting.terms) == 5
    assert not lifting.equal
    for at in ({x: 2, y: -3}, {x: sp.Rational(-1, 3), y: sp.Rational(1, 7)}):
        assert lifting.restored(found.program.objective).subs(at) == objective.subs(at)
        there = lifting.point({k: sp.sympify(v) for k, v in at.items()})
        new = [k for k in found.program.inequalities if "t_" in str(k.excess)]
        assert all(k.excess.subs(there) <= 0 for k in new if k.excess.subs(there).is_number) == (
            abs(at[x]) <= 1
        )


@pytest.mark.parametrize(
    "objective", [-sp.Abs(x), -sp.Max(x, 1 - x, 2 * x), sp.Min(x, -x), -sp.sqrt(x**2 + y**2)]
)
def test_a_kink_with_the_other_sign_is_squared_not_bounded(objective: sp.Expr) -> None:
    """A bound t >= |x| would let -t fall to minus infinity: the lifted program has the value of the stated one at each point."""
    found = npf.Program(objective, [x, y], [x**2 + y**2 <= 1]).kkt()
    assert found.lifting.equal
    for a, b in ((0, 0), (sp.Rational(3, 5), sp.Rational(-4, 5)), (-1, 0)):
        there = found.lifting.point({x: sp.sympify(a), y: sp.sympify(b)})
        assert sp.simplify(found.program.objective.subs(there) - objective.subs({x: a, y: b})) == 0
        assert all(sp.simplify(e.excess.subs(there)) == 0 for e in found.program.equations)


def test_fritz_john_has_a_multiplier_of_the_objective_and_not_all_vanish() -> None:
    found = npf.Program(-x, [x, y], [y <= (1 - x) ** 3, y >= 0]).fritz_john()
    m0 = found.john
    at = {x: 1, y: 0, m0: 0, m1: 1, m2: 1}
    assert all(e.subs(at) == 0 for e in found.equations())
    assert all(d.subs(at) == sp.true for d in found.dual)
    assert found.dual[-1].subs({m0: 0, m1: 0, m2: 0}) == sp.false
    # and KKT has no solution there
    plain = npf.Program(-x, [x, y], [y <= (1 - x) ** 3, y >= 0]).kkt()
    assert plain.stationarity[0].subs({x: 1, y: 0}) == -1


def test_names_that_are_taken_are_left_alone() -> None:
    found = npf.Program(
        m1**2 + sp.Abs(sp.Symbol("t_1", real=True)), [m1, sp.Symbol("t_1", real=True)], [m1 >= 1]
    ).kkt()
    names = [s.name for s in (*found.program.variables, *found.symbols)]
    assert len(set(names)) == len(names)


def test_symbols_without_assumptions_are_real() -> None:
    plain = sp.Symbol("x")
    found = npf.Program((plain - 1) ** 2 + sp.Abs(plain), [plain]).kkt()
    assert same(found.stationarity, [2 * (plain - 1) + m1 - m2, 1 - m1 - m2])


def test_it_is_shown_as_formulas() -> None:
    shown = npf.Program(x**2, [x], [x >= c, npf.PSD([[x, 1], [1, x]])], [c]).kkt()._repr_latex_()
    assert shown.startswith("$$")
    assert shown.endswith("$$")
    assert r"\succeq 0" in shown
    assert r"\mu_{1}" in shown


def test_an_integer_program_says_that_these_are_of_its_relaxation() -> None:
    k = sp.Symbol("k", integer=True)
    assert "may be any real number" in npf.Program(k**2, [k], [k >= 1]).kkt().reason


@pytest.mark.parametrize("objective", [sp.floor(x), sp.sign(x), sp.Piecewise((x, x > 0), (0, True))])
def test_what_has_no_smooth_form_is_refused(objective: sp.Expr) -> None:
    with pytest.raises(npf.SpecError, match="no derivative everywhere"):
        npf.Program(objective, [x], [x >= -1]).kkt()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"minimise": x, "over": [x], "subject_to": [x < 1]}, "strict"),
        ({"minimise": x, "over": [x], "subject_to": [x]}, "expected a relation"),
        ({"minimise": x, "over": [x], "subject_to": "x <= 1"}, "list of relations"),
        ({"minimise": x + y, "over": [x]}, "neither a variable"),
        ({"minimise": x, "over": []}, "empty"),
        ({"minimise": x, "over": [x], "subject_to": [sp.Ne(x, 1)]}, "neither <=, >= nor ="),
        ({"minimise": p, "over": [p], "subject_to": [p >= -1]}, "True before any number"),
        ({"minimise": "x", "over": [x]}, "sympy expression"),
        ({"over": [x]}, "one objective"),
        ({"minimise": x, "over": [x], "subject_to": [sp.Le(x, sp.oo, evaluate=False)]}, "finite|True"),
    ],
)
def test_bad_input_is_told_at_once(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(npf.SpecError, match=words):
        npf.Program(**arguments)  # type: ignore[arg-type]
