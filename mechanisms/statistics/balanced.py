"""A strategy under which no table of a workload pays for the others: weights are found so that all gain alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache

from .marginal_space import Marginal
from .marginals import MarginalStrategy, marginal_strategy

_ROUNDS = 8
_POWER = {
    "gaussian": 1.0,
    "laplace": 0.6,
}  # of the ratio by which a weight grows; the search for Laplace noise jumps
_DIGITS = 6


@lru_cache(maxsize=32)
def _balanced(
    sizes: tuple[tuple[str, int], ...], tables: tuple[Marginal, ...], noise: str, neighbours: str, rows: int
) -> MarginalStrategy:
    weights = dict.fromkeys(tables, 1.0)
    found: tuple[float, MarginalStrategy] | None = None
    for _ in range(_ROUNDS):
        asked = {t: round(w, _DIGITS) or 10**-_DIGITS for t, w in weights.items()}
        made = marginal_strategy(dict(sizes), asked, 1, noise, neighbours=neighbours, rows=rows)
        variances = {t: float(made.cell_variance(t)) for t in tables}
        worst = max(variances.values())
        if found is None or worst < found[0]:
            found = worst, made
        mean = sum(variances.values()) / len(tables)
        if worst <= mean * 1.01:
            break
        weights = {t: w * (variances[t] / mean) ** _POWER[noise] for t, w in weights.items()}
    assert found is not None
    return found[1]


def balanced_strategy(
    sizes: Mapping[str, int],
    tables: Sequence[Marginal],
    noise: str,
    *,
    neighbours: str = "add-or-remove",
    rows: int = 1,
) -> MarginalStrategy:
    """The strategy for a total of 1 whose worst table has the least variance a cell that a few rounds of weights find.

    Measured one by one with equal shares, all cells of all tables have one variance, which the strategy is free to choose too:
    the rounds begin at equal weights of the tables and give more to those that are worse off.  Each is certified for its weights.
    """
    return _balanced(tuple(sizes.items()), tuple(tables), noise, neighbours, rows)
