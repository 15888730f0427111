"""Where the parameters of a law lie: open intervals that are narrower than what their symbols were declared to be."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator

import sympy as sp

from ..proof.enclosure import admits, sample_points

Domains = tuple[tuple[sp.Symbol, sp.Expr, sp.Expr], ...]


def inside(lower: sp.Expr, upper: sp.Expr, name: str = "t") -> sp.Expr:
    """Every number strictly between two ends, as a formula of one positive number; of a real one if there are no ends."""
    t = sp.Dummy(name, positive=True)
    if lower.is_infinite and upper.is_infinite:
        return sp.Dummy(name, real=True)
    if upper.is_infinite:
        return lower + t
    return upper - t if lower.is_infinite else lower + (upper - lower) * t / (1 + t)


def within_domains(e: sp.Expr, domains: Domains) -> sp.Expr:
    """The expression with each parameter that has a domain written as a point inside of it."""
    changes = {symbol: inside(lower, upper, symbol.name) for symbol, lower, upper in domains}
    for _ in domains:  # an end may be made of other parameters, which lie in domains of their own
        e = e.subs({s: change for s, change in changes.items() if e.has(s)})
    return e


def positive_within(e: sp.Expr, domains: Domains) -> bool:
    """Whether an expression is known to be positive for all parameters in their domains."""
    there = within_domains(e, domains)
    return any(bool(way(there).is_positive) for way in (lambda x: x, sp.factor, sp.simplify))


def domain_points(
    symbols: Iterable[sp.Symbol], domains: Domains, most: int
) -> list[dict[sp.Symbol, sp.Expr]]:
    """At most so many rational points that the assumptions and the domains admit."""
    bounded = {symbol: (lower, upper) for symbol, lower, upper in domains}
    points: list[dict[sp.Symbol, sp.Expr]] = []
    for k, start in enumerate(itertools.islice(sample_points(set(symbols)), most)):
        at = dict(start)
        share = sp.Rational(2 * k + 3, 2 * most + 5)
        for symbol, (lower, upper) in bounded.items():
            if symbol in at:
                at[symbol] = _between(lower.subs(at), upper.subs(at), share)
        if all(admits(s, v) for s, v in at.items()):
            points.append(at)
    return points


def spread(lower: sp.Expr, upper: sp.Expr, count: int) -> Iterator[sp.Expr]:
    """So many points strictly between two numbers, or beyond one, in an order that is varied from the start."""
    step = next(s for s in (7, 11, 13, 17) if (count + 1) % s)
    for k in range(count):
        yield _between(lower, upper, sp.Rational((1 + k * step) % (count + 1) or count, count + 1))


def _between(lower: sp.Expr, upper: sp.Expr, q: sp.Rational) -> sp.Expr:
    if lower.is_finite and upper.is_finite:
        return lower + (upper - lower) * q
    if lower.is_finite or upper.is_finite:
        return lower + q / (1 - q) if lower.is_finite else upper - q / (1 - q)
    return (2 * q - 1) / (q * (1 - q))
