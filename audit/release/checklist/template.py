"""What the signer is asked, as the table of a policy that can be filled in before a release."""

from __future__ import annotations

from collections.abc import Iterable

from .checklist import QUESTIONS
from .item import Item

_HOW = (
    'Write "yes: ", "no: ", "not applicable: " or "not known: ", then the reason, the role that decides, and the date. A "no" fails `noiseproof verify`.',
    "Answers appear word for word in index.html, data-card.md and release.json: name roles rather than people, and no details of security.",
)


def waiting(items: Iterable[Item]) -> list[Item]:
    """The items that nobody and nothing has answered yet."""
    return [i for i in items if i.answer.state == "asked of the signer" and i.answer.signer is None]


def answers_template(items: Iterable[Item] | None = None) -> str:
    """TOML with every question as a comment and every answer left empty, for the end of a policy.

    Of `items` only what still waits for the signer is asked; without them, what no check can ever answer.
    """
    if items is None:
        asked = [(q.key, q.text, q.hint) for q in QUESTIONS if q.check is None]
    else:
        asked = [(i.key, i.question, i.answer.why) for i in waiting(items)]
    lines = ["[answers]", *map(_comment, _HOW)]
    for key, question, hint in asked:
        lines += ["", _comment(question), _comment(hint), f'{key} = ""']
    return "\n".join(lines) + "\n"


def _comment(text: str) -> str:
    """The text as a comment: no character of it can end the line."""
    return "# " + " ".join("".join(c if c.isprintable() else " " for c in text).split())
