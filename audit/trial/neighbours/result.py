"""What a search for neighbours found, and how it is audited."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ....mechanisms.black_box import BlackBox
from ....mechanisms.mechanism import Subject
from ....symbolic.arrays import Floats
from ....symbolic.claim import Scope
from ....symbolic.errors import counted
from ..schedule.reached import Reached
from .space import PairSpace


@dataclass(frozen=True, eq=False)
class FoundPair:
    """Two neighbours, the estimate of epsilon that chose them, outcomes per input behind it, and their origin.

    The estimate is biased upwards, since it was the largest of many: it is no evidence.
    """

    inputs: tuple[Any, Any]
    score: float
    outcomes: int
    origin: str
    exceptions: tuple[str, ...] = ()


class SearchedRelease(BlackBox):
    """A release audited at neighbours that a search found; several pairs share the alpha of the audit.

    `asked` is what else the search depends on, `code` what the release reached before it ran.
    """

    def __init__(
        self,
        source: Subject,
        pairs: tuple[tuple[Any, Any], ...],
        name: str,
        scope: Scope,
        asked: tuple[Any, ...],
        code: Reached,
    ) -> None:
        noise = source.noise if isinstance(source.noise, str) else None
        super().__init__(
            source.sample, pairs[0], name=name or source.name, deterministic=source.deterministic, noise=noise
        )
        self.source, self.pairs, self.scope, self.asked, self.code = source, pairs, scope, asked, code
        self.summary += "; its neighbours were found by search"

    def at(self, pairs: tuple[tuple[Any, Any], ...]) -> SearchedRelease:
        """The same release at the pairs that an earlier search of the same kind found."""
        return SearchedRelease(self.source, pairs, self.name, self.scope, self.asked, self.code)

    def log_density(self, y: Floats, index: Any) -> Floats | None:
        return self.source.log_density(y, index)

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return self.pairs


@dataclass(frozen=True, eq=False)
class SearchResult:
    """The neighbours that a search hands on (`pairs`, best first), and what it cost.

    `calls` counts outcomes, both inputs together; `tried` the pairs by what made them; `discarded` those that the
    independent test of adjacency and domain turned away; `history` (calls, best score so far) after each batch.
    """

    source: Subject
    pairs: tuple[FoundPair, ...]
    space: PairSpace
    calls: int
    tried: Mapping[str, int]
    discarded: int
    seed: int
    delta: float
    history: tuple[tuple[int, float], ...] = field(repr=False, default=())
    samples: int = 0
    code: Reached = field(repr=False, default_factory=Reached)

    @property
    def inputs(self) -> tuple[Any, Any]:
        """The best pair."""
        return self.pairs[0].inputs

    @property
    def scope(self) -> Scope:
        """The relation and the set of records, in words."""
        relation = f"{self.space.adjacency.sentence()}; tested on neighbours that a search found"
        return Scope(relation, self.space.domain.describe())

    @property
    def notes(self) -> tuple[str, ...]:
        """How the pairs were found, for the certificate: no record of the inputs is shown."""
        number = sum(self.tried.values())
        kinds = ", ".join(f"{count:,} from {what}" for what, count in self.tried.items() if count)
        shown = "the pair" if len(self.pairs) == 1 else f"the {len(self.pairs)} pairs"
        notes = [
            f"Neighbours found by search: {self.space.sentence()}. Tried: {counted(number, 'pair')} ({kinds}) with {counted(self.calls, 'call')} "
            f"of the release, seed {self.seed}; {shown} under audit came from: {'; '.join(p.origin for p in self.pairs)}",
            "No outcome of the search counts as evidence: the audit draws new ones, so that the choice among the pairs "
            "costs no alpha"
            + (
                "."
                if len(self.pairs) == 1
                else f"; alpha is divided over the {len(self.pairs)} audited pairs."
            ),
        ]
        odd = sorted({name for p in self.pairs for name in p.exceptions})
        if odd:
            notes.append(
                f"On a pair under audit the release raises {', '.join(odd)}: an exception is an outcome, and tells inputs apart. "
                "If such inputs cannot occur, declare a smaller domain or other sizes."
            )
        return tuple(notes)

    def subject(self, *, name: str = "") -> SearchedRelease:
        """The release as a black box whose inputs are the pairs found."""
        pairs, asked = tuple(p.inputs for p in self.pairs), (self.samples, self.seed, self.delta)
        return SearchedRelease(self.source, pairs, name, self.scope, asked, self.code)
