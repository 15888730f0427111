"""Queries from formulas: values and slopes, and which functionals of a record their answers can estimate."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from policy_trials.estimability import estimable, estimable_record

from noiseproof.symbolic.information.error_bounds import cramer_rao
from noiseproof.symbolic.information.estimability import least_squares_split
from noiseproof.symbolic.information.query import Query, identity, linear, variance, weighted_average
from noiseproof.symbolic.proof.derivation import Derivation
from noiseproof.symbolic.proof.enclosure import is_zero
from noiseproof.symbolic.proof.trace import Letter
from noiseproof.symbolic.proof.truth import Truth

R = sp.Rational
QUERIES = {
    "identity": identity(3),
    "linear": linear([[1, 2, 3], [0, 1, 0.5]]),
    "average": weighted_average([R(1, 3)] * 3),
    "variance": variance(3),
    "expression": Query.of(["a*exp(b) + sin(c)", "sqrt(1 + a**2)/3"], ["a", "b", "c"]),
    "constant": Query.of(["a", "2"], ["a", "b", "c"]),
}
every = pytest.mark.parametrize("query", QUERIES.values(), ids=QUERIES.keys())


@every
def test_values_are_vectorised_and_slopes_are_their_derivatives(query: Query) -> None:
    x = np.random.default_rng(0).normal(size=(4, 5, 3))
    value, slope = query(x), query.slope(x)
    assert value.shape == (4, 5, query.outputs)
    assert slope.shape == (4, 5, query.outputs, 3)
    assert query(x[0, 0]) == pytest.approx(value[0, 0])
    for j in range(3):
        step = 1e-6 * np.eye(3)[j]
        assert slope[..., j] == pytest.approx((query(x + step) - query(x - step)) / 2e-6, abs=1e-7)
    exact = sp.Matrix(list(query.expressions)).subs(dict(zip(query.variables, x[1, 2], strict=True)))
    assert value[1, 2] == pytest.approx(np.array(exact.evalf().tolist(), dtype=float)[:, 0])


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=6))
@settings(max_examples=30, deadline=None)
def test_the_variance_query_is_the_sample_variance(values: list[float]) -> None:
    assert variance(len(values))(values)[0] == pytest.approx(np.var(values, ddof=1), abs=1e-6)


def test_the_variance_is_the_printed_formula() -> None:
    q = variance(4)
    mean = sp.Add(*q.variables) / 4
    assert is_zero(q.expressions[0] - sp.Add(*((v - mean) ** 2 for v in q.variables)) / 3) is Truth.HOLDS


def test_ranks_and_smoothness() -> None:
    assert [QUERIES[k].rank() for k in ("identity", "linear", "average", "variance")] == [3, 2, 1, 1]
    assert linear([[1, 2], [2, 4]]).rank() == 1
    assert QUERIES["expression"].rank() is None
    assert QUERIES["average"].matrix == sp.ImmutableMatrix([[R(1, 3)] * 3])
    assert variance(3).matrix is None
    assert variance(3).continuously_differentiable() is Truth.HOLDS
    for formula in ("abs(a)", "max(a, b)", "1/a", "sqrt(a)", "log(a)"):
        assert Query.of([formula], ["a", "b"]).continuously_differentiable() is Truth.UNKNOWN


def test_the_information_of_a_scalar_query_has_rank_one() -> None:
    known = QUERIES["average"].information(4)
    assert known.value == sp.ImmutableMatrix.ones(3, 3) * R(4, 9)
    assert known.value.rank() == 1
    assert cramer_rao(known).status == "vacuous"


def test_the_bound_of_an_average_for_the_mean_of_least_squares_is_theta_over_the_gram() -> None:
    """Farokhi, Sandberg (2019) print theta/(CC')^2; singular information still bounds estimators with mean C^+ C x."""
    theta, projector = R(5), sp.ones(3, 3) / 3
    known = QUERIES["average"].information(1 / theta)
    assert known.value == sp.ImmutableMatrix.ones(3, 3) / 9 / theta
    bound = cramer_rao(known, contrast=projector)
    assert bound.value == theta * 3
    assert bound.value < theta * 9
    assert bound.derivation.check() is Truth.HOLDS


@pytest.mark.parametrize(
    ("query", "domain"),
    [
        (weighted_average([R(1, 2), R(1, 2)]), None),
        (weighted_average([0.9, 0.1]), ([0, 0], [1, 1])),
        (variance(3), None),
        (linear([[1, 2, 3], [0, 1, 1]]), None),
        (Query.of(["exp(a)*b"], ["a", "b"]), ([0.5, 0.5], [1, 1])),
        (Query.of(["a + b", "2*a + 2*b"], ["a", "b"]), None),
        (Query.of(["a + b", "(a + b)**3"], ["a", "b"]), None),
        (weighted_average([R(1, 3)] * 3), ([0, 0, 1], [1, 1, 1])),
    ],
)
def test_no_unbiased_estimator_where_a_level_set_of_the_query_moves_the_record(
    query: Query, domain: Any
) -> None:
    found = estimable_record(query, domain)
    assert found.truth is Truth.FAILS
    assert found.derivation.check() is Truth.HOLDS
    assert found.point is not None
    assert found.direction is not None
    x, v = (np.array(e, dtype=float) for e in (found.point, found.direction))
    assert query.slope(x) @ v == pytest.approx(np.zeros(query.outputs), abs=1e-9)
    assert np.linalg.norm(v) > 0


def test_an_affine_query_hides_the_record_along_the_whole_segment() -> None:
    query = weighted_average([R(1, 4), R(3, 4)])
    found = estimable_record(query, ([0, 0], [1, 1]))
    assert found.point is not None
    assert found.direction is not None
    x, v = (np.array(e, dtype=float) for e in (found.point, found.direction))
    for t in (-0.1, 0.05, 0.1):
        assert np.all((x + t * v > 0) & (x + t * v < 1))
        assert query(x + t * v) == pytest.approx(query(x))


@pytest.mark.parametrize(
    ("query", "domain"),
    [
        (identity(2), None),
        (linear([[1, 1], [1, -1], [2, 0]]), None),
        (Query.of(["a + b + 3", "a - b"], ["a", "b"]), None),
        # All but one entry are known: eq. (7) of Farokhi and Sandberg.
        (weighted_average([R(1, 3)] * 3), ([0, 1, 2], [1, 1, 2])),
        # The domain is one point: the constant is unbiased.
        (weighted_average([R(1, 2)] * 2), ([1, 2], [1, 2])),
    ],
)
def test_an_unbiased_estimator_is_found_where_there_is_one(query: Query, domain: Any) -> None:
    found = estimable_record(query, domain)
    assert found.truth is Truth.HOLDS
    assert found.derivation.check() is Truth.HOLDS
    assert found.coefficients is not None
    assert found.offset is not None
    lower, upper = (np.zeros(query.inputs), np.ones(query.inputs)) if domain is None else domain
    x = np.random.default_rng(1).uniform(lower, upper, size=(5, query.inputs))
    h, c = (np.array(m.tolist(), dtype=float) for m in (found.coefficients, found.offset))
    assert query(x) @ h.T + c[:, 0] == pytest.approx(x)


@pytest.mark.parametrize(
    ("query", "functional", "truth"),
    [
        (weighted_average([R(1, 3)] * 3), [1, 1, 1], Truth.HOLDS),
        (weighted_average([R(1, 3)] * 3), [1, 1, 0], Truth.FAILS),
        (weighted_average([R(1, 3)] * 3), [1, 1, 1.0001], Truth.FAILS),
        (variance(2), "(x1 - x2)**2 + 4", Truth.HOLDS),
        (variance(2), "x1 + x2", Truth.FAILS),
        (variance(2), "x1*x2", Truth.FAILS),
        (linear([[1, 1, 0], [0, 1, 1]]), [1, 0, -1], Truth.HOLDS),
        (linear([[1, 1, 0], [0, 1, 1]]), [1, 0, 1], Truth.FAILS),
        (identity(2), "x1**2", Truth.UNKNOWN),
        (Query.of(["a**3"], ["a"]), "a", Truth.UNKNOWN),
    ],
)
def test_functionals_are_estimable_exactly_in_the_row_space(
    query: Query, functional: Any, truth: Truth
) -> None:
    found = estimable(query, functional)
    assert found.truth is truth
    assert found.derivation.check() is (Truth.UNKNOWN if truth is Truth.UNKNOWN else Truth.HOLDS)


def test_fewer_answers_than_unknown_entries_are_never_one_to_one() -> None:
    """The Jacobian's rank (one) is not certified here; invariance of domain settles the question all the same."""
    query = Query.of(["sin(a + b)", "cos(a + b)"], ["a", "b", "c"])
    found = estimable_record(query)
    assert found.truth is Truth.FAILS
    assert found.derivation.check() is Truth.HOLDS
    assert any("Brouwer" in lemma for lemma in found.derivation.lemmas)
    # As many answers as unknown entries, or a kink: nothing is said.
    assert estimable_record(query, ([0, 0, 1], [1, 1, 1])).truth is Truth.UNKNOWN
    assert estimable_record(Query.of(["abs(a)"], ["a", "b"])).truth is Truth.UNKNOWN


def test_a_wrong_estimator_or_direction_fails_its_derivation() -> None:
    good = estimable(weighted_average([R(1, 3)] * 3), [1, 1, 1]).derivation
    bad = Derivation(
        "", tuple(type(s)(s.left * R(101, 100), s.relation, s.right, s.reason, s.how) for s in good.steps)
    )
    assert bad.check() is Truth.FAILS
    hidden = estimable(variance(3), "x1").derivation
    for i, s in enumerate(hidden.steps):
        wrong = type(s)(s.left * 0 if s.relation == ">" else s.left + 1, s.relation, s.right, s.reason, s.how)
        assert Derivation("", (*hidden.steps[:i], wrong)).check() is Truth.FAILS


def test_bias_and_noise_of_least_squares_are_orthogonal_for_all_matrices() -> None:
    derivation = least_squares_split()
    assert derivation.check() is Truth.HOLDS
    for i, step in enumerate(derivation.steps):
        wrong = type(step)(step.left, "=", 2 * step.right, step.reason, step.how)
        assert wrong.check() is Truth.FAILS, i
    assert any(letter.name == "C" for letter in derivation.steps[0].left.atoms(Letter))
    rng = np.random.default_rng(0)
    c, x, w = rng.normal(size=(2, 4)), rng.normal(size=4), rng.normal(size=2) + 5
    plus = np.linalg.pinv(c)
    whole = np.sum((x - plus @ (c @ x + w)) ** 2)
    assert whole == pytest.approx(np.sum((x - plus @ c @ x) ** 2) + np.sum((plus @ w) ** 2))


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Query.of(["a + c"], ["a", "b"]), "unknown name"),
        (lambda: Query.of("a", ["a"]), "lists"),
        (lambda: Query.of(["__import__('os')"], ["a"]), "unknown function"),
        (lambda: Query.of(["a"], ["a", "a"]), "distinct"),
        (lambda: Query((), ()), "at least one"),
        (lambda: weighted_average([0.5, 0.4]), "add up to 1"),
        (lambda: linear([[np.nan, 1.0]]), "finite"),
        (lambda: variance(1), "at least 2"),
        (lambda: identity(0), "whole number"),
        (lambda: identity(2)(np.zeros(3)), "2 numbers"),
        (lambda: estimable(identity(2), [1, 2, 3]), "2 weights"),
        (lambda: estimable(identity(2), sp.Symbol("z")), "not variables"),
        (lambda: estimable_record(identity(2), ([1, 1], [0, 2])), "lower <= upper"),
        (lambda: Query((sp.Symbol("x"),), (sp.Symbol("x"),)), "real"),
        (lambda: Query.of(["a"], ["a b"]), "names"),
    ],
)
def test_bad_queries_are_refused(build: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        build()
