"""How names in expression text are written: Greek letters, constants, accents, indices, relations."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from . import notation
from .mathml_parts import row
from .notation import CAPITALS, SPELLED, VARIANTS, name_parts


def _letters(names: Iterable[str], case: str) -> dict[str, str]:
    """The letters by their names in Unicode, which spells lambda without b."""
    spelled = {name: name.upper().replace("LAMBDA", "LAMDA") for name in names}
    return {name: unicodedata.lookup(f"GREEK {case} LETTER {word}") for name, word in spelled.items()}


GREEK = _letters(notation.GREEK, "SMALL") | VARIANTS
GREEK |= {other: GREEK[name] for other, name in SPELLED.items()}
_UPPER = _letters(CAPITALS, "CAPITAL")

CONSTANTS: dict[str, str] = {
    "oo": "<mi>∞</mi>",
    "inf": "<mi>∞</mi>",
    "pi": "<mi>π</mi>",
    "E": "<mi>e</mi>",
    "nan": "<mtext>undefined</mtext>",
    "zoo": "<mtext>undefined</mtext>",
    "Reals": "<mi>ℝ</mi>",
    "EulerGamma": "<mi>γ</mi>",
}
# Names that read differently in front of an argument than alone: gamma(x) is the function, gamma a letter.
FUNCTIONS: dict[str, str] = {
    "gamma": "Γ",
    "zeta": "ζ",
    "beta": "B",
    "E": "𝔼",
    "Expectation": "𝔼",
    "trace": "Tr",
    "Trace": "Tr",
    "Determinant": "det",
    "Max": "max",
    "Min": "min",
    "ln": "log",
    "HeavisideTheta": "𝟙",
    "Heaviside": "𝟙",
}
RELATIONS: dict[str, str] = {
    "=": "=",
    "==": "=",
    "!=": "≠",
    "<=": "≤",
    ">=": "≥",
    "<": "&lt;",
    ">": "&gt;",
    "in": "∈",
    "~": "∼",
}
_ACCENTS = {"hat": "^", "tilde": "~", "bar": "¯", "dot": "˙", "prime": "′", "transpose": "⊤"}


def letter(text: str) -> str:
    """A Greek letter (capitals upright) or the word as it stands."""
    if text in _UPPER:
        return f'<mi mathvariant="normal">{_UPPER[text]}</mi>'
    return f"<mi>{GREEK.get(text, text)}</mi>"


def name(text: str) -> str:
    """A name with its accents and indices."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    head, *indices = name_parts(text)
    body = letter(head)
    while indices and indices[0] in _ACCENTS:
        mark = _ACCENTS[indices.pop(0)]
        accent = f'<mover accent="true">{body}<mo stretchy="false">{mark}</mo></mover>'
        body = f"<msup>{row(body)}<mo>{mark}</mo></msup>" if mark in ("′", "⊤") else accent
    if not indices:
        return body
    marks = "<mo>,</mo>".join(f"<mn>{i}</mn>" if i.isdigit() else letter(i) for i in indices)
    return f"<msub>{row(body)}{row(marks)}</msub>"


def function_name(text: str) -> str:
    """A name in front of its arguments."""
    return f"<mi>{FUNCTIONS[text]}</mi>" if text in FUNCTIONS else name(text)
