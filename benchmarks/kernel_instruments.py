"""What the kernel accepts of the derivations of the instruments: `cd benchmarks && python kernel_instruments.py families|queries|programs|mechanisms`.

A line for each family, query and program of the lists that stand beside `derivations.py`, `sensitivities.py` and `programs.py`, and for each mechanism
that a spec can name, under the claims that it is made for: how many of its steps hold, how many the kernel accepts, and why it does not accept the others.
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

import noiseproof as npf
from noiseproof import mechanisms
from noiseproof.symbolic.proof.derivation import Derivation
from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, answer
from noiseproof.symbolic.proof.proofs.recorded import recorded

_SECONDS = 30.0
_LONGEST = 300

# Each mechanism that a spec can name, and claims that are true of it.
_PURE = [npf.PureDP(1.0), npf.ApproxDP(0.5, 0.4), npf.RenyiDP(2.0, 1.0), npf.ZeroConcentratedDP(0.5)]
_NORMAL = [npf.GaussianDP(0.5), npf.ApproxDP(1.0, 0.1), npf.RenyiDP(2.0, 0.25), npf.ZeroConcentratedDP(0.125)]
CLAIMS: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "laplace": (lambda: mechanisms.LaplaceMechanism(1.0, 1.0), [*_PURE, npf.ErrorBound(1.0)]),
    "gaussian": (lambda: mechanisms.GaussianMechanism(2.0, 1.0), [*_NORMAL, npf.ErrorBound(4.0)]),
    "optimal-gaussian": (
        lambda: mechanisms.OptimalGaussian(1.0, ([0.0, 0.0], [1.0, 2.0])),
        [npf.GaussianDP(4.0), npf.ErrorBound(1.0)],
    ),
    "cosine-squared": (lambda: mechanisms.CosineMechanism(-1.0, 1.0), [npf.ErrorBound(0.1)]),
    "randomised-response": (lambda: mechanisms.RandomisedResponse(1.0, 3), _PURE),
    "bounded-mean": (lambda: mechanisms.BoundedMean(0.0, 1.0, 10, epsilon=1.0), _PURE),
    "bounded-sum": (lambda: mechanisms.BoundedSum(-1.0, 1.0, sigma=2.0), _NORMAL),
    "linear-query": (lambda: mechanisms.LinearQuery([1.0, -3.0], 0.0, 1.0, epsilon=1.0), _PURE),
    "laplace-covariance": (lambda: mechanisms.LaplaceCovariance(2, 10, 1.0), [npf.PureDP(1.0)]),
    "trajectory": (
        lambda: mechanisms.TrajectoryNoise([[1.0]], [[1.0]], 3, 1.0, ([-1.0], [1.0])).state,
        [npf.GaussianDP(10.0), npf.ErrorBound(0.01)],
    ),
}


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
        found = [engine.certify(tuple(programs.read(m, names) for m in p)) for p in points]
        yield program.name, [f.derivation for f in found if f.verdict == "PROVED"]


def proved() -> Iterator[tuple[str, list[list[dict[str, Any]]]]]:
    """The rows of the derivations that prove a claim about each mechanism."""
    for name, (mechanism, claims) in CLAIMS.items():
        findings = npf.examine(mechanism(), claims, samples=2_000).findings
        several = [e for f in findings for e in f.evidence if e.verdict.name == "PROVED" and e.derivation]
        yield f"{name}: {len(several)} of {len(claims)} claims", [list(e.derivation) for e in several]


LISTS: dict[str, Callable[[], Iterator[tuple[str, list[Any]]]]] = {
    "families": families,
    "queries": queries,
    "programs": certified,
    "mechanisms": proved,
}


def row(name: str, several: list[Any]) -> tuple[str, bool]:
    """One line, and whether the kernel accepts every step."""
    all_rows = [recorded(d) if isinstance(d, Derivation) else d for d in several]
    rows: list[dict[str, Any]] = [r for one in all_rows for r in one if r["truth"] != "cited"]
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
