"""A derivation is a list of steps with reasons; each step is checked again whenever it is asked for.

A step compares two sides that were obtained by different routes.  Cited lemmas carry no check: they are
the trusted base of the derivation and are listed as such.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache

import sympy as sp

from .enclosure import compare
from .truth import Truth, all_hold

RELATIONS = ("=", "<=", ">=", "<", ">")


@dataclass(frozen=True)
class MatrixFacts:
    """What a step takes for granted of its matrices: neighbouring letters and their value, traces and theirs; matrices that obey."""

    rules: Mapping[tuple[sp.Symbol, ...], sp.Expr] = field(default_factory=dict)
    traces: Mapping[sp.Expr, sp.Expr] = field(default_factory=dict)
    instance: Mapping[sp.Symbol, sp.Matrix] | None = None


@dataclass(frozen=True)
class Step:
    """`left relation right`, with the reason; checked for all admissible values of the free symbols.

    The default decision carries out what is only written down, then asks sympy's simplification and enclosures.
    `how` replaces it when the two sides are objects that sympy cannot compare by itself; it receives the two sides
    and answers with a Truth.
    `shown` replaces the printed sides where these are plain numbers: what is checked is always `left` and `right`.
    `matrices` are hypotheses that `how` uses.  All of `where` are positive, and each symbol of `within` lies between its ends
    (which belong to it where they are finite): what the step says is said there only.
    """

    left: sp.Expr
    relation: str
    right: sp.Expr
    reason: str
    how: Callable[[sp.Expr, sp.Expr], Truth] | None = field(default=None, compare=False)
    shown: tuple[str, str] | None = field(default=None, compare=False)
    matrices: MatrixFacts | None = field(default=None, compare=False)
    where: tuple[sp.Expr, ...] = ()
    within: tuple[tuple[sp.Symbol, sp.Expr, sp.Expr], ...] = ()

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise ValueError(f"relation must be one of {RELATIONS}, got {self.relation!r}")

    def check(self) -> Truth:
        """Decide the step anew."""
        if self.how is not None:
            return self.how(self.left, self.right)
        return compare(carried_out(self.left), self.relation, carried_out(self.right))


@dataclass(frozen=True)
class Derivation:
    """Steps from premises to a conclusion, and the lemmas that are cited without being checked here.

    All of `where` are positive: a hypothesis of every step.
    """

    conclusion: str
    steps: tuple[Step, ...]
    lemmas: tuple[str, ...] = ()
    where: tuple[sp.Expr, ...] = ()

    def check(self) -> Truth:
        """HOLDS only if there is a step and every step holds."""
        if not self.steps:
            return Truth.UNKNOWN
        return all_hold(step.check() for step in self.steps)


def implied(left: sp.Expr, relation: str, right: sp.Expr, known: tuple[sp.Expr, sp.Expr]) -> Truth:
    """Whether `left relation right` (one of <=, >=) says no more than the `known` sides, which are related so."""
    return all_hold((compare(left, relation, known[0]), compare(known[1], relation, right)))


def evaluated(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality after derivatives and integrals that are only written down have been carried out."""
    return compare(left.doit(), "=", right.doit())


def carried_out(side: sp.Expr) -> sp.Expr:
    """The side with all that is only written down carried out: arithmetic, derivatives, integrals, sums and limits.

    >>> x = sp.Symbol("x")
    >>> carried_out(sp.Derivative(x**2, x))
    2*x
    """
    return _done(side) if isinstance(side, sp.Expr) else side


# A step is checked when it decides, when it is printed and in each of its variants.
@lru_cache(2048)
def _done(side: sp.Expr) -> sp.Expr:
    return side.doit()
