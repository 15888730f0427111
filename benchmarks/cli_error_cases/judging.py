"""What is wrong with an outcome: nothing may be raised, left half-written, said to nobody's use or passed over."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .case import APART, PYTHON, Case, Outcome

REFUSED = 2
_ALLOWED = {0, 1, 2, 4, 5}
_KILLED = {130, 137, 141, 143}
# A message helps if it says what was expected, what is known, which line of the user's file is wrong, or what to do.
_ADVICE = re.compile(
    r"expected|\b(must|needs?|known|did you mean|nearest|one of|use|give|name|run|write|make|choose|say|set|take|add|remove|"
    r"declare|install|look|only|missing|goes with|has no column|no column is|makes one|end of document|damaged|ask|allowed|put|repair|restore|keep|read|lower|raise|split|state|move|"
    r"try|should be|such as|line [0-9]+|character [0-9]+|cannot be called|denied|not readable|raised|limit|at most|at least|not in the range|requires|instead|again|already|save it|finite number|too deeply|does not exist|no such|no file|cannot read)\b|--help|raised",
    re.IGNORECASE,
)


def faults(case: Case, outcome: Outcome) -> Iterator[str]:
    """A few words for each thing that is wrong."""
    said = outcome.out + outcome.err
    if outcome.raised:
        yield f"raised {outcome.raised}"
    if "Traceback (most recent call last)" in said:
        yield "a traceback"
    if re.search(r"\b\w*Warning: ", said):
        yield "a warning of Python"
    if outcome.code not in (_ALLOWED | _KILLED if case.how == APART else _ALLOWED):
        yield f"exit code {outcome.code}"
    if outcome.code in (130, 143):
        yield from _left(outcome)
    if outcome.code == 0 and not case.fine:
        yield "accepted"
    if outcome.code == REFUSED:
        if case.fine:
            yield "refused"
        yield from _left(outcome)
        if not _ADVICE.search(outcome.message):
            yield "no word of what to do"
    hidden = [name for name in outcome.after if re.search(r"\.partial($|/)", name)]
    if hidden and case.how != PYTHON and outcome.code not in _KILLED:
        yield f"left half-written: {hidden[0]}"


def _left(outcome: Outcome) -> Iterator[str]:
    # What libraries keep between runs is no output; what may have been seen stays spent.
    kept = r"\.(cache|config)(/|$)"
    if "stays spent" in outcome.err + outcome.out:
        kept += r"|noiseproof\.salt$|\w+\.ledger(\.head)?$"
    new = sorted(n for n in outcome.after.keys() - outcome.before.keys() if not re.match(kept, n))
    changed = sorted(name for name, digest in outcome.before.items() if outcome.after.get(name) != digest)
    if new:
        yield f"left {', '.join(new)}"
    if changed:
        yield f"changed {', '.join(changed)}"
