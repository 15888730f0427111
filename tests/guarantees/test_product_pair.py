"""Independent Laplace entries: the exact profile by three routes, decisions by enclosure, and the covariance that needs it."""

from __future__ import annotations

import copy
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb
from scipy import integrate

from noiseproof import ApproxDP, Claim, GaussianDP, PureDP, RenyiDP, Verdict, examine
from noiseproof.audit.record.evidence import Evidence
from noiseproof.audit.trial.checks.derivation import DerivationCheck
from noiseproof.audit.trial.checks.quadrature import numerical_profile, on_one_line
from noiseproof.audit.witnesses import reevaluate
from noiseproof.mechanisms.covariance import LaplaceCovariance, l1_sensitivity, sensitivity_steps
from noiseproof.symbolic import laws
from noiseproof.symbolic.laws.vector import IndependentNoise
from noiseproof.symbolic.privacy.guarantees import Guarantee, ZeroConcentratedDP
from noiseproof.symbolic.privacy.loss_lattice import LossLattice, common_multiples, profile_bounds
from noiseproof.symbolic.privacy.pair import BoundedByEach, GaussianPair, LaplacePair, ProductLaplacePair
from noiseproof.symbolic.privacy.product_pair import closed_form, closed_form_work, grouped
from noiseproof.symbolic.privacy.product_steps import gaussian_steps, product_steps
from noiseproof.symbolic.proof.enclosure import enclose
from noiseproof.symbolic.proof.truth import Truth
from noiseproof.symbolic.sensitivity.sign_matrices import exact_sensitivity

Q = sp.Rational


def pair_of(*groups: tuple[Any, int]) -> ProductLaplacePair:
    return ProductLaplacePair(tuple(sp.sympify(r) for r, n in groups for _ in range(n)))


def exact(pair: ProductLaplacePair, epsilon: Any) -> float:
    return float(enclose(pair.profile(sp.sympify(epsilon))).mid())


def derived(mechanism: LaplaceCovariance, claim: Guarantee) -> Evidence:
    check = DerivationCheck.bind(Claim(claim, mechanism, about="law"))
    assert check is not None
    return check.judge(None, None, 0.05)


def averaged(first: float, second: float, epsilon: float) -> float:
    """Two coordinates: the textbook profile of the first, averaged over the loss of the second by scipy."""

    def one(e: float) -> float:
        if e >= first:
            return 0.0
        return 1 - math.exp((e - first) / 2) if e > -first else 1 - math.exp(e)

    between, _ = integrate.quad(
        lambda loss: math.exp((loss - second) / 2) / 4 * one(epsilon - loss),
        -second,
        second,
        points=[p for p in (epsilon - first, epsilon + first) if abs(p) < second] or None,
        epsabs=1e-13,
        limit=200,
    )
    return one(epsilon - second) / 2 + math.exp(-second) / 2 * one(epsilon + second) + between


@pytest.mark.parametrize("epsilon", [0, Q(1, 3), Q(7, 5), Q(3, 2), 2])
def test_one_coordinate_is_the_laplace_pair(epsilon: Any) -> None:
    expected = enclose(LaplacePair(Q(3, 2)).profile(sp.sympify(epsilon)))
    assert enclose(pair_of((Q(3, 2), 1)).profile(sp.sympify(epsilon))).overlaps(expected)
    assert exact(pair_of((Q(3, 2), 1)), epsilon) == pytest.approx(float(expected.mid()), abs=1e-15)


@pytest.mark.parametrize("epsilon", [0.0, 0.2, 0.75, 1.2, 1.6, 1.7])
@pytest.mark.parametrize(("first", "second"), [(1.0, 1.0), (1.0, 0.7), (0.25, 1.5)])
def test_two_coordinates_are_one_averaged_over_the_other(first: float, second: float, epsilon: float) -> None:
    pair = pair_of((Q(repr(first)), 1), (Q(repr(second)), 1))
    expected = averaged(first, second, epsilon)
    assert exact(pair, Q(repr(epsilon))) == pytest.approx(expected, abs=1e-11)
    low, high = pair.bounds(epsilon)
    assert low - 1e-11 <= expected <= high + 1e-11


