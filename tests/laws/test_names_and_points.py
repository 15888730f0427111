"""Symbols are read by their names; informations at values where a formula could be 0/0, or where there is no law; finite outcome spaces."""

from __future__ import annotations

import itertools
from typing import Any

import fuzz_true_laws
import numpy as np
import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.laws.catalogue import discrete
from noiseproof.symbolic.proof.truth import Truth

Y = sp.Symbol("y")
A, B, C, P, Q, R, T = sp.symbols("a b c p q r t", positive=True)
PHI, SIGMA = sp.Symbol("phi", real=True), sp.Symbol("sigma", positive=True)
BELL = sp.exp(-(Y**2) / 2) / sp.sqrt(2 * sp.pi)
law = npf.Law.from_density


def beta(p: Any, q: Any) -> sp.Expr:
    return Y ** (p - 1) * (1 - Y) ** (q - 1) * sp.gamma(p + q) / (sp.gamma(p) * sp.gamma(q))


def ar1(size: int, **more: Any) -> npf.JointLaw:
    covariance = [[SIGMA**2 * PHI ** abs(i - j) / (1 - PHI**2) for j in range(size)] for i in range(size)]
    return npf.JointLaw.normal([0] * size, covariance, **more)


def rankings(*worth: Any) -> list[sp.Expr]:
    """Plackett and Luce: each place goes to an item left in proportion to its worth."""
    found = []
    for order in itertools.permutations(worth):
        left = [sum(order[i:]) for i in range(len(order))]
        found.append(sp.Mul(*(w / s for w, s in zip(order, left, strict=True))))
    return found


def test_a_function_of_the_outcome_is_read_by_the_name_of_the_variable() -> None:
    normal = law(BELL, Y, ("-oo", "oo"))
    assert (normal.expectation(Y), normal.expectation(Y**2), normal.expectation(3)) == (0, 1, 3)
    assert not normal.expectation(sp.sin(Y)).free_symbols
    waiting = law(A * sp.exp(-A * Y), Y, (0, "oo"))
    assert sp.simplify(waiting.expectation(sp.Symbol("a") * Y) - 1) == 0
    counts = law(T**Y * sp.exp(-T) / sp.factorial(Y), Y, (0, "oo"), discrete=True)
    assert counts.expectation(Y) == T
    assert discrete([0, 1], [1 - P, P]).expectation(Y) == P
    with pytest.raises(TypeError, match="sympy expression in y"):
        normal.expectation("sin(y)")  # type: ignore[arg-type]


def test_values_and_new_parameters_are_read_by_name() -> None:
    waiting = law(A * sp.exp(-A * Y), Y, (0, "oo"))
    assert waiting.at({"a": 2}) == waiting.at({sp.Symbol("a"): 2}) == waiting.at({A: 2})
    with pytest.raises(ValueError, match="rate: no parameter of the law; expected a"):
        waiting.at({"rate": 2})
    moved = npf.fisher_information(waiting, A).of({"a": 1 / sp.Symbol("t")}, [T])
    assert moved.scalar == T**-2
    family = npf.Family.of_law(waiting, [sp.Symbol("a")], 2.0)
    assert family.information().scalar == sp.Rational(1, 4)


