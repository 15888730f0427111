"""A witness is plain data from which anyone can evaluate a refutation again, in another process.

Its "kind" names the evaluator, which knows only the data of the witness: nothing of the run that found it.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from ...symbolic.errors import nearest_name

Witness = dict[str, Any]
Evaluator = Callable[[Witness], tuple[bool, str]]

# The modules whose import registers evaluators, loaded when the first witness comes in.
HOMES = (
    "trial.checks.profile_witness",
    "trial.checks.rare_events",
    "trial.replay",
    "trial.attack.additive.shifted_noise",
    "dossier.formula",
    "dossier.instances",
    "dossier.arguments.cheaper_noise",
    "papers.chanyaswad2019.arguments.projected_covariance",
    "studies.adversaries.linear_witness",
    "studies.ron_gauss.loss_witness",
    "studies.compression.ratio_witness",
    "studies.large_margin.impossible_output",
)

_EVALUATORS: dict[str, Evaluator] = {}


def register(kind: str) -> Callable[[Evaluator], Evaluator]:
    """Decorator: the function evaluates witnesses of this kind, (True, what it shows) if one stands."""

    def keep(evaluator: Evaluator) -> Evaluator:
        previous = _EVALUATORS.get(kind)
        if previous is not None and previous.__qualname__ != evaluator.__qualname__:
            raise ValueError(
                f"a witness kind has one evaluator: {kind!r} is taken by {previous.__qualname__}"
            )
        _EVALUATORS[kind] = evaluator
        return evaluator

    return keep


def kinds() -> list[str]:
    """The kinds of witness that can be evaluated here."""
    for home in HOMES:
        import_module(f"..{home}", __package__)
    return sorted(_EVALUATORS)


def reevaluate(witness: Witness) -> tuple[bool, str]:
    """Whether the refutation stands, from the data of the witness alone, and what the numbers say."""
    known = kinds()
    kind = witness.get("kind")
    if kind not in known:
        raise ValueError(f'unknown kind of witness {kind!r} under "kind": {nearest_name(str(kind), known)}')
    try:
        return _EVALUATORS[kind](witness)
    except KeyError as missing:
        raise ValueError(
            f"a witness of kind {kind!r} needs the entry {missing}: it was cut or edited"
        ) from None
    except (TypeError, IndexError, AttributeError, ZeroDivisionError) as error:
        raise ValueError(
            f"a witness of kind {kind!r} cannot be evaluated ({error}): it was cut or edited"
        ) from None
