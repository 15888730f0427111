"""The signer's answers, read strictly: one word of four, always with a reason."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ....symbolic.errors import SpecError, nearest_name
from .item import SAID, SignerAnswer


def read_answers(given: object, keys: Sequence[str]) -> dict[str, SignerAnswer]:
    """The answers by key of item, such as `yes: decided by the board on 3 March`; SpecError for any other."""
    if not isinstance(given, Mapping):
        raise SpecError(f"expected a table of answers by item, got {type(given).__name__}", key="answers")
    answers = {}
    for key, text in given.items():
        if not isinstance(key, str) or key not in keys:
            raise SpecError(f"no item {key!r}: {nearest_name(str(key), keys)}", key="answers")
        word, _, why = text.partition(":") if isinstance(text, str) else ("", "", "")
        said = next((one for one in SAID if one == " ".join(word.casefold().split())), None)
        if said is None or not why.strip():
            forms = ", ".join(f'"{one}: why"' for one in SAID)
            raise SpecError(
                f"expected {forms}, with the reason in words, got {text!r:.80}", key=f"answers.{key}"
            )
        answers[key] = SignerAnswer(said, why.strip())
    return answers
