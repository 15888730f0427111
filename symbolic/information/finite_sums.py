"""The Fisher information of finitely many outcomes: a finite sum of products of the slopes of their probabilities."""

from __future__ import annotations

from collections.abc import Sequence

import sympy as sp

from ..laws.law import simplified
from ..proof.apart import UnfinishedError, apart, tame
from ..proof.as_written import product, total
from ..proof.derivation import Derivation, Step


def by_masses(
    name: str, probabilities: Sequence[sp.Expr], theta: Sequence[sp.Symbol]
) -> tuple[sp.ImmutableMatrix, Derivation]:
    """The matrix of finitely many outcomes with these probabilities, and how it comes about."""
    k = len(theta)
    entries = {(i, j): entry_of(probabilities, theta[i], theta[j]) for i in range(k) for j in range(i + 1)}
    value = sp.ImmutableMatrix(k, k, lambda i, j: entries[max(i, j), min(i, j)])
    return value, derivation_of(name, probabilities, theta, value)


def entry_of(probabilities: Sequence[sp.Expr], a: sp.Symbol, b: sp.Symbol) -> sp.Expr:
    """The sum of the products of the slopes of each probability, divided by it; as it is where to simplify it takes long."""
    whole = sp.Add(*(sp.diff(p, a) * sp.diff(p, b) / p for p in probabilities if p != 0))
    try:
        return apart(lambda: _tidy(whole), "a shorter form of the sum", here=tame(whole))
    except UnfinishedError:
        return whole


def _tidy(whole: sp.Expr) -> sp.Expr:
    """Simplified; a ratio of polynomials with rational coefficients by its factors, which are found in far less time."""
    powers = all(p.exp.is_Integer for p in whole.atoms(sp.Pow))
    numbers = all(a.is_Symbol or a.is_Rational for a in whole.atoms())
    return sp.factor(whole) if powers and numbers and whole.is_rational_function() else simplified(whole)


def derivation_of(
    name: str, probabilities: Sequence[sp.Expr], theta: Sequence[sp.Symbol], value: sp.ImmutableMatrix
) -> Derivation:
    """Mass one, slopes that add up to zero, and each entry as the mean of the products of scores."""
    masses = [p for p in probabilities if p != 0]
    steps = [Step(total(*masses), "=", sp.Integer(1), "the probabilities add up to one")]
    for i, a in enumerate(theta):
        scores = [sp.diff(sp.log(p), a) for p in masses]
        mean = total(*(product(p, s) for p, s in zip(masses, scores, strict=True)))
        steps.append(Step(mean, "=", sp.Integer(0), f"the score of {a} has mean zero"))
        for j, b in enumerate(theta[: i + 1]):
            terms = (product(p, s, sp.diff(sp.log(p), b)) for p, s in zip(masses, scores, strict=True))
            steps.append(Step(total(*terms), "=", value[i, j], f"E[s_{a} s_{b}]"))
    return Derivation(f"the Fisher information of {name} about {', '.join(map(str, theta))}", tuple(steps))
