"""The interface of a mechanism that can release a table: configured once, then asked what it costs, keeps and does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ....symbolic.claim import Claim
from ...record.evidence import Series
from ..derived import Derived
from ..ledger.cost import Cost
from ..manifest import ColumnNoise, ErrorFigure, StatedGuarantee
from ..policy import Policy

if TYPE_CHECKING:
    import pyarrow as pa

    from ....mechanisms.grid_noise import Bits
    from ..tables import PolicyTable


@dataclass(frozen=True, eq=False)
class Drawn:
    """What was drawn from a table: the schema of the data file, its batches, and facts that may be published.

    `facts` are added to the parameters of the manifest once the last batch came; they must follow from what is
    released, or from public numbers.  `records` is the number of records of the table, where that is not the number of
    released rows; `error_bounds` are those that follow from what is released.
    """

    schema: pa.Schema
    batches: Iterator[pa.RecordBatch]
    facts: Callable[[], dict[str, Any]] = dict
    records: int | None = None
    error_bounds: tuple[ErrorFigure, ...] = ()


class Kind(ABC):
    """One mechanism with all its numbers.  A new one is a module with a subclass and a name in the list of `kinds`."""

    name: ClassVar[str]
    row_wise: ClassVar[bool]
    needs_records: ClassVar[bool] = False  # whether the guarantee depends on the (public) number of records

    def with_records(self, records: int) -> Self:
        """The same for a table of so many records."""
        return self

    @classmethod
    @abstractmethod
    def configure(cls, policy: Policy) -> Self:
        """The mechanism with the numbers of the policy, or with those that its limits ask for; SpecError if none do."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """All numbers of the mechanism, public."""

    @abstractmethod
    def columns(self) -> tuple[ColumnNoise, ...]:
        """What is done to each private number."""

    @abstractmethod
    def cost(self) -> Cost:
        """What the release costs one unit of privacy."""

    @abstractmethod
    def guarantees(self) -> tuple[StatedGuarantee, ...]:
        """What is kept of one unit of privacy, in numbers and words; what is not kept is said too."""

    @property
    @abstractmethod
    def adjacency(self) -> str:
        """Which pairs of tables the guarantees speak of."""

    @abstractmethod
    def trials(self) -> tuple[Claim, ...]:
        """The claims about law, code and bytes, each with its subject: declared worst-case neighbours, controls among them."""

    def derived(self) -> tuple[Derived, ...]:
        """Claims that exact computation settles."""
        return ()

    def unmet(self) -> tuple[str, ...]:
        """One sentence for each limit that the declared law does not meet, found before anything is sampled."""
        from ..limits import unmet

        return unmet(self.derived())

    def notes(self) -> tuple[str, ...]:
        """What a reader of the certificate must know about the trial."""
        return ()

    def error_bounds(self) -> tuple[ErrorFigure, ...]:
        """Mean squared errors that no adversary of the named kind gets below."""
        return ()

    def information(self) -> dict[str, float] | None:
        """Fisher information about each private number of one record, in inverse squared units; None: not finite."""
        return None

    def utility(self) -> dict[str, Any] | None:
        """Measures of usefulness that follow from the law alone, and so cost nothing; None: they would need the data."""
        return None

    @abstractmethod
    def does_not_mean(self) -> tuple[str, ...]:
        """What a reader must not take from the guarantees."""

    @abstractmethod
    def draw(self, table: PolicyTable, bits: Bits) -> AbstractContextManager[Drawn]:
        """The release, drawn from `bits` while its batches are taken."""

    def trade_off(self) -> tuple[Series, ...]:
        """Curves of noise against privacy, error and usefulness, for `calibrate` and the page."""
        return ()

    def meets_bytes(self) -> str | None:
        """None if the guarantee holds for the bytes that are written; else why it does not."""
        return None


def sentence_of_columns(names: Sequence[str]) -> str:
    """The names of columns for a sentence, the first few of many."""
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"
