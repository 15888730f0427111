"""Noise that leaves one named model, a support vector machine, as it is; protects nothing that this model needs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from ....mechanisms.black_box import BlackBox
from ....mechanisms.dataset_noise.null_space import NullSpaceNoise
from ....mechanisms.family import Family
from ....mechanisms.grid_noise import seeded_bits
from ....mechanisms.learning.svm import SvmProgram, SvmSolution
from ....mechanisms.learning.training_set import TrainingSet
from ....symbolic.arrays import Floats
from ....symbolic.claim import Claim, Scope
from ....symbolic.errors import SpecError
from ....symbolic.predicates import FisherInformation
from ....symbolic.privacy.guarantees import PureDP
from ..ledger.cost import Cost
from ..limits import Decision, Limits
from ..manifest import ErrorFigure, StatedGuarantee
from ..not_met import PolicyNotMetError
from ..policy import Policy
from . import row_wise
from .kind import Drawn, Kind
from .scaled_records import ends, scaled, unscaled
from .secure_normals import SecureNormals
from .terms import Terms, columns_of

if TYPE_CHECKING:
    from ....mechanisms.grid_noise import Bits
    from ..tables import PolicyTable

_TRIED = 12  # records of the declared table under audit
_NAME = "null-space noise on a declared table"
_SOLVED = 1e-6  # largest relative violation of the conditions of the model
NO_PRIVACY = "what the model needs of the table (Omega x) is released without noise, so that neighbours that differ in it are told apart with certainty"
UNIT = "sum over the columns, in squared units of each"
AGAINST = (
    "unbiased adversaries who see the release alone, for the least protected record; someone who knows all other records recovers every record "
    "that the model depends on (its support vectors) without error"
)


@dataclass(frozen=True, eq=False)
class NullSpaceKind(Kind):
    """Normal noise of variance `variance`, in units in which every declared interval is [-1, 1], on {w: Omega w = 0}."""

    policy: Policy
    variance: float

    name: ClassVar[str] = "null-space"
    notes: ClassVar[tuple[str, ...]] = (
        "The error bound follows from the model, which anyone computes from the release itself: it is unchanged by the noise.",
    )
    bytes_fault: ClassVar[str | None] = (
        "the noise is drawn from a continuous law in floating point, and no guarantee is given that could hold for bytes"
    )

    @classmethod
    def configure(cls, policy: Policy, records: int | None = None) -> Self:
        model: Any = policy.model.mechanism
        if model.calibrate:
            raise SpecError(
                "how much of its variance a record keeps depends on the table's own model, which is not looked at before the audit: "
                "give variance; a limit on the error is checked when the model is known",
                key="mechanism.calibrate",
                file=policy.file,
            )
        if len(policy.numbers) < 2:
            raise SpecError(
                "with one private number nothing but no noise leaves the model as it is: expected at least 2",
                key="columns",
                file=policy.file,
            )
        return cls(policy, float(model.variance))

    @cached_property
    def program(self) -> SvmProgram:
        """The named model."""
        model: Any = self.policy.model.mechanism
        return SvmProgram(float(model.rho), float(model.theta))

    @property
    def cost(self) -> Cost:
        return Cost.none(NO_PRIVACY, unit=self.policy.unit)

    @cached_property
    def terms(self) -> Terms:
        laws = (
            {"law": "normal on a null space", "largest_deviation": self.variance**0.5 * width / 2}
            for width in self.policy.widths
        )
        limit = self.policy.model.limits.unbiased_error
        none = f"not differentially private at any epsilon or delta below 1: {NO_PRIVACY}"
        return Terms(
            parameters={
                "variance": self.variance,
                "scaling": "each declared interval is [-1, 1]",
                "model": f"soft-margin support vector machine, rho = {self.program.rho:g}, theta = {self.program.theta:g}, on scaled records",
                "random_source": "ChaCha20, keyed by the operating system; normal numbers as doubles",
            },
            columns=columns_of(self.policy, laws),
            guarantees=(StatedGuarantee("none", none),),
            adjacency=row_wise.adjacency(self.policy),
            does_not_mean=(
                f"No differential privacy of any kind: {NO_PRIVACY}.",
                "Protects nothing in Omega x: the weighted sum of the records that define the model, and the score of every single record, are exact.",
                "Someone who knows all records but one recovers that one exactly if the model depends on it.",
                "The model is unchanged up to rounding of the numbers; any other model or statistic is not.",
                "The error that is stated is a limit of the policy. That this table keeps it was decided on the table without noise, "
                "as was that its model can be fitted: two bits of it.",
                "A biased adversary, or one with side information, may do better than that error: exact scores and the declared domain leave few "
                "consistent records, for integers often a single one.",
                *row_wise.caveats(self.policy),
            ),
            error_bounds=() if limit is None else (ErrorFigure(None, float(limit), UNIT, AGAINST),),
        )

    @cached_property
    def decisions(self) -> tuple[Decision, ...]:
        limits = Limits(self.policy, row_wise.scope(self.policy))
        depends = ": how much noise a record gets depends on the table, so that no figure is published; the model itself is unchanged"
        decisions = [
            *limits.refused(("epsilon", "rho", "information"), f" is set, and {NO_PRIVACY}"),
            *limits.refused(("utility",), depends),
        ]
        everyone = (
            " is about every adversary, and no bound against all of them is known here: exact scores and the declared domain can leave few "
            "records that fit; limits.unbiased_error is what this mechanism can be held to"
        )
        decisions += limits.refused(("error",), everyone)
        if self.policy.model.limits.unbiased_error is None:
            why = "limits.unbiased_error is missing: it is all that this mechanism can be held to"
            decisions.append(Decision("unbiased_error", why))
        return tuple(decisions)

    def _declared(self) -> SvmSolution:
        """The model of a table made from the declared bounds alone: corners, labels in turn."""
        p = len(self.policy.numbers)
        corners = np.array(
            [[1.0 if (i * (j + 2) + i // 2) % 3 else -1.0 for j in range(p)] for i in range(_TRIED)]
        )
        corners += 0.25 * np.cos(np.arange(_TRIED * p)).reshape(_TRIED, p)
        labels = np.where(np.arange(_TRIED) % 2 == 0, 1.0, -1.0)
        return self.program.solve_set(TrainingSet.of(corners, labels))

    def _along(self, variance: float) -> tuple[Family, float]:
        """The release of the declared table as a family along the direction in the null space that moves record 0 the most."""
        solution = self._declared()
        noise = NullSpaceNoise.of(solution, variance)
        unit = np.zeros(noise.shape)
        unit[0, int(np.argmin(np.abs(noise.direction)))] = 1.0
        direction = noise.project(unit)
        size = float((direction**2).sum())

        def sample(t: float, count: int, rng: np.random.Generator) -> Floats:
            normals: Any = SecureNormals(seeded_bits(rng))
            moved = solution.data.features + float(t) * direction
            return np.array([(noise.release(moved, normals) * direction).sum() / size for _ in range(count)])

        centre = float((solution.data.features * direction).sum() / size)

        def log_density(y: Floats, t: float) -> Floats:
            v = self.variance / size
            return np.asarray(
                -((np.asarray(y) - centre - float(t)) ** 2) / (2 * v) - np.log(2 * np.pi * v) / 2
            )

        return Family(sample, log_density, 0.0, location=True, name=_NAME), size / self.variance

    def trials(self) -> tuple[Claim, ...]:
        """The noise under audit along the null space; and that it hides nothing outside of it, as a control that must fall."""
        family, information = self._along(self.variance)
        weaker, _ = self._along(self.variance / 4)
        scope = Scope(
            row_wise.adjacency(self.policy),
            f"a table of {_TRIED} records made from the declared bounds, moved along a direction that the model does not see",
            "record",
        )
        claim = FisherInformation(information)
        solution = self._declared()
        noise = NullSpaceNoise.of(solution, self.variance)
        other = solution.data.features.copy()
        other[0] = -other[0]

        def release(data: Any, count: int, rng: np.random.Generator) -> Floats:
            normals: Any = SecureNormals(seeded_bits(rng))
            # The score x'a of every record is left alone, up to rounding.
            return np.stack([noise.exposed(noise.release(data, normals))[1] for _ in range(count)]).round(6)

        seen = BlackBox(release, (solution.data.features, other), name=f"{_NAME}, what it leaves visible")
        return (
            Claim(
                claim,
                family,
                scope,
                title=f"along a direction that the model does not see: {claim.sentence()}",
            ),
            Claim(
                claim, weaker, scope, expect="falls", title="control: the same with a quarter of the variance"
            ),
            Claim(
                PureDP(5.0),
                seen,
                Scope(row_wise.adjacency(self.policy)),
                expect="falls",
                title="control: 5-differentially private, which this mechanism is not",
            ),
        )

    @contextmanager
    def draw(self, table: PolicyTable, bits: Bits) -> Iterator[Drawn]:
        batches = list(table.batches())
        records = scaled(self.policy, np.concatenate([table.numbers(b) for b in batches]))
        labels = np.concatenate([table.labels(b) for b in batches])
        try:
            solution = self.program.solve_set(TrainingSet.of(records, labels))
            noise = NullSpaceNoise.of(solution, self.variance)
        except ValueError:
            # The library's message may hold what it saw of the table.
            raise PolicyNotMetError(
                "the model cannot be fitted to this table: both labels must occur, and no column may be constant"
            ) from None
        if not solution.certificate.holds(_SOLVED):
            raise PolicyNotMetError(
                "the model was not solved to its optimality conditions: the noise would not leave it unchanged"
            )
        low, high = ends(self.policy)
        least = float(noise.errors(np.diag(((high - low) / 2) ** 2)).min())
        limit = self.policy.model.limits.unbiased_error
        if limit is not None and least < limit:
            raise PolicyNotMetError(
                "under the model of this table the least protected record has an error below limits.unbiased_error: give a larger variance"
            )
        normals: Any = SecureNormals(bits)
        released = unscaled(self.policy, noise.release(records, normals))

        def written() -> Iterator[Any]:
            start = 0
            for batch in batches:
                yield table.released(batch, np.asfortranarray(released[start : start + batch.num_rows]))
                start += batch.num_rows

        yield Drawn(written())
