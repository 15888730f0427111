"""What a program says without writing it: signs and integrality of its variables, and where its formulas have a value."""

from __future__ import annotations

from dataclasses import dataclass

import sympy as sp

from ..proof.defined import is_known, needs
from .constraints import Constraint, Equation, Inequality, NormCone
from .impossible import impossible
from .quadratic import never_negative
from .stated_program import StatedProgram


@dataclass(frozen=True)
class NaturalDomain:
    """Expressions that are `positive`, `nonnegative` or `nonzero` wherever the program has a value; `integers` are whole numbers."""

    positive: tuple[sp.Expr, ...]
    nonnegative: tuple[sp.Expr, ...]
    nonzero: tuple[sp.Expr, ...]
    integers: tuple[sp.Symbol, ...]

    @property
    def everywhere(self) -> bool:
        """Whether nothing is asked: every real point has a value."""
        return not (self.positive or self.nonnegative or self.nonzero or self.integers)

    def said(self) -> str:
        """In words; empty if nothing is asked."""
        rows = [
            *(f"{e} > 0" for e in self.positive),
            *(f"{e} >= 0" for e in self.nonnegative),
            *(f"{e} != 0" for e in self.nonzero),
            *(f"{v} is an integer" for v in self.integers),
        ]
        return ", ".join(rows)


def natural_domain(program: StatedProgram) -> NaturalDomain:
    """Where objective and constraints have real values, and what the assumptions of the variables leave open or whole.

    The assumption that a variable is not negative is a constraint instead (`implied`): its border is feasible.  What is
    `nonnegative` is a constraint as well (`borders`).
    """
    found: dict[str, list[sp.Expr]] = {"positive": [], "nonnegative": [], "nonzero": []}
    for v in program.variables:
        if v.is_positive or v.is_negative:
            found["positive"].append(v if v.is_positive else -v)
        elif v.is_nonzero and not (v.is_nonnegative or v.is_nonpositive):
            found["nonzero"].append(v)
    plain = {v: sp.Dummy(v.name, real=True) for v in program.variables}
    back = {d: v for v, d in plain.items()}
    signs = {d: v for d, v in back.items() if v.is_real}
    for e in program.expressions():
        for term, need in needs(e.xreplace(plain)):
            if need not in found or not term.free_symbols & set(back):
                continue
            known = is_known(program.domain.inside(term.xreplace(signs)), need)
            if not known and not (need == "nonnegative" and never_negative(term, tuple(back))):
                found[need].append((_base(term) if need == "nonnegative" else term).xreplace(back))
    unique = {k: tuple(dict.fromkeys(v)) for k, v in found.items()}
    return NaturalDomain(
        unique["positive"],
        tuple(e for e in unique["nonnegative"] if e not in unique["positive"]),
        tuple(e for e in unique["nonzero"] if e not in unique["positive"] and -e not in unique["positive"]),
        tuple(v for v in program.variables if v.is_integer),
    )


def implied(program: StatedProgram) -> tuple[Inequality, ...]:
    """The constraints that the assumptions of the variables state: x >= 0 for a symbol that is not negative."""
    rows = []
    for v in program.variables:
        if v.is_positive or v.is_negative:
            continue
        plain = sp.Symbol(v.name, real=True)
        if v.is_nonnegative:
            rows.append(Inequality(-v, sp.Ge(plain, 0)))
        if v.is_nonpositive:
            rows.append(Inequality(v, sp.Le(plain, 0)))
    return tuple(rows)


def _base(e: sp.Expr) -> sp.Expr:
    """An expression with a gradient at its zeros that is at least zero where the given one is: x for x^3, x - 1 for log x."""
    while isinstance(e, sp.log) or (e.is_Pow and e.exp.is_odd and e.exp.is_positive):
        e = e.args[0] - 1 if isinstance(e, sp.log) else e.base
    return e


def borders(program: StatedProgram, stated: tuple[Constraint, ...]) -> tuple[Inequality, ...]:
    """The constraints that formulas bring along: the argument of a root is at least zero, unless other constraints say so."""
    above = [-c.excess for c in stated if isinstance(c, Inequality)]
    above += [c.bound for c in stated if isinstance(c, NormCone)]
    above += [s * c.excess for c in stated if isinstance(c, Equation) for s in (1, -1)]
    symbols = (*program.variables, *program.parameters)
    affine = [e for e in above if e.is_polynomial(*symbols) and sp.Poly(e, *symbols).total_degree() <= 1]
    signs = {v: sp.Dummy(v.name, nonnegative=True) for v in program.variables if v in affine}
    return tuple(
        Inequality(-e, sp.Ge(e, 0, evaluate=False))
        for e in natural_domain(program).nonnegative
        if not impossible([-e, *affine], frozenset([-e]), symbols)
        and not is_known(program.domain.inside(e.xreplace(signs)), "nonnegative")
    )


def all_constraints(program: StatedProgram) -> tuple[Constraint, ...]:
    """The constraints as they are stated, then those of the assumptions, then the borders of the natural domain."""
    stated = (*program.constraints, *implied(program))
    return (*stated, *borders(program, stated))
