"""The conditions of Karush, Kuhn and Tucker of a program, as equations; those of Fritz John where no qualification is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import sympy as sp

from ..errors import SpecError
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import compare
from ..proof.fact import Fact
from ..proof.truth import Truth, all_hold
from .active import active_at
from .constraints import PSD, Constraint, Equation, Inequality, NormCone, said
from .lifting import Lifting, lifted, nonsmooth
from .natural_domain import NaturalDomain, all_constraints, implied, natural_domain
from .region import rough
from .slater import is_affine, slater
from .stated_program import StatedProgram

NECESSARY = (
    "at a minimiser that meets a constraint qualification, and where all formulas have derivatives, there are multipliers with these equations (Karush 1939; Kuhn and Tucker "
    "1951; Bonnans and Shapiro 2000, theorem 3.9, for cones)"
)
SUFFICIENT = (
    "in a convex program every point with these equations is a minimiser (Boyd and Vandenberghe 2004, 5.5.3)"
)
JOHN = "at every minimiser where all formulas have derivatives there are multipliers with these equations, not all of them zero (John 1948)"


@dataclass(frozen=True)
class Multiplier:
    """What belongs to one constraint: a number, or a vector and a number for a norm cone, or a symmetric matrix.

    `term` is its part of the Lagrangian, `dual` what it has to satisfy, `complementary` what has to vanish.
    """

    constraint: Constraint
    symbols: tuple[sp.Symbol, ...]
    term: sp.Expr
    dual: tuple[Any, ...]
    complementary: tuple[sp.Expr, ...]
    matrix: sp.ImmutableMatrix | None = None

    def gradient(self, variable: sp.Symbol) -> sp.Expr:
        """The part of the stationarity equation, from the derivatives of the constraint's own expressions."""
        c = self.constraint
        if isinstance(c, Inequality | Equation):
            return self.symbols[0] * sp.diff(c.excess, variable)
        if isinstance(c, NormCone):
            *z, size = self.symbols
            sides = (w * sp.diff(e, variable) for w, e in zip(z, c.vector, strict=True))
            return sp.Add(*sides) - size * sp.diff(c.bound, variable)
        assert self.matrix is not None
        return -sp.trace(self.matrix * c.matrix.diff(variable))


