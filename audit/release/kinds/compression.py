"""A table compressed to few rows by a Gaussian matrix, its tail cut out; private among the tables of a declared set only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ....mechanisms.black_box import BlackBox
from ....mechanisms.compression import Compression, NeverAcceptedError, Reference, compress_stream
from ....mechanisms.grid_noise import seeded_bits
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim, Scope
from ....symbolic.errors import SpecError
from ....symbolic.privacy.guarantees import PureDP
from ..derived import Derived
from ..ledger.cost import Cost
from ..manifest import ColumnNoise, StatedGuarantee
from ..not_met import PolicyNotMetError
from ..policy import Policy
from .grid_kind import rows_of_unit
from .kind import Drawn, Kind
from .scaled_records import scaled_blocks
from .secure_normals import SecureNormals

if TYPE_CHECKING:
    from ....mechanisms.grid_noise import Bits
    from ...studies.compression import CompressionGuarantee
    from ..tables import PolicyTable

ROWS = 1 << 16
_INSIDE = 0.99  # of the protected set: rounding must not leave it


@dataclass(frozen=True, eq=False)
class CompressionKind(Kind):
    """`compression` acts on records scaled to [-1, 1]; `records` is the number of records of the table, None until it is known."""

    policy: Policy
    compression: Compression
    records: int | None = None

    name: ClassVar[str] = "compression"
    row_wise: ClassVar[bool] = False
    needs_records: ClassVar[bool] = True

    @classmethod
    def configure(cls, policy: Policy) -> Self:
        model: Any = policy.model.mechanism
        p = len(policy.numbers)
        if not policy.model.table.rows_public:
            raise SpecError(
                "alpha depends on the number of records, and is published: set it to true",
                key="table.rows_public",
                file=policy.file,
            )
        if not model.truncate:
            raise SpecError(
                "without truncation no alpha holds for any two tables: set it to true",
                key="mechanism.truncate",
                file=policy.file,
            )
        if model.covariance is not None and len(model.covariance) != p:
            raise SpecError(
                f"expected {p} rows, one for each private number, got {len(model.covariance)}",
                key="mechanism.covariance",
                file=policy.file,
            )
        try:
            reference = Reference(
                np.eye(p) if model.covariance is None else np.array(model.covariance, dtype=float),
                float(model.delta_max),
            )
            return cls(policy, Compression(int(model.rows), reference))
        except ValueError as error:
            raise SpecError(str(error), key="mechanism", file=policy.file) from None

    def with_records(self, records: int) -> Self:
        """The same for a table of so many records; SpecError where the numbers do not fit."""
        made = replace(self, records=records)
        _ = made.guarantee
        return made

    @cached_property
    def guarantee(self) -> CompressionGuarantee:
        """alpha for all pairs of tables in the protected set that differ in one unit of privacy."""
        from ...studies.compression import compression_guarantee

        assert self.records is not None  # releasing and calibrating say it first
        # Records in [-1, 1]: each product moves by 2 at most.
        closeness = min(
            2 * rows_of_unit(self.policy) / self.records, 2 * self.compression.reference.delta_max
        )
        try:
            return compression_guarantee(self.compression, self.records, closeness, "differential")
        except ValueError as error:
            raise SpecError(str(error), key="mechanism", file=self.policy.file) from None

    @property
    def adjacency(self) -> str:
        unit = self.policy.model.table.unit_of_privacy
        whose = (
            "one record"
            if unit == "record"
            else f"all records of one person, at most {rows_of_unit(self.policy)},"
        )
        return (
            f"replace-one {unit}, within the protected set: {whose} take any values of the declared domain, and the second moments of both "
            f"tables lie within {self.compression.reference.delta_max:g} of the public reference, entry by entry; the number of records is the same"
        )

    def parameters(self) -> dict[str, Any]:
        r = self.compression.reference
        return {
            "rows": self.compression.rows,
            "reference_covariance": r.covariance.tolist(),
            "delta_max": r.delta_max,
            "window": None if self.records is None else r.window(self.compression.rows, self.records),
            "scaling": "each declared interval is [-1, 1]",
            "alpha": float(self.guarantee.alpha),
            "random_source": "ChaCha20, keyed by the operating system; normal numbers as doubles",
        }

    def columns(self) -> tuple[ColumnNoise, ...]:
        noise = {
            "law": "compressed",
            "from": "random combinations of all records; no released row belongs to a record",
        }
        return tuple(
            ColumnNoise(n.name, n.unit, n.low, n.high, dict(noise), None) for n in self.policy.numbers
        )

    def cost(self) -> Cost:
        reason = "the guarantee holds between tables of the protected set only, and that the table lies in it is told by releasing it"
        return Cost.none(reason, unit=self.policy.model.table.unit_of_privacy)

    def guarantees(self) -> tuple[StatedGuarantee, ...]:
        alpha, unit = float(self.guarantee.alpha), self.policy.model.table.unit_of_privacy
        if not np.isfinite(alpha):
            return (
                StatedGuarantee(
                    "none",
                    "no epsilon is finite: the protected set reaches tables with singular second moments",
                ),
            )
        sentence = (
            f"{alpha:.6g}-differentially private per {unit} between tables of the protected set, over the reals; nothing is said about tables "
            "outside of it, nor about the bits of the numbers"
        )
        return (StatedGuarantee(PureDP.key, sentence, {"epsilon": alpha}),)

    @property
    def _scope(self) -> Scope:
        return Scope(self.adjacency, self.guarantee.scope.domain, self.policy.model.table.unit_of_privacy)

    def derived(self) -> tuple[Derived, ...]:
        alpha, limit = float(self.guarantee.alpha), self.policy.model.limits.epsilon
        claims = [("as released", alpha)] if np.isfinite(alpha) else []
        claims += [] if limit is None else [("limit of the policy", float(limit))]
        out = []
        for word, value in claims:
            claim = replace(
                self.guarantee.claim(value),
                subject=self._pair(),
                scope=self._scope,
                title=f"{word}: {PureDP(value).sentence()}",
            )
            out.append(Derived(claim, (self.guarantee.evidence(value),)))
        return tuple(out)

    def unmet(self) -> tuple[str, ...]:
        limits, alpha = self.policy.model.limits, float(self.guarantee.alpha)
        reasons = [
            f"limits.{name} is about the released row of a record, and compressed rows belong to none: leave it out"
            for name in ("information", "error", "utility")
            if getattr(limits, name) is not None
        ]
        if limits.epsilon is not None and not alpha <= limits.epsilon:
            reasons.append(f"alpha is {alpha:.6g}, the limit on epsilon is {limits.epsilon:g}")
        if limits.rho is not None and not min(alpha**2 / 2, alpha) <= limits.rho:
            reasons.append(f"rho is {min(alpha**2 / 2, alpha):.6g}, the limit is {limits.rho:g}")
        return tuple(reasons)

    def _moments(self) -> tuple[Floats, Floats]:
        """Second moments of two tables of the set that differ by one record of ones and signs, near its thinnest end."""
        r, p = self.compression.reference, self.compression.reference.dimension
        sign = np.where(np.linalg.eigh(r.covariance)[1][:, 0] >= 0, 1.0, -1.0)
        first = r.covariance - r.delta_max * _INSIDE * np.outer(sign, sign) / p
        step = min(self.guarantee.closeness / 2, r.delta_max)
        return first, first + step * np.outer(sign, sign) * _INSIDE

    def _pair(self, second: Floats | None = None, name: str = "compression of neighbours") -> BlackBox:
        """The code that releases, at two second moments."""
        one, two = self._moments()
        moments, n, m = (one, two if second is None else second), self.records or 0, self.compression.rows
        p = len(one)

        def release(index: int, size: int, rng: np.random.Generator) -> Floats:
            normals: Any = SecureNormals(seeded_bits(rng))
            return self.compression.sample_moments(moments[index], n, size, normals).reshape(size, m * p)

        def log_density(y: Floats, index: int) -> Floats:
            return self.compression.log_density(
                np.asarray(y, dtype=float).reshape(-1, m, p), moments[index], n
            )

        return BlackBox(release, (0, 1), log_density, name=name)

    def trials(self) -> tuple[Claim, ...]:
        alpha = float(self.guarantee.alpha)
        if not np.isfinite(alpha):
            return ()
        claim, scope = PureDP(alpha), self._scope
        far = self._pair(self._moments()[0] * 9, "compression that counts one record as the whole table")
        return (
            Claim(claim, self._pair(), scope, title=f"as released: {claim.sentence()}"),
            Claim(
                claim,
                far,
                scope,
                expect="falls",
                title=f"control: {claim.sentence()} for a record that weighs as much as the table",
            ),
        )

    def meets_bytes(self) -> str | None:
        return "the rows are drawn from a continuous law in floating point, and nothing is known about their bits"

    def notes(self) -> tuple[str, ...]:
        return (
            "The code was put on trial at two second moments, from which it draws: the table enters by these alone.",
        )

    def does_not_mean(self) -> tuple[str, ...]:
        return (
            "The guarantee is conditional: it compares tables of the protected set only. That the table lies in it is taken as known, and that "
            "it was released tells it to everyone.",
            "The guarantee is about real numbers. The rows are doubles drawn in floating point, and their last bits are not covered.",
            "No released row belongs to a record. Second moments of the table can be estimated from the rows, which is what they are for.",
            "The compressing matrix is not kept; whoever had it could solve for records.",
            "A refusal would tell that the table lies outside of the set: it is shown to the one who releases only.",
        )

    @contextmanager
    def draw(self, table: PolicyTable, bits: Bits) -> Iterator[Drawn]:
        import pyarrow as pa

        normals: Any = SecureNormals(bits)
        try:
            rows = compress_stream(scaled_blocks(table, ROWS), self.compression, normals)
        except SpecError:
            raise
        except (NeverAcceptedError, ValueError):
            # The library's message holds a number of the table.
            raise PolicyNotMetError(
                (
                    "the table does not lie in the protected set, or no draw was accepted: take a wider set or another public reference",
                )
            ) from None
        schema = pa.schema([pa.field(n.name, pa.float64(), nullable=False) for n in self.policy.numbers])
        batch = pa.RecordBatch.from_arrays([pa.array(np.ascontiguousarray(c)) for c in rows.T], schema=schema)
        yield Drawn(schema, iter([batch]), dict, self.records)
