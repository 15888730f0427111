"""What the kernel accepts of the steps in certificates and dossiers: `python -m benchmarks.kernel_coverage DIR ...` (output of `noiseproof papers -o DIR`).

Nothing but JSON is read and nothing but the kernel runs: sympy is not imported.
"""

from __future__ import annotations

import json
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, REJECTED, answer

_CLASSES = {
    "a divisor": "a divisor that may be 0 for all that the step says",
    "sqrt of": "a root or logarithm of what may be negative for all that the step says",
    "a power of": "a root or logarithm of what may be negative for all that the step says",
    "a logarithm of": "a root or logarithm of what may be negative for all that the step says",
    "log of": "a root or logarithm of what may be negative for all that the step says",
    "not in the kernel": "not in the language",
    "whether an integral": "an integral without an antiderivative that was found",
    "an integral whose": "an integral whose ends are not in order for all that the step says",
    "both sides have": "equal by a law that the kernel has not",
    "the sign of": "an inequality for which no certificate was found",
    "a side is": "an inequality for which no certificate was found",
}


def main(folders: list[str]) -> int:
    """Prints one table; 1 where the kernel rejects a proof that claims a rule."""
    found, rejected, everything = [], 0, Counter[str]()
    for folder in folders:
        for path in sorted(Path(folder).rglob("*.json")):
            rows = _findings(json.loads(path.read_text(encoding="utf-8")))
            if rows:
                found.append((path, _counted(rows, everything)))
                rejected += found[-1][1]["rejected"]
    print(
        "| file | steps that hold | accepted | share | PROVED | of them all steps | bytes | of them proofs | seconds |"
    )
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for path, c in [*found, (Path("all"), _sum([c for _, c in found]))]:
        share = 100 * c["accepted"] / max(c["steps"], 1)
        size = path.stat().st_size if path.exists() else sum(p.stat().st_size for p, _ in found)
        print(
            f"| {path.parent.name or path.name} | {c['steps']:,.0f} | {c['accepted']:,.0f} | {share:.1f} % | {c['proved']:.0f} | "
            f"{c['whole']:.0f} | {size:,} | {c['bytes']:,.0f} | {c['seconds']:.1f} |"
        )
    for why, n in everything.most_common():
        print(f"{n:5d}  {why}")
    return 1 if rejected else 0


def _findings(data: Any) -> list[dict[str, Any]]:
    rows = data.get("findings", data) if isinstance(data, dict) else data
    return [r for r in rows if isinstance(r, dict) and "evidence" in r] if isinstance(rows, list) else []


def _evidence(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for finding in rows:
        yield from finding["evidence"]


def _counted(rows: list[dict[str, Any]], everything: Counter[str]) -> dict[str, float]:
    counts: Counter[str] = Counter()
    start = time.perf_counter()
    for one in _evidence(rows):
        steps = [s for s in one.get("derivation") or () if s["truth"] == "holds"]
        words = [_word(s, everything) for s in steps]
        counts["steps"] += len(steps)
        counts["bytes"] += sum(len(json.dumps(s.get("proof", {}))) for s in steps)
        counts.update(words)
        if one["verdict"] == "PROVED" and one["check"] == "derivation":
            counts["proved"] += 1
            counts["whole"] += bool(words) and all(w == ACCEPTED for w in words)
    return {
        **{k: counts[k] for k in ("steps", ACCEPTED, REJECTED, "proved", "whole", "bytes")},
        "seconds": time.perf_counter() - start,
    }


def _word(step: dict[str, Any], everything: Counter[str]) -> str:
    proof = step.get("proof")
    said = answer(proof).word if proof else "without"
    if said != ACCEPTED:
        why = str(proof.get("reason", "")) if proof else "a printed number that stands for a comparison"
        everything[next((c for k, c in _CLASSES.items() if why.startswith(k)), why[:80])] += 1
    return said


def _sum(several: list[dict[str, float]]) -> dict[str, float]:
    return {
        k: sum(c[k] for c in several)
        for k in ("steps", ACCEPTED, REJECTED, "proved", "whole", "bytes", "seconds")
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
