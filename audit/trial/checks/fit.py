"""The code against its law: exact binomial tests of transformed outcomes, and of their independence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from ....mechanisms.family import Family
from ....mechanisms.mechanism import Mechanism
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.laws.vector import Categories, OutcomeLaw, TabulatedScalar
from ....symbolic.privacy.guarantees import Guarantee
from ...record.evidence import HALF, SCALED_NOISE, Evidence, Line, Measured, Resolution, Series, Verdict
from ...record.plain import shown
from ..check import Counted, Counts
from ..outcomes import Outcomes
from .enough_samples import smallest_size, would_decide
from .information import information_inputs
from .resolution import smallest_factor

_CATEGORIES = 500  # whole numbers, at most
_WIDEST, _CHANCE = (
    64.0,
    2.0,
)  # factors of the noise that are looked for; of a level, in roots of the sample size
_LEVELS = np.unique(np.concatenate([[1e-3, 1e-2], np.arange(1, 32) / 32, [0.99, 0.999]]))
On = Literal["the line", "whole numbers"]


@dataclass(frozen=True)
class Test:
    """One exact test: `successes` of `trials`, each with probability `p` if the code follows the law; else it `differs`."""

    what: str
    successes: float
    trials: float
    p: float
    differs: str = ""


def p_values(tests: Sequence[Test]) -> Floats:
    """Two-sided: twice the smaller binomial tail."""
    from scipy import stats

    k, n, p = (
        np.array([getattr(t, name) for t in tests], dtype=float) for name in ("successes", "trials", "p")
    )
    tails = np.minimum(stats.binom.cdf(k, n, p), stats.binom.sf(k - 1, n, p))
    return np.asarray(np.minimum(1.0, 2 * tails), dtype=float)


class Fit(Counted):
    """Whether the code's outcomes follow the declared law, entry by entry and independently."""

    name: ClassVar[str] = "fit"
    sentence = "fit"

    def __init__(self, claim: Claim) -> None:
        super().__init__(claim)
        subject = claim.subject
        self._known: list[OutcomeLaw]
        self._whole: list[OutcomeLaw]
        if isinstance(subject, Family):
            self._inputs: tuple[Any, ...] = (subject.index(subject.theta),)
            self._known, self._whole = _laws_of(lambda y: subject.pdf(y, subject.theta))
            return
        pair = tuple(subject.neighbours()[0])
        self._inputs = pair if isinstance(claim.predicate, Guarantee) else information_inputs(claim) or pair
        self._known = [subject.law(x) for x in self._inputs]
        self._whole = []

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        subject = claim.subject
        if claim.about == "law":
            return None
        if isinstance(subject, Family):
            if not (subject.can_sample and subject.has_density):
                return None
            try:
                return cls(claim)
            except (ValueError, TypeError, IndexError):
                return None  # outcomes are no scalars, or the density cannot be tabulated
        return cls(claim) if isinstance(subject, Mechanism) else None

    def inputs(self) -> tuple[Any, ...]:
        return self._inputs

    def learn(self, sample: Sequence[Outcomes]) -> On:
        """Where the law lies: of a density that is a law on the line and on whole numbers the outcomes say which is meant."""
        whole = self._whole and all((s.values == np.floor(s.values)).all() for s in sample)
        return "whole numbers" if whole else "the line"

    def _laws(self, plan: On) -> list[OutcomeLaw]:
        return self._whole if plan == "whole numbers" else self._known

    def count(self, plan: On, unit: Sequence[Outcomes], rng: np.random.Generator) -> Counts:
        laws = self._laws(plan)
        if isinstance(laws[0], Categories):
            return np.concatenate(
                [
                    _category_counts(law, s)
                    for law, s in zip(laws, unit, strict=True)
                    if isinstance(law, Categories)
                ]
            )
        transformed = [_transform(law, s, rng) for law, s in zip(laws, unit, strict=True)]
        rows = [_uniform_counts(u, len(s)) for u, s in zip(transformed, unit, strict=True)]
        if len(transformed) == 1:
            return np.concatenate([*rows, np.zeros(2)])
        shorter = min(len(u) for u in transformed)
        across = np.array(
            [
                _same_side(transformed[0][:shorter], transformed[1][:shorter]).sum(),
                shorter * transformed[0].shape[1],
            ]
        )
        return np.concatenate([*rows, across])

    def tests(self, plan: On, counts: Counts) -> list[Test]:
        """All tests that share this check's alpha."""
        laws = self._laws(plan)
        if isinstance(laws[0], Categories):
            return [
                t
                for i, part in enumerate(np.split(counts, len(laws)))
                for t in _category_tests(laws[i], part, i)
            ]
        d = laws[0].dimension
        out: list[Test] = []
        for i, part in enumerate(np.split(counts[:-2], len(laws))):
            out += _uniform_tests(part, d, f"input {i}")
        across, trials = counts[-2:]
        if trials == 0:
            return out
        out.append(
            Test(
                "noise on input 0 and noise on input 1 lie on the same side of their medians",
                across,
                trials,
                0.5,
                "both inputs get the same noise",
            )
        )
        return out

    def judge(self, plan: On, counts: Counts | None, alpha: float) -> Evidence:
        assert counts is not None
        tests = self.tests(plan, counts)
        values = p_values(tests)
        worst = int(np.argmin(values))
        refuted = bool(values[worst] * len(tests) <= alpha)
        test = tests[worst]
        witness, reason, differs = None, "", ""
        if refuted:
            differs = test.differs or self._differs(self._laws(plan)[0], counts)
            witness = {
                "kind": "binomial",
                "what": test.what,
                "successes": int(test.successes),
                "trials": int(test.trials),
                "probability": test.p,
                "tests": len(tests),
                "alpha": alpha,
                "inputs": shown(self.inputs()),
            }
        found = None if refuted else self._resolution(self._laws(plan)[0], counts, tests, alpha)
        weak = found is not None and found.samples is not None
        if found is not None and found.samples is not None:
            reason = f"no power: half the noise would have been missed: give more samples, {would_decide(found.samples, '')}"
        return self.evidence(
            Verdict.REFUTED if refuted else Verdict.UNDECIDED if weak else Verdict.SURVIVED,
            reason,
            Measured(
                of=test.what,
                way=differs,
                tests=len(tests),
                successes=int(test.successes),
                trials=int(test.trials),
                probability=test.p,
                p=float(values[worst]),
            ),
            error=alpha,
            witness=witness,
            resolution=found,
            series=self._series(self._laws(plan)[0], counts),
        )

    def _differs(self, law: OutcomeLaw, counts: Counts) -> str:
        """Whether the levels are those of the declared noise times a number, as far as the sample tells."""
        size, below = self._below(law, counts)
        factors = np.geomspace(1 / _WIDEST, _WIDEST, 2 * 12 * 16 + 1)
        gaps = [np.abs(law.uniforms_if_scaled(_LEVELS, c) - below).max() for c in factors]
        best = int(np.argmin(gaps))
        # The steps of the factors are 2.9 % wide, which moves no level by more than a hundredth.
        if gaps[best] <= _CHANCE / np.sqrt(size) + 0.01:
            return f"its noise is about {1 / factors[best]:.2g} times that of the law"
        return "its noise has another shape or another centre"

    def _below(self, law: OutcomeLaw, counts: Counts) -> tuple[float, Floats]:
        """How many entries were drawn on the first input, which has this law, and their shares below each level."""
        k = len(_LEVELS)
        part = np.split(counts[:-2], len(self._known))[0]
        below = part[: law.dimension * k].reshape(law.dimension, k).sum(axis=0)
        size = max(part[-1] * law.dimension, 1.0)
        return float(size), np.asarray(below / size)

    def _resolution(
        self, law: OutcomeLaw, counts: Counts, tests: list[Test], alpha: float
    ) -> Resolution | None:
        from scipy import stats

        if isinstance(law, Categories):
            return None
        pooled = max((t.trials for t in tests), default=0.0)
        share = alpha / len(tests)

        def power(c: float, trials: float) -> float:
            # The rejection region of a two-sided exact test at each level, then its power under the scaled law.
            low = stats.binom.ppf(share / 2, trials, _LEVELS) - 1
            high = stats.binom.isf(share / 2, trials, _LEVELS) + 1
            p = np.clip(law.uniforms_if_scaled(_LEVELS, c), 0.0, 1.0)
            return float(np.max(stats.binom.cdf(low, trials, p) + stats.binom.sf(high, trials, p)))

        here = Resolution(SCALED_NOISE, smallest_factor(lambda c: power(c, pooled)))
        if here.half or not pooled:
            return here if here.half else None
        size = smallest_size(lambda m: power(HALF, np.ceil(m)) >= here.power, 1.5 * pooled)
        return replace(here, samples=size / pooled * self._below(law, counts)[0] / law.dimension)

    def _series(self, law: OutcomeLaw, counts: Counts) -> tuple[Series, ...]:
        if isinstance(law, Categories):
            return ()
        _, below = self._below(law, counts)
        lines = (
            Line("the law", "law", tuple(_LEVELS.tolist()), tuple(_LEVELS.tolist())),
            Line("the code", "measured", tuple(_LEVELS.tolist()), tuple(below.tolist())),
        )
        return (
            Series(
                "fit",
                f"Code against law: {self.claim.subject.name}",
                "probability under the law",
                "share of the code's outcomes below",
                lines,
            ),
        )


