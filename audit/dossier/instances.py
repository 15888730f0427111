"""A statement about matrices, densities or procedures, tried on seeded instances in exact or enclosed arithmetic.

A rule is a named function in the package: from the printed formula (data) and the numbers of one instance it computes
relations between enclosures.  An instance on which one is certainly false refutes and is the witness.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from flint import arb

from ...symbolic.errors import nearest_name
from ...symbolic.predicates import OVER_NOTHING
from ...symbolic.proof.exact_numbers import enclosed
from ..record.evidence import Evidence, Kind, Measured, Series, Verdict
from ..record.witness import Witness, reevaluate, register
from .paper_claim import Check, checks_of

Relation = Literal["=", "<=", ">=", "<", ">"]
# What is compared, in words, and both sides as balls.
Comparison = tuple[str, arb, Relation, arb]
Rule = Callable[[Mapping[str, Any], Mapping[str, Any]], Iterable[Comparison]]

_RULES: dict[str, Rule] = {}
POSITIVE: dict[str, tuple[str, ...]] = {}


def rule(name: str, *positive: str) -> Callable[[Rule], Rule]:
    """Decorator: the function (printed, numbers) -> comparisons is the rule of this name.

    What has one of the names `positive` is above zero in every instance of the rule.
    """

    def keep(function: Rule) -> Rule:
        previous = _RULES.get(name)
        if previous is not None and previous.__qualname__ != function.__qualname__:
            raise ValueError(f"a rule has one function: {name!r} is taken by {previous.__qualname__}")
        _RULES[name], POSITIVE[name] = function, positive
        return function

    return keep


@dataclass(frozen=True)
class Instances:
    """The rule `rule` holds, with `printed` as the paper has it, on every instance that `draw` gives.

    `printed` and the instances are plain data (texts of exact numbers and formulas, lists of them).  `draw(rng)`
    yields instances, telling cases first and random ones after.
    """

    rule: str
    printed: dict[str, Any]
    draw: Callable[[np.random.Generator], Iterable[dict[str, Any]]] = field(compare=False)
    sentence: str = ""
    series: tuple[Series, ...] = field(default=(), compare=False)


def on_instances(statement: Instances, rng: np.random.Generator) -> Evidence:
    """SURVIVED if no instance is certainly a violation, and on some the comparison is certain; REFUTED by the first that is."""
    return _on_instances(statement, rng, "instances", "computation")


def search(statement: Instances, rng: np.random.Generator) -> Evidence:
    """The same, as the attack of someone who looks for an instance on purpose."""
    return _on_instances(statement, rng, "search for a violation", "attack")


CHECKS = (on_instances,)


@checks_of.register
def _instance_checks(data: Instances) -> tuple[Check[Instances], ...]:
    """A rule is tried on its instances."""
    return CHECKS


def _on_instances(statement: Instances, rng: np.random.Generator, check: str, kind: Kind) -> Evidence:
    tried = comparisons = unclear = 0
    what = statement.sentence or statement.rule
    for numbers in statement.draw(rng):
        tried += 1
        witness = {
            "kind": "instance",
            "rule": statement.rule,
            "printed": statement.printed,
            "numbers": numbers,
        }
        for name, left, relation, right in compared(witness):
            comparisons += 1
            holds = _holds(left, relation, right)
            unclear += holds is None
            if holds is False:
                stands, says = reevaluate(witness)
                if stands:
                    detail = f"{says}; instance {tried}"
                    return Evidence(
                        check,
                        kind,
                        "law",
                        Verdict.REFUTED,
                        what,
                        detail,
                        witness=witness,
                        series=statement.series,
                    )
                raise ValueError(
                    f"{statement.rule}: {name} fails once and stands when evaluated again: {says}"
                )
    verdict = Verdict.SURVIVED if comparisons > unclear else Verdict.UNDECIDED
    if not tried:
        reason = f"{OVER_NOTHING}there are no instances"
        return Evidence(check, kind, "law", verdict, what, reason, series=statement.series)
    measured = Measured(tried=tried, comparisons=comparisons, unclear=unclear)
    return Evidence(check, kind, "law", verdict, what, series=statement.series, measured=measured)


def compared(witness: Witness) -> Sequence[Comparison]:
    """The comparisons of the rule on the instance of the witness; ValueError where that is no instance of it."""
    known, name, numbers = rules(), witness["rule"], witness["numbers"]
    if name not in known:
        raise ValueError(f"unknown rule {name!r}: {nearest_name(str(name), sorted(known))}")
    for key in POSITIVE[name]:
        if key in numbers and not enclosed(str(numbers[key])) > 0:
            raise ValueError(f"no instance of {name!r}: {key} is positive, got {str(numbers[key])[:40]!r}")
    return list(known[name](witness["printed"], numbers))


def rules() -> Mapping[str, Rule]:
    """Every rule that is registered, by its name."""
    return _RULES


def _holds(left: arb, relation: Relation, right: arb) -> bool | None:
    """Whether the relation holds of the exact values; equality is never certain unless both balls are points."""
    match relation:
        case "=":
            # Two enclosures that overlap are as close as they are wide; what is wide says nothing.
            return (None if _wide(left, right) else True) if left.overlaps(right) else False
        case "<=":
            return True if left <= right else False if left > right else _touching(left, right)
        case ">=":
            return _holds(right, "<=", left)
        case "<":
            return True if left < right else False if left >= right else None
        case ">":
            return _holds(right, "<", left)


def _wide(left: arb, right: arb) -> bool:
    scale = max(abs(float(left.mid())), abs(float(right.mid())), 1e-300)
    return float(left.rad()) + float(right.rad()) > 1e-6 * scale


def _touching(left: arb, right: arb) -> bool | None:
    """Equality to within narrow enclosures is no violation of <=."""
    return None if _wide(left, right) else True


@register("instance")
def evaluate_instance(witness: Witness) -> tuple[bool, str]:
    """Whether some comparison of the rule is certainly false on the numbers of the witness."""
    for name, left, relation, right in compared(witness):
        if _holds(left, relation, right) is False:
            return True, f"{name}: {left.str(12)} {relation} {right.str(12)} is false"
    return False, "every comparison holds or is too close to tell"
