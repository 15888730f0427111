"""Integrals of expressions of the proofs' language in floats: Gauss-Legendre with two numbers of nodes, which have to agree."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import pairwise
from typing import Any

import mpmath as mp
import numpy as np
from scipy import special

from .values import UndefinedError, UnknownError, of_unknown, value

Floats = Any
# Close to 0 too: exp(-b sqrt(t)) with a large b has all of its integral there.
_AWAY = (*(10.0**-k for k in range(16, 0, -2)), 1.0, 3.0, 10.0, 30.0, 100.0)
_CUTS = (*(-c for c in reversed(_AWAY)), 0.0, *_AWAY)
# A peak of width 1 anywhere between is seen: a thousand pieces more.
_FINE = tuple(10.0 * k for k in range(-500, 501) if abs(k) > 10)
_more: ContextVar[tuple[float, ...]] = ContextVar("_more", default=())
_NODES = [np.polynomial.legendre.leggauss(n) for n in (40, 60)]
_CLOSE, _MOST_CANCELLED = 1e-9, 1e3
_FUNCTIONS: dict[str, Callable[[Floats], Floats]] = {
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "abs": np.abs,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "atan": np.arctan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "erf": special.erf,
    "erfc": special.erfc,
    "sign": np.sign,
    "gamma": special.gamma,
    "floor": np.floor,
    "ceiling": np.ceil,
}


@contextmanager
def fine() -> Iterator[None]:
    """Integrals with many more nodes, a hundred times as long: before a step that was accepted is called false."""
    token = _more.set(_FINE)
    try:
        yield
    finally:
        _more.reset(token)


def integral(body: Any, name: str, low: float, high: float, at: Mapping[str, Any]) -> float:
    """The integral of `body` in `name`; UndefinedError where it has no value between, UnknownError where the digits do not agree."""
    cuts = [low, *(c for c in sorted((*_CUTS, *_more.get())) if low < c < high), high]
    known = {n: np.float64(float(v)) for n, v in at.items() if not n.startswith("mat ")}
    total = size = 0.0
    with np.errstate(all="ignore"):
        for a, b in pairwise(cuts):
            sums = [0.0, 0.0]
            for k, (nodes, weights) in enumerate(_NODES):
                u = (nodes + 1) / 2
                # Flat at both ends, so that a root there does no harm.
                t, slope = u**3 * (10 - 15 * u + 6 * u * u), 15 * u**2 * (1 - u) ** 2
                if np.isinf(a) or np.isinf(b):
                    t, slope = t / (1 - t), slope / (1 - t) ** 2
                    t = b - t if np.isinf(a) else a + t
                else:
                    t, slope = a + (b - a) * t, (b - a) * slope
                values = _values(body, {**known, name: t}) * slope
                lost = np.isnan(values)
                if lost.any():
                    # Not defined there, or only too small for floats.
                    value(body, {**at, name: mp.mpf(float(np.broadcast_to(t, values.shape)[lost][0]))})
                    raise UnknownError("an integrand that floats do not tell")
                sums[k] += float(np.sum(weights * values))
            if not abs(sums[0] - sums[1]) <= _CLOSE * (1 + abs(sums[1])):
                raise UnknownError("an integral that is not found to enough digits")
            total, size = total + sums[1], size + abs(sums[1])
    if size > _MOST_CANCELLED * (1 + abs(total)):
        raise UnknownError("an integral whose parts cancel")
    return total


def _values(term: Any, at: Mapping[str, Floats]) -> Floats:
    if isinstance(term, int):
        return np.float64(term)
    if isinstance(term, str):
        if term not in at:
            raise UndefinedError(term)
        return at[term]
    op, *rest = term
    if op == "const":
        return np.float64({"pi": np.pi, "e": np.e}[rest[0]])
    if op == "fn":
        return _values(of_unknown(rest[0], rest[1:]), at)
    if op in ("int", "sum", "diff", "tr"):
        raise UnknownError(f"{op} inside an integral")
    parts = [_values(a, at) for a in rest]
    if op in ("+", "*", "max", "min"):
        two = {"+": np.add, "*": np.multiply, "max": np.maximum, "min": np.minimum}[op]
        found = parts[0]
        for part in parts[1:]:
            found = two(found, part)
        return found
    if op == "-":
        return parts[0] - parts[1] if parts[1:] else -parts[0]
    if op == "/":
        return parts[0] / parts[1]
    if op == "^":
        return np.power(parts[0], parts[1])
    if op not in _FUNCTIONS:
        raise UnknownError(op)
    return _FUNCTIONS[op](parts[0])
