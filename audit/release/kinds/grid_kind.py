"""Independent noise on a grid for every private number of every record: what laplace, gaussian and optimal have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ....mechanisms.grid_noise import GridNoise, GridRelease, default_exponent
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim
from ....symbolic.errors import SpecError
from ....symbolic.information.error_bounds import LowerBound
from ....symbolic.privacy.guarantees import Guarantee
from ....symbolic.proof.enclosure import rational
from ...record.evidence import Series
from ..derived import Derived
from ..ledger.cost import Information
from ..manifest import ColumnNoise, ErrorFigure, StatedGuarantee
from ..policy import Policy
from .grid_error_bounds import error_bound
from .grid_limits import grid_limits, is_utility, privacy_unmet
from .kind import Drawn, Kind, sentence_of_columns

if TYPE_CHECKING:
    from ....mechanisms.grid_noise import Bits
    from ..tables import PolicyTable

AGAINST = (
    "every adversary, unbiased or not, on average over records drawn from a prior on the declared interval "
    "(so that no adversary does better on all of them)"
)
_BATCH = 1 << 16
NO_UNIT = "unit of the column"


class ByColumns(GridRelease):
    """A release whose columns stay contiguous from reading to writing; the audit calls the same code."""

    def apply(self, block: ArrayLike, bits: Bits) -> Floats:
        raw = np.asarray(block, dtype=float)
        out = np.empty(raw.shape[::-1])
        for j, row in enumerate(out):
            row[:] = self.apply_column(j, raw[:, j], bits)
        return out.T


@dataclass(frozen=True, eq=False)
class GridKind(Kind):
    """`sizes[j]` is the parameter of the law on private number j, in the unit of its column; `group` the records of one unit."""

    policy: Policy
    sizes: tuple[float, ...]
    exponents: tuple[int, ...]

    size_key: ClassVar[str]  # the key of the policy, and the word for the parameter of the law
    unit_information: ClassVar[sp.Expr] = sp.Integer(1)  # of the continuous law of size 1 about its place
    row_wise: ClassVar[bool] = True

    @classmethod
    @abstractmethod
    def noise(cls, size: float, exponent: int) -> GridNoise:
        """The law of one column."""

    @classmethod
    @abstractmethod
    def sizes_of_privacy(cls, policy: Policy) -> tuple[float, ...] | None:
        """Parameters that meet the limits on epsilon, delta and rho, about; None without such limits."""

    @classmethod
    def ideal_information(cls, size: float) -> sp.Expr:
        """The Fisher information of the continuous law about its place."""
        return cls.unit_information / rational(size) ** 2

    @classmethod
    def size_of_information(cls, information: float) -> float:
        """The parameter whose continuous law has this Fisher information."""
        return math.sqrt(float(cls.unit_information)) * float(information**-0.5)

    @abstractmethod
    def stated(self, records: int | None = None) -> Guarantee | None:
        """The tightest guarantee of one unit, or of `records` records, in the form of this mechanism; None if there is none."""

    def epsilon_at_size(self, factor: float) -> float | None:
        """The epsilon of one unit with `factor` times the noise, about, for figures; None where there is none."""
        return None

    @classmethod
    def configure(cls, policy: Policy) -> Self:
        mechanism = policy.model.mechanism
        if mechanism.calibrate:  # type: ignore[union-attr]
            from ..calibration import calibrated

            return calibrated(cls, policy)
        return cls.with_sizes(policy, per_number(policy, getattr(mechanism, cls.size_key)))

    @classmethod
    def with_sizes(cls, policy: Policy, sizes: tuple[float, ...]) -> Self:
        """The mechanism with these parameters, on the grids of the policy or the default ones; SpecError if a grid does not fit."""
        given = getattr(policy.model.mechanism, "exponent", None)
        exponents = tuple(default_exponent(s) for s in sizes)
        if given is not None:
            exponents = tuple(int(e) for e in per_number(policy, given))
        made = cls(policy, sizes, exponents)
        try:
            _ = made.release
        except ValueError as error:
            raise SpecError(str(error), key="mechanism", file=policy.file) from None
        return made

    @cached_property
    def release(self) -> GridRelease:
        """The release of one record."""
        numbers = self.policy.numbers
        noises = tuple(_noise(type(self), s, e) for s, e in zip(self.sizes, self.exponents, strict=True))
        return ByColumns(noises, tuple(n.low for n in numbers), tuple(n.high for n in numbers))

    @property
    def group(self) -> int:
        """How many records make one unit of privacy, at most."""
        return rows_of_unit(self.policy)

    @cached_property
    def unit_release(self) -> GridRelease:
        """The release of all records of one unit of privacy, one after the other."""
        one, k = self.release, self.group
        return ByColumns(one.noises * k, one.lows * k, one.highs * k)

    @property
    def adjacency(self) -> str:
        return row_wise_adjacency(self.policy)

    def parameters(self) -> dict[str, Any]:
        return {
            self.size_key: {n.name: s for n, s in zip(self.policy.numbers, self.sizes, strict=True)},
            "exponent": {n.name: e for n, e in zip(self.policy.numbers, self.exponents, strict=True)},
            "total_variation_to_ideal": self.release.costs(self.group).total_variation,
            "random_source": "ChaCha20, keyed by the operating system",
        }

    def columns(self) -> tuple[ColumnNoise, ...]:
        return tuple(
            ColumnNoise(n.name, n.unit, n.low, n.high, self._described(noise, size), noise.exponent)
            for n, noise, size in zip(self.policy.numbers, self.release.noises, self.sizes, strict=True)
        )

    def _described(self, noise: GridNoise, size: float) -> dict[str, Any]:
        return {
            "law": noise.kind,
            self.size_key: size,
            "standard_deviation": standard_deviation(noise),
            "total_variation_to_ideal": noise.total_variation,
        }

    def information(self) -> dict[str, float] | None:
        return {
            n.name: float(self.ideal_information(s))
            for n, s in zip(self.policy.numbers, self.sizes, strict=True)
        }

    def informations(self) -> tuple[Information, ...]:
        """The same for a ledger."""
        known = self.information() or {}
        return tuple(
            Information(n.name, math.nextafter(known[n.name], math.inf), n.unit or NO_UNIT)
            for n in self.policy.numbers
        )

    def information_stated(self) -> StatedGuarantee:
        """The Fisher information of a release about each private number, and what it is the information of."""
        known = self.information() or {}
        numbers = {
            "per_number": {
                n.name: {"information": known[n.name], "unit": f"({n.unit or 'unit of the column'})^-2"}
                for n in self.policy.numbers
            }
        }
        sentence = (
            "the Fisher information of each released number about the true one is that of its continuous law, which the law on the grid "
            "approximates; the error bounds are those of the grid itself"
        )
        return StatedGuarantee("information", sentence, numbers)

    def error_bounds(self) -> tuple[ErrorFigure, ...]:
        return tuple(
            ErrorFigure(n.name, bound, squared(n.unit), AGAINST)
            for n, bound in zip(self.policy.numbers, self.bounds_on_error, strict=True)
        )

    @cached_property
    def bounds_on_error(self) -> tuple[float, ...]:
        """For each number a mean squared error that no adversary gets below, on average over a prior on its interval."""
        return tuple(_down(b) for b in self.derived_bounds)

    @cached_property
    def derived_bounds(self) -> tuple[LowerBound, ...]:
        """The same exactly, with derivations."""
        return tuple(error_bound(n, s) for n, s in zip(self.release.noises, self.release.spans, strict=True))

    def utility(self) -> dict[str, Any]:
        squares = [standard_deviation(n) ** 2 for n in self.release.noises]
        widths = [n.high - n.low for n in self.policy.numbers]
        return {
            "basis": "the law of the noise alone: no figure was computed from the table, so none costs budget",
            "mean-squared-error": math.fsum(squares),
            "relative-error": max(s**0.5 / w for s, w in zip(squares, widths, strict=True)),
            "root_mean_squared_noise": {
                n.name: s**0.5 for n, s in zip(self.policy.numbers, squares, strict=True)
            },
            "mean_absolute_noise": {
                n.name: mean_absolute(g)
                for n, g in zip(self.policy.numbers, self.release.noises, strict=True)
            },
        }

    def needs_more_noise(self) -> tuple[str, ...]:
        """One sentence for each limit that more noise would meet."""
        from ..limits import unmet

        return (*privacy_unmet(self), *unmet(tuple(d for d in self.derived() if not is_utility(d))))

    def unmet(self) -> tuple[str, ...]:
        """One sentence for each limit that is not met by the declared law."""
        from ..limits import unmet

        return (*privacy_unmet(self), *unmet(self.derived()))

    def trials(self) -> tuple[Claim, ...]:
        from .grid_trials import grid_trials

        return grid_trials(self)

    def derived(self) -> tuple[Derived, ...]:
        return grid_limits(self)

    def does_not_mean(self) -> tuple[str, ...]:
        return row_wise_caveats(self.policy)

    def trade_off(self) -> tuple[Series, ...]:
        from ..trade_off import grid_curves

        return grid_curves(self)

    @contextmanager
    def draw(self, table: PolicyTable, bits: Bits) -> Iterator[Drawn]:
        def batches() -> Iterator[Any]:
            for batch in table.batches(_BATCH):
                yield table.released(batch, self.release.apply(table.numbers(batch), bits))

        yield Drawn(table.released_schema, batches())


@lru_cache(maxsize=256)
def _noise(kind: type[GridKind], size: float, exponent: int) -> GridNoise:
    return kind.noise(size, exponent)


def per_number(policy: Policy, given: Any) -> tuple[Any, ...]:
    """One value for each private number, from a number for all or a table by column."""
    if isinstance(given, Mapping):
        return tuple(given[n.column] for n in policy.numbers)
    return tuple(given for _ in policy.numbers)


def rows_of_unit(policy: Policy) -> int:
    """The largest number of records of one unit of privacy."""
    return int(policy.model.table.rows_per_person or 1)


def _down(bound: LowerBound) -> float:
    return math.nextafter(float(bound.value or 0), 0.0)


def squared(unit: str) -> str:
    """The unit of a squared error."""
    return f"({unit})^2" if unit else ""


def row_wise_adjacency(policy: Policy) -> str:
    """Which tables are neighbours for a release that has a row for each record."""
    kept = "their number, their order and the public columns are the same"
    if policy.model.table.unit_of_privacy == "person":
        return (
            f"replace-one person: the private columns of all records of one person, at most {rows_of_unit(policy)}, take any values of "
            f"the declared domain; {kept}, and so is which records belong to whom"
        )
    return f"replace-one record: the private columns of one record take any values of the declared domain; {kept}"


def row_wise_caveats(policy: Policy) -> tuple[str, ...]:
    """What a release with a row for each record shows whatever the noise is."""
    public = [c.name for c in policy.public]
    out = [
        "The number of records and their order are published: row i of the release is record i of the table.",
        "Each record is protected on its own. What many records say together, for example the mean of a column, is not hidden: the noise "
        "averages out, as it should.",
        "Values outside of the declared interval of a column were moved to its nearer end before noise was added.",
        "Another release of the same records adds its cost to this one; the guarantee is about this release alone.",
    ]
    if public:
        out.append(
            f"The public columns ({sentence_of_columns(public)}) are released as they are. They are not protected, and neither is what they "
            "say about the private ones: someone who knows them finds the record, reads its noisy numbers, and guesses the true ones as well "
            "as the public columns allow."
        )
    if policy.model.table.unit_of_privacy == "record":
        out.append("The guarantee is per record: someone with k records is protected k times less.")
    else:
        out.append(
            f"The guarantee is per person with at most {rows_of_unit(policy)} records; who has how many is not hidden."
        )
    return tuple(out)


def standard_deviation(noise: GridNoise) -> float:
    """The exact root of the mean square of the noise, tails included, in the unit of the column."""
    return math.sqrt(float(_moment(noise, 2))) * noise.step


def mean_absolute(noise: GridNoise) -> float:
    """The mean of the absolute noise in the unit of the column."""
    return float(_moment(noise, 1)) * noise.step


@lru_cache(maxsize=512)
def _moment(noise: GridNoise, order: int) -> Fraction:
    """E|k|^order in steps, order 1 or 2, exactly: the sum over the weights and the two geometric tails."""
    total = Fraction(sum(abs(noise.first + i) ** order * w for i, w in enumerate(noise.weights)), 1 << 128)
    if noise.tail:
        r, start = Fraction(noise.ratio, 1 << 64), noise.last + 1
        mean = r / (1 - r)
        square = r * (1 + r) / (1 - r) ** 2
        beyond = start + mean if order == 1 else start**2 + 2 * start * mean + square
        total += 2 * Fraction(noise.tail, 1 << 128) * beyond
    return total
