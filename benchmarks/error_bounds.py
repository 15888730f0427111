"""Estimation problems whose estimators have exactly known risks, and every kind of error bound that applies: none may exceed a risk.

    cd benchmarks && python error_bounds.py                 # prints a Markdown page
    cd benchmarks && python error_bounds.py --only Poisson  # problems whose name contains this

The list and its risks (error_bound_trials/) were written before the engine, from textbooks; `python -m error_bound_trials.check` finds
them again by integrals.
"""

from __future__ import annotations

import argparse
import datetime
import time
from statistics import median
from typing import Any

import numpy as np
import sympy as sp
from error_bound_trials.model import Estimator, Model
from error_bound_trials.models import MODELS
from mpmath import mp, mpf
from sympy.parsing.sympy_parser import parse_expr

import noiseproof as npf

KINDS = {
    "unbiased": ("cramer-rao", "bhattacharyya", "chapman-robbins", "barankin"),
    "anyone": ("van-trees", "weiss-weinstein"),
}
SECONDS = 30.0
_ASSUMED: dict[str, dict[str, bool]] = {
    "real": {"real": True},
    "positive": {"positive": True},
    "unit": {"positive": True},
    "whole": {"integer": True, "positive": True},
    "integer": {"integer": True},
}
_ROUNDING = mpf(10) ** -12
HEAD = """# Error bounds against exact risks

Measured on {date} by `cd benchmarks && python error_bounds.py` (two cores). Each row is an estimation problem from a textbook, the exact
risk of an explicit estimator that the bounds bind, and every kind of bound that applies, at the parameters of the list
(`benchmarks/error_bound_trials/`). The list and its risks were committed before the engine was written;
`python -m error_bound_trials.check` finds the risks again by integrals. A bound may not exceed the risk: for vectors, risk minus bound
may have no negative eigenvalue (numbers below are traces). "(open)": the formula is given, a condition of it was not proved; such
bounds are not used by `best_bound`, and not named as tightest. The points of bounds are those that the search found.
"""


def law_of(model: Model) -> npf.Law | npf.JointLaw:
    """The law as a user writes it."""
    names: dict[str, Any] = {n: sp.Symbol(n, **_ASSUMED[kind]) for n, kind in model.parameters.items()}
    if model.vector:
        return npf.JointLaw.normal([names["a"], names["b"]], [[2, 1], [1, 3]])
    read = {**names, "y": sp.Symbol("y")}
    ends = [
        e if not isinstance(e, str) or "oo" in e else parse_expr(e, local_dict=read) for e in model.support
    ]
    domains = {n: (0, 1) for n, kind in model.parameters.items() if kind == "unit"}
    density = parse_expr(model.density, local_dict=read)
    return npf.Law.from_density(
        density, "y", tuple(ends), discrete=model.discrete, name=model.name, domains=domains
    )


def formulas(model: Model, texts: tuple[str, ...]) -> list[sp.Expr]:
    """Formulas of the parameters; one alone is asked for as a number."""
    names = {n: sp.Symbol(n, **_ASSUMED[kind]) for n, kind in model.parameters.items()}
    return [parse_expr(t, local_dict=names) for t in texts]


def bound_of(model: Model, law: Any, kind: str) -> npf.EstimationBound:
    """The bound of this kind as a user asks for it."""
    estimand = formulas(model, model.estimands)
    more: dict[str, Any] = {"observations": model.observations}
    if kind in KINDS["anyone"]:
        more["prior"] = {
            n: npf.Law.from_density(sp.sympify(d), n, ends) for n, (d, ends) in model.priors.items()
        }
    else:
        more["at"] = {n: sp.Rational(v) for n, v in model.at.items()}
        if model.bias:
            more["bias"] = formulas(model, model.bias)
    return npf.error_bound(
        law, list(model.parameters), estimand if len(estimand) > 1 else estimand[0], kind, **more
    )


def matrix(value: Any) -> list[list[mpf]]:
    return value if isinstance(value, list) else [[value]]


def risk_of(model: Model, estimator: Estimator) -> list[list[mpf]]:
    """The exact risk, as a matrix."""
    at = {n: mp.mpmathify(v) for n, v in model.at.items()}
    return matrix(estimator.risk() if estimator.adversary == "anyone" else estimator.risk(**at))


