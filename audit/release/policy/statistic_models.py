"""The statistics that a policy of kind "statistics" asks for."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StrictFloat, StrictInt, StrictStr

from ...record.reading.toml_model import Model
from .mechanism_models import Positive, Real

Column = Annotated[StrictStr, Field(min_length=1, max_length=256)]
QUANTILE_BINS = 4096  # candidates of a quantile, unless the policy says otherwise
FIXED = ("statistic", "quantity", "value", "low", "high", "noise", "suppressed")
GROUP = " (group)"  # after the name of a column that has the name of a fixed one of what is published
Names = Annotated[list[Column], Field(max_length=16)]


class Between(Model):
    """Records whose number lies between two ends."""

    low: Real | None = None
    high: Real | None = None


class ErrorTarget(Model):
    """How large the error of a number may be, in the unit of the statistic."""

    at_most: Positive = Field(description="the noise stays within this, a number > 0")
    probability: Annotated[StrictFloat, Field(ge=0.5, le=0.999)] = Field(
        0.95, description="with this probability at least, 0.5 to 0.999"
    )


Level = Annotated[StrictFloat, Field(gt=0, lt=1)]


class ClipModel(Model):
    """Ends of clipping that are chosen privately, within the declared ends of the column."""

    low: Level = Field(description="the quantile of all values that become the lower end, such as 0.02")
    high: Level = Field(description="the quantile that becomes the upper end, such as 0.98")
    share: Level = Field(description="the part of the whole budget that choosing them costs, such as 0.1")


class StatisticModel(Model):
    """One statistic: what is computed, by which groups, of which records, and its weight."""

    name: Annotated[StrictStr, Field(min_length=1, max_length=100)]
    measure: Literal[
        "count",
        "persons",
        "undeclared",
        "sum",
        "mean",
        "variance",
        "quantiles",
        "histogram",
        "ranges",
        "marginals",
        "distinct",
        "top",
        "regression",
    ]
    column: Column | None = Field(
        None, description="the private column; of a number its declared low and high are the clipping bounds"
    )
    columns: Names | None = Field(
        None,
        description="of marginals: the categories that are crossed; of a regression: the numbers that explain `column`",
    )
    ways: Annotated[StrictInt, Field(ge=1, le=4)] | None = Field(
        None, description="of marginals: how many columns each table crosses; default: all of them"
    )
    by: Names = Field([], description="categories whose declared values are the groups")
    where: dict[Column, list[StrictStr] | list[StrictInt] | Between] = Field(
        {},
        description="the records that count: values of categories, or { low = ..., high = ... } of numbers",
    )
    quantiles: (
        Annotated[list[Annotated[StrictFloat, Field(gt=0, lt=1)]], Field(min_length=1, max_length=20)] | None
    ) = None
    edges: Annotated[list[Real], Field(min_length=2, max_length=10_001)] | None = Field(
        None, description="of a histogram or of ranges: ascending ends of its intervals, declared; or `bins`"
    )
    bins: Annotated[StrictInt, Field(ge=1, le=10_000)] | None = Field(
        None, description="of a histogram, of ranges or of quantiles: equal intervals between low and high"
    )
    ranges: (
        Literal["prefixes", "all"]
        | Annotated[
            list[Annotated[list[Real], Field(min_length=2, max_length=2)]],
            Field(min_length=1, max_length=1000),
        ]
        | None
    ) = Field(
        None,
        description='of ranges: [[18, 35], [25, 65]], their ends among the edges; "prefixes" (the default): all from the first edge; or "all"',
    )
    top: Annotated[StrictInt, Field(ge=1, le=1000)] | None = Field(
        None, description="of top: how many of the declared values are named"
    )
    clip: ClipModel | None = Field(
        None,
        description="of a sum or a mean: the numbers are clipped to two noisy quantiles, drawn first; the ends of the column stay the widest",
    )
    weight: Positive = 1.0
    error: ErrorTarget | None = Field(None, description="has to be met, or the release is refused")
    size: Annotated[StrictInt, Field(ge=1, le=10**12)] | None = Field(
        None,
        description="a declared number of records of a group: only for the utility predicted before the draw",
    )


class DerivedModel(Model):
    """A number that is computed from the private numbers of a record."""

    name: Column
    expression: Annotated[StrictStr, Field(min_length=1, max_length=500)] = Field(
        description="a formula in the private numbers, such as hours * wage / 60; names of columns are those of variables, between backticks where "
        "they hold spaces or brackets: `weight [kg]` / 2"
    )
    low: Real = Field(description="values below count as low; declared, never read off the data")
    high: Real = Field(description="values above count as high")
    unit: StrictStr = Field("", max_length=64)
