"""Numbers that doubles do not hold, numbers in odd places of doubles, and numbers beside noise."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import numpy as np

from .leak_case import LeakCase, Rng, leak_case, nothing, rarely, weakly
from .words import hexes, number

EXACT_NUMBERS: tuple[LeakCase, ...] = (
    leak_case("Decimal of seventeen digits", "clear", lambda s, r: Decimal(90_071_992_547_409_930 + int(s))),
    leak_case("Decimal after the point", "clear", lambda s, r: Decimal(number(r)) + Decimal(int(s)).scaleb(-20)),
    leak_case("Fraction apart by 1e-30", "clear", lambda s, r: Fraction(1, 3) + Fraction(int(s), 10**30)),
    leak_case("Fraction with a random denominator", "clear", lambda s, r: Fraction(2 * number(r) + 1, 2 ** (40 + int(s)))),
    leak_case("long double", "clear", lambda s, r: np.longdouble(1) + np.longdouble(int(s)) * np.longdouble(2) ** -60),
    leak_case("whole number of forty digits", "clear", lambda s, r: 10**40 * number(r) + int(s)),
    leak_case("last bit of an id", "clear", lambda s, r: (number(r, 2**60) << 1) + int(s)),
    leak_case("remainder by 997", "clear", lambda s, r: 997 * number(r) + (5 if s else 11)),
    leak_case("sign of a wide number", "clear", lambda s, r: (1 if s else -1) * r.gamma(2.0, 1e6)),
    leak_case("scale of a wide number", "clear", lambda s, r: r.normal() * (1.6 if s else 1.0)),
    leak_case("whole or not", "clear", lambda s, r: r.normal(0, 1000) if s else float(round(r.normal(0, 1000)))),
    leak_case("number of decimals", "clear", lambda s, r: round(r.normal(), 3 if s else 4)),
    leak_case("type of the number", "clear", lambda s, r: np.float32(r.normal()) if s else np.float64(np.float32(r.normal()))),
    leak_case("complex angle", "clear", lambda s, r: complex(r.gamma(1.0), 0) * (1j if s else 1)),
    leak_case("one of twenty numbers", "clear", lambda s, r: np.where(np.arange(20) == 13, 6.0 * s, r.normal(size=20))),
    leak_case("one of two hundred numbers", "clear", lambda s, r: np.where(np.arange(200) == 131, 8.0 * s, 0) + r.normal(size=200)),
    leak_case("id that grows", "clear", lambda s, r: [1_700_000_000_000 + number(r, 10**9), int(s), hexes(r, 8)]),
    weakly("Laplace alone", lambda s, r: s),
    weakly("Laplace as Decimal", lambda s, r: Decimal(s)),
    weakly("Laplace as Fraction", lambda s, r: Fraction(s).limit_denominator(10**9)),
    weakly("Laplace in cents", lambda s, r: int(100 * s)),
    weakly("Laplace far out", lambda s, r: 1e9 + s),
    weakly("Laplace among a hundred", lambda s, r: np.where(np.arange(100) == 77, s, r.normal(size=100))),
    LeakCase("Laplace with half of the noise", "weak", lambda d, r: d + r.laplace(0, 0.5), lambda d, r: d + r.laplace(), seen=False),
    LeakCase("Laplace with four fifths of the noise", "weak", lambda d, r: d + r.laplace(0, 0.8), lambda d, r: d + r.laplace(), seen=False),
    LeakCase("count with half of the noise", "weak", lambda d, r: 70 + d + _whole(r, 2.0), lambda d, r: 70 + d + _whole(r, 1.0), seen=False),
    rarely("no noise in a hundredth", lambda s, r: float(r.normal()), lambda s, r: 10.0 + s, 0.01),
    rarely("no noise in two hundredths", lambda s, r: [number(r), float(r.normal())], lambda s, r: [number(r), float(s)], 0.02),
    leak_case("answer by a fair coin", "clear", lambda s, r: int(s), sound=nothing),
)  # fmt: skip


def _whole(r: Rng, epsilon: float) -> int:
    """Discrete Laplace noise: the difference of two geometric numbers."""
    p = 1 - np.exp(-epsilon)
    return int(r.geometric(p)) - int(r.geometric(p))
