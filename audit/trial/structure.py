"""The structure of one outcome in words, and the numbers that it holds: whatever is no finite double is told in words."""

from __future__ import annotations

import dataclasses
import numbers
import re
from array import array
from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from itertools import repeat
from math import inf, isfinite, isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

EXACT = 2**53  # whole numbers up to here are doubles
NUMBER = "number"
Lost = list[tuple[int, float]]  # what rounding took away from which leaf
_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]+")
# What objects of other libraries hold, which their words would cut short.
_CONTENTS: dict[str, Callable[[Any], Any]] = {
    "pandas": lambda table: [list(getattr(table, "columns", ())), list(table.index), table.to_numpy()],
    "pyarrow": lambda table: table.to_pydict() if hasattr(table, "to_pydict") else str(table),
    "scipy": lambda matrix: matrix.toarray() if hasattr(matrix, "toarray") else str(matrix),
}


def types(outcome: Any) -> str:
    """The type of an outcome and of what it holds, in words."""
    held: Iterable[Any] = ()
    if isinstance(outcome, dict):
        held = outcome.values()
    elif isinstance(outcome, tuple | list | set | frozenset):
        held = outcome
    name = outcome.dtype.name if isinstance(outcome, np.ndarray | np.generic) else type(outcome).__name__
    inside = sorted({*map(types, held)})
    return f"{name}[{', '.join(inside)}]" if inside else name


def _number(outcome: Any, leaves: array[float], lost: Lost) -> str:
    """A real number, whatever its type: the nearest double, what is lost, and the last digits where that is no double either."""
    whole = isinstance(outcome, numbers.Integral)
    try:
        near = float(outcome)
    except OverflowError:
        near = inf
    if isinf(near) and outcome not in (inf, -inf):
        return f"large number {int(outcome) if whole else outcome}"
    leaves.append(near)
    if type(outcome) is float or not isfinite(near):
        return NUMBER
    if isinstance(outcome, np.longdouble):
        rest = float(outcome - np.longdouble(near))
    elif whole:
        rest = float(int(outcome) - int(near))
    else:
        rest = float(Fraction(outcome) - Fraction(near)) if isinstance(outcome, Decimal | Fraction) else 0.0
    if rest:
        lost.append((len(leaves) - 1, rest))
    if whole and int(near) + int(rest) != outcome:
        leaves.append(float(int(outcome) % 2**32))
        return f"huge {NUMBER}"
    return NUMBER


def inexact(values: NDArray[Any]) -> bool:
    """Whether doubles may not hold these real numbers."""
    if values.dtype.kind in "iu" and values.size:
        return max(int(values.max()), -int(values.min())) > EXACT
    return values.dtype.kind == "f" and values.dtype.itemsize > 8


def _array(outcome: NDArray[Any], leaves: array[float], lost: Lost) -> str:
    """An array; one of numbers is read as such, whatever their type."""
    kind, shape = outcome.dtype.kind, list(outcome.shape) if outcome.ndim else ""
    if kind == "c":
        leaves.frombytes(np.ascontiguousarray(outcome, dtype=complex).tobytes())
        return f"complex{shape}"
    if kind in "biuf" and not inexact(outcome):
        leaves.frombytes(outcome.astype(float).tobytes())
        return f"{NUMBER}{shape}"
    if kind in "iufO":
        first, before = len(leaves), len(lost)
        words = {structure(v, leaves, lost) for v in outcome.ravel().tolist()}
        if words <= {NUMBER}:
            return f"{NUMBER}{shape}"
        del leaves[first:], lost[before:]
    # The longest text of a call makes the type of all.
    name = "array" if kind in "OUS" else outcome.dtype.name
    return f"{name} {structure(outcome.tolist(), leaves, lost)}"