@pytest.mark.parametrize(
    "groups",
    [
        ((Q(5, 4), 1),),
        ((Q(1, 4), 4),),
        ((Q(1, 32), 64),),
        ((sp.sqrt(10) / 400, 400),),
        ((Q(1, 2), 1), (Q(1, 9), 9)),
        ((sp.sqrt(34) / 68, 4), (sp.sqrt(34) / 51, 4), (sp.sqrt(34) / 34, 1)),
        ((1, 2), (sp.sqrt(2), 2), (sp.pi / 3, 1)),
    ],
    ids=str,
)
def test_the_lattice_encloses_the_closed_form(groups: Any) -> None:
    pair = pair_of(*groups)
    top = float(pair.max_loss())
    epsilons = [Q(k, 20) * Q(repr(round(top, 6))) for k in (0, 1, 6, 11, 16, 19)]
    low, high = pair.bounds([float(e) for e in epsilons])
    proportional = common_multiples(
        np.array([float(r) for r, _ in groups]), np.array([n for _, n in groups]), 60_000
    )
    for e, a, b in zip(epsilons, low, high, strict=True):
        ball = enclose(pair.profile(e), bits=640)
        value = float(ball.mid())
        assert a <= value * (1 + 1e-14)
        assert value * (1 - 1e-14) <= b
        # Of second order where a lattice holds the atoms, a few roundings of the ratios elsewhere.
        assert b - a <= (2e-4 if proportional is not None else 2e-2) * b
        assert ball.rad() < arb("1e-120")
    assert pair.bounds(top * 1.0001) == (0.0, 0.0)


def test_many_different_ratios_are_bounded_from_both_sides() -> None:
    rng = np.random.default_rng(0)
    ratios = rng.uniform(0.001, 0.02, 300)
    low, high = profile_bounds(ratios, np.ones(300, dtype=int), np.array([0.0, 0.5, 1.0]))
    assert np.all(low <= high)
    assert np.all(high <= 1.3 * low)
    # Lindeberg: the loss is nearly normal, with variance the sum of squared ratios.
    normal = GaussianPair(Q(repr(float(np.sqrt((ratios**2).sum()))))).delta(0.0)
    assert low[0] == pytest.approx(float(normal), rel=0.02)


def test_enclosures_agree_with_simulation() -> None:
    pair, rng = pair_of((Q(1, 8), 40), (Q(1, 3), 3)), np.random.default_rng(5)
    shift = np.array([float(r) for r in pair.ratios])
    y = shift + rng.laplace(size=(60_000, len(shift)))
    loss = (np.abs(y) - np.abs(y - shift)).sum(axis=1)
    for epsilon in (0.0, 0.5, 1.5):
        gain = np.maximum(0.0, -np.expm1(epsilon - loss))
        half = 5 * gain.std() / np.sqrt(len(gain))
        low, high = pair.bounds(epsilon)
        assert gain.mean() - half <= low <= high <= gain.mean() + half
        assert half < 0.15 * gain.mean()


def test_a_lattice_off_by_one_cell_is_seen() -> None:
    """The comparison with the closed form can fail: a lattice of slightly larger or smaller ratios lies beside it."""
    value = exact(pair_of((Q(1, 8), 32)), 1)
    for cells, upper in ((1001, False), (999, True)):
        beside = float(LossLattice(1 / 8000, (cells,), (32,)).delta(np.array([1.0]), upper)[0])
        assert (beside > value) == (cells > 1000)


def test_far_tails_keep_their_digits() -> None:
    pair = pair_of((sp.sqrt(10) / 400, 400))
    assert enclose(pair.profile(sp.Integer(3))) < arb("1e-102")
    low, high = pair.bounds(3.0)
    assert 0 < low <= exact(pair, 3) <= high < 1.0001 * low


def test_the_profile_is_a_function_that_sympy_can_print_and_evaluate() -> None:
    profile = pair_of((Q(1, 4), 4)).profile(Q(1, 2))
    assert str(profile) == "delta[4 x 1/4](1/2)"
    assert float(sp.N(profile, 30)) == pytest.approx(exact(pair_of((Q(1, 4), 4)), Q(1, 2)), abs=1e-16)
    assert exact(pair_of((0, 3)), Q(1, 2)) == 0.0
    with pytest.raises(ValueError, match="epsilon >= 0"):
        closed_form(pair_of((1, 1)).groups, arb(-1))
    with pytest.raises(ValueError, match=">= 0"):
        pair_of((-1, 2))


