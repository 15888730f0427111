"""The bytes that are written: reachable doubles, grids and repeated values that a noise over the reals would not show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from ....symbolic.arrays import Floats
from ...record.evidence import Resolution, Sentence
from ..attack.planted import EVERY, Planted
from ..attack.scores import LAWFUL, Score, Taught, atom_score
from ..bits.fitting import fit
from ..bits.patterns import decimals_only, exponent_and_power_of_two, has_decimals, power_of_two_only
from ..outcomes import Grid, Outcomes, join, widen
from .distinguishing_power import power_here
from .likelihood_ratio import ChosenEvents, LikelihoodRatio

View = Callable[[Outcomes], Outcomes]

_TAUGHT = 50_000  # outcomes per input that teach events: bits either show soon or hardly ever
_TREES = 8_000  # outcomes of a fold that teach trees and discriminants


class BitPatterns(LikelihoodRatio):
    """The distinguisher on the bits of the numbers instead of on their values."""

    name: ClassVar[str] = "bit patterns"
    sentence: ClassVar[Sentence] = "bytes"
    fits = True  # samplers to the outcomes

    def learn(
        self, sample: Sequence[Outcomes], counted: float | None = None, alpha: float = 0.05
    ) -> ChosenEvents:
        drawn = min(len(s) for s in sample)
        plan = super().learn([s[:_TAUGHT] for s in sample], counted or 3.0 * drawn, alpha)
        # Events on bits are no intervals, however much they look like some on a few thousand numbers.
        return replace(
            plan, learnt=drawn, kind="", events=tuple(replace(e, intervals=None) for e in plan.events)
        )

    def planted(
        self, both: Sequence[Outcomes], counted: float, alpha: float, *_: Any, **__: Any
    ) -> tuple[Planted, ...]:
        # No sampler writes what is planted: none is looked for.
        without = copy(self)
        without.fits = False
        return super(BitPatterns, without).planted([s[:EVERY] for s in both], counted, alpha)

    @staticmethod
    def rounded(sample: Sequence[Outcomes]) -> tuple[Grid, list[Outcomes]]:
        """The sample as it is: here the last bits count."""
        width = max(s.values.shape[1] for s in sample)
        return Grid(np.zeros(width)), [widen(s, width) for s in sample]

    def _scores(self, folds: Sequence[Sequence[Outcomes]]) -> list[Taught]:
        both = [join([fold[x] for fold in folds]) for x in (0, 1)]
        scores = self._seen(
            [[s[:_TREES] for s in fold] for fold in folds], exponent_and_power_of_two, super()._scores
        )
        scores += [*_atoms(folds, exponent_and_power_of_two), *_atoms(folds, power_of_two_only)]
        if any(map(has_decimals, both)):
            scores += _atoms(folds, decimals_only)
        scores += _atoms(folds, _as_it_is)
        fitted = fit(both, self.pair, self.guarantee.parameters().get("epsilon")) if self.fits else ()
        if fitted:

            def reached(sample: Outcomes) -> Floats:
                return np.asarray(sum(f.score(sample.values) for f in fitted), dtype=float)

            score = Score("reachable set: " + "; ".join(f.name for f in fitted), reached, LAWFUL)
            scores.append((score, score))
        return scores

    @staticmethod
    def _seen(
        folds: Sequence[Sequence[Outcomes]],
        view: View,
        teach: Callable[[Sequence[Sequence[Outcomes]]], list[Taught]],
    ) -> list[Taught]:
        """Scores of what a view shows, as scores of the outcomes."""
        taught = teach([[view(s) for s in fold] for fold in folds])
        return [
            (_through(first, view), None if second is None else _through(second, view))
            for first, second in taught
        ]

    @staticmethod
    def _written(zero: Outcomes, one: Outcomes, *, flexible: bool = True) -> list[Score | None]:
        return []  # what text says is asked of the code; the bits of numbers in it are not looked at

    def _law_score(self, sample: Sequence[Outcomes]) -> None:
        return None  # the law over the reals knows nothing of bits

    def resolution(
        self,
        chosen: float,
        counted: float,
        alpha: float,
        seen: tuple[Floats, Floats] | None = None,
        main: float = 1.0,
    ) -> Resolution | None:
        """As far as events of the bits show it: scaling the law says nothing about bits, and half the noise shows in the numbers."""
        found = power_here(None, self.pair, self.guarantee, chosen, counted, alpha, seen)
        return found and replace(found, samples=None)


def _atoms(folds: Sequence[Sequence[Outcomes]], view: View) -> list[Taught]:
    """The table of what repeats in a view, taught by either fold."""
    first, second = (atom_score(*(view(s) for s in fold)) for fold in folds)
    return [] if first is None or second is None else [(_through(first, view), _through(second, view))]


def _through(score: Score, view: View) -> Score:
    # An event of what a view shows is none of the outcomes themselves, and is not said as one.
    shown = view.__name__.replace("_", " ") if view is not _as_it_is else ""
    name = f"{score.name}, of {shown}" if shown else score.name
    return Score(name, lambda sample: score.of(view(sample)), score.doubt, about=score.about)


def _as_it_is(sample: Outcomes) -> Outcomes:
    return sample
