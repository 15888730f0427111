"""The witness of a refutation about grid noise in several columns: the exact profile, evaluated again from its parameters."""

from __future__ import annotations

from ...mechanisms.grid_noise import grid_noise
from ...mechanisms.grid_noise.pair import GridPair
from ...symbolic.enclosure import compare, enclose, sign
from ...symbolic.expressions import parse
from ...symbolic.truth import Truth
from ..witness import Witness, register

_COLUMNS = 1_000  # a witness is read, not trusted: beyond, its evaluation would only take time
_ENTRIES = 100_000


@register("grid profile")
def grid_profile(witness: Witness) -> tuple[bool, str]:
    """The profile of independent columns of grid noise, certainly above the claimed delta at one epsilon."""
    rows = witness["columns"]
    if not 0 < len(rows) <= _COLUMNS:
        return False, f"expected 1 to {_COLUMNS:,} kinds of columns, got {len(rows)}"
    columns = []
    for row in rows:
        span, entries = int(row["span"]), int(row["entries"])
        if span < 1 or not 0 < entries <= _ENTRIES:
            return False, f"expected spans >= 1 of 1 to {_ENTRIES:,} entries each, got {span} and {entries}"
        columns.append(
            (grid_noise(str(row["noise"]), float(row["parameter"]), int(row["exponent"])), span, entries)
        )
    epsilon, claimed = (parse(witness[key], characters=20_000) for key in ("epsilon", "claimed"))
    if sign(epsilon) not in (0, 1):
        return False, "expected an epsilon of at least 0"
    value = GridPair(tuple(columns)).profile(epsilon)
    truth = compare(value, "<=", claimed)
    word = {
        Truth.FAILS: "certainly more than",
        Truth.HOLDS: "at most",
        Truth.UNKNOWN: "not certainly more than",
    }[truth]
    shown = f"{sum(n for _, _, n in columns)} columns: delta({enclose(epsilon).str(8, radius=False)}) = {enclose(value).str(8)}"
    return truth is Truth.FAILS, f"{shown}, {word} {enclose(claimed).str(8)}"
