"""Whether an audit would have found half the noise: the survivor with the least power, and what lacked it, in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ...symbolic.errors import counted
from .evidence import SCALED_FAMILY, SCALED_NOISE, STRICTER_CLAIM, Resolution

_MISSED = "smaller reductions, faults of another kind, or behind a digest or encryption may be missed"
_LESS = {
    SCALED_NOISE: "noise {:.4g} times smaller than this release has",
    SCALED_FAMILY: "a scale {:.4g} times smaller than this family has",
    STRICTER_CLAIM: "a breach of a claim {:.4g} times stricter than this one",
}
_Evidence = Sequence[Mapping[str, Any]]
_Stated = list[tuple[Resolution, Mapping[str, Any]]]


def half_noise(found: Resolution) -> str:
    """Whether half the noise would have been found, and how much less noise would be."""
    least, half = "nor would any factor up to 64", "scale" if found.ray == SCALED_FAMILY else "noise"
    if found.value is not None:
        less = _LESS.get(found.ray, "c = {:.4g} ({})").format(found.value, found.ray)
        least = f"{less} would be found with probability {found.power:g} (estimated by this audit)"
    if found.samples is not None:
        least = f"about {found.samples:,.0f} samples per input would decide it"
    word = "" if found.half else "NOT "
    loose = ""
    if found.limit is not None:
        word = "NOT "
        loose = f", claim loose here: at the inputs tried it allows {half} down to about 1/{found.limit:.3g} of this, by the events that were seen"
    return f"half the {half} would {word}have been found{loose}; {least}"


def record_in_clear(found: Resolution) -> str:
    """In how many of the outcomes a record in clear would have been noticed."""
    share = 100 * (found.in_clear or 0.0)
    all_of_them = "all of them do; when half of them do, it may miss it"
    when = f"when {all_of_them if share == 100 else f'at least {share:.3g} % of them do'}"
    return (
        f"if outcomes leak the record in clear, the audit notices it with probability {found.power:g} {when}"
    )


def least_power(findings: Iterable[Mapping[str, Any]]) -> tuple[Resolution, str] | None:
    """The resolution of the claim that held with the least power, and its title, of findings as plain data; None if none states any."""
    stated = [(one, f) for f in findings if _holds(f) for one in _best(f["evidence"])]
    return _least(stated)[:2] if stated else None


def weakest_survival(findings: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What survived with the least power, over the reals and in the bytes, what lacked power, and records in clear: a line each."""
    rows = [finding for finding in findings if finding["claim"]["expect"] != "falls"]
    held = list(filter(_holds, rows))
    numbers = [(one, f) for f in held for one in _best(f["evidence"])]
    written = [(one, f) for f in held for one in _best(f["evidence"], ("bytes",))]
    lines = []
    for stated, where, more in ((numbers, "", f"; {_MISSED}"), (written, " in the bytes", "")):
        if stated:
            found, title, many = _least(stated)
            of = "resolution" if many == 1 else f"least power among {many} claims that survived"
            lines.append(f"{of}{where}: {half_noise(found)}, of “{title}”{more}")
    undecided = [f for f in rows if f["verdict"] == "UNDECIDED"]
    powerless = [(one, f) for f in undecided for one in _stated(f["evidence"], verdict="UNDECIDED")]
    if powerless:
        found, title, many = _least(powerless)
        below = "up to 64" if found.value is None else f"below {found.value:.4g}"
        lines.append(
            f"{counted(many, 'claim')} {'is' if many == 1 else 'are'} undecided for lack of power: "
            f"no factor {below} would have been found, of “{title}”"
        )
    clear = [(one, f["title"]) for f in held for one in _stated(f["evidence"]) if one.in_clear is not None]
    if clear:
        found, title = max(clear, key=lambda row: row[0].in_clear or 0.0)
        lines.append(f"{record_in_clear(found)} (“{title}”)")
    return tuple(lines)


def _least(stated: _Stated) -> tuple[Resolution, str, int]:
    """The resolution that shows least, the title of its claim, and of how many claims there are any."""
    found, finding = max(stated, key=lambda row: row[0].departure)
    return found, finding["title"], len({id(f) for _, f in stated})


def _holds(finding: Mapping[str, Any]) -> bool:
    return bool(finding["claim"]["expect"] != "falls" and finding["verdict"] == "SURVIVED")


def _stated(evidence: _Evidence, about: str = "", verdict: str = "SURVIVED") -> list[Resolution]:
    return [
        Resolution(**one["resolution"])
        for one in evidence
        if one["resolution"] and one["verdict"] == verdict and about in ("", one["sentence"])
    ]


def _best(evidence: _Evidence, about: Sequence[str] = ("law", "fit", "code")) -> Iterator[Resolution]:
    """Of each sentence over the reals what its best check would have found; half the noise shows in the numbers or against a declared law."""
    *others, last = (_stated(evidence, sentence) for sentence in about)
    if others and not any(one.half or one.limit is not None for one in last):
        last += others.pop()
    for found in filter(None, (*others, last)):
        yield min(found, key=lambda one: one.departure)
