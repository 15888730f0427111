"""The page of a release: one HTML file that an officer reads on a phone, prints and signs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..audit.record.certificate import Certificate
from ..audit.record.evidence import SENTENCES
from ..audit.record.reading.by_path import Record, UnreadableError, as_number
from ..audit.record.weakest import weakest_survival
from ..audit.release.checklist.item import Item
from ..audit.release.checklist.template import waiting
from ..symbolic.errors import counted
from .compliance import answer_word, by_topic, counts, failing
from .drawing import LOOKS
from .environment import page
from .release_facts import release_facts
from .statistics_facts import statistics_facts
from .text import content_digest
from .words import Word, overall

_SUPPRESSED = Word("Too noisy", "undecided", "the noise hides this number: leave it out of a table", "dash")
_OF_NOISE = {
    "law": "the distribution of the noise has the property",
    "fit": "the code follows the distribution of the noise",
}
_SHOWN_FIGURES = ("trade-off", "privacy curve")


def release_page(
    manifest: Mapping[str, Any],
    certificate: Mapping[str, Any],
    checklist: Sequence[Item],
    trade_off: Sequence[Mapping[str, Any]] = (),
) -> str:
    """The content of index.html; `trade_off` are figures as the plain data of `Series`.

    Without figures, those of the audit are drawn. ValueError if manifest or certificate is damaged, or if a verdict
    does not follow from its evidence.
    """
    facts = release_facts(manifest)
    numbers = statistics_facts(manifest)
    more = {} if numbers is None else {"numbers": numbers, "suppressed": _SUPPRESSED}
    checked = Certificate.from_data(certificate).to_dict()
    try:
        return page(
            "release.html" if numbers is None else "release_statistics.html",
            facts=facts,
            digest=content_digest(manifest),
            certificate=checked,
            weakest=weakest_survival(checked["findings"]),
            headline=_headline(checked, checklist),
            topics=by_topic(checklist),
            counts=counts(checklist),
            failing=failing(checklist),
            unanswered=waiting(checklist),
            word=answer_word,
            sentences=SENTENCES | _OF_NOISE,
            anchors={f"certificate.json#{f['id']}": f"finding-{f['id']}" for f in checked["findings"]},
            trade_off=[_drawable(series) for series in trade_off or _figures(checked)],
            **more,
        )
    except (TypeError, OverflowError) as error:
        raise ValueError(f"the certificate holds something that cannot be printed: {error}") from error


def _figures(certificate: dict[str, Any]) -> list[dict[str, Any]]:
    """One figure of each kind, from the first claim that should hold and has one."""
    drawn: dict[str, dict[str, Any]] = {}
    for finding in certificate["findings"]:
        if finding["claim"]["expect"] == "holds":
            for series in (s for one in finding["evidence"] for s in one["series"]):
                drawn.setdefault(series["figure"], series)
    return [drawn[name] for name in _SHOWN_FIGURES if name in drawn]


def _drawable(series: Mapping[str, Any]) -> Mapping[str, Any]:
    """The series itself; UnreadableError where a figure could not be drawn from it."""
    record = Record.of(series, "figure")
    for name in ("figure", "title", "x_label", "y_label"):
        record.text(name)
    for name in ("x_scale", "y_scale"):
        if record.text(name) not in ("linear", "log"):
            raise UnreadableError(f"{record.where(name)}: expected linear or log, got {record.text(name)!r}")
    for line in record.records("lines"):
        line.text("name")
        if line.text("role") not in LOOKS:
            raise UnreadableError(
                f"{line.where('role')}: expected one of {', '.join(LOOKS)}, got {line.text('role')!r}"
            )
        given = {name: line.items(name) for name in ("x", "y", "low", "high") if line.value(name) is not None}
        for name, values in given.items():
            if len(values) != len(given["x"]) or any(as_number(v) is None and v != "nan" for v in values):
                raise UnreadableError(f"{line.where(name)}: expected {counted(len(given['x']), 'number')}")
        if "x" not in given or "y" not in given:
            raise UnreadableError(f"{line.place}: expected x and y")
    return series


def _headline(certificate: dict[str, Any], items: Sequence[Item]) -> Word:
    """The verdict of the audit, with the colour of the checklist where that is worse."""
    word = overall(certificate)
    failed = sum(item.answer.state == "not met" for item in items)
    if certificate["exit_code"] == 0 and failed:
        said = f"{failed} item{'s' if failed > 1 else ''} of the checklist {'are' if failed > 1 else 'is'} not met."
        return Word(word.text, "undecided", f"{word.meaning} {said}", word.glyph)
    return word
