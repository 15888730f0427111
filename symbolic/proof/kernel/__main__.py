"""`python -m noiseproof.symbolic.proof.kernel FILE ...`: checks proofs, or all those in certificates; exit code 1 if a step is rejected."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .language import Rejected
from .proof import SCHEMA, check

_DEEPEST = 40


def main(arguments: list[str]) -> int:
    """0 if every step of every proof is accepted or openly cited or trusted, 1 if one is rejected, 2 for no proof or a file that is none."""
    found = code = 0
    for path in arguments:
        try:
            data = read(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            print(f"{path}: not readable as JSON: {type(error).__name__}", file=sys.stderr)
            return 2
        for proof in proofs(data):
            found += 1
            code = max(code, _one(path, proof))
    if not found:
        print("no proof: give files of proofs or of certificates that have some", file=sys.stderr)
        return 2
    return code


def read(text: str) -> Any:
    """What JSON says; ValueError for NaN, Infinity, and for a key that stands twice in one object."""
    return json.loads(text, parse_constant=_no_number, object_pairs_hook=_once)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


def _one(path: str, proof: Any) -> int:
    try:
        done = check(proof)
    except Rejected as error:
        print(f"{path}: rejected: {error}")
        return 1
    counts = done.counts()
    said = ", ".join(f"{n} {w}" for w, n in counts.items() if n)
    print(f"{path}: {said}; conclusion {done.concluded.word}")
    for i, one in enumerate(done.answers):
        if one.word == "rejected":
            print(f"  step {i + 1}: {one.why}")
    return 1 if counts["rejected"] else 0


def proofs(data: Any, depth: int = 0) -> Iterator[Any]:
    """All proofs inside what a file holds; the steps of a derivation in a certificate are one."""
    if depth > _DEEPEST:
        return
    if isinstance(data, dict):
        if data.get("schema") == SCHEMA:
            yield data
            return
        rows = data.get("derivation")
        steps = (
            [r["proof"] for r in rows if isinstance(r, dict) and r.get("proof")]
            if isinstance(rows, list)
            else []
        )
        if steps:
            yield {"schema": SCHEMA, "steps": steps}
        data = list(data.values())
    if isinstance(data, list):
        for value in data:
            yield from proofs(value, depth + 1)


if __name__ == "__main__":
    try:
        code = main(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # Who reads has enough: nothing is left to say, and Python would say it at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    sys.exit(code)
