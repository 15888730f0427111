"""A program file as data: what is minimised, over which numbers, under which relations, for which parameters."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictInt, StrictStr

from ...record.reading.toml_model import Model
from .model_fields import BesideAudit, Ends, Formula, Formulas, Rows

Kind = Literal["real", "nonnegative", "positive", "integer", "nonnegative integer"]
Names = Annotated[list[StrictStr], Field(min_length=1, max_length=64)]


class OpenParameterFields(Model):
    """A parameter of the program: which values it may take."""

    domain: Ends = Field(
        description='[lower, upper], as in [0, "oo"]; the ends themselves do not belong to it'
    )


class PsdFields(Model):
    """A constraint: a symmetric matrix that is positive semidefinite."""

    psd: Rows = Field(description="rows of formulas")


class ProgramFields(Model):
    """A minimum or maximum of a formula over some numbers, under constraints, for all values of the parameters."""

    name: StrictStr = Field("the program", min_length=1, max_length=80, description="what it is called")
    minimise: Formula | None = Field(None, description="a formula in the variables and the parameters")
    maximise: Formula | None = Field(None, description="instead of minimise")
    over: Names | Annotated[dict[StrictStr, Kind], Field(min_length=1, max_length=64)] | None = Field(
        None,
        description='names of the variables, as in ["x", "y"], or a table of their kinds, as in { x = "nonnegative" }: '
        "real, nonnegative, positive, integer, nonnegative integer",
    )
    subject_to: Annotated[list[StrictStr | PsdFields], Field(max_length=200)] = Field(
        [],
        description='relations, as in "x + y <= 1", "x == y", "norm([x, y], l2) <= 1", or { psd = [["x", 1], [1, "y"]] }',
    )
    function: StrictStr | None = Field(
        None, description='"module:name" of a Program, or of a function that returns one'
    )
    parameters: dict[StrictStr, OpenParameterFields] = Field(
        {}, description="a table for each name in the formulas that is no variable"
    )


class ProgramDeriveFields(Model):
    """What `noiseproof derive` is asked of a program; everything has a default."""

    at: dict[StrictStr, Formula] = Field({}, description="values of the parameters for numbers and figures")
    effort: Annotated[float, Field(ge=0.001, le=1000)] = Field(
        1.0, description="how much work a derivation may take: 2 is twice the usual"
    )


class ProgramFileFields(BesideAudit):
    """A program file: a program under [program]; claims in it are those of an audit."""

    title: Any = Field(None, description="of the page and of the audit; [program] may have a name of its own")
    program: ProgramFields
    derive: ProgramDeriveFields = ProgramDeriveFields.model_validate({})


class QueryFields(Model):
    """A query of records, and between which data sets its answers are compared."""

    name: StrictStr = Field("the query", min_length=1, max_length=80, description="what it is called")
    value: StrictStr | Formulas | Rows | None = Field(
        None, description="a formula in the records, a list of formulas, or rows of a matrix"
    )
    named: StrictStr | None = Field(
        None, description='instead of value: one of noiseproof.queries, as in "median" or "histogram"'
    )
    arguments: dict[StrictStr, Any] = Field({}, description="with named: what it takes, by its names")
    function: StrictStr | None = Field(
        None, description='instead of value: "module:name" of a Query, or of a function that returns one'
    )
    records: Annotated[list[StrictStr | Names], Field(min_length=1, max_length=64)] | None = Field(
        None,
        description='the names of the numbers, as in ["x1", "x2"] or [["x1", "y1"], ["x2", "y2"]]; with each those of one record',
    )
    each: Literal["sum", "mean"] | None = Field(
        None, description="value is what one record adds: to a sum over n records, or to a mean"
    )
    n: Annotated[StrictInt, Field(ge=1, le=1_000_000)] | None = Field(
        None, description="number of records (of the smaller data set, where neighbours differ in size)"
    )
    ordered: StrictBool = Field(False, description="true: the order of the records is meant to matter")
    domain: Any = Field(
        description='where a record lies: [lower, upper], as in [0, 1] or [0, "oo"], a list of texts, or a table with kind = '
        '"box", "ball", "simplex", "categorical", "table" or "intervals"'
    )
    norm: Literal["l1", "l2", "max", "frobenius", "spectral"] = Field(
        description="in which answers are compared: l1, l2 or max, of matrices frobenius, spectral or max"
    )
    adjacency: StrictStr | dict[StrictStr, Any] = Field(
        "replace-one",
        description='which data sets are neighbours: "replace-one", "add-or-remove", "any-two", or a table with name and numbers',
    )


class QueryDeriveFields(Model):
    """What `noiseproof derive` is asked of a query; everything has a default."""

    effort: Annotated[float, Field(ge=0.001, le=1000)] = Field(
        1.0, description="how much work a derivation may take: 2 is twice the usual"
    )
    tolerance: Annotated[float, Field(ge=1e-12, lt=1)] = Field(
        1e-6, description="widest relative distance of the two ends"
    )


class QueryFileFields(BesideAudit):
    """A query file: a query under [query]; claims in it are those of an audit."""

    query: QueryFields
    derive: QueryDeriveFields = QueryDeriveFields.model_validate({})
