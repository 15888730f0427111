"""Numbers as files write them: which mark is decimal and which parts thousands; what can be read in two ways is refused, never guessed."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ...symbolic.errors import SpecError

# How one separator of thousands is written.
SEPARATORS = {",": "[,]", ".": "[.]", " ": "[ \u00a0\u202f]", "'": "['\u2019]"}
_EXPONENT = "(?:[eE][+-]?[0-9]+)?"
_GROUPABLE = r"^\s*[+-]?[1-9][0-9]{0,2}(?:[.][0-9]{3})+\s*$"
SHORT = r"[.][0-9]{0,2}\s*$"  # a point that parts no thousands
_FINE = r"[.][0-9]{3}"
_DECLARE = (
    'declare table.decimal = "." if the point is decimal, or table.decimal = "," and table.thousands = "."'
)


@dataclass(frozen=True)
class WrittenNumbers:
    """`decimal` None: not declared, a point; `thousands` None: numbers are not parted."""

    decimal: str | None = None
    thousands: str | None = None

    @cached_property
    def pattern(self) -> str:
        """What a number looks like, as a regular expression."""
        mark = f"[{self.decimal or '.'}]"
        # A comma at the end of a number is rather a delimiter.
        some = "+" if self.decimal == "," else "*"
        plain = f"(?:[0-9]+(?:{mark}[0-9]{some})?|{mark}[0-9]+){_EXPONENT}"
        if self.thousands is None:
            return f"^[+-]?{plain}$"
        part = SEPARATORS[self.thousands]
        return f"^[+-]?(?:{plain}|[1-9][0-9]{{0,2}}(?:{part}[0-9]{{3}})+(?:{mark}[0-9]{some})?)$"

    def values(self, texts: Any, kind: Any, name: str, before: int) -> Any:
        """The texts as numbers of an Arrow type; SpecError, which shows none, for the first one that is no such number."""
        import pyarrow as pa
        import pyarrow.compute as pc

        texts = pc.utf8_trim_whitespace(texts)
        plain = texts
        if self.thousands is not None:
            # Taken out only where they part threes: 1,5 is no 15.
            plain = pc.replace_substring_regex(texts, SEPARATORS[self.thousands], "")
        if self.decimal == ",":
            plain = pc.replace_substring(plain, ",", ".")
        elif self.thousands is None:
            # Whatever is cast is written so.
            with suppress(pa.ArrowException):
                return pc.cast(plain, kind)
        fits = pc.match_substring_regex(texts, self.pattern)
        if pa.types.is_floating(kind) and self.thousands is None:
            fits = pc.or_(
                fits, pc.match_substring_regex(texts, "^[+-]?(inf|infinity|nan)$", ignore_case=True)
            )
        bad = np.flatnonzero(~np.asarray(pc.fill_null(fits, True)))
        try:
            if not len(bad):
                return pc.cast(plain, kind)
        except pa.ArrowException:
            pass
        place = f", record {before + int(bad[0]) + 1}" if len(bad) else ""
        raise SpecError(f"column {name!r}{place}: {expected(str(kind))}")


def expected(kind: str) -> str:
    """What was expected of a number, and what to declare where numbers are written otherwise."""
    said = "numbers such as 1.5" if kind == "double" else "whole numbers such as 12"
    return f"expected {said}; where decimals have commas or thousands are separated, declare table.decimal or table.thousands (percent and currency signs and units are to be taken out)"


@dataclass
class PointsSeen:
    """Whether the points of a column are decimal, from all of its texts: 1.966 may be 1966 unless a number such as 0.125 shows otherwise."""

    name: str
    parted: bool = field(default=False)
    fine: bool = field(default=False)

    def look(self, texts: Any) -> None:
        """Takes note of some more of the texts."""
        import pyarrow.compute as pc

        if self.fine:
            return
        texts = texts.filter(pc.match_substring(texts, "."))
        if not len(texts):
            return
        groupable = pc.match_substring_regex(texts, _GROUPABLE)
        self.parted |= bool(pc.any(groupable).as_py())
        # Three decimals or more that are no thousands: a point is decimal here, and such numbers have so many digits.
        shown = pc.and_not(pc.match_substring_regex(texts, _FINE), groupable)
        self.fine |= bool(pc.any(shown).as_py())

    def require(self) -> None:
        """SpecError where numbers can be read in two ways."""
        if self.parted and not self.fine:
            raise SpecError(
                f"column {self.name!r}: numbers such as 1.234 may be decimals or thousands here: {_DECLARE}"
            )
