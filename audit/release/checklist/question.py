"""A question of the checklist, and what the checks that answer questions look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ...record.certificate import Certificate
from ...record.reading.by_path import Record
from .item import Answer

Check = Callable[["Case"], Answer]


@dataclass(frozen=True)
class Case:
    """The manifest by path, and the certificate with its verdicts computed again."""

    manifest: Record
    certificate: Certificate


@dataclass(frozen=True)
class Question:
    """An item before it is answered: by `check`, or, where there is none, by the signer, who is told `hint`."""

    key: str
    topic: str
    text: str
    check: Check | None = None
    hint: str = ""


def about(topic: str, *asked: tuple[str, str, Check | str]) -> tuple[Question, ...]:
    """The questions of one topic: the key of each, its text, and its check or what the signer is told."""
    return tuple(
        Question(key, topic, text, None, how) if isinstance(how, str) else Question(key, topic, text, how)
        for key, text, how in asked
    )
