"""The signer's answers, read strictly: one of four, always with a reason."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from typing import Any

from ....symbolic.errors import SpecError, nearest_name
from .item import SAID, Said, SignerAnswer

_FIELDS = ("answer", "why", "by", "date")
FORMS = ", ".join(f'"{word}: why"' for word in SAID)


def read_answers(given: object, keys: Sequence[str]) -> dict[str, SignerAnswer]:
    """The answers by key of item, each {answer, why, by, date} or text such as "yes: why"; SpecError for any other."""
    if not isinstance(given, Mapping):
        raise SpecError(f"expected a table of answers by item, got {type(given).__name__}", key="answers")
    answers = {}
    for key, one in given.items():
        if not isinstance(key, str) or key not in keys:
            raise SpecError(f"no item {key!r}: {nearest_name(str(key), keys)}", key="answers")
        answers[key] = _read(one, f"answers.{key}")
    return answers


def _read(one: Any, place: str) -> SignerAnswer:
    if isinstance(one, str):
        return _read_text(one, place)
    if not isinstance(one, Mapping):
        raise SpecError(f"expected {FORMS}, or a table with {', '.join(_FIELDS)}, got {one!r:.80}", key=place)
    for name in one:
        if name not in _FIELDS:
            raise SpecError(f"unknown entry {name!r}: {nearest_name(str(name), _FIELDS)}", key=place)
    said = _word(one.get("answer"))
    if said is None:
        words = ", ".join(f'"{word}"' for word in SAID)
        raise SpecError(f"expected {words}, got {one.get('answer')!r:.80}", key=f"{place}.answer")
    why, by = (_text(one, name, place) for name in ("why", "by"))
    return SignerAnswer(said, why, by, _date(one.get("date"), f"{place}.date"))


def _read_text(text: str, place: str) -> SignerAnswer:
    """An answer on one line, such as `yes: decided by the board on 3 March`; who and when are part of the reason."""
    word, _, why = text.partition(":")
    said = _word(" ".join(word.casefold().split()))
    if said is None or not why.strip():
        raise SpecError(f"expected {FORMS}, with the reason in words, got {text!r:.80}", key=place)
    return SignerAnswer(said, why.strip(), "", "")


def _word(given: object) -> Said | None:
    return next((word for word in SAID if word == given), None)


def _text(one: Mapping[str, Any], name: str, place: str) -> str:
    value = one.get(name)
    if not isinstance(value, str) or not value.strip():
        what = "who answers" if name == "by" else "the reason, in a sentence"
        raise SpecError(f"expected {what}, got {value!r:.80}", key=f"{place}.{name}")
    return value.strip()


def _date(value: Any, place: str) -> str:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value.isoformat()
    try:
        if isinstance(value, str) and len(value) == 10:
            return datetime.date.fromisoformat(value).isoformat()
    except ValueError:
        pass
    raise SpecError(f"expected a date such as 2026-03-31, got {value!r:.80}", key=place)
