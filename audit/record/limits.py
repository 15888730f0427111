"""Data from strangers is evaluated within limits: digits and size of what is read, seconds and memory of what it takes.

Only the standard library is used: scripts that stand alone carry this source.
"""

from __future__ import annotations

import re
from typing import Any

MOST_VALUES = 10_000_000
MOST_CHARACTERS = 20_000
MOST_DIGITS = 4_000
LARGEST_EXPONENT = 400
LARGEST_WHOLE = 10**18
_DIGITS = re.compile(rf"(?<![\d_])[\d_]{{{MOST_DIGITS + 1},}}")
_EXPONENT = re.compile(r"(?<=[\d.])[eE][+-]?([\d_]+)")


def bounded(data: Any) -> None:
    """ValueError if plain data holds a number or a text whose evaluation could take for ever: "1e99999999999", say."""
    waiting, seen = [data], 0
    while waiting:
        value = waiting.pop()
        seen += 1
        if seen > MOST_VALUES:
            raise ValueError(f"more than {MOST_VALUES:,} values")
        if isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list | tuple):
            waiting += value
        elif isinstance(value, str):
            _bounded_text(value)
        elif isinstance(value, int) and abs(value) > LARGEST_WHOLE:
            raise ValueError(f"a whole number is too large: at most {LARGEST_WHOLE:.0e} in size")
        elif isinstance(value, float) and not abs(value) < float("inf"):
            raise ValueError("a number is not finite")


def _bounded_text(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise ValueError(
            f"a text is too large: {len(text):,} characters, at most {MOST_CHARACTERS:,} are read"
        )
    if _DIGITS.search(text):
        raise ValueError(f"a number is too large: at most {MOST_DIGITS:,} digits are read")
    for exponent in _EXPONENT.findall(text):
        if len(exponent) > 4 or int(exponent) > LARGEST_EXPONENT:
            raise ValueError(f"a number is too large: exponents up to {LARGEST_EXPONENT} are read")


def limit_memory(more: int) -> None:
    """From now on this process gets at most so many bytes more; nothing on systems that cannot say so."""
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            here = int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (here + more if hard < 0 else min(here + more, hard), hard))


def limit_seconds(seconds: float) -> None:
    """After so many seconds the operating system ends this process; 0 stops the clock."""
    import signal

    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
