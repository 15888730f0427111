"""The structure of one outcome in words, and the numbers that it holds: whatever is no finite double is told in words."""

from __future__ import annotations

import dataclasses
import numbers
from array import array
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import repeat
from math import isfinite
from typing import Any

import numpy as np

EXACT = 2**53  # whole numbers up to here are doubles
# What objects of other libraries hold, which their words would cut short.
_CONTENTS: dict[str, Callable[[Any], Any]] = {
    "pandas": lambda table: [list(getattr(table, "columns", ())), list(table.index), table.to_numpy()],
    "pyarrow": lambda table: table.to_pydict() if hasattr(table, "to_pydict") else str(table),
    "scipy": lambda matrix: matrix.toarray() if hasattr(matrix, "toarray") else str(matrix),
}


def _large(outcome: Any, leaves: array[float]) -> str:
    """A whole number that no double holds: the nearest double, what is lost, and of still larger ones the last digits."""
    whole, name = int(outcome), type(outcome).__name__
    if abs(whole) >= 2**1000:
        return f"large {name} {outcome}"
    near = int(float(whole))
    leaves.extend([float(near), float(whole - near)])
    if abs(whole) < EXACT**2:
        return f"large {name}"
    leaves.append(float(whole % 2**32))
    return f"huge {name}"


def _nearest(number: Any) -> tuple[float, float]:
    """The nearest double of an exact number, and what rounding took away."""
    near = float(number)
    if not isfinite(near):
        return near, 0.0
    if isinstance(number, np.longdouble):
        return near, float(number - np.longdouble(near))
    return near, float(Fraction(number) - Fraction(near))


def structure(outcome: Any, leaves: array[float]) -> str:
    """The structure of one outcome in words; numbers are appended to `leaves`."""
    if type(outcome) is float:  # the usual leaf of long lists
        leaves.append(outcome)
        return "float"
    if isinstance(outcome, bool | np.bool_):
        leaves.append(float(outcome))
        return "bool"
    if isinstance(outcome, numbers.Integral) and abs(int(outcome)) > EXACT:
        return _large(outcome, leaves)
    if isinstance(outcome, Decimal | Fraction | np.longdouble):
        leaves.extend(_nearest(outcome))
        return type(outcome).__name__
    if isinstance(outcome, numbers.Real):
        leaves.append(float(outcome))
        return type(outcome).__name__
    if isinstance(outcome, numbers.Complex):
        leaves.extend([float(outcome.real), float(outcome.imag)])
        return type(outcome).__name__
    if outcome is None:
        return "None"
    if isinstance(outcome, str | bytes):
        return f"{type(outcome).__name__} {outcome!r}"
    if isinstance(outcome, BaseException):
        return f"raises {type(outcome).__name__}" + (f": {_shown(outcome.args)}" if outcome.args else "")
    if isinstance(outcome, np.ma.MaskedArray):
        hidden = np.flatnonzero(np.ma.getmaskarray(outcome)).tolist()
        return f"masked {structure(outcome.filled(0), leaves)} {hidden}"
    if isinstance(outcome, np.ndarray) and outcome.dtype.kind in "biuf":
        leaves.frombytes(outcome.astype(float).tobytes())
        return f"{outcome.dtype.name}{list(outcome.shape)}"
    if isinstance(outcome, dict):
        keys = sorted(outcome, key=repr)
        inside = [f"{key!r}: {structure(outcome[key], leaves)}" for key in keys]
        order = "" if keys == list(outcome) else f" in the order {list(outcome)!r}"
        return "{" + ", ".join(inside) + "}" + order
    if isinstance(outcome, tuple | list | set | frozenset):
        items = sorted(outcome, key=repr) if isinstance(outcome, set | frozenset) else outcome
        words: Iterable[str] = map(structure, items, repeat(leaves))
        if {*map(type, items)} == {float}:
            leaves.extend(items)
            words = repeat("float", len(items))
        return f"{type(outcome).__name__}[" + ", ".join(words) + "]"
    if isinstance(outcome, np.ndarray):
        return f"{outcome.dtype.name} " + structure(outcome.tolist(), leaves)
    if dataclasses.is_dataclass(outcome) and not isinstance(outcome, type):
        return f"{type(outcome).__name__} " + structure(
            vars(outcome) if hasattr(outcome, "__dict__") else dataclasses.asdict(outcome), leaves
        )
    held = _CONTENTS.get(type(outcome).__module__.partition(".")[0])
    if held is not None:
        return f"{type(outcome).__name__} {structure(held(outcome), leaves)}"
    if type(outcome).__repr__ is getattr(object, "__repr__"):  # noqa: B009 - typed as a method of object otherwise
        raise ValueError(
            f"an outcome of type {type(outcome).__name__} shows nothing that could be compared: return numbers, text, lists or dicts"
        )
    return f"{type(outcome).__name__} {_shown(outcome)}"


def _shown(value: Any) -> str:
    """The words of an object, whose own code may fail."""
    try:
        return repr(value)
    except Exception as error:
        return f"without words: {type(error).__name__}"
