"""What can be derived of a program: the minimiser by cases, first-order conditions, qualifications, convexity, the dual."""

from __future__ import annotations

import time
from collections.abc import Mapping
from functools import partial
from typing import Any

import sympy as sp

from ....symbolic.errors import SpecError, nearest_name
from ....symbolic.programs.kkt import KKTConditions
from ....symbolic.programs.lifting import lifted
from ....symbolic.programs.program import Program
from ....symbolic.programs.solve import Solution
from ....symbolic.proof.apart import UnfinishedError, apart
from ....symbolic.proof.fact import Fact
from ....symbolic.proof.truth import Truth
from ...trial.spec.program_file import ProgramFile
from ..model.typical import values_of
from .dual_picture import dual_pictures
from .regions import active_equations, region_pictures
from .sections import checked, condition_row, fact, proved, record_of, row, section

_OUTCOMES = {
    "optimal": "derived",
    "near": "enclosed",
    "infeasible": "infeasible",
    "unbounded": "unbounded",
    "not attained": "unattained",
}
At = Mapping[sp.Symbol, sp.Expr]


def derive_program(
    file: ProgramFile,
    *,
    at: Mapping[str, str | int | float] | None = None,
    effort: float | None = None,
    command: str | None = None,
) -> dict[str, Any]:
    """The record of a derivation; what is given here replaces what the file asks for. SpecError for what is unusable."""
    start, program = time.monotonic(), file.program
    effort = file.derive.effort if effort is None else effort
    given = {**file.derive.at, **(at or {})}
    odd = sorted(n for n in given if n not in file.parameters)
    if odd:
        raise SpecError(f"{odd[0]!r} is no parameter; {nearest_name(odd[0], file.parameters)}", key="--at")
    values = values_of(file, given, "--at" if at else "")
    found = program.solve(effort=effort)
    answer = _solution(program, found)
    conditions, kkt = _conditions(program)
    parts = [answer, conditions]
    if kkt is not None:
        parts.append(_qualifications(kkt, found))
    parts.append(_convexity(program))
    dual, picture = _dual(program, values)
    parts.append(dual)
    outcome = _outcome(found, answer, parts)
    return record_of(
        "program",
        file.title,
        outcome,
        found.reason,
        statement=[*_statement(program), *_auxiliary(kkt)],
        parameters=[
            {
                "name": name,
                "lower": str(file.domains[name][0]),
                "upper": str(file.domains[name][1]),
                "value": str(values[symbol]),
                "chosen": name not in given,
            }
            for name, symbol in file.parameters.items()
        ],
        answer=_answer(program, found),
        sections=parts,
        series=picture.series,
        planes=[*region_pictures(program, found.cases, values), *picture.planes],
        digest=file.digest,
        command=command,
        effort=effort,
        start=start,
    )


def _outcome(found: Solution, answer: dict[str, Any], parts: list[dict[str, Any]]) -> str:
    """Settled only where the steps of the answer hold, and no step of another part is false or open."""
    word = _OUTCOMES.get(found.status, "unknown")
    return word if proved(answer) and all(map(checked, parts)) else "unknown"


def _statement(program: Program) -> list[dict[str, str]]:
    stated = program.sign * program.objective
    names = sp.Function("f")(*program.variables)
    rows = [row(names, "=", stated, "to be minimised" if program.sign == 1 else "to be maximised")]
    rows += [condition_row(c) for c in program.constraints]
    for v in program.variables:
        if v.is_positive:
            rows.append(row(v, ">", 0, "declared"))
        elif v.is_nonnegative:
            rows.append(row(v, ">=", 0, "declared"))
        if v.is_integer:
            rows[-1 if v.is_nonnegative else 0]["note"] += f"; {v} is a whole number"
    return rows


def _auxiliary(kkt: KKTConditions | None) -> list[dict[str, str]]:
    """What each variable that the conditions and the steps add stands for: said here, and nowhere else on the page."""
    note = (
        "auxiliary variable of the conditions and steps below, which makes the program smooth (epigraph form)"
    )
    return [] if kkt is None else [row(t, "=", kkt.lifting.restored(e), note) for t, e in kkt.lifting.terms]


