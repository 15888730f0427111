"""Releases with a row for each record, in the order of the table: their neighbours, their caveats, and how they are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ....symbolic.arrays import Floats
from ....symbolic.claim import Scope
from ..manifest import PER_RECORD
from ..policy import Policy
from .kind import Drawn

if TYPE_CHECKING:
    from ..tables import PolicyTable


def adjacency(policy: Policy) -> str:
    """Which tables are neighbours."""
    kept = "the number of records, their order and the public columns are the same"
    if policy.unit == "person":
        return f"replace-one person: the private columns of all records of one person, at most {policy.rows_of_unit}, take any values of the declared domain; {kept}, and so is which records belong to whom"
    return f"replace-one record: the private columns of one record take any values of the declared domain; {kept}"


def scope(policy: Policy, most: int | None = None) -> Scope:
    """What claims about such a release quantify over, in words for the first `most` private numbers."""
    shown, numbers = policy.numbers[:most], policy.numbers
    domain = "; ".join(f"{n.name} in [{n.low:g}, {n.high:g}] {n.unit}".strip() for n in shown)
    more = "" if len(shown) == len(numbers) else f"; and {len(numbers) - len(shown)} more"
    return Scope(adjacency(policy), f"{domain}{more}", policy.unit)


def caveats(policy: Policy) -> tuple[str, ...]:
    """What such a release shows whatever the noise is."""
    public = [c.name for c in policy.public]
    out = [
        "The number of records and their order are published: row i of the release is record i of the table.",
        "Each record is protected on its own. What many records say together, for example the mean of a column, is not hidden: the noise averages out, as it should.",
        "Values outside of the declared interval of a column were moved to its nearer end before noise was added.",
        "Another release of the same records adds its cost to this one; the guarantee is about this release alone.",
    ]
    if public:
        out.append(
            f"The public columns ({_listed(public)}) are released as they are. They are not protected, and neither is what they "
            "say about the private ones: someone who knows them finds the record, reads its noisy numbers, and guesses the true ones as well as the public columns allow."
        )
    if policy.unit == "record":
        out.append(PER_RECORD)
    else:
        out.append(
            f"The guarantee is per person with at most {policy.rows_of_unit} records; who has how many is not hidden."
        )
    return tuple(out)


def _listed(names: Sequence[str]) -> str:
    """The names of columns for a sentence, the first few of many."""
    shown = ", ".join(names[:6])
    return shown if len(names) <= 6 else f"{shown} and {len(names) - 6} more"


@contextmanager
def drawn(table: PolicyTable, noisy: Callable[[Floats], Floats]) -> Iterator[Drawn]:
    """The release whose private numbers (rows, numbers) are `noisy` of those of the table, batch by batch."""

    def batches() -> Iterator[Any]:
        for batch in table.batches():
            yield table.released(batch, noisy(table.numbers(batch)))

    yield Drawn(batches())
