"""How many records were read, how fast, and how long it will take: for the one who releases, and for no file."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

Say = Callable[[float, str], None]


@dataclass(eq=False)
class Pace:
    """`say` hears the fraction that is done and a sentence; `expected` is the number of records, where it is known."""

    say: Say
    expected: int | None = None
    clock: Callable[[], float] = time.monotonic
    _what: str = field(default="", repr=False)
    _since: float = field(default=0.0, repr=False)
    _done: int = field(default=0, repr=False)

    def __call__(self, what: str, done: int) -> None:
        """`what` is being done, and was done with so many records; a smaller number begins another pass."""
        now = self.clock()
        if what != self._what or done <= self._done:
            self._what, self._since, self._base = what, now, done
        self._done = done
        spent = now - self._since
        rate = (done - self._base) / spent if spent > 0 else 0.0
        said = f"{what}: {done:,}{'' if self.expected is None else f' of {self.expected:,}'} records"
        if rate > 0:
            said += f", {short(rate)} a second"
        fraction = 0.0
        if self.expected:
            fraction = min(done / self.expected, 1.0)
            if rate > 0:
                said += f", {lasting(max(self.expected - done, 0) / rate)} left"
        self.say(fraction, said)

    _base: int = field(default=0, repr=False)


def short(number: float) -> str:
    """Two or three digits: 950, 12.3 thousand, 4.56 million."""
    for unit, name in ((1e9, " billion"), (1e6, " million"), (1e3, " thousand")):
        if number >= unit:
            return f"{number / unit:.3g}{name}"
    return f"{number:.3g}"


def lasting(seconds: float) -> str:
    """Seconds, minutes or hours."""
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5_400 else f"{seconds / 3_600:.1f} h"
