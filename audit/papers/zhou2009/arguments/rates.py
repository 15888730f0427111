"""Rates: p, m and Dmax as powers of n and of L = ln(2np), and what tends to zero with what.

`h` stands for a sequence that tends to zero (or is only bounded, where said); each formula bounds a quantity by multiples of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from .....symbolic.proof.as_written import power, product, quotient
from .....symbolic.proof.exact_numbers import ball
from ....dossier import Comparison, Formula, Instances, rule

H, C = sp.symbols("h c", positive=True)
FIRST, J, K, Q, T = (sp.Symbol(s, nonnegative=True) for s in "ijkqt")
# Square roots of m and L, both at least one; p; the product of both least eigenvalues.
ROOT_M, ROOT_L, P, LL = 1 + FIRST, 1 + J, 1 + K, sp.Symbol("l", positive=True)
KAPPA = sp.Symbol("kappa", positive=True)


def under_nine() -> sp.Expr:
    """Dmax with (9) as p^2 Dmax sqrt(m L) = h."""
    return H / (P**2 * ROOT_M * ROOT_L)


def three_terms() -> tuple[Formula, ...]:
    """The conditions (16) under (9)."""
    d = under_nine()
    return (
        Formula(product(P, d), "<=", H),
        Formula(product(P**2, d, ROOT_M, ROOT_L), "<=", H),
        Formula(product(ROOT_M**2, P**2, power(d, 2)), "<=", H**2),
    )


def norms_for_two(relation: str) -> tuple[Formula, Formula]:
    """|Delta|_2 = h, |Delta|_F = sqrt(2) h and p Dmax = 2 h for p = 2 with the one free entry at Dmax = h."""
    return Formula(H, relation, sp.sqrt(2) * H), Formula(sp.sqrt(2) * H, relation, 2 * H)


def loss_under_nine() -> Formula:
    """(15) with |Delta|_F = p Dmax and kappa = |Sigma_1|^2/(lmin_i lmin_1), against (C h + (1 + 2 kappa) h^2)/(2 l)."""
    d = under_nine()
    left = ROOT_M**2 * P**2 * d / (2 * LL) * (C * ROOT_L / ROOT_M + d + 2 * d * KAPPA)
    return Formula(left, "<=", (C * H + (1 + 2 * KAPPA) * H**2) / (2 * LL))


def nine_from_rate(vanishing: bool) -> Formula:
    """(p^2 Dmax sqrt(m L))^2 for Dmax^2 = ln p/n, ln p = L/(1 + q), p^2 = h sqrt(n/m)/L or h/(1 + t) times that, against (h/(1 + t))^2.

    t grows without bound with n: the right side tends to zero.
    """
    small = H / (1 + T) if vanishing else H
    n = sp.Symbol("n", positive=True)
    p_squared_squared = small**2 * n / ROOT_M**2 / ROOT_L**4
    left = p_squared_squared * (ROOT_L**2 / (1 + Q) / n) * ROOT_M**2 * ROOT_L**2
    return Formula(sp.factor(left), "<=", (H / (1 + T)) ** 2)


def projection_error(growing: bool) -> Formula:
    """(p C sqrt(L/m))^2 for m = h p^2 L, or (1 + t) times that, against C^2/(h (1 + t))."""
    m = H * P**2 * ROOT_L**2 * (1 + T if growing else 1)
    return Formula(quotient(product(P**2, C**2, ROOT_L**2), m), "<=", C**2 / (H * (1 + T)))


def both_at_once(exponent: sp.Rational) -> Formula:
    """(p^3 L/n)^2, the product of what privacy and components need, for p = (h n/L)^exponent, against h^2, p = 1 + k."""
    n = P ** (1 / exponent) * ROOT_L / H
    return Formula(sp.powsimp((P**3 * ROOT_L / n) ** 2), "<=", H**2)


def binary_loss() -> Formula:
    """h (C sqrt(L/m) + c/n)/(lmin_1 lmin_2), h = m p^2/n, m >= L, n >= 1, against h (C + c)/l."""
    c = sp.Symbol("c1", positive=True)
    return Formula(H / (LL * (1 + Q)) * (C / (1 + FIRST) + c / (1 + J)), "<=", H * (C + c) / LL)


def refined(norm_squared: sp.Expr) -> Formula:
    """(15) with |Delta|_F = sqrt(norm_squared) p/n and Dmax = 2/n, against the printed conclusion; h = m p^2/(n lmin lmin)."""
    n, w, s = sp.symbols("n w s", positive=True)
    f = sp.sqrt(norm_squared)
    left = H * f / 2 * (w + 2 / n + 2 * f * s / n)
    return Formula(sp.expand(left), "<=", sp.expand(H * (w + 2 / n + 2 * s / n)))


@rule("compression: rates")
def rates(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Every premise holds at these rates, hence so does every conclusion; a rate is [power of n, power of ln n]."""
    known = {"n": ["1", "0"], "L": ["0", "1"], **numbers}
    if all(_small(_order(q, known), q["kind"]) for q in printed["premises"]):
        for q in printed["conclusions"]:
            order = ball(_order(q, known))
            yield q["name"], order, "<" if q["kind"] == "o" else "<=", ball(0)


def _order(quantity: Mapping[str, Any], known: Mapping[str, Any]) -> Fraction:
    """The power of n of a monomial; where it is zero, the power of ln n."""
    found = [
        sum((Fraction(e) * Fraction(known[x][part]) for x, e in quantity["powers"].items()), Fraction(0))
        for part in (0, 1)
    ]
    return found[0] or found[1]


def _small(order: Fraction, kind: str) -> bool:
    return order < 0 or (order == 0 and kind == "O")


def quantity(name: str, kind: str, **powers: str | int) -> dict[str, Any]:
    """A monomial that is o(1) or O(1)."""
    return {"name": name, "kind": kind, "powers": {k: str(v) for k, v in powers.items()}}


def at_rates(
    premises: list[dict[str, Any]],
    conclusions: list[dict[str, Any]],
    m: str = "p**2*L",
    d: tuple[str, str] = ("-1/2", "1/2"),
) -> Instances:
    """Rates of p from far inside to the edge and beyond; m = p^2 L, or L times that, and Dmax at the given rate of n and ln n."""

    def draw(_: np.random.Generator) -> Iterator[dict[str, Any]]:
        more = 0 if m == "p**2*L" else 1
        for a in ("1/6", "1/4", "1/8", "101/300", "1/3", "1/12"):
            for b in ("-1/2", "-3/5", "-1/4", "-1", "0"):
                p = [a, b]
                rate = [str(2 * Fraction(a)), str(2 * Fraction(b) + 1 + more)]
                yield {"p": p, "m": rate, "D": list(d)}

    return Instances(
        "compression: rates",
        {"premises": premises, "conclusions": conclusions},
        draw,
        "for all rates n^a (ln n)^b of p that meet the premise",
    )
