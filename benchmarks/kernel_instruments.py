"""What the kernel accepts of the derivations of the instruments: `cd benchmarks && python kernel_instruments.py families|queries|programs`.

A line for each family, query and program of the lists that stand beside `derivations.py`, `sensitivities.py` and `programs.py`: how many of its
steps hold, how many the kernel accepts, and why it does not accept the others.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import derivations
import programs
import sensitivities
import sympy as sp
from program_trials.stated import stated
from sensitivity_trials.asked import answered

from noiseproof.symbolic.proof.derivation import Derivation
from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, answer
from noiseproof.symbolic.proof.proofs.recorded import recorded

_SECONDS = 30.0
_LONGEST = 300


def families() -> Iterator[tuple[str, list[Derivation]]]:
    """The information of each family that is proved."""
    for family in derivations.FAMILIES:
        found = derivations.found_of(family)
        yield family.name, [found.derivation] if hasattr(found, "derivation") else []


def queries() -> Iterator[tuple[str, list[Derivation]]]:
    """The sensitivity of each query."""
    for query in sensitivities.QUERIES:
        found = answered(query)
        yield query.name, [found.derivation] if hasattr(found, "derivation") else []


def certified() -> Iterator[tuple[str, list[Derivation]]]:
    """The certificates of each program at its minimisers."""
    for program in programs.PROGRAMS:
        engine, names = stated(program), programs.symbols_of(program)
        points = [] if program.status != "optimal" or program.regions else program.minimisers
        found = [engine.certify(tuple(programs.read(m, names) for m in p), seconds=_SECONDS) for p in points]
        yield program.name, [f.derivation for f in found if f.verdict == "PROVED"]


LISTS: dict[str, Callable[[], Iterator[tuple[str, list[Derivation]]]]] = {
    "families": families,
    "queries": queries,
    "programs": certified,
}


def row(name: str, several: list[Derivation]) -> tuple[str, bool]:
    """One line, and whether the kernel accepts every step."""
    rows: list[dict[str, Any]] = [r for d in several for r in recorded(d) if r["truth"] != "cited"]
    held = [r for r in rows if r["truth"] == "holds"]
    proofs = [r.get("proof", {"by": "trusted: sympy", "reason": "a printed number"}) for r in held]
    accepted = sum(answer(p).word == ACCEPTED for p in proofs)
    why = sorted({str(p.get("reason", "")) for p in proofs if p["by"].startswith("trusted")})
    whole = bool(rows) and accepted == len(rows)
    said = "; ".join(w[:80] for w in why)[:_LONGEST]
    return f"| {name} | {len(rows)} | {len(held)} | {accepted} | {'yes' if whole else 'no'} | {said} |", whole


def main(kinds: list[str]) -> None:
    """Prints one table for each list."""
    for kind in kinds or list(LISTS):
        print(
            f"\n| {kind} | steps | that hold | accepted | all | why not |\n| --- | ---: | ---: | ---: | --- | --- |"
        )
        whole = total = 0
        for name, several in LISTS[kind]():
            line, good = row(name, several)
            whole, total = whole + good, total + 1
            print(line, flush=True)
        print(f"\n{kind}: every step accepted for {whole} of {total}")


if __name__ == "__main__":
    sp.init_printing(False)
    main(sys.argv[1:])
