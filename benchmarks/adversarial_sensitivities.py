"""Random small queries, formulas and some by structure, through `npf.sensitivity`, each answer held against neighbours found by brute force and an upper end apart.

    cd benchmarks && python adversarial_sensitivities.py                 # 300 queries, prints a Markdown table
    cd benchmarks && python adversarial_sensitivities.py --count 20 --first 100 --each
    cd benchmarks && python adversarial_sensitivities.py --only risks    # minimisers; or structures, or edges

A wrong answer is a finite upper end, or an exact value, below the distance of two neighbours; a lower end that its own pair does
not reach; an exact value or a lower end above a proved upper end; "infinite" of what is bounded, and a bound of what is not.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import warnings
from collections import Counter
from statistics import median
from typing import Any

from sensitivity_trials.judge import judged, width
from sensitivity_trials.random_edges import drawn_edge
from sensitivity_trials.random_queries import Drawn, drawn
from sensitivity_trials.random_risks import drawn_risk
from sensitivity_trials.random_structures import drawn_structure
from sensitivity_trials.truth import known

_MOST_SECONDS = 120


def chosen(seed: int, only: str) -> Drawn:
    """The query of the seed: four formulas, then one by structure, and so on; or only those of one list."""
    if only:
        return {"structures": drawn_structure, "risks": drawn_risk, "edges": drawn_edge}[only](seed)
    return drawn_structure(seed // 5) if seed % 5 == 4 else drawn(seed)


def answered(seed: int, only: str) -> dict[str, Any]:
    """The answer to one query, in a fresh process; a crash and a process that does not end are told."""
    command = [sys.executable, __file__, "--one", str(seed), "--only", only]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=_MOST_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return {"crashed": f"no answer after {_MOST_SECONDS} s", "seconds": float(_MOST_SECONDS)}
    if run.returncode:
        return {"crashed": run.stderr.strip().splitlines()[-1], "seconds": 0.0}
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", choices=["structures", "risks", "edges", ""], default="")
    parser.add_argument(
        "--each", action="store_true", help="tell every query, not only those that are not right"
    )
    parser.add_argument("--one", type=int, default=None, help=argparse.SUPPRESS)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.one is not None:
        from sensitivity_trials.asked import ask

        print(json.dumps(ask(chosen(options.one, options.only).query)))
        return
    words: Counter[tuple[str, str]] = Counter()
    seconds = []
    print("| seed | query | word | why |\n| ---: | --- | --- | --- |")
    for seed in range(options.first, options.first + options.count):
        random = chosen(seed, options.only)
        answer = answered(seed, options.only)
        word, why = (
            ("crashed", answer["crashed"])
            if "crashed" in answer
            else judged(random.query, answer, known(random))
        )
        q = random.query
        said = width(q, answer) if word in ("right", "undecided", "wrong") and not answer["infinite"] else ""
        words[(word, "infinite" if word == "right" and answer["infinite"] else said)] += 1
        seconds.append(answer["seconds"])
        if options.each or word != "right":
            what = f"{q.structure} {dict(q.options)}" if q.structure else f"{q.per or 'all'} {q.expression}"
            print(
                f"| {seed} | {what} of {q.records} in {q.space}, {q.relation}, {q.norm} | {word} | {why} |",
                flush=True,
            )
    told = ", ".join(f"{n} {word}{f' ({what})' if what else ''}" for (word, what), n in sorted(words.items()))
    print(f"\n{options.count} queries: {told}; median {median(seconds):.2f} s, slowest {max(seconds):.2f} s")


if __name__ == "__main__":
    main()
