"""The checklist in words, colours and counts: green is kept for evidence, a person's word is never green."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from ..audit.release.checklist.item import STATES, Answer, Item
from .markdown import escape
from .words import Word

_WORDS = {
    "met": Word("Met", "proved", "answered by evidence"),
    "not met": Word("Not met", "refuted", "evidence, or the signer, says no"),
    "open": Word("Open", "undecided", "the evidence that is needed is missing or decides nothing"),
    "asked of the signer": Word(
        "Asked of the signer", "undecided", "only a person can answer, and nobody has", "pencil"
    ),
}
_NOT_APPLICABLE = Word("Not applicable", "survived", "the release has nothing that this is about", "dash")
_DENIED = Word("Signer says no", "refuted", "a person's word")
_SIGNED: dict[str, Word] = {
    "not known": Word("Signer: not known", "undecided", "nobody can say", "pencil"),
    "not applicable": Word("Signer: not applicable", "survived", "a person's word, not evidence", "pencil"),
    "yes": Word("Signer says yes", "survived", "a person's word, not evidence", "pencil"),
}


def answer_word(answer: Answer) -> Word:
    """The word for an answer; what a signer says has colours of its own."""
    if answer.signer is not None and answer.state == "asked of the signer":
        return _SIGNED[answer.signer.answer]
    if answer.signer is not None and answer.state == "not met" and answer.signer.answer == "no":
        return _DENIED
    return _WORDS[answer.state] if answer.applies else _NOT_APPLICABLE


def counts(items: Sequence[Item]) -> list[tuple[Word, int]]:
    """How many items have each word, worst first; words that no item has are left out."""
    order = [
        _DENIED,
        *(_WORDS[state] for state in STATES[:-1]),
        *_SIGNED.values(),
        _WORDS["met"],
        _NOT_APPLICABLE,
    ]
    words = [answer_word(item.answer) for item in items]
    return [(word, words.count(word)) for word in order if word in words]


def failing(items: Sequence[Item]) -> list[Item]:
    """The items that speak against a release: not met, or open."""
    return [item for item in items if item.answer.state in ("not met", "open")]


def by_topic(items: Sequence[Item]) -> list[tuple[str, list[Item]]]:
    """The items in their order, one group for each topic."""
    return [(topic, list(group)) for topic, group in groupby(items, key=lambda item: item.topic)]


def checklist_markdown(items: Sequence[Item]) -> list[str]:
    """The checklist as lines of Markdown: a table for each topic."""
    lines = []
    for topic, group in by_topic(items):
        lines += [f"### {escape(topic)}", "", "| item | answer | why |", "| --- | --- | --- |"]
        for item in group:
            signer = item.answer.signer
            said = [] if signer is None else [f"Signer's answer: {signer}"]
            why = escape(". ".join([*filter(None, [item.answer.why.rstrip(".")]), *said]))
            lines.append(f"| {escape(item.question)} | {escape(answer_word(item.answer).text)} | {why} |")
        lines.append("")
    return lines
