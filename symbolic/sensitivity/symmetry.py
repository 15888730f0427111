"""Signed permutations of the variables that permute a query's entries up to sign, found and verified.

Each of them maps a sign pattern of the entries to another one with the same supremum.  Sign flips act on patterns by
adding vectors over the field of two elements; exchanges of two variables permute entries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from ..domains.exact import Product
from ..domains.polynomials import Coefficients, PolynomialQuery

Key = tuple[Fraction, frozenset[tuple[tuple[int, ...], Fraction]]]


@dataclass(frozen=True)
class Action:
    """Entry k of the query after the transformation is `signs[k]` times entry `places[k]`."""

    places: tuple[int, ...]
    signs: tuple[int, ...]


def actions(query: PolynomialQuery, domain: Product, constants: bool = False) -> list[Action]:
    """Actions on the entries of flips of single and of pairs of variables, and of exchanges of two variables.

    Constant terms cancel in differences and are ignored, unless `constants` asks for them.
    """
    n = len(query.variables)
    flips = domain.flips()
    originals = [p if constants else {m: c for m, c in p.items() if any(m)} for p in query.polynomials]
    homes: dict[Key, list[int]] = {}
    for k, polynomial in enumerate(originals):
        homes.setdefault(_key(query, k, polynomial), []).append(k)
    found = set()
    for i in range(n):
        for j in range(i, n):
            if flips[i] and flips[j]:
                signs = [-1 if k in (i, j) else 1 for k in range(n)]
                found.add(_action(query, originals, homes, list(range(n)), signs))
    for part, block in zip(domain.parts(), domain.blocks, strict=True):
        bounds = block.bounds
        for i in range(len(bounds)):
            for j in range(i + 1, len(bounds)):
                # All blocks keep their shape when two coordinates with the same interval are exchanged.
                if bounds[i] == bounds[j]:
                    order = list(range(n))
                    order[part.start + i], order[part.start + j] = part.start + j, part.start + i
                    found.add(_action(query, originals, homes, order, [1] * n))
    identity = Action(tuple(range(len(query.entries))), (1,) * len(query.entries))
    return sorted((a for a in found if a is not None and a != identity), key=lambda a: (a.places, a.signs))


def _key(query: PolynomialQuery, entry: int, polynomial: Coefficients) -> Key:
    return query.multiplicities[entry], frozenset(polynomial.items())


def _action(
    query: PolynomialQuery,
    originals: list[Coefficients],
    homes: dict[Key, list[int]],
    order: list[int],
    signs: list[int],
) -> Action | None:
    """The action of x_i -> signs[i] x_order[i] if it permutes the entries up to sign, else None."""
    taken: dict[Key, int] = {}
    places, outcome = [], []
    for k, polynomial in enumerate(originals):
        moved: Coefficients = {}
        for m, c in polynomial.items():
            sign = 1
            target = [0] * len(order)
            for i, power in enumerate(m):
                if power:
                    target[order[i]] = power
                    sign *= signs[i] ** power
            moved[tuple(target)] = sign * c
        for factor in (1, -1):
            key = _key(query, k, {m: factor * c for m, c in moved.items()})
            used = taken.get(key, 0)
            if used < len(homes.get(key, ())):
                taken[key] = used + 1
                places.append(homes[key][used])
                outcome.append(factor)
                break
        else:
            return None
    # Entries that are equal up to sign may have been given one place twice.
    return Action(tuple(places), tuple(outcome)) if len(set(places)) == len(places) else None


def orbits(entries: int, group: list[Action]) -> list[int]:
    """For each entry the first one of its orbit."""
    home = list(range(entries))
    for action in group:
        for k, place in enumerate(action.places):
            a, b = sorted((home[k], home[place]))
            home = [a if h == b else h for h in home] if a != b else home
    return home


def representatives(entries: int, group: list[Action], limit: int) -> Iterator[tuple[int, ...]]:
    """One sign pattern of each orbit under the group and negation; ValueError if there are more than `limit` to walk.

    Flips that keep every entry in place are divided out first, so that their orbits are never listed.
    """
    plain = tuple(range(entries))
    rows = [(1 << entries) - 1] + [
        sum(1 << k for k, sign in enumerate(a.signs) if sign < 0) for a in group if a.places == plain
    ]
    basis: list[int] = []
    for row in rows:
        for b in basis:
            row = min(row, row ^ b)
        if row:
            basis = [min(b, b ^ row) for b in basis] + [row]
    pivots = {b.bit_length() - 1 for b in basis}
    free = [k for k in range(entries) if k not in pivots]
    if 2 ** len(free) > limit:
        raise ValueError(f"2^{len(free)} sign patterns remain, above the limit of {limit}")
    moves = [a for a in group if a.places != plain]
    seen: set[int] = set()
    for code in range(2 ** len(free)):
        pattern = sum(1 << k for i, k in enumerate(free) if code >> i & 1)
        if pattern in seen:
            continue
        yield tuple(-1 if pattern >> k & 1 else 1 for k in range(entries))
        waiting = [pattern]
        seen.add(pattern)
        while waiting:
            current = waiting.pop()
            for move in moves:
                image = _reduced(_moved(current, move), basis)
                if image not in seen:
                    seen.add(image)
                    waiting.append(image)


def _moved(pattern: int, move: Action) -> int:
    image = 0
    for k, (place, sign) in enumerate(zip(move.places, move.signs, strict=True)):
        if (pattern >> k & 1) ^ (sign < 0):
            image |= 1 << place
    return image


def _reduced(pattern: int, basis: list[int]) -> int:
    for b in basis:
        if pattern >> (b.bit_length() - 1) & 1:
            pattern ^= b
    return pattern