@pytest.mark.parametrize(
    "groups", [((Q(1, 4), 4),), ((Q(1, 32), 64),), ((Q(1, 2), 2), (Q(1, 3), 3))], ids=str
)
def test_guarantees_are_decided_in_the_tenth_digit(groups: Any) -> None:
    pair = pair_of(*groups)
    for epsilon in (0.25, 0.8):
        value = float(enclose(pair.profile(Q(repr(epsilon)) * (1 + Q(1, 10**12)))).mid())
        assert ApproxDP(epsilon, value * (1 + 1e-10)).holds(pair) is Truth.HOLDS
        assert ApproxDP(epsilon, value * (1 - 1e-10)).holds(pair) is Truth.FAILS
    top = float(pair.max_loss())
    assert PureDP(top * (1 + 1e-11)).holds(pair) is Truth.HOLDS
    assert PureDP(top * (1 - 1e-11)).holds(pair) is Truth.FAILS


def test_where_only_the_lattice_answers_near_ties_stay_open() -> None:
    pair = pair_of((Q(1, 500), 2_500))
    assert closed_form_work(pair.groups) > 1_500_000
    low, high = pair.bounds(1.0)
    assert ApproxDP(1.0, float(high) * 1.001).holds(pair) is Truth.HOLDS
    assert ApproxDP(1.0, float(low) * 0.999).holds(pair) is Truth.FAILS
    assert ApproxDP(1.0, float(low + high) / 2).holds(pair) is Truth.UNKNOWN


def test_gaussian_claims_are_refuted_by_the_exact_profile_and_proved_by_the_normal_bound() -> None:
    pair, root = pair_of((Q(1, 32), 64)), float(sp.sqrt(64) / 32)
    assert GaussianDP(0.9 * root).holds(pair) is Truth.FAILS
    bound = GaussianPair(sp.sqrt(sp.pi / 2) * Q(1, 4))
    assert GaussianDP(1.2534 * root).holds(bound) is Truth.HOLDS
    epsilons = np.linspace(0.0, 2.0, 9)
    assert np.all(pair.delta(epsilons) <= bound.delta(epsilons) + 1e-12)
    # The factor sqrt(pi/2) is the smallest that serves every ratio: total variation at small ratios.
    small = GaussianPair(sp.sqrt(sp.pi / 2) * Q(99, 10_000))
    assert float(LaplacePair(Q(1, 100)).delta(0.0)) > float(small.delta(0.0))


def sabotaged(step: Any) -> Any:
    if step.relation == "=":
        return replace(step, right=step.right + Q(1, 1000))
    return replace(step, relation={"<=": ">", ">": "<="}[step.relation])


@pytest.mark.parametrize(
    "step",
    [*product_steps(), *gaussian_steps(), *sensitivity_steps(4, 10, False), *sensitivity_steps(5, 3, True)],
    ids=lambda s: s.reason[:40],
)
def test_every_step_holds_and_its_sabotage_does_not(step: Any) -> None:
    assert step.check() is Truth.HOLDS
    assert sabotaged(step).check() is not Truth.HOLDS


# The covariance mechanism.


@pytest.mark.parametrize("p", [2, 3, 4, 5])
def test_the_declared_neighbours_attain_the_exact_sensitivity(p: int) -> None:
    mechanism = LaplaceCovariance(p, 7, 1.0)
    assert enclose(mechanism.worst_case().pair.max_loss() * 7 - exact_sensitivity(p)).contains(0)
    zero, one = mechanism.neighbours()[0]
    attained = np.abs(mechanism.query(zero) - mechanism.query(one)).sum()
    assert 7 * attained == pytest.approx(float(exact_sensitivity(p)), rel=1e-12)
    assert float(exact_sensitivity(p)) <= 7 * float(l1_sensitivity(p, 7)) * (1 + 1e-12)


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("p", [2, 3, 6, 9])
def test_no_records_move_the_matrix_further_than_the_bounds(p: int, symmetric: bool) -> None:
    mechanism, rng = LaplaceCovariance(p, 2, 1.0, symmetric), np.random.default_rng(2)
    worst = mechanism.worst_case()
    assert float(worst.pair.max_loss()) <= float(l1_sensitivity(p, 2, symmetric)) * (1 + 1e-12)
    for _ in range(200):
        x = rng.normal(size=(2, p))
        z = x.copy()
        z[1] = rng.normal(size=p)
        moved = mechanism.query(x) - mechanism.query(z)
        assert np.abs(moved).sum() <= float(worst.pair.max_loss()) * (1 + 1e-9)
        assert np.linalg.norm(moved) <= math.sqrt(2) / 2 * (1 + 1e-9)


