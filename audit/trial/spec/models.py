"""The spec as data: one frozen model per table; unknown keys are refused; the JSON Schema derives from it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, reduce
from operator import or_
from types import GenericAlias
from typing import Annotated, Any, Literal

from pydantic import (
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictFloat,
    StrictInt,
    StrictStr,
    create_model,
)

from ....symbolic.domains.adjacency import Named
from ....symbolic.privacy.guarantees import GUARANTEES, Guarantee
from ...record.reading.toml_model import Model
from .model_fields import DeriveFields, ModelFields
from .program_fields import ProgramFields, QueryFields

Real = StrictInt | StrictFloat
# A number, or a formula in the mechanism's parameters such as "30/sqrt(lambda)".
Formula = Annotated[
    Real | StrictStr, Field(description="a number, or a formula in the mechanism's parameters")
]
Pair = Annotated[list[Real], Field(min_length=2, max_length=2, description="[lower, upper]")]
Ends = Annotated[list[Real | list[Real]], Field(min_length=2, max_length=2, description="[lower, upper]")]
Scalar = StrictBool | StrictInt | StrictFloat | StrictStr


class DataSpec(Model):
    """Which records, and their declared public bounds."""

    source: StrictStr = Field(
        description='"sklearn:NAME", "adult", "lending_club", or a CSV or Parquet file beside the spec'
    )
    bounds: Pair | dict[StrictStr, Pair] = Field(
        description="public bounds: [lower, upper] for every column, or a table with one pair per column"
    )
    columns: list[StrictStr] | None = Field(
        None, min_length=1, description="released columns; default: all but the label"
    )
    label: StrictStr | None = Field(None, description="a column that is not perturbed")
    scale: Literal["none", "unit-box"] = Field(
        "none", description="unit-box maps the declared bounds to [0, 1]"
    )
    outside: Literal["error", "clip"] = Field(
        "error", description="what to do with values outside the bounds"
    )
    public: StrictBool | None = Field(None, description="whether the digest of the data may be recorded")


class MechanismSpec(Model):
    """A mechanism by name with its parameters, or a release function of the user."""

    model_config = ConfigDict(extra="allow")

    name: StrictStr | None = Field(None, description="a name listed by `noiseproof mechanisms`")
    function: StrictStr | None = Field(
        None, description='"module:function", called as f(data, size, rng), or as f(data) if call = "single"'
    )
    call: Literal["batch", "single"] = Field("batch", description="how `function` is called")
    declared_noise: Literal["laplace", "gaussian", "additive"] | None = Field(
        None,
        description="with a `function` of query plus noise: the law of the noise, assumed unless outcomes contradict it",
    )
    timing: StrictBool = Field(
        False, description="with `bits`, and a `function`: the time of a call is audited too"
    )
    processes: StrictBool = Field(
        False, description="with `bits`, and a `function`: so are calls in a process and its fork"
    )
    types: StrictBool = Field(
        False, description="with a `function`: equal values of other types are other outcomes"
    )

    @property
    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments as written: numbers, formulas, lists (a sweep, or an array)."""
        return dict(self.__pydantic_extra__ or {})


class NeighboursSpec(Model):
    """The two inputs under audit: given, derived from a domain and an adjacency relation, or searched for."""

    inputs: list[Any] | None = Field(
        None, min_length=2, max_length=2, description="the two inputs, numbers or arrays"
    )
    adjacency: Named | None = Field(
        None,
        description="any-two: two values of the domain; otherwise two data sets that differ in one record",
    )
    domain: Ends | dict[StrictStr, Any] | None = Field(
        None,
        description='[lower, upper] of a record, or a table with kind = "box", "ball", "simplex", "categorical" or '
        '"table" and its arguments; default: the declared bounds of the data',
    )
    records: (
        Annotated[StrictInt, Field(ge=1)]
        | Annotated[list[StrictInt], Field(min_length=2, max_length=2)]
        | None
    ) = Field(
        None,
        description="number of records of a data set, or [smallest, largest] for a search; default: that of the data",
    )
    person: StrictStr | None = Field(
        None,
        description="the column that names persons: all records of one person are replaced or removed together",
    )
    per_person: Annotated[StrictInt, Field(ge=1)] | None = Field(
        None, description="largest number of records of one person"
    )
    apart: Real | None = Field(
        None, description="any-two: largest distance of two vectors; default: no limit"
    )
    norm: Real | StrictStr = Field(1, description='norm of the distance: 1, 2 or "inf"')
    search: StrictBool | dict[StrictStr, Any] = Field(
        False,
        description="true, or a table with samples (calls of the search), pairs (to be audited) and delta: look for the "
        "worst neighbours first",
    )


