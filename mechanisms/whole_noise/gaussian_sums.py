"""Sums of f(k) = exp(-k^2 / (2 s^2)) over whole numbers, enclosed in the precision that is set.

All of the line: Poisson's summation formula, whose terms exp(-2 pi^2 s^2 j^2) fall fast.  From n on: term by term for a
small s; else Euler and Maclaurin's formula, whose remainder after J terms is at most 2 zeta(2J) (2 pi)^(-2J) times the
integral of |f^(2J)| (DLMF 2.10(i)).  The derivatives are Hermite's: f^(p)(x) = (-1)^p s^(-p) He_p(x / s) f(x), and
|He_p(z)| <= 1.09 sqrt(p!) e^(z^2 / 4) (Cramer; DLMF 18.14(i)).
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb, ctx, fmpq

from ...symbolic.proof.exact_numbers import ball

_SUMMED = 256  # the largest s^2 for which terms are added one by one
_MOST_TERMS = 80  # of Euler and Maclaurin


def total(variance: Fraction) -> arb:
    """The sum of f over all whole numbers."""
    return (2 * arb.pi() * ball(variance)).sqrt() * _poisson(variance, 0)


def second_moment(variance: Fraction) -> arb:
    """The sum of k^2 f(k) over the sum of f."""
    s2 = ball(variance)
    return s2 * (1 - 4 * arb.pi() ** 2 * s2 * _poisson(variance, 2) / _poisson(variance, 0))


def shifted_share(variance: Fraction, shift: arb) -> arb:
    """The sum of exp(-(k - shift)^2 / (2 s^2)) over all whole k, over that of f: at most 1, and 1 at whole shifts."""
    a = 2 * arb.pi() ** 2 * ball(variance)
    value, j = arb(1), 1
    while True:
        term = 2 * (-a * j * j).exp()
        value += term * (2 * shift * j).cos_pi()
        if term < arb(2) ** -(ctx.prec + 8):
            return (value + _between(-term, term)) / _poisson(variance, 0)
        j += 1


def _poisson(variance: Fraction, power: int) -> arb:
    """The sum of j^power exp(-2 pi^2 s^2 j^2) over all whole j, power 0 or 2."""
    a = 2 * arb.pi() ** 2 * ball(variance)
    value, j = arb(0), 0
    while True:
        term = arb(j) ** power * (-a * j * j).exp()
        value += term if j == 0 else 2 * term
        # Each later term is at most (1 + 1/j)^2 e^(-a (2j + 1)) of the one before, here below 1/2 for every j >= 2.
        if j >= 2 and term < arb(2) ** -(ctx.prec + 8):
            return value + 2 * _between(arb(0), term)
        j += 1


def tail_sum(variance: Fraction, n: int) -> arb:
    """The sum of f(k) over k >= n, n >= 0, with a small relative error."""
    return _added(variance, n, 0) if variance <= _SUMMED else _expanded_tail(variance, n)


def absolute_sum(variance: Fraction) -> arb:
    """The sum of |k| f(k) over all whole numbers."""
    return 2 * (_added(variance, 1, 1) if variance <= _SUMMED else _expanded_first_moment(variance))


def _added(variance: Fraction, n: int, power: int) -> arb:
    """The sum of k^power f(k) over k >= n, power 0 or 1, term by term."""
    rate = 1 / ball(2 * variance)
    f, ratio, shrink = (-rate * n * n).exp(), (-rate * (2 * n + 1)).exp(), (-2 * rate).exp()
    value, first, k = arb(0), None, n
    while True:
        term = f * k if power else f
        value += term
        first = term if first is None else first
        # From k on each term is at most `fall` times the one before, as f is log-concave and k + 1 over k falls.
        fall = ratio * (k + 1) / k if power else ratio
        if fall < 1 and term * fall / (1 - fall) < first * arb(2) ** -(ctx.prec + 8):
            return value + _between(arb(0), term * fall / (1 - fall))
        f, ratio, k = f * ratio, ratio * shrink, k + 1


def _expanded_tail(variance: Fraction, n: int) -> arb:
    s = ball(variance).sqrt()
    z = n / s
    f = (-(z * z) / 2).exp()
    integral = s * (arb.pi() / 2).sqrt() * (z / arb(2).sqrt()).erfc()
    spread = 4 * s * arb.pi().sqrt() * (z / 2).erfc()
    value = arb(1) / 2
    before, hermite, factorial = arb(1), z, arb(1)  # He_(p - 1), He_p and (2J)! for p = 2J - 1, J = 1
    for terms in range(1, _MOST_TERMS + 1):
        p = 2 * terms - 1
        factorial *= (p + 1) * p
        value += ball_of_bernoulli(p + 1) / factorial * hermite / s**p
        remainder = spread * factorial.sqrt() / (2 * arb.pi() * s) ** (p + 1)
        if remainder < integral * arb(2) ** -ctx.prec:
            break
        before, hermite = hermite, z * hermite - p * before
        before, hermite = hermite, z * hermite - (p + 1) * before
    return integral + f * value + _between(-remainder, remainder)


def _expanded_first_moment(variance: Fraction) -> arb:
    """The sum of k f(k) over k >= 1: of -s^2 f', whose derivatives at 0 are those of f."""
    s2 = ball(variance)
    s = s2.sqrt()
    value, odd, factorial = s2, arb(1), arb(1)  # odd = 1 * 3 * ... * (2J - 1)
    for terms in range(1, _MOST_TERMS + 1):
        p = 2 * terms
        factorial *= p * (p - 1)
        odd *= p - 1
        value += (-1) ** terms * ball_of_bernoulli(p) / factorial * odd * s2 / s**p
        remainder = 4 * s2 * arb.pi().sqrt() * (factorial * (p + 1)).sqrt() / (2 * arb.pi() * s) ** p
        if remainder < s2 * arb(2) ** -ctx.prec:
            break
    return value + _between(-remainder, remainder)


def ball_of_bernoulli(n: int) -> arb:
    """Bernoulli's number B_n."""
    return arb(fmpq.bernoulli(n))


def _between(low: arb, high: arb) -> arb:
    return arb(low.lower()).union(arb(high.upper()))
