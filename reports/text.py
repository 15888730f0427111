"""Certificates hold text from strangers; here it becomes harmless and readable."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from markupsafe import Markup, escape

from ..audit.record.seal.statement import certificate_digest
from ..audit.record.shown_text import clean
from .mathml_names import GREEK

_WIDTH = 88
# Two letters or more, or the article, at their end no sign of a formula.
_WORD = re.compile(r"(?:[a-z]{2,}|a(?= [a-z]{2}))(?=[,:;.-]|$| (?![-+*/^=<>≤≥≠≈~∈(|]))")
_POWER = re.compile(r"\d[\d.]{0,20}e-\d{1,3}")
_SYMBOLS = GREEK.keys() | {"exp", "log", "ln", "sin", "cos", "tan", "max", "min", "sqrt"}
WITNESS_LIMIT = 6000
SPECIAL = {"inf": "∞", "-inf": "−∞", "nan": "not a number"}


def number(value: Any) -> str:
    """A number to four significant digits, with a true minus sign and powers of ten written out."""
    if isinstance(value, str):
        return SPECIAL.get(value, value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return SPECIAL[str(value)]
    if isinstance(value, int) and abs(value) < 10**15:
        return f"{value:,}".replace(",", "\u202f").replace("-", "−")
    # Whole numbers may lie beyond all doubles.
    shown = f"{value:.4g}" if isinstance(value, float) else f"{Decimal(value).normalize():.4g}"
    mantissa, _, exponent = shown.partition("e")
    mantissa = mantissa.replace("-", "−")
    return f"{mantissa} × 10{superscript(int(exponent))}" if exponent else mantissa


def interval(ends: dict[str, float]) -> str:
    """A number between two ends: the digits on which they agree, or both where these are few."""
    lower, upper = ends["lower"], ends["upper"]
    shown = next((a for k in range(10, 2, -1) if (a := f"{lower:.{k}g}") == f"{upper:.{k}g}"), None)
    if shown is None:
        return f"{number(float(lower))} to {number(float(upper))}"
    mantissa, _, exponent = shown.replace("-", "−").partition("e")
    power = superscript(int(exponent.replace("−", "-"))) if exponent else ""
    return f"{mantissa} × 10{power}" if exponent else mantissa


def superscript(power: int) -> str:
    """An integer in superscript digits."""
    return str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def prose(text: str) -> Markup:
    """Words with numbers, of which none is broken at its sign: "1e-" is another one."""
    return Markup(_POWER.sub(r'<span class="nowrap">\g<0></span>', str(escape(clean(text)))))


def capital(text: str) -> str:
    """The text with a capital where it starts with a word; a symbol means something else in capitals and keeps its letter."""
    found = _WORD.match(text)
    if found is None or found[0] in _SYMBOLS:
        return text
    return text[0].upper() + text[1:]


def value_text(value: Any) -> str:
    """A parameter on one line: numbers rounded, everything else as JSON."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str | int | float):
        return number(value)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 400 else text[:400] + " …"


def json_text(value: Any) -> str:
    """Indented JSON in which what fits on one line stays on one line; cut where it is too long to read."""
    text = _lay_out(value, 0)
    if len(text) <= WITNESS_LIMIT:
        return text
    return text[:WITNESS_LIMIT] + "\n… cut here; the JSON file holds all of it"


def _lay_out(value: Any, depth: int) -> str:
    flat = json.dumps(value, ensure_ascii=False)
    if len(flat) + 2 * depth <= _WIDTH or not isinstance(value, dict | list) or depth > 40:
        return flat
    inner = "  " * (depth + 1)
    if isinstance(value, dict):
        rows = [
            f"{json.dumps(key, ensure_ascii=False)}: {_lay_out(item, depth + 1)}"
            for key, item in value.items()
        ]
        start, end = "{", "}"
    elif all(not isinstance(item, dict | list) for item in value):
        return _fill([json.dumps(item, ensure_ascii=False) for item in value], depth)
    else:
        rows = [_lay_out(item, depth + 1) for item in value]
        start, end = "[", "]"
    return f"{start}\n{inner}" + f",\n{inner}".join(rows) + f"\n{'  ' * depth}{end}"


def _fill(items: list[str], depth: int) -> str:
    """A long list of scalars as a paragraph instead of one item per line."""
    inner, lines = "  " * (depth + 1), [""]
    for item in items:
        if lines[-1] and len(inner) + len(lines[-1]) + len(item) + 2 > _WIDTH:
            lines.append("")
        lines[-1] += f"{item}, "
    body = "\n".join(inner + line.rstrip() for line in lines).rstrip(",")
    return f"[\n{body}\n{'  ' * depth}]"


def content_digest(certificate: Mapping[str, Any]) -> str:
    """The digest of a certificate that its seal states too, or that of a manifest: nothing drawn of it fits another one."""
    try:
        return f"sha256:{certificate_digest(certificate)}"
    except ValueError as error:
        return f"none ({error})"