class ScopeSpec(Model):
    """Which inputs the claim quantifies over, in words."""

    adjacency: StrictStr = "the given pair of inputs"
    domain: StrictStr = ""
    unit: StrictStr = ""


class ClaimSpec(Model):
    """What every claim may say besides its predicate."""

    title: StrictStr = ""
    about: Literal["law", "code"] = Field(
        "code", description="law: of the law alone, can be PROVED; code: also of the code"
    )
    source: StrictStr = Field("", description="who makes the claim, with theorem number")
    assumptions: list[StrictStr] = Field([])
    scope: ScopeSpec = ScopeSpec()
    where: dict[StrictStr, Scalar | list[Scalar]] = Field(
        {}, description="restricts the claim to some values of a swept parameter, as in { lambda = [1, 100] }"
    )


class CodeSpec(Model):
    """Code that draws from the law of `[model]`, and the values of its parameters around which it is looked at."""

    sample: StrictStr = Field(
        description='"module:function", called as f(theta, size, rng) with theta a number, or an array of several'
    )
    at: dict[StrictStr, Real] = Field(min_length=1, description="a value for each parameter of the law")


class FormulaFields(Model):
    """Which parameters of a law a claimed formula is about."""

    of: StrictStr | list[StrictStr] | None = Field(
        None, description="with `model`: the parameters that it is about, in order; default: the only one"
    )
    domains: dict[StrictStr, Annotated[list[Formula], Field(min_length=2, max_length=2)]] | None = Field(
        None,
        description='with `model`: open intervals, as in { scale = [1, "oo"] }; default: those of the model',
    )


class FisherInformationClaim(ClaimSpec, FormulaFields):
    predicate: Literal["fisher-information"]
    value: Formula | list[list[Formula]]


class ErrorBoundClaim(ClaimSpec, FormulaFields):
    predicate: Literal["error-bound"]
    value: Formula
    adversary: Literal["unbiased", "informed", "minimax", "unbiased everywhere"] = "unbiased"
    against: Literal["unbiased", "informed", "minimax", "unbiased everywhere"] | None = Field(
        None, description="another word for `adversary`"
    )
    weight: list[Formula] | list[list[Formula]] | None = Field(
        None, description="diagonal (a list) or matrix of the weighted squared error; default: the identity"
    )
    domain: Ends | None = Field(
        None, description='for adversary = "minimax"; default: the declared bounds of the data'
    )


class MinimiserClaim(ClaimSpec):
    predicate: Literal["minimiser"]
    point: Formula | Annotated[list[Formula], Field(min_length=1)] | dict[StrictStr, Formula] = Field(
        description="with `program`: a number for each variable, in order or by names, as formulas in the parameters"
    )
    tolerance: Formula = Field(0, description="by how much a feasible value may be better")


class OptimalValueClaim(ClaimSpec):
    predicate: Literal["optimal-value"]
    value: Formula = Field(description="with `program`: the optimum, a formula in the parameters")
    tolerance: Formula = Field(0, description="how far from it the optimum may be")


class SensitivityBoundClaim(ClaimSpec):
    predicate: Literal["sensitivity-bound"]
    value: Formula = Field(description="with `query`: the largest distance of neighbours' answers")
    norm: Literal["l1", "l2", "max", "frobenius", "spectral"] | None = Field(
        None, description="default: that of the query"
    )
    adjacency: StrictStr | dict[StrictStr, Any] | None = Field(None, description="default: that of the query")


