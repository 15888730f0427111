"""Laws of information that hold for every model: other parameters, other outcomes, processed outcomes, several of them, mixtures.

Zamir 1998, A proof of the Fisher information inequality via a data processing argument, states most of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from fuzzing.random_laws import random_law
from hypothesis import given, settings
from hypothesis import strategies as st

import noiseproof as npf
from noiseproof.symbolic.laws.finite import DiscreteLaw
from noiseproof.symbolic.proof.truth import Truth

Y = sp.Symbol("y", real=True)
A, B, S = sp.symbols("a b s", positive=True)
M = sp.Symbol("m", real=True)
NEW = sp.Symbol("eta", real=True)
WHOLE = st.integers(1, 4)
SEEDS = st.integers(0, 10_000)
EXACT = settings(max_examples=4, deadline=None, derandomize=True)


def information(law: Any, *parameters: sp.Symbol) -> sp.ImmutableMatrix:
    """The exact matrix of a regular law."""
    found = npf.fisher_information(law, parameters)
    assert found.regular is Truth.HOLDS, found.reason
    assert found.value is not None
    return found.value


def nowhere_more(less: sp.MatrixBase, more: sp.MatrixBase, at: dict[sp.Symbol, Any]) -> bool:
    """Whether `more` - `less` has no negative eigenvalue there, exactly: all coefficients of its characteristic polynomial alternate."""
    gap = sp.Matrix(more - less).subs(at).applyfunc(sp.nsimplify)
    x = sp.Symbol("x")
    coefficients = gap.charpoly(x).all_coeffs()
    return all(sp.sign((-1) ** k * c) >= 0 for k, c in enumerate(coefficients))


def finite(rng: np.random.Generator, outcomes: int, *parameters: sp.Symbol) -> list[sp.Expr]:
    """Probabilities in proportion to random monomials of positive parameters."""
    weights = [
        int(rng.integers(1, 6)) * sp.Mul(*(p ** int(rng.integers(0, 2)) for p in parameters))
        for _ in range(outcomes)
    ]
    # The first and the last differ in the first parameter, so that it is one.
    weights[0] *= parameters[0]
    weights[-1] = sp.Integer(int(rng.integers(1, 6)))
    return [sp.together(w / sp.Add(*weights)) for w in weights]


def law_of(probabilities: Any) -> DiscreteLaw:
    masses = list(probabilities)
    return DiscreteLaw(range(len(masses)), [sp.together(p) for p in masses])


def merged(probabilities: list[sp.Expr], groups: list[list[int]]) -> list[sp.Expr]:
    return [sp.Add(*(probabilities[i] for i in group)) for group in groups]


def point(rng: np.random.Generator, *parameters: sp.Symbol) -> dict[sp.Symbol, Any]:
    return {p: sp.Rational(int(rng.integers(1, 9)), int(rng.integers(1, 5))) for p in parameters}


# Density, support and parameter, and the parameter as functions of another one.
FAMILIES: dict[str, tuple[sp.Expr, tuple[Any, Any], sp.Symbol, list[sp.Expr]]] = {
    "exponential": (A * sp.exp(-A * Y), (0, sp.oo), A, [sp.exp(NEW), 1 + NEW**2, 1 / (1 + NEW**2)]),
    "normal mean": (
        sp.exp(-((Y - M) ** 2) / 2) / sp.sqrt(2 * sp.pi),
        (-sp.oo, sp.oo),
        M,
        [2 * NEW - 3, NEW**3, sp.sin(NEW)],
    ),
    "normal spread": (
        sp.exp(-(Y**2) / (2 * S**2)) / (S * sp.sqrt(2 * sp.pi)),
        (-sp.oo, sp.oo),
        S,
        [sp.exp(-NEW), 2 + NEW**2],
    ),
    "power": (A * Y ** (A - 1), (0, 1), A, [sp.exp(2 * NEW), 1 + NEW**2]),
    "Laplace scale": (sp.exp(-sp.Abs(Y) / S) / (2 * S), (-sp.oo, sp.oo), S, [sp.exp(NEW / 2), 1 + NEW**2]),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_a_density_in_other_parameters_has_the_information_that_the_jacobian_gives(name: str) -> None:
    density, support, parameter, functions = FAMILIES[name]
    before = npf.fisher_information(npf.Law.from_density(density, Y, support), parameter)
    for function in functions:
        by_rule = before.of({parameter: function}, [NEW]).scalar
        anew = npf.fisher_information(
            npf.Law.from_density(density.subs(parameter, function), Y, support), NEW
        )
        assert anew.regular is Truth.HOLDS, anew.reason
        assert sp.simplify(anew.scalar - by_rule) == 0


@EXACT
@given(WHOLE, WHOLE, WHOLE)
def test_two_parameters_mix_by_the_jacobian_and_what_one_asks_comes_back(a: int, b: int, c: int) -> None:
    """Of a gamma law, through a random linear map with its inverse."""
    gamma = npf.Law.from_density(Y ** (A - 1) * sp.exp(-Y / B) / (sp.gamma(A) * B**A), Y, (0, "oo"))
    found = npf.fisher_information(gamma, [A, B])
    u, v = sp.symbols("u v", positive=True)
    moved = found.of({A: a * u + b * v, B: c * u + (b + c) * v}, [u, v])
    solved = sp.solve([a * u + b * v - A, c * u + (b + c) * v - B], [u, v], dict=True)
    if not solved:  # the map forgets one direction: no information about it
        assert sp.simplify(moved.value.det()) == 0
        return
    back = moved.of(solved[0], [A, B])
    assert sp.simplify(back.value - found.value) == sp.zeros(2)


@pytest.mark.parametrize(
    ("density", "support", "image", "back", "ends"),
    [
        (A * sp.exp(-A * Y), (0, sp.oo), "1/y", 1 / Y, (0, sp.oo)),
        (A * sp.exp(-A * Y), (0, sp.oo), "y^2", sp.sqrt(Y), (0, sp.oo)),
        (A * sp.exp(-A * Y), (0, sp.oo), "exp(-y)", -sp.log(Y), (0, 1)),
        (sp.exp(-((Y - A) ** 2) / 2) / sp.sqrt(2 * sp.pi), (-sp.oo, sp.oo), "exp(y)", sp.log(Y), (0, sp.oo)),
        (A * Y ** (A - 1), (0, 1), "1 - y", 1 - Y, (0, 1)),
        (A * Y ** (A - 1), (0, 1), "-log(y)", sp.exp(-Y), (0, sp.oo)),
    ],
)
def test_a_bijection_of_the_outcome_changes_nothing(
    density: sp.Expr, support: Any, image: str, back: sp.Expr, ends: Any
) -> None:
    before = information(npf.Law.from_density(density, Y, support), A)
    jacobian = sp.diff(back, Y)
    falling = jacobian.subs(Y, sp.Rational(1, 2)) < 0
    moved = density.subs(Y, back) * (-jacobian if falling else jacobian)
    after = information(npf.Law.from_density(moved, Y, ends, name=image), A)
    assert sp.simplify(after - before) == sp.zeros(1)


@EXACT
@given(SEEDS)
def test_what_a_known_number_does_to_the_outcome_changes_nothing(seed: int) -> None:
    rng = np.random.default_rng(seed)
    name = [*FAMILIES][int(rng.integers(len(FAMILIES)))]
    density, support, parameter, _ = FAMILIES[name]
    law = npf.Law.from_density(density, Y, support)
    factor = sp.Rational(int(rng.integers(1, 9)), int(rng.integers(1, 5))) * int(rng.choice([-1, 1]))
    moved = law.scale(factor).shift(int(rng.integers(-5, 6)))
    assert sp.simplify(information(moved, parameter) - information(law, parameter)) == sp.zeros(1)


@EXACT
@given(SEEDS)
def test_independent_parts_add_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    laws = [law_of(finite(rng, 3, A)) for _ in range(2)]
    exponential = npf.Law.from_density(A * sp.exp(-A * Y), Y, (0, "oo"))
    parts = [*laws, exponential]
    together = information(npf.JointLaw.independent(*parts), A)
    alone = sum((information(part, A) for part in parts), sp.zeros(1))
    assert sp.simplify(together - alone) == sp.zeros(1)


@EXACT
@given(SEEDS, st.integers(2, 4))
def test_copies_count(seed: int, n: int) -> None:
    law = law_of(finite(np.random.default_rng(seed), 3, A))
    found = npf.fisher_information(law, A)
    copies = npf.fisher_information(npf.JointLaw.independent(*([law] * n)), A)
    assert sp.simplify(found.n(n).scalar - copies.scalar) == 0
    assert found.n(n).derivation is not None


@EXACT
@given(SEEDS)
def test_outcomes_that_are_not_told_apart_say_no_more(seed: int) -> None:
    """Merging outcomes is rounding; a random channel is noise."""
    rng = np.random.default_rng(seed)
    probabilities = finite(rng, 4, A)
    whole, at = information(law_of(probabilities), A), point(rng, A)
    order = rng.permutation(4).tolist()
    assert nowhere_more(
        information(law_of(merged(probabilities, [order[:2], [order[2]], [order[3]]])), A), whole, at
    )
    rows = [[int(k) for k in rng.integers(0, 5, 3)] for _ in range(4)]
    channel = [[sp.Rational(k + 1, sum(row) + 3) for k in row] for row in rows]
    noisy = [sp.Add(*(p * row[j] for p, row in zip(probabilities, channel, strict=True))) for j in range(3)]
    assert nowhere_more(information(law_of(noisy), A), whole, at)


@settings(max_examples=4, deadline=None, derandomize=True)
@given(SEEDS)
def test_outcomes_that_are_not_told_apart_say_no_more_about_two_parameters(seed: int) -> None:
    rng = np.random.default_rng(seed)
    probabilities = finite(rng, 4, A, B)
    whole, at = (
        information(law_of(probabilities), A, B) if _two(probabilities) else sp.zeros(2),
        point(rng, A, B),
    )
    groups = [[0], [1, 2], [3]]
    told = merged(probabilities, groups)
    if _two(told):
        assert nowhere_more(information(law_of(told), A, B), whole, at)


def _two(probabilities: list[sp.Expr]) -> bool:
    return {A, B} <= set().union(*(p.free_symbols for p in probabilities))


@EXACT
@given(SEEDS)
def test_which_group_and_which_of_the_group_are_all_that_an_outcome_says(seed: int) -> None:
    """I(Y) = I(group) + the mean of I(Y given the group).  So conditioning is no processing: one group may say more than all."""
    rng = np.random.default_rng(seed)
    probabilities, groups = finite(rng, 4, A), [[0, 1], [2, 3]]
    weights = merged(probabilities, groups)
    total = _or_none(weights)
    for weight, group in zip(weights, groups, strict=True):
        total += weight * _or_none([probabilities[i] / weight for i in group])
    assert sp.simplify(information(law_of(probabilities), A)[0, 0] - total) == 0


def _or_none(probabilities: list[sp.Expr]) -> sp.Expr:
    """The information of a law that may not depend on the parameter at all."""
    masses = [sp.cancel(p) for p in probabilities]
    return information(law_of(masses), A)[0, 0] if any(p.has(A) for p in masses) else sp.Integer(0)


def test_a_part_of_the_outcomes_may_say_more_than_all_of_them() -> None:
    """Truncation by conditioning: where the informative outcomes are kept, each says more."""
    rare = [sp.Rational(9, 10), A / (10 * (1 + A)), 1 / (10 * (1 + A))]
    kept = [A / (1 + A), 1 / (1 + A)]
    whole, part = (information(law_of(p), A)[0, 0].subs(A, 1) for p in (rare, kept))
    assert part == 10 * whole


@EXACT
@given(SEEDS, st.integers(1, 9))
def test_information_is_convex_in_the_law(seed: int, tenths: int) -> None:
    """A mixture with known weights says no more than its components on average."""
    rng = np.random.default_rng(seed)
    first, second, w = finite(rng, 3, A), finite(rng, 3, A), sp.Rational(tenths, 10)
    mixture = [w * p + (1 - w) * q for p, q in zip(first, second, strict=True)]
    mean = w * information(law_of(first), A) + (1 - w) * information(law_of(second), A)
    assert nowhere_more(information(law_of(mixture), A), mean, point(rng, A))


@EXACT
@given(SEEDS)
def test_a_part_of_a_normal_vector_says_no_more_and_noise_takes_some_away(seed: int) -> None:
    rng = np.random.default_rng(seed)
    root = sp.Matrix(2, 2, lambda i, j: sp.Integer(int(rng.integers(-2, 3))) + (4 if i == j else 0))
    covariance = root * root.T * S**2
    mean = sp.Matrix([int(rng.integers(-3, 4)) * M, M])
    whole, at = information(npf.JointLaw.normal(mean, covariance), M, S), point(rng, M, S)
    part = information(npf.JointLaw.normal(mean[1:, :], covariance[1:, 1:]), M, S)
    noisy = information(npf.JointLaw.normal(mean, covariance + 2 * sp.eye(2)), M, S)
    assert nowhere_more(part, whole, at)
    assert nowhere_more(noisy, whole, at)


@settings(max_examples=6, deadline=None, derandomize=True)
@given(SEEDS)
def test_a_random_law_is_never_called_regular_where_it_is_not(seed: int) -> None:
    """The grammar of the fuzzer, which knows from how a law was made what moves."""
    drawn = random_law(np.random.default_rng(seed))
    # A route that runs away is stopped sooner; what is said does not depend on it.
    found = npf.fisher_information(drawn.law(), drawn.parameters, effort=0.1)
    if drawn.irregular or drawn.kinked:
        assert found.regular is not Truth.HOLDS
    elif found.value is None:
        assert found.regular is not Truth.FAILS
