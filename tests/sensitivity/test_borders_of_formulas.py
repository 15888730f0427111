"""Formulas that are 0/0 at a corner of the domain: refused with two values if they have no limit there, answered if they have one."""

from __future__ import annotations

from time import process_time

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.errors import SpecError

X, Y, Z = sp.symbols("x y z")


def gini(*records: sp.Symbol) -> sp.Expr:
    apart = sum(sp.Abs(a - b) for a in records for b in records)
    return apart / (2 * len(records) * sum(records))


@pytest.mark.parametrize(
    ("query", "records", "ends"),
    [
        (gini(X, Y), (X, Y), (0, 10)),
        (gini(X, Y, Z), (X, Y, Z), (0, 10)),
        (gini(X, Y), (X, Y), (-4, 0)),
        ((X - Y) ** 2 / (X**2 + Y**2), (X, Y), (0, 1)),
    ],
)
def test_no_value_at_a_corner_is_refused_with_two(query, records, ends):
    with pytest.raises(SpecError, match=r"0/0 at x = 0, y = 0.* along two ways to it"):
        npf.sensitivity(query, npf.Box(*ends), norm="l1", records=records)


@pytest.mark.parametrize(
    ("query", "records", "low", "high", "truth"),
    [
        (gini(X, Y), (X, Y), 1, 10, 9 / 22),
        ((X**2 - Y**2) / (X - Y), (X, Y), 0, 1, 1),
        (X * sp.log(X), (X,), 0, 1, 0.36787944117),
        (-X * sp.log(X), (X,), 0, 3, 3.66371630752),
        (X * sp.log(X) + Y * sp.log(Y), (X, Y), 0, 1, 0.36787944117),
        (X**2 * sp.log(X), (X,), 0, 5, 40.4198874752),
    ],
    ids=str,
)
def test_a_value_that_is_a_limit_is_kept(query, records, low, high, truth):
    found = npf.sensitivity(query, npf.Box(low, high), norm="l1", records=records)
    assert found.attained_at is None or float(found.at_least()) == pytest.approx(truth, rel=1e-6)
    assert float(found.at_most()) == pytest.approx(truth, rel=1e-6)


U = sp.symbols("u1 v1 u2 v2 u3 v3")
RECORDS = list(zip(U[::2], U[1::2], strict=True))


@pytest.mark.long  # seconds of a busy machine are longer
@pytest.mark.parametrize(
    ("query", "records", "domain"),
    [
        (sp.log(X + Y), (X, Y), npf.Box(0, 1)),
        *(
            (
                sum(u * v for u, v in RECORDS[:n]) / (1 + sum(u**2 for u, _ in RECORDS[:n])),
                RECORDS[:n],
                npf.Box([-1, -1], [1, 1]),
            )
            for n in (2, 3)
        ),
    ],
    ids=["unbounded", "ridge of two", "ridge of three"],
)
def test_seconds_bound_what_is_done(query, records, domain):
    began = process_time()
    npf.sensitivity(query, domain, norm="l1", records=records)
    assert process_time() - began < 8  # imports, and what ends a search, included