def below(bound: npf.EstimationBound, risk: list[list[mpf]]) -> bool:
    """Whether risk minus bound has no negative eigenvalue, up to rounding at 30 digits."""
    balls = bound.enclose(tolerance=1e-12)
    m = len(risk)
    gap = mp.matrix(m, m)
    for i in range(m):
        for j in range(m):
            gap[i, j] = risk[i][j] - mpf(balls[i][j].mid().str(28, radius=False))
    scale = max(abs(risk[i][i]) for i in range(m))
    return bool(min(mp.eigsy(gap, eigvals_only=True)) >= -_ROUNDING * scale)


def number(value: Any) -> str:
    return f"{float(np.trace(np.atleast_2d(np.array(value, dtype=float)))):.6g}"


def rows(model: Model) -> list[dict[str, Any]]:
    """One row for each adversary of whom a risk is known."""
    law, found = law_of(model), []
    for adversary in dict.fromkeys(e.adversary for e in model.estimators):
        cells: dict[str, Any] = {}
        seconds: list[float] = []
        for kind in KINDS["anyone" if adversary == "anyone" else "unbiased"]:
            start = time.perf_counter()
            cells[kind] = bound_of(model, law, kind)
            seconds.append(time.perf_counter() - start)
        risks = {e.name: risk_of(model, e) for e in model.estimators if e.adversary == adversary}
        given = {k: b for k, b in cells.items() if b.status in ("bound", "open") and b.numeric is not None}
        above = [k for k, b in given.items() if any(not below(b, r) for r in risks.values())]
        unchecked = [k for k, b in given.items() if b.derivation.check() is npf_fails()]
        found.append(
            {
                "model": model,
                "adversary": adversary,
                "cells": cells,
                "given": given,
                "risks": risks,
                "above": above,
                "failed": unchecked,
                "seconds": seconds,
            }
        )
    return found


def npf_fails() -> Any:
    from noiseproof.symbolic.proof.truth import Truth

    return Truth.FAILS


def tightest(given: dict[str, npf.EstimationBound]) -> str:
    """The kind with the largest trace among those whose conditions were proved; two that agree to 1e-9 are both named."""
    sizes = {k: float(np.trace(np.atleast_2d(b.numeric))) for k, b in given.items() if b.status == "bound"}
    if not sizes:
        return "none"
    most = max(sizes.values())
    return ", ".join(k for k, s in sizes.items() if s >= most * (1 - 1e-9))


def printed(row: dict[str, Any]) -> list[str]:
    model, given, cells = row["model"], row["given"], row["cells"]
    (name, risk), *_ = row["risks"].items()
    size = float(sum(risk[i][i] for i in range(len(risk))))
    shown = [
        f"{kind}: {number(given[kind].numeric)}{'' if given[kind].status == 'bound' else ' (open)'}"
        if kind in given
        else f"{kind}: {cells[kind].status}"
        for kind in cells
    ]
    best = tightest(given)
    share = max((float(np.trace(np.atleast_2d(b.numeric))) for b in given.values()), default=0.0) / size
    verdict = f"ABOVE: {', '.join(row['above'])}" if row["above"] else "none"
    what = ", ".join(model.estimands)
    return [
        f"{model.name}: {what}, n = {model.observations}",
        row["adversary"],
        f"{name}: {size:.6g}",
        "; ".join(shown),
        best,
        f"{share:.1%}",
        verdict,
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    mp.dps = 30
    print(HEAD.format(date=datetime.date.today().isoformat()))
    heading = "| problem | binds | risk of an estimator | bounds | tightest | of the risk | above the risk |"
    print(heading + "\n| --- | --- | --- | --- | --- | ---: | --- |", flush=True)
    done: list[dict[str, Any]] = []
    for model in MODELS:
        if options.only in model.name:
            for row in rows(model):
                done.append(row)
                print(f"| {' | '.join(printed(row))} |", flush=True)
    bounds = [b for row in done for b in row["given"].values()]
    seconds = [s for row in done for s in row["seconds"]]
    above = sum(len(row["above"]) for row in done)
    failed = sum(len(row["failed"]) for row in done)
    proved = sum(b.status == "bound" for b in bounds)
    print(
        f"\n{len({row['model'].name for row in done})} problems, {len(done)} rows, {len(bounds)} bounds, {proved} of them with every condition"
        f" proved: {above} above a risk, {failed} with a step that fails; median {median(seconds):.2f} s, slowest {max(seconds):.2f} s"
    )


if __name__ == "__main__":
    main()
