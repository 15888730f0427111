"""How well two inputs can be told apart, from few outcomes: the height of the landscape that the search climbs.

The score guides the search and is no evidence.  Half of the outcomes choose an event, the other half count it, and
the halves change places, so that a pair does not look good because its event was fitted to noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ....mechanisms.mechanism import Subject
from ....symbolic.arrays import Floats
from ..attack.scores import Score, atom_score, law_score, linear_score, step_score, tree_score, usual_kind
from ..outcomes import Outcomes, widen

_LEVELS = np.array([0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98])
_DIGITS = 2.0**42
_FOR_STEPS, _FOR_TREES = 80, 400  # outcomes per input


def scores_of(zero: Outcomes, one: Outcomes, subject: Subject | None, inputs: tuple[Any, Any]) -> list[Score]:
    """The scores that sort outcomes, learnt from these samples: the one place that knows how scores are made."""
    found = [atom_score(zero, one), linear_score(zero, one)]
    # The richer scores need more outcomes than a first look has.
    if min(len(zero), len(one)) >= _FOR_STEPS:
        found.append(step_score(zero, one))
    if min(len(zero), len(one)) >= _FOR_TREES:
        found.append(tree_score(zero, one))
    if subject is not None:
        found.append(law_score(subject.log_density, inputs, usual_kind([zero, one]), zero.values.shape[1]))
    return [s for s in found if s is not None]


def separation(
    zero: Outcomes,
    one: Outcomes,
    *,
    delta: float = 0.0,
    caution: float = 1.0,
    subject: Subject | None = None,
    inputs: tuple[Any, Any] = (None, None),
) -> float:
    """An estimate of epsilon at `delta`, less `caution` standard errors; negative if nothing tells the inputs apart.

    `subject`, if given, has a log density whose privacy loss is one of the scores.
    """
    width = max(zero.values.shape[1], one.values.shape[1])
    zero, one = _rounded(widen(zero, width), widen(one, width))
    halves = (slice(0, None, 2), slice(1, None, 2))
    total = np.zeros(4)
    for learn, test in (halves, halves[::-1]):
        (z, o), (z_test, o_test) = ((zero[h], one[h]) for h in (learn, test))
        total += _counts(scores_of(z, o, subject, inputs), (z, o), (z_test, o_test), delta, caution)
    k, n, l, m = total  # noqa: E741
    return float(cautious_log_ratio(k, n, l, m, delta, caution))


def cautious_log_ratio(k: Any, n: Any, l: Any, m: Any, delta: float, caution: float) -> Floats:  # noqa: E741
    """log((p - delta)/q) less `caution` standard errors, from k of n and l of m outcomes; broadcast over arrays."""
    # The larger start of the rarer count keeps an event that was never seen on one side from looking certain.
    p, q = (np.asarray(k, dtype=float) + 0.5) / (n + 1), (np.asarray(l, dtype=float) + 1.0) / (m + 2)
    rest = np.maximum(p - delta, 1e-3 * p)
    variance = (1 - p) * p / ((n + 1) * rest**2) + (1 - q) / ((m + 2) * q)
    return np.asarray(np.log(rest / q) - caution * np.sqrt(variance), dtype=float)


def _counts(
    scores: Sequence[Score],
    learn: tuple[Outcomes, Outcomes],
    test: tuple[Outcomes, Outcomes],
    delta: float,
    caution: float,
) -> Floats:
    """(k, n, l, m) on the test halves of the event that looks best on the learning halves, in its better direction."""
    n, m = len(test[0]), len(test[1])
    best, chosen = -np.inf, np.array([n / 2, n, m / 2, m], dtype=float)  # no event: a fair coin
    for score in scores:
        s0, s1 = (np.sort(np.round(score.of(s), 9)) for s in learn)
        pooled = np.concatenate([s0, s1])
        cuts = np.unique(np.quantile(pooled, _LEVELS, method="inverted_cdf"))
        cuts = cuts[cuts < pooled.max()]
        if not cuts.size:
            continue
        k0, k1 = (len(s) - np.searchsorted(s, cuts, side="right") for s in (s0, s1))
        rows = _directions(k0, len(s0), k1, len(s1))
        values = np.array([cautious_log_ratio(*row, delta, caution) for row in rows])
        direction, cut = np.unravel_index(int(np.argmax(values)), values.shape)
        if values[direction, cut] > best:
            best = float(values[direction, cut])
            t0, t1 = (np.count_nonzero(np.round(score.of(s), 9) > cuts[cut]) for s in test)
            chosen = np.array(_directions(t0, n, t1, m)[int(direction)], dtype=float)
    return chosen


def _directions(k0: Any, n0: int, k1: Any, n1: int) -> list[tuple[Any, int, Any, int]]:
    """The event and its complement, favoured by either input."""
    return [(k1, n1, k0, n0), (k0, n0, k1, n1), (n1 - k1, n1, n0 - k0, n0), (n0 - k0, n0, n1 - k1, n1)]


def _rounded(*samples: Outcomes) -> tuple[Outcomes, ...]:
    """Numbers to twelve digits of the usual size of their column: last bits tell inputs apart whatever the release does."""
    usual = np.median(np.abs(np.concatenate([s.values for s in samples])), axis=0)
    unit = 2.0 ** np.floor(np.log2(np.maximum(usual, 1e-290))) / _DIGITS
    out = []
    for sample in samples:
        with np.errstate(over="ignore"):
            place = sample.values / unit
        fits = np.abs(place) < 2.0**53
        out.append(
            Outcomes(np.where(fits, np.rint(np.where(fits, place, 0.0)) * unit, sample.values), sample.kinds)
        )
    return tuple(out)
