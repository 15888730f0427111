"""The mechanisms that a policy can name: one frozen model each, told apart by `kind`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Discriminator, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from ....symbolic.domains.adjacency import OneRecord
from ...record.reading.toml_model import Model

Real = Annotated[StrictInt | StrictFloat, Field(ge=-1e300, le=1e300)]
Positive = Annotated[StrictFloat, Field(gt=0, le=1e300, description="a number > 0")]
NotNegative = Annotated[StrictFloat, Field(ge=0, le=1e300, description="a number >= 0")]
PerColumn = Annotated[
    Positive | dict[StrictStr, Positive],
    Field(description="a number > 0 for all private columns, or a table with one for each"),
]
Exponents = Annotated[
    Annotated[StrictInt, Field(ge=-1000, le=900)]
    | dict[StrictStr, Annotated[StrictInt, Field(ge=-1000, le=900)]],
    Field(description="a whole number e for steps of 2^e, or a table with one for each private column"),
]
Count = Annotated[StrictInt, Field(ge=1, le=10**12)]


class AdditiveMechanism(Model):
    """Independent noise on every private number of every record, drawn on a grid."""

    calibrate: StrictBool = Field(False, description="find the noise from [limits]")
    exponent: Exponents | None = None


class LaplaceMechanism(AdditiveMechanism):
    kind: Literal["laplace"]
    scale: PerColumn | None = None


class GaussianMechanism(AdditiveMechanism):
    kind: Literal["gaussian"]
    deviation: PerColumn | None = None


class OptimalMechanism(AdditiveMechanism):
    """The noise of least Fisher information on an interval, density cos^2."""

    kind: Literal["optimal"]
    half_width: PerColumn | None = None


class ConstrainedMechanism(Model):
    """Noise that depends on the record so that what is released stays in the declared domain."""

    kind: Literal["constrained"]
    calibrate: StrictBool = Field(False, description="find `half_width` from [limits]")
    half_width: PerColumn | None = Field(
        None, description="largest absolute noise: a number > 0, or a table with one for each private column"
    )
    price: Positive | None = Field(None, description="price of the variance of the noise, a number > 0")
    cells: Annotated[StrictInt, Field(ge=4, le=4096)] = Field(
        64, description="steps of the grid of answers, 4 to 4096"
    )


class NullSpaceMechanism(Model):
    """Normal noise that leaves one support vector machine unchanged; protects nothing that this machine needs."""

    kind: Literal["null-space"]
    calibrate: StrictBool = Field(False, description="find `variance` from limits.error")
    variance: Positive | None = None
    rho: NotNegative = Field(
        0.01, description="price of offset and squared slack of the model, a number >= 0"
    )
    theta: Positive = Field(1.0, description="price of slack of the model, a number > 0")


class RonGaussMechanism(Model):
    """Synthetic records from a noisy Gaussian model of randomly projected records."""

    kind: Literal["ron-gauss"]
    calibrate: StrictBool = Field(False, description="share limits.epsilon among the parts of the model")
    components: Count = Field(description="dimension of the projected records, a whole number >= 1")
    epsilon_mean: Positive | None = None
    epsilon_covariance: Positive | None = None
    epsilon_size: Positive | None = Field(
        None, description="budget of the number of records, if that is private"
    )
    adjacency: OneRecord = "replace-one"
    records: Count | None = Field(
        None, description="number of synthetic records; default: as many as the table has, if that is public"
    )


class CompressionMechanism(Model):
    """The table multiplied by a Gaussian matrix with few rows, its tail cut out."""

    kind: Literal["compression"]
    rows: Count = Field(description="rows of what is released, a whole number >= 1")
    covariance: Annotated[list[Annotated[list[Real], Field(min_length=1)]], Field(min_length=1)] | None = (
        Field(
            None,
            description="the public reference covariance of the private columns, a list of rows; default: the identity",
        )
    )
    delta_max: NotNegative = Field(
        description="largest difference of an entry of the second moments from the reference, a number >= 0"
    )
    truncate: StrictBool = True


class StatisticsMechanism(Model):
    """Counts, sums, means, quantiles and tables by declared groups, with whole-number noise."""

    kind: Literal["statistics"]
    noise: Literal["gaussian", "laplace"] = Field(
        "gaussian", description="gaussian: counted in rho; laplace: in a pure epsilon"
    )
    adjacency: OneRecord = Field(
        "add-or-remove",
        description="add-or-remove: the number of records is private; replace-one: it is known",
    )


AnyMechanism = Annotated[
    LaplaceMechanism
    | GaussianMechanism
    | OptimalMechanism
    | ConstrainedMechanism
    | NullSpaceMechanism
    | RonGaussMechanism
    | CompressionMechanism
    | StatisticsMechanism,
    Discriminator("kind"),
]

# One released row for each record, in the order of the table.
ROW_WISE = ("laplace", "gaussian", "optimal", "constrained", "null-space")
# The parameter that `calibrate` would find.
SIZE_OF_NOISE = {
    "laplace": "scale",
    "gaussian": "deviation",
    "optimal": "half_width",
    "constrained": "half_width",
    "null-space": "variance",
}
