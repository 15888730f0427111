"""What the data of a witness looks like: every entry is declared, finite, and within the range in which it means something."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from .reading.certificate_form import Form as Part

# Types of pydantic's errors that say: a number, but none that can be; an empty list; an empty text.
RANGES = frozenset(
    {"greater_than", "greater_than_equal", "less_than", "less_than_equal", "too_short", "string_too_short"}
)


def _whole(count: float) -> float:
    # multiple_of forgives rounding, and 1e-300 with it.
    if not count.is_integer():
        raise ValueError(f"expected a whole number, got {count!r}")
    return count


Share = Annotated[float, Field(gt=0, lt=1)]
Probability = Annotated[float, Field(ge=0, le=1)]
NotNegative = Annotated[float, Field(ge=0)]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=0, le=10**15)]
Trials = Annotated[int, Field(ge=1, le=10**15)]
Numbers = Annotated[list[float], Field(min_length=1)]
Whole = Annotated[float, Field(ge=0, le=1e15), AfterValidator(_whole)]
Counts = Annotated[list[Whole], Field(min_length=1)]
Numeral = Annotated[str, Field(pattern=r"^-?(\d+/0*[1-9]\d*|\d+(\.\d+)?([eE][+-]?\d+)?)$")]
Text = Annotated[str, Field(min_length=1)]


class Form(Part):
    """A witness: its kind, and the claim that it breaks; entries that are not declared are errors."""

    kind: str
    predicate: str | None = None
    parameters: dict[str, Any] | None = None


class OfClaim(Form):
    """A witness whose evaluation needs the numbers of the claim."""

    predicate: Text
    parameters: dict[str, Any]


class Attacked(OfClaim):
    """Outcomes at two inputs, counted, against a guarantee; `alpha` is what the test may spend."""

    inputs: Any = None
    alpha: Share
