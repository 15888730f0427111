"""Estimators that are unbiased for all parameters, found among simple statistics, with their exact variances."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import sympy as sp

from ..laws.law import Law, simplified
from ..proof.apart import UnfinishedError, apart
from ..proof.derivation import Step
from ..proof.enclosure import is_zero
from ..proof.truth import Truth


@dataclass(frozen=True)
class UnbiasedEstimator:
    """A function of one outcome whose mean is the parameter, whatever the parameters are, and its variance."""

    estimator: sp.Expr
    parameter: sp.Symbol
    variance: sp.Expr
    steps: tuple[Step, ...]


def unbiased_estimators(
    law: Law, parameter: sp.Symbol, unknown: Sequence[sp.Symbol]
) -> list[UnbiasedEstimator]:
    """Those that were found: (t - b)/a for a statistic t of mean a theta + b, where a and b contain none of the `unknown`."""
    found = list[UnbiasedEstimator]()
    for statistic in _statistics(law):
        try:
            one = apart(partial(_of, law, parameter, unknown, statistic), "an estimator")
        except (UnfinishedError, ValueError, ArithmeticError, TypeError, NotImplementedError):
            continue
        if one is not None:
            found.append(one)
    return found


def _statistics(law: Law) -> Iterator[sp.Expr]:
    y = law.variable
    yield y
    positive = law.support[0].is_nonnegative
    yield from (y**2, sp.log(y), 1 / y, sp.sqrt(y)) if positive else (y**2, sp.Abs(y))
    # The statistic of an exponential family of one parameter stands in its score.
    logarithm = sp.expand_log(sp.expand(law.log_density()), force=True)
    own = {term.as_independent(y)[1] for term in sp.Add.make_args(sp.expand(logarithm)) if term.has(y)}
    for term in sorted(own, key=sp.default_sort_key):
        if not term.free_symbols - {y} and term not in (y, y**2):
            yield term
    for symbol in sorted(law.free_symbols, key=lambda s: str(s.name)):
        powers = {e for e in law.density.atoms(sp.Pow) if e.base == y and e.exp == symbol}
        yield from sorted(powers, key=sp.default_sort_key)


def _of(
    law: Law, parameter: sp.Symbol, unknown: Sequence[sp.Symbol], statistic: sp.Expr
) -> UnbiasedEstimator | None:
    if statistic.free_symbols & set(unknown):
        return None
    mean = simplified(law.expectation(statistic))
    if mean.has(sp.Integral, sp.Sum, sp.oo, sp.nan) or not mean.has(parameter):
        return None
    slope = simplified(sp.diff(mean, parameter))
    rest = simplified(mean - slope * parameter)
    if (slope.free_symbols | rest.free_symbols) & set(unknown) or is_zero(slope) is not Truth.FAILS:
        return None
    square = simplified(law.expectation(statistic**2))
    if square.has(sp.Integral, sp.Sum, sp.oo, sp.nan):
        return None
    estimator = (statistic - rest) / slope
    variance = simplified((square - mean**2) / slope**2)
    steps = (
        Step(
            simplified(law.expectation(estimator)), "=", parameter, f"{estimator} is unbiased for {parameter}"
        ),
        Step(square / slope**2 - mean**2 / slope**2, "=", variance, f"the variance of {estimator}"),
    )
    return UnbiasedEstimator(estimator, parameter, variance, steps)