@pytest.mark.parametrize("symmetric", [False, True])
def test_law_and_neighbours_give_the_exact_pair(symmetric: bool) -> None:
    mechanism = LaplaceCovariance.needed(3, 4, 1.0, symmetric)
    pair = mechanism.worst_case().pair
    at = mechanism.pair(*mechanism.neighbours()[0])
    delta = numerical_profile(*(mechanism.law(x) for x in mechanism.neighbours()[0]))
    assert delta is not None
    for epsilon in (0.0, 0.3, 0.8):
        assert delta(epsilon) == pytest.approx(exact(pair, Q(repr(epsilon))), abs=1e-10)  # type: ignore[arg-type]
        assert float(at.delta(epsilon)) == pytest.approx(exact(pair, Q(repr(epsilon))), rel=1e-6)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        (PureDP(2.0), Verdict.PROVED),
        (PureDP(2 * (1 - 1e-9)), Verdict.REFUTED),
        (PureDP(1.0), Verdict.REFUTED),
        (ApproxDP(1.0, 1e-4), Verdict.PROVED),
        (ApproxDP(1.0, 1.7e-6), Verdict.UNDECIDED),
        (ApproxDP(1.0, 1.67e-6), Verdict.REFUTED),
        (GaussianDP(0.3134), Verdict.PROVED),
        (GaussianDP(0.24), Verdict.REFUTED),
        (GaussianDP(0.28), Verdict.UNDECIDED),
        (RenyiDP(2.0, 0.06), Verdict.REFUTED),
        (RenyiDP(2.0, 0.1), Verdict.PROVED),
        (ZeroConcentratedDP(0.03), Verdict.REFUTED),
        (ZeroConcentratedDP(0.0495), Verdict.PROVED),
    ],
    ids=lambda v: v.sentence() if isinstance(v, Guarantee) else v.name,
)
def test_claims_about_the_printed_scale_are_proved_or_refuted(claim: Guarantee, verdict: Verdict) -> None:
    derivation = derived(LaplaceCovariance.printed(8, 100, 1.0), claim)
    assert derivation.verdict is verdict
    if verdict is Verdict.REFUTED:
        assert derivation.witness is not None
        assert reevaluate(json.loads(json.dumps(derivation.witness)))[0] is True


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("p", [2, 5])
def test_the_needed_scale_is_proved_and_a_smaller_one_refuted(p: int, symmetric: bool) -> None:
    mechanism = LaplaceCovariance.needed(p, 10, 1.0, symmetric)
    smaller = mechanism.with_noise_divided_by(1.06)
    assert derived(mechanism, PureDP(1.0)).verdict is Verdict.PROVED
    assert derived(smaller, PureDP(1.0)).verdict is Verdict.REFUTED


def test_a_witness_of_a_profile_stands_and_falls_when_edited() -> None:
    certificate = examine(LaplaceCovariance.printed(8, 100, 1.0), Claim(ApproxDP(1.0, 1.6e-6), about="law"))
    witness = json.loads(certificate.to_json())["findings"][0]["evidence"][0]["witness"]
    assert witness["kind"] == "product profile"
    assert reevaluate(witness)[0] is True
    changes: list[tuple[str, Any]] = [
        ("claimed", "2/1000000"),
        ("epsilon", "11/10"),
        ("epsilon", "-1"),
        ("ratios", [{"ratio": "1/33", "entries": 64}]),
        ("ratios", [{"ratio": "1/32", "entries": 63}]),
        ("ratios", [{"ratio": "1/32", "entries": 10**9}]),
        ("ratios", [{"ratio": "-1/32", "entries": 64}]),
        ("ratios", []),
    ]
    for key, value in changes:
        edited = copy.deepcopy(witness)
        edited[key] = value
        assert reevaluate(edited)[0] is False, (key, value)
    with pytest.raises(ValueError, match="needs the entry"):
        reevaluate({"kind": "product profile"})


