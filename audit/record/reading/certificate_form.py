"""The form of a certificate's JSON: which keys there are, and what may stand under each; `reports/schemas` publishes the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from ..limits import bounded

T = TypeVar("T")
# One fault is enough: a file of millions of them is not listed.
List = Annotated[list[T], Field(fail_fast=True)]
Text = Annotated[str, Field(max_length=1_000_000)]
LONGEST_NAME = 10_000
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=r"\S")]
Number = float | Literal["inf", "-inf", "nan"]
Numbers = List[Number]
Word = Literal["REFUTED", "UNDECIDED", "SURVIVED", "PROVED"]
Digest = Annotated[str, Field(pattern="^[a-z0-9-]+:[0-9a-f]+$", max_length=400)]


def _can_be_evaluated(witness: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(witness.get("kind"), str):
        raise ValueError('a witness names its evaluator, "kind", in a text')
    bounded(witness)
    return witness


def _can_be_checked(proof: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(proof.get("by"), str):
        raise ValueError('a proof of a step names its rule, "by", in a text')
    return proof


def _of_word(value: Any) -> Any:
    return float(value) if value in ("inf", "-inf", "nan") else value


Real = Annotated[float, Field(allow_inf_nan=True), BeforeValidator(_of_word, json_schema_input_type=Number)]
Reals = List[Real]
Whole = Annotated[int, Field(ge=0, le=10**18)]
NotNegative = Annotated[float, Field(ge=0)]
Witness = Annotated[dict[str, Any], AfterValidator(_can_be_evaluated)]


class Form(BaseModel):
    """An object with these keys and no others, whose values are as they are written."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, defer_build=True)


class Step(Form):
    """One step of a derivation; cited lemmas have empty sides, and no proof for the kernel."""

    left: Text
    relation: Literal["", "=", "<=", ">=", "<", ">"]
    right: Text
    reason: Text
    truth: Literal["holds", "fails", "unknown", "cited"]
    proof: Annotated[dict[str, Any], AfterValidator(_can_be_checked)] = Field(default_factory=dict)


class Line(Form):
    """One line of a figure."""

    name: Text
    role: Literal["claimed", "measured", "bound", "attack", "law"]
    x: Numbers
    y: Numbers
    low: Numbers | None
    high: Numbers | None

    @model_validator(mode="after")
    def _equal_lengths(self) -> Self:
        others = [len(values) for values in (self.y, self.low, self.high) if values is not None]
        if any(length != len(self.x) for length in others):
            raise ValueError(f"x, y and the band of the line {self.name[:80]!r} must be of equal length")
        return self


class Series(Form):
    """The data of one figure."""

    figure: Text
    title: Text
    x_label: Text
    y_label: Text
    x_scale: Literal["linear", "log"]
    y_scale: Literal["linear", "log"]
    lines: Annotated[list[Line], Field(min_length=1, fail_fast=True)]


class Resolution(Form):
    """Whether half the noise would have been found, and the smallest factor along a ray that would."""

    ray: Name
    value: Annotated[float, Field(ge=1)] | None
    power: Annotated[float, Field(ge=0, le=1)]
    limit: Annotated[float, Field(ge=1)] | None = None
    samples: Annotated[float, Field(ge=0)] | None = None
    in_clear: Annotated[float, Field(ge=0, le=1)] | None = None


class Bound(Form):
    """At one delta: epsilon claimed, certified and attainable."""

    delta: Annotated[float, Field(ge=0, le=1)]
    claimed: Number
    certified: Annotated[float, Field(ge=0)]
    attainable: Annotated[float, Field(ge=0)]


class Interval(Form):
    """A value with its name, and half the width of its interval."""

    name: Text
    value: Real
    half: Real


class Part(Form):
    """How much one check of several tried: points or instances, comparisons of which some were `unclear`, or steps."""

    note: Text = ""
    tried: Whole | None = None
    comparisons: Whole | None = None
    unclear: Whole | None = None
    steps: Whole | None = None
    lemmas: Whole | None = None


class Measured(Part):
    """What one check measured; whatever follows from evidence is read here, and its sentence is made from it.

    `of` names what is measured (an event, a parameter, a shape of noise), `way` the score, `samples` are the outcomes at each
    input, of which `learnt` chose what is looked at.  An event happened (k of n, l of m) times, first on the input `on`.
    Of several `tests` the worst has the p-value `p`.  What is `claimed` stands beside what was `found`, at an `entry`, an
    `epsilon` or a `delta`; by `excess` a delta lies above the claimed one, by the relative `gap` an information.  `tried`
    are pairs, searches, orders, points or instances; `rows` the value of several things and half the width of its interval.
    """

    of: Text = ""
    way: Text = ""
    samples: List[Whole] = []
    learnt: Whole | None = None
    parameters: Whole | None = None
    cells: Whole | None = None
    step: NotNegative | None = None
    low: Real | None = None
    high: Real | None = None
    on: Literal[0, 1] | None = None
    count: Annotated[list[Whole], Field(max_length=4)] = []
    tests: Whole | None = None
    successes: Whole | None = None
    trials: Whole | None = None
    probability: Annotated[float, Field(ge=0, le=1)] | None = None
    p: Annotated[float, Field(ge=0, le=1)] | None = None
    pairs: Whole | None = None
    epochs: Whole | None = None
    stopped: Literal["refuted", "samples", "samples before the time", "time"] | None = None
    capital: float | None = None
    needed: float | None = None
    claimed: Real | None = None
    found: Real | None = None
    entry: Whole | None = None
    epsilon: Real | None = None
    delta: Real | None = None
    allowed: Real | None = None
    reached: Real | None = None
    excess: Real | None = None
    gap: Real | None = None
    difference: Real | None = None
    largest: Real | None = None
    shape: List[Whole] = []
    levels: Reals = []
    speeds: Reals = []
    scale: Real | None = None
    moved: Real | None = None
    rows: List[Interval] = []
    parts: List[Part] = []


