"""Random small programs with a truth by brute force, and what noiseproof says of them: no word may be wrong.

    cd benchmarks && python adversarial_programs.py run --rows rows.jsonl            # resumable: finished rows are kept
    cd benchmarks && python adversarial_programs.py run --rows rows.jsonl --only 17  # one program, with what was asked
    cd benchmarks && python adversarial_programs.py table --rows rows.jsonl          # the Markdown page
    cd benchmarks && python adversarial_programs.py lies --count 48                  # whether the judge notices false answers

Asked of each program: a true minimiser (or a point within 1e-6 of the minimum, with that tolerance), a feasible point that is
worse, a point outside that is better, convexity, qualifications at the minimiser, values of the dual, and the solution.
Everything that an engine says goes through `ask`; everything that judges it is in fractions or fifty digits.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import random
import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import sympy as sp
from program_trials import questions
from program_trials.points import Judged, any_feasible, outside_points, rationals, wrong_points
from program_trials.random_case import Case
from program_trials.random_programs import KINDS, case

COUNT, SECONDS, LONGEST = 320, 10.0, 300.0
_EMPTY = {"n": 0, "status": "", "question": "all", "point": None, "seconds": 0.0, "said": ""}
Answer = dict[str, Any]


def ask(subject: Any, question: str, point: list[sp.Rational] | None, tolerance: Any) -> Answer:
    """What the engine answers, in words and numbers that `judge` understands."""
    return questions.ask(subject, question, point, tolerance, SECONDS)


def asked(k: Case, seed: int) -> Iterator[tuple[str, list[sp.Rational] | None, Any]]:
    """The questions of a program: what, at which point, with which tolerance."""
    rng = random.Random(seed)
    judged = Judged(k.program)
    if k.truth.status == "optimal":
        for found in k.truth.points[:2]:
            point = rationals(found)
            if judged.feasible(point):
                yield "minimiser", point, 0 if k.truth.exact else sp.Rational(1, 10**6)
        for wrong in list(wrong_points(k, judged, rng))[:2]:
            yield "worse point", wrong, 0
        for outside in list(outside_points(k, judged, rng))[:1]:
            yield "point outside", outside, 0
        if k.truth.exact and not k.program.integer:
            yield "qualification", rationals(k.truth.points[0]), 0
    elif k.truth.status == "infeasible":
        yield "point outside", [sp.Integer(rng.randint(-2, 2)) for _ in judged.variables], 0
    else:
        point = any_feasible(judged, rng)
        if point is not None:
            yield "worse point", point, 0
    yield "convexity", None, 0
    yield "dual", None, 0
    yield "solution", None, 0


def rows_of(k: int, seed: int) -> Iterator[dict[str, Any]]:
    found = case(k, seed)
    judged = Judged(found.program)
    subject, error = questions.subject(found.program)
    for n, (question, point, tolerance) in enumerate(asked(found, k)):
        start = time.perf_counter()
        answer = ask(subject, question, point, tolerance) if error is None else {"word": error}
        seconds = time.perf_counter() - start
        wrong = questions.judge(found, judged, question, point, tolerance, answer)
        yield {
            "program": k,
            "n": n,
            "kind": found.program.name,
            "status": found.truth.status,
            "question": question,
            "point": None if point is None else [str(e) for e in point],
            "word": answer["word"],
            "wrong": wrong,
            "seconds": round(seconds, 3),
            "said": answer.get("said", "")[:300],
        }


def read(path: Path) -> list[dict[str, Any]]:
    return (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(r) + "\n" for r in rows)


def _keep(path: Path, k: int, seed: int) -> None:
    """In a process of its own, which may fall."""
    _write(path, list(rows_of(k, seed)))


def run(path: Path, programs: range, seed: int) -> None:
    warnings.simplefilter("ignore")
    done = {r["program"] for r in read(path)}
    for k in programs:
        if k in done:
            continue
        child = multiprocessing.get_context("fork").Process(target=_keep, args=(path, k, seed))
        child.start()
        child.join(LONGEST)
        if child.exitcode != 0:
            child.kill()
            died = "still running" if child.exitcode is None else f"died with code {child.exitcode}"
            _write(
                path,
                [{**_EMPTY, "program": k, "kind": case(k, seed).program.name, "word": died, "wrong": died}],
            )
        for r in (r for r in read(path) if r["program"] == k):
            if r["wrong"]:
                print(f"{k} {r['kind']}: {r['question']} {r['point']}: {r['word']}: {r['wrong']}", flush=True)
        if k % 20 == 19:
            print(f"{k + 1} programs", file=sys.stderr, flush=True)


def lies(programs: range, seed: int) -> str:
    """False answers of each sort, and how many of them the judge calls wrong."""
    told: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for k in programs:
        found = case(k, seed)
        judged = Judged(found.program)
        for question, point, tolerance in asked(found, k):
            for what, answer in questions.false_answers(found, question, point):
                told[what] += 1
                seen[what] += bool(questions.judge(found, judged, question, point, tolerance, answer))
    return "\n".join(f"- {what}: {seen[what]} of {n} noticed" for what, n in told.items())


def shown(k: int, seed: int) -> None:
    """One program with all that was asked and answered."""
    found = case(k, seed)
    p = found.program
    print(f"min {p.minimise}\n over {p.over}{' whole' if p.integer else ''}")
    print("\n".join(f"  {r}" for r in p.subject_to))
    print(f"truth: {found.truth}")
    for row in rows_of(k, seed):
        print({n: v for n, v in row.items() if n not in ("program", "kind", "status", "n")})


def table(path: Path) -> str:
    rows = read(path)
    by: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for r in rows:
        by[r["question"]].append(r)
    lines = [
        "| asked | times | words | wrong | median s | slowest s |",
        "| --- | ---: | --- | ---: | ---: | ---: |",
    ]
    for question, group in by.items():
        words = ", ".join(f"{w} {n}" for w, n in Counter(r["word"] for r in group).most_common())
        lines.append(_row(question, group, words))
    lines += [
        "",
        "| kind | questions | UNDECIDED | wrong | median s | slowest s |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    kinds: Callable[[str], list[dict[str, Any]]] = lambda kind: [r for r in rows if r["kind"] == kind]  # noqa: E731
    for kind in dict.fromkeys(r["kind"] for r in rows):
        group = kinds(kind)
        lines.append(_row(kind, group, str(sum(r["word"] == "UNDECIDED" for r in group))))
    wrong = [r for r in rows if r["wrong"]]
    undecided = sum(r["word"] == "UNDECIDED" for r in rows)
    lines += [
        "",
        f"{len({r['program'] for r in rows})} programs of {len(KINDS)} kinds, {len(rows)} questions: {len(wrong)} wrong, "
        f"{undecided} UNDECIDED ({undecided / max(1, len(rows)):.0%}).",
    ]
    lines += [
        f"- wrong: program {r['program']} ({r['kind']}), {r['question']}: {r['word']}: {r['wrong']}"
        for r in wrong
    ]
    return "\n".join(lines)


def _row(name: str, group: list[dict[str, Any]], words: str) -> str:
    seconds = [r["seconds"] for r in group]
    wrong = sum(bool(r["wrong"]) for r in group)
    return f"| {name} | {len(group)} | {words} | {wrong} | {median(seconds):.2f} | {max(seconds):.1f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("what", choices=["run", "table", "lies"])
    parser.add_argument("--rows", type=Path, default=Path("adversarial_programs.jsonl"))
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--seed", type=int, default=24)
    parser.add_argument("--only", type=int, default=None)
    given = parser.parse_args()
    if given.only is not None:
        shown(given.only, given.seed)
        return
    if given.what == "lies":
        print(lies(range(given.count), given.seed))
        return
    if given.what == "run":
        run(given.rows, range(given.count), given.seed)
    print(table(given.rows))


if __name__ == "__main__":
    main()
