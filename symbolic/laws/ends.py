"""The ends of a support as a person writes them: numbers, names of parameters, formulas, infinity; one pair or several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from numbers import Rational as AnyRational
from typing import Any

import numpy as np
import sympy as sp

from ..proof.enclosure import rational, sign
from ..proof.expressions import ExpressionError, parse

_EXPECTED = 'an end of the support is a number, a parameter or a formula of parameters, "oo" or "-oo"'
Pair = tuple[sp.Expr, sp.Expr]


def read_pairs(support: Any, names: Mapping[str, sp.Symbol]) -> tuple[Pair, ...]:
    """The pairs of ends, from low to high; ValueError where they are none, overlap, or are not in order."""
    listed = _listed(support)
    many = bool(listed) and all(_listed(p) is not None for p in listed or ())
    pairs = [read_pair(p, names) for p in listed or ()] if many else [read_pair(support, names)]
    for (_, end), (begin, _) in pairwise(pairs):
        gap = begin - end
        side = None if gap is sp.nan else _side(gap)
        if side == 1 or (side is None and gap.is_extended_nonnegative):
            continue
        if side == 0:
            raise ValueError(
                f"two pieces of the support meet at {end}: write them as one, with a Piecewise density"
            )
        what = "overlap or are not in order" if side == -1 else "are not known to be apart and in order"
        raise ValueError(f"the pieces of the support {what}: one ends at {end}, the next begins at {begin}")
    return tuple(pairs)


def read_pair(pair: Any, names: Mapping[str, sp.Symbol]) -> Pair:
    """(lower, upper); ValueError where it is no pair, or begins where it cannot."""
    listed = _listed(pair)
    if listed is None or len(listed) != 2:
        raise ValueError(
            f'support must be a pair such as (0, 1) or (0, "oo"), or a list of such pairs, got {pair!r}'
        )
    lower, upper = (read_end(e, names) for e in listed)
    if lower is sp.oo or upper == -sp.oo:
        raise ValueError(f"the support begins at {lower} and ends at {upper}: give the lower end first")
    return lower, upper


def read_end(end: Any, names: Mapping[str, sp.Symbol]) -> sp.Expr:
    """One end: a number as the decimal that was written, a formula, or infinity."""
    if isinstance(end, str):
        return _of_text(end.strip(), names)
    if isinstance(end, np.generic):
        end = end.item()
    if isinstance(end, sp.Expr):
        if end.has(sp.nan, sp.zoo) or end.is_extended_real is False:
            raise ValueError(f"{_EXPECTED}, got {end}")
        return end.xreplace({s: names[s.name] for s in end.free_symbols if s.name in names})
    if isinstance(end, bool) or not isinstance(end, int | float | AnyRational):
        raise ValueError(f"{_EXPECTED}, got {end!r}")
    if isinstance(end, AnyRational):
        return sp.Rational(int(end.numerator), int(end.denominator))
    if end != end:
        raise ValueError("an end of the support is nan")
    return rational(end) if abs(end) != float("inf") else sp.oo if end > 0 else -sp.oo


def _listed(value: Any) -> Sequence[Any] | None:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, sp.Tuple | sp.Interval):
        value = [value.start, value.end] if isinstance(value, sp.Interval) else list(value)
    return value if isinstance(value, Sequence) and not isinstance(value, str) else None


def _of_text(text: str, names: Mapping[str, sp.Symbol]) -> sp.Expr:
    bare = text.removeprefix("+").removeprefix("-")
    if bare in ("oo", "inf"):
        return -sp.oo if text.startswith("-") else sp.oo
    try:
        return parse(text, dict(names))
    except ExpressionError as trouble:
        known = ", ".join(sorted(names)) or "none"
        raise ValueError(f"{_EXPECTED}, got {text!r}; the parameters are: {known} ({trouble})") from None


def _side(gap: sp.Expr) -> int | None:
    if gap.is_infinite:
        return 1 if gap.is_extended_positive else -1
    known = sign(gap) if not gap.free_symbols else None
    if known is not None:
        return known
    return 1 if gap.is_positive else -1 if gap.is_negative else 0 if gap.is_zero else None