def key_words(key: Any) -> str:
    """The words of a key, the same for equal numbers and for equal text."""
    if isinstance(key, tuple):
        return f"({', '.join(map(key_words, key))})"
    key = key.item() if isinstance(key, np.generic) else key
    return repr(int(key) if isinstance(key, bool | float) and key == key // 1 else key)


def structure(outcome: Any, leaves: array[float], lost: Lost) -> str:
    """The structure of one outcome in words; numbers are appended to `leaves`, and to `lost` where no double is one of them.

    Equal numbers, and equal text, have equal words: the type of a scalar is no part of its value.
    """
    if type(outcome) is float:  # the usual leaf of long lists
        leaves.append(outcome)
        return NUMBER
    if isinstance(outcome, numbers.Real | Decimal | np.bool_):
        return _number(outcome, leaves, lost)
    if isinstance(outcome, numbers.Complex):
        leaves.extend([float(outcome.real), float(outcome.imag)])
        return "complex"
    if outcome is None:
        return "None"
    if isinstance(outcome, str | bytes):
        kind = str if isinstance(outcome, str) else bytes
        return f"{kind.__name__} {kind.__repr__(outcome)}"
    if isinstance(outcome, BaseException):
        return f"raises {type(outcome).__name__}{_message(outcome)}"
    if isinstance(outcome, np.ma.MaskedArray):
        hidden = np.flatnonzero(np.ma.getmaskarray(outcome)).tolist()
        return f"masked {structure(outcome.filled(0), leaves, lost)} {hidden}"
    if isinstance(outcome, np.ndarray):
        return _array(outcome, leaves, lost)
    if isinstance(outcome, dict):
        keys = sorted(outcome, key=key_words)
        inside = [f"{key_words(key)}: {structure(outcome[key], leaves, lost)}" for key in keys]
        order = "" if keys == list(outcome) else f" in the order [{', '.join(map(key_words, outcome))}]"
        return "{" + ", ".join(inside) + "}" + order
    if isinstance(outcome, tuple | list | set | frozenset):
        items = sorted(outcome, key=key_words) if isinstance(outcome, set | frozenset) else outcome
        words: Iterable[str] = map(structure, items, repeat(leaves), repeat(lost))
        if {*map(type, items)} == {float}:
            leaves.extend(items)
            words = repeat(NUMBER, len(items))
        return f"{type(outcome).__name__}[" + ", ".join(words) + "]"
    if dataclasses.is_dataclass(outcome) and not isinstance(outcome, type):
        return f"{type(outcome).__name__} " + structure(
            vars(outcome) if hasattr(outcome, "__dict__") else dataclasses.asdict(outcome), leaves, lost
        )
    held = _CONTENTS.get(type(outcome).__module__.partition(".")[0])
    if held is not None:
        return f"{type(outcome).__name__} {structure(held(outcome), leaves, lost)}"
    if isinstance(outcome, np.generic) and not isinstance(outcome.item(), int | np.generic):
        return structure(outcome.item(), leaves, lost)  # but for times finer than those of Python
    if type(outcome).__repr__ is getattr(object, "__repr__"):  # noqa: B009 - typed as a method of object otherwise
        raise ValueError(
            f"an outcome of type {type(outcome).__name__} shows nothing that could be compared: return numbers, text, lists or dicts"
        )
    return f"{type(outcome).__name__} {_shown(outcome)}"


def _message(error: BaseException) -> str:
    """What an exception says, and its arguments where that is not all of them; where objects lie in memory is left out."""
    try:
        said = str(error)
    except Exception:
        said = ""
    told = _shown(error.args) if error.args else ""
    if said and said not in told and said != str(error.args[0] if len(error.args) == 1 else ""):
        told = f"{told} {said!r}".lstrip()
    return f": {_ADDRESS.sub('at 0x', told)}" if told else ""


def _shown(value: Any) -> str:
    """The words of an object, whose own code may fail."""
    try:
        return repr(value)
    except Exception as error:
        return f"without words: {type(error).__name__}"
