"""Forty-five textbook families through `Law.from_density` and `fisher_information`, each in a fresh process, against outside truths.

    cd benchmarks && python derivations.py                # prints a Markdown table
    cd benchmarks && python derivations.py --only Weibull # families whose name contains this

"right" is agreement with the formula of the literature, or with the integral in 25 digits, at two points: to 1e-10 of a closed
form, to 1e-8 of the middles of balls that are asked for with that radius.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from dataclasses import replace
from statistics import median
from typing import Any

import sympy as sp
from derivation_trials.families import FAMILIES
from derivation_trials.family import Family
from mpmath import mp, mpf
from sympy.parsing.sympy_parser import parse_expr

import noiseproof as npf

SECONDS = 30.0
_NEAR, _ENCLOSED = 1e-10, 1e-8
_ASSUMED = {"real": {"real": True}, "positive": {"positive": True}, "unit": {"positive": True}}


def law_of(family: Family) -> npf.Law:
    """The law as a user writes it."""
    names: dict[str, Any] = {n: sp.Symbol(n, **_ASSUMED[kind]) for n, kind in family.parameters.items()}
    y = sp.Symbol("y")
    read = {**names, "y": y}
    density = parse_expr(family.density or "", local_dict=read)
    ends = [
        e if e in ("oo", "-oo") or not isinstance(e, str) else parse_expr(e, local_dict=read)
        for e in family.support
    ]
    domains = {n: (0, 1) for n, kind in family.parameters.items() if kind == "unit"}
    return npf.Law.from_density(
        density, y, tuple(ends), discrete=family.discrete, name=family.name, domains=domains
    )


def vector_of(family: Family) -> npf.JointLaw:
    """The law of a vector as a user writes it."""
    n = {name: sp.Symbol(name, **_ASSUMED[kind]) for name, kind in family.parameters.items()}
    values = list(n.values())
    if family.name.startswith("Dirichlet"):
        return npf.JointLaw.dirichlet(values)
    if family.name.startswith("multinomial"):
        return npf.JointLaw.multinomial(5, [*values, 1 - sp.Add(*values)])
    if family.name == "bivariate normal (mean)":
        return npf.JointLaw.normal(values, [[2, 1], [1, 3]])
    if family.name == "bivariate normal (covariance)":
        return npf.JointLaw.normal([0, 0], [values[:2], values[1:]])
    phi, sigma = values
    return npf.JointLaw.normal(
        [0] * 4, [[sigma**2 * phi ** abs(i - j) / (1 - phi**2) for j in range(4)] for i in range(4)]
    )


def found_of(family: Family) -> npf.FisherInformationMatrix:
    """The information as a user asks for it; a censored law is what is left of the whole one."""
    names = list(family.parameters)
    if family.atoms:
        whole = law_of(replace(family, support=("-oo", "oo"), atoms=()))
        return npf.fisher_information(whole, names).censored(upper=family.support[1])
    law = law_of(family) if family.density else vector_of(family)
    return npf.fisher_information(law, names)


def answer(family: Family) -> dict[str, Any]:
    """What is answered, whether it is right, and the seconds without imports."""
    start = time.perf_counter()
    try:
        found = found_of(family)
    except ValueError as error:
        return {"answer": f"refused: {error}"[:90], "seconds": time.perf_counter() - start}
    seconds = time.perf_counter() - start
    if found.value is None and found.regular.name == "FAILS":
        return {
            "answer": "irregular",
            "right": family.kind == "irregular",
            "why": found.reason[:90],
            "seconds": seconds,
        }
    try:
        off = max(_off(family, found, k) for k in range(len(family.points)))
    except ValueError as error:
        return {"answer": "open", "why": str(error)[:90], "seconds": time.perf_counter() - start}
    seconds = time.perf_counter() - start
    return {
        "answer": "closed" if found.value is not None else "enclosed",
        "regular": found.regular.name,
        "right": off < (_NEAR if found.value is not None else _ENCLOSED),
        "off": off,
        "seconds": seconds,
        "routes": list(found.routes),
    }


def _off(family: Family, found: Any, k: int) -> float:
    """The largest relative difference at one of the points."""
    point = family.points[k]
    with mp.workdps(30):
        truth = (
            family.truth(**{n: mpf(v) for n, v in point.items()})
            if family.truth is not None
            else [[mpf(v) for v in row] for row in family.numbers[k]]
        )
        balls = found.enclose({n: sp.Rational(v) for n, v in point.items()})
        size = max(abs(t) for row in truth for t in row)
        return max(
            float(abs(mpf(b.mid().str(25, radius=False)) - t) / size)
            for ours, row in zip(balls, truth, strict=True)
            for b, t in zip(ours, row, strict=True)
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(answer(next(f for f in FAMILIES if f.name == options.one))))
        return
    print(
        "| family | truth | answer | regular | right | seconds | route or reason |\n| --- | --- | --- | --- | --- | ---: | --- |"
    )
    rows = []
    for family in FAMILIES:
        if options.only not in family.name:
            continue
        run = subprocess.run(
            [sys.executable, __file__, "--one", family.name], capture_output=True, text=True, timeout=200
        )
        row = (
            json.loads(run.stdout)
            if run.returncode == 0
            else {"answer": run.stderr.strip()[-90:], "seconds": 0.0}
        )
        rows.append(row)
        why = ", ".join(row.get("routes", ())) or row.get("why", "")
        right = {True: "yes", False: "NO", None: ""}[row.get("right")]
        print(
            f"| {family.name} | {family.kind} | {row['answer']} | {row.get('regular', '').lower()} | {right} | {row['seconds']:.2f} | {why} |",
            flush=True,
        )
    closed = sum(r["answer"] == "closed" and r["right"] for r in rows)
    balls = sum(r["answer"] == "enclosed" and r["right"] for r in rows)
    refused = sum(r["answer"] == "irregular" and r["right"] for r in rows)
    wrong = sum(r.get("right") is False for r in rows)
    told = [r["seconds"] for r in rows if r["seconds"]]
    print(
        f"\n{len(rows)} families: {closed} in closed form and right, {balls} enclosed to 1e-8 and right, {refused} irregular ones refused, {wrong} wrong, median {median(told):.2f} s, slowest {max(told):.2f} s"
    )


if __name__ == "__main__":
    main()
