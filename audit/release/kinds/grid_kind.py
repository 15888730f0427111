"""Independent noise on a grid for every private number of every record: what laplace, gaussian and optimal have in common."""

from __future__ import annotations

import math
from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import sympy as sp

from ....mechanisms.grid_noise import GridNoise, default_exponent
from ....symbolic.claim import Claim
from ....symbolic.information.error_bounds import LowerBound
from ....symbolic.privacy.guarantees import Guarantee
from ....symbolic.proof.enclosure import rational
from ...record.evidence import Series
from ..calibration import calibrated
from ..grid_figures import error_bound, mean_absolute, standard_deviation
from ..ledger.cost import Information
from ..limits import Decision, Limits, guarantee_asked
from ..manifest import ErrorFigure, StatedGuarantee
from ..policy import Policy
from ..trade_off import noise_curves, privacy_curves
from . import row_wise
from .by_columns import ByColumns
from .grid_trials import grid_trials
from .kind import Drawn, Kind, numbers_of
from .terms import Terms, by_name, columns_of, squared

if TYPE_CHECKING:
    from ....mechanisms.grid_noise import Bits
    from ..tables import PolicyTable

AGAINST = "every adversary, unbiased or not, on average over records drawn from a prior on the declared interval (so that no adversary does better on all of them)"
_SHOWN = 20  # private numbers that the scope of a claim names


