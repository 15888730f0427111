"""Scores: real functions of an outcome that sort outcomes by how much they speak for one input over the other.

Any function may serve, whatever it was learnt from: a score only decides which events are counted, and the counts
come from outcomes that it has not seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import wraps
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from ....symbolic.arrays import Floats
from ..outcomes import Kinds, Once, Outcomes, exception, interquartile_range, is_plain, quantile, thin, widen
from .classifiers import direction, fitted_tree, fitted_trees, one_thread, single, weighed
from .steps import Steps

_CLIP = 100.0  # interquartile ranges
_FAR = 1e6  # the score of an outcome that only one input produces
_RIDGE = 1e-3
_TAUGHT = 60_000  # outcomes per input that teach a linear score
_TREE_NUMBERS, _BOOSTED_NUMBERS, _BOOSTED_ROWS = 100_000, 1_000_000, 20_000
_ENDS, _SORTED = 3, 32  # extremes shown beside an outcome, of so many numbers at most
REPEATED = "table of repeated outcomes"
ANYWHERE = "values at any place"
PLACED, ALONE = "values at their places", "values of one input alone"
LAWFUL, SELDOM, LEARNT, FLEXIBLE, UNCONFIRMED = 0.0, 0.2, 0.8, 1.6, 2.4  # doubts
BESIDE_A_LAW = 2.0  # doubt that is added where a law says what is best


@dataclass(frozen=True)
class Score:
    """A named score; `of` maps outcomes to numbers (n,).

    `doubt`, in standard deviations, is how much better than others it must look to be believed: flexible scores look
    good by chance more often.  `learn`, where given, teaches the same score from another sample: few weights from many
    outcomes, so that it may be taught once more by the outcomes that chose its threshold.  `about` may differ between
    samples that teach it, the name does not.  `tails`, where given, are thresholds and the shares
    of the outcomes of either input above, of all that taught it.
    """

    name: str
    of: Callable[[Outcomes], Floats]
    doubt: float = LEARNT
    learn: Callable[[Outcomes, Outcomes], Score | None] | None = None
    about: str = ""
    things: int = 0  # that are read, where these are not the columns
    divisors: tuple[int, ...] = ()  # of which it reads the remainders
    tails: tuple[Floats, Floats, Floats] | None = field(default=None, compare=False)

    @property
    def said(self) -> str:
        """Its name, and what this one is about."""
        return self.name + self.about

    def after(
        self,
        read: Callable[[Outcomes], Outcomes],
        of_what: str,
        things: int = 0,
        divisors: tuple[int, ...] = (),
    ) -> Score:
        """The same score of outcomes that were read before."""
        return replace(
            self,
            name=f"{self.name}, of {of_what}",
            of=lambda sample: self.of(read(sample)),
            learn=None,
            things=things,
            divisors=divisors or self.divisors,
        )


# A score as the first and as the second half of a sample taught it; none is second to the loss of a declared law,
# which nothing taught, nor to one that all outcomes taught.
Taught = tuple[Score, Score | None]


def law_score(
    log_density: Callable[[Floats, Any], Floats | None],
    inputs: tuple[Any, Any],
    kind: str,
    width: int | None = None,
) -> Score:
    """The privacy loss of the law: log density under input 1 minus under input 0, by Neyman-Pearson the best score.

    `kind` is the structure of the outcomes that the density reads, `width` their number of columns.
    """

    def of(sample: Outcomes) -> Floats:
        # Rows of another structure are padded or cut here, and scored by the other scores.
        values = sample.values if width is None else widen(sample, width).values[:, :width]
        with np.errstate(all="ignore"):
            zero, one = (log_density(values, x) for x in inputs)
        assert zero is not None
        assert one is not None
        with np.errstate(invalid="ignore"):
            loss = one - zero
        if not np.isfinite(loss).all():
            both_off = np.isneginf(zero) & np.isneginf(one)
            loss = np.where(both_off, 0.0, np.nan_to_num(loss, nan=0.0, posinf=_FAR, neginf=-_FAR))
        return _where_known(sample, kind, np.asarray(loss, dtype=float))

    return Score("privacy loss of the law", of, LAWFUL)


def any_order() -> Score:
    """An order of outcomes that says nothing about the inputs, in which only equal outcomes tie."""
    return Score("any order", lambda sample: sample.keys() / 2.0**64)


def usual_kind(samples: Sequence[Outcomes]) -> str:
    """The most frequent structure of plain outcomes; of all outcomes if none is plain."""
    counts = Kinds.join([s.kinds for s in samples]).counts()
    plain = {name: c for name, c in counts.items() if is_plain(name)} or counts
    return max(plain, key=lambda name: plain[name])


def _where_known(sample: Outcomes, kind: str, score: Floats, other: dict[str, float] | None = None) -> Floats:
    """The score where an outcome has the usual structure, the score of its structure elsewhere."""
    if sample.kinds.names == (kind,):
        return score
    known = np.array([name == kind for name in sample.kinds.names])[sample.kinds.codes]
    return np.where(known, score, sample.kinds.look_up(other or {}))


def kind_scores(zero: Outcomes, one: Outcomes) -> dict[str, float]:
    """Log count ratio of each structure that occurs twice, in units of natural logarithms; of exceptions by their type too."""
    counts = [Counter(s.kinds.counts()) for s in (zero, one)]
    for found in counts:
        for name in [name for name in found if exception(name) not in ("", name)]:
            found[exception(name)] += found[name]
    c0, c1 = counts
    return {
        name: float(log_ratio(c0[name], c1[name], len(zero), len(one)))
        for name in {*c0, *c1}
        if c0[name] + c1[name] >= 2
    }


def log_ratio(k0: Any, k1: Any, n0: int, n1: int) -> Any:
    """The logarithm of how much more frequent something is on input 1, from k0 of n0 and k1 of n1 outcomes."""
    return np.log((k1 + 0.5) / (n1 + 1)) - np.log((k0 + 0.5) / (n0 + 1))


def atom_score(zero: Outcomes, one: Outcomes) -> Score | None:
    """Log count ratio of outcomes (and of whole structures) that repeat; None if nothing does."""
    width = max(zero.values.shape[1], one.values.shape[1])
    keys = np.concatenate([widen(s, width).keys() for s in (zero, one)])
    by_kind = kind_scores(zero, one)
    ordered = np.sort(keys)
    if len(by_kind) <= 1 and (ordered[1:] != ordered[:-1]).all():
        return None
    atoms, index = np.unique(keys, return_inverse=True)
    k0 = np.bincount(index[: len(zero)], minlength=len(atoms))
    k1 = np.bincount(index[len(zero) :], minlength=len(atoms))
    repeated = k0 + k1 >= 2
    atoms, scores = atoms[repeated], log_ratio(k0, k1, len(zero), len(one))[repeated]

    def of(sample: Outcomes) -> Floats:
        if sample.values.shape[1] > width:
            sample = Outcomes(sample.values[:, :width], sample.kinds)
        here = widen(sample, width).keys()
        if not len(atoms):
            return sample.kinds.look_up(by_kind)
        place = np.minimum(np.searchsorted(atoms, here), len(atoms) - 1)
        return np.where(atoms[place] == here, scores[place], sample.kinds.look_up(by_kind))

    return Score(REPEATED, of)


@Once
def _ends(sample: Outcomes) -> Floats:
    """Numbers (n, d) with their smallest and largest beside them: many a mechanism forgets which entry was the extreme one."""
    values = sample.values
    if not _ENDS < values.shape[1] <= _SORTED:
        return values
    ordered = np.sort(values, axis=1)
    return np.concatenate([values, ordered[:, :_ENDS], ordered[:, -_ENDS:]], axis=1)


def _usual_values(zero: Outcomes, one: Outcomes) -> tuple[str, Outcomes, Outcomes] | None:
    """The usual structure and those of both samples that have it; None if they are too few."""
    kind = usual_kind([zero, one])
    a, b = (s if s.kinds.names == (kind,) else s[s.kinds.are(kind)] for s in map(_teaching, (zero, one)))
    return (kind, a, b) if len(a) >= 4 and len(b) >= 4 else None


def _teaching(sample: Outcomes) -> Outcomes:
    return sample if len(sample) <= _TAUGHT else sample[:_TAUGHT]


def _cut(sample: Outcomes, width: int) -> Outcomes:
    """The same outcomes with exactly so many columns."""
    wide = widen(sample, width)
    return wide if wide.values.shape[1] == width else Outcomes(wide.values[:, :width], wide.kinds)


Teach = Callable[[Outcomes, Outcomes], "Score | None"]


def _once(teach: Teach) -> Teach:
    """The same, once for two samples however many scores are taught by them."""
    known = Once(lambda zero: WeakKeyDictionary[Outcomes, "Score | None"]())

    @wraps(teach)
    def taught(zero: Outcomes, one: Outcomes) -> Score | None:
        if one not in known(zero):
            known(zero)[one] = teach(zero, one)
        return known(zero)[one]

    return taught


@_once
def linear_score(zero: Outcomes, one: Outcomes) -> Score | None:
    """The linear discriminant of the numbers and of their distances from the middle (scale differences)."""
    usual = _usual_values(zero, one)
    if usual is None:
        return None
    kind, width, size = usual[0], usual[1].values.shape[1], min(map(len, usual[1:]))
    pooled = np.concatenate([thin(_ends(s)) for s in usual[1:]])
    (a, wa), (b, wb) = map(weighed, usual[1:])
    unit = interquartile_range(pooled)
    unit = np.where(unit > 0, unit, np.maximum(np.abs(pooled).max(axis=0), 1e-300))
    with np.errstate(over="ignore"):
        pooled /= unit
        middle = np.clip(quantile(pooled, 0.5), -1e300, 1e300)
    del pooled

    def centred(values: Floats) -> Floats:
        # Clipped, so that a few enormous outcomes do not drown the others.
        with np.errstate(over="ignore"):
            out = values / unit
        out -= middle
        return np.clip(out, -_CLIP, _CLIP, out=out)

    ca, cb = centred(_ends(a)), centred(_ends(b))
    # A tiny ridge keeps directions in which the noise cancels: there the discriminant is rightly enormous.
    fa, fb = (np.concatenate([c, np.abs(c)], axis=1) for c in (ca, cb))
    both, zero_point = direction(fa, fb, wa, wb, size, ridge=1e-10)
    along, apart = both[: len(middle)], both[len(middle) :]
    by_kind = kind_scores(zero, one)
    shift = by_kind.get(kind, 0.0) - zero_point

    def of(sample: Outcomes) -> Floats:
        c = centred(_ends(_cut(sample, width)))
        score = c @ along
        np.abs(c, out=c)
        return _where_known(sample, kind, score + c @ apart + shift, by_kind)

    return Score("linear discriminant", Once(of), learn=linear_score)


@_once
def step_score(zero: Outcomes, one: Outcomes) -> Score | None:
    """The linear discriminant of steps: which repeated values an outcome has, and on which sides of the middles the rest lies.

    Bounded in every number, as the privacy loss of a bounded mechanism is; None where it says no more than the
    numbers do (one column, or two values per column).
    """
    usual = _usual_values(zero, one)
    if usual is None:
        return None
    kind, width, size = usual[0], usual[1].values.shape[1], min(map(len, usual[1:]))
    if width == 1:
        return None
    steps = Steps.of(np.concatenate([thin(_ends(s)) for s in usual[1:]]))
    if not np.isfinite(steps.medians).any() and len(steps.atoms) <= len(steps.medians):
        return None
    (a, wa), (b, wb) = map(weighed, usual[1:])
    fa, fb = steps.features(_ends(a)), steps.features(_ends(b))
    along, zero_point = direction(fa, fb, wa, wb, size, _RIDGE)
    by_kind = kind_scores(zero, one)
    shift = by_kind.get(kind, 0.0) - zero_point

    def of(sample: Outcomes) -> Floats:
        values = _ends(_cut(sample, width))
        return _where_known(sample, kind, steps.features(values) @ along + shift, by_kind)

    return Score("a learned score of repeated values and steps", Once(of), learn=step_score)


def sum_score(linear: Score | None, steps: Score | None) -> Score | None:
    """The sum of both discriminants in units of log-odds: their errors average out; None unless there are two."""
    if linear is None or steps is None:
        return None

    def learn(zero: Outcomes, one: Outcomes) -> Score | None:
        return sum_score(linear_score(zero, one), step_score(zero, one))

    return Score(
        "sum of two linear discriminants",
        Once(lambda sample: linear.of(sample) + steps.of(sample)),
        learn=learn,
    )


def tree_score(zero: Outcomes, one: Outcomes, base: Score | None = None) -> Score | None:
    """The log odds of decision trees (scikit-learn): events that are no half-spaces; None if there is too little to learn from.

    Many outcomes of several numbers get boosted trees that also see the linear score `base` and the smallest and
    largest numbers of an outcome, others one tree.
    """
    usual = _usual_values(zero, one)
    if usual is None:
        return None
    kind, a, b = usual
    width = a.values.shape[1]
    rows = min(len(a), len(b), _BOOSTED_NUMBERS // width)
    if rows < 200:
        return None
    many = width > 1 and max(len(np.unique(column)) for column in thin(a.values).T) > 50
    several = many and rows >= _BOOSTED_ROWS and base is not None
    if not several:
        rows = min(rows, max(200, _TREE_NUMBERS // width))

    def features(sample: Outcomes) -> NDArray[np.float32]:
        if not several or base is None:
            return single(sample.values)
        return single(np.column_stack([_ends(sample), _linear(sample)]))

    def _linear(sample: Outcomes) -> Floats:
        assert base is not None
        same = sample.kinds.names == (kind,)
        return base.of(sample if same else Outcomes(sample.values, Kinds.same(kind, len(sample))))

    x, y = (features(s)[:rows] for s in (a, b))
    model = fitted_trees(x, y, several) if many else fitted_tree(x, y)
    by_kind = kind_scores(zero, one)
    shift = by_kind.get(kind, 0.0)

    def of(sample: Outcomes) -> Floats:
        sample = _cut(sample, width)
        with one_thread():
            chance = np.clip(model.predict_proba(features(sample))[:, 1], 1e-4, 1 - 1e-4)
        odds = np.log(chance) - np.log1p(-chance)
        if several:
            odds = odds + _linear(sample)
        return _where_known(sample, kind, odds + shift, by_kind)

    return Score("decision trees", of, FLEXIBLE)
