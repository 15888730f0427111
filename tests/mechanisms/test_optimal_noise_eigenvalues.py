"""Eigenvalues of intervals and half-lines, enclosed, against Kummer, Legendre, Hermite and Airy functions."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx
from optimal_noise_trials.kummer import characteristic
from scipy import special
from scipy.linalg import eigh

from noiseproof.mechanisms.optimal_noise import Problem, UnsolvedError, ground_state, shooting
from noiseproof.mechanisms.optimal_noise.taylor import TooCoarseError, sweep

F = Fraction


def eigenvalue(k2: Any, lower: Any, upper: Any) -> float:
    ends = (None if end is None else F(end) for end in (lower, upper))
    return float(ground_state(Problem(F(k2), *ends)).lam.mid())


def by_legendre(k2: float, low: float, high: float, size: int = 80) -> float:
    """The same eigenvalue by Galerkin's method in polynomials (1 - x^2) P_n'(x): no shooting, no Taylor sums."""
    x, weights = np.polynomial.legendre.leggauss(2 * size)
    half, middle = (high - low) / 2, (high + low) / 2
    basis, slopes = [], []
    for n in range(1, size + 1):
        # Integrals of Legendre polynomials vanish at both ends and have orthogonal slopes.
        coefficients = np.polynomial.legendre.legint(np.eye(size + 1)[n], lbnd=-1)
        basis.append(np.polynomial.legendre.legval(x, coefficients))
        slopes.append(np.polynomial.legendre.legval(x, np.eye(size + 1)[n]))
    b, s = np.array(basis), np.array(slopes)
    scale = np.sqrt(np.arange(1, size + 1) + 0.5)
    b, s = b * scale[:, None], s * scale[:, None]
    potential = k2 * (middle + half * x) ** 2
    stiff = (s * weights) @ s.T / half**2 + (b * weights * potential) @ b.T
    mass = (b * weights) @ b.T
    # The inverse problem: the largest eigenvalue of M against K keeps all digits of the least one of K against M.
    return float(1 / eigh(mass, stiff, eigvals_only=True)[-1])


INTERVALS = [
    (F(1), F(-1), F(1)),
    (F(1, 4), F(-1), F(2)),
    (F(3), F(1, 3), F(5, 2)),
    (F(50), F(-2), F(1)),
    (F(1, 1000), F(2), F(9)),
    (F(7), F(-3), F(-1)),
]


@pytest.mark.parametrize(("k2", "low", "high"), INTERVALS)
def test_intervals_agree_with_kummer_and_legendre(k2: Fraction, low: Fraction, high: Fraction) -> None:
    state = ground_state(Problem(k2, low, high))
    below, above = (characteristic(k2, lam, low, high) for lam in (state.below, state.above))
    assert below * above < 0, "Kummer's characteristic function must change its sign inside the enclosure"
    with ctx.workprec(160):
        assert state.above - state.below < arb(1e-18) * state.below
    assert float(state.lam.mid()) == pytest.approx(by_legendre(float(k2), float(low), float(high)), rel=1e-12)


def test_kummer_says_no_next_to_the_eigenvalue() -> None:
    k2, low, high = INTERVALS[1]
    lam = ground_state(Problem(k2, low, high)).lam
    assert (
        characteristic(k2, lam * arb("1.000001"), low, high)
        * characteristic(k2, lam * arb("1.00001"), low, high)
        > 0
    )
    with pytest.raises(ValueError, match="k2 > 0"):
        characteristic(F(0), lam, low, high)


# Between two neighbouring zeros of a Hermite polynomial He_n (t = w sqrt(2k)), and beyond the last, the eigenvalue is k(2n + 1).
HERMITE = [
    (None, None, 0),
    (0, None, 1),
    (None, 0, 1),
    (-1, 1, 2),
    (1, None, 2),
    (0, 3**0.5, 3),
    (3**0.5, None, 3),
    ((3 - 6**0.5) ** 0.5, (3 + 6**0.5) ** 0.5, 4),
    (-((3 + 6**0.5) ** 0.5), -((3 - 6**0.5) ** 0.5), 4),
]


@pytest.mark.parametrize(("low", "high", "n"), HERMITE)
def test_intervals_between_zeros_of_hermite_polynomials(low: Any, high: Any, n: int) -> None:
    assert eigenvalue(F(1, 4), low, high) == pytest.approx(n + 0.5, rel=1e-13)


def test_scales() -> None:
    # lam(k2/c^4, c W) = lam(k2, W)/c^2, from 1e-9 to 1e9; a weak potential leaves pi^2/L^2 and its mean.
    base = eigenvalue(F(1, 4), -1, 2)
    for c in (F(1, 10**9), F(10**9)):
        assert eigenvalue(F(1, 4) / c**4, -c, 2 * c) * float(c) ** 2 == pytest.approx(base, rel=1e-14)
    assert eigenvalue(F(1, 10**20), 0, 1) == pytest.approx(np.pi**2, rel=1e-15)
    # Far from 0 the potential is a slope: the first zero of Airy's function gives the first two terms.
    low, k2 = 10**4, 1.0
    airy = -special.ai_zeros(1)[0][0]
    assert eigenvalue(1, low, None) == pytest.approx(k2 * low**2 + airy * (2 * k2 * low) ** (2 / 3), rel=1e-9)


def test_wide_intervals_are_cut_and_still_enclosed() -> None:
    state = ground_state(Problem(F(1, 4), F(-1000), F(1000)))
    assert state.cut == (True, True)
    assert state.below < 0.5 < state.above
    one_sided = ground_state(Problem(F(1), F(-37), F(5)))
    assert one_sided.cut == (True, False)
    # To the right the interval matters: the eigenvalue is not 1, by an amount that Kummer's function confirms.
    assert float(one_sided.lam.mid()) - 1 == pytest.approx(7.67e-11, rel=1e-2)
    assert (
        characteristic(F(1), one_sided.below, F(-37), F(5), 4000)
        * characteristic(F(1), one_sided.above, F(-37), F(5), 4000)
        < 0
    )


def test_places_that_floats_do_not_tell_apart() -> None:
    with pytest.raises(UnsolvedError, match="hardly tells apart"):
        ground_state(Problem(F(1), F(10**17), F(10**17 + 1)))


def test_the_proof_of_a_bound_fails_beyond_the_eigenvalue() -> None:
    with ctx.workprec(160):
        points = [arb(i) / 4 for i in range(13)]
        for factor, positive in ((0.999999, True), (1.000001, False), (4.1, False)):
            lam = arb.pi() ** 2 / 9 * arb(factor)
            assert sweep(arb(0), lam, points, arb(0), arb(1)).positive is positive
        with pytest.raises(TooCoarseError, match="too wide"):
            sweep(arb(0), arb(200), points, arb(0), arb(1))
        # The sum and its remainder hold the exact values.
        exact = sweep(arb(0), arb(4), points, arb(0), arb(1))
        assert exact.value.overlaps(arb(6).sin() / 2)
        assert exact.slope.overlaps(arb(6).cos())
        assert float(exact.value.rad()) < 1e-30


@pytest.mark.parametrize("factor", [1 + 1e-9, 1 - 1e-9])
def test_a_wrong_eigenvalue_is_not_proved(monkeypatch: pytest.MonkeyPatch, factor: float) -> None:
    right = shooting._root
    monkeypatch.setattr(shooting, "_root", lambda *arguments: right(*arguments) * arb(factor))
    message = "no positive supersolution" if factor > 1 else "no test function"
    with pytest.raises(UnsolvedError, match=message):
        ground_state(Problem(F(1, 4), F(-1), F(2)))


def test_the_second_eigenvalue_is_not_taken_for_the_first(monkeypatch: pytest.MonkeyPatch) -> None:
    # A guess near 4 pi^2 leads to the second eigenvalue of [0, 1], whose function changes its sign.
    monkeypatch.setattr(shooting, "_guess", lambda *_: (39.4, 39.4, 0.25))
    with pytest.raises(UnsolvedError, match="no positive supersolution"):
        ground_state(Problem(F(0), F(0), F(1)))
