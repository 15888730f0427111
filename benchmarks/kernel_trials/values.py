"""The value of an expression of the proofs' language at a point, by mpmath; UndefinedError where it has none."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import mpmath as mp

Term = Any
Matrix = list[list[Any]]
_FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    n: getattr(mp, n) for n in ("exp", "sin", "cos", "tan", "sinh", "cosh", "tanh", "atan", "erf", "erfc")
} | {"abs": abs, "sign": mp.sign, "floor": mp.floor, "ceiling": mp.ceil}
_LARGEST, _SMALLEST = mp.mpf(10) ** 400, mp.mpf(10) ** -36
_MOST_TERMS, _NOTHING = 200, mp.mpf(10) ** -54
# Beyond, the distance from the limit is lost even in 400 digits.
_FAR = {"exp": 800, "sinh": 800, "cosh": 800, "erf": 25, "erfc": 25, "tanh": 400}


class UndefinedError(ValueError):
    """The expression has no value here; `of_integral` where that is so whatever the digits of a quadrature."""

    of_integral = False


class UnknownError(ValueError):
    """Nothing is said of this point: a value that is too large or too near to 0 to be told, matrices whose shapes do not fit."""


def word(letters: list[str]) -> Term:
    """The product of letters, as a rule names them."""
    return ["*", *(["mat'" if n.endswith("'") else "mat", n.removesuffix("'")] for n in letters)]


def value(term: Term, at: Mapping[str, Any]) -> Any:
    """The number; `at` has numbers for variables and lists of rows for letters (by the letter's name after "mat ")."""
    found = _value(term, at)
    if isinstance(found, list):
        raise UndefinedError("a matrix")
    if not mp.isfinite(found) or abs(found) > _LARGEST:
        raise UnknownError("not finite, or too large")
    return found


def _value(term: Term, at: Mapping[str, Any]) -> Any:
    if isinstance(term, int):
        return mp.mpf(term)
    if isinstance(term, str):
        if term not in at:
            raise UndefinedError(term)
        found = at[term]
        return mp.mpf(found.numerator) / found.denominator if isinstance(found, Fraction) else found
    op, *rest = term
    if op == "const":
        return {"pi": mp.pi, "e": mp.e, "euler": mp.euler}[rest[0]] + mp.mpf(0)
    if op in ("mat", "mat'"):
        if f"mat {rest[0]}" not in at:
            raise UndefinedError(f"the matrix {rest[0]}")
        rows = at[f"mat {rest[0]}"]
        return rows if op == "mat" else [list(r) for r in zip(*rows, strict=True)]
    if op == "tr":
        return _trace(_value(rest[0], at), at)
    if op in ("int", "sum"):
        return (_integral if op == "int" else _sum)(rest, at)
    if op == "diff":
        from .slopes import slope

        for _ in range(rest[2]):
            value(rest[0], at)
            rest[0] = slope(rest[0], rest[1])
        return value(rest[0], at)
    if op == "fn":
        return value(of_unknown(rest[0], rest[1:]), at)
    if op == "lim":
        raise UnknownError("a limit")
    if op == "polygamma":
        of = value(rest[1], at)
        if of <= 0:
            raise UndefinedError(op)
        return mp.psi(rest[0], of)
    found = _operation(op, [_value(a, at) for a in rest])
    if not isinstance(found, list) and abs(found) > _LARGEST:
        raise UnknownError("too large")
    return found


def of_unknown(name: str, arguments: list[Term]) -> Term:
    """One function that an unknown one may be: of either sign, neither even nor growing."""
    a = arguments[0] if len(arguments) == 1 else ["+", arguments[0], ["*", 2, arguments[1]]]
    return ["+", ["/", ["^", a, 2], 3], ["-", ["*", 1 + len(name) % 3, a]], ["/", 1, 2]]


def _operation(op: str, parts: list[Any]) -> Any:
    if any(isinstance(p, list) for p in parts):
        return _of_matrices(op, parts)
    a = parts[0]
    if op == "+":
        return mp.fsum(parts)
    if op == "*":
        return mp.fprod(parts)
    if op == "-":
        return a - parts[1] if parts[1:] else -a
    if op == "/":
        if _nonzero(parts[1]) == 0:
            raise UndefinedError("a division by zero")
        return a / parts[1]
    if op == "^":
        return _power(a, parts[1])
    if op in ("max", "min"):
        return (max if op == "max" else min)(parts)
    if op == "sqrt":
        return _power(a, mp.mpf(1) / 2)
    if op == "log":
        if _nonzero(a) <= 0:
            raise UndefinedError("a logarithm")
        return mp.log(a)
    if op in ("asin", "acos"):
        if abs(a) > 1:
            raise UndefinedError(op)
        return getattr(mp, op)(a)
    if op in ("gamma", "factorial", "loggamma"):
        b = a + 1 if op == "factorial" else a
        if b <= 0:
            raise UndefinedError(op)
        if b > 200:
            raise UnknownError("too large")
        return mp.loggamma(b) if op == "loggamma" else mp.gamma(b)
    if abs(a) > _FAR.get(op, mp.inf):
        raise UnknownError("too large, or too near to a limit")
    if op in ("sign", "floor", "ceiling") and abs(a - mp.nint(a)) < _SMALLEST and a != mp.nint(a):
        raise UnknownError("too near to a step")
    return _FUNCTIONS[op](a)


def _nonzero(a: Any) -> Any:
    """The number; UnknownError if it may be 0 but for rounding."""
    if a != 0 and abs(a) < _SMALLEST and mp.mp.dps > 30:
        raise UnknownError("too near to 0")
    return a


def _power(base: Any, exponent: Any) -> Any:
    whole = exponent == mp.floor(exponent)
    if abs(exponent) > 10_000:
        raise UnknownError("too large")
    if (base if whole and exponent > 0 else _nonzero(base)) == 0:
        if exponent < 0:
            raise UndefinedError("a negative power of zero")
        return mp.mpf(1 if exponent == 0 else 0)
    if base < 0 and not whole:
        raise UndefinedError("a root of a negative number")
    return base ** int(exponent) if whole else base**exponent


def _integral(rest: list[Any], at: Mapping[str, Any]) -> Any:
    body, name = rest[:2]
    low, high = (
        (mp.inf if e == ["const", "oo"] else -mp.inf if e == ["const", "-oo"] else value(e, at))
        for e in rest[2:]
    )
    if low > high:
        # From b to a it is minus that from a to b.
        return -_integral([body, name, rest[3], rest[2]], at)
    if low == high:
        return mp.mpf(0)
    from .quadrature import integral

    try:
        return mp.mpf(integral(body, name, float(low), float(high), at))
    except UndefinedError as error:
        error.of_integral = True
        raise


def _sum(rest: list[Any], at: Mapping[str, Any]) -> Any:
    body, name = rest[:2]
    if rest[3] == ["const", "oo"]:
        return _series(body, name, value(rest[2], at), at)
    low, high = (value(e, at) for e in rest[2:])
    if low != mp.floor(low) or high != mp.floor(high) or high < low - 1:
        raise UndefinedError("the ends of a sum")
    if high >= low + _MOST_TERMS:
        raise UnknownError("a sum of many terms")
    return mp.fsum(value(body, {**at, name: mp.mpf(k)}) for k in range(int(low), int(high) + 1))


def _series(body: Term, name: str, low: Any, at: Mapping[str, Any]) -> Any:
    """Added up until the terms fall fast and are nothing; UnknownError where they do not."""
    if low != mp.floor(low):
        raise UndefinedError("the end of a sum")
    total, last = mp.mpf(0), mp.mpf(0)
    for k in range(_MOST_TERMS):
        term = value(body, {**at, name: low + k})
        total += term
        if k > 3 and abs(term) < 0.9 * abs(last) and abs(term) < _NOTHING:
            return total
        last = term
    raise UnknownError("a series that is not added up")


# --- matrices ---------------------------------------------------------------------------------------------------------


def _trace(rows: Any, at: Mapping[str, Any]) -> Any:
    if not isinstance(rows, list):
        # That of a multiple of the identity, of the size that all letters have.
        sizes = {len(part) for n, m in at.items() if n.startswith("mat ") for part in (m, *m)}
        if len(sizes) != 1:
            raise UnknownError("a trace of an identity whose size is not said")
        return rows * sizes.pop()
    if len(rows) != len(rows[0]):
        raise UnknownError("a trace of what is not square")
    return mp.fsum(rows[i][i] for i in range(len(rows)))


def _of_matrices(op: str, parts: list[Any]) -> Any:
    if op == "-":
        last = _of_matrices("*", [mp.mpf(-1), parts[-1]]) if isinstance(parts[-1], list) else -parts[-1]
        return _of_matrices("+", [parts[0], last]) if parts[1:] else last
    if op == "/" and not isinstance(parts[1], list):
        return _times(parts[0], _operation("/", [mp.mpf(1), parts[1]]))
    if op in ("^", "sqrt") and isinstance(parts[0], list):
        return _matrix_power(parts[0], mp.mpf(1) / 2 if op == "sqrt" else parts[1])
    if op not in ("+", "*"):
        raise UnknownError(op)
    found = parts[0]
    for part in parts[1:]:
        found = (_plus if op == "+" else _times)(found, part)
    return found


def _matrix_power(rows: Matrix, exponent: Any) -> Matrix:
    """Whole positive powers by products, others of what is symmetric and positive definite."""
    if isinstance(exponent, list) or len(rows) != len(rows[0]):
        raise UnknownError("a power of matrices")
    if exponent == mp.floor(exponent) and 0 < exponent <= 8:
        found = rows
        for _ in range(int(exponent) - 1):
            found = _times(found, rows)
        return found
    if any(abs(rows[i][j] - rows[j][i]) > _SMALLEST for i in range(len(rows)) for j in range(i)):
        raise UnknownError("a power of what is not symmetric")
    values, vectors = mp.eigsy(mp.matrix(rows))
    if any(v <= 0 for v in values):
        raise UnknownError("a power of what is not positive definite")
    found = vectors * mp.diag([v**exponent for v in values]) * vectors.T
    return [list(r) for r in found.tolist()]


def _plus(a: Any, b: Any) -> Any:
    if not isinstance(a, list) and not isinstance(b, list):
        return a + b
    n = len(a if isinstance(a, list) else b)
    one, two = (
        p if isinstance(p, list) else [[p * (i == j) for j in range(n)] for i in range(n)] for p in (a, b)
    )
    if (len(one), len(one[0])) != (len(two), len(two[0])):
        raise UnknownError("a sum")
    return [[x + y for x, y in zip(r, s, strict=True)] for r, s in zip(one, two, strict=True)]


def _times(a: Any, b: Any) -> Any:
    if isinstance(a, list) and isinstance(b, list):
        if len(a[0]) != len(b):
            raise UnknownError("a product")
        return [[mp.fsum(x * y for x, y in zip(r, c, strict=True)) for c in zip(*b, strict=True)] for r in a]
    if not isinstance(a, list) and not isinstance(b, list):
        return a * b
    number, rows = (b, a) if isinstance(a, list) else (a, b)
    return [[number * x for x in r] for r in rows]