def _transform(law: OutcomeLaw, sample: Outcomes, rng: np.random.Generator) -> Floats:
    """Uniform numbers if the code follows the law; outcomes of another structure count as far below."""
    usable = sample.plain() & (sample.values.shape[1] == law.dimension)
    if not usable.all() or sample.values.shape[1] != law.dimension:
        out = np.zeros((len(sample), law.dimension))
        if sample.values.shape[1] == law.dimension and usable.any():
            out[usable] = law.uniforms(sample.values[usable], rng)
        return out
    return law.uniforms(sample.values, rng)


def _same_side(a: Floats, b: Floats) -> NDArray[np.bool_]:
    return np.asarray((a > 0.5) == (b > 0.5), dtype=bool)


def _uniform_counts(u: Floats, size: int) -> Counts:
    """Per coordinate: outcomes below each level; per neighbouring coordinates and per consecutive rows: same side; size."""
    below = np.stack([np.count_nonzero(u <= level, axis=0) for level in _LEVELS], axis=1).astype(float)
    sides = _same_side(u[:, :-1], u[:, 1:]).sum(axis=0).astype(float)
    pairs = len(u) // 2 * 2
    serial = _same_side(u[0:pairs:2], u[1:pairs:2]).sum()
    return np.concatenate([below.ravel(), sides, [serial, pairs // 2 * u.shape[1]], [size]])


def _uniform_tests(part: Counts, d: int, where: str) -> list[Test]:
    k, n = len(_LEVELS), part[-1]
    below = part[: d * k].reshape(d, k)
    sides = part[d * k : d * k + d - 1]
    serial, serial_trials = part[d * k + d - 1 : d * k + d + 1]
    out = [
        Test(
            f"{where}: outcomes below the law's {level:.4g} quantile, all coordinates of the outcome",
            below[:, j].sum(),
            n * d,
            float(level),
        )
        for j, level in enumerate(_LEVELS)
    ]
    if d > 1:
        out += [
            Test(f"{where}: entry {i + 1} below the law's {level:.4g} quantile", below[i, j], n, float(level))
            for i in range(d)
            for j, level in enumerate(_LEVELS)
        ]
        out += [
            Test(
                f"{where}: entries {i + 1} and {i + 2} on the same side of their medians",
                sides[i],
                n,
                0.5,
                "its entries do not draw their noise one by one",
            )
            for i in range(d - 1)
        ]
    out.append(
        Test(
            f"{where}: consecutive outcomes on the same side of the median",
            serial,
            serial_trials,
            0.5,
            "an outcome depends on the one before it",
        )
    )
    return out


def _laws_of(density: Callable[[Floats], Floats]) -> tuple[list[OutcomeLaw], list[OutcomeLaw]]:
    """The laws on the line and on 0, 1, 2, ... with this density, which smooth ones have both; ValueError if it has neither."""
    p = density(np.arange(float(_CATEGORIES)))
    whole: list[OutcomeLaw] = []
    if abs(p.sum() - 1) <= 1e-12 and p[-1] <= 1e-30:
        whole = [Categories(tuple(p.tolist()))]
    try:
        return [TabulatedScalar(density)], whole
    except ValueError:
        if not whole:
            raise
        return whole, whole


def _category_counts(law: Categories, sample: Outcomes) -> Counts:
    code = np.where(sample.plain(), sample.values[:, 0], -1.0)
    known = [np.count_nonzero(code == c) for c in range(len(law.probabilities))]
    return np.array([*known, len(sample) - sum(known), len(sample)], dtype=float)


def _category_tests(law: OutcomeLaw, part: Counts, i: int) -> list[Test]:
    assert isinstance(law, Categories)
    expected = [*law.probabilities, 0.0]
    names = [f"category {c}" for c in range(len(law.probabilities))] + ["an outcome outside the categories"]
    return [
        Test(f"input {i}: {name}", part[c], part[-1], p, "its categories have other probabilities")
        for c, (name, p) in enumerate(zip(names, expected, strict=True))
    ]
