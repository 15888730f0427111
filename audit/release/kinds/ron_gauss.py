"""Synthetic records from RON-Gauss: a noisy mean, noisy second moments of projected records, and a Gaussian model of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ....mechanisms.grid_noise import secure_bits
from ....mechanisms.ron_gauss.normalisation import renormalised
from ....mechanisms.ron_gauss.projection import uniform_projection
from ....mechanisms.ron_gauss.repair import spectrum
from ....mechanisms.ron_gauss.synthesis import normal_pieces
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim, Scope
from ....symbolic.errors import SpecError
from ....symbolic.privacy.guarantees import PureDP
from ..ledger.cost import Cost
from ..limits import Decision, Limits, epsilon_asked, rho_of
from ..manifest import StatedGuarantee
from ..not_met import PolicyNotMetError
from ..policy import Policy
from .kind import Drawn, Kind, numbers_of
from .made_rows import batch_of, limits_of_a_row, made_columns, schema_of, unit_moved
from .ron_gauss_noise import RonGaussNoise
from .ron_gauss_sums import ROWS, mirrored, sum_of_products, sum_of_records
from .ron_gauss_trials import RECORDS, ron_gauss_trials, subject_of
from .scaled_records import scaled
from .secure_normals import SecureNormals
from .terms import Terms

if TYPE_CHECKING:
    import pyarrow as pa

    from ....mechanisms.grid_noise import Bits
    from ..tables import PolicyTable


@dataclass(frozen=True, eq=False)
class RonGaussKind(Kind):
    """A random projection, and the noise on sums of projected records."""

    policy: Policy
    noise: RonGaussNoise

    name: ClassVar[str] = "ron-gauss"
    notes: ClassVar[tuple[str, ...]] = (
        f"Two tables of {RECORDS} records were audited: the noise is on sums, and is the same for any number of records.",
        "Sums are whole numbers and so is the noise; synthetic records are made from noisy moments alone, and say no more than these.",
    )

    chosen: ClassVar[tuple[str, ...]] = ("projection",)
    facts: ClassVar[tuple[str, ...]] = ("size", "noisy_mean", "noisy_second_moments", "synthetic_records")

    @classmethod
    def configure(cls, policy: Policy, records: int | None = None) -> Self:
        return cls._projecting(policy, None)

    @classmethod
    def restated(cls, policy: Policy, records: int | None, parameters: Mapping[str, Any]) -> Self:
        with numbers_of(policy):
            given = np.array(parameters.get("projection"), dtype=float)
        wanted = (len(policy.numbers), int(getattr(policy.model.mechanism, "components", 0)))
        if given.shape != wanted or not np.isfinite(given).all():
            raise SpecError(f"expected a projection of shape {wanted}", key="mechanism.parameters.projection")
        return cls._projecting(policy, given)

    @classmethod
    def _projecting(cls, policy: Policy, projection: Floats | None) -> Self:
        """With a projection that is given, or drawn now."""
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
        noise = RonGaussNoise(
            uniform_projection(m, p, normals) if projection is None else projection,
            policy.label is not None and policy.label.role == "private",
            policy.rows_of_unit,
            model.adjacency,
            float(mean),
            float(covariance),
            float(size) if private and size else None,
        )
        with numbers_of(policy):
            _ = noise.sums, noise.size_noise
        return cls(policy, noise)

    @property
    def _adjacency(self) -> str:
        unit, whose = self.policy.unit, unit_moved(self.policy)
        if self.noise.relation == "add-or-remove":
            return (
                f"add-or-remove {unit}: {whose} are added or removed, with any values of the declared domain"
            )
        return f"replace-one {unit}: {whose} take any values of the declared domain; the number of records is the same"

    @property
    def cost(self) -> Cost:
        return Cost.pure(self.noise.epsilon, unit=self.policy.unit, adjacency=self.noise.relation)

    @cached_property
    def terms(self) -> Terms:
        noise, epsilon = self.noise, self.noise.epsilon
        (m, p), (first, second) = noise.projection.shape, noise.sums
        sentence = f"{epsilon:.6g}-differentially private per {self.policy.unit} under {noise.relation}, all synthetic records together"
        return Terms(
            parameters={
                "components": p,
                "attributes": m,
                "adjacency": noise.relation,
                "epsilon_mean": noise.epsilon_mean,
                "epsilon_covariance": noise.epsilon_covariance,
                "epsilon_size": noise.epsilon_size,
                "scale_of_sum": first.noise.parameter,
                "exponent_of_sum": first.noise.exponent,
                "scale_of_products": second.noise.parameter,
                "exponent_of_products": second.noise.exponent,
                "projection": noise.projection.tolist(),
                "random_source": "ChaCha20, keyed by the operating system",
            },
            columns=made_columns(self.policy, "synthetic", "a Gaussian model of projected records"),
            guarantees=(StatedGuarantee(PureDP.key, sentence, {"epsilon": epsilon}),),
            adjacency=self._adjacency,
            does_not_mean=(
                "No synthetic row belongs to a record, and none is a record with noise: do not look people up in it.",
                "Synthetic records have the noisy mean and covariance of projected records, and the shape of a normal law: other properties of the "
                "table (tails, groups, rare combinations) are not in them, on purpose.",
                "The guarantee covers all that was released here together: projection, noisy moments and synthetic records. Another release of the "
                "same table adds its cost.",
                "Each record was divided by its length after scaling by the declared bounds: lengths are not released.",
            ),
        )

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        """The budgets add up to epsilon for the sums in whole numbers; and the limits of the policy."""
        limits, loss, epsilon = Limits(self.policy, self._scope), self.noise.loss(), self.noise.epsilon
        subject, limit = subject_of(self.noise), self.policy.model.limits.epsilon
        stated = {"as released": epsilon}
        if limit is not None:
            stated["limit of the policy"] = float(limit)
        reason = (
            "steps that neighbours move a sum by, times the loss of a step, added up (adaptive composition)"
        )
        return (
            *(
                limits.settle(
                    "epsilon", PureDP(most), loss, most, reason, subject, word=f"{word}, in whole numbers"
                )
                for word, most in stated.items()
            ),
            *limits_of_a_row(limits, "synthetic"),
            *limits.number("rho", rho_of(epsilon)),
        )

    @property
    def _scope(self) -> Scope:
        domain = "records of the declared box, scaled to [-1, 1], divided by their lengths"
        return Scope(self._adjacency, domain, self.policy.unit)

    def trials(self) -> tuple[Claim, ...]:
        return ron_gauss_trials(self.noise, self._scope)

    @property
    def schema(self) -> pa.Schema:
        label = self.policy.label
        labels = [label.name] if label is not None and self.noise.labelled else []
        return schema_of([*(f"component_{k + 1}" for k in range(self.noise.projection.shape[1])), *labels])

    def rows(self, records: int | None) -> int | None:
        model: Any = self.policy.model.mechanism
        return model.records or records

    @contextmanager
    def draw(self, table: PolicyTable, bits: Bits) -> Iterator[Drawn]:
        noise, q = self.noise, self.noise.width
        n, total = 0, np.zeros(len(self.policy.numbers), dtype=np.int64)
        for unit, _ in self._records(table):
            n += len(unit)
            total += sum_of_records(unit)
        size = float(n)
        if noise.size_noise is not None:
            size = max(1.0, n + float(noise.size_noise.draw(1, bits)[0]))
        mean = noise.sums[0].release(total, bits) / size
        products = np.zeros((q, q), dtype=np.int64)
        for unit, labels in self._records(table):
            rows = renormalised(unit, mean) @ noise.projection
            products += sum_of_products(rows if labels is None else np.column_stack([rows, labels]))
        second = mirrored(noise.sums[1].release(products[np.triu_indices(q)], bits) / size, q)
        values, vectors = spectrum(second)
        records = int(self.rows(n) or 0)

        def batches() -> Iterator[Any]:
            normals: Any = SecureNormals(bits)
            for piece in normal_pieces(np.zeros(q), vectors * np.sqrt(values), records, normals, ROWS):
                if noise.labelled:
                    piece[:, -1] = self._unscaled(piece[:, -1])
                yield batch_of(piece, self.schema)

        facts = {
            "size": size,
            "noisy_mean": mean.tolist(),
            "noisy_second_moments": second.tolist(),
            "synthetic_records": records,
        }
        yield Drawn(batches(), lambda: facts, n)

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
        for batch in table.batches(ROWS):
            records = scaled(self.policy, table.numbers(batch))
            # A record in the middle of all intervals has no direction: it stays zero, in the unit ball.
            unit = renormalised(records, np.zeros(records.shape[1]))
            labels = None
            if self.noise.labelled:
                low, high = self._label_ends
                labels = np.clip((2 * table.labels(batch) - (low + high)) / (high - low), -1.0, 1.0)
            yield unit, labels


def _shared(policy: Policy) -> tuple[float, float, float | None]:
    """limits.epsilon in parts: a tenth for a private number of records, then two thirds of the rest for the second moments."""
    model: Any = policy.model.mechanism
    whole = epsilon_asked(policy.model.limits)
    if whole is None:
        raise PolicyNotMetError("ron-gauss is calibrated from limits.epsilon or limits.rho: set one of them")
    costs = model.adjacency == "add-or-remove"
    size = whole / 10 if costs else None
    rest = whole - (size or 0.0)
    if not costs and not policy.model.table.rows_public:
        size = float(model.epsilon_size or 1.0)
    # Rounded down, so that the parts never add up to more.
    mean = math.floor(rest / 3 * 1e9) / 1e9
    return mean, math.floor((rest - mean) * 1e9) / 1e9, size
