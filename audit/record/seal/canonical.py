"""Data as one sequence of bytes, whatever the layout of the file it came from: the canonical JSON of RFC 8785.

Covered: objects with keys sorted by UTF-16 code units, arrays, text, booleans, null, doubles in the shortest form of
ECMAScript.  Beyond the RFC, which knows doubles only: whole numbers outside of +-(2^53 - 1) keep all their digits.
Not covered, refused: NaN, infinities, half surrogate pairs, keys that are no text, values of other types.  Text is not
normalised: two spellings of one letter stay two texts.
"""

from __future__ import annotations

import hashlib
import json
import math
from decimal import Decimal
from typing import Any


def canonical_json(value: Any) -> bytes:
    """The canonical form of `value` (plain data); ValueError for what JSON cannot say.

    >>> canonical_json({"b": 1.0, "a": [1e21, 1e-7, "é"]}).decode()
    '{"a":[1e+21,1e-7,"é"],"b":1}'
    """
    return "".join(_pieces(value)).encode("utf-8")


def canonical_digest(value: Any) -> str:
    """The SHA-256 (hexadecimal) of the canonical form."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def _pieces(value: Any) -> list[str]:
    if value is None or isinstance(value, bool):
        return [{None: "null", True: "true", False: "false"}[value]]
    if isinstance(value, str):
        return [_text(value)]
    if isinstance(value, int):
        return [str(value)]
    if isinstance(value, float):
        return [_double(value)]
    if isinstance(value, list | tuple):
        out = ["["]
        for i, item in enumerate(value):
            out += [","] if i else []
            out += _pieces(item)
        return [*out, "]"]
    if isinstance(value, dict):
        if not all(isinstance(key, str) for key in value):
            raise ValueError(
                "a key of a JSON object is text, got "
                + repr(next(k for k in value if not isinstance(k, str)))
            )
        out = ["{"]
        for i, key in enumerate(sorted(value, key=_code_units)):
            out += [",", _text(key), ":"] if i else [_text(key), ":"]
            out += _pieces(value[key])
        return [*out, "}"]
    raise ValueError(f"expected plain data, got {type(value).__name__}")


def _code_units(key: str) -> bytes:
    return key.encode("utf-16-be", "surrogatepass")


def _text(text: str) -> str:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("a text holds half of a surrogate pair") from None
    # The standard library escapes what the RFC escapes, in the same spelling.
    return json.dumps(text, ensure_ascii=False)


def _double(value: float) -> str:
    """The shortest digits that give the double back, laid out as ECMAScript does."""
    if not math.isfinite(value):
        raise ValueError(f"JSON has no number for {value}")
    if value == 0:
        return "0"
    _, digit_tuple, exponent = Decimal(repr(abs(value))).normalize().as_tuple()
    assert isinstance(exponent, int)
    digits = "".join(map(str, digit_tuple))
    point = len(digits) + exponent
    if 0 < point <= 21:
        body = digits.ljust(point, "0") if point >= len(digits) else f"{digits[:point]}.{digits[point:]}"
    elif -6 < point <= 0:
        body = "0." + "0" * -point + digits
    else:
        body = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "") + f"e{point - 1:+d}"
    return ("-" if value < 0 else "") + body