class ClaimKey(Form):
    """The claim that evidence is about."""

    predicate: Name
    parameters: dict[str, Any]


class Tie(Form):
    """What ties a derivation to its claim: digests of claim and steps, and which steps conclude."""

    claim: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    steps: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    conclusion: List[Annotated[int, Field(ge=1)]]


class Evidence(Form):
    """What one check found."""

    check: Name
    kind: Literal["proof", "computation", "attack"]
    sentence: Literal["law", "fit", "code", "bytes"]
    verdict: Word
    reason: Text
    measured: Measured
    error: Annotated[float, Field(ge=0, le=1)]
    witness: Witness | None
    resolution: Resolution | None
    derivation: List[Step]
    series: List[Series]
    bounds: List[Bound]
    claim: ClaimKey
    # Of a derivation that proves.
    proof: Tie = Tie(claim="0" * 64, steps="0" * 64, conclusion=[])


class Scope(Form):
    """What a claim quantifies over."""

    adjacency: Text
    domain: Text
    unit: Text


class Claim(Form):
    """What is said of whom."""

    predicate: Name
    parameters: dict[str, Any]
    sentence: Name
    about: Literal["law", "code"]
    scope: Scope
    assumptions: List[Text]
    source: Text
    expect: Literal["holds", "falls"]


class Sentences(Form):
    """The verdict on each sentence that was asked for."""

    law: Word | None
    fit: Word | None
    code: Word | None
    bytes: Word | None


class Finding(Form):
    """One claim with its evidence."""

    id: Annotated[int, Field(ge=1, le=10**9)]
    subject: Name
    title: Name
    verdict: Word
    as_expected: bool
    claim: Claim
    sentences: Sentences
    evidence: List[Evidence]
    caveats: List[Text]


class Subject(Form):
    """Who is audited."""

    name: Name
    summary: Text
    parameters: dict[str, Any]
    deterministic: bool
    inputs: str | None = Field(default=None, pattern="^[0-9a-f]{16}$")


class Settings(Form):
    """How the audit was run."""

    model_config = ConfigDict(extra="allow")

    alpha: Annotated[float, Field(gt=0, lt=1)]
    alpha_per_test: Annotated[float, Field(gt=0, lt=1)] | None = None
    samples: Annotated[int, Field(ge=0, le=10**18)]
    seed: int
    bits: bool
    sequential: bool = False
    seconds: Annotated[float, Field(gt=0)] | None = None
    call_seconds: Annotated[float, Field(gt=0)] | None = None


class Provenance(Form):
    """What is needed to get the certificate again."""

    noiseproof: Text
    python: Text
    packages: dict[str, Text]
    spec_digest: Digest | None
    data_digest: Digest | None
    command: Text | None


class Timings(Form):
    """Seconds; they are all that may differ from run to run."""

    model_config = ConfigDict(extra="allow")

    __pydantic_extra__: dict[str, float]
    total_seconds: Annotated[float, Field(ge=0)]


class CertificateForm(Form):
    """The whole file."""

    format: Literal["noiseproof-certificate-1"] = Field(alias="schema")
    title: Name
    verdict: Word
    exit_code: Annotated[int, Field(ge=0, le=5)]
    subjects: List[Subject]
    settings: Settings
    notes: List[Text]
    findings: List[Finding]
    provenance: Provenance
    timings: Timings


def check_form(data: Mapping[str, Any]) -> None:
    """ValueError that names the place if a key is missing or unknown, or holds something else than it must."""
    fitted(CertificateForm, data, "certificate", "`noiseproof audit` regenerates it")


def fitted(form: type[Form], data: Mapping[str, Any], what: str, remedy: str) -> None:
    """The same of any form; `remedy` brings a file of an early version up to date."""
    try:
        form.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part)[:60] for part in first["loc"]) or "the file"
        said = {"extra_forbidden": "this key is unknown", "missing": "this key is missing"}
        raise ValueError(
            f"the {what} is incomplete or damaged at {place}: {said.get(first['type'], first['msg'][:200])}; if an early version "
            f"wrote it, {remedy}"
        ) from None
