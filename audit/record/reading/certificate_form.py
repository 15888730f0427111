"""The form of a certificate's JSON: which keys there are, and what may stand under each; `reports/schemas` publishes the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Annotated, Any, Literal, TypeVar

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ..limits import bounded

T = TypeVar("T")
HALF = 2.0  # the factor that nobody wants to be missed: the same law with its privacy loss doubled
# One fault is enough: a file of millions of them is not listed.
List = Annotated[list[T], Field(fail_fast=True)]
Text = Annotated[str, Field(max_length=1_000_000)]
LONGEST_NAME = 10_000
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, pattern=r"\S")]
Number = float | Literal["inf", "-inf", "nan"]
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


# Parts of evidence that code makes too, with the names of their arguments left out: numbers as strict as in a form.
_READ = ConfigDict(extra="forbid", allow_inf_nan=False)
_Strict = Annotated[float, Field(strict=True)]
_Factor = Annotated[_Strict, Field(ge=1)]
_Share = Annotated[_Strict, Field(ge=0, le=1)]


@dataclass(frozen=True)
class Line:
    """One line of a figure: `x`, `y` of equal length, `low`/`high` an optional band."""

    __pydantic_config__ = _READ

    name: Text
    role: Literal["claimed", "measured", "bound", "attack", "law"]
    x: tuple[Real, ...]
    y: tuple[Real, ...]
    low: tuple[Real, ...] | None = None
    high: tuple[Real, ...] | None = None

    def __post_init__(self) -> None:
        if any(len(v) != len(self.x) for v in (self.y, self.low, self.high) if v is not None):
            raise ValueError(f"x, y and the band of the line {self.name[:80]!r} must be of equal length")


@dataclass(frozen=True)
class Series:
    """The data behind one figure; reports draw it and compute nothing."""

    __pydantic_config__ = _READ

    figure: Text
    title: Text
    x_label: Text
    y_label: Text
    lines: Annotated[tuple[Line, ...], Field(min_length=1, fail_fast=True)]
    x_scale: Literal["linear", "log"] = "linear"
    y_scale: Literal["linear", "log"] = "linear"


@dataclass(frozen=True)
class Resolution:
    """Whether half the noise would have been found, and the smallest c along a declared ray that would, with the stated power.

    `value` is None if no c that was tried would.  Where half the noise still meets the claim at the inputs that were tried,
    `limit` is by about how much the noise may be divided before it breaks there, 64 if by more.  Where half the noise
    breaks it, or may do so, and would have been missed, so many `samples` per input would decide it.  A record in clear
    would have been found in the share `in_clear` of the outcomes.
    """

    __pydantic_config__ = _READ

    ray: Name
    value: _Factor | None
    power: _Share = 0.95
    limit: _Factor | None = None
    samples: Annotated[_Strict, Field(ge=0)] | None = None
    in_clear: _Share | None = None

    @property
    def half(self) -> bool:
        """Whether half the noise would have been found."""
        return self.value is not None and self.value <= HALF

    @property
    def departure(self) -> float:
        """What the factor has beyond 1; infinite if none would have been found."""
        return inf if self.value is None else self.value - 1


@dataclass(frozen=True)
class ClaimKey:
    """Which claim is meant: the name of its predicate, and its parameters as plain data."""

    __pydantic_config__ = _READ

    predicate: Name
    parameters: dict[str, Any]


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

    def __str__(self) -> str:
        return f"{self.name}: {self.value:.5g} ± {self.half:.2g}"


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


class Tie(Form):
    """What ties a derivation to its claim: digests of claim and steps, and which steps conclude."""

    claim: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    steps: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    conclusion: List[Annotated[int, Field(ge=1)]]


class Result(Form):
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
    # Of a derivation that proves.
    proof: Tie = Tie(claim="0" * 64, steps="0" * 64, conclusion=[])


class Evidence(Result):
    """What one check found of a claim."""

    claim: ClaimKey


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
    remedy = "`noiseproof audit`, or of a release `noiseproof release`, regenerates it"
    fitted(CertificateForm, data, "certificate", remedy)


def fitted(form: type[Form], data: Mapping[str, Any], what: str, remedy: str) -> None:
    """The same of any form; `remedy` brings a file of an early version up to date."""
    try:
        form.model_validate(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part)[:60] for part in first["loc"]) or "the file"
        unknown = dict.fromkeys(("extra_forbidden", "unexpected_keyword_argument"), "this key is unknown")
        said = {"missing": "this key is missing", **unknown}
        raise ValueError(
            f"the {what} is incomplete or damaged at {place}: {said.get(first['type'], first['msg'][:200])}; if an early version wrote it, {remedy}"
        ) from None
