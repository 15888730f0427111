"""The sentences of evidence, each check's in one place: made from what it measured, stored nowhere, and read by people only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from ...symbolic.errors import counted
from .plain import chance
from .reading.certificate_form import Measured, Part


@dataclass(frozen=True)
class Found:
    """What a sentence is made from; the verdict by its name."""

    check: str
    reason: str
    measured: Measured
    verdict: str
    in_clear: float | None = None

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Self:
        """The same of evidence as plain data."""
        measured, resolution = Measured.model_validate(data["measured"]), data.get("resolution") or {}
        return cls(
            data["check"], data["reason"], measured, data.get("verdict", ""), resolution.get("in_clear")
        )


Maker = Callable[[Measured, Found], str]
# By the name of the check; a check that is not among them gives its reason, and counts of what it tried.
DETAILS: dict[str, Maker] = {}


def says(*checks: str) -> Callable[[Maker], Maker]:
    """Decorator: the function makes the sentences of these checks."""

    def keep(maker: Maker) -> Maker:
        DETAILS.update(dict.fromkeys(checks, maker))
        return maker

    return keep


def detail_of(found: Found) -> str:
    """What a piece of evidence found, in a sentence."""
    if not found.measured.model_fields_set:
        return found.reason
    return DETAILS.get(found.check, tried)(found.measured, found)


def _joined(*parts: str) -> str:
    return "; ".join(filter(None, parts))


def tried(m: Measured, found: Found) -> str:
    """What a proof found, and how much was tried."""
    said = dict.fromkeys(words for part in (*m.parts, m) for words in _counts(part))
    return _joined(found.reason, *said, m.note)


def _counts(m: Part) -> Iterable[str]:
    if m.steps is not None:
        yield f"{counted(m.steps, 'step')} re-checked, {counted(m.lemmas or 0, 'lemma')} cited"
    elif m.comparisons is not None:
        yield f"{m.comparisons} comparisons on {m.tried} instances, {m.unclear} of them too close to tell"
    elif m.tried is not None:
        yield f"no violation at {m.tried} points, both sides enclosed"
        if m.unclear:
            yield f"{m.unclear} more could not be told apart from equality or not be enclosed"


@says("likelihood ratio", "bit patterns")
def _event(m: Measured, found: Found) -> str:
    k, n, l, size = m.count  # noqa: E741
    n0, n1 = m.samples
    words = (
        f"{n0:,} outcomes on input 0 and {n1:,} on input 1, of which {m.learnt:,} each chose the events; the event ({m.of}) "
        f"happened {k:,} times in {n:,} on input {m.on} and {l:,} times in {size:,} on input {1 - m.on}"
    )
    certified = ""
    if m.found is not None:
        certified = (
            f"certified epsilon at delta = {m.delta:g}: {m.found:.4g}, where the claim allows {m.claimed:.4g}"
        )
    return _joined(found.reason, words, certified, _in_clear(found), m.note)


def _in_clear(found: Found) -> str:
    share = found.in_clear
    if share is None or found.verdict != "SURVIVED":
        return ""
    return f"the record in clear, planted into {100 * share:.3g} % of these outcomes, would have been found"


@says("sequential likelihood ratio")
def _bets(m: Measured, found: Found) -> str:
    used = f"{m.samples[0]:,}"
    stopped = {
        "refuted": "the claim is refuted",
        "time": "the time was used up",
        "samples": f"all {used} samples were used up",
        "samples before the time": f"all {used} samples were used up before the time; more samples would use it",
    }[m.stopped]
    words = (
        f"{counted(m.samples[0], 'outcome')} on either input, {counted(m.pairs, 'pair')} bet on in "
        f"{counted(m.epochs, 'epoch')} of doubling length; {stopped}; capital multiplied by 10^{m.capital:.1f} at its highest, "
        f"refuted from 10^{m.needed:.1f}"
    )
    certified = "" if m.found is None else f"certified epsilon at delta = {m.delta:g}: {m.found:.4g}"
    return _joined(found.reason, words, most_won(m), certified, _in_clear(found))


def most_won(m: Measured) -> str:
    """The event that most was to be won on."""
    if not m.count or m.on is None:
        return ""
    k, pairs, l, _ = m.count  # noqa: E741
    return (
        f"most was to be won on the event ({m.of}), which happened {k:,} times on input {m.on} and {l:,} times on "
        f"input {1 - m.on} in the {pairs:,} pairs of the last epoch"
    )


@says("components")
def _components(m: Measured, found: Found) -> str:
    if m.found is None:
        return found.reason
    many = m.parameters
    about = f"{counted(many, 'entry')}: together they move by about {m.moved:.4g} scales"
    if many == 1:
        about = f"scale about {m.scale:.4g}, {m.way} by about {m.moved * m.scale:.4g}, which is {m.moved:.4g} scales"
    compared = [f"the claim allows {m.claimed:.4g}"] if many == 1 else []
    if m.reached > m.allowed:
        compared.append(
            f"delta({m.epsilon:.4g}) is at least {m.reached:.4g}, claimed at most {m.allowed:.4g}"
        )
    return (
        f"assuming additive {m.of} noise of one scale on both inputs: {about}, with the lower confidence bound {m.found:.4g} scales "
        f"({m.samples[0]:,} and {m.samples[1]:,} outcomes after {m.learnt:,} that chose the events); "
        f"{': '.join(compared) or 'the claim allows that'}{found.reason}. {m.note}"
    )


@says("fit")
def _fit(m: Measured, found: Found) -> str:
    words = (
        f"{m.tests} exact binomial tests; the most unlikely: {m.of}: {m.successes:,} of {m.trials:,} "
        f"({m.successes / max(m.trials, 1):.4%}) where the law says {m.probability:.4%}, p {chance(m.p)} before sharing alpha"
    )
    if found.verdict == "REFUTED":
        return f"{words}; the code does not draw the law that it declares: {found.reason}"
    return _joined(found.reason, words)


@says("quadrature")
def _quadrature(m: Measured, found: Found) -> str:
    if m.excess is not None:
        closed = ""
        if m.difference is not None:
            closed = f"; largest difference from the closed form {m.difference:.1e}"
        return (
            f"delta by integrating (p - e^epsilon q)+ at {m.tried} epsilons up to {m.high:g}; largest excess over the claimed "
            f"curve {m.excess:.3e} at epsilon = {m.epsilon:.12g}{closed}"
        )
    if m.speeds:
        grow = ", ".join(f"{v:.3g}" for v in m.speeds)
        return (
            f"irregular: the Cramer-Rao bound does not apply; the Hellinger speed grows without limit: {grow}"
        )
    if m.shape:
        return of_shape(m)
    if m.gap is not None:
        return (
            f"information by integrating the Hellinger distance: trace {m.found:.10g}, relative difference from the claim "
            f"{m.gap:.2e}"
        )
    if m.found is not None:
        return f"Cramer-Rao bound by numerical integration {m.found:.10g}, claimed {m.claimed:.10g}"
    return found.reason


def of_shape(m: Measured) -> str:
    """How large the information is."""
    return f"the information is {m.shape[0]} x {m.shape[1]}"


@says("derivation")
def _derivation(m: Measured, found: Found) -> str:
    return _joined(of_shape(found.measured), found.measured.note) if found.measured.shape else tried(m, found)


@says("rare events of the law")
def _rare(m: Measured, found: Found) -> str:
    where = ", ".join(f"{e:.3g}" for e in m.levels)
    return (
        f"{m.samples[0]:,} outcomes for each of {m.tried} orders of neighbours, drawn where losses reach {where} and weighted "
        f"back; delta({m.epsilon:.4g}) has the lower confidence bound {m.found:.3g}, claimed {m.claimed:.3g}; largest loss seen "
        f"{m.largest:.4g}; losses are taken 1e-10 lower for rounding"
    )


@says("information")
def _information(m: Measured, found: Found) -> str:
    if m.way:
        by = (
            f"{m.parameters} parameters, {m.cells} cells per entry, by the {m.way}, at a step of {m.step:.4g}"
        )
    else:
        by = f"two parameters, {m.cells} cells per entry"
    if m.shape:
        compared = f"the claim is about {counted(m.shape[0], 'parameter')}, there are {m.shape[1]}"
    elif m.entry is not None:
        compared = f"information of entry {m.entry} at least {m.found:.6g}, claimed {m.claimed:.6g}"
    else:
        compared = (
            f"from the outcomes, the Cramer-Rao bound of the code is at most {m.found:.6g}; the claim is at least "
            f"{m.claimed:.6g}"
        )
    return _joined(f"{m.samples[0]:,} outcomes at each of {by}; {compared}", found.reason)


@says("information along a path")
def _path(m: Measured, found: Found) -> str:
    if m.found is None:
        return found.reason
    return _joined(
        f"{m.samples[0]:,} outcomes at each of {m.parameters} parameters, {m.of} from {m.low:.6g} to {m.high:.6g}, {m.cells} "
        f"cells by the {m.way}; along this path the code has at least {m.found:.4g} of the information that is claimed, and "
        "the claim allows 1",
        found.reason,
    )


@says("estimators")
def _estimators(m: Measured, found: Found) -> str:
    rows = "; ".join(f"{r.name}: {r.value:.5g} ± {r.half:.2g}" for r in m.rows)
    words = (
        f"Mean squared errors {m.way}, simultaneous intervals of approximate level {m.probability:.6g}, claimed bound "
        f"{m.claimed:.6g}: {rows}"
    )
    why = found.reason or "no adversary's error is significantly below the bound"
    return ". ".join(filter(None, (why, words, m.note)))


@says("worse pairs")
def _pairs(m: Measured, found: Found) -> str:
    if m.found is None:
        return found.reason
    return (
        f"{m.tried:,} pairs of neighbours, drawn, at extreme records and climbed on; the furthest answers are {m.found:.9g} "
        f"apart, claimed {m.claimed:.9g}"
    )


@says("moved totals")
def _totals(m: Measured, found: Found) -> str:
    if found.verdict == "REFUTED":
        return f"pair {m.tried}: the sums are {m.found:.9g} apart, claimed at most {m.claimed:.9g}"
    return (
        f"{m.tried:,} pairs of neighbours; the furthest sums are {m.found:.9g} apart, claimed {m.claimed:.9g}"
    )


@says("better points")
def _points(m: Measured, found: Found) -> str:
    if not m.tried or found.verdict != "SURVIVED":
        return found.reason
    return (
        f"{m.tried:,} local searches from points up to 10 away found no feasible value certainly below the claimed one; "
        f"the least of them is {m.found:.3g} above it"
    )


@says("repeated calls")
def _repeats(m: Measured, found: Found) -> str:
    if not m.count:
        return found.reason
    k, n, l, size = m.count  # noqa: E741
    words = (
        f"calls made {m.way}: a later call repeated the bytes of a call on input 1 {k:,} times in {n:,} on input 1 and "
        f"{l:,} times in {size:,} on input 0"
    )
    return _joined(found.reason, words, m.note)


@says("timing")
def _timing(m: Measured, found: Found) -> str:
    words = f"{m.successes:,} of {m.trials:,} {m.of}: {m.probability:.4g} is allowed, p-value {chance(m.p)}"
    return _joined(words, found.reason)


@says("compression guarantee")
def _compression(m: Measured, found: Found) -> str:
    known = found.reason or f"alpha is at most {m.found:.6g} for all pairs"
    return known + ("" if m.largest is None else f" and at least {m.largest:.6g} for one explicit pair")
