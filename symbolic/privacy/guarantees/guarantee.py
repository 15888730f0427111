"""A privacy guarantee is a whole privacy curve (for refutation) and a question to an exact pair (for proof)."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Mapping
from math import isclose, log
from typing import Any, ClassVar, Self, TypeVar

import sympy as sp
from numpy.typing import ArrayLike

from ...arrays import Floats, is_finite
from ...predicates import Predicate
from ...proof.derivation import Derivation, Step
from ...proof.enclosure import is_zero, rational, sign
from ...proof.reading import READING, allowance, in_words, most
from ...proof.truth import Truth
from ..pair import GaussianPair, Pair

Curve = Callable[[ArrayLike], Floats]
G = TypeVar("G", bound="type[Guarantee]")

READ = "the claim's number is read with a tolerance of half a unit in its last digit, at most 1e-12 relative"
_ONE = sp.Integer(1)
_MOST = 300 * log(10)  # the loss of an event of probability 1 on one input and 1e-300 on the other
_CLOSE = 1e-9  # relative: between a number of a claim and the same in a witness


class Guarantee(Predicate):
    """The base class of privacy guarantees: for every epsilon >= 0 the delta that is allowed between neighbours, in both orders.

    A new one is a frozen dataclass of numbers with a `key`, under `@register`: specs, witnesses, manifests and ledgers
    then know it, and records name it by its class. `implies(other)` is a Truth; of it `HOLDS` and `FAILS` are proved.

    >>> isinstance(npf.PureDP(1.0), npf.Guarantee), npf.PureDP(1.0).implies(npf.ApproxDP(1.0, 1e-6)).name
    (True, 'HOLDS')
    """

    key: ClassVar[str]  # its name in manifests and ledgers
    spec_key: ClassVar[str]  # its name in specs; `key` if left out
    currency: ClassVar[str] = ""  # what a ledger counts if its budget is of this kind, in words
    # Where a number grows as the claim gets weaker (1, if not said), shrinks (-1), or is no bound (0).
    weaker: ClassVar[Mapping[str, int]] = {}
    rounding: ClassVar[float] = 0.0  # absolute, of the curve in floating point
    of_neighbours: ClassVar[bool] = True
    by_profile: ClassVar[bool] = False  # whether `inequality` evaluates the profile of the pair

    @abstractmethod
    def curve(self) -> Curve:
        """delta(epsilon), non-increasing: every pair that satisfies the guarantee lies below it."""

    @abstractmethod
    def inequality(self, pair: Pair) -> Step:
        """The one comparison that decides the guarantee on an exact pair."""

    @abstractmethod
    def tightened(self, factor: float) -> Self:
        """The same kind of guarantee, stricter by `factor` >= 1 (epsilon or mu divided by it)."""

    def allowed_loss(self) -> float:
        """A loss such that every release whose privacy losses are no larger satisfies it; 0 if none is known."""
        return 0.0

    def vacuous(self) -> str:
        if self.allowed_loss() < _MOST:
            return ""
        return "it allows an outcome to be 1e300 times likelier on one input than on the other, as good as everything"

    def at_half_noise(self) -> Guarantee:
        """What a release has that was given half of the noise that this guarantee needs."""
        return self.tightened(0.5)

    def point(self) -> tuple[float, float] | None:
        """(epsilon, delta) if this one point says it all; None if the whole curve does."""
        return None

    def knots(self) -> tuple[float, ...]:
        """Epsilons at which the curve has a corner and attacks look first."""
        point = self.point()
        return () if point is None else point[:1]

    def attained_pair(self) -> Pair | None:
        """The pair exactly at the guarantee, as easy to tell apart as it allows; None if none is known.

        The outcomes of a discrete one are in the order of their privacy loss.
        """
        return None

    def implies(self, other: Guarantee) -> Truth:
        """HOLDS or FAILS where the numbers alone show it, UNKNOWN otherwise."""
        if type(self) is not type(other):
            return Truth.UNKNOWN
        pairs = ((getattr(self, n), getattr(other, n), side) for n, side in self.stated_numbers().items())
        return follows(
            all(
                own <= theirs if side > 0 else own >= theirs if side else own == theirs
                for own, theirs, side in pairs
            )
        )

    def cost(self) -> dict[str, Any]:
        """What it costs, in the fields of a ledger's `Cost`; the reason if nothing of it adds up over releases."""
        return {"reason": f"{self.sentence()}: no number of this guarantee adds up over releases"}

    def read_up(self) -> tuple[str, ...]:
        """The numbers of which the rounding of their digits is allowed in a proof."""
        return tuple(name for name, side in self.stated_numbers().items() if side > 0)

    def as_proved(self) -> str:
        """What a proof says of the numbers of the claim: up to which of them, allowance included."""
        numbers = vars(self)
        return " and ".join(
            f"{name} at most {in_words(numbers[name])}" for name in self.read_up() if numbers[name]
        )

    def compared_with(self) -> tuple[float, ...]:
        """The numbers that `inequality` may have on its right."""
        return tuple(self.parameters().values())

    def compares_with(self, right: float) -> bool:
        """Whether `inequality` may have this number on its right."""
        return any(isclose(right, x, rel_tol=_CLOSE, abs_tol=self.rounding) for x in self.compared_with())

    def stated_by(self, left: float, right: float) -> tuple[str, float, float] | None:
        """Which of its numbers the sides of `inequality` compare, as claimed and as found; None if points of a curve."""
        said = self.parameters()
        for name, value in reversed(said.items()):
            if isclose(right, value, rel_tol=_CLOSE):
                others = ", ".join(f"{n} = {v:g}" for n, v in said.items() if n != name)
                return f"{name} at {others}" if others else name, value, left
        return None

    def allows_at(self, epsilon: float, delta: float) -> bool:
        """Whether its delta at epsilon is this one."""
        return isclose(delta, float(self.curve()(epsilon)), rel_tol=_CLOSE, abs_tol=self.rounding)

    def prove(self, pair: Pair) -> Derivation:
        """The steps of the pair's profile and the deciding comparison."""
        return Derivation(self.sentence(), (*pair.steps(), self.inequality(pair)), pair_lemmas(pair))

    def holds(self, pair: Pair) -> Truth:
        """HOLDS or FAILS for this exact pair, UNKNOWN if no rigorous comparison is available."""
        return self.inequality(pair).check()

    def parameters(self) -> dict[str, Any]:
        return {k: float(v) for k, v in vars(self).items()}

    def relaxed(self, share: float) -> Self:
        """With its numbers weaker by this share of them, those that are read as they are excepted."""
        sides = self.stated_numbers()
        return self.stating({name: value * (1 + sides[name] * share) for name, value in vars(self).items()})

    @classmethod
    def stated_numbers(cls) -> dict[str, int]:
        """The numbers that state it, by name, and where each goes as the claim gets weaker: up (1), down (-1), nowhere (0)."""
        fields = dataclasses.fields(cls)  # type: ignore[arg-type]
        return {field.name: cls.weaker.get(field.name, 1) for field in fields}

    @classmethod
    def stating(cls, said: Mapping[str, float]) -> Self:
        """As somebody states it, in numbers that may promise nothing: to be compared, not to be audited."""
        made = object.__new__(cls)
        for name, value in said.items():
            object.__setattr__(made, name, value)
        return made


