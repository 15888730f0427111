"""The interface of a mechanism that can release a table: configured once, it hands out a few parts, each asked for one thing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Self

from ....symbolic.claim import Claim
from ....symbolic.errors import SpecError
from ...record.evidence import Series
from ..ledger.cost import Cost
from ..limits import Decision
from ..policy import Policy
from .terms import Terms

if TYPE_CHECKING:
    import pyarrow as pa

    from ....mechanisms.grid_noise import Bits
    from ..tables import PolicyTable


@dataclass(frozen=True, eq=False)
class Drawn:
    """What was drawn from a table: the batches of the data file, and facts that may be published.

    `facts` are added to the parameters of the manifest once the last batch came; they must follow from what is
    released, or from public numbers.  `records` is the number of records of the table, where that is not the number of
    released rows.
    """

    batches: Iterator[pa.RecordBatch]
    facts: Callable[[], dict[str, Any]] = dict
    records: int | None = None


class Kind(ABC):
    """One mechanism with all its numbers.  A new one is a module with a subclass and a name in the list of `kinds`."""

    policy: Policy
    name: ClassVar[str]
    needs_records: ClassVar[bool] = False  # whether the guarantee depends on the (public) number of records
    bytes_fault: ClassVar[str | None] = None  # why the guarantee does not hold for the bytes that are written
    notes: ClassVar[tuple[str, ...]] = ()  # what a reader of the certificate must know about the trial
    chosen: ClassVar[tuple[str, ...]] = ()  # the parameters that are drawn when it is configured
    facts: ClassVar[tuple[str, ...]] = ()  # the parameters that are known once it is drawn

    @classmethod
    @abstractmethod
    def configure(cls, policy: Policy, records: int | None = None) -> Self:
        """The mechanism with the numbers of the policy, or with those that its limits ask for; SpecError if none do."""

    @classmethod
    def restated(cls, policy: Policy, records: int | None, parameters: Mapping[str, Any]) -> Self:
        """The mechanism of a release that states `parameters`: what was drawn to configure it is taken from there."""
        return cls.configure(policy, records)

    @property
    @abstractmethod
    def cost(self) -> Cost:
        """What the release costs one unit of privacy, for the ledger."""

    @property
    @abstractmethod
    def decisions(self) -> tuple[Decision, ...]:
        """What becomes of the limits that the declared law is held to, found before anything is sampled."""

    @property
    @abstractmethod
    def terms(self) -> Terms:
        """What the release is and keeps, for manifest and calibration."""

    @abstractmethod
    def trials(self) -> tuple[Claim, ...]:
        """The claims about law, code and bytes, each with its subject: declared worst-case neighbours, controls among them."""

    def require_own_code(self) -> None:  # noqa: B027 - most kinds draw by one call, which is tried as it is
        """PolicyNotMetError where the code that releases does not call the code that is tried as it is tried."""

    @property
    def schema(self) -> pa.Schema:
        """The columns of the data file: those of the table, unless its rows are made."""
        from ..tables import released_schema

        return released_schema(self.policy)

    def rows(self, records: int | None) -> int | None:
        """The number of rows of the data file for so many records: a row for each, unless rows are made."""
        return records

    def misfits(self, facts: Mapping[str, Any]) -> Iterator[str]:
        """What in the facts that were published does not follow from others of them and the declared law."""
        yield from ()

    def screen(
        self,
        table: PolicyTable,
        progress: Callable[[float, str], None] | None = None,
        cluster: str | None = None,
    ) -> Callable[[Bits], AbstractContextManager[Drawn]]:
        """Looks at every record once and refuses what the policy does not allow; what comes back draws the release.

        `cluster` is the address of a Dask scheduler, where a mechanism reads a table in parts.
        """
        if cluster is not None:
            raise SpecError(f"{self.name} reads a table in one process: release it without a cluster")
        table.count()
        return partial(self.draw, table)

    @abstractmethod
    def draw(self, table: PolicyTable, bits: Bits) -> AbstractContextManager[Drawn]:
        """The release, drawn from `bits` while its batches are taken."""

    def figures(self) -> tuple[Series, ...]:
        """Curves of noise against privacy, error and usefulness, for `calibrate` and the page."""
        return ()


@contextmanager
def numbers_of(policy: Policy) -> Iterator[None]:
    """A ValueError of a library on numbers of the policy, as a SpecError about its mechanism."""
    try:
        yield
    except ValueError as error:
        raise SpecError(str(error), key="mechanism", file=policy.file) from None
