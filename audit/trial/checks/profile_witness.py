"""The witnesses of refutations by an exact privacy profile, evaluated again from the parameters of its pair."""

from __future__ import annotations

import sympy as sp

from ....mechanisms.grid_noise import grid_noise
from ....mechanisms.grid_noise.pair import GridPair
from ....mechanisms.whole_noise import DiscreteGaussian, DiscreteLaplace
from ....mechanisms.whole_noise.pair import WholePair
from ....symbolic.errors import counted
from ....symbolic.privacy.pair import Pair, ProductLaplacePair
from ....symbolic.proof.enclosure import compare, enclose, sign
from ....symbolic.proof.expressions import parse
from ....symbolic.proof.truth import Truth
from ...record.witness import Witness, register
from ..witness_forms import GridForm, ProductForm, WholeForm

# A witness is read, not trusted: beyond these numbers its evaluation would only take time.
_LAPLACE_ENTRIES = 1_000_000
_COLUMNS = 1_000
_COLUMN_ENTRIES = 100_000
_MOST_APART = 1 << 62  # steps
_PARAMETER_LETTERS = 400


@register("product profile", ProductForm)
def product_profile(witness: Witness) -> tuple[bool, str]:
    """The exact profile of independent Laplace entries, certainly above the claimed delta at one epsilon."""
    ratios: list[sp.Expr] = []
    for group in witness["ratios"]:
        ratio, entries = parse(group["ratio"]), int(group["entries"])
        if not 0 < entries <= _LAPLACE_ENTRIES - len(ratios) or sign(ratio) != 1:
            return False, f"expected ratios above zero of at most {_LAPLACE_ENTRIES:,} entries together"
        ratios += [ratio] * entries
    return _exceeds(ProductLaplacePair(tuple(ratios)), witness, f"{counted(len(ratios), 'entry')}")


@register("grid profile", GridForm)
def grid_profile(witness: Witness) -> tuple[bool, str]:
    """The profile of independent columns of grid noise, certainly above the claimed delta at one epsilon."""
    rows = witness["columns"]
    if not 0 < len(rows) <= _COLUMNS:
        return False, f"expected 1 to {_COLUMNS:,} kinds of columns, got {len(rows)}"
    columns = []
    for row in rows:
        span, entries = int(row["span"]), int(row["entries"])
        if span < 1 or not 0 < entries <= _COLUMN_ENTRIES:
            return (
                False,
                f"expected spans >= 1 of 1 to {_COLUMN_ENTRIES:,} entries each, got {span} and {entries}",
            )
        columns.append(
            (grid_noise(str(row["noise"]), float(row["parameter"]), int(row["exponent"])), span, entries)
        )
    return _exceeds(GridPair(tuple(columns)), witness, f"{sum(n for _, _, n in columns)} columns")


@register("whole profile", WholeForm)
def whole_profile(witness: Witness) -> tuple[bool, str]:
    """The profile of independent columns of discrete noise, certainly above the claimed delta at one epsilon."""
    laws, columns = {"gaussian": DiscreteGaussian, "laplace": DiscreteLaplace}, []
    if len(witness["columns"]) > _COLUMNS:
        return False, f"expected at most {_COLUMNS:,} kinds of columns, got {len(witness['columns'])}"
    for row in witness["columns"]:
        name, parameter, span = str(row["noise"]), str(row["parameter"]), int(row["span"])
        if name not in laws or not 1 <= span <= _MOST_APART or not 0 < int(row["entries"]) <= _COLUMN_ENTRIES:
            return False, f"expected columns of gaussian or laplace noise, 1 to {_MOST_APART} steps apart"
        if len(parameter) > _PARAMETER_LETTERS:
            return False, f"expected parameters of at most {_PARAMETER_LETTERS} digits"
        columns.append((laws[name](parameter), span, int(row["entries"])))
    return _exceeds(WholePair(tuple(columns)), witness, f"{sum(n for _, _, n in columns)} columns")


def _exceeds(pair: Pair, witness: Witness, counted: str) -> tuple[bool, str]:
    """Whether the profile of the pair is certainly above the claimed delta at the epsilon of the witness."""
    epsilon, claimed = (parse(witness[key], characters=20_000) for key in ("epsilon", "claimed"))
    if sign(epsilon) not in (0, 1):
        return False, "expected an epsilon of at least 0"
    value = pair.profile(epsilon)
    truth = compare(value, "<=", claimed)
    word = {
        Truth.FAILS: "certainly more than",
        Truth.HOLDS: "at most",
        Truth.UNKNOWN: "not certainly more than",
    }[truth]
    shown = f"{counted}: delta({enclose(epsilon).str(8, radius=False)}) = {enclose(value).str(8)}"
    return truth is Truth.FAILS, f"{shown}, {word} {enclose(claimed).str(8)}"
