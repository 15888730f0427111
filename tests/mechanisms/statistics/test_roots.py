"""Are the signs of sums of roots exact, where they cancel too?"""

from fractions import Fraction

import pytest
import sympy as sp

from noiseproof.mechanisms.statistics.roots import Roots, at_least, equal, exact_root, read_roots
from noiseproof.symbolic.proof.truth import Truth


@pytest.mark.parametrize("order", [2, 3])
def test_sums_that_cancel_are_zero_and_others_are_not(order):
    large = Fraction(10**30 + 57, 10**12 + 39)  # beyond what can be factored on the way
    pairs = [(Fraction(1), large), (Fraction(-1, 7), large * 7**order), (Fraction(2), Fraction(5))]
    assert Roots.of(order, pairs).terms == ((Fraction(2), Fraction(5)),)
    assert Roots.of(order, pairs[:2]).sign() == 0
    assert Roots.of(order, [*pairs[:2], (Fraction(-1, 10**60), Fraction(2))]).sign() == -1


def test_roots_of_fractions():
    assert exact_root(Fraction(9, 4), 2) == Fraction(3, 2)
    assert exact_root(Fraction(27, 8), 3) == Fraction(3, 2)
    assert exact_root(Fraction(2), 2) is exact_root(Fraction(4), 3) is None


def test_formulas_are_read_and_what_is_no_such_sum_is_unknown():
    two, three = sp.sqrt(2), sp.sqrt(3)
    assert equal(sp.sqrt(8) + three, 2 * two + three, 2) is Truth.HOLDS
    assert equal(two * three, sp.sqrt(6), 2) is Truth.HOLDS
    assert equal(two + three, sp.sqrt(10), 2) is Truth.FAILS
    assert at_least(two + three, sp.sqrt(10) - sp.Rational(1, 50), 2) is Truth.HOLDS
    assert at_least(three, 2, 2) is Truth.FAILS
    assert read_roots(sp.pi + 1, 2) is None
    assert equal(sp.pi, sp.Integer(3), 2) is Truth.UNKNOWN
