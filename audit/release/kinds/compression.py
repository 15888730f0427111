"""A table compressed to few rows by a Gaussian matrix, its tail cut out; private among the tables of a declared set only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ....mechanisms.black_box import BlackBox
from ....mechanisms.compression import Compression, NeverAcceptedError, ReferenceCovariance, compress_stream
from ....mechanisms.grid_noise import seeded_bits
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim, Scope
from ....symbolic.errors import SpecError, counted
from ....symbolic.privacy.guarantees import PureDP
from ..ledger.cost import Cost
from ..limits import Decision, Limits, rho_of
from ..manifest import StatedGuarantee
from ..not_met import PolicyNotMetError
from ..policy import Policy
from ..settled_claim import SettledClaim
from .kind import Drawn, Kind, numbers_of
from .made_rows import batch_of, limits_of_a_row, made_columns, schema_of, unit_moved
from .scaled_records import scaled_blocks
from .secure_normals import SecureNormals
from .terms import Terms

if TYPE_CHECKING:
    import pyarrow as pa

    from ....mechanisms.grid_noise import Bits
    from ...studies.compression.guarantee import CompressionGuarantee
    from ..tables import PolicyTable

_INSIDE = 0.99  # of the protected set: rounding must not leave it


@dataclass(frozen=True, eq=False)
class CompressionKind(Kind):
    """`compression` acts on records scaled to [-1, 1]; `records` is the number of records of the table, None until it is known."""

    policy: Policy
    compression: Compression
    records: int | None = None

    name: ClassVar[str] = "compression"
    needs_records: ClassVar[bool] = True
    notes: ClassVar[tuple[str, ...]] = (
        "The code was audited at two second moments, from which it draws: the table enters by these alone.",
    )
    bytes_fault: ClassVar[str | None] = (
        "the rows are drawn from a continuous law in floating point, and nothing is known about their bits"
    )

    @classmethod
    def configure(cls, policy: Policy, records: int | None = None) -> Self:
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
                f"expected {counted(p, 'row')}, one for each private number, got {len(model.covariance)}",
                key="mechanism.covariance",
                file=policy.file,
            )
        with numbers_of(policy):
            reference = ReferenceCovariance(
                np.eye(p) if model.covariance is None else np.array(model.covariance, dtype=float),
                float(model.delta_max),
            )
            made = cls(policy, Compression(int(model.rows), reference), records)
        if records is not None:
            _ = made.guarantee
        return made

    @cached_property
    def guarantee(self) -> CompressionGuarantee:
        """alpha for all pairs of tables in the protected set that differ in one unit of privacy."""
        from ...studies.compression.guarantee import compression_guarantee

        assert self.records is not None  # releasing and calibrating say it first
        # Records in [-1, 1]: each product moves by 2 at most.
        closeness = min(2 * self.policy.rows_of_unit / self.records, 2 * self.compression.reference.delta_max)
        with numbers_of(self.policy):
            return compression_guarantee(self.compression, self.records, closeness, "differential")

    @property
    def _adjacency(self) -> str:
        return (
            f"replace-one {self.policy.unit}, within the protected set: {unit_moved(self.policy)} take any values of the declared domain, and the second moments of both "
            f"tables lie within {self.compression.reference.delta_max:g} of the public reference, entry by entry; the number of records is the same"
        )

    @property
    def cost(self) -> Cost:
        reason = "the guarantee holds between tables of the protected set only, and the release itself reveals that the table lies in it"
        return Cost.none(reason, unit=self.policy.unit)

    @cached_property
    def terms(self) -> Terms:
        r, rows = self.compression.reference, self.compression.rows
        return Terms(
            parameters={
                "rows": rows,
                "reference_covariance": r.covariance.tolist(),
                "delta_max": r.delta_max,
                "window": None if self.records is None else r.window(rows, self.records),
                "scaling": "each declared interval is [-1, 1]",
                "alpha": float(self.guarantee.alpha),
                "random_source": "ChaCha20, keyed by the operating system; normal numbers as doubles",
            },
            columns=made_columns(self.policy, "compressed", "random combinations of all records"),
            guarantees=(self._stated(),),
            adjacency=self._adjacency,
            does_not_mean=(
                "The guarantee is conditional: it compares tables of the protected set only. That the table lies in it is taken as known, and that "
                "it was released tells it to everyone.",
                "The guarantee is about real numbers. The rows are doubles drawn in floating point, and their last bits are not covered.",
                "No released row belongs to a record. Second moments of the table can be estimated from the rows, which is what they are for.",
                "The compressing matrix is not kept; whoever had it could solve for records.",
                "A refusal would reveal that the table lies outside the set: only the releaser sees it.",
            ),
        )

    def _stated(self) -> StatedGuarantee:
        alpha = float(self.guarantee.alpha)
        if not np.isfinite(alpha):
            return StatedGuarantee(
                "none", "no epsilon is finite: the protected set reaches tables with singular second moments"
            )
        sentence = (
            f"{alpha:.6g}-differentially private per {self.policy.unit} under replace-one between tables of the protected set, over the reals; nothing is said about tables "
            "outside of it, nor about the bits of the numbers"
        )
        return StatedGuarantee(PureDP.key, sentence, {"epsilon": alpha})

    @property
    def _scope(self) -> Scope:
        return Scope(self._adjacency, self.guarantee.scope.domain, self.policy.unit)

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        alpha, epsilon = float(self.guarantee.alpha), self.policy.model.limits.epsilon
        limits = Limits(self.policy, self._scope)
        stated = [self._settled("as released", alpha)] if np.isfinite(alpha) else []
        wanted = None if epsilon is None else self._settled("limit of the policy", float(epsilon))
        return (
            *(Decision("epsilon", None, claim) for claim in stated),
            *limits_of_a_row(limits, "compressed"),
            *limits.number("epsilon", alpha, "alpha", slack=0.0, claim=wanted),
            *limits.number("rho", rho_of(alpha), slack=0.0),
        )

    def _settled(self, word: str, epsilon: float) -> SettledClaim:
        title = f"{word}: {PureDP(epsilon).sentence()}"
        claim = replace(self.guarantee.claim(epsilon), subject=self._pair(), scope=self._scope, title=title)
        return SettledClaim(claim, (self.guarantee.evidence(epsilon),))

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
        far = self._pair(
            self._moments()[0] * 9, "compression of neighbours, one record counted as the whole table"
        )
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

    @property
    def schema(self) -> pa.Schema:
        return schema_of([n.name for n in self.policy.numbers])

    def rows(self, records: int | None) -> int:
        return self.compression.rows

    @contextmanager
    def draw(self, table: PolicyTable, bits: Bits) -> Iterator[Drawn]:
        normals: Any = SecureNormals(bits)
        try:
            rows = compress_stream(scaled_blocks(table), self.compression, normals)
        except SpecError:
            raise
        except (NeverAcceptedError, ValueError):
            # The library's message holds a number of the table.
            raise PolicyNotMetError(
                "the table does not lie in the protected set, or no draw was accepted: take a wider set or another public reference"
            ) from None
        yield Drawn(iter([batch_of(rows, self.schema)]), dict, self.records)
