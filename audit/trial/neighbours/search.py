"""The search for the two neighbours that a release hides worst.

Multiplicity: the search looks at hundreds of pairs and hands on the best.  It pays for that by sample splitting: its
outcomes come from streams of their own (spawn keys that begin with `STREAM`, which no audit uses), and the audit of
the chosen pair draws new ones.  Given the pair, the audit's error probability is alpha whatever the search did.  If k
pairs are handed on, `examine` tests each of them at alpha/k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ....mechanisms.adapted import subject_of
from ....mechanisms.black_box import BlackBox
from ....mechanisms.mechanism import Subject
from ....symbolic.domains.adjacency import Adjacency, Size
from ....symbolic.domains.domain import Domain
from ....symbolic.errors import SpecError
from ..sampling import probe
from .evolution import Draw, Evolution, Progress
from .patterns import patterns
from .result import SearchResult
from .space import PairSpace

FEWEST = 2_000
SAMPLES = 100_000


def search_neighbours(
    release: Callable[..., Any] | Subject,
    domain: Domain,
    adjacency: Adjacency,
    *,
    size: Size = None,
    samples: int = SAMPLES,
    seed: int = 0,
    pairs: int = 1,
    delta: float = 0.0,
    log_density: Callable[..., Any] | None = None,
    start: Sequence[tuple[Any, Any]] = (),
    name: str = "",
    drawing: Callable[[Subject], Draw] | None = None,
    progress: Progress | None = None,
) -> SearchResult:
    """Searches a domain for the neighbours whose outcomes are easiest to tell apart; `result.pairs` are the best, the best first.

    `release(data, size, rng)` as for BlackBox, or a BlackBox or Mechanism, whose own inputs are not used. `size` is
    the number of records of a data set, n or (smallest, largest); add-or-remove reads n as (n, n + 1), a person's
    adjacency as (0, n). `samples` counts all outcomes that the search may draw, both inputs of all pairs together.
    `pairs` are handed on; `delta` is subtracted from probabilities before they are compared, for claims that allow
    rare failures. `start` are pairs to begin with. `drawing(subject)` returns another way to draw outcomes, called
    as (input, size, stream, seed), such as one with a time limit; `log_density` and `name` are those of BlackBox, `progress` is called
    with (share done, words). An exception of the release is an outcome; SpecError
    if it fails on every input tried first, or if an argument is unusable. The same arguments give the same result, if
    the release is deterministic.

    >>> noisy_sum = lambda data, size, rng: sum(data) + rng.laplace(size=size)
    >>> found = npf.search_neighbours(noisy_sum, npf.Box(0, 1), npf.ReplaceOne(), size=2, samples=4_000)
    >>> one, two = found.pairs[0].inputs
    >>> float(abs(sum(one) - sum(two)))  # the pair that differs most
    1.0
    """
    space = PairSpace.of(domain, adjacency, size)
    for what, value, least in (("samples", samples, FEWEST), ("pairs", pairs, 1), ("seed", seed, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise SpecError(f"{what} of the search must be a whole number of at least {least}, got {value!r}")
    if not 0 <= delta < 1:
        raise SpecError(f"delta of the search must lie in [0, 1), got {delta!r}")
    given = [space.split(*pair, origin="a given pair") for pair in start]
    tried = [space.inputs(c) for c in patterns(space, np.random.default_rng(0), 4)]
    if not tried:
        raise SpecError(f"no neighbours could be made: {space.sentence()}")
    subject = subject_of(release)
    if subject is None and callable(release):
        subject = BlackBox(release, tried[0], log_density, name=name)
    elif subject is None or log_density is not None:
        raise SpecError(
            "release must be a function release(data, size, rng), with a log_density(y, data) if known, or a subject "
            f"that brings its own, got {type(release).__name__}"
        )
    search = Evolution(
        space, subject, seed=int(seed), samples=int(samples), delta=delta, report=progress or _silent
    )
    if drawing is None:
        probe(subject, [x for pair in tried for x in pair], int(seed))
    else:
        search.draw = drawing(subject)
    return search.run(given, pairs)


def _silent(_fraction: float, _text: str) -> None:
    return None
