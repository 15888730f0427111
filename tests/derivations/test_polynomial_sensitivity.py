"""Polynomial queries: enclosures hold for every pair that is tried, methods agree, and what is wrong is refused."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.domains.ball import Ball, Sphere
from noiseproof.symbolic.domains.box import Box
from noiseproof.symbolic.domains.exact import Product, as_domain
from noiseproof.symbolic.domains.polynomials import Batch, PolynomialQuery
from noiseproof.symbolic.domains.simplex import Simplex
from noiseproof.symbolic.programs.verified import all_positive_definite, largest_eigenvalue
from noiseproof.symbolic.proof.derivation import Step
from noiseproof.symbolic.sensitivity.ascent import exact_distance
from noiseproof.symbolic.sensitivity.enclosure import SensitivityEnclosure, ends
from noiseproof.symbolic.sensitivity.engine import polynomial_sensitivity
from noiseproof.symbolic.sensitivity.relaxation import bounded_maximum
from noiseproof.symbolic.sensitivity.symmetry import actions, representatives

X, Y, Z = sp.symbols("x y z")
ONE = PolynomialQuery((X,), (X,))
DOMAINS = {
    "ball": (Ball(1, 2),),
    "small ball": (Ball(Fraction(1, 3), 2),),
    "sphere": (Sphere(1, 2),),
    "box": (Box((-1, 0), (1, 2)),),
    "simplex": (Simplex(2),),
    "ball and interval": (Ball(1, 2), Box((Fraction(-1, 2),), (Fraction(1, 2),))),
}


def _random_query(variables: tuple[sp.Symbol, ...], seed: int) -> PolynomialQuery:
    rng = np.random.default_rng(seed)
    monomials = [m for m in sp.itermonomials(variables, 3) if m != 1]
    monomials.sort(key=sp.default_sort_key)
    entries = []
    for _ in range(3):
        chosen = rng.choice(len(monomials), size=3, replace=False)
        entries.append(
            sum(
                sp.Rational(int(rng.integers(1, 7)), int(rng.integers(1, 4))) * monomials[int(i)]
                for i in chosen
            )
        )
    return PolynomialQuery(variables, tuple(entries), (Fraction(1), Fraction(2), Fraction(1, 2)))


def _distances(query: PolynomialQuery, domain: Product, norm: str, size: int) -> np.ndarray:
    rng = np.random.default_rng(5)
    batch = Batch(query.polynomials, domain.dimension)
    moved = np.abs(batch.values(domain.sample(size, rng)) - batch.values(domain.sample(size, rng)))
    weights = np.array([float(w) for w in query.multiplicities])
    if norm == "max":
        return np.asarray(moved.max(axis=1))
    return np.asarray(
        (weights * moved).sum(axis=1) if norm == "l1" else np.sqrt((weights * moved**2).sum(axis=1))
    )


def _check(query: PolynomialQuery, blocks: tuple, norm: str, found: SensitivityEnclosure) -> None:
    domain = as_domain(blocks)
    reached = _distances(query, domain, norm, 20_000).max()
    assert reached <= float(found.at_most()) * (1 + 1e-9)
    assert reached <= float(found.at_least()) * (1 + 1e-3), "the witness is worse than random pairs"
    assert all(domain.holds(point) for point in found.witness if point is not None)
    assert exact_distance(query, domain, found.witness, norm).overlaps(found.lower)
    assert found.at_least() <= found.at_most()


@pytest.mark.parametrize("name", DOMAINS)
@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_random_queries_are_enclosed(name: str, norm: str) -> None:
    blocks = DOMAINS[name]
    variables = (X, Y, Z)[: as_domain(blocks).dimension]
    query = _random_query(variables, seed=sorted(DOMAINS).index(name))
    found = polynomial_sensitivity(query, blocks, norm)
    _check(query, blocks, norm, found)
    assert found.gap < (0.5 if norm == "l2" else 1e-5), "one polynomial at a time is nearly exact here"


@pytest.mark.parametrize("seed", range(3))
def test_one_sided_suprema_of_random_queries_are_enclosed(seed: int) -> None:
    query = _random_query((X, Y), seed=seed + 50)
    query = PolynomialQuery((X, Y), (query.entries[0] + 1, *query.entries[1:]), query.multiplicities)
    found = polynomial_sensitivity(query, Ball(1, 2), adjacency="add-or-remove")
    points = as_domain(Ball(1, 2)).sample(20_000, np.random.default_rng(1))
    values = np.abs(Batch(query.polynomials, 2).values(points)) @ np.array(
        [float(w) for w in query.multiplicities]
    )
    assert values.max() <= float(found.at_most()) * (1 + 1e-9)
    assert values.max() >= 0.95 * float(found.at_least())
    assert found.witness[1] is None
    assert found.gap < 1e-5


@pytest.mark.parametrize(
    ("entries", "blocks", "norm", "expected"),
    [
        ((X, Y), (Ball(1, 2),), "l1", 2 * sp.sqrt(2)),
        ((X, Y), (Ball(1, 2),), "l2", sp.Integer(2)),
        ((3 * X + 4 * Y,), (Sphere(1, 2),), "l1", sp.Integer(10)),
        ((X + Y, X - Y), (Box((0, 0), (1, 1)),), "l1", sp.Integer(2)),
        ((X + Y, X - Y), (Box((0, 0), (1, 1)),), "l2", sp.Integer(2)),
        ((X, Y), (Simplex(2),), "l1", sp.Integer(2)),
        ((X * Y,), (Box((-1, -2), (1, 2)),), "max", sp.Integer(4)),
        ((X**2 + Y**2,), (Box((0, 0), (1, 2)),), "l1", None),
        ((X**2 - Y**2, 2 * X * Y), (Sphere(1, 2),), "l2", sp.Integer(2)),
        # Largest or smallest inside: the corners alone would say 0.
        ((X - X**2,), (Box((0, 0), (1, 1)),), "l1", sp.Rational(1, 4)),
        ((X**2 - Y**2,), (Box((-1, -1), (1, 1)),), "l1", sp.Integer(2)),
        ((X * Y,), (Simplex(2),), "l1", sp.Rational(1, 4)),
        ((X * Y + Y**2,), (Box((-1, -1), (1, 1)),), "l1", sp.Rational(9, 4)),
        ((X**2 + Y**2,), (Ball(1, 2),), "l1", sp.Integer(1)),
        ((X * Y,), (Ball(1, 2),), "l1", sp.Integer(1)),
        ((X**2 + X * Y,), (Ball(1, 2),), "l1", sp.sqrt(2)),
    ],
)
def test_closed_forms_come_out(entries: tuple, blocks: tuple, norm: str, expected: sp.Expr | None) -> None:
    found = polynomial_sensitivity(PolynomialQuery((X, Y), entries), blocks, norm)
    assert found.gap < 1e-6
    if expected is not None:
        assert abs(float(found.at_most()) - float(expected)) < 1e-6 * float(expected)
        if found.exact is not None:
            assert sp.simplify(found.exact - expected) == 0


def sensitivity_of_the_mean(m: int) -> npf.Sensitivity:
    """m times that of the mean of m records: of their sum, in the unit ball of R^m."""
    x = sp.symbols(f"x1:{m + 1}")
    return npf.sensitivity(list(x), npf.Ball(1, m), records=[x], norm="l1", each="sum")


@pytest.mark.parametrize("m", [1, 2, 7, 20])
def test_the_mean_of_unit_vectors_moves_by_twice_the_root_of_m(m: int) -> None:
    found = sensitivity_of_the_mean(m)
    assert found.exact is not None
    assert sp.simplify(found.exact - 2 * sp.sqrt(m)) == 0
    assert found.gap < 1e-9


def test_eigenvalues_agree_with_sums_of_squares() -> None:
    polynomial = PolynomialQuery((X, Y), (X**2 + 3 * X * Y - Y**2 / 2,)).polynomials[0]
    domain = as_domain(Ball(1, 2))
    squares = float(bounded_maximum(polynomial, domain, 1))
    matrix = np.array([[1.0, 1.5], [1.5, -0.5]])
    assert abs(squares - np.linalg.eigvalsh(matrix)[-1]) < 1e-7


def test_a_certificate_stays_true_when_the_solver_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    from noiseproof.symbolic.sensitivity import relaxation

    honest = relaxation._solve

    def lying(*arguments: object) -> tuple:
        grams, multipliers = honest(*arguments)  # type: ignore[arg-type]
        return [-gram for gram in grams], multipliers

    monkeypatch.setattr(relaxation, "_solve", lying)
    polynomial = PolynomialQuery((X, Y), (X**3 - X * Y,)).polynomials[0]
    domain = as_domain(Ball(1, 2))
    top = Batch([polynomial], 2).values(domain.sample(20_000, np.random.default_rng(0))).max()
    assert float(bounded_maximum(polynomial, domain, 2)) >= top


def test_symmetries_are_found_where_they_are_and_not_elsewhere() -> None:
    symmetric = PolynomialQuery((X, Y), (X**2, X * Y, Y**2))
    ball, box = as_domain(Ball(1, 2)), as_domain(Box((0, -1), (1, 1)))
    group = actions(symmetric, ball)
    assert any(a.places == (2, 1, 0) for a in group)
    assert any(a.signs == (1, -1, 1) for a in group)
    # Flips of y map this box to itself, exchanges do not.
    assert {a.places for a in actions(symmetric, box)} == {(0, 1, 2)}
    lopsided = PolynomialQuery((X, Y), (X**2, X * Y, 2 * Y**2))
    assert all(a.places == (0, 1, 2) for a in actions(lopsided, ball))
    weighted = replace(symmetric, multiplicities=(Fraction(1), Fraction(1), Fraction(3)))
    assert all(a.places == (0, 1, 2) for a in actions(weighted, ball))
    # Without symmetry 2^3 patterns up to negation remain; flips and the exchange leave two.
    assert len(list(representatives(3, [], 100))) == 4
    assert len(list(representatives(3, group, 100))) == 2


def test_symmetry_does_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    from noiseproof.symbolic.sensitivity import engine

    query = PolynomialQuery((X, Y), (X**2 * Y, X * Y**2, X * Y))
    quick = polynomial_sensitivity(query, Ball(1, 2))
    monkeypatch.setattr(engine, "actions", lambda *_: [])
    slow = polynomial_sensitivity(query, Ball(1, 2))
    assert abs(float(quick.at_most()) - float(slow.at_most())) < 1e-6


def test_a_wrong_weight_breaks_the_enclosure() -> None:
    query = PolynomialQuery((X, Y), (X * Y, X**2), (Fraction(2), Fraction(1)))
    light = replace(query, multiplicities=(Fraction(1), Fraction(1)))
    right, wrong = (polynomial_sensitivity(q, Ball(1, 2)) for q in (query, light))
    domain = as_domain(Ball(1, 2))
    assert ends(exact_distance(query, domain, right.witness, "l1"))[0] > wrong.at_most()
    with pytest.raises(AssertionError):
        _check(query, (Ball(1, 2),), "l1", wrong)


def test_a_claimed_value_off_by_one_per_mille_is_told_apart() -> None:
    exact = sensitivity_of_the_mean(3).exact
    assert exact is not None
    assert Step(exact, "<=", 2 * sp.sqrt(3), "").check().value == "holds"
    assert Step(exact, "<=", 2 * sp.sqrt(3) * sp.Rational(999, 1000), "").check().value == "fails"


def test_many_entries_without_symmetry_fall_back_to_groups() -> None:
    entries = tuple((k + 1) * X**2 + (k * k + 1) * X * Y + Y for k in range(13))
    query = PolynomialQuery((X, Y), entries)
    found = polynomial_sensitivity(query, Ball(1, 2), tolerance=1e-3)
    assert "groups" in found.method
    _check(query, (Ball(1, 2),), "l1", found)


def test_floating_point_definiteness_says_both_words() -> None:
    assert all_positive_definite(np.array([np.eye(3), 2 * np.eye(3)]))
    assert not all_positive_definite(np.array([np.eye(3), np.diag([1.0, 1.0, 0.0])]))
    assert not all_positive_definite(np.diag([1.0, -1e-3]))
    assert not all_positive_definite(np.full((2, 2), np.nan))
    tops = largest_eigenvalue(np.array([[[0.0, 1.0], [1.0, 0.0]]]))
    assert 1.0 < tops[0] < 1 + 1e-10


@pytest.mark.parametrize(
    "block", [Ball(1, 3), Sphere(1, 3), Box((-1, 0, 2), (1, 3, 5)), Simplex(3), Ball(Fraction(2, 7), 3)]
)
def test_rounded_points_lie_in_their_domain(block: Ball | Box | Simplex) -> None:
    domain = as_domain(block)
    for vector in domain.sample(50, np.random.default_rng(2)):
        point = domain.rounded(vector)
        assert domain.holds(point)
        assert max(abs(float(a) - b) for a, b in zip(point, vector, strict=True)) < 1e-9
    assert not domain.holds(tuple(Fraction(9) for _ in range(3)))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: PolynomialQuery((X,), (sp.sin(X),)), "polynomial in x"),
        (lambda: PolynomialQuery((X,), (sp.sqrt(2) * X,)), "rational coefficients"),
        (lambda: PolynomialQuery((X,), (X * Y,)), "polynomial in x"),
        (lambda: PolynomialQuery((X,), ()), "at least one entry"),
        (lambda: PolynomialQuery((X, X), (X,)), "different variables"),
        (lambda: PolynomialQuery((X,), (X,), (Fraction(0),)), "positive"),
        (lambda: PolynomialQuery((X,), (X,), (1.5,)), "positive rationals"),
        (lambda: PolynomialQuery((X,), (X,), (Fraction(1), Fraction(1))), "one multiplicity"),
        (lambda: polynomial_sensitivity(ONE, Ball(1, 2)), "one per variable"),
        (lambda: polynomial_sensitivity(ONE, Ball(1, 1), "l3"), "norm must be one of"),
        (lambda: polynomial_sensitivity(ONE, Ball(1, 1), adjacency="both"), "adjacency"),
        (lambda: polynomial_sensitivity(ONE, ()), "expected Ball"),
        (lambda: polynomial_sensitivity(ONE, Ball(1, 1), tolerance=0.0), "tolerance"),
        (lambda: Ball(1, 0), "dimension"),
        (lambda: Ball(Fraction(-1), 2), "radius > 0"),
        (lambda: Ball(float("nan"), 2), "finite"),
        (lambda: as_domain(Ball(Fraction(1, 10**40), 2)), "rescale the variables"),
        (lambda: as_domain(Simplex(2, Fraction(10**40))), "rescale the variables"),
        (lambda: as_domain(Box((0,), (Fraction(1, 10**40),))), "rescale the variables"),
        (lambda: PolynomialQuery((X,), (sp.Integer(10) ** 400 * X,)), "rescale the entry"),
        (lambda: Box((0,), (0,)), "low < high"),
        (lambda: Simplex(1), ">= 2"),
    ],
)
def test_bad_input_is_an_error(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]


@pytest.mark.parametrize("size", [Fraction(1, 10**14), Fraction(10**12)])
@pytest.mark.parametrize("entry", [X**3 + X * Y**2, X**2 * Y - X])
def test_the_size_of_the_domain_costs_no_digits(entry: sp.Expr, size: Fraction) -> None:
    # On a domain of this size the query is the same one, in other units.
    scaled = sp.expand(entry.subs({X: X / sp.Rational(size), Y: Y / sp.Rational(size)}, simultaneous=True))
    for here, there in (
        (Ball(1, 2), Ball(size, 2)),
        (Simplex(2), Simplex(2, size)),
        (Box((-1, 0), (1, 1)), Box((-size, 0), (size, size))),
    ):
        one = polynomial_sensitivity(PolynomialQuery((X, Y), (entry,)), here)
        other = polynomial_sensitivity(PolynomialQuery((X, Y), (scaled,)), there)
        assert other.gap < 1e-6
        assert float(other.at_most()) == pytest.approx(float(one.at_most()), rel=1e-6)


def test_constants_drop_out_of_differences_however_large() -> None:
    constant = sp.Integer(10) ** 30
    for norm in ("l1", "l2", "max"):
        found = polynomial_sensitivity(PolynomialQuery((X, Y), (X**3 + constant, constant)), Ball(1, 2), norm)
        assert float(found.at_most()) == pytest.approx(2, rel=1e-6)
        assert found.gap < 1e-6
    still = PolynomialQuery((X,), (constant, sp.Integer(0)))
    assert polynomial_sensitivity(still, Box((-2,), (-1,)), "l2").gap == 0
    # On two points an even entry does not move: the ball of its spread lies around zero, and is squared.
    even = PolynomialQuery((X,), (-2 * X**2, -(X**2) / 3))
    flat = polynomial_sensitivity(even, Sphere(Fraction(7, 2), 1), "l2")
    assert flat.at_most() < Fraction(1, 10**6)


@pytest.mark.parametrize("block", [Sphere(1, 7), Simplex(7), Box((-1,) * 7, (1,) * 7)])
def test_many_entries_have_a_euclidean_bound(block: Sphere | Simplex | Box) -> None:
    x = sp.symbols("x1:8")
    query = PolynomialQuery(x, tuple(x[i] * x[j] for i in range(7) for j in range(i, 7)))
    found = polynomial_sensitivity(query, block, "l2")
    assert found.at_least() > 1
    assert found.at_most() < 13


def test_many_variables_are_bounded_term_by_term() -> None:
    x = sp.symbols("x1:11")
    found = polynomial_sensitivity(PolynomialQuery(x, (x[0] ** 4 - x[1] ** 3,)), Box((-1,) * 10, (2,) * 10))
    # From (0, 2) to (2, -1): an even power is smallest at 0, an odd one at the lower end.
    assert "interval" in found.method
    assert found.at_most() == 25


def test_a_sphere_is_no_worse_than_its_ball() -> None:
    x = sp.symbols("x1:7")
    query = PolynomialQuery(x, tuple(x[i] * x[j] for i in range(6) for j in range(i, 6)))
    for norm in ("l1", "l2"):
        sphere, ball = (polynomial_sensitivity(query, block, norm) for block in (Sphere(1, 6), Ball(1, 6)))
        assert sphere.gap < 1e-9
        assert float(sphere.at_most()) == pytest.approx(float(ball.at_most()))


def test_a_witness_outside_of_the_domain_is_refused() -> None:
    with pytest.raises(ValueError, match="outside"):
        exact_distance(ONE, as_domain(Ball(1, 1)), ((Fraction(2),), (Fraction(0),)), "l1")
