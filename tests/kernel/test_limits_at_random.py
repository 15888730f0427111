"""Random expressions far out: where the kernel knows a limit, it is the value at 10^300, to the digits that are left there."""

from __future__ import annotations

import random
from typing import Any

from flint import ctx
from mpmath import mp, mpf

from noiseproof.symbolic.proof.kernel.context import Context
from noiseproof.symbolic.proof.kernel.defined import defined
from noiseproof.symbolic.proof.kernel.enclosures import ball
from noiseproof.symbolic.proof.kernel.language import Reader, Rejected, allow
from noiseproof.symbolic.proof.kernel.normal_form import form

FAR, DIGITS = 300, 1_000
NUMBERS: list[Any] = [1, 2, 3, -1, -2, 5, ["/", 1, 2], ["/", -1, 3], ["/", 3, 2]]
TWO = {"+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": lambda a, b: a / b}
ONE = {"sqrt": mp.sqrt, "log": mp.log, "exp": mp.exp, "erf": mp.erf, "atan": mp.atan}


def positive(r: random.Random, depth: int) -> Any:
    """What is positive for positive t."""
    if depth <= 0 or r.random() < 0.25:
        return "t"
    op = r.choice(["+", "+", "*", "/", "sqrt", "^", "exp"])
    if op == "+":
        return [op, positive(r, depth - 1), r.choice([1, 2, ["/", 1, 3]])]
    if op in ("*", "/"):
        return [op, positive(r, depth - 1), positive(r, depth - 1)]
    if op == "^":
        return [op, positive(r, depth - 1), r.choice(NUMBERS)]
    return [op, any_sign(r, depth - 1) if op == "exp" else positive(r, depth - 1)]


def any_sign(r: random.Random, depth: int) -> Any:
    """A sum, a product, a quotient or a function."""
    if depth <= 0 or r.random() < 0.12:
        return r.choice(["t", "t", *NUMBERS])
    op = r.choice(["+", "+", "-", "*", "*", "/", "log", "log", "erf", "atan", "exp"])
    if op in TWO:
        return [op, any_sign(r, depth - 1), positive(r, depth - 1) if op == "/" else any_sign(r, depth - 1)]
    return [op, positive(r, depth - 1) if op == "log" else any_sign(r, depth - 1)]


def value(e: Any, t: mpf) -> mpf:
    """The expression at t; OverflowError where it is too large to be written."""
    if not isinstance(e, list):
        return t if e == "t" else mpf(e)
    parts = [value(a, t) for a in e[1:]]
    if e[0] in ONE:
        if e[0] == "exp" and abs(parts[0]) > mpf(10) ** (4 * FAR):
            raise OverflowError
        return ONE[e[0]](parts[0])
    return parts[0] ** parts[1] if e[0] == "^" else TWO[e[0]](*parts)


def limit_of(body: Any) -> Any:
    """A ball around the kernel's limit; None where it knows none."""
    context = Context({})
    try:
        allow()
        term = Reader().term(["lim", body, "t", ["const", "oo"], "below"])
        defined(term, context)
        with ctx.workprec(200):
            return ball(form(term, context), context.atoms, {})
    except Rejected:
        return None


def test_limits_at_random() -> None:
    r, known = random.Random(20261126), 0
    with mp.workdps(DIGITS):
        for _ in range(600):
            body = any_sign(r, 4)
            found = limit_of(body)
            try:
                there = None if found is None else value(body, mpf(10) ** FAR)
            except (OverflowError, ZeroDivisionError):
                continue
            if there is None:
                continue
            middle = mpf(found.mid().str(40, radius=False))
            # An arc tangent of a logarithm comes to its end slowly.
            near = mpf("0.01") if "atan" in str(body) else mpf(10) ** -20
            assert abs(there - middle) <= near * (1 + abs(middle)), body
            known += 1
    assert known > 100