@dataclass(frozen=True, eq=False)
class GridKind(Kind):
    """`sizes[j]` is the parameter of the law on private number j, in the unit of its column, and `exponents[j]` that of its grid."""

    policy: Policy
    sizes: tuple[float, ...]
    exponents: tuple[int, ...]

    size_key: ClassVar[str]  # the key of the policy, and the word for the parameter of the law
    unit_information: ClassVar[sp.Expr] = sp.Integer(1)  # of the continuous law of size 1 about its place

    @classmethod
    @abstractmethod
    def noise(cls, size: float, exponent: int) -> GridNoise:
        """The law of one column."""

    @classmethod
    @abstractmethod
    def sizes_of_privacy(cls, policy: Policy) -> tuple[float, ...] | None:
        """Parameters that meet the limits on epsilon, delta and rho, about; None without such limits."""

    @classmethod
    def size_of_information(cls, information: float) -> float:
        """The parameter whose continuous law has this Fisher information."""
        return math.sqrt(float(cls.unit_information)) * float(information**-0.5)

    @abstractmethod
    def stated(self, records: int | None = None) -> Guarantee | None:
        """The tightest guarantee of one unit, or of `records` records, in the form of this mechanism; None if there is none."""

    @abstractmethod
    def guarantees(self) -> tuple[StatedGuarantee, ...]:
        """The same in numbers and words."""

    def epsilon_at_size(self, factor: float) -> float | None:
        """The epsilon of one unit with `factor` times the noise, about, for figures; None where there is none."""
        return None

    @classmethod
    def configure(cls, policy: Policy, records: int | None = None) -> Self:
        mechanism: Any = policy.model.mechanism
        if mechanism.calibrate:
            return calibrated(cls, policy)
        return cls.with_sizes(policy, policy.per_number(getattr(mechanism, cls.size_key)))

    @classmethod
    def with_sizes(cls, policy: Policy, sizes: tuple[float, ...]) -> Self:
        """The mechanism with these parameters, on the grids of the policy or the default ones; SpecError if a grid does not fit."""
        given = getattr(policy.model.mechanism, "exponent", None)
        exponents = tuple(default_exponent(s) for s in sizes)
        if given is not None:
            exponents = tuple(int(e) for e in policy.per_number(given))
        made = cls(policy, sizes, exponents)
        with numbers_of(policy):
            _ = made.release
        return made

    @cached_property
    def release(self) -> ByColumns:
        """The release of one record."""
        numbers = self.policy.numbers
        noises = tuple(_noise(type(self), s, e) for s, e in zip(self.sizes, self.exponents, strict=True))
        return ByColumns(noises, tuple(n.low for n in numbers), tuple(n.high for n in numbers))

    @property
    def group(self) -> int:
        """How many records make one unit of privacy, at most."""
        return self.policy.rows_of_unit

    @cached_property
    def ideal_information(self) -> tuple[sp.Expr, ...]:
        """The Fisher information of the continuous law of each number about its place."""
        return tuple(self.unit_information / rational(size) ** 2 for size in self.sizes)

    def informations(self) -> tuple[Information, ...]:
        """The same for a ledger."""
        return tuple(
            Information(n.name, math.nextafter(float(value), math.inf), n.said_unit)
            for n, value in zip(self.policy.numbers, self.ideal_information, strict=True)
        )

    def information_stated(self) -> StatedGuarantee:
        """The same for a manifest, with what it is the information of."""
        numbers = {
            "per_number": {
                n.name: {"information": float(value), "unit": f"({n.said_unit})^-2"}
                for n, value in zip(self.policy.numbers, self.ideal_information, strict=True)
            }
        }
        sentence = "Fisher information is computed for the continuous law, which the grid approximates; the error bounds hold for the released numbers on the grid"
        return StatedGuarantee("information", sentence, numbers)

    @cached_property
    def error_bounds(self) -> tuple[LowerBound, ...]:
        """For each number a mean squared error that no adversary gets below, on average over a prior on its interval."""
        return tuple(error_bound(n, s) for n, s in zip(self.release.noises, self.release.spans, strict=True))

    def utility(self) -> dict[str, Any]:
        """How much noise there is, from its law alone."""
        noises = self.release.noises
        squares = [standard_deviation(n) ** 2 for n in noises]
        return {
            "basis": "the distribution of the noise alone: no figure was computed from the table, so none costs budget",
            "mean-squared-error": math.fsum(squares),
            "relative-error": max(s**0.5 / w for s, w in zip(squares, self.policy.widths, strict=True)),
            "root_mean_squared_noise": by_name(self.policy, (s**0.5 for s in squares)),
            "mean_absolute_noise": by_name(self.policy, map(mean_absolute, noises)),
        }

    def parameters(self) -> dict[str, Any]:
        """All numbers of the mechanism."""
        return {
            self.size_key: by_name(self.policy, self.sizes),
            "exponent": by_name(self.policy, self.exponents),
            "total_variation_to_ideal": self.release.costs(self.group).total_variation,
            "random_source": "ChaCha20, keyed by the operating system",
        }

    def caveats(self) -> tuple[str, ...]:
        """What a reader must not take from the guarantees."""
        return row_wise.caveats(self.policy)

    @cached_property
    def terms(self) -> Terms:
        noises = self.release.noises
        laws = (
            {
                "law": noise.kind,
                self.size_key: size,
                "standard_deviation": standard_deviation(noise),
                "total_variation_to_ideal": noise.total_variation,
            }
            for noise, size in zip(noises, self.sizes, strict=True)
        )
        return Terms(
            parameters=self.parameters(),
            columns=columns_of(self.policy, laws, (n.exponent for n in noises)),
            guarantees=self.guarantees(),
            adjacency=row_wise.adjacency(self.policy),
            does_not_mean=self.caveats(),
            error_bounds=tuple(
                ErrorFigure(n.name, math.nextafter(float(b.value or 0), 0.0), squared(n.unit), AGAINST)
                for n, b in zip(self.policy.numbers, self.error_bounds, strict=True)
            ),
            utility=self.utility(),
        )

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        limits, subject = self._limits, self.release.mechanism()
        reason = "the bound against every adversary on the grid, rounded down"
        return (
            *limits.epsilon(
                self._pure_epsilon, lambda e: float(self.release.delta([e], self.group)[0]), self.name
            ),
            *limits.rho(lambda: self.cost, subject),
            *limits.information(self.ideal_information, subject),
            *limits.error(lambda: self.error_bounds, reason, lambda places, column: subject),
            *limits.utility(self.utility, "from the law of the noise alone", subject),
        )

    @property
    def _limits(self) -> Limits:
        return Limits(self.policy, row_wise.scope(self.policy, _SHOWN))

    def _pure_epsilon(self) -> float | None:
        stated = None if self.release.pure_epsilon() is None else self.stated()
        point = None if stated is None else stated.point()
        return None if point is None else point[0]

    def needs_more_noise(self) -> tuple[str, ...]:
        """One sentence for each limit that more noise would meet."""
        return tuple(d.unmet for d in self.decisions if d.unmet and d.limit != "utility")

    def trials(self) -> tuple[Claim, ...]:
        wanted = guarantee_asked(self.policy.model.limits)
        scope = self._limits.scope
        return grid_trials(self.release, self.group, self.stated(), lambda: self.stated(1), wanted, scope)

    def figures(self) -> tuple[Series, ...]:
        """The trade-off around the chosen noise, and the exact privacy curve of one unit."""
        return (
            *noise_curves(self.policy, self.sizes, self.noise, self.epsilon_at_size),
            *privacy_curves(self.policy, self.stated(), lambda e: self.release.delta(e, self.group)),
        )

    def draw(self, table: PolicyTable, bits: Bits) -> AbstractContextManager[Drawn]:
        return row_wise.drawn(table, lambda numbers: self.release.apply(numbers, bits))


@lru_cache(maxsize=256)
def _noise(kind: type[GridKind], size: float, exponent: int) -> GridNoise:
    return kind.noise(size, exponent)
