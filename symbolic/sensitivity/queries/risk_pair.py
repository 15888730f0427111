"""Minimisers of two data sets that are known exactly: the risk has no slope there, and how far they are apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import sympy as sp

from ...proof.as_written import quotient, total, value_at, weighted
from ...proof.derivation import Step
from ...proof.proofs.kernel_checked import accepted_step
from ...proof.truth import Truth
from ..answer import Dataset
from ..pairs import written_distance
from .risk_problem import RiskProblem

_MOST_RECORDS, _LONGEST = 12, 400
Theta = Sequence[sp.Expr]


def pair_steps(
    problem: RiskProblem,
    pair: tuple[Dataset, Dataset],
    minimisers: tuple[Theta, Theta],
    apart: sp.Expr,
    norm: str,
    again: Callable[[sp.Expr, sp.Expr], Truth],
) -> Iterator[Step]:
    """That the slopes of both risks vanish, where these are formulas that are not too long; then the distance."""
    for dataset, theta, name in zip(pair, minimisers, ("D", "D'"), strict=True):
        for slope in _slopes(problem, dataset, theta):
            if sp.count_ops(slope) <= _LONGEST:
                step = accepted_step(
                    slope, "=", sp.Integer(0), f"the slope of the risk of {name} at {list(theta)}"
                )
                yield from () if step is None else (step,)
    said = f"the minimisers of D = {pair[0]} and D' = {pair[1]}"
    yield Step(written_distance(*minimisers, norm), "=", apart, said, again)


def _slopes(problem: RiskProblem, dataset: Dataset, theta: Theta) -> Iterator[sp.Expr]:
    """The mean slope of the loss and that of the regulariser, with the numbers put in."""
    counts = Counter(tuple(problem.named(record).items()) for record in dataset)
    if len(counts) > _MOST_RECORDS:
        return
    here = dict(zip(problem.over, theta, strict=True))
    for slope, pull in zip(problem.gradient, problem.pull, strict=True):
        terms = [weighted(m, value_at(slope, here | dict(row))) for row, m in counts.items()]
        mean = quotient(total(*terms), len(dataset))
        yield mean if pull == 0 else total(mean, value_at(pull, here))
