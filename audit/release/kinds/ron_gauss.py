"""Synthetic records from RON-Gauss: a noisy mean, noisy second moments of projected records, and a Gaussian model of them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
import sympy as sp

from ....mechanisms.grid_noise import grid_laplace, secure_bits
from ....mechanisms.ron_gauss import scales
from ....mechanisms.ron_gauss.normalisation import renormalised
from ....mechanisms.ron_gauss.projection import uniform_projection
from ....mechanisms.ron_gauss.repair import spectrum
from ....mechanisms.ron_gauss.synthesis import normal_pieces
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim, Scope
from ....symbolic.errors import SpecError
from ....symbolic.privacy.guarantees import READING, PureDP
from ....symbolic.proof.enclosure import enclose, rational
from ..derived import Derived
from ..ledger.cost import Cost
from ..limits import settled
from ..manifest import ColumnNoise, StatedGuarantee
from ..not_met import PolicyNotMetError
from ..policy import Policy
from .grid_kind import rows_of_unit
from .kind import Drawn, Kind
from .ron_gauss_sums import FINE, ROWS, NoisySum, mirrored, radius, sum_of_products, sum_of_records
from .ron_gauss_trials import RECORDS, ron_gauss_trials, subject_of
from .secure_normals import SecureNormals

if TYPE_CHECKING:
    from ....mechanisms.grid_noise import Bits
    from ..tables import PolicyTable


@dataclass(frozen=True, eq=False)
class RonGaussKind(Kind):
    """Budgets per unit of privacy for the mean, the second moments and, where it is private, the number of records."""

    policy: Policy
    epsilon_mean: float
    epsilon_covariance: float
    epsilon_size: float | None
    projection: Floats

    name: ClassVar[str] = "ron-gauss"
    row_wise: ClassVar[bool] = False

    @classmethod
    def configure(cls, policy: Policy) -> Self:
        model: Any = policy.model.mechanism
        m, p = len(policy.numbers), int(model.components)
        if p < 2:
            raise SpecError(
                f"expected at least 2 components, got {p}", key="mechanism.components", file=policy.file
            )
        budgets = (model.epsilon_mean, model.epsilon_covariance, model.epsilon_size)
        mean, covariance, size = _shared(policy) if model.calibrate else budgets
        private = model.adjacency == "add-or-remove" or not policy.model.table.rows_public
        if private and size is None:
            raise SpecError(
                "this key is missing: the number of records is private, and records are divided by a noisy one",
                key="mechanism.epsilon_size",
                file=policy.file,
            )
        normals: Any = SecureNormals(secure_bits())
        W = uniform_projection(m, p, normals)
        made = cls(policy, float(mean), float(covariance), float(size) if private and size else None, W)
        try:
            _ = made.sums, made.size_noise
        except ValueError as error:
            raise SpecError(str(error), key="mechanism", file=policy.file) from None
        return made

    @property
    def relation(self) -> Any:
        """The word of the policy: replace-one or add-or-remove."""
        return self.policy.model.mechanism.adjacency  # type: ignore[union-attr]

    @property
    def group(self) -> int:
        return rows_of_unit(self.policy)

    @property
    def epsilon(self) -> float:
        """The sum of the budgets that neighbours cost: replacing a record leaves their number as it is."""
        size = self.epsilon_size if self.relation == "add-or-remove" else None
        return math.fsum((self.epsilon_mean, self.epsilon_covariance, size or 0.0))

    @cached_property
    def sensitivities(self) -> tuple[sp.Expr, sp.Expr]:
        """Of the sums of records and of products, per unit of privacy and before rounding, exact and in L1."""
        m, p = self.projection.shape
        first = scales.needed_mean(m, self.relation)
        if self.policy.label is not None and self.policy.label.role == "private":
            second = scales.needed_augmented(p, 1.0, self.relation, symmetric=True)
        else:
            second = scales.needed_covariance(p, self.relation, symmetric=True)
        return self.group * first, self.group * second

    @property
    def labelled(self) -> bool:
        return self.policy.label is not None and self.policy.label.role == "private"

    @cached_property
    def sums(self) -> tuple[NoisySum, NoisySum]:
        """The noise on the sum of records and on the upper triangle of the sum of products."""
        m, p = self.projection.shape
        q = p + self.labelled
        first, second = (_upper(s) for s in self.sensitivities)
        return (
            NoisySum.of(first * radius(m), m, self.epsilon_mean, FINE),
            NoisySum.of(second * radius(q) ** 2, q * (q + 1) // 2, self.epsilon_covariance, 2 * FINE),
        )

    @cached_property
    def size_noise(self) -> Any:
        """The noise on the number of records, or None."""
        return None if self.epsilon_size is None else grid_laplace(self.group / self.epsilon_size, 0)

    @property
    def adjacency(self) -> str:
        unit = self.policy.model.table.unit_of_privacy
        whose = "one record" if unit == "record" else f"all records of one person, at most {self.group},"
        if self.relation == "add-or-remove":
            return (
                f"add-or-remove {unit}: {whose} are added or removed, with any values of the declared domain"
            )
        return f"replace-one {unit}: {whose} take any values of the declared domain; the number of records is the same"

    def parameters(self) -> dict[str, Any]:
        m, p = self.projection.shape
        first, second = self.sums
        return {
            "components": p,
            "attributes": m,
            "adjacency": self.relation,
            "epsilon_mean": self.epsilon_mean,
            "epsilon_covariance": self.epsilon_covariance,
            "epsilon_size": self.epsilon_size,
            "scale_of_sum": first.noise.parameter,
            "exponent_of_sum": first.noise.exponent,
            "scale_of_products": second.noise.parameter,
            "exponent_of_products": second.noise.exponent,
            "projection": self.projection.tolist(),
            "random_source": "ChaCha20, keyed by the operating system",
        }

    def columns(self) -> tuple[ColumnNoise, ...]:
        noise = {
            "law": "synthetic",
            "from": "a Gaussian model of projected records; no released row belongs to a record",
        }
        return tuple(
            ColumnNoise(n.name, n.unit, n.low, n.high, dict(noise), None) for n in self.policy.numbers
        )

    def cost(self) -> Cost:
        return Cost.pure(self.epsilon, unit=self.policy.model.table.unit_of_privacy, adjacency=self.relation)

    def guarantees(self) -> tuple[StatedGuarantee, ...]:
        unit = self.policy.model.table.unit_of_privacy
        return (
            StatedGuarantee(
                PureDP.key,
                f"{self.epsilon:.6g}-differentially private per {unit}, all synthetic records together",
                {"epsilon": self.epsilon},
            ),
        )

    def derived(self) -> tuple[Derived, ...]:
        """The budgets add up to epsilon for the sums in whole numbers; and the limit of the policy."""
        total = sum((self._loss(k) for k in (0, 1)), sp.Integer(0))
        if self.relation == "add-or-remove":
            total += sp.Integer(self.group) / rational(float(self.size_noise.parameter))
        reason = (
            "steps that neighbours move a sum by, times the loss of a step, added up (adaptive composition)"
        )
        subject, scope = self.subject, self.scope
        stated = [PureDP(self.epsilon)]
        limit = self.policy.model.limits.epsilon
        if limit is not None:
            stated.append(PureDP(float(limit)))
        return tuple(
            settled(
                claim,
                total,
                "<=",
                rational(claim.epsilon) * (1 + READING),
                reason,
                subject=subject,
                scope=scope,
                title=f"{'limit of the policy' if k else 'as released'}, in whole numbers: {claim.sentence()}",
            )
            for k, claim in enumerate(stated)
        )

    def _loss(self, which: int) -> sp.Expr:
        m, p = self.projection.shape
        q = p + self.labelled
        entries, grown = ((m, radius(m)), (q * (q + 1) // 2, radius(q) ** 2))[which]
        noise = self.sums[which].noise
        step = sp.Integer(2) ** noise.exponent
        moved = self.sensitivities[which] * sp.Rational(grown.numerator, grown.denominator) / step + entries
        return moved * step / rational(noise.parameter)

    def unmet(self) -> tuple[str, ...]:
        limits = self.policy.model.limits
        reasons = list(super().unmet())
        for name in ("information", "error", "utility"):
            if getattr(limits, name) is not None:
                reasons.append(
                    f"limits.{name} is about the released row of a record, and synthetic rows belong to none: leave it out"
                )
        if limits.rho is not None and min(self.epsilon**2 / 2, self.epsilon) > limits.rho * (1 + 1e-12):
            reasons.append(
                f"rho is {min(self.epsilon**2 / 2, self.epsilon):.6g}, the limit is {limits.rho:g}"
            )
        return tuple(reasons)

    @property
    def scope(self) -> Scope:
        domain = "records of the declared box, scaled to [-1, 1], divided by their lengths"
        return Scope(self.adjacency, domain, self.policy.model.table.unit_of_privacy)

    @cached_property
    def subject(self) -> Any:
        """The release of a table of two records, as a subject: law and code side by side."""
        return subject_of(self)

    def trials(self) -> tuple[Claim, ...]:
        return ron_gauss_trials(self)

    def notes(self) -> tuple[str, ...]:
        return (
            f"Two tables of {RECORDS} records were put on trial: the noise is on sums, and is the same for any number of records.",
            "Sums are whole numbers and so is the noise; synthetic records are made from noisy moments alone, and say no more than these.",
        )

    def does_not_mean(self) -> tuple[str, ...]:
        return (
            "No synthetic row belongs to a record, and none is a record with noise: do not look people up in it.",
            "Synthetic records have the noisy mean and covariance of projected records, and the shape of a normal law: other properties of the "
            "table (tails, groups, rare combinations) are not in them, on purpose.",
            "The guarantee covers all that was released here together: projection, noisy moments and synthetic records. Another release of the "
            "same table adds its cost.",
            "Each record was divided by its length after scaling by the declared bounds: lengths are not released.",
        )

    @contextmanager
    def draw(self, table: PolicyTable, bits: Bits) -> Iterator[Drawn]:
        import pyarrow as pa

        n, total = 0, np.zeros(len(self.policy.numbers), dtype=np.int64)
        for unit, _ in self._records(table):
            n += len(unit)
            total += sum_of_records(unit)
        size = float(n) if self.size_noise is None else max(1.0, n + float(self.size_noise.draw(1, bits)[0]))
        mean = self.sums[0].release(total, bits) / size
        q = self.projection.shape[1] + self.labelled
        products = np.zeros((q, q), dtype=np.int64)
        for unit, labels in self._records(table):
            rows = renormalised(unit, mean) @ self.projection
            products += sum_of_products(rows if labels is None else np.column_stack([rows, labels]))
        second = mirrored(self.sums[1].release(products[np.triu_indices(q)], bits) / size, q)
        values, vectors = spectrum(second)
        records = self.policy.model.mechanism.records or n  # type: ignore[union-attr]
        names = [f"component_{k + 1}" for k in range(self.projection.shape[1])]
        schema = pa.schema(
            [pa.field(name, pa.float64(), nullable=False) for name in [*names, *self._label_name]]
        )

        def batches() -> Iterator[Any]:
            normals: Any = SecureNormals(bits)
            for piece in normal_pieces(np.zeros(q), vectors * np.sqrt(values), int(records), normals, ROWS):
                if self.labelled:
                    piece[:, -1] = self._unscaled(piece[:, -1])
                yield pa.RecordBatch.from_arrays(
                    [pa.array(np.ascontiguousarray(c)) for c in piece.T], schema=schema
                )

        facts = {
            "size": size,
            "noisy_mean": mean.tolist(),
            "noisy_second_moments": second.tolist(),
            "synthetic_records": int(records),
        }
        yield Drawn(schema, batches(), lambda: facts, n)

    @property
    def _label_name(self) -> list[str]:
        label = self.policy.label
        return [label.name] if label is not None and self.labelled else []

    @property
    def _label_ends(self) -> tuple[float, float]:
        label = self.policy.label
        assert label is not None
        if label.categories is None:
            return float(label.low or 0), float(label.high or 0)
        return (-1.0, 1.0) if len(label.categories) == 2 else (0.0, len(label.categories) - 1.0)

    def _unscaled(self, labels: Floats) -> Floats:
        low, high = self._label_ends
        return (low + high) / 2 + (high - low) / 2 * labels

    def _records(self, table: PolicyTable) -> Iterator[tuple[Floats, Floats | None]]:
        """Unit records and labels in [-1, 1], scaled by the declared bounds alone."""
        low = np.array([n.low for n in self.policy.numbers])
        high = np.array([n.high for n in self.policy.numbers])
        for batch in table.batches(ROWS):
            numbers = np.clip(table.numbers(batch), low, high)
            # A record in the middle of all intervals has no direction: it stays zero, in the unit ball.
            unit = renormalised((2 * numbers - (low + high)) / (high - low), np.zeros(len(low)))
            labels = None
            if self.labelled:
                ends = self._label_ends
                labels = np.clip((2 * table.labels(batch) - sum(ends)) / (ends[1] - ends[0]), -1.0, 1.0)
            yield unit, labels


def _shared(policy: Policy) -> tuple[float, float, float | None]:
    """limits.epsilon in parts: a tenth for a private number of records, then two thirds of the rest for the second moments."""
    limits, model = policy.model.limits, policy.model.mechanism
    if limits.epsilon is None and limits.rho is None:
        raise PolicyNotMetError(
            ("ron-gauss is calibrated from limits.epsilon or limits.rho: set one of them",)
        )
    found = [] if limits.epsilon is None else [float(limits.epsilon)]
    if limits.rho is not None:
        found.append(max(float(limits.rho), math.sqrt(2 * limits.rho)))
    whole = min(found)
    costs = model.adjacency == "add-or-remove"  # type: ignore[union-attr]
    size = whole / 10 if costs else None
    rest = whole - (size or 0.0)
    if not costs and not policy.model.table.rows_public:
        size = float(model.epsilon_size or 1.0)  # type: ignore[union-attr]
    # Rounded down, so that the parts never add up to more.
    mean = math.floor(rest / 3 * 1e9) / 1e9
    return mean, math.floor((rest - mean) * 1e9) / 1e9, size


def _upper(value: sp.Expr) -> Fraction:
    """A fraction that is certainly at least an exact number, nine digits above it at most."""
    return Fraction(math.nextafter(float(enclose(value).upper()), math.inf))
