"""Forty-one programs through `npf.Program`, each in a fresh process, against outside truths, plain sympy and cvxpy.

    cd benchmarks && python programs.py                # prints Markdown tables
    cd benchmarks && python programs.py --only simplex # programs whose name contains this

"KKT" is right where the derived equations can be met at the true minimisers by multipliers of the right sign, and not met where
no qualification holds.  sympy is `sympy.solve` on the same conditions, 60 s at most; the values of cvxpy were recorded
elsewhere (`program_trials/with_cvxpy.py`) and are right to 1e-6, relative above 1, with the true status.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

import sympy as sp
from program_trials import answers, by_sympy
from program_trials.cvxpy_values import AT, VALUES
from program_trials.moving import MOVING
from program_trials.program import Program, read, symbols_of
from program_trials.programs import PROGRAMS, named
from program_trials.stated import stated
from program_trials.wrong_points import WRONG_POINTS

Row = dict[str, Any]


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = time.perf_counter()
    try:
        found = work()
    except Exception as error:  # What escapes is shown as an answer.
        found = (type(error).__name__, f"{type(error).__name__}: {error}"[:120])
    return found, round(time.perf_counter() - start, 2)


def answer(program: Program) -> Row:
    engine = stated(program)
    kkt, first = timed(lambda: answers.conditions(program, engine))
    (word, bad_point), second = timed(lambda: answers.certified(program, engine))
    (status, bad_solution), third = timed(lambda: answers.solution(program, engine))
    (convex, bad_shape), fourth = timed(lambda: answers.convexity(program, engine))
    dual, fifth = timed(lambda: engine.dual().function is not None)
    bad = [b for b in (bad_point, bad_solution, bad_shape) if b]
    kkt = kkt if isinstance(kkt, str) else kkt[1]
    return {
        "kkt": kkt,
        "certified": word,
        "solved": status,
        "convex": convex,
        "dual": dual is True,
        "wrong": "; ".join(bad + ([f"KKT {kkt}"] if kkt not in ("right", "derived") else [])),
        "seconds": [first, second, third, fourth, fifth],
    }


def true_value(program: Program) -> float | None:
    """At the numbers of the comparison for the parameters; None without a minimum."""
    if program.status in ("infeasible", "unbounded"):
        return None
    names = symbols_of(program)
    at = {names[n]: sp.Rational(AT[n]) for n in program.parameters}
    regions = [r.value for r in program.regions if bool(read(r.when, names).subs(at))]
    return float(read((regions or [program.value])[0], names).subs(at))


def with_sympy(program: Program) -> Row:
    found, seconds = timed(
        lambda: by_sympy.solved(program, {n: sp.Rational(AT[n]) for n in program.parameters})
    )
    if not isinstance(found, dict):
        return {"answer": "error", "right": False, "seconds": seconds, "said": found[1]}
    truth = true_value(program)
    right = program.status == "optimal" and found["value"] is not None and near(found["value"], truth)
    answered = "none" if found["value"] is None else "value"
    return {"answer": answered, "right": right, "seconds": seconds}


def near(found: float, truth: float | None) -> bool:
    return truth is not None and abs(found - truth) < 1e-6 * max(1.0, abs(truth))


def by_cvxpy(program: Program) -> tuple[str, bool]:
    status, value, _ = VALUES[program.name]
    if status == "not DCP":
        return status, False
    return status, status == program.status and (value is None or near(value, true_value(program)))


def child(kind: str, name: str, seconds: float) -> Row:
    """The row of a fresh process, or that its time ran out."""
    try:
        run = subprocess.run(
            [sys.executable, __file__, f"--{kind}", name], capture_output=True, text=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return {"answer": f"none in {seconds:.0f} s", "right": False, "seconds": seconds}
    if run.returncode:
        return {"answer": "error", "right": False, "seconds": 0.0, "said": run.stderr[-200:]}
    return dict(json.loads(run.stdout.splitlines()[-1]))


def good(program: Program, row: Row) -> bool:
    """A proved minimiser, or a proved status where there is none; whole numbers are recognised and solved."""
    if program.status == "optimal":
        return row["certified"] == "PROVED" and not row["wrong"]
    return bool(row["solved"] == program.status)


def programs(only: str) -> Iterator[str]:
    yield "| program | truth | KKT | true minimiser | solved | convex | dual | wrong | seconds: KKT, certify, solve, convex, dual | sympy.solve: answer, right, s | cvxpy: status, right |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    rows = []
    for p in PROGRAMS:
        if only not in p.name:
            continue
        row, plain = child("one", p.name, 200), child("sympy", p.name, 60)
        status, right = by_cvxpy(p)
        if "kkt" not in row:
            row = {
                "kkt": "",
                "certified": "",
                "solved": row["answer"],
                "convex": "",
                "dual": False,
                "wrong": row.get("said", ""),
                "seconds": [row["seconds"]],
            }
        rows.append((p, row, plain, right))
        yield (
            f"| {p.name} | {p.status} | {row['kkt']} | {row['certified']} | {row['solved']} | {row['convex'].lower()} | {'yes' if row['dual'] else ''} | {row['wrong']} | "
            f"{', '.join(f'{s:.1f}' for s in row['seconds'])} | {plain['answer']}, {'yes' if plain['right'] else 'no'}, {plain['seconds']:.1f} | {status}, {'yes' if right else 'no'} |"
        )
    total = [sum(r["seconds"]) for _, r, _, _ in rows]
    yield ""
    yield (
        f"{len(rows)} programs: conditions derived and right or without a point for {sum(r['kkt'] in ('right', 'derived') for _, r, _, _ in rows)}, "
        f"certified {sum(good(p, r) for p, r, _, _ in rows)}, solved {sum(r['solved'] not in ('unknown', '') for _, r, _, _ in rows)}, wrong {sum(bool(r['wrong']) for _, r, _, _ in rows)}; "
        f"seconds for everything: median {median(total):.1f}, largest {max(total):.1f}. Right by sympy.solve: {sum(p['right'] for _, _, p, _ in rows)} "
        f"(median {median(p['seconds'] for _, _, p, _ in rows):.1f} s); by cvxpy: {sum(r for _, _, _, r in rows)}."
    )


def points() -> Iterator[str]:
    yield "| program | off by | word | wrong | seconds |\n| --- | --- | --- | --- | ---: |"
    for k, wrong in enumerate(WRONG_POINTS):
        row = child("point", str(k), 120)
        yield f"| {wrong.program} | {wrong.off}{', outside' if wrong.outside else ''} | {row.get('word', row.get('answer'))} | {row.get('wrong', row.get('said', ''))} | {row['seconds']:.1f} |"


def derivatives() -> Iterator[str]:
    yield "| program | at | truth | exists | wrong | seconds |\n| --- | --- | --- | --- | --- | ---: |"
    for k, moving in enumerate(MOVING):
        row = child("moving", str(k), 120)
        truth = ", ".join(moving.derivative) or f"none: {moving.why}"
        yield f"| {moving.program.name} | {moving.parameter} = {moving.at} | {truth} | {row.get('word', row.get('answer', '')).lower()} | {row.get('wrong', row.get('said', ''))} | {row['seconds']:.1f} |"


def judged(work: Callable[[], tuple[str, str]]) -> Row:
    (word, wrong), seconds = timed(work)
    return {"word": word, "wrong": wrong, "seconds": seconds}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", default="")
    for hidden in ("one", "sympy", "point", "moving"):
        parser.add_argument(f"--{hidden}", default="", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.one:
        print(json.dumps(answer(named(given.one))))
    elif given.sympy:
        print(json.dumps(with_sympy(named(given.sympy))))
    elif given.point:
        print(json.dumps(judged(lambda: answers.wrong_point(WRONG_POINTS[int(given.point)]))))
    elif given.moving:
        print(json.dumps(judged(lambda: answers.moved(MOVING[int(given.moving)]))))
    else:
        for title, lines in (
            ("Programs", programs(given.only)),
            ("Wrong points", points()),
            ("Derivatives of minimisers", derivatives()),
        ):
            if title == "Programs" or not given.only:
                print(f"\n## {title}\n")
                for line in lines:
                    print(line, flush=True)


if __name__ == "__main__":
    main()
