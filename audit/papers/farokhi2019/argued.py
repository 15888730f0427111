"""A formula with its derivation and instances of the same sentence, as one statement of a claim."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import sympy as sp

from ....symbolic.derivation import Derivation, Step
from ....symbolic.truth import Truth
from ...dossier import formula as formulas
from ...dossier.formula import Formula
from ...dossier.instances import Instances, on_instances
from ...evidence import Evidence, Verdict


@dataclass(frozen=True)
class Argued:
    """A formula with its derivation, and instances of the same sentence; `missing` says why nothing is derived."""

    formula: Formula
    instances: Instances
    missing: str = ""


def argument(claim: Argued, rng: np.random.Generator) -> Evidence:
    """The derivation of the formula; UNDECIDED where a premise of the derivation is missing."""
    if claim.missing:
        sentence = claim.instances.sentence or claim.formula.sentence
        return Evidence("derivation", "proof", "law", Verdict.UNDECIDED, sentence, claim.missing)
    return formulas.derivation(claim.formula, rng)


def instances(claim: Argued, rng: np.random.Generator) -> Evidence:
    """The instances of the same sentence."""
    return on_instances(claim.instances, rng)


ARGUED = (argument, instances)


def argued(*steps: Step, lemmas: tuple[str, ...] = ()) -> Callable[[Formula], Derivation]:
    """An argument: the printed side against the derived one, then the steps that lead to the derived one."""

    def build(f: Formula) -> Derivation:
        last = Step(f.left, f.relation, f.right, "the side that is printed against the side that is derived")
        return Derivation(f.sentence, (*steps, last), lemmas)

    return build


def expanded(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality after differentiation and expansion, for all functions; anything else stays open."""
    return Truth.HOLDS if sp.expand((left - right).doit()) == 0 else Truth.UNKNOWN