# By the name under which claims and witnesses are recorded.
GUARANTEES: dict[str, type[Guarantee]] = {}


def register(kind: G) -> G:
    """Makes a guarantee known; ValueError if one of its names is taken by another."""
    if "spec_key" not in vars(kind):
        kind.spec_key = kind.key
    for other in GUARANTEES.values():
        same = (other.__module__, other.__qualname__) == (kind.__module__, kind.__qualname__)
        if not same and (
            other.__name__ == kind.__name__ or other.key == kind.key or other.spec_key == kind.spec_key
        ):
            raise ValueError(
                f"{kind.__name__} ({kind.key!r}, {kind.spec_key!r} in specs): a name is taken by {other.__module__}.{other.__name__}"
            )
    GUARANTEES[kind.__name__] = kind
    return kind


def by_key() -> dict[str, type[Guarantee]]:
    """Every guarantee that is known, by its name in manifests and ledgers."""
    return {kind.key: kind for kind in GUARANTEES.values()}


def follows(shown: bool, otherwise: Truth = Truth.UNKNOWN) -> Truth:
    """HOLDS if it is shown."""
    return Truth.HOLDS if shown else otherwise


def at_most(left: sp.Expr, right: sp.Expr) -> Truth:
    """Whether left <= right between two exact constants, by enclosure."""
    if left is sp.oo:
        return Truth.FAILS
    s = sign(left - right)
    if s is None:
        return Truth.HOLDS if is_zero(left - right) is Truth.HOLDS else Truth.UNKNOWN
    return Truth.HOLDS if s <= 0 else Truth.FAILS


def loosened(value: float) -> sp.Expr:
    """An upper bound as it is read: with the rounding of its digits."""
    return rational(value) + allowance(value)


def loosest(value: float) -> sp.Expr:
    """An upper bound beyond which a claim is refuted."""
    return rational(value) * (1 + READING)


def deciding_step(left: sp.Expr, right: sp.Expr, reason: str) -> Step:
    """A comparison with what the claim's numbers say exactly, settled by enclosure."""
    return Step(left, "<=", right, reason, how=at_most)


def claimed_step(left: sp.Expr, value: float, reason: str, times: sp.Expr = _ONE) -> Step:
    """A comparison with a number of the claim, `times` another: it holds up to the rounding of the number's digits.

    Beyond that nothing is proved, and within 1e-12 of it nothing refuted.
    """

    def how(one: sp.Expr, other: sp.Expr) -> Truth:
        return graded(at_most(one, other), lambda: at_most(one, loosest(value) * times))

    return Step(left, "<=", most(value, times), f"{reason} ({READ})", how=how)


def graded(strict: Truth, loose: Callable[[], Truth]) -> Truth:
    """The answer to the comparison with a number as it is read; FAILS only where the one with 1e-12 more of it does, too."""
    return strict if strict is not Truth.FAILS or loose() is Truth.FAILS else Truth.UNKNOWN


def unsettled(_left: sp.Expr, _right: sp.Expr) -> Truth:
    """What is said of a comparison that no constant decides."""
    return Truth.UNKNOWN


def positive(name: str, value: float, hint: str = "") -> None:
    """Raise ValueError unless `value` is a finite number above zero."""
    if not (is_finite(value) and value > 0):
        raise ValueError(f"{name} must be a finite number > 0, got {value!r}{hint}")


def pair_lemmas(pair: Pair) -> tuple[str, ...]:
    """The facts that a pair's closed form takes from the literature."""
    first = ("Neyman-Pearson: sup_E P(E) - e^epsilon Q(E) is attained on {log p/q > epsilon}",)
    if isinstance(pair, GaussianPair):
        return (*first, "a linear bijection of the outcome leaves every hockey-stick divergence unchanged")
    return first
