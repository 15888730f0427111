"""Forty queries through `npf.sensitivity`, each in a fresh process, against truths that were written before it.

    cd benchmarks && python sensitivities.py                   # prints a Markdown table
    cd benchmarks && python sensitivities.py --only histogram  # queries whose name contains this

"right": the lower end is reached by the pair that is shown, both ends hold the truth, and an exact value is the truth to 1e-12.
"enclosed" is an answer whose ends are within 1e-6 of each other, relatively; the minimisers are asked within a factor 1.05.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections import Counter
from statistics import median
from typing import Any

import numpy as np
import sympy as sp
from sensitivity_trials.judge import judged, width
from sensitivity_trials.queries import QUERIES
from sensitivity_trials.query import Query
from sensitivity_trials.truth import Known
from sympy.parsing.sympy_parser import parse_expr

_MOST_SECONDS = 200
_ROUNDED = 3e-15  # the truths have 15 digits


def row_of(query: Query) -> dict[str, Any]:
    """The answer of a fresh process, the word about it, and how much it says."""
    run = subprocess.run(
        [sys.executable, __file__, "--one", query.name], capture_output=True, text=True, timeout=_MOST_SECONDS
    )
    if run.returncode:
        return {
            "word": "crashed",
            "why": run.stderr.strip().splitlines()[-1][:90],
            "said": "",
            "seconds": 0.0,
        }
    answer = json.loads(run.stdout)
    truth = float(query.number)
    known = Known(truth * (1 - _ROUNDED), truth * (1 + _ROUNDED), (np.zeros(0), np.zeros(0)))
    word, why = judged(query, answer, known)
    if word == "right" and answer["exact"] is not None and not _same(answer["exact"], query):
        word, why = "wrong", "the exact value differs in its digits"
    said = "" if "refused" in answer else "infinite" if answer["infinite"] else width(query, answer)
    return {"word": word, "why": why, "said": said, "answer": answer, "seconds": answer["seconds"]}


def _same(exact: str, query: Query) -> bool:
    """Whether an exact value has all digits of the truth."""
    truth = sp.N(parse_expr(query.truth or query.number), 30)
    return bool(abs(sp.N(parse_expr(exact), 30) - truth) <= 1e-12 * abs(truth))


def _decimal(text: str) -> float:
    above, _, below = text.partition("/")
    return int(above) / int(below or 1)


def shown(answer: dict[str, Any]) -> str:
    """The exact value, or both ends."""
    if answer["infinite"]:
        return "infinite"
    if answer["exact"] is not None:
        return f"`{answer['exact']}`"
    low, high = (f"{_decimal(answer[e]):.9g}" if answer[e] else "?" for e in ("lower", "upper"))
    return f"{low} to {high}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        from sensitivity_trials.asked import ask

        print(json.dumps(ask(next(q for q in QUERIES if q.name == options.one))))
        return
    print("| query | truth | answer | says | right | seconds | method, or why not |")
    print("| --- | --- | --- | --- | --- | ---: | --- |")
    rows = []
    for query in (q for q in QUERIES if options.only in q.name):
        row = row_of(query)
        rows.append(row)
        answer = row.get("answer", {})
        found = "" if "refused" in answer or not answer else shown(answer)
        right = {"right": "yes", "wrong": "NO"}.get(row["word"], row["word"])
        why = answer.get("method", "") if row["word"] == "right" else row["why"]
        cells = [
            query.name,
            query.truth or query.number,
            found,
            row["said"],
            right,
            f"{row['seconds']:.2f}",
            why,
        ]
        print("| " + " | ".join(str(c).replace("|", "\\|") for c in cells) + " |", flush=True)
    words = Counter(f"{r['said']} and right" if r["word"] == "right" else r["word"] for r in rows)
    told = [r["seconds"] for r in rows if r["seconds"]] or [0.0]
    counted = ", ".join(f"{n} {word}" for word, n in words.most_common())
    print(f"\n{len(rows)} queries: {counted}; median {median(told):.2f} s, slowest {max(told):.2f} s")


if __name__ == "__main__":
    main()
