"""A model file as data: the law, its parameters with their domains, and what is asked of it; unknown keys are refused."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr

from ...record.reading.toml_model import Model

Number = StrictInt | StrictFloat
# A number as the decimal that is written, or a formula such as "30/sqrt(shape)".
Formula = Annotated[Number | StrictStr, Field(description="a number, or a formula in quotes")]
Ends = Annotated[
    list[Formula], Field(min_length=2, max_length=2, description='[lower, upper], "oo" included')
]
Support = Annotated[
    list[Formula | Ends],
    Field(min_length=1, max_length=64, description="[lower, upper], or a list of such pairs"),
]
Rows = Annotated[
    list[Annotated[list[Formula], Field(min_length=1, max_length=64)]], Field(min_length=1, max_length=64)
]
Formulas = Annotated[list[Formula], Field(min_length=1, max_length=64)]
Kind = Literal["density", "normal", "multinomial", "dirichlet"]


class ParameterFields(Model):
    """A parameter of the law: which values it may take."""

    domain: Ends = Field(
        description='[lower, upper], as in [0, "oo"]; the ends themselves do not belong to it'
    )
    integer: StrictBool = Field(
        False, description="whole numbers only; finite ends then belong to the domain"
    )


class PieceFields(Model):
    """The density on one part of the support."""

    support: Ends
    density: Formula = Field(description="a formula in the variable and the parameters")


class ModelFields(Model):
    """The law of one record or one release: a density, a vector of a known kind, or a law that Python code returns."""

    name: StrictStr = Field("the model", min_length=1, max_length=80, description="what it is called")
    kind: Kind = Field("density", description="which of the following keys describe the law")
    density: StrictStr | None = Field(None, description="a formula in the variable and the parameters")
    variable: Annotated[StrictStr, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$", max_length=40)] = Field(
        "y", description="the name of the variable"
    )
    support: Support | None = Field(
        None, description='[lower, upper], as in [0, "oo"], or a list of such pairs'
    )
    discrete: StrictBool = Field(False, description="true: a mass on whole numbers")
    pieces: Annotated[list[PieceFields], Field(min_length=1, max_length=16)] | None = Field(
        None, description="instead of density and support: neighbouring parts, from left to right"
    )
    copies: Annotated[StrictInt, Field(ge=1, le=64)] = Field(
        1, description="independent copies of it, which make one vector"
    )
    mean: Formulas | None = Field(None, description="of a normal vector: a formula for each component")
    covariance: Rows | None = Field(None, description="of a normal vector: rows of formulas")
    trials: Annotated[StrictInt, Field(ge=1)] | None = Field(None, description="of a multinomial: how many")
    probabilities: Formulas | None = Field(
        None, description="of a multinomial: one for each category, they add up to one"
    )
    exponents: Formulas | None = Field(None, description="of a Dirichlet: one for each share")
    function: StrictStr | None = Field(
        None, description='"module:name" of a Law or JointLaw, or of a function that returns one'
    )
    parameters: dict[StrictStr, ParameterFields] = Field(
        {}, description="a table for each name in the formulas that is not the variable"
    )


class PriorFields(Model):
    """What an adversary knows beforehand of one parameter."""

    density: StrictStr = Field(description="a formula in the parameter, which is the variable here")
    support: Ends


class NoiseFields(Model):
    """Independent noise, by its density."""

    density: StrictStr = Field(description="a formula in the variable and the parameters")
    variable: Annotated[StrictStr, Field(pattern=r"^[A-Za-z][A-Za-z0-9_]*$", max_length=40)] = "y"
    support: Ends


class AfterFields(Model):
    """One processing step of an outcome before it is seen: exactly one of these keys."""

    round: Formula | None = Field(None, description="it is given as the nearest multiple of this step")
    censor: Ends | None = Field(None, description="beyond these ends only that is seen")
    truncate: Ends | None = Field(None, description="it is drawn again until it lies between these ends")
    noise: NoiseFields | None = Field(None, description="independent noise is added")


class DeriveFields(Model):
    """What `noiseproof derive` is asked; everything has a default."""

    information: list[StrictStr] | None = Field(
        None, min_length=1, description="the parameters of interest; default: all"
    )
    at: dict[StrictStr, Formula] = Field({}, description="values of the parameters for numbers and figures")
    observations: Annotated[StrictInt, Field(ge=1)] = Field(
        1, description="independent observations of the law"
    )
    nuisance: list[StrictStr] = Field(
        [],
        description="nuisance parameters: unknown and not of interest; they reduce the information about the others",
    )
    estimand: StrictStr | Annotated[list[StrictStr], Field(min_length=1, max_length=16)] | None = Field(
        None, description="what an adversary estimates: a formula in the parameters, or a list of them"
    )
    bounds: list[StrictStr] | None = Field(
        None, min_length=1, max_length=16, description="kinds of error bounds; default: the best one"
    )
    prior: dict[StrictStr, PriorFields] = Field({}, description="densities of parameters before the release")
    after: list[AfterFields] = Field(
        [],
        max_length=8,
        description="processing of an outcome before it is seen; the remaining information is derived for each",
    )
    effort: Annotated[float, Field(ge=0.001, le=1000)] = Field(
        1.0, description="how much work a derivation may take: 2 is twice the usual"
    )
    tolerance: Annotated[StrictFloat, Field(ge=1e-30, le=1)] = Field(
        1e-8, description="widest interval that is given for a number"
    )


class BesideAudit(Model):
    """The keys of an audit that may stand in the same file, whose reader looks at them."""

    title: Any = Field(None, description="of the audit, with claims")
    notes: Any = Field(None, description="of the audit, with claims")
    alpha: Any = Field(None, description="of the audit, with claims")
    samples: Any = Field(None, description="of the audit, with claims")
    seed: Any = Field(None, description="of the audit, with claims")
    bits: Any = Field(None, description="of the audit, with claims")
    sequential: Any = Field(None, description="of the audit, with claims")
    seconds: Any = Field(None, description="of the audit, with claims")
    call_seconds: Any = Field(None, description="of the audit, with claims")
    code: Any = Field(None, description="of the audit, with claims")
    claims: Any = Field(None, description="the claims that `noiseproof audit` tests")
    controls: Any = Field(None, description="controls: what `noiseproof audit` must refute")


class FileFields(BesideAudit):
    """A model file: a law under [model], and what to derive of it under [derive]; claims in it are those of an audit."""

    model: ModelFields
    derive: DeriveFields = DeriveFields.model_validate({})


# Kind -> the keys that it needs, and those that it may have besides.
KEYS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "density": (("density", "support"), ("variable", "discrete", "copies")),
    "pieces": (("pieces",), ("variable", "discrete", "copies")),
    "normal": (("mean", "covariance"), ("copies",)),
    "multinomial": (("trials", "probabilities"), ("copies",)),
    "dirichlet": (("exponents",), ("copies",)),
    "function": (("function",), ("copies",)),
}

SHAPES = {
    "density": "a law by its density",
    "pieces": "a law by pieces of its density",
    "normal": "a normal vector",
    "multinomial": "a multinomial law",
    "dirichlet": "a Dirichlet law",
    "function": "a law that Python code returns",
}


def shape_of(fields: ModelFields) -> str:
    """Which entry of `KEYS` the table is: the kind, or what stands in its place."""
    if fields.function is not None:
        return "function"
    return "pieces" if fields.kind == "density" and fields.pieces is not None else fields.kind


def strange_keys(fields: ModelFields) -> tuple[list[str], list[str]]:
    """The keys that are missing, and those that say nothing about a law of this shape."""
    needed, allowed = KEYS[shape_of(fields)]
    always: Any = {"name", "kind", "parameters"}
    given = fields.model_fields_set
    missing = [key for key in needed if getattr(fields, key) is None]
    return missing, sorted(given - {*needed, *allowed} - always)
