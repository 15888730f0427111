"""The sentences of evidence, each check's in one place: made from what it measured, stored nowhere, and read by people only."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any

from ...symbolic.errors import counted
from .plain import chance
from .reading.certificate_form import Measured, Part


class _Words(Formatter):
    """Numbers in words: `{pairs:pair}` is "1 pair" or "2 pairs", `{p:chance}` a probability, of a list each of its values."""

    def format_field(self, value: Any, format_spec: str) -> str:
        if isinstance(value, list):
            return ", ".join(self.format_field(one, format_spec) for one in value)
        if format_spec == "chance":
            return chance(value)
        worded = format_spec.isalpha() and len(format_spec) > 1
        return counted(value, format_spec) if worded else format(value, format_spec)


# A sentence has parts, a part says the same in several ways: the first is taken whose numbers were all measured.
Ways = str | tuple[str, ...]


def _if(words: str) -> Ways:
    """A part that is left out where its numbers were not measured."""
    return words, ""


_WHY, _NOTE = _if("{reason}"), _if("{note}")
_CERTIFIED = "certified epsilon at delta = {delta:g}: {found:.4g}"
_WON = _if(
    "most was to be won on the event ({of}), which happened {count[0]:,} times on input {on} and {count[2]:,} times on input {other} in the {count[1]:,} pairs of the last epoch"
)
_ERRORS = "Mean squared errors {way}, simultaneous intervals of approximate level {probability:.6g}, claimed bound {claimed:.6g}: {rows}"
_NOISE = "assuming additive {of} noise of one scale on both inputs: "
_SCALES = "{moved:.4g} scales, with the lower confidence bound {found:.4g} scales ({samples[0]:,} and {samples[1]:,} outcomes after {learnt:,} that chose the events)"
_EXCEEDED = "delta({epsilon:.4g}) is at least {reached:.4g}, claimed at most {allowed:.4g}"
_TRIED = (
    "{steps:step} re-checked, {lemmas:lemma} cited",
    "{comparisons} comparisons on {tried} instances, {unclear} of them too close to tell",
    "no violation at {tried} points, both sides enclosed; {unclear} more could not be told apart from equality or not be enclosed",
    "no violation at {tried} points, both sides enclosed",
    "",
)
_SHAPE = "the information is {shape[0]} x {shape[1]}"
_EVENT: tuple[Ways, ...] = (
    _WHY,
    "{samples[0]:,} outcomes on input 0 and {samples[1]:,} on input 1, of which {learnt:,} on each chose the events and the rest tested them; the event ({of}) happened {count[0]:,} times in {count[1]:,} on input {on} and {count[2]:,} times in {count[3]:,} on input {other}",
    _if(f"{_CERTIFIED}, where the claim allows {{claimed:.4g}}"),
    _NOTE,
)
_OTHERS: tuple[Ways, ...] = (_WHY, _if(_SHAPE), _TRIED, _NOTE)
# By the name of the check; one that is not among them gives its reason, and counts of what it tried.
DETAILS: dict[str, tuple[Ways, ...]] = {
    "likelihood ratio": _EVENT,
    "bit patterns": _EVENT,
    "sequential likelihood ratio": (
        _WHY,
        "{samples[0]:outcome} on either input, {pairs:pair} bet on in {epochs:epoch} of doubling length; {stopped}; capital multiplied by 10^{capital:.1f} at its highest, refuted from 10^{needed:.1f}",
        _WON,
        _if(_CERTIFIED),
    ),
    "components": (
        (
            f"{_NOISE}scale about {{scale:.4g}}, {{way}} by about {{step:.4g}}, which is {_SCALES}",
            f"{_NOISE}{{parameters:entry}}: together they move by about {_SCALES}",
        ),
        (
            f"the claim allows {{claimed:.4g}}: {_EXCEEDED}",
            _EXCEEDED,
            "the claim allows {claimed:.4g}",
            "the claim allows that",
        ),
        _WHY,
        _NOTE,
    ),
    "fit": (
        _WHY,
        "{tests} exact binomial tests; the most unlikely: {of}: {successes:,} of {trials:,} ({rate:.4%}) where the law says {probability:.4%}, p {p:chance} before sharing alpha",
        _if("the code does not draw the law that it declares: {way}"),
    ),
    "quadrature": (
        _WHY,
        (
            "delta by integrating (p - e^epsilon q)+ at {tried} epsilons up to {high:g}; largest excess over the claimed curve {excess:.3e} at epsilon = {epsilon:.12g}",
            "irregular: the Cramer-Rao bound does not apply; the Hellinger speed grows without limit: {speeds:.3g}",
            _SHAPE,
            "information by integrating the Hellinger distance at {of}: trace {found:.10g}, relative difference from the claim {gap:.2e}",
            "information by integrating the Hellinger distance: trace {found:.10g}, relative difference from the claim {gap:.2e}",
            "Cramer-Rao bound by numerical integration at {of}: {found:.10g}, claimed {claimed:.10g}",
            "Cramer-Rao bound by numerical integration {found:.10g}, claimed {claimed:.10g}",
        ),
        _if("largest difference from the closed form {difference:.1e}"),
    ),
    "rare events of the law": (
        "{samples[0]:,} outcomes for each of {tried} orders of neighbours, drawn where losses reach {levels:.3g} and weighted back; delta({epsilon:.4g}) has the lower confidence bound {found:.3g}, claimed {claimed:.3g}; largest loss seen {largest:.4g}",
        "losses are taken 1e-10 lower for rounding",
    ),
    "information": (
        (
            "{samples[0]:,} outcomes at each of {parameters} parameters, {cells} cells per entry, by the {way}, at a step of {step:.4g}",
            "{samples[0]:,} outcomes at each of two parameters, {cells} cells per entry",
        ),
        (
            "the claim is about {shape[0]:parameter}, there are {shape[1]}",
            "information of entry {entry} at least {found:.6g}, claimed {claimed:.6g}",
            "from the outcomes, the Cramer-Rao bound of the code is at most {found:.6g}; the claim is at least {claimed:.6g}",
        ),
        _WHY,
    ),
    "information along a path": (
        "{samples[0]:,} outcomes at each of {parameters} values of {of} from {low:.6g} to {high:.6g}, in a histogram of {cells} cells of the {way}; along this path the code has at least {found:.4g} of the information that is claimed, and the claim allows 1",
        _WHY,
    ),
    "estimators": (
        (f"{{reason}}. {_ERRORS}", f"no adversary's error is significantly below the bound. {_ERRORS}"),
        _NOTE,
    ),
    "worse pairs": (
        "{tried:,} pairs of neighbours, drawn, at extreme records and climbed on; the furthest answers are {found:.9g} apart, claimed {claimed:.9g}",
    ),
    "moved totals": (
        (
            "pair {entry}: the sums are {found:.9g} apart, claimed at most {claimed:.9g}",
            "{tried:,} pairs of neighbours; the furthest sums are {found:.9g} apart, claimed {claimed:.9g}",
        ),
    ),
    "better points": (
        "{tried:,} local searches from points up to 10 away found no feasible value certainly below the claimed one",
        "the least of them is {found:.3g} above it",
    ),
    "repeated calls": (
        _WHY,
        "calls made {way}: {count[0]:,} of {count[1]:,} calls on input 1 repeated the bytes of the earlier call on input 1, {count[2]:,} of {count[3]:,} on input 0 did",
        _NOTE,
    ),
    "timing": ("{successes:,} of {trials:,} {of}: {probability:.4g} is allowed, p-value {p:chance}", _WHY),
    "compression guarantee": (
        ("{reason}", "alpha is at most {found:.6g} for all pairs"),
        _if("at least {largest:.6g} for one explicit pair"),
    ),
}
_STOPPED = {
    "refuted": "the claim is refuted",
    "time": "the time was used up",
    "samples": "all {samples[0]:,} samples were used up",
    "samples before the time": "all {samples[0]:,} samples were used up before the time; more samples would use it",
}


def detail_of(check: str, reason: str, measured: Measured) -> str:
    """What a piece of evidence found, in a sentence; LookupError if it lacks a number that its check measures."""
    if measured.model_fields_set <= {"of", "way", "note"}:
        return "; ".join(filter(None, (reason, measured.note)))
    tried = dict.fromkeys(_sentence(_TRIED, _numbers(part)) for part in measured.parts)
    numbers = _numbers(measured) | ({"reason": reason} if reason else {})
    *own, last = (_sentence(part, numbers) for part in DETAILS.get(check, _OTHERS))
    return "; ".join(filter(None, (*own, *tried, last)))


def most_won(measured: Measured) -> str:
    """The event of bets that most was to be won on."""
    return _sentence(_WON, _numbers(measured))


def _numbers(measured: Part) -> dict[str, Any]:
    """What was measured by its names, and what follows from it."""
    found = {key: value for key, value in measured if value not in (None, "", [])}
    if isinstance(measured, Measured):
        if measured.stopped:
            found["stopped"] = _STOPPED[measured.stopped].format(**found)
        if measured.on is not None:
            found["other"] = 1 - measured.on
        if measured.trials and measured.successes is not None:
            found["rate"] = measured.successes / measured.trials
    return found


def _sentence(part: Ways, numbers: Mapping[str, Any]) -> str:
    for words in (part,) if isinstance(part, str) else part:
        try:
            return _Words().vformat(words, (), numbers)
        except KeyError:
            continue
    raise LookupError(f"numbers are missing of {part!r}")
