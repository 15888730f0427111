"""Second moments: enumeration, conic bound, Cauchy-Schwarz, brute force and known values agree."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sympy as sp
from bound_trials.sign_reduction import reduction

from noiseproof.symbolic.domains.ball import Ball, Sphere
from noiseproof.symbolic.domains.box import Box
from noiseproof.symbolic.domains.exact import as_domain
from noiseproof.symbolic.domains.polynomials import PolynomialQuery
from noiseproof.symbolic.proof.truth import Truth
from noiseproof.symbolic.sensitivity import planar_signs, rank_one, second_moments
from noiseproof.symbolic.sensitivity.ascent import exact_distance
from noiseproof.symbolic.sensitivity.enclosure import SensitivityEnclosure
from noiseproof.symbolic.sensitivity.engine import polynomial_sensitivity
from noiseproof.symbolic.sensitivity.moments import (
    augmented_second_moment_sensitivity,
    second_moment,
    second_moment_sensitivity,
)
from noiseproof.symbolic.sensitivity.planar_cone import planar_bound
from noiseproof.symbolic.sensitivity.planar_signs import sign_patterns
from noiseproof.symbolic.sensitivity.second_moments import SecondMoment, one_sided
from noiseproof.symbolic.sensitivity.sign_matrices import exact_sensitivity

LABELS = (Fraction(1, 4), Fraction(1, 2), Fraction(1), Fraction(2), Fraction(5))


def _inside(found: SensitivityEnclosure, value: float, slack: float = 1e-9) -> bool:
    return float(found.at_least()) <= value * (1 + slack) and value <= float(found.at_most()) * (1 + slack)


@pytest.mark.parametrize("p", range(1, 9))
def test_full_matrix_is_known_to_a_millionth(p: int) -> None:
    found = second_moment_sensitivity(p, tolerance=1e-6)
    # Zhan (2006): the largest spread of a sign matrix is sqrt(2) p for even p; sqrt(2 p^2 - 1) for odd p.
    assert _inside(found, float(np.sqrt(2 * p * p - p % 2)))
    assert found.gap < 1e-9


@pytest.mark.parametrize("p", range(9, 21))
def test_full_matrix_and_triangle_are_known_to_a_hundredth(p: int) -> None:
    full, triangle = (second_moment_sensitivity(p, symmetric=s) for s in (False, True))
    assert _inside(full, float(np.sqrt(2 * p * p - p % 2)))
    assert full.gap < 0.01
    assert triangle.gap < 0.01
    assert float(triangle.at_most()) <= np.sqrt(p * (p + 3) / 2) * (1 + 1e-9)


@pytest.mark.parametrize("p", range(1, 5))
def test_planar_patterns_reach_what_all_sign_matrices_reach(p: int) -> None:
    spreads = []
    for signs in itertools.product((1.0, -1.0), repeat=p * (p + 1) // 2):
        matrix = np.zeros((p, p))
        matrix[np.triu_indices(p)] = signs
        matrix = np.triu(matrix) + np.triu(matrix, 1).T
        for k, weights in enumerate((np.ones((p, p)), (np.ones((p, p)) + np.eye(p)) / 2)):
            values = np.linalg.eigvalsh(matrix * weights)
            spreads.append((k, max(values[-1], 0) - min(values[0], 0)))
    for k, symmetric in enumerate((False, True)):
        found = second_moment_sensitivity(p, symmetric=symmetric)
        assert _inside(found, max(value for which, value in spreads if which == k))
    assert _inside(second_moment_sensitivity(p), float(exact_sensitivity(p)))


@pytest.mark.parametrize("marked", [False, True])
def test_signs_of_random_pairs_are_in_the_list_up_to_symmetry(marked: bool) -> None:
    def canonical(matrix: np.ndarray) -> bytes:
        n = len(matrix)
        best = None
        for order in itertools.permutations(range(n - marked)):
            moved = matrix[np.ix_([*order, *range(n - marked, n)], [*order, *range(n - marked, n)])]
            for sign in (1, -1):
                # Switching makes the last row +; only its diagonal entry may stay negative.
                flips = np.append(sign * moved[-1, :-1], 1)
                key = (sign * moved * np.outer(flips, flips)).tobytes()
                best = key if best is None else min(best, key)
        assert best is not None
        return best

    listed = {canonical(s) for s in sign_patterns(3, marked)}
    rng = np.random.default_rng(0)
    for _ in range(300):
        u, v = rng.normal(size=(2, 3 + marked))
        assert canonical(np.where(np.outer(u, u) - np.outer(v, v) > 0, 1.0, -1.0)) in listed


def test_reduction_to_planar_patterns_holds_step_by_step() -> None:
    derivation = reduction()
    assert derivation.check() is Truth.HOLDS
    for step in derivation.steps:
        assert replace(step, right=step.right + 1).check() is Truth.FAILS, step.reason


@pytest.mark.parametrize("a", LABELS)
@pytest.mark.parametrize("p", [1, 2, 3, 5, 8, *(pytest.param(p, marks=pytest.mark.long) for p in (4, 6, 7))])
def test_augmented_matrix_is_known_to_a_millionth(p: int, a: Fraction) -> None:
    found = augmented_second_moment_sensitivity(p, a, tolerance=0.01)
    assert found.gap < 1e-6
    assert "enumeration" in found.method
    # One label moved alone, all of the record moved, and the norm inequalities bound it from both sides.
    assert float(found.at_most()) >= np.sqrt(2 * p * p - p % 2) - 1e-9
    assert float(found.at_most()) <= np.sqrt(2) * (np.sqrt(p) + float(a)) ** 2 + 1e-9


@pytest.mark.parametrize(("p", "a"), [(1, 1), (2, 1), (3, 2)])
def test_augmented_matrix_agrees_with_ascent_from_many_starts(p: int, a: int) -> None:
    query = second_moment(tuple(sp.symbols(f"x1:{p + 1}")) + (sp.Symbol("y"),))
    domain = as_domain((Ball(1, p), Box((-a,), (a,))))
    from noiseproof.symbolic.sensitivity.ascent import climb

    pair = climb(query, domain, "l1", False, np.random.default_rng(1))
    reached = float(exact_distance(query, domain, pair, "l1").mid())
    found = augmented_second_moment_sensitivity(p, a)
    assert 0.999 * float(found.at_least()) < reached <= float(found.at_most())


@pytest.mark.parametrize(
    ("p", "a"),
    [
        (3, Fraction(1, 2)),
        (6, Fraction(2)),
        *(pytest.param(p, a, marks=pytest.mark.long) for p, a in ((3, Fraction(2)), (6, Fraction(1, 2)))),
    ],
)
def test_conic_bound_is_above_the_enumerated_value_and_within_two_hundredths(p: int, a: Fraction) -> None:
    exact = float(augmented_second_moment_sensitivity(p, a).at_least())
    assert exact <= planar_bound(p, float(a)) <= 1.02 * exact


@pytest.mark.parametrize(("p", "a"), [(9, Fraction(1, 2)), (20, Fraction(2))])
def test_augmented_matrix_of_higher_order_is_known_to_a_hundredth(p: int, a: Fraction) -> None:
    found = augmented_second_moment_sensitivity(p, a)
    assert found.gap < 0.01


@pytest.mark.long
@pytest.mark.parametrize("a", LABELS)
@pytest.mark.parametrize("p", range(9, 21))
def test_augmented_matrix_is_known_to_a_hundredth_for_all_orders(p: int, a: Fraction) -> None:
    assert augmented_second_moment_sensitivity(p, a).gap < 0.01


def test_random_pairs_stay_below_the_upper_bounds() -> None:
    rng = np.random.default_rng(7)
    for p, a in ((3, 0.5), (7, 2.0), (12, 1.0)):
        x = rng.normal(size=(2, 4000, p))
        x /= np.linalg.norm(x, axis=2, keepdims=True)
        z = np.concatenate([x, rng.choice((-a, 0.0, a), size=(2, 4000, 1))], axis=2)
        moved = np.abs(z[0][:, :, None] * z[0][:, None] - z[1][:, :, None] * z[1][:, None])
        assert moved.sum(axis=(1, 2)).max() <= float(augmented_second_moment_sensitivity(p, a).at_most())
        assert moved[:, :p, :p].sum(axis=(1, 2)).max() <= float(second_moment_sensitivity(p).at_most())


@pytest.mark.parametrize("p", [1, 2, 6])
def test_other_norms_and_one_sided_suprema(p: int) -> None:
    euclidean, largest = (second_moment_sensitivity(p, norm) for norm in ("l2", "max"))
    assert _inside(euclidean, np.sqrt(2) if p > 1 else 1.0)
    assert _inside(largest, 1.0)
    assert max(euclidean.gap, largest.gap) < 1e-6
    alone = second_moment_sensitivity(p, adjacency="add-or-remove")
    assert _inside(alone, float(p))
    # |u|_1 + a squared, for u with equal entries.
    label = augmented_second_moment_sensitivity(p, 2, adjacency="add-or-remove")
    assert _inside(label, (np.sqrt(p) + 2) ** 2)
    assert max(alone.gap, label.gap) < 1e-9


def test_structure_is_read_from_the_entries_and_not_from_a_name() -> None:
    a, b, c = sp.symbols("mean height age")
    renamed = PolynomialQuery(
        (a, b, c), (b * c, a * a, c * a, -b * b, a * b, c**2), tuple(map(Fraction, (2, 1, 2, 1, 2, 1)))
    )
    assert second_moments.recognise(renamed, as_domain(Ball(1, 3))) is not None
    found = polynomial_sensitivity(renamed, Ball(1, 3))
    assert _inside(found, float(np.sqrt(17)))
    for entries in ((a * a, a * b, b * b + a), (a * a, 2 * a * b, 3 * b * b), (a * a, b * b)):
        other = PolynomialQuery((a, b), entries)
        assert second_moments.recognise(other, as_domain(Ball(1, 2))) is None
    assert second_moments.recognise(renamed, as_domain(Sphere(1, 3))) is None


def test_general_route_agrees_with_the_structural_one(monkeypatch: pytest.MonkeyPatch) -> None:
    structural = [second_moment_sensitivity(3), augmented_second_moment_sensitivity(2, 1)]
    monkeypatch.setattr(second_moments, "recognise", lambda *_: None)
    general = [
        second_moment_sensitivity(3, tolerance=1e-6),
        augmented_second_moment_sensitivity(2, 1, tolerance=1e-4),
    ]
    for one, other in zip(structural, general, strict=True):
        assert "sign patterns up to symmetry" in other.method
        assert one.at_least() <= other.at_most()
        assert other.at_least() <= one.at_most()
        assert abs(float(one.at_most()) / float(other.at_most()) - 1) < 1e-3


def test_a_pattern_left_out_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    everything = planar_signs.sign_patterns

    def few(ordinary: int, marked: bool) -> np.ndarray:
        return everything(ordinary, marked)[:1]

    monkeypatch.setattr(rank_one, "sign_patterns", few)
    found = second_moment_sensitivity(4)
    assert not _inside(found, float(np.sqrt(32)))


def test_units_of_the_second_moments_cost_no_digits() -> None:
    x = sp.symbols("x1:4")
    entries = tuple(x[i] * x[j] for i in range(3) for j in range(i, 3))
    for size, weight in (
        (Fraction(1, 10**14), Fraction(1)),
        (Fraction(1), Fraction(1, 10**20)),
        (Fraction(10**20), Fraction(7)),
    ):
        found = polynomial_sensitivity(PolynomialQuery(x, entries, (weight,) * 6), Ball(size, 3))
        assert found.gap < 1e-9


@pytest.mark.parametrize("symmetric", [False, True])
def test_one_record_coming_or_going_moves_moments_of_every_order(symmetric: bool) -> None:
    # (sqrt p + a)^2 over all entries; on the triangle half of that and half of the trace.
    for p, a in ((3, 2), (70, 1)):
        total = (p**0.5 + a) ** 2
        expected = (total + 1 + a**2) / 2 if symmetric else total
        lengths = np.append(np.ones(p), a)
        counts = np.full((p + 1, p + 1), 0.5 if symmetric else 1.0)
        np.fill_diagonal(counts, 1.0)
        found = one_sided(SecondMoment(counts * np.outer(lengths, lengths), lengths, True, 1.0))
        assert found.upper == pytest.approx(expected, rel=1e-11)
        assert found.upper >= expected * (1 - 1e-15)


def test_triangle_of_the_augmented_matrix_is_enclosed() -> None:
    assert augmented_second_moment_sensitivity(4, 1, symmetric=True).gap < 1e-6
    assert augmented_second_moment_sensitivity(12, 1, symmetric=True).gap < 0.1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: second_moment_sensitivity(0), "p must be"),
        (lambda: second_moment_sensitivity(True), "p must be"),
        (lambda: augmented_second_moment_sensitivity(2, 0), "positive"),
        (lambda: augmented_second_moment_sensitivity(2, float("inf")), "finite"),
        (lambda: augmented_second_moment_sensitivity(2, "a"), "finite"),
        (lambda: second_moment_sensitivity(2, "l7"), "norm"),
    ],
)
def test_bad_input_is_an_error(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]
