"""The forms of the witnesses that an audit finds, and what ties their shares of alpha to the certificate."""

from __future__ import annotations

from math import isclose
from typing import Annotated, Any, Literal

from pydantic import Field

from ..record.reading.certificate_form import Form as Part
from ..record.terms import Terms
from ..record.witness import Witness
from ..record.witness_form import (
    Attacked,
    Count,
    Counts,
    Form,
    NotNegative,
    Numbers,
    Numeral,
    OfClaim,
    Positive,
    Probability,
    Share,
    Text,
    Trials,
    Whole,
)

_ROUNDING, _SAME = 1 + 1e-9, 1e-6
# A check that makes one test has all of its alpha for it.
REPEATED_CALLS = "repeated calls"


class EventCounts(Part):
    """k of n outcomes on one input, l of m on the other."""

    k: int
    n: int
    l: int  # noqa: E741
    m: int


class EventForm(Attacked):
    """One event, counted on both inputs."""

    score: str = ""
    threshold: Any = None
    p_is_input: Literal[0, 1]
    count: EventCounts
    epsilon: NotNegative
    delta: Probability
    level: Share


class BoxesForm(Attacked):
    """Several events, counted on both inputs."""

    events: Any = None
    k0: Counts
    k1: Counts
    n0: int
    n1: int
    epsilon: NotNegative
    delta: Probability
    level: Share


class Bet(Part):
    """Stakes on levels in both directions, and how often each pair of levels came."""

    score: str = ""
    thresholds: Any = None
    plus: Numbers
    minus: Numbers
    pairs: list[Annotated[list[Count], Field(min_length=3, max_length=3)]]


class Epoch(Part):
    """Bets on the same pairs, averaged with weights."""

    epsilon: NotNegative
    delta: Probability
    weights: Numbers
    bets: list[Bet]


class BetsForm(Attacked):
    """Every epoch of a sequential test; `told` is on what most was to be won, in words."""

    told: str = ""
    epochs: Annotated[list[Epoch], Field(min_length=1)]


class BinomialForm(Form):
    """The count that was the most unlikely of several."""

    inputs: Any = None
    what: Text
    successes: Count
    trials: Trials
    probability: Probability
    tests: Trials
    alpha: Share


class HistogramsForm(Attacked):
    """Counts (2, entries, cells) at two parameters, and those of the outcomes that chose the cells."""

    predicate: Literal["FisherInformation", "ErrorBound"]
    steps: Annotated[list[Positive], Field(min_length=1)]
    edges: Any = None
    prior: Annotated[list[list[Counts]], Field(min_length=2, max_length=2)]
    counts: Annotated[list[list[Counts]], Field(min_length=2, max_length=2)]


class ProfileForm(Form):
    """A delta that was integrated numerically, and the claimed one."""

    epsilon: NotNegative
    delta: NotNegative
    claimed: NotNegative
    absolute_error: Positive


class InformationForm(Form):
    """An information that was integrated numerically, and the claimed one; traces of large matrices."""

    numerical: Annotated[list[Numbers], Field(min_length=1)] | float
    claimed: Annotated[list[Numbers], Field(min_length=1)] | float
    relative_error: Positive
    at: dict[str, Numeral] | None = None


class ShapeForm(Form):
    """Two shapes of matrices."""

    claimed: Annotated[list[Trials], Field(min_length=2, max_length=2)]
    information: Annotated[list[Trials], Field(min_length=2, max_length=2)]


class IrregularForm(Form):
    """Why a family has no information: in words, or by speeds that grow without limit."""

    reason: str = ""
    subject: Text
    speeds: Annotated[list[Positive], Field(min_length=5)] | None = None


class InequalityForm(Form):
    """Two exact constants and the relation between them that fails."""

    left: Text
    relation: Literal["=", "<=", ">=", "<", ">"]
    right: Text
    left_value: str = ""
    right_value: str = ""


class FormulaForm(OfClaim):
    """A point, by names, what is derived there and the claimed formula, with their values."""

    at: dict[str, Numeral]
    derived: Text
    relation: Literal["=", ">="]
    claimed: Text
    left_value: str = ""
    right_value: str = ""


class PathForm(Attacked):
    """Sums of a bounded statistic over outcomes at parameters along a path, and what an outcome in each cell adds to it."""

    predicate: Literal["FisherInformation", "ErrorBound"]
    parameter: Text
    theta: Numbers
    places: Annotated[list[float], Field(min_length=2)]
    outcomes: Annotated[Whole, Field(ge=1)]
    total: float
    squares: NotNegative
    deviation: NotNegative
    values: Annotated[list[Numbers], Field(min_length=2)]
    edges: Any = None