@dataclass(frozen=True)
class KKTConditions:
    """The KKT conditions of a program: `stationarity` (expressions that vanish, one per variable), `primal`, `dual`, `complementarity`.

    `program` is smooth: nonsmooth terms of the stated program became variables (`lifting`), and `reason` says so. The program
    is one of minimisation: for maximise= the objective is minus the stated one. `john` is the multiplier of the
    objective, 1 unless these are the conditions of Fritz John. Source: Boyd and Vandenberghe 2004, section 5.5.3.

    >>> x, t = sp.symbols("x t", real=True)
    >>> kkt = npf.Program(minimise=(x - t) ** 2, over=[x], subject_to=[x >= 0], parameters=[t]).kkt()
    >>> kkt.stationarity, kkt.complementarity
    ((-mu_1 - 2*t + 2*x,), (-mu_1*x,))
    """

    lifting: Lifting = field(repr=False)
    multipliers: tuple[Multiplier, ...] = field(repr=False)
    lagrangian: sp.Expr
    stationarity: tuple[sp.Expr, ...]
    primal: tuple[Any, ...]
    dual: tuple[Any, ...]
    complementarity: tuple[sp.Expr, ...]
    domain: NaturalDomain = field(repr=False)
    reason: str
    derivation: Derivation = field(repr=False)
    john: sp.Expr = sp.S.One

    @property
    def program(self) -> StatedProgram:
        """The smooth program whose conditions these are."""
        return self.lifting.program

    @property
    def _open(self) -> NaturalDomain:
        """The natural domain without its closed borders, which are constraints."""
        return replace(self.domain, nonnegative=())

    @property
    def symbols(self) -> tuple[sp.Symbol, ...]:
        """All multipliers in the order of the constraints."""
        return tuple(s for m in self.multipliers for s in m.symbols)

    @cached_property
    def linear(self) -> Fact:
        """Whether all constraints are affine: then every minimiser meets the conditions, without any other qualification."""
        strange = [
            m.constraint for m in self.multipliers if not is_affine(m.constraint, self.program.variables)
        ]
        if strange:
            return Fact(Truth.FAILS, f"{said(strange[0])} is not affine")
        return self._if_smooth(Fact(Truth.HOLDS, "all constraints are affine"), self.rough)

    @cached_property
    def slater(self) -> Fact:
        """Whether the constraints are convex and one exact point, in `at`, meets those that are not affine strictly."""
        return self._if_smooth(slater(self.program), self.rough)

    @cached_property
    def rough(self) -> str:
        """Where the conditions say nothing, since a formula may have no derivative there; empty if there is no such place."""
        return rough(self.program)

    @staticmethod
    def _if_smooth(found: Fact, trouble: str) -> Fact:
        """A qualification ensures multipliers only where objective and constraints have derivatives."""
        if found.truth is not Truth.HOLDS or not trouble:
            return found
        return Fact(Truth.UNKNOWN, f"{found.reason}, but {trouble}", found.found, found.at)

    def licq(self, point: Any) -> Fact:
        """Whether the gradients of the active constraints are independent at a feasible point; SpecError for another one."""
        active = active_at(self.lifting, point)
        return self._if_smooth(active.licq(), active.trouble)

    def mfcq(self, point: Any) -> Fact:
        """Whether a direction leads strictly inside all active constraints (for cones Robinson's condition); SpecError as in `licq`."""
        active = active_at(self.lifting, point)
        strict = self.slater.at if active.cones and self.slater.truth is Truth.HOLDS else None
        return self._if_smooth(active.mfcq(strict), active.trouble)

    def equations(self) -> tuple[sp.Expr, ...]:
        """The expressions that vanish: stationarity, the equations of the program, complementarity."""
        stated = tuple(m.constraint.excess for m in self.multipliers if isinstance(m.constraint, Equation))
        return (*self.stationarity, *stated, *self.complementarity)

    def rows(self) -> Iterator[tuple[str, str]]:
        """Each condition with what it is called, printed."""
        for name, parts in (
            ("stationarity", [f"{e} = 0" for e in self.stationarity]),
            ("primal feasibility", [said(c) for c in self.primal]),
            ("natural domain", [self._open.said()] if self._open.said() else []),
            ("dual feasibility", [said(c) for c in self.dual]),
            ("complementarity", [f"{e} = 0" for e in self.complementarity]),
        ):
            yield from ((name, part) for part in parts)

    def __str__(self) -> str:
        lines, last = [f"L = {self.lagrangian}"], ""
        for name, part in self.rows():
            lines += [f"{name}:"] if name != last else []
            lines.append(f"  {part}")
            last = name
        return "\n".join([*lines, *([self.reason] if self.reason else [])])

    def _repr_latex_(self) -> str:
        zero = [rf"{sp.latex(e)} &= 0" for e in (*self.stationarity, *self.complementarity)]
        inner = [_latex(c) for c in (*self.primal, *self.dual)]
        lines = [rf"L &= {sp.latex(self.lagrangian)}", *zero, *(rf"& {row}" for row in inner)]
        return "$$\\begin{aligned}" + r" \\ ".join(lines) + "\\end{aligned}$$"


def kkt(program: StatedProgram, *, borders: bool = True) -> KKTConditions:
    """The conditions of Karush, Kuhn and Tucker; SpecError for a program whose nonsmooth terms cannot be lifted.

    Without `borders` those of the natural domain have no multipliers: the Lagrangian is then one on the domain.
    """
    return _conditions(program, john=False, borders=borders)


def fritz_john(program: StatedProgram) -> KKTConditions:
    """The conditions that every minimiser satisfies, without any qualification: the objective has a multiplier too."""
    return _conditions(program, john=True, borders=True)


def _conditions(program: StatedProgram, john: bool, borders: bool) -> KKTConditions:
    lifting = lifted(program)
    smooth = lifting.program
    if kinks := nonsmooth(smooth):
        raise SpecError(
            f"{', '.join(map(str, kinks))} has no derivative everywhere, and no smooth form of it is known here: split the program "
            "by the cases of this term"
        )
    taken = {s.name for s in (*smooth.variables, *smooth.parameters)}
    constraints = all_constraints(smooth) if borders else (*smooth.constraints, *implied(smooth))
    multipliers = tuple(_multipliers(constraints, taken))
    first = _fresh("mu_0", taken) if john else sp.Integer(1)
    lagrangian = first * smooth.objective + sp.Add(*(m.term for m in multipliers))
    stationarity = tuple(sp.diff(lagrangian, v) for v in smooth.variables)
    dual = tuple(d for m in multipliers for d in m.dual)
    if john:
        everything = [first, *(s for m in multipliers for s in m.symbols)]
        dual = (sp.Ge(first, 0), *dual, sp.Ne(sp.Add(*(s**2 for s in everything)), 0))
    domain = natural_domain(smooth)
    return KKTConditions(
        lifting,
        multipliers,
        lagrangian,
        stationarity,
        tuple(getattr(m.constraint, "written", m.constraint) for m in multipliers),
        dual,
        tuple(c for m in multipliers for c in m.complementary),
        domain,
        _said(lifting, domain, rough(smooth) if borders else "", john),
        _derivation(lifting, multipliers, stationarity, first),
        first,
    )


