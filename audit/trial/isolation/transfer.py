"""Plain data as JSON and bytes: what may cross the border between processes, and nothing that runs code on arrival."""

from __future__ import annotations

import io
from typing import Any

import numpy as np


def encoded(value: Any) -> tuple[Any, bytes]:
    """`value` as JSON data and the bytes of its arrays, of exactly the same types on return.

    Raises TypeError for anything but None, bool, int, float, str, bytes, list, tuple, dict and numpy numbers.
    """
    arrays = io.BytesIO()
    return _encode(value, arrays), arrays.getvalue()


def decoded(data: Any, arrays: bytes) -> Any:
    """The value that `encoded` was given."""
    return _decode(data, io.BytesIO(arrays))


def _encode(value: Any, arrays: io.BytesIO) -> Any:
    kind = type(value)
    if value is None or kind in (bool, int, float, str):
        return ["plain", value]
    if kind is bytes:
        return ["bytes", value.hex()]
    if kind in (list, tuple):
        return [kind.__name__, [_encode(v, arrays) for v in value]]
    if kind is dict:
        return ["dict", [[_encode(k, arrays), _encode(v, arrays)] for k, v in value.items()]]
    if isinstance(value, np.generic) and value.dtype.kind not in "OV":
        np.save(arrays, np.asarray(value), allow_pickle=False)
        return ["number", None]
    if kind is np.ndarray and not value.dtype.hasobject:
        np.save(arrays, value, allow_pickle=False)
        return ["array", None]
    raise TypeError(f"an input of type {kind.__name__} cannot be sent to another process")


def _decode(data: Any, arrays: io.BytesIO) -> Any:
    # Arrays are read in the order in which they were written.
    kind, content = data
    if kind == "bytes":
        return bytes.fromhex(content)
    if kind in ("list", "tuple"):
        items = [_decode(v, arrays) for v in content]
        return items if kind == "list" else tuple(items)
    if kind == "dict":
        return {_decode(k, arrays): _decode(v, arrays) for k, v in content}
    if kind in ("number", "array"):
        array = np.load(arrays, allow_pickle=False)
        return array[()] if kind == "number" else array
    return content
