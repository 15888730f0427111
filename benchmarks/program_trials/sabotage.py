"""Falsifies one truth after another by 1/1000, or a word by another, and counts what the check notices.

Run: cd benchmarks && python -m program_trials.sabotage
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from program_trials.check import check
from program_trials.program import Program
from program_trials.programs import PROGRAMS


def off(text: str) -> str:
    return f"({text}) + 1/1000"


def _with(sequence: tuple[Any, ...], k: int, entry: Any) -> tuple[Any, ...]:
    return (*sequence[:k], entry, *sequence[k + 1 :])


def falsified(program: Program) -> Iterator[tuple[str, Program]]:
    if program.status == "optimal" and not program.regions:
        yield "value", replace(program, value=off(program.value))
        point = program.minimisers[0]
        for k, entry in enumerate(point):
            wrong = _with(point, k, off(entry))
            yield "entry of a minimiser", replace(program, minimisers=_with(program.minimisers, 0, wrong))
    for k, region in enumerate(program.regions):
        for wrong_region in (
            replace(region, value=off(region.value)),
            replace(region, minimiser=_with(region.minimiser, 0, off(region.minimiser[0]))),
        ):
            yield "formula of a region", replace(program, regions=_with(program.regions, k, wrong_region))
    for k, given in enumerate(program.multipliers or ()):
        entry = off(given) if isinstance(given, str) else ((off(given[0][0]), given[0][1]), given[1])  # type: ignore[index]
        yield "multiplier", replace(program, multipliers=_with(program.multipliers or (), k, entry))
    if program.kkt is not None:
        yield "whether a KKT point", replace(program, kkt=not program.kkt)
    if program.qualification == "none":
        yield "qualification fails", replace(program, qualification="LICQ")
    elif program.qualification != "no point":
        yield "qualification holds", replace(program, qualification="none")


def noticed(program: Program) -> bool:
    try:
        return any(not agrees for agrees, _ in check(program))
    except (ArithmeticError, AssertionError, ValueError, TypeError):
        return True


def main() -> None:
    warnings.simplefilter("ignore")
    made: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    for program in PROGRAMS:
        for what, wrong in falsified(program):
            made[what] += 1
            found = noticed(wrong)
            seen[what] += found
            if not found:
                print(f"not noticed: {program.name}, {what}")
    for what, count in made.items():
        print(f"- {what}: {seen[what]} of {count} noticed")


if __name__ == "__main__":
    main()