def _said(lifting: Lifting, domain: NaturalDomain, trouble: str, john: bool) -> str:
    parts = [f"{trouble}: a minimiser there need not satisfy the conditions"] if trouble else []
    if lifting.changed:
        parts.append(f"in epigraph form, which has the same minimisers: {lifting.said()}")
    if domain.integers:
        names = ", ".join(v.name for v in domain.integers)
        parts.append(
            f"of the relaxation in which {names} may be any real number: an integer program has no conditions of this kind"
        )
    if lifting.stated.sign == -1:
        parts.append("for the minimum of minus the objective that is maximised")
    if john:
        parts.append(
            "Fritz John: necessary at every minimiser where all formulas have derivatives, with multipliers that are not all zero"
        )
    return "; ".join(parts)


def _derivation(
    lifting: Lifting, multipliers: tuple[Multiplier, ...], stationarity: tuple[sp.Expr, ...], first: sp.Expr
) -> Derivation:
    lagrangian = first * lifting.program.objective + sp.Add(*(m.term for m in multipliers))
    steps = [
        Step(
            sp.Derivative(lagrangian, v, evaluate=False),
            "=",
            e,
            f"the derivative of the Lagrangian in {v} is made of the gradients of objective and constraints",
            _made_of(
                first * sp.diff(lifting.program.objective, v) + sp.Add(*(m.gradient(v) for m in multipliers))
            ),
        )
        for v, e in zip(lifting.program.variables, stationarity, strict=True)
    ]
    lemmas = (JOHN,) if first != 1 else (NECESSARY, SUFFICIENT)
    return Derivation("the first-order conditions of the program", (*lifting.steps(), *steps), lemmas)


def _made_of(gradients: sp.Expr) -> Callable[[sp.Expr, sp.Expr], Truth]:
    """Both sides are equal, and are what the gradients of the constraints' own expressions add up to."""
    return lambda left, right: all_hold((compare(left.doit(), "=", right), compare(gradients, "=", right)))


def _fresh(name: str, taken: set[str]) -> sp.Symbol:
    while name in taken:
        name = f"{name}_"
    taken.add(name)
    return sp.Symbol(name, real=True)


def _multipliers(constraints: tuple[Constraint, ...], taken: set[str]) -> Iterator[Multiplier]:
    counts = {"mu": 0, "nu": 0, "z": 0, "Z": 0}

    def number(letter: str) -> int:
        counts[letter] += 1
        return counts[letter]

    for c in constraints:
        if isinstance(c, Inequality):
            mu = _fresh(f"mu_{number('mu')}", taken)
            yield Multiplier(c, (mu,), mu * c.excess, (sp.Ge(mu, 0),), (mu * c.excess,))
        elif isinstance(c, Equation):
            nu = _fresh(f"nu_{number('nu')}", taken)
            yield Multiplier(c, (nu,), nu * c.excess, (), ())
        elif isinstance(c, NormCone):
            yield _of_cone(c, number("z"), taken)
        else:
            yield _of_matrix(c, number("Z"), taken)


def _of_cone(c: NormCone, k: int, taken: set[str]) -> Multiplier:
    """(z, s) in the dual cone: the dual norm of z is at most s; z . vector - s bound is at most zero, and vanishes at the optimum."""
    z = tuple(_fresh(f"z_{k}_{i + 1}", taken) for i in range(len(c.vector)))
    s = _fresh(f"s_{k}", taken)
    term = sp.Add(*(w * e for w, e in zip(z, c.vector, strict=True))) - s * c.bound
    if c.norm == "l2":
        norm = sp.sqrt(sp.Add(*(w**2 for w in z)))
    else:
        sizes = [sp.Abs(w) for w in z]
        norm = sp.Max(*sizes) if c.norm == "l1" else sp.Add(*sizes)
    return Multiplier(c, (*z, s), term, (sp.Le(norm, s),), (term,))


def _of_matrix(c: PSD, k: int, taken: set[str]) -> Multiplier:
    """A positive semidefinite Z with tr(Z M) = 0, which for such Z and M says Z M = 0."""
    n = c.matrix.rows
    names = {(i, j): _fresh(f"Z_{k}_{i + 1}{j + 1}", taken) for i in range(n) for j in range(i, n)}
    matrix = sp.ImmutableMatrix(n, n, lambda i, j: names[min(i, j), max(i, j)])
    term = -sp.trace(matrix * c.matrix)
    products = tuple(sp.expand(e) for e in matrix * c.matrix)
    return Multiplier(c, tuple(names.values()), term, (PSD(matrix),), products, matrix)


def _latex(condition: Any) -> str:
    if isinstance(condition, PSD):
        return rf"{sp.latex(condition.matrix)} \succeq 0"
    if isinstance(condition, NormCone):
        return rf"{sp.latex(condition.excess)} \le 0"
    return str(sp.latex(condition))
