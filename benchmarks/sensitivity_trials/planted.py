"""Plants faults in honest answers to random queries and counts how many the judge sees: a judge that never says wrong judges nothing.

Run: cd benchmarks && python -m sensitivity_trials.planted
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from sensitivity_trials.judge import judged
from sensitivity_trials.query import Query
from sensitivity_trials.random_queries import drawn
from sensitivity_trials.relations import Near
from sensitivity_trials.spaces import BallOf, BoxOf
from sensitivity_trials.truth import Known, known

Pair = tuple[list[list[str]], list[list[str]]]
_QUERIES, _BY, _IN = 60, Fraction(1, 10**6), 1 - Fraction(1, 10**12)


def main() -> int:
    warnings.simplefilter("ignore")
    honest: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    planted: Counter[str] = Counter()
    for seed in range(_QUERIES):
        random = drawn(seed)
        if random.singular:
            continue
        truth = known(random)
        if truth.least < 1e-3 or truth.most == float("inf"):
            continue
        pair = _inside(random.query, truth)
        true = _honest(truth, pair)
        honest[judged(random.query, true, truth)[0]] += 1
        for name, changed in _faults(truth, pair):
            planted[name] += 1
            seen[name] += judged(random.query, {**true, **changed}, truth)[0] == "wrong"
    print("| fault | planted | seen |\n| --- | ---: | ---: |")
    for name, count in planted.items():
        print(f"| {name} | {count} | {seen[name]} |")
    print(f"\nHonest answers: {', '.join(f'{n} {word}' for word, n in honest.items())}")
    return int(seen != planted or set(honest) != {"right"})


def _inside(query: Query, truth: Known) -> Pair:
    """The pair that was found, drawn in by the rounding of floats: into the domain, towards each other."""
    one, two = ([[Fraction(float(v)) for v in row] for row in data] for data in truth.pair)
    if isinstance(query.space, BallOf):
        one, two = ([[v * _IN for v in row] for row in data] for data in (one, two))
    if isinstance(query.space, BoxOf):
        ends = [(Fraction(a), Fraction(b)) for a, b in zip(query.space.low, query.space.high, strict=True)]
        one, two = (
            [[min(max(v, a), b) for v, (a, b) in zip(row, ends, strict=True)] for row in data]
            for data in (one, two)
        )
    if isinstance(query.relation, Near):
        two = [[a + (b - a) * _IN for a, b in zip(x, y, strict=True)] for x, y in zip(one, two, strict=True)]
    texts = [[[str(v) for v in row] for row in data] for data in (one, two)]
    return texts[0], texts[1]


def _honest(truth: Known, pair: Pair) -> dict[str, Any]:
    lower, upper = Fraction(truth.least) * (1 - Fraction(1, 10**9)), Fraction(truth.most)
    return {
        "lower": str(lower), "upper": str(upper), "exact": None, "infinite": False, "ray": None, "pair": list(pair), "checks": "HOLDS",
    }  # fmt: skip


def _faults(truth: Known, pair: Pair) -> Iterator[tuple[str, dict[str, Any]]]:
    least, most = Fraction(truth.least), Fraction(truth.most)
    one, two = pair
    far = [["1000"] * len(one[0]), *one[1:]]
    yield "an upper end 1e-6 too low", {"upper": str(least * (1 - _BY))}
    yield "an exact value 1e-6 too low", {"exact": str(least * (1 - _BY))}
    yield "an exact value above every upper end", {"exact": str(most * (1 + _BY))}
    yield "a lower end 1e-6 beyond its pair", {"lower": str(least * (1 + _BY))}
    yield "a lower end above every upper end, without a pair", {"lower": str(most * (1 + _BY)), "pair": None}
    yield "infinite", {"infinite": True}
    yield "a pair with a record outside", {"pair": [far, two]}
    yield "a pair that is no pair of neighbours", {"pair": [one, [*two, *two, *two]]}
    yield "a derivation that does not check", {"checks": "FAILS"}


if __name__ == "__main__":
    sys.exit(main())
