"""A witness is plain data from which anyone can evaluate a refutation again, in another process.

Its "kind" names the evaluator, which knows only the data of the witness: nothing of the run that found it.  Where the
witness stands in a certificate, the terms beside it say which claim it has to break and how much alpha it may spend.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from ...symbolic.errors import nearest_name
from .limits import bounded
from .plain import plain
from .terms import Terms
from .witness_form import RANGES, Form

Witness = dict[str, Any]
Evaluator = Callable[[Witness], tuple[bool, str]]
# Why a witness asks for more than its terms grant; None if it does not.
Tie = Callable[[Witness, Terms], str | None]


@dataclass(frozen=True)
class _Kind:
    """How witnesses of one kind are evaluated, what they look like, and what ties them to their certificate."""

    evaluator: Evaluator
    form: type[Form] | None
    tie: Tie | None


_KINDS: dict[str, _Kind] = {}


def register(
    kind: str, form: type[Form] | None = None, tie: Tie | None = None
) -> Callable[[Evaluator], Evaluator]:
    """Decorator: the function evaluates witnesses of this kind and form, (True, what it shows) if one stands."""

    def keep(evaluator: Evaluator) -> Evaluator:
        previous = _KINDS.get(kind)
        if previous is not None and previous.evaluator.__qualname__ != evaluator.__qualname__:
            raise ValueError(
                f"a witness kind has one evaluator: {kind!r} is taken by {previous.evaluator.__qualname__}"
            )
        _KINDS[kind] = _Kind(evaluator, form, tie)
        return evaluator

    return keep


def kinds() -> list[str]:
    """The kinds of witness whose evaluators were imported."""
    return sorted(_KINDS)


def evaluator_of(kind: str) -> Evaluator:
    """The function that evaluates witnesses of a kind that is known."""
    return _KINDS[kind].evaluator


def reevaluate(witness: Witness, terms: Terms | None = None) -> tuple[bool, str]:
    """Whether the refutation stands, and what the numbers say; with `terms`, whether it is one of their claim.

    ValueError for data that is no witness, or that is too large to be evaluated.
    """
    bounded(witness)
    known = kinds()
    kind = witness.get("kind")
    if kind not in known:
        raise ValueError(f'unknown kind of witness {kind!r} under "kind": {nearest_name(str(kind), known)}')
    found = _KINDS[kind]
    try:
        fault = None if found.form is None else _misfit(kind, found.form, witness)
        if fault is None and terms is not None:
            fault = next(terms.faults(), None) or (found.tie and found.tie(witness, terms))
        return found.evaluator(witness) if fault is None else (False, fault)
    except KeyError as missing:
        raise ValueError(
            f"a witness of kind {kind!r} needs the entry {missing}: it was cut or edited"
        ) from None
    except (TypeError, IndexError, AttributeError, ArithmeticError) as error:
        raise ValueError(
            f"a witness of kind {kind!r} cannot be evaluated ({error}): it was cut or edited"
        ) from None


def _misfit(kind: str, form: type[Form], witness: Witness) -> str | None:
    """What is out of its range; ValueError for an entry that is missing, unknown or of another type."""
    try:
        form.model_validate(plain(witness))
    except ValidationError as error:
        found = error.errors(include_url=False, include_input=False)
        first = next((e for e in found if e["type"] not in RANGES), found[0])
        place = ".".join(str(part) for part in first["loc"])
        if first["type"] == "missing":
            raise KeyError(place) from None
        if first["type"] not in RANGES:
            raise TypeError(f"{place}: {first['msg']}") from None
        return f"{place}: {first['msg']}"
    return None