class SampleForm(Attacked):
    """Weighted outcomes of a law, as levels and how often each came."""

    epsilon: NotNegative
    claimed: Probability
    tests: Trials
    levels: Annotated[
        list[Annotated[list[NotNegative], Field(min_length=1)]], Field(min_length=2, max_length=2)
    ]


class NoisePart(Part):
    """One direction in which two centres lie apart: thresholds, their weights, and how many outcomes lie below."""

    direction: Any = None
    inputs: Annotated[list[Literal[0, 1]], Field(min_length=1)]
    thresholds: Numbers
    weights: Numbers
    below: Counts


class AdditiveForm(Attacked):
    """Counts below thresholds on both inputs, under noise of a declared shape."""

    noise: Text
    parts: Annotated[list[NoisePart], Field(min_length=1)]
    trials: Annotated[list[Trials], Field(min_length=2, max_length=2)]


class PointForm(OfClaim):
    """An exact outcome, two centres, and the density around them."""

    density: Text
    support: Annotated[list[Text], Field(min_length=2, max_length=2)]
    centres: Annotated[list[list[Numeral]], Field(min_length=2, max_length=2)]
    point: Annotated[list[Numeral], Field(min_length=1)]
    epsilon: Numeral


class GridColumn(Part):
    """Columns of one kind of grid noise."""

    noise: Text
    parameter: Positive
    exponent: Annotated[int, Field(ge=-1100, le=1100)]
    span: Trials
    entries: Trials


class ExactDelta(Form):
    """An epsilon and the claimed delta, against exact laws; with the values of both sides."""

    epsilon: Text
    claimed: Text
    left_value: str = ""
    right_value: str = ""


class GridForm(ExactDelta):
    """Independent columns of grid noise."""

    columns: Annotated[list[GridColumn], Field(min_length=1)]


class WholeColumn(Part):
    """Columns of one kind of discrete noise; the parameter is a fraction, such as "5/2"."""

    noise: Text
    parameter: Text
    span: Trials
    entries: Trials


class WholeForm(ExactDelta):
    """Independent columns of discrete noise."""

    columns: Annotated[list[WholeColumn], Field(min_length=1)]


class Ratios(Part):
    """Laplace entries that move by the same number of scales."""

    ratio: Text
    entries: Trials


class ProductForm(ExactDelta):
    """Independent Laplace entries."""

    ratios: Annotated[list[Ratios], Field(min_length=1)]


def spends(share: float = 1.0, level: float = 1.0) -> Any:
    """The tie of a witness that may spend this share of what its check had, and test at this share of that."""

    def tie(witness: Witness, terms: Terms) -> str | None:
        granted = terms.alpha * _ROUNDING
        if float(witness["alpha"]) > share * granted:
            return f"it spends an alpha of {witness['alpha']:.4g} where the certificate gave {share * terms.alpha:.4g}"
        of_test = 1.0 if terms.evidence.check == REPEATED_CALLS else level
        if float(witness.get("level", 0.0)) > of_test * granted:
            return (
                f"its level is {witness['level']:.4g}, and the certificate gave {of_test * terms.alpha:.4g}"
            )
        return None

    return tie


ALL, HALF = spends(), spends(0.5)


def tests_stated(witness: Witness, terms: Terms) -> str | None:
    """The tie of a witness that is the worst of several tests: as many as the evidence beside it says."""
    return _enough(witness, terms.evidence.measured.tests or 1) or ALL(witness, terms)


def orders_stated(witness: Witness, terms: Terms) -> str | None:
    """The tie of a weighted sample: a test at each epsilon of the figure, at the least, and as many for each order."""
    series = terms.evidence.series
    points = len(series[0].lines[0].x) if series and series[0].lines else 1
    return _enough(witness, max(points, terms.evidence.measured.tried or 1)) or ALL(witness, terms)


def _enough(witness: Witness, tests: int) -> str | None:
    if int(witness["tests"]) >= tests:
        return None
    return f"it shares alpha over {witness['tests']} tests, and there were {tests}"


def measured(*pairs: tuple[float | None, float]) -> str | None:
    """A fault unless the evidence beside a witness measured these numbers too: nothing else can be computed again."""
    for found, stated in pairs:
        if found is None or not isclose(found, stated, rel_tol=_SAME):
            return f"the evidence beside it did not measure {stated:.6g}"
    return None
