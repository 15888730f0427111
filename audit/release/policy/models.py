"""The policy of a release as data: one frozen model per table; unknown keys are refused; the JSON Schema derives from it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from ...record.reading.toml_model import Model
from .mechanism_models import AnyMechanism, PerColumn, Positive, Real
from .statistic_models import DerivedModel, StatisticModel

Name = Annotated[StrictStr, Field(min_length=1, max_length=256)]
FileName = Annotated[StrictStr, Field(min_length=1, max_length=1024)]


class TableModel(Model):
    """Where the records are, and what one unit of privacy is."""

    path: FileName = Field(description="a CSV (.csv, .csv.gz) or Parquet file in the folder of the policy")
    format: Literal["csv", "parquet"] | None = Field(None, description="default: by the ending of the path")
    delimiter: Literal[",", ";", "\t", "|"] | None = Field(
        None, description="of a CSV file; default: a tab of a file named .tsv, else a comma"
    )
    decimal: Literal[".", ","] | None = Field(
        None, description="of a CSV file: what stands before the decimals of its numbers; default: a point"
    )
    thousands: Literal[",", ".", " ", "'"] | None = Field(
        None,
        description="of a CSV file: what parts the thousands of its numbers; a space or an apostrophe of any kind",
    )
    encoding: Literal["utf-8", "latin-1", "iso-8859-15", "cp1250", "cp1252", "mac-roman", "utf-16"] = Field(
        "utf-8", description="of a CSV file: how its text is encoded"
    )
    title_lines: Annotated[StrictInt, Field(ge=0, le=1000)] = Field(
        0, description="of a CSV file: lines above the one with the names of the columns, which are skipped"
    )
    unnamed: Literal["first", "last"] | None = Field(
        None,
        description="of a CSV file whose lines have one field more than its header: which one, a row name or what follows a last delimiter",
    )
    missing: list[StrictStr] = Field([""], description="the texts of a CSV file that mean a missing value")
    unit_of_privacy: Literal["record", "person"] = "record"
    person_key: Name | None = Field(None, description="the column that identifies persons; never released")
    rows_per_person: Annotated[StrictInt, Field(ge=1, le=1_000_000)] | None = Field(
        None,
        description="largest number of rows of one person, 1 to 1,000,000; more are refused, of statistics left out by a secret choice",
    )
    missing_person: Literal["refuse", "drop"] = Field(
        "refuse",
        description='records without a person key: "refuse", or, of statistics, "drop": they count in no statistic but a noisy number of all of them, '
        "and the guarantee covers at most rows_per_person of them of one person",
    )
    rows_public: StrictBool = Field(False, description="whether the number of rows may be published")


class MissingValue(Model):
    """A declared value that stands in for a missing one."""

    value: Real | StrictStr = Field(description="a value of the declared domain")


class DateModel(Model):
    """A part of a date as a category."""

    form: Annotated[StrictStr, Field(min_length=2, max_length=60)] = Field(
        description="how dates are written, of %d, %m, %Y, %y, %H, %M, %S and the marks between: %d.%m.%Y"
    )
    part: Literal["year", "month", "year-month", "weekday"] = Field(
        description='the categories are texts such as "2024", "03", "2024-03", or "1" (Monday) to "7"'
    )


class ColumnModel(Model):
    """One column of the file; every column of the file is declared."""

    name: Name
    role: Literal["private", "public", "drop"] = Field(
        description="private: goes through the mechanism; public: released as it is; drop: not released"
    )
    kind: Literal["number", "integer", "category", "label", "text"] | None = Field(
        None, description="what the column holds; may be left out for columns that are dropped"
    )
    low: Real | None = Field(
        None, description="least value of the public domain; private values below count as low"
    )
    high: Real | None = Field(
        None, description="largest value of the public domain; private values above count as high"
    )
    unit: StrictStr = Field("", max_length=64, description="unit of measurement, such as kg")
    categories: list[StrictStr] | list[StrictInt] | None = Field(
        None, min_length=1, max_length=100_000, description="all values that the column may hold"
    )
    date: DateModel | None = Field(
        None,
        description="of a category: the column holds dates, of which a part is what counts; any other text is undeclared",
    )
    groups: dict[StrictStr, list[StrictStr] | list[StrictInt]] | None = Field(
        None,
        description='of a category: values that count as another one, { north = ["01", "02"] }; all others count as themselves',
    )
    encode: Literal["index", "one-hot"] | None = Field(
        None,
        description="how a private category becomes numbers: its place in `categories`, or one 0/1 for each",
    )
    missing: Literal["refuse", "skip"] | MissingValue = Field(
        "refuse",
        description='"refuse", or { value = ... } with a value of the declared domain. Rows cannot be dropped: '
        "their absence would reveal that a value was missing; in statistics alone such a record may be left out of those of "
        'this column ("skip")',
    )
    undeclared: Literal["refuse", "skip"] | MissingValue = Field(
        "refuse",
        description="of a category in statistics: what a value counts as that is not declared, a declared one, or "
        '"skip": the record is left out of the statistics of this column',
    )


class UtilityLimit(Model):
    """How much utility may be lost; both measures follow from the noise, not from the data."""

    measure: Literal["mean-squared-error", "relative-error"] = Field(
        description="mean-squared-error: sum over the private numbers of a record of the mean squared noise; "
        "relative-error: the largest root mean squared noise of a column over the width of its domain"
    )
    at_most: Positive


class LimitsModel(Model):
    """What a release has to meet, else nothing is written."""

    epsilon: Positive | None = Field(None, description="largest epsilon of one unit of privacy, a number > 0")
    delta: Annotated[StrictFloat, Field(gt=0, lt=1)] | None = Field(
        None, description="largest delta at that epsilon, between 0 and 1"
    )
    rho: Positive | None = Field(
        None, description="largest rho of zero-concentrated privacy of one unit, a number > 0"
    )
    information: PerColumn | None = Field(
        None,
        description="largest Fisher information about a value of one record, in inverse squared units: a number > 0, "
        "or a table with one for each private column",
    )
    error: PerColumn | None = Field(
        None,
        description="least mean squared error of an adversary about one record, in squared units: a number > 0 for the sum "
        "over its private columns, or a table with one for each",
    )
    unbiased_error: Positive | None = Field(
        None,
        description="of null-space noise alone: least mean squared error of an unbiased adversary who sees the release and "
        "nothing else, in squared units, summed over the private columns; every other adversary may do better",
    )
    utility: UtilityLimit | None = None


class AuditModel(Model):
    """How the configuration is audited before anything is released."""

    samples: Annotated[StrictInt, Field(ge=100, le=10**9)] = 100_000
    alpha: Annotated[StrictFloat, Field(gt=0, lt=1)] = 0.05
    seed: Annotated[StrictInt, Field(ge=0, lt=2**63)] = Field(
        default=0, description="of the audit only; the noise of a release comes from the operating system"
    )
    bits: StrictBool = Field(default=True, description="also audit the bytes written")


class BudgetModel(Model):
    """What may be spent on the table in all, over all releases."""

    epsilon: Positive | None = None
    delta: Annotated[StrictFloat, Field(gt=0, lt=1)] | None = None
    rho: Positive | None = None
    information: PerColumn | None = None


class LedgerModel(Model):
    """The ledger that the release is entered in."""

    path: FileName = Field(description="a file in the folder of the policy")
    table_id: Name = Field(description="the name of the table in the ledger")
    budget: BudgetModel | None = Field(
        None, description="what may be spent in all; refused if the ledger has another budget"
    )
    create: StrictBool = Field(
        default=False,
        description="whether the release makes the ledger, with this budget, if there is none; otherwise `noiseproof ledger create` does",
    )


class SigningModel(Model):
    """The key that signs the attestation."""

    key: FileName = Field(description="a PEM file with an Ed25519 key, in the folder of the policy")


class OutputModel(Model):
    """The form of the released data."""

    format: Literal["parquet", "csv"] = "parquet"
    compression: Literal["snappy", "zstd", "none"] = Field(default="snappy", description="of Parquet")


def _given(answers: dict[str, str]) -> dict[str, str]:
    """A text that is empty, as in the template, is a question that waits."""
    return {key: text for key, text in answers.items() if text.strip()}


Answers = Annotated[
    dict[StrictStr, StrictStr],
    AfterValidator(_given),
    Field(description="the signer's answers to items of the checklist that no check can answer"),
]


class AnswersModel(Model):
    """The answers alone, given after the release."""

    answers: Answers


class PolicyModel(Model):
    """A release: its table, columns, mechanism, and the limits that it has to meet."""

    title: Annotated[StrictStr, Field(min_length=1, max_length=200)]
    notes: list[StrictStr] = Field([], description="printed on the page")
    corrects: Annotated[StrictStr, Field(min_length=1, max_length=200)] | None = Field(
        None,
        description="the earlier release whose numbers this one corrects; said by manifest, page and verify",
    )
    table: TableModel
    columns: Annotated[list[ColumnModel], Field(min_length=1, max_length=10_000)]
    mechanism: AnyMechanism
    derived: Annotated[list[DerivedModel], Field(max_length=100)] = Field(
        [], description="numbers that statistics use, computed from those of a record"
    )
    statistics: Annotated[list[StatisticModel], Field(max_length=200)] = Field(
        [], description="what a release of kind statistics publishes"
    )
    limits: LimitsModel
    audit: AuditModel = AuditModel()
    ledger: LedgerModel | None = None
    signing: SigningModel | None = None
    output: OutputModel = OutputModel()
    answers: Answers = Field({})
