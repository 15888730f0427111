"""What `noiseproof plan` reads from its options, and the table that it prints."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from noiseproof.audit.trial.planning.plan import SamplePlan
    from noiseproof.symbolic.privacy.guarantees import Guarantee

_WIDTH, _TERMINAL = 120, 72  # least width of a table that goes to a file or a pipe, and on a terminal
_NO_LAW = "How many samples are needed depends on the noise, which is unknown here: use the row for yours."
_BETS = "Planned for a sample of fixed size; a sequential audit (--sequential) may need more to refute, and stops earlier."


def guarantee_of(
    epsilon: float | None, delta: float | None, mu: float | None, rho: float | None
) -> Guarantee | None:
    """The claim that is given by its numbers; None if there are none.  Raises SpecError for several or unusable ones."""
    from noiseproof.symbolic.errors import SpecError

    given = {"epsilon": epsilon, "mu": mu, "rho": rho, "delta": delta or None}
    numbers = {name: value for name, value in given.items() if value is not None}
    keys = [f"--{name}" for name in numbers if name != "delta"]
    if len(keys) > 1:
        raise SpecError(f"expected one claim, got {' and '.join(keys)}")
    if delta is not None and epsilon is None:
        raise SpecError("expected --epsilon beside it", key="--delta")
    if not keys:
        return None
    from noiseproof.symbolic.privacy.guarantees import GUARANTEES

    kind = next(kind for kind in GUARANTEES.values() if kind.stated_numbers().keys() == numbers.keys())
    try:
        return kind(**numbers)
    except ValueError as error:
        field = "--delta" if str(error).startswith("delta") else keys[0]
        raise SpecError(str(error), key=field) from None


def print_plans(
    plans: Sequence[SamplePlan], skipped: Sequence[str] = (), *, sequential: bool = False
) -> None:
    """One row per plan, then what the rows rest on, why some have no answer, and the claims without a plan."""
    from rich.box import SIMPLE
    from rich.table import Table
    from rich.text import Text

    from noiseproof.audit.record.shown_text import one_line
    from noiseproof.audit.trial.planning.departures import MOST
    from noiseproof.console import say_styled, wide_console

    console = wide_console(_TERMINAL)
    if not console.is_terminal and not os.environ.get("COLUMNS"):
        console = wide_console(_WIDTH)
    if plans:
        table = Table(box=SIMPLE, pad_edge=False)
        for name in ("subject", "claim", "departure"):
            table.add_column(name, overflow="fold")
        for name in ("c", "samples per input"):
            table.add_column(name, justify="right", no_wrap=True)
        for p in plans:
            none = "-" if p.reason.startswith("nothing") else f"> {MOST:,}"
            samples = none if p.samples is None else f"{p.samples:,}"
            factor = "-" if p.resolution is None else f"{p.resolution:.6g}"
            subject = f"{p.subject}: {p.release}" if p.release else p.subject
            table.add_row(*(Text(one_line(x)) for x in (subject, p.claim, p.ray)), factor, samples)
        console.print(table)
        one = plans[0]
        tests = "1 statistical check" if one.tests == 1 else f"{one.tests} statistical checks"
        lines = [
            f"Where a row gives c and a number of samples (learning included), the audit detects this departure (refutes the claim) with probability at least {one.power:g}; alpha = {one.alpha:g}, shared by {tests}."
        ]
        lines += [_NO_LAW] if any(p.release for p in plans) else []
        lines += [_BETS] if sequential else []
        lines += list(
            dict.fromkeys(f"{p.release or p.subject}: {p.claim}: {p.reason}" for p in plans if p.reason)
        )
        for line in lines:
            say_styled(Text(line))
    for line in skipped:
        say_styled(Text(f"not planned: {line}"))
