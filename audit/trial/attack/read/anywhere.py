"""Values that are clearly more frequent on one input: at their place, or at any place where records are drawn, shuffled or sorted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from .....symbolic.arrays import Floats
from ...outcomes import Outcomes, join, widen
from ..scores import ALONE, ANYWHERE, LEARNT, PLACED, SELDOM, UNCONFIRMED, Score
from ..steps import USUAL_VALUES
from .words import FEWEST, clear, telling

_MOST = 1_000_000  # numbers of an input that teach which values tell
# Outcomes, or numbers, of an input that teach which values tell at their places.
_ROWS, _NUMBERS = 1_000, 400_000
_SEEN, _RECUR = 4_096, 0.02  # numbers that are looked at first, and the share of them that must recur
_OFTEN = 0.01  # of the outcomes of both inputs have a usual value
_FEWEST = 2  # outcomes of both inputs that hold a value which recurs
_LEAST_Z = 1.0  # standard deviations: few values that recur among many that do not are few chances
_LUCK = 0.5  # values that luck alone is expected to leave to one input


def anywhere_score(
    zero: Outcomes, one: Outcomes, look: bool = True, shown: Callable[[float], str] = "{:.10g}".format
) -> Score | None:
    """The sum of the log count ratios of values that clearly more outcomes of one input hold, at whatever place; None if there are none.

    Unless many values recur at first sight, outcomes are only read without that `look`.  `shown` is a value in words.
    """
    width = max(zero.values.shape[1], one.values.shape[1])
    if width < 2 or (look and not any(map(_recurs, (zero, one)))):
        return None
    rows = max(1, _MOST // width)
    held = [_held(s.values[:rows]) for s in (zero, one)]
    # What can tell is held by half as many outcomes of one input at least.
    often = np.unique(np.concatenate([v[2 * m >= FEWEST] for v, m in held]))
    first, second = ((often, _look_up(often, *each)) for each in held)
    found = telling(first, second, min(len(zero), rows), min(len(one), rows))
    if not found:
        return None
    values = np.array(sorted(found))
    weights = np.array([found[v][1] for v in values.tolist()])

    def of(sample: Outcomes) -> Floats:
        place = np.searchsorted(values, sample.values).clip(max=len(values) - 1)
        row, column = np.nonzero(values[place] == sample.values)
        each = place[row, column]
        # However often an outcome holds a value, it holds it once.
        pairs = np.unique(row * len(values) + each)
        score = np.bincount(pairs // len(values), weights[pairs % len(values)], minlength=len(sample))
        return np.asarray(score, dtype=float)

    most = max(found, key=lambda v: found[v])
    return Score(ANYWHERE, of, about=f", of which {shown(most)} says most", things=len(values))


def placed_score(zero: Outcomes, one: Outcomes, usual: bool = True) -> Score | None:
    """The sum of the log count ratios of values at their places, of those that recur and are clearly more frequent on one input; None if there are none.

    Unless `usual`, without the few values that most outcomes have at their place: steps see these together.
    """
    found, counts, rows = _recurring([zero, one], usual)
    if not found:
        return None
    seen, weight = clear(counts[0], counts[1], rows[0], rows[1], _FEWEST, _LEAST_Z)
    if not len(seen):
        return None
    weights = np.zeros(len(counts[0]))
    weights[seen] = weight
    told = _by_column(found, weights)

    def of(sample: Outcomes) -> Floats:
        score = np.zeros(len(sample))
        for each in _weighed(sample, told):
            score += each
        return score

    # What few outcomes hold stands beside luck that is as rare.
    rare = sum(float(c[seen].sum()) for c in counts) < _RECUR * sum(rows)
    learn = partial(placed_score, usual=usual)
    return Score(PLACED, of, SELDOM if rare else LEARNT, learn=learn, things=len(seen))


def alone_score(folds: Sequence[Sequence[Outcomes]]) -> Score | None:
    """How often, of the values of an outcome that came on one input alone, the most frequent did: below zero on input 0.

    Few enough that luck seldom leaves one alone: no half of the outcomes could confirm what comes so seldom.
    """
    both = [join([fold[x] for fold in folds]) for x in (0, 1)]
    found, counts, _ = _recurring(both)
    weights = _alone(counts)
    if not weights.any():
        return None
    told = _by_column(found, weights)

    def of(sample: Outcomes) -> Floats:
        score = np.zeros(len(sample))
        for each in _weighed(sample, told):
            score = np.where(np.abs(each) > np.abs(score), each, score)
        return score

    tails = _tails_of_alone(weights, *map(len, both))
    return Score(ALONE, of, UNCONFIRMED, things=int(np.count_nonzero(weights)), tails=tails)


def _alone(counts: Sequence[Floats]) -> Floats:
    """How often the values that one input has alone occur, below zero on input 0, of the counts on either input."""
    total, fewer = sum(counts, np.zeros(1)), np.minimum(*counts)
    # For a value that came k - 1 times and once there is one in k, by luck, that came k times and never.
    once = np.sort(total[fewer == 1])[::-1]
    least = once[np.cumsum(1 / once) > _LUCK][:1].sum()
    return np.where((fewer == 0) & (total > least), counts[1] - counts[0], 0.0)


def _tails_of_alone(weights: Floats, n0: int, n1: int) -> tuple[Floats, Floats, Floats]:
    """Thresholds of that score, ascending, and which shares of the outcomes of either input lie above."""
    t = np.unique(weights[weights != 0])
    t -= 0.5 * np.sign(t)
    above0 = n0 - np.array([-weights[weights < min(x, 0)].sum() for x in t])
    above1 = np.array([weights[weights > max(x, 0)].sum() for x in t])
    return t, np.where(t < 0, above0, 0.0).clip(0, n0) / n0, np.where(t < 0, n1, above1).clip(0, n1) / n1


Values = list[tuple[int, Floats]]  # of some columns


def _recurring(both: Sequence[Outcomes], usual: bool = True) -> tuple[Values, list[Floats], list[int]]:
    """The values that recur in their columns, how often each does on either input, and in how many outcomes."""
    width = max(s.values.shape[1] for s in both)
    rows = max(_ROWS, _NUMBERS // width)
    some = [widen(s[:rows], width).values for s in both]
    ordered = np.sort(np.ascontiguousarray(np.concatenate(some).T), axis=1)
    recurs = ordered[:, _FEWEST - 1 :] == ordered[:, : -_FEWEST + 1]
    columns = np.flatnonzero(recurs.any(axis=1)).tolist()
    found = [(j, np.unique(ordered[j, _FEWEST - 1 :][recurs[j]])) for j in columns]
    if not usual and width > 1:
        found = [(j, few) for j, values in found if len(few := _rare(ordered[j], values))]
    counts = [np.concatenate([np.zeros(0), *(_counted(s[:, j], v) for j, v in found)]) for s in some]
    return found, counts, list(map(len, some))


def _by_column(found: Values, weights: Floats) -> list[tuple[int, Floats, Floats]]:
    """Columns of which values have weights, these values, and their weights."""
    ends = np.cumsum([0, *(len(values) for _, values in found)])
    parts = [weights[start:end] for start, end in pairwise(ends)]
    return [(j, values, each) for (j, values), each in zip(found, parts, strict=True) if each.any()]


def _weighed(sample: Outcomes, told: Sequence[tuple[int, Floats, Floats]]) -> Iterator[Floats]:
    """The weight of the value that each outcome has, column by column."""
    for j, values, each in told:
        column = widen(sample, j + 1).values[:, j]
        place = np.searchsorted(values, column).clip(max=len(values) - 1)
        yield np.where(values[place] == column, each[place], 0.0)


def _rare(ordered: Floats, values: Floats) -> Floats:
    """The values without those that steps have weights for, where these are all usual ones."""
    often = _counted(ordered, values) > _OFTEN * len(ordered)
    return values[~often] if np.count_nonzero(often) <= USUAL_VALUES else values


def _counted(column: Floats, values: Floats) -> Floats:
    """How often each of these values occurs."""
    ordered = np.sort(column)
    left, right = (np.searchsorted(ordered, values, side=side) for side in ("left", "right"))
    return np.asarray(right - left, dtype=float)


def _look_up(wanted: Floats, values: Floats, often: Floats) -> Floats:
    """How often each of these values occurs, from ascending values and how often they do."""
    place = np.searchsorted(values, wanted).clip(max=len(values) - 1)
    return np.where(values[place] == wanted, often[place], 0.0)


def _held(values: Floats) -> tuple[Floats, NDArray[np.float64]]:
    """The distinct values, and how many outcomes hold each."""
    inner = np.sort(values, axis=1)
    new = np.concatenate([np.ones((len(inner), 1), dtype=bool), inner[:, 1:] != inner[:, :-1]], axis=1)
    known, often = np.unique(inner[new], return_counts=True)
    return known, often.astype(float)


def _recurs(sample: Outcomes) -> bool:
    some = sample.values[: max(1, _SEEN // sample.values.shape[1])]
    return len(_held(some)[0]) < (1 - _RECUR) * some.size
