"""Integrals and sums whose values are laws: those of gamma and beta, and the exponential and the binomial series."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .atoms import NEGATIVE, NONZERO, POSITIVE
from .context import Context
from .defined import defined
from .language import Rejected, Term, put
from .normal_form import ends, form, inside, whole_ends
from .powers import same
from .quotients import Quotient, plus
from .signs_of_terms import sign_of

_ONE: Term = ("num", Fraction(1))


@dataclass(frozen=True)
class _Law:
    """What is integrated over (0, `high`), or summed from 0 to oo, and its value, where all of `signs` hold; letters are terms of the proof."""

    op: str
    high: int
    letters: tuple[str, ...]
    body: Callable[[Term, Mapping[str, Term]], Term]
    value: Callable[[Mapping[str, Term]], Term]
    signs: Callable[[Mapping[str, Term]], list[tuple[Term, frozenset[str]]]]


def _times(*factors: Term) -> Term:
    return ("*", *factors)


def _less_one(a: Term) -> Term:
    return ("-", a, _ONE)


def _more_one(a: Term) -> Term:
    return ("+", a, _ONE)


_POSITIVE, _NOT_ZERO = frozenset({POSITIVE}), frozenset({POSITIVE, NEGATIVE, NONZERO})
_LAST = "last"
_LAWS = {
    # int_0^oo x^(a - 1) exp(-b x^r) dx = gamma(a/r) / (|r| b^(a/r)), for b > 0, r not 0, a/r > 0.
    "gamma": _Law(
        "int",
        1,
        ("a", "b", "r"),
        lambda x, p: _times(("^", x, _less_one(p["a"])), ("exp", ("-", _times(p["b"], ("^", x, p["r"]))))),
        lambda p: (
            "/",
            ("gamma", ("/", p["a"], p["r"])),
            _times(("abs", p["r"]), ("^", p["b"], ("/", p["a"], p["r"]))),
        ),
        lambda p: [(p["b"], _POSITIVE), (p["r"], _NOT_ZERO), (("/", p["a"], p["r"]), _POSITIVE)],
    ),
    # int_0^1 x^(a - 1) (1 - x)^(b - 1) dx = gamma(a) gamma(b) / gamma(a + b), for a, b > 0.
    "beta": _Law(
        "int",
        0,
        ("a", "b"),
        lambda x, p: _times(("^", x, _less_one(p["a"])), ("^", ("-", _ONE, x), _less_one(p["b"]))),
        lambda p: ("/", _times(("gamma", p["a"]), ("gamma", p["b"])), ("gamma", ("+", p["a"], p["b"]))),
        lambda p: [(p["a"], _POSITIVE), (p["b"], _POSITIVE)],
    ),
    # sum_k>=0 x^k / k! = exp(x), for x > 0.
    "exponential": _Law(
        "sum",
        1,
        ("x",),
        lambda k, p: ("/", ("^", p["x"], k), ("gamma", _more_one(k))),
        lambda p: ("exp", p["x"]),
        lambda p: [(p["x"], _POSITIVE)],
    ),
    # sum_k>=0 gamma(k + r) / (gamma(r) k!) x^k = (1 - x)^(-r), for r > 0, 0 < x < 1.
    "binomial": _Law(
        "sum",
        1,
        ("x", "r"),
        lambda k, p: (
            "/",
            _times(("gamma", ("+", k, p["r"])), ("^", p["x"], k)),
            _times(("gamma", p["r"]), ("gamma", _more_one(k))),
        ),
        lambda p: ("^", ("-", _ONE, p["x"]), ("-", p["r"])),
        lambda p: [(p["x"], _POSITIVE), (p["r"], _POSITIVE), (("-", _ONE, p["x"]), _POSITIVE)],
    ),
}


def _with_last(term: Term, context: Context) -> Quotient:
    """A sum that has a term is the sum without its last one, and that one."""
    low, high = whole_ends(term, context)
    if not context.is_nonnegative(plus(high, low, -1)):
        raise Rejected("a sum that is not known to have a term")
    defined(term, context)
    rest, last = (*term[:4], ("-", term[4], _ONE)), put(term[1], {term[2]: term[4]})
    return plus(form(rest, context), form(last, context))


def known(term: Term, name: Any, letters: Mapping[str, Term], context: Context) -> Quotient:
    """The value of an integral or a sum that is `times` that of a law; Rejected where it is not, or a condition is not known to hold."""
    if name == _LAST and term[0] == "sum" and not letters:
        return _with_last(term, context)
    law = _LAWS.get(name) if isinstance(name, str) else None
    if law is None or term[0] != law.op or set(letters) != {*law.letters, "times"}:
        raise Rejected(f"no law of that name and with these letters: {sorted({*_LAWS, _LAST})}")
    low, high = ends(term, context)
    whole = high == 1 if law.high else isinstance(high, Quotient) and high.number == 1
    if not isinstance(low, Quotient) or low.numerator or not whole:
        raise Rejected("the range is not that of the law")
    for letter in letters.values():
        defined(letter, context)
    for of, allowed in law.signs(letters):
        if sign_of(of, context) not in allowed:
            raise Rejected("a condition of the law is not known to hold")
    inner, x = inside(term, context)
    body = put(term[1], {term[2]: ("var", x)})
    defined(body, inner)
    # The letters stand outside: none of their names is the variable's, which no proof can write.
    if not same(
        form(body, inner), form(_times(letters["times"], law.body(("var", x), letters)), inner), inner
    ):
        raise Rejected("what stands in the integral or sum is not that of the law")
    return form(_times(letters["times"], law.value(letters)), context)
