"""What a release costs the units whose data it shows: true statements about it, each in a currency that adds up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from ....symbolic.errors import SpecError
from ....symbolic.privacy.guarantees import ApproxDP, Guarantee, PureDP, RenyiDP, ZeroConcentratedDP
from .amounts import amount, line_of_text

UNITS = ("record", "person")
ADJACENCIES = ("replace-one", "add-or-remove")


@dataclass(frozen=True)
class Information:
    """The Fisher information of a release about one column (or about "record"), in units of `unit` to the power -2."""

    about: str
    value: float
    unit: str

    def __post_init__(self) -> None:
        line_of_text("the column of a Fisher information", self.about)
        line_of_text(f"the unit of {self.about}", self.unit)
        object.__setattr__(self, "value", amount(f"the Fisher information of {self.about}", self.value))


@dataclass(frozen=True)
class Cost:
    """What one release costs one unit of privacy; every statement that is given is true of the same release.

    `epsilon`: pure differential privacy.  `rho`: zero-concentrated, and `renyi`: points (order > 1, epsilon), both of a
    law at most `delta_slack` away in total variation from the law that is drawn from (per unit of privacy, summed over
    its columns); the delta of an approximate zero-concentrated law may be counted in it.  `approximate`: (epsilon,
    delta).  `fisher_information`: per column, with its unit.  `reason`: why no privacy cost is finite.  A budget is a
    cost too, the largest one.  Raises SpecError.
    """

    epsilon: float | None = None
    rho: float | None = None
    delta_slack: float = 0.0
    renyi: tuple[tuple[float, float], ...] = ()
    approximate: tuple[float, float] | None = None
    fisher_information: tuple[Information, ...] = ()
    unit: str = "record"
    adjacency: str = "replace-one"
    reason: str = ""

    def __post_init__(self) -> None:
        _one_of("the unit of privacy", self.unit, UNITS)
        _one_of("the adjacency", self.adjacency, ADJACENCIES)
        for name in ("epsilon", "rho"):
            if getattr(self, name) is not None:
                self._set(name, amount(name, getattr(self, name)))
        self._set("delta_slack", amount("delta_slack", self.delta_slack, below=1.0))
        self._set("renyi", _points(self.renyi))
        if self.approximate is not None:
            epsilon, delta = _pair("approximate", self.approximate)
            self._set("approximate", (amount("epsilon", epsilon), amount("delta", delta, below=1.0)))
        self._set("fisher_information", _informations(self.fisher_information))
        if self.delta_slack and self.rho is None and not self.renyi:
            raise SpecError("delta_slack goes with rho or with Renyi points: give one of them")
        if self.reason:
            line_of_text("the reason", self.reason, 1000)
        if self.reason and self.currencies:
            raise SpecError("a privacy cost and the reason why there is none exclude each other: give one")
        if not (self.reason or self.currencies or self.fisher_information):
            raise SpecError(
                "expected a cost (epsilon, rho, Renyi points, epsilon with delta, Fisher information) or the reason why there is none"
            )

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    @property
    def currencies(self) -> tuple[str, ...]:
        """The currencies of privacy in which this cost is stated."""
        given = {
            PureDP.key: self.epsilon is not None,
            ZeroConcentratedDP.key: self.rho is not None,
            RenyiDP.key: bool(self.renyi),
            ApproxDP.key: self.approximate is not None,
        }
        return tuple(name for name, is_given in given.items() if is_given)

    @classmethod
    def of(cls, guarantee: Guarantee, **more: Any) -> Self:
        """What a guarantee costs, or why it has no cost that adds up."""
        return cls(**guarantee.cost(), **more)

    @classmethod
    def pure(cls, epsilon: float, **more: Any) -> Self:
        """epsilon-differential privacy."""
        return cls(epsilon=epsilon, **more)

    @classmethod
    def zcdp(cls, rho: float, delta_slack: float = 0.0, **more: Any) -> Self:
        """rho-zero-concentrated, of a law at most `delta_slack` away in total variation."""
        return cls(rho=rho, delta_slack=delta_slack, **more)

    @classmethod
    def renyi_points(
        cls, points: Iterable[tuple[float, float]], delta_slack: float = 0.0, **more: Any
    ) -> Self:
        """Renyi divergence of each given order at most the given epsilon."""
        return cls(renyi=tuple(points), delta_slack=delta_slack, **more)

    @classmethod
    def approximate_dp(cls, epsilon: float, delta: float, **more: Any) -> Self:
        """(epsilon, delta)-differential privacy."""
        return cls(approximate=(epsilon, delta), **more)

    @classmethod
    def none(cls, reason: str, **more: Any) -> Self:
        """No finite privacy cost, and why; a Fisher information may be finite all the same."""
        return cls(reason=reason, **more)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON data, without what is not stated."""
        data: dict[str, Any] = {"unit": self.unit, "adjacency": self.adjacency}
        if self.epsilon is not None:
            data["epsilon"] = self.epsilon
        if self.rho is not None:
            data["rho"] = self.rho
        if self.delta_slack:
            data["delta_slack"] = self.delta_slack
        if self.renyi:
            data["renyi"] = [list(point) for point in self.renyi]
        if self.approximate is not None:
            data["approximate"] = list(self.approximate)
        if self.fisher_information:
            data["fisher_information"] = [
                {"about": i.about, "value": i.value, "unit": i.unit} for i in self.fisher_information
            ]
        if self.reason:
            data["reason"] = self.reason
        return data

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The cost that `to_dict` wrote; SpecError if the data are of another form."""
        if not isinstance(data, Mapping) or not set(data) <= set(cls.__dataclass_fields__):
            raise SpecError(
                f"expected a cost with keys among {', '.join(cls.__dataclass_fields__)}, got {data!r:.200}"
            )
        given = dict(data)
        given["fisher_information"] = tuple(
            _information(i) for i in _list("fisher_information", given.get("fisher_information", []))
        )
        given["renyi"] = tuple(_list("renyi", given.get("renyi", [])))
        return cls(**given)


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if value not in allowed:
        raise SpecError(f"{name} must be one of {', '.join(allowed)}, got {value!r:.80}")


def _list(name: str, value: Any) -> list[Any] | tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise SpecError(f"{name} must be a list, got {value!r:.80}")
    return value


def _pair(name: str, value: Any) -> tuple[Any, Any]:
    if not isinstance(value, list | tuple) or len(value) != 2:
        raise SpecError(f"{name} must be a pair of numbers, got {value!r:.80}")
    return value[0], value[1]


def _points(points: Any) -> tuple[tuple[float, float], ...]:
    found = []
    for point in _list("renyi", points):
        order, epsilon = _pair("a Renyi point (order, epsilon)", point)
        order = amount("the order of a Renyi point", order)
        if order <= 1:
            raise SpecError(f"the order of a Renyi point must be above 1, got {order!r}")
        found.append((order, amount(f"the Renyi divergence of order {order:g}", epsilon)))
    if len({order for order, _ in found}) < len(found):
        raise SpecError("expected one Renyi point per order")
    return tuple(sorted(found))


def _information(data: Any) -> Information:
    if not isinstance(data, Mapping) or set(data) != {"about", "value", "unit"}:
        raise SpecError(f"a Fisher information has the keys about, value and unit, got {data!r:.200}")
    return Information(**data)


def _informations(found: Any) -> tuple[Information, ...]:
    parts = _list("fisher_information", found)
    for part in parts:
        if not isinstance(part, Information):
            raise SpecError(f"fisher_information must hold Information(about, value, unit), got {part!r:.80}")
    names = [part.about for part in parts]
    if len(set(names)) < len(names):
        raise SpecError(f"expected one Fisher information per column, got {names}")
    return tuple(sorted(parts, key=lambda part: part.about))
