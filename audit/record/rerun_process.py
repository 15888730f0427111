"""The process that evaluates witnesses: a list of them comes in as JSON, one line [stands, what it says] each goes out."""

from __future__ import annotations

import json
import sys
from typing import Any

from .limits import limit_memory, limit_seconds
from .own_process import MEMORY

LONGEST = 2_000  # characters of what is said


def main() -> None:
    """Each witness has its share of time: when it is over, the operating system ends the process."""
    seconds = float(sys.argv[1])
    asked = json.loads(sys.stdin.buffer.read())
    from .witness import kinds

    kinds()  # the libraries are loaded before the clock runs
    limit_memory(MEMORY)
    for one in asked:
        limit_seconds(seconds)
        try:
            answer = answered(one)
        except MemoryError:
            raise SystemExit(3) from None  # not evaluated, which is no answer
        limit_seconds(0)
        print(json.dumps(answer), flush=True)


def answered(asked: dict[str, Any]) -> tuple[bool, str]:
    """Whether a witness stands, {"witness": ...} alone or {"terms": ...} beside its claim, and what it says."""
    from .terms import Terms
    from .witness import reevaluate

    try:
        terms = Terms.from_record(asked["terms"]) if "terms" in asked else None
        stands, says = reevaluate(asked["witness"] if terms is None else terms.witness, terms)
    except MemoryError:
        raise
    except Exception as error:  # data from strangers: any of the libraries may refuse it
        stands, says = False, f"cannot be evaluated: {type(error).__name__}: {error}"
    return bool(stands), says[:LONGEST]


if __name__ == "__main__":
    main()