class ControlFields(Model):
    """A control is a claim that is false on purpose: it must be refuted."""

    noise_factor: Literal["auto"] | Real | None = Field(
        None, description='a number > 1 by which the noise of the mechanism is divided, or "auto"'
    )


class SpecModel(Model):
    """One audit: data, mechanism or model, neighbours, claims and controls."""

    title: StrictStr = Field("", description="heading of the certificate")
    notes: list[StrictStr] = Field(
        [], description="printed on the certificate, such as what is released in clear"
    )
    alpha: Annotated[StrictFloat, Field(gt=0, lt=1)] = Field(
        0.05, description="bounds the probability of refuting any true claim"
    )
    samples: Annotated[StrictInt, Field(ge=100)] = Field(
        100_000, description="calls per input: learning and certification"
    )
    seed: Annotated[StrictInt, Field(ge=0)] = 0
    bits: StrictBool = Field(False, description="also audit the bytes written")
    sequential: StrictBool = Field(False, description="test sequentially and stop at the first refutation")
    seconds: Annotated[float, Field(gt=0)] | None = Field(
        None, description="budget of time; implies sequential"
    )
    call_seconds: Annotated[float, Field(gt=0)] | None = Field(
        None, description="longest time of one call of the release, which then runs in a process of its own"
    )
    data: DataSpec | None = None
    mechanism: MechanismSpec | None = None
    model: ModelFields | None = Field(None, description="instead of `mechanism`: a law of your own")
    program: ProgramFields | None = Field(None, description="instead of `mechanism`: a program of your own")
    query: QueryFields | None = Field(None, description="instead of `mechanism`: a query of your own")
    derive: DeriveFields | None = Field(
        None,
        description="with `model`, `program` or `query`: what `noiseproof derive` is asked; an audit does not look at it",
    )
    code: CodeSpec | None = Field(None, description="with `model`: code that is audited beside the law")
    neighbours: NeighboursSpec | None = None
    claims: list[ClaimSpec] = Field([])
    controls: list[ClaimSpec] = Field([])


def spec_model() -> type[SpecModel]:
    """A spec with a table for the claims and controls of every guarantee that is known."""
    return _spec_model(tuple(GUARANTEES.values()))


@cache
def _spec_model(kinds: tuple[type[Guarantee], ...]) -> type[SpecModel]:
    claims: list[type[ClaimSpec]] = [*map(_claim_of, kinds), FisherInformationClaim, ErrorBoundClaim]
    claims += [MinimiserClaim, OptimalValueClaim, SensitivityBoundClaim]
    controls = [_control_of(claim) for claim in claims]
    fields: dict[str, Any] = {
        "claims": (_any_of(claims), Field([])),
        "controls": (_any_of(controls), Field([])),
    }
    return create_model("SpecModel", __base__=SpecModel, __doc__=SpecModel.__doc__, **fields)


def _claim_of(kind: type[Guarantee]) -> type[ClaimSpec]:
    """The table of a claim: a formula for each number of the guarantee."""
    fields: dict[str, Any] = dict.fromkeys(kind.stated_numbers(), (Formula, ...))
    fields = {"predicate": (Literal[kind.spec_key], ...), **fields}
    return create_model(f"{kind.__name__}Claim", __base__=ClaimSpec, **fields)


def _control_of(claim: type[ClaimSpec]) -> type[ClaimSpec]:
    bases: Any = (claim, ControlFields)
    made: type[ClaimSpec] = create_model(claim.__name__.replace("Claim", "Control"), __base__=bases)
    return made


def _any_of(tables: Sequence[type[ClaimSpec]]) -> Any:
    """A list of these tables, told apart by their predicate."""
    table: Any = Annotated
    return GenericAlias(list, (table[reduce(or_, tables), Discriminator("predicate")],))