@pytest.mark.parametrize(
    ("probabilities", "domains", "parameters", "at", "expected"),
    [
        (
            [(2 + T) / 4, (1 - T) / 4, (1 - T) / 4, T / 4],
            {"t": (0, 1)},
            [T],
            {"t": sp.Rational(1, 3)},
            [[(1 / (2 + T) + 2 / (1 - T) + 1 / T) / 4]],
        ),
        (rankings(A, B, C), {}, [A, B], {"a": 1, "b": 2, "c": 1}, [[53, -13], [-13, 13]]),
        (
            [P**2 + 2 * P * (1 - P - Q), Q**2 + 2 * Q * (1 - P - Q), 2 * P * Q, (1 - P - Q) ** 2],
            {"p": (0, 1), "q": (0, 1 - P)},
            [P, Q],
            {"p": sp.Rational(3, 10), "q": sp.Rational(1, 5)},
            None,
        ),
    ],
    ids=["linkage", "rankings", "ABO"],
)
def test_the_information_of_finitely_many_outcomes_is_a_finite_sum(
    probabilities: list[sp.Expr], domains: Any, parameters: list[sp.Symbol], at: Any, expected: Any
) -> None:
    found = npf.fisher_information(npf.JointLaw.multinomial(1, probabilities, domains=domains), parameters)
    values = {s: at[s.name] for s in found.law.free_symbols}
    slopes = [[sp.diff(p, s).subs(values) for s in parameters] for p in probabilities]
    masses = [p.subs(values) for p in probabilities]
    k = range(len(parameters))
    direct = [[sum(s[i] * s[j] / p for p, s in zip(masses, slopes, strict=True)) for j in k] for i in k]
    assert found.value.subs(values).tolist() == direct
    assert found.regular is Truth.HOLDS
    if expected is not None:
        scale = 144 if len(parameters) > 1 else 1
        assert direct == (sp.Matrix(expected).subs(values) / scale).tolist()


@pytest.mark.parametrize(
    ("p", "q", "end", "at"),
    [(B, 2 - B, 2, 1), *((1 + 4 * B, 5 - 4 * B, sp.Rational(5, 4), v) for v in (0.25, 0.5))],
)
def test_an_information_has_a_value_where_its_formula_could_be_0_over_0(
    p: sp.Expr, q: sp.Expr, end: Any, at: Any
) -> None:
    found = npf.fisher_information(law(beta(p, q), Y, (0, 1), domains={"b": (0, end)}), B)
    truth = sum(sp.diff(e, B) ** 2 * sp.polygamma(1, e) for e in (p, q)).subs(B, sp.Rational(at))
    assert found.regular is Truth.HOLDS
    assert abs(found.at({"b": at})[0, 0] - float(truth)) < 1e-7


def test_a_formula_without_a_value_is_made_up_for_by_integrals_or_said() -> None:
    parts = npf.JointLaw.independent(
        *(law(beta(*pq), Y, (0, 1), domains={"b": (0, 2)}) for pq in ((B, 2 - B), (2 - B, B)))
    )
    assert abs(npf.fisher_information(parts, B).at({"b": 1})[0, 0] - 2 * np.pi**2 / 3) < 1e-6
    cut = law(R * sp.exp(-R * Y) / (1 - sp.exp(-R)), Y, (0, 1))
    with pytest.raises(ValueError, match=r"contradicts|not defined"):
        npf.fisher_information(cut, R).at({"r": 0})


@pytest.mark.parametrize(
    ("vector", "at", "reason"),
    [
        (ar1(3), {"phi": 2, "sigma": 1}, "not positive definite"),
        (npf.JointLaw.multinomial(3, [P, P**2, 1 - P - P**2]), {"p": 2}, "probability .* is -5"),
        (npf.JointLaw.markov([1, 0], [[1 - P, P], [0, 1]], 3), {"p": 3}, "probability 1 - p is -2"),
        (law(P * (1 - P) ** Y, Y, (0, "oo"), discrete=True), {"p": 2}, "negative at y = 1"),
    ],
)
def test_where_there_is_no_law_there_is_no_information(vector: Any, at: Any, reason: str) -> None:
    found = npf.fisher_information(vector, sorted(vector.free_symbols, key=str))
    with pytest.raises(
        ValueError, match=f"there is no law at .*{reason}.*choose (another value|other values) of"
    ):
        found.at(at)


def test_no_error_bound_is_drawn_where_there_is_no_law() -> None:
    with pytest.raises(ValueError, match="not positive definite"):
        npf.error_bound(ar1(2), PHI, PHI, at={"phi": 2, "sigma": 1})
    inside = npf.fisher_information(ar1(2, domains={"phi": (-1, 1)}), [PHI, SIGMA])
    with pytest.raises(ValueError, match="outside of its domain"):
        inside.at({"phi": 2, "sigma": 1})


