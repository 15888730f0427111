"""Values as plain JSON data: arrays to lists, non-finite numbers to words, everything else to text; and the text of a file of it."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Iterable
from enum import Enum
from typing import Any

import numpy as np

from .limits import bounded
from .shown_text import whole

_LONGEST = 256  # numbers shown of a long array: a certificate describes, it does not carry data


def json_text(value: Any) -> str:
    """Plain data as the text of a file that is written for a reader: indented, UTF-8, with an end of line; a proof on one line."""
    return whole(_indented(value, "\n")) + "\n"


def _indented(value: Any, line: str) -> str:
    """As `json.dumps(value, indent=1)` has it, but for proofs: lists in lists, of which no reader wants a line for each number."""
    inner = f"{line} "
    if isinstance(value, dict) and value:
        pairs = (
            f"{_dense(k)}: {_dense(v) if k == 'proof' else _indented(v, inner)}" for k, v in value.items()
        )
        return f"{{{inner}{f',{inner}'.join(pairs)}{line}}}"
    if isinstance(value, list | tuple) and value:
        return f"[{inner}{f',{inner}'.join(_indented(v, inner) for v in value)}{line}]"
    return _dense(value)


def _dense(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def same_data(one: Any, other: Any) -> bool:
    """Whether two pieces of plain data are written alike: true is not 1, and 1 is 1.0 to whoever reads JSON."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same_data(one[k], other[k]) for k in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(same_data, one, other))
    return isinstance(one, bool) is isinstance(other, bool) and bool(one == other)


def plain(value: Any) -> Any:
    """`value` as data that json.dumps accepts with allow_nan=False."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return number if math.isfinite(number) else str(number)
    if isinstance(value, np.bool_):
        return bool(value)
    if isinstance(value, np.ndarray):
        if value.size > _LONGEST:
            return {"shape": list(value.shape), "first": plain(value.ravel()[:8]), "note": "shortened"}
        return [plain(v) for v in value.tolist()] if value.ndim else plain(value.item())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return str(value)


def shown(inputs: Iterable[Any]) -> list[Any]:
    """The inputs of a witness as plain data, which whoever reads it must be able to take in: or why they are not shown."""
    found = []
    for value in inputs:
        data = plain(value)
        try:
            bounded(data)
        except ValueError as error:
            data = f"not shown: {error}"
        found.append(data)
    return found


def chance(value: float) -> str:
    """A small probability with its sign, "= 0.0012", or "< 1e-12", below which digits say nothing."""
    return f"= {value:.3g}" if value >= 1e-12 or value != value else "< 1e-12"
