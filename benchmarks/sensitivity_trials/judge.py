"""Whether an answer about a sensitivity is right, wrong, or cannot be told from what is known of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import sympy as sp
from sympy.parsing.sympy_parser import parse_expr

from sensitivity_trials.query import Query
from sensitivity_trials.relations import Near, PersonOf, Relation, Replace
from sensitivity_trials.spaces import BallOf, BoxOf, IntervalOf, SimplexOf, Space, WholeOf
from sensitivity_trials.truth import Known, exact_distance

Word = Literal["right", "wrong", "undecided", "refused"]
Records = Sequence[Sequence[object]]
_NEAR, _TOLERANCE, _TINY = 1e-6, 1e-9, 1e-11


def judged(query: Query, answer: dict[str, Any], known: Known) -> tuple[Word, str]:
    """The word, and why in a few words.

    An upper end below two neighbours that were found is wrong, so is a lower end above what its own pair reaches (or, without
    a pair, above the upper end that is known), an exact value outside of both, and "infinite" of what is bounded.  A lower
    end without a pair beyond the neighbours that were found, or an exact value beyond them, is undecided.
    """
    if "refused" in answer:
        return "refused", str(answer["refused"])
    if answer["checks"] == "FAILS":
        return "wrong", "its derivation does not check"
    infinite = query.kind == "infinite"
    if answer["infinite"]:
        if not _grows(query, answer["ray"]):
            return "wrong", f"infinite, yet the answers do not move apart along {answer['ray']}"
        if infinite or known.most == float("inf"):
            return "right", "infinite"
        return "wrong", f"infinite, yet at most {known.most:.9g}"
    if infinite:
        return (
            ("wrong", f"at most {_float(answer['upper']):.9g}, yet infinite")
            if answer["upper"]
            else ("undecided", "open")
        )
    return _finite(query, answer, known)


def _finite(query: Query, answer: dict[str, Any], known: Known) -> tuple[Word, str]:
    least, most = known.least, known.most
    slack = _TOLERANCE * abs(least) + _TINY
    if answer["upper"] is not None and _float(answer["upper"]) < least - slack:
        return "wrong", f"at most {_float(answer['upper']):.12g}, yet neighbours are {least:.12g} apart"
    exact = None if answer["exact"] is None else float(sp.N(parse_expr(answer["exact"]), 30))
    if exact is not None and not least - slack <= exact <= most * (1 + _TOLERANCE) + _TINY:
        return "wrong", f"exactly {exact:.12g}, yet between {least:.12g} and {most:.12g}"
    lower = 0.0 if answer["lower"] is None else _float(answer["lower"])
    if answer["pair"] is not None:
        problem = _of_pair(query, answer["pair"], lower)
        if problem:
            return "wrong", problem
        least = max(least, lower)
    elif lower > most * (1 + _TOLERANCE) + _TINY:
        return "wrong", f"at least {lower:.12g}, yet at most {most:.12g}"
    stated = lower if exact is None else exact
    if stated > least * (1 + _NEAR) + _TINY:
        return "undecided", f"{stated:.9g} is beyond what was found, {least:.9g}, and not beyond {most:.9g}"
    said = width(query, answer)
    return "right", f"{lower:.9g} to {_float(answer['upper']):.9g}" if said == "loose" else said


def _grows(query: Query, ray: Sequence[Records] | None) -> bool:
    """Whether the answers of the two data sets move apart without end, as their one symbol runs through t, t^2, t^4, ..."""
    if ray is None:
        return False
    read = [[[parse_expr(str(v)) for v in row] for row in data] for data in ray]
    symbols = {s for data in read for row in data for v in row for s in v.free_symbols}
    reached = []
    for k in range(5, 9):
        place = dict.fromkeys(symbols, sp.Integer(10) ** 2**k)
        reached.append(
            exact_distance(query, *([[v.subs(place) for v in row] for row in data] for data in read))
        )
    # Even of a logarithm each gain is twice the one before; towards a limit gains shrink.
    gains = [b - a for a, b in pairwise(reached)]
    return all(b >= 1.5 * a > 0 for a, b in pairwise(gains))


def width(query: Query, answer: dict[str, Any]) -> str:
    """How much an answer says: "exact", "enclosed" to 1e-6, "within 1.05" of a minimiser, "loose", "open" without an upper end."""
    if answer["exact"] is not None:
        return "exact"
    if answer["upper"] is None:
        return "open"
    lower, upper = 0.0 if answer["lower"] is None else _float(answer["lower"]), _float(answer["upper"])
    if upper - lower <= 1.000001 * _NEAR * upper + _TINY:
        return "enclosed"
    return "within 1.05" if query.per == "risk" and upper <= 1.05 * lower else "loose"


def _of_pair(query: Query, pair: Sequence[Records], lower: float) -> str:
    """What is wrong with two data sets that are said to be neighbours at least `lower` apart."""
    one, two = ([[sp.Rational(str(v)) for v in row] for row in data] for data in pair)
    if not all(_inside(query.space, row) for row in [*one, *two]):
        return f"a record of the pair {pair} lies outside of the domain"
    if not neighbours(query.relation, one, two):
        return f"the pair {pair} are no neighbours"
    reached = exact_distance(query, one, two)
    if not reached >= lower * (1 - _TOLERANCE) - _TINY:
        return f"the pair {pair} is {reached:.12g} apart, not {lower:.12g}"
    return ""


def _inside(space: Space, row: Sequence[sp.Rational]) -> bool:
    if isinstance(space, BallOf):
        return bool(sum(v**2 for v in row) <= sp.Rational(space.radius) ** 2)
    if isinstance(space, BoxOf | WholeOf):
        whole = not isinstance(space, WholeOf) or all(v.is_integer for v in row)
        return whole and all(
            _end(a) <= v <= _end(b) for v, a, b in zip(row, space.low, space.high, strict=True)
        )
    if isinstance(space, IntervalOf):
        low, high = _end(space.low), _end(space.high)
        (v,) = row
        return bool(
            (low < v or (low == v and not space.open_low))
            and (v < high or (v == high and not space.open_high))
        )
    if isinstance(space, SimplexOf):
        return all(v >= 0 for v in row) and bool(sum(row) == sp.Rational(space.total))
    return all(v.is_integer and 0 <= v < space.count for v in row)


def _end(text: str) -> sp.Expr:
    return sp.oo if text == "oo" else -sp.oo if text == "-oo" else sp.Rational(text)


def neighbours(relation: Relation, one: Sequence[Sequence[Any]], two: Sequence[Sequence[Any]]) -> bool:
    """Whether two data sets are neighbours, the records of a person standing anywhere, more or fewer of them."""
    if isinstance(relation, Near):
        gaps = [abs(a - b) for a, b in zip(one[0], two[0], strict=True)]
        apart = sp.Rational(relation.apart)
        if relation.norm == 2:
            near = sum(g**2 for g in gaps) <= apart**2
        else:
            near = (sum(gaps) if relation.norm == 1 else max(gaps)) <= apart
        return len(one) == len(two) == 1 and bool(near)
    if isinstance(relation, PersonOf) or (isinstance(relation, Replace) and relation.count > 1):
        both = Counter(map(tuple, one)), Counter(map(tuple, two))
        gone = [(a - b).total() for a, b in (both, both[::-1])]
        if isinstance(relation, Replace):
            return max(gone) <= relation.count
        return max(gone) <= relation.most and (relation.change == "replace" or min(gone) == 0)
    if isinstance(relation, Replace):
        return len(one) == len(two) and sum(a != b for a, b in zip(one, two, strict=True)) <= relation.count
    less, more = sorted((one, two), key=len)
    return len(more) == len(less) + 1 and any(
        [*more[:k], *more[k + 1 :]] == list(less) for k in range(len(more))
    )


def _float(rational: str) -> float:
    return float(np.float64(float(Fraction(rational))))