def test_a_claim_about_a_law_with_a_moving_mode_comes_to_an_end() -> None:
    pert = law(beta(1 + 4 * B, 5 - 4 * B), Y, (0, 1), domains={"b": (0, 1)})
    family = npf.Family.of_law(pert, [B], sp.Rational(1, 2))
    claim = npf.Claim(npf.FisherInformation(12.6), about="law")
    assert npf.examine(family, claim).verdict.name == "REFUTED"
    assert abs(float(family.information().scalar) - 32 * float(sp.polygamma(1, 3))) < 1e-9


@pytest.mark.parametrize(
    ("density", "support", "more", "exact"),
    [
        (Y**-A / sp.zeta(A), (1, "oo"), {"discrete": True, "domains": {"a": (1, "oo")}}, True),
        (beta(A, A), (0, 1), {}, True),
        (
            BELL.subs(Y, (Y - 8.655555555555557) / 0.5212875796916135) / 0.5212875796916135,
            ("-oo", "oo"),
            {},
            False,
        ),
        ((2.3 / 1.7) * (Y / 1.7) ** (2.3 - 1) * sp.exp(-((Y / 1.7) ** 2.3)), (0, "oo"), {}, False),
        (sp.sqrt(2) / (0.37 * sp.sqrt(sp.pi)) * sp.exp(-(Y**2) / (2 * 0.37**2)), (0, "oo"), {}, False),
        (1 / 0.3 + 0 * Y, (0, 0.3), {}, False),
        (Y ** (2.3 - 1) * sp.exp(-Y / A) / (sp.gamma(2.3) * A**2.3), (0, "oo"), {}, False),
    ],
    ids=["Zipf", "Beta(a, a)", "normal", "Weibull", "half-normal", "uniform", "Gamma"],
)
def test_a_true_law_is_not_refused(density: sp.Expr, support: Any, more: Any, exact: bool) -> None:
    found = law(density, Y, support, **more)
    assert sp.simplify(found.mass() - 1) == 0
    assert exact or "it is divided by its mass" in found.notes[-1]


def test_floats_farther_off_are_refused_and_shares_of_floats_are_read() -> None:
    with pytest.raises(ValueError, match="integrates to 100000001/100000000, expected 1"):
        law(sp.exp(-Y) * 1.00000001, Y, (0, "oo"))
    assert npf.JointLaw.multinomial(2, [1 / 3, 1 / 3, 1 / 3]).form.probabilities == (sp.Rational(1, 3),) * 3
    with pytest.raises(ValueError, match="must add up to 1"):
        npf.JointLaw.multinomial(2, [0.3, 0.3, 0.3])
    slow = law(Y ** sp.Rational(-11, 10) / sp.zeta(sp.Rational(11, 10)), Y, (1, "oo"), discrete=True)
    with pytest.raises(ValueError, match="what lies beyond is not tabulated"):
        slow.quantile(0.99)


def test_textbook_laws_have_their_means_and_signs() -> None:
    pareto = law(A / Y ** (A + 1), Y, (1, "oo"))
    assert pareto.mean() == sp.Piecewise((A / (A - 1), A > 1), (sp.oo, True))
    lighter = law(A / Y ** (A + 1), Y, (1, "oo"), domains={"a": (2, "oo")})
    assert sp.simplify(lighter.variance() - A / ((A - 2) * (A - 1) ** 2)) == 0
    seen = law(T**Y / (sp.factorial(Y) * (sp.exp(T) - 1)), Y, (1, "oo"), discrete=True)
    assert npf.fisher_information(seen, T).regular is Truth.HOLDS


def test_a_bound_on_one_point_has_its_limit_at_zero() -> None:
    counts = law(T**Y * sp.exp(-T) / sp.factorial(Y), Y, (0, "oo"), discrete=True)
    bound = npf.error_bound(counts, T, sp.exp(-T), kind="chapman-robbins", at={T: 1})
    assert bound.status == "bound"
    assert abs(bound.numeric - float(sp.exp(-1) * (1 - sp.exp(-1)))) < 1e-12


@pytest.mark.parametrize("cases", [2, pytest.param(60, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", fuzz_true_laws.KINDS)
def test_random_true_laws_are_answered(kind: str, cases: int) -> None:
    draws = (np.random.default_rng([43, k]) for k in range(cases))
    assert [what for rng in draws for what in fuzz_true_laws.KINDS[kind](rng)] == []