def _answer(program: Program, found: Solution) -> dict[str, Any]:
    def named(point: Mapping[sp.Symbol, sp.Expr]) -> dict[str, str]:
        return {v.name: str(sp.sstr(e)) for v, e in point.items()}

    certificate = found.certificate
    return {
        "status": found.status,
        "minimiser": None if found.minimiser is None else named(found.minimiser),
        "value": None if found.value is None else str(sp.sstr(found.value)),
        "lower": None
        if certificate is None or certificate.lower is None
        else str(sp.sstr(certificate.lower)),
        "cases": [
            {
                "where": [f"{sp.sstr(c)} >= 0" for c in case.conditions],
                "minimiser": named(case.minimiser),
                "value": str(sp.sstr(case.value)),
                "active": active,
            }
            for case, active in zip(found.cases, active_equations(program, found.cases), strict=True)
        ],
    }


def _solution(program: Program, found: Solution) -> dict[str, Any]:
    word = "minimum" if program.sign == 1 else "maximum"
    rows: list[dict[str, str]] = []
    if not found.cases:
        rows = [row(v, "=", e) for v, e in (found.minimiser or {}).items()]
        if found.value is not None:
            rows.append(row("infimum" if found.status == "not attained" else word, "=", found.value))
        inner = found.certificate
        if inner is not None and inner.gap not in (None, 0):
            rows.append(row("bound", "=", inner.lower, "no feasible value is better than this"))
    title = {"infeasible": "No point is feasible", "unbounded": "There is no bound"}.get(
        found.status, "The answer"
    )
    return section(title, found.reason, rows=rows, derivation=found.derivation)


def _conditions(program: Program) -> tuple[dict[str, Any], KKTConditions | None]:
    title = "First-order conditions (Karush, Kuhn, Tucker)"
    try:
        found = apart(program.kkt, "the first-order conditions")
    except UnfinishedError as stuck:
        return section(title, f"unknown: {stuck}"), None
    except SpecError as error:
        return section(title, f"none: {error}"), None
    rows = [row("L", "=", found.lagrangian, "the Lagrangian")]
    rows += [row(e, "=", 0, "stationarity") for e in found.stationarity]
    rows += [condition_row(c, "primal feasibility") for c in found.primal]
    rows += [row(e, ">", 0, "natural domain") for e in found.domain.positive]
    rows += [condition_row(c, "dual feasibility") for c in found.dual]
    rows += [row(e, "=", 0, "complementarity") for e in found.complementarity]
    words = found.reason.replace(f": {found.lifting.said()}", "") if found.lifting.changed else found.reason
    return section(title, words, rows=rows, derivation=found.derivation), found


def _qualifications(kkt: KKTConditions, found: Solution) -> dict[str, Any]:
    rows = [fact("linear", kkt.linear), fact("Slater", kkt.slater)]
    if found.minimiser is not None and not found.cases and found.status in ("optimal", "near"):
        for name, ask in (("LICQ at the answer", kkt.licq), ("MFCQ at the answer", kkt.mfcq)):
            try:
                rows.append(fact(name, apart(partial(ask, found.minimiser), name)))
            except UnfinishedError as stuck:
                rows.append(fact(name, Fact(Truth.UNKNOWN, f"unknown: {stuck}")))
            except ValueError as error:
                rows.append(fact(name, Fact(Truth.UNKNOWN, str(error))))
    words = "where one of them holds at a minimiser, the conditions above have a solution there"
    return section("Constraint qualifications", words, facts=rows)


def _convexity(program: Program) -> dict[str, Any]:
    found = program.convexity()
    rows = [fact("the program", found.program), fact("the objective", found.objective)]
    rows += [fact(f"constraint {k}", one) for k, one in enumerate(found.constraints, 1)]
    words = "; ".join(
        part for part in (f"on the set {found.where}" if found.where else "", found.reason) if part
    )
    return section("Convexity", words, facts=rows, derivation=found.derivation)


def _dual(program: Program, at: At) -> tuple[dict[str, Any], Any]:
    from .dual_picture import NOTHING

    try:
        found = program.dual()
    except SpecError as error:
        return section("The Lagrange dual", f"none: {error}"), NOTHING
    if found.function is None or found.function == -sp.oo:
        return section("The Lagrange dual", f"none: {found.reason}"), NOTHING
    rows = [row("g", "=", found.function, "to be maximised, a lower bound where the conditions hold")]
    rows += [condition_row(c, "conditions") for c in found.constraints]
    words = found.reason.replace(f": {lifted(program).said()}", "")
    part = section("The Lagrange dual", words, rows=rows, derivation=found.derivation)
    return part, dual_pictures(found, at)
