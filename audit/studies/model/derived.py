"""What can be derived of a model, as plain data: the record that `noiseproof derive` writes and pages are drawn from."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

import sympy as sp

from ....symbolic.errors import SpecError, nearest_name
from ....symbolic.information.conditions import FINITE
from ....symbolic.information.model_information import FisherInformationMatrix
from ....symbolic.information.of_model import fisher_information
from ....symbolic.laws.joint import JointLaw
from ....symbolic.laws.law import Law
from ....symbolic.proof.truth import Truth
from ...record.plain import plain
from ...trial.spec.model_file import ModelFile
from .answered import information_record, settled
from .curves import curves_of
from .left import left_records, read_after
from .provenance import provenance
from .typical import require_law, values_of

SCHEMA = "noiseproof-derivation-1"
# Outcome -> exit code of the command.
EXIT = {"derived": 0, "enclosed": 0, "bounded": 0, "irregular": 1, "unknown": 4, "nothing": 5}


def derive(
    model: ModelFile,
    *,
    at: Mapping[str, str | int | float] | None = None,
    information: Sequence[str] | None = None,
    observations: int | None = None,
    effort: float | None = None,
    command: str | None = None,
) -> dict[str, Any]:
    """The record of a derivation; what is given here replaces what the file asks for.  SpecError for what is unusable."""
    start, asked = time.monotonic(), model.derive
    given = {**asked.at, **(at or {})}
    effort = asked.effort if effort is None else effort
    count = asked.observations if observations is None else observations
    theta = _asked(model, information if information is not None else asked.information)
    theta += [model.parameters[n] for n in asked.nuisance if model.parameters[n] not in theta]
    unknown = sorted(n for n in given if n not in model.parameters)
    if unknown:
        raise SpecError(
            f"{unknown[0]!r} is no parameter; {nearest_name(unknown[0], model.parameters)}", key="--at"
        )
    values = values_of(model, given, "--at" if at else "")
    require_law(model, values)
    after, question = read_after(model), _question(model)
    found = fisher_information(model.law, theta, effort=effort) if theta else None
    if found is not None and count > 1:
        found = found.n(count)
    if found is not None and asked.nuisance and found.regular is not Truth.FAILS:
        found = _without(found, asked.nuisance, model)
    answer = None if found is None else information_record(found, values, asked.tolerance)
    left = [] if found is None else left_records(after, found, values, asked.tolerance)
    bounds: list[dict[str, Any]] = []
    if question is not None and theta:
        from .bounds import bound_records, say_after

        bounds = bound_records(model, question, theta, values, count, effort)
        say_after(bounds, question, theta, values, left)
    outcome = _outcome(answer, bounds, question is not None)
    drawn = found if outcome not in ("irregular", "bounded", "nothing") else None
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "title": model.title or model.law.name,
        "outcome": outcome,
        "exit_code": EXIT[outcome],
        "model": _model(model),
        "asked": {
            "information": [p.name for p in theta],
            "observations": count,
            "estimand": [asked.estimand] if isinstance(asked.estimand, str) else list(asked.estimand or []),
            "at": {s.name: str(v) for s, v in values.items()},
            "chosen": sorted(set(model.parameters) - set(given)),
            "effort": effort,
            "tolerance": asked.tolerance,
        },
        "information": answer,
        "left": left,
        "bounds": bounds,
        "series": [plain(one) for one in curves_of(model, drawn, values)],
        "provenance": provenance(model.digest, command),
        "timings": {"total_seconds": round(time.monotonic() - start, 3)},
    }
    return record


def _asked(model: ModelFile, names: Sequence[str] | None) -> list[sp.Symbol]:
    """The parameters to inform about; all that are no whole numbers, unless some are named."""
    for name in names or ():
        if name not in model.parameters:
            raise SpecError(
                f"{name[:40]!r} is no parameter; {nearest_name(name, model.parameters)}",
                key="information",
                file=model.file,
            )
        if name in model.integers:
            raise SpecError(
                f"{name} is a whole number: there is no derivative, hence no Fisher information about it",
                key="information",
                file=model.file,
            )
    chosen = names if names is not None else [n for n in model.parameters if n not in model.integers]
    return [model.parameters[name] for name in dict.fromkeys(chosen)]


def _question(model: ModelFile) -> Any:
    """The question for error bounds; what answers it is heavy, and imported where there is one."""
    asked = model.derive
    if asked.estimand is None and not asked.prior and not asked.bounds:
        return None
    from .bounds import read_question

    return read_question(model)


def _outcome(answer: dict[str, Any] | None, bounds: Sequence[dict[str, Any]], wanted: bool) -> str:
    """Derived only where every step holds and the family is regular: a value that nobody may use is unknown."""
    if answer is None:
        return "nothing"
    bounded = any(b["status"] == "bound" and settled(b["derivation"]) for b in bounds)
    if answer["regular"] == "fails":
        return "bounded" if bounded else "irregular"
    checked = all(row["truth"] in ("holds", "cited") for row in answer["derivation"])
    if not checked or (wanted and not bounded):
        return "unknown"
    if answer["value"] is not None:
        return "derived" if answer["regular"] == "holds" and settled(answer["derivation"]) else "unknown"
    # At one point an interval shows that the information is finite there; all else has to hold everywhere.
    open_ones = [c["name"] for c in answer["conditions"] if c["truth"] != "holds"]
    regular = answer["regular"] == "holds" or (answer["conditions"] and set(open_ones) <= {FINITE})
    return "enclosed" if answer["numbers"] is not None and regular else "unknown"


def _without(
    found: FisherInformationMatrix, nuisance: Sequence[str], model: ModelFile
) -> FisherInformationMatrix:
    try:
        return found.without(*nuisance)
    except ValueError as error:
        raise SpecError(str(error), key="derive.nuisance", file=model.file) from None


def _model(model: ModelFile) -> dict[str, Any]:
    law = model.law
    domains = [
        {
            "name": name,
            "lower": str(model.domains[name][0]),
            "upper": str(model.domains[name][1]),
            "integer": name in model.integers,
        }
        for name in model.parameters
    ]
    return {
        "kind": model.kind,
        "discrete": bool(getattr(law, "discrete", False)),
        "formulas": _formulas(law),
        "parameters": domains,
    }


def _formulas(law: Law | JointLaw) -> list[dict[str, str]]:
    """The equations that say what the law is."""
    if isinstance(law, Law):
        y = str(law.variable)
        letter = "P" if law.discrete else "f"
        ends = f"{law.support[0]} <= {y}", f"{y} <= {law.support[1]}"
        return [
            {
                "left": f"{letter}({y})",
                "right": sp.sstr(law.density),
                "where": " and ".join(e for e in ends if "oo" not in e),
            }
        ]
    rows = [("mean", law.mean), ("covariance", law.covariance), ("log_f", law.log_density)]
    found = [{"left": name, "right": _text(f), "where": ""} for name, f in rows if f is not None]
    for part in dict.fromkeys(law.parts):
        times = law.parts.count(part)
        found += [
            {
                **row,
                "where": ", ".join(
                    w for w in (row["where"], f"{times} independent copies" if times > 1 else "") if w
                ),
            }
            for row in _formulas(part)
        ]
    return found


def _text(formula: sp.Expr | sp.MatrixBase) -> str:
    """A formula or a matrix in one line."""
    if isinstance(formula, sp.MatrixBase):
        return f"Matrix([{', '.join('[' + ', '.join(map(sp.sstr, row)) + ']' for row in formula.tolist())}])"
    return str(sp.sstr(formula))
