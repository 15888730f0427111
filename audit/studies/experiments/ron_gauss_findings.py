"""What the scores of synthetic records say: tables, figures, and sentences computed from paired differences.

`scores` maps "condition: measure" to numbers (points, repeats); the repeats of one point share the split, the projection
and, for the two scales, the noise up to its scale, so that differences are paired.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from ....symbolic.arrays import Floats
from ...record.evidence import Line, Series
from .curves import UNRESOLVED, mean_and_error, paired
from .result import Fact, ResultTable
from .scoring import ACCURACY, BETTER, RMSE
from .slopes import slope_table

# A loss below this share of what real records reach is called small.
_SMALL = 0.05
Role = Literal["claimed", "measured", "bound", "attack", "law"]
REAL, PROJECTED, NOISELESS, PRINTED, ALL_ENTRIES, NEEDED, HIDDEN, UNPROJECTED, INDEPENDENT, TRIVIAL = (
    "real",
    "projected",
    "no noise",
    "printed scale",
    "needed scale, all entries",
    "needed scale",
    "needed scale, private labels",
    "no projection",
    "independent columns",
    "trivial",
)
LABELS: dict[str, tuple[str, Role]] = {
    REAL: ("real records, all columns", "claimed"),
    PROJECTED: ("real records, projected by the same W", "law"),
    NOISELESS: ("RON-Gauss without noise", "bound"),
    PRINTED: ("RON-Gauss, printed scale", "attack"),
    ALL_ENTRIES: ("RON-Gauss, needed scale, noise on all entries", "bound"),
    NEEDED: ("RON-Gauss, needed scale, noise on the triangle", "measured"),
    HIDDEN: ("RON-Gauss, needed scale, private labels", "law"),
    UNPROJECTED: ("baseline: same model, no projection", "bound"),
    INDEPENDENT: ("baseline: independent columns", "attack"),
    TRIVIAL: ("trivial answer", "claimed"),
}

# Conditions that no budget enters.
WITHOUT_EPSILON = (REAL, PROJECTED, NOISELESS, TRIVIAL)


@dataclass(frozen=True, eq=False)
class Findings:
    """The scores of one study (`name`, empty if there is only one) on a grid of p and epsilon; `at` is the point (p, epsilon) that headline numbers are read at."""

    name: str
    measure: str
    grid: tuple[tuple[int, float], ...]
    scores: Mapping[str, Floats]
    at: tuple[int, float]

    def of(self, condition: str) -> Floats:
        """The scores (points, repeats) of one condition."""
        return self.scores[f"{condition}: {self.measure}"]

    @property
    def conditions(self) -> tuple[str, ...]:
        """The conditions that this study has, in the order of the tables."""
        return tuple(c for c in LABELS if f"{c}: {self.measure}" in self.scores)

    def gain(self, first: str, second: str) -> Floats:
        """By how much `first` is better than `second` (points, repeats)."""
        return np.asarray(BETTER[self.measure] * (self.of(first) - self.of(second)))

    def table(self) -> ResultTable:
        """Mean and standard error of every condition at every point."""
        cells = [mean_and_error(self.of(c)) for c in self.conditions]
        columns = ("p", "epsilon", *(part for c in self.conditions for part in (c, "± s.e.")))
        rows = tuple(
            (p, epsilon, *(float(v[k]) for mean, error in cells for v in (mean, error)))
            for k, (p, epsilon) in enumerate(self.grid)
        )
        return ResultTable(f"{self._prefix}{self.measure}", columns, rows)

    def contests(self) -> tuple[tuple[str, str], ...]:
        """The pairs that are compared: the scales with each other, the default with the baselines and with no answer."""
        rivals = (PRINTED, UNPROJECTED, INDEPENDENT, TRIVIAL)
        hidden = ((HIDDEN, TRIVIAL),) if HIDDEN in self.conditions else ()
        return ((ALL_ENTRIES, PRINTED), *((NEEDED, c) for c in rivals if c in self.conditions), *hidden)

    def verdicts(self) -> ResultTable:
        """A row per point: each paired gain, and the word for it."""
        found = [paired(self.gain(a, b), ("better", "worse")) for a, b in self.contests()]
        columns = (
            "p",
            "epsilon",
            *(part for a, b in self.contests() for part in (f"{a} over {b}", "± s.e.", "verdict")),
        )
        rows = tuple(
            (
                p,
                epsilon,
                *(v for gain, error, word in found for v in (float(gain[k]), float(error[k]), str(word[k]))),
            )
            for k, (p, epsilon) in enumerate(self.grid)
        )
        return ResultTable(f"{self._prefix}gain in {self.measure}, paired", columns, rows)

    def slopes(self) -> tuple[ResultTable, ...]:
        """For each p how every condition's score moves with epsilon, over all budgets that were tried."""
        found = []
        for p in sorted({p for p, _ in self.grid}):
            places = [k for k, (q, _) in enumerate(self.grid) if q == p]
            curves = {c: self.of(c)[places] for c in self.conditions if c not in WITHOUT_EPSILON}
            caption = f"{self._prefix}{self.measure} against epsilon, p = {p}: one slope over all budgets"
            found.append(slope_table(caption, [self.grid[k][1] for k in places], curves))
        return tuple(table for table in found if table is not None)

    def facts(self) -> tuple[Fact, ...]:
        """The numbers and sentences of one measure."""
        contests = (self._contest(a, b) for a, b in self.contests())
        return (*self._losses(), *contests, *self._factors(), self._first())

    @property
    def _prefix(self) -> str:
        return f"{self.name}: " if self.name else ""

    def sentences(self) -> tuple[str, ...]:
        """What the numbers say in words; every word follows from them."""
        k = self.grid.index(self.at)
        lost, error = (float(v[0]) for v in mean_and_error(self.gain(REAL, NEEDED)[k : k + 1]))
        share = abs(lost) / abs(float(np.mean(self.of(REAL)[k])))
        word = "small" if share < _SMALL else "not small"
        out = [
            f"{self._said(NEEDED, k)} against {self._said(REAL, k)} {self._where(k)}: a loss of {lost:.3g} ± {error:.2g}, "
            f"{share:.0%} of the {self.measure} of real records; {word}, if less than {_SMALL:.0%} is small."
        ]
        for first, second in self.contests():
            better, worse, total = self._counts(first, second)
            word = {
                (True, True): "neither is better throughout",
                (True, False): f"{first} is better wherever they are told apart",
                (False, True): f"{first} is worse wherever they are told apart",
                (False, False): "they are told apart at no point",
            }[better > 0, worse > 0]
            out.append(
                f"{first} against {second}: {word} (measurably better at {better}, worse at {worse} of {total} points)."
            )
        lines = (f"{self._prefix}{self.measure}: {line}" for line in out)
        return tuple(line[0].upper() + line[1:] for line in lines)

    def _said(self, condition: str, k: int) -> str:
        mean, error = (float(v[0]) for v in mean_and_error(self.of(condition)[k : k + 1]))
        return f"{condition} ({mean:.3g} ± {error:.2g})"

    def _counts(self, first: str, second: str) -> tuple[int, int, int]:
        words = paired(self.gain(first, second), ("better", "worse"))[2]
        return int(np.sum(words == "better")), int(np.sum(words == "worse")), len(words)

    def _losses(self) -> tuple[Fact, ...]:
        """Real minus needed scale at one point, split into what projection, model and noise cost."""
        k = self.grid.index(self.at)
        p, epsilon = self.at
        mean, error = mean_and_error(self.of(REAL)[k : k + 1])
        constant = f"trivial answer: {float(np.mean(self.of(TRIVIAL)[k])):.4g}"
        facts = [
            Fact(
                f"{self._prefix}{self.measure} from real records",
                float(mean[0]),
                float(error[0]),
                "",
                constant,
            )
        ]
        steps = (
            (REAL, NEEDED, "lost in all", "small"),
            (REAL, PROJECTED, "lost by the projection", ""),
            (PROJECTED, NOISELESS, "lost by the Gaussian model", ""),
            (NOISELESS, NEEDED, "lost by the noise", ""),
        )
        for first, second, label, printed in steps:
            gain, spread = mean_and_error(self.gain(first, second)[k : k + 1])
            facts.append(
                Fact(
                    f"{self._prefix}{self.measure} {label}, p = {p}, epsilon = {epsilon:g}",
                    float(gain[0]),
                    float(spread[0]),
                    printed,
                    f"{first} against {second}",
                )
            )
        return tuple(facts)

    def _contest(self, first: str, second: str) -> Fact:
        """By how much `first` is better on average over the grid, and at how many points."""
        gains = self.gain(first, second)
        gain = mean_and_error(gains)[0]
        better, worse, total = self._counts(first, second)
        worst, best = int(np.argmin(gain)), int(np.argmax(gain))
        overall, spread = mean_and_error(np.mean(gains, axis=0, keepdims=True))
        return Fact(
            f"{self._prefix}mean gain in {self.measure} over the grid, {first} against {second}",
            float(overall[0]),
            float(spread[0]),
            "",
            f"better at {better}, worse at {worse}, {UNRESOLVED} at {total - better - worse} of {total} points "
            f"(paired t intervals, together at level 0.05); from {gain[worst]:.3g} {self._where(worst)} "
            f"to {gain[best]:.3g} {self._where(best)}",
        )

    def _factors(self) -> tuple[Fact, ...]:
        """The largest factor between the error of a baseline and that of the needed scale."""
        if self.measure not in (ACCURACY, RMSE):
            return ()
        facts = []
        for rival in (UNPROJECTED, INDEPENDENT):
            if rival in self.conditions:
                ratio = self._error(rival) / np.maximum(self._error(NEEDED), 1e-12)
                k = int(np.argmax(ratio))
                kind = "RMSE" if self.measure == RMSE else "error rate"
                facts.append(
                    Fact(
                        f"{self._prefix}largest factor by which the {kind} of {rival} exceeds that of the needed scale",
                        float(ratio[k]),
                        None,
                        "up to about 10, other methods",
                        f"{self._where(k)}; least factor {ratio.min():.3g} {self._where(int(np.argmin(ratio)))}",
                    )
                )
        return tuple(facts)

    def _error(self, condition: str) -> Floats:
        mean = mean_and_error(self.of(condition))[0]
        return mean if self.measure == RMSE else np.asarray(1 - mean)

    def _first(self) -> Fact:
        """The least epsilon of the grid from which on the needed scale is better than the trivial answer."""
        words = paired(self.gain(NEEDED, TRIVIAL), ("better", "worse"))[2]
        p = self.at[0]
        mine = [(epsilon, str(words[k])) for k, (q, epsilon) in enumerate(self.grid) if q == p]
        start: float | None = None
        for epsilon, word in sorted(mine, reverse=True):
            if word != "better":
                break
            start = epsilon
        value: float | str = "at none of the grid" if start is None else start
        return Fact(
            f"{self._prefix}least epsilon from which on {self.measure} is better than the trivial answer, p = {p}",
            value,
            None,
            "",
            "needed scale; resolved at this epsilon and all larger ones of the grid",
        )

    def _where(self, point: int) -> str:
        p, epsilon = self.grid[point]
        return f"(p = {p}, epsilon = {epsilon:g})"

    def figures(self) -> tuple[Series, ...]:
        """The measure against epsilon at the headline p: RON-Gauss beside real records, then beside the baselines."""
        if len({epsilon for _, epsilon in self.grid}) < 2:
            return ()
        upper = (REAL, PROJECTED, NOISELESS, PRINTED, ALL_ENTRIES, NEEDED)
        lower = (UNPROJECTED, INDEPENDENT, NEEDED, HIDDEN, TRIVIAL)
        p = self.at[0]
        return (
            self._figure(upper, f"{self._prefix}what projection, model and noise cost, p = {p}"),
            self._figure(lower, f"{self._prefix}against the baselines, p = {p}"),
        )

    def _figure(self, conditions: tuple[str, ...], title: str) -> Series:
        mine = [k for k, (p, _) in enumerate(self.grid) if p == self.at[0]]
        x = tuple(self.grid[k][1] for k in mine)
        lines = []
        for condition in conditions:
            if condition in self.conditions:
                mean, error = (v[mine] for v in mean_and_error(self.of(condition)))
                low, high = (tuple(float(v) for v in mean + side * error) for side in (-2, 2))
                label, role = LABELS[condition]
                lines.append(Line(label, role, x, tuple(float(v) for v in mean), low, high))
        return Series(self.measure, title, "epsilon (all of the budget)", self.measure, tuple(lines), "log")
