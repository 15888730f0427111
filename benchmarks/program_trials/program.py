"""What is known of a program before anything is derived: its status, minimisers, value, multipliers and qualification."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import sympy as sp
from sympy.parsing.sympy_parser import parse_expr

Status = Literal["optimal", "infeasible", "unbounded", "not attained"]
Qualification = Literal["affine", "Slater", "LICQ", "none", "no constraints", "no point"]


@dataclass(frozen=True)
class Norm:
    """||vector|| <= bound in the norm "l1", "l2" or "max", the vector as "x - 1, y"."""

    vector: str
    bound: str
    norm: Literal["l1", "l2", "max"]


@dataclass(frozen=True)
class Psd:
    """The matrix with the given rows, each as "a, b", is positive semidefinite."""

    rows: tuple[str, ...]


@dataclass(frozen=True)
class Region:
    """Where in the parameters `when` holds, the minimiser and the value are these formulas."""

    when: str
    minimiser: tuple[str, ...]
    value: str


@dataclass(frozen=True)
class Program:
    """min `minimise` over the names in `over`; the truths follow.

    `multipliers` has one for each constraint, None where they are not unique or where there are none: the Lagrangian is
    f + sum m (left - right) for <= and =, f + sum m (right - left) for >=, f + m (norm - bound), f - <Z, matrix>.
    `minimisers` are all of them, or some of them if `unique` is None (a continuum).  `value` is the infimum.
    `qualification` is one that holds (at the minimiser, or of the program); "none" says that Slater, MFCQ and LICQ fail.
    `kkt` says whether the minimisers are KKT points.  `witness` is a ray ("point; direction") of an unbounded program and
    the weights of the constraints in Farkas' lemma of an infeasible linear one.
    """

    name: str
    kind: str
    minimise: str
    over: str
    subject_to: tuple[str | Norm | Psd, ...]
    status: Status
    value: str
    source: str
    convex: bool
    qualification: Qualification
    minimisers: tuple[tuple[str, ...], ...] = ()
    unique: bool | None = True
    kkt: bool | None = True
    multipliers: tuple[object, ...] | None = None
    parameters: dict[str, tuple[str, str]] = field(default_factory=dict)
    regions: tuple[Region, ...] = ()
    integer: bool = False
    witness: str = ""


def symbols_of(program: Program) -> dict[str, sp.Symbol]:
    """The variables and parameters as symbols, real or whole numbers; a parameter that is positive is declared so."""
    kinds = {"integer": True} if program.integer else {"real": True}
    names = {n: sp.Symbol(n, **kinds) for n in program.over.split()}
    for name, (low, _) in program.parameters.items():
        names[name] = sp.Symbol(name, **({"positive": True} if low == "0" else {"real": True}))
    return names


def read(text: str, names: dict[str, sp.Symbol]) -> sp.Basic:
    """A formula or relation of the list as a sympy expression; the texts are those of this folder only."""
    return parse_expr(text, local_dict=dict(names))
