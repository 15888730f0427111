"""The process that evaluates witnesses: a list of them comes in as JSON, one line [stands, what it says] each goes out."""

from __future__ import annotations

import json
import sys


def main() -> None:
    """Each witness has its share of time: when it is over, the operating system ends the process."""
    seconds, memory = float(sys.argv[1]), int(sys.argv[2])
    witnesses = json.loads(sys.stdin.buffer.read())
    from .witness import kinds, reevaluate

    kinds()  # the libraries are loaded before the clock runs
    _limit(memory)
    for witness in witnesses:
        _clock(seconds)
        try:
            stands, says = reevaluate(witness)
        except MemoryError:
            raise SystemExit(3) from None  # not evaluated, which is no answer
        except Exception as error:  # data from strangers: any of the libraries may refuse it
            stands, says = False, f"cannot be evaluated: {type(error).__name__}: {error}"
        _clock(0)
        print(json.dumps([bool(stands), says[:2000]]), flush=True)


def _limit(memory: int) -> None:
    try:
        import resource
    except ImportError:  # not a POSIX system
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (memory if hard < 0 else min(memory, hard), hard))


def _clock(seconds: float) -> None:
    import signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)


if __name__ == "__main__":
    main()