def test_a_bound_by_each_of_several_pairs_takes_the_smaller_number() -> None:
    pairs = (LaplacePair(Q(1)), GaussianPair(Q(1, 4)))
    both = BoundedByEach(pairs)
    grid = np.array([0.0, 0.5, 1.0])
    assert np.array_equal(both.delta(grid), np.minimum(*(p.delta(grid) for p in pairs)))
    assert both.max_loss() == 1
    assert ApproxDP(0.5, 0.1).holds(both) is Truth.HOLDS
    assert ApproxDP(0.5, 0.1).holds(pairs[0]) is Truth.FAILS
    assert float(both.renyi(sp.Integer(2))) == pytest.approx(
        min(float(p.renyi(sp.Integer(2))) for p in pairs)
    )
    assert both.steps() == (*pairs[0].steps(), *pairs[1].steps())


def test_several_entries_are_integrated_for_other_noise_too() -> None:
    moved = (0.1, 0.3, 0.0)
    normal = laws.normal(0, 1)
    delta = numerical_profile(IndependentNoise(normal, (0.0, 0.0, 0.0)), IndependentNoise(normal, moved))
    assert delta is not None
    expected = GaussianPair(sp.sqrt(Q(1, 10)))
    for epsilon in (0.0, 0.2, 1.0):
        assert delta(epsilon) == pytest.approx(float(expected.delta(epsilon)), abs=2e-9)
    # Bounded noise: one of two entries gives the input away with probability 1 - 0.95 * 0.85.
    uniform = laws.uniform(-1, 1)
    delta = numerical_profile(IndependentNoise(uniform, (0.0, 0.0)), IndependentNoise(uniform, (0.1, 0.3)))
    assert delta is not None
    assert delta(3.0) == pytest.approx(1 - 0.95 * 0.85, abs=1e-9)
    # Atoms of the losses without a common step, or two kinds of noise: no answer rather than a rough one.
    laplace = laws.laplace(0, 1)
    zero = IndependentNoise(laplace, (0.0, 0.0, 0.0))
    assert numerical_profile(zero, IndependentNoise(laplace, (0.1, math.e / 9, math.pi / 7))) is None
    assert numerical_profile(zero, IndependentNoise(normal, (0.1, 0.0, 0.0))) is None
    assert not on_one_line(zero, IndependentNoise(laplace, moved))
    assert on_one_line(zero, IndependentNoise(laplace, (0.1, 0.0, 0.0)))


def test_the_covariance_is_released_as_it_is_meant() -> None:
    rng = np.random.default_rng(0)
    records = rng.normal(size=(5, 3)) / 2
    shortened = records / np.maximum(1, np.linalg.norm(records, axis=1))[:, None]
    matrix = sum(np.outer(x, x) for x in shortened) / 5
    full, triangle = LaplaceCovariance(3, 5, 0.1), LaplaceCovariance(3, 5, 0.1, symmetric=True)
    assert full.query(records).reshape(3, 3) == pytest.approx(matrix, abs=1e-15)
    assert triangle.query(records) == pytest.approx(matrix[np.triu_indices(3)], abs=1e-15)
    assert full.release(records, 7, rng).shape == (7, 9)
    assert triangle.release(records, 7, rng).shape == (7, 6)
    for wrong in (records[:4], records[:, :2], np.full((5, 3), np.nan)):
        with pytest.raises(ValueError, match="expects 5 records of 3"):
            full.query(wrong)
    for build in (
        lambda: LaplaceCovariance(1, 5, 0.1),
        lambda: LaplaceCovariance(3, 0, 0.1),
        lambda: LaplaceCovariance(3, 5, 0.0),
        lambda: LaplaceCovariance.needed(3, 5, -1.0),
        lambda: LaplaceCovariance.printed(3, 5, 0.0),
    ):
        with pytest.raises(ValueError, match="must be"):
            build()


def test_groups_keep_their_order_and_drop_zeros() -> None:
    assert grouped((Q(1, 2), Q(0), Q(1, 3), Q(1, 2))) == ((Q(1, 2), 2), (Q(1, 3), 1))
