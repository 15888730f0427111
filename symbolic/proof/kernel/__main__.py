"""`python -m noiseproof.symbolic.proof.kernel FILE ...`: checks proofs, or all those in certificates; exit code 1 if a step is rejected."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from .documents import documents
from .language import Rejected
from .proof import check


def main(arguments: list[str]) -> int:
    """0 if every step of every proof is accepted or openly cited or trusted, 1 if one is rejected, 2 for no proof or a file that is none."""
    found = code = 0
    for path in arguments:
        try:
            data = read(Path(path).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            print(f"{path}: not readable as JSON: {type(error).__name__}", file=sys.stderr)
            return 2
        for where, proof in documents(data):
            found += 1
            code = max(code, _one(f"{path}: {where}" if where else path, proof))
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


def _one(where: str, proof: Any) -> int:
    try:
        if isinstance(proof, Rejected):
            raise proof
        done = check(proof)
    except Rejected as error:
        print(f"{where}: rejected: {error}")
        return 1
    counts = done.counts()
    said = ", ".join(f"{n} {w}" for w, n in counts.items() if n)
    print(f"{where}: {said}; conclusion {done.concluded.word}{_which(proof)}")
    for i, one in enumerate(done.answers):
        if one.word == "rejected":
            print(f"  step {i + 1}: {one.why}")
    return 1 if counts["rejected"] else 0


def _which(proof: Any) -> str:
    """The numbers of the steps that conclude, where the proof says it by numbers."""
    numbers = proof.get("conclusion")
    return f" (step {', '.join(map(str, numbers))})" if isinstance(numbers, list) else ""


def piped(arguments: list[str]) -> int:
    """The same where who reads may leave before the end."""
    try:
        code = main(arguments)
        sys.stdout.flush()
    except BrokenPipeError:
        # Nothing is left to say, and Python would say it at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 1
    return code


if __name__ == "__main__":
    sys.exit(piped(sys.argv[1:]))
