"""Whether an audit would have found half the noise: what the least of its survivals is worth, in a sentence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from .evidence import ALONG, Resolution

_MISSED = "anything smaller, of another kind, or behind a digest or encryption may have been missed"


def half_noise(found: Resolution) -> str:
    """Would half the noise have been found, yes or no, and the smallest factor that would."""
    if found.value is None:
        least = "no factor up to 64 would"
    else:
        size = f"{found.value:.4g}"
        along = ALONG[found.ray].format(c=size) if found.ray in ALONG else found.ray
        least = f"the smallest factor that would is {size} ({along}, with probability {found.power:g})"
    if found.samples is not None:
        least = f"about {found.samples:,.0f} samples per input would decide it"
    word = "yes" if found.half else "no"
    if found.limit is not None:
        word = f"no, claim loose here: at the inputs tried it allows noise down to about 1/{found.limit:.3g} of this, by the events that were seen"
    return f"would half the noise have been found here: {word}; {least}"


def least_power(findings: Iterable[Mapping[str, Any]]) -> tuple[Resolution, str] | None:
    """The resolution of the claim that held with the least power, and its title, of findings as plain data; None if none states any."""
    stated = [
        (one, finding["title"])
        for finding in findings
        if _holds(finding)
        for one in _best(finding["evidence"])
    ]
    return max(stated, key=lambda row: row[0].departure, default=None)


def weakest_survival(findings: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What the least of the claims that survived is worth: half the noise, and on a line of its own records in clear; none if none states it."""
    rows = list(findings)
    worst = least_power(rows)
    shares = [
        (one.in_clear, finding["title"])
        for finding in rows
        if _holds(finding)
        for one in _stated(finding["evidence"])
        if one.in_clear is not None
    ]
    lines = (
        [] if worst is None else [f"weakest resolution: {half_noise(worst[0])}, of “{worst[1]}”; {_MISSED}"]
    )
    if shares:
        share, title = max(shares)
        lines.append(
            f"smallest share of outcomes with a record in clear that would have been found: {100 * share:.3g} %, of “{title}”"
        )
    return tuple(lines)


def _holds(finding: Mapping[str, Any]) -> bool:
    return bool(finding["claim"]["expect"] != "falls" and finding["verdict"] == "SURVIVED")


def _stated(evidence: Iterable[Mapping[str, Any]]) -> list[Resolution]:
    return [
        Resolution(**one["resolution"])
        for one in evidence
        if one["resolution"] and one["verdict"] == "SURVIVED"
    ]


def _best(evidence: Iterable[Mapping[str, Any]]) -> Iterator[Resolution]:
    """Of each sentence what its best check would have found; half the noise shows in the numbers, in their bytes, or against a declared law."""
    rows = list(evidence)
    law, fit, code = (
        _stated(one for one in rows if one["sentence"] in about)
        for about in (("law",), ("fit",), ("code", "bytes"))
    )
    if not any(one.half or one.limit is not None for one in code):
        code, fit = code + fit, []
    for found in filter(None, (law, fit, code)):
        yield min(found, key=lambda one: one.departure)
