"""What the formulas of a law take for granted: parameters in their domains, outcomes in the support, a definite covariance."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import sympy as sp

from ..proof.derivation import Step
from .countable import CountableLaw
from .joint import JointLaw
from .law import Law
from .vector_forms import Multinomial

_MOST_ROWS = 6


def premises(law: Law | JointLaw) -> tuple[sp.Expr, ...]:
    """Expressions that are positive for all parameters and outcomes of the law; those that are so by their symbols are left out.

    >>> p = sp.Symbol("p", positive=True)
    >>> premises(JointLaw.multinomial(3, [p, 1 - p]))
    (1 - p,)
    """
    found = [gap for s, low, high in law.domains for gap in (s - low, high - s)]
    if isinstance(law, JointLaw):
        found += law.form.probabilities if isinstance(law.form, Multinomial) else ()
        found += _of_minors(law.covariance) if law.covariance is not None else []
    else:
        # A count lies between its ends, and may be one of them.
        slack = 1 if isinstance(law, CountableLaw) else 0
        low, high = law.support
        found += [law.variable - low + slack, high - law.variable + slack]
    return tuple(dict.fromkeys(e for e in map(sp.sympify, found) if _says_something(e)))


def _says_something(e: sp.Expr) -> bool:
    return bool(e.free_symbols) and not e.has(sp.oo, sp.zoo, sp.nan) and not e.is_positive


def _of_minors(covariance: sp.ImmutableMatrix) -> list[sp.Expr]:
    """Leading minors of a definite matrix are positive: their factors, less those that are so anyway."""
    if not covariance.free_symbols or covariance.rows > _MOST_ROWS:
        return []
    return [f for k in range(covariance.rows) for f in _odd(sp.factor(covariance[: k + 1, : k + 1].det()))]


def _odd(minor: sp.Expr) -> list[sp.Expr]:
    """What is left of a positive number without its even powers and the factors that are positive by their symbols."""
    left, negative = [], False
    for part in sp.fraction(minor):
        for factor in sp.Mul.make_args(part):
            base, times = factor.as_base_exp()
            if factor.is_number:
                negative ^= bool(factor.is_negative)
            elif not (times.is_Integer and times % 2 == 0) and not factor.is_positive:
                left.append(base if times.is_Integer else factor)
    return [sp.Mul(-1 if negative else 1, *left)] if left else []


def under(steps: Iterable[Step], given: tuple[sp.Expr, ...]) -> tuple[Step, ...]:
    """The steps, each with those of the premises that are about its symbols."""
    return tuple(_under(step, given) for step in steps)


def _under(step: Step, given: tuple[sp.Expr, ...]) -> Step:
    about = step.left.free_symbols | step.right.free_symbols
    more = [e for e in given if e.free_symbols <= about and e not in step.where]
    return replace(step, where=(*step.where, *more)) if more else step
