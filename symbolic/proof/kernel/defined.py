"""Whether a term has a real value for all admissible values: no division by what may be zero, no root or logarithm of what may not have one."""

from __future__ import annotations

from typing import Any

from .atoms import NEGATIVE, NONNEGATIVE, NONZERO, POSITIVE, ZERO
from .context import Context
from .enclosures import is_constant
from .language import INFINITE, Rejected, Term, arguments, free, put
from .normal_form import approached, ends, form, in_order, inside, whole_ends
from .quotients import number, plus
from .signs_of_terms import sign_of
from .words import has_letters

_EVERYWHERE = frozenset({"exp", "abs", "sin", "cos", "sinh", "cosh", "tanh", "atan", "erf", "erfc"})
_NONZERO, _NOT_NEGATIVE = {POSITIVE, NEGATIVE, NONZERO}, {POSITIVE, NONNEGATIVE, ZERO}
_STEPS = frozenset({"sign", "floor", "ceiling"})


Names = frozenset[str]
_NONE: Names = frozenset()


def defined(term: Term, context: Context, smooth: Names = _NONE) -> None:
    """Rejected where the term is not known to be defined, and differentiable in the variables `smooth`; integrals have to exist."""
    op = term[0]
    if smooth and not smooth & free(term) and not _has_trace(term):
        # What does not depend on them; the value of a trace may, without a word of it.
        smooth = _NONE
    if op in ("num", "const"):
        return
    if op == "var":
        context.variable(term[1])
        return
    if op in ("sum", "int"):
        if term in context.values:
            # The value was found, and it is that of a term without the variable: a number, or smooth in the others.
            if smooth:
                raise Rejected("whether an integral has a slope is not known")
            return
        _binder(term, context, smooth)
        return
    if op == "diff":
        context.variable(term[2])
        if context.variables[term[2]].whole:
            raise Rejected("a derivative in a whole number")
        # A derivative of what is smooth is smooth.
        defined(term[1], context, smooth | {term[2]})
        return
    if op == "lim":
        if smooth:
            raise Rejected("whether a limit has a slope is not known")
        if term[3][0] != "const" or term[3][1] not in INFINITE:
            defined(term[3], context)
        near, _, body = approached(term, context)
        # On the whole of that side, which is more than a limit asks for.
        defined(body, near)
        form(term, context)
        return
    if op == "tr":
        known = (*context.traces.values(), *context.rules.values())
        if smooth and any(not is_constant(q, context.atoms) for q in known):
            raise Rejected("whether a trace has a slope is not known where it has a value with variables")
        _letters(term[1], context, smooth)
        return
    if op in ("mat", "mat'"):
        raise Rejected("a matrix outside of a trace")
    for a in arguments(term):
        defined(a, context, smooth)
    if op == "^":
        _power(term, context, smooth)
    elif op == "/":
        if sign_of(term[2], context) not in _NONZERO:
            raise Rejected("a divisor that is not known to be nonzero")
    elif op not in _EVERYWHERE | {"+", "*", "-", "fn"}:
        _function(op, term, context, smooth)
    if smooth and op == "abs" and not context.is_nonzero(form(term[1], context)):
        raise Rejected("the absolute value has no slope at 0")


def _has_trace(term: Any) -> bool:
    return isinstance(term, tuple) and (term[0] in ("tr", "mat", "mat'") or any(map(_has_trace, term[1:])))


def _power(term: Term, context: Context, smooth: Names) -> None:
    base, e = sign_of(term[1], context), form(term[2], context)
    n = e.number
    if n is None:
        good = base == POSITIVE or (not smooth and base in _NOT_NEGATIVE and context.is_positive(e))
    elif n.denominator == 1:
        good = n >= 0 or base in _NONZERO
    else:
        good = base == POSITIVE if n < 0 or smooth else base in _NOT_NEGATIVE
    if not good:
        raise Rejected("a power of a base whose sign does not allow it")


def _function(op: str, term: Term, context: Context, smooth: Names) -> None:
    (of, *_) = arguments(term)
    q, sign = form(of, context), sign_of(of, context)
    if op in ("log", "gamma", "loggamma", "polygamma"):
        good = sign == POSITIVE
    elif op == "sqrt":
        good = sign == POSITIVE if smooth else sign in _NOT_NEGATIVE
    elif op == "factorial":
        good = context.is_positive(plus(q, number(1)))
    elif op == "tan":
        good = context.is_nonzero(form(("cos", term[1]), context))
    elif op in ("asin", "acos"):
        good = all(context.sign(plus(number(1), q, s)) == POSITIVE for s in (1, -1))
    else:
        good = not smooth and op in _STEPS | {"max", "min"}
    if not good:
        raise Rejected(f"{op} of what is not known to allow it")


def _binder(term: Term, context: Context, smooth: Names) -> None:
    low, high = ends(term, context)
    for end, q in zip(term[3:5], (low, high), strict=True):
        if not isinstance(q, int):
            defined(end, context, smooth)
    if term[0] == "sum":
        whole_ends(term, context)
    else:
        in_order(low, high, context)
        if isinstance(low, int) or isinstance(high, int):
            raise Rejected(
                "whether an integral over an infinite range exists is not known: give its antiderivative"
            )
        if smooth:
            raise Rejected("whether an integral has a slope is not known")
    # Over the closed range: a continuous function has an integral there.
    inner, x = inside(term, context, (True, True))
    defined(put(term[1], {term[2]: ("var", x)}), inner, smooth)


def _letters(term: Term, context: Context, smooth: Names) -> None:
    op = term[0]
    if op in ("mat", "mat'"):
        if term[1] not in context.letters:
            raise Rejected(f"the matrix {term[1]} is not declared")
        return
    if has_letters(term) and op in ("+", "*", "-", "/", "^", "sqrt"):
        for a in term[1:]:
            _letters(a, context, smooth)
        if op == "/" and not context.is_nonzero(form(term[2], context)):
            raise Rejected("a divisor that is not known to be nonzero")
        return
    defined(term, context, smooth)
