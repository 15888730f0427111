"""What audits say of half the noise, against audits of half the noise: releases whose noise is a random factor off, at random distances.

    python -m benchmarks.half_noise --cases 200 --again 20

Each release is audited once; whatever it says, the same release with half of its noise is audited `--again` times.
A "yes" must be kept by 19 of 20 audits, a "loose" by a claim that half the noise does not break by more than a fifth.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import noiseproof as npf
from noiseproof.audit.record.evidence import Resolution

Release = Callable[[float, int, np.random.Generator], Any]


def laplace(loss: float) -> Release:
    return lambda d, n, rng: d + rng.laplace(scale=1 / loss, size=n)


def counts(loss: float) -> Release:
    """Two-sided geometric noise on whole numbers."""
    stop = -np.expm1(-loss)
    return lambda d, n, rng: int(d) + rng.geometric(stop, n) - rng.geometric(stop, n)


def answers(loss: float) -> Release:
    return lambda d, n, rng: (rng.random(n) < 1 / (1 + np.exp(-loss if d else loss))) * 1


def words(loss: float) -> Release:
    given = answers(loss)
    return lambda d, n, rng: [f"the answer is {('no', 'yes')[x]}" for x in given(d, n, rng)]


def vectors(loss: float) -> Release:
    return lambda d, n, rng: d * np.eye(3)[0] + rng.laplace(scale=1 / loss, size=(n, 3))


KINDS = {f.__name__: f for f in (laplace, counts, answers, words, vectors)}


@dataclass(frozen=True)
class Case:
    """A release whose privacy loss at its pair is `used` times the claimed epsilon."""

    kind: str
    epsilon: float
    used: float
    samples: int
    seed: int

    @classmethod
    def drawn(cls, rng: np.random.Generator) -> Case:
        kind = list(KINDS)[int(rng.integers(len(KINDS)))]
        used = float(rng.choice([0.01, 0.1, 0.3, 0.45, 0.5, 0.6, 0.8, 1.0]))
        samples = int(rng.choice([500, 1_000, 2_000, 5_000, 20_000]))
        return cls(kind, float(rng.choice([0.5, 1.0, 2.0])), used, samples, int(rng.integers(10**6)))

    def audit(self, factor: float, seed: int) -> tuple[str, Resolution | None]:
        """The verdict on the code with its noise divided by `factor`, and what it says of half the noise."""
        release = KINDS[self.kind](self.epsilon * self.used * factor)
        box = npf.BlackBox(release, (0.0, 1.0))
        found = npf.examine(box, npf.PureDP(self.epsilon), samples=self.samples, seed=seed).findings[0]
        return found.verdict.name, found.evidence[0].resolution

    def said(self) -> str:
        """One word: yes, loose, open, silent (UNDECIDED for another reason) or REFUTED, by chance or not."""
        verdict, found = self.audit(1.0, self.seed)
        if found is None:
            return "REFUTED" if verdict == "REFUTED" else "silent"
        return "open" if found.samples is not None else "loose" if found.limit is not None else "yes"

    def wrong(self, said: str, again: int) -> str:
        """Why what was said is wrong; empty if it is not."""
        if said == "loose" and 2 * self.used > 1.2:
            return "half the noise breaks the claim"
        if said != "yes":
            return ""
        fell = sum(self.audit(2.0, self.seed + 1 + i)[0] == "REFUTED" for i in range(again))
        # One in 1,000 honest yeses is found by less.
        return (
            f"half the noise fell in {fell} of {again}"
            if fell < 0.95 * again - 3 * (0.0475 * again) ** 0.5
            else ""
        )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--again", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, told, faults = np.random.default_rng(options.seed), Counter[str](), 0
    for _ in range(options.cases):
        case = Case.drawn(rng)
        said = case.said()
        told[said] += 1
        if why := case.wrong(said, options.again):
            faults += 1
            print(case, said, why, flush=True)
    print(f"{options.cases} releases: {dict(told)}; wrong: {faults}")


if __name__ == "__main__":
    main()
