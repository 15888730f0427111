"""What a claim can say, apart from the privacy guarantees (which have a module of their own)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike, NDArray

from .arrays import is_finite
from .laws.law import Law
from .laws.lawful_at import lawful
from .proof.enclosure import compare
from .proof.symmetric_matrix import SymmetricMatrix
from .proof.truth import Truth
from .stated_formula import StatedFormula

# What says nothing is never green; whoever finds it says it in these words, and why.
TRUE_OF_ALL = "vacuous, true of every subject: "
OVER_NOTHING = "vacuous, it quantifies over nothing: "

Adversary = Literal["unbiased", "informed", "minimax", "bayes", "unbiased everywhere"]
_ADVERSARIES = get_args(Adversary)
Relation = Literal["<=", ">="]


class Predicate(ABC):
    """Something that is true or false of an indexed family of laws."""

    of_neighbours: ClassVar[bool] = False  # whether it is said of all pairs of neighbouring inputs

    @abstractmethod
    def sentence(self) -> str:
        """The predicate in one English sentence."""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The numbers of the predicate as plain JSON data."""

    def misfit(self, entries: int) -> str:
        """Why it cannot be said of inputs with this many entries, "" if it can."""
        return ""

    def vacuous(self) -> str:
        """Why it is true of every subject, so that nothing is said; empty if it is not."""
        return ""


def _keep(predicate: Any, formula: StatedFormula) -> None:
    """The formula in the form in which it is recorded."""
    record = formula.record()
    object.__setattr__(predicate, "formula", formula)
    for name in ("value", "of", "domains"):
        object.__setattr__(predicate, name, record.get(name))


def _for_all(formula: StatedFormula) -> str:
    where = formula.where()
    return f", for all {where}" if where else ""


def _plain(value: Any) -> Any:
    array = np.asarray(value, dtype=float)
    return float(array) if array.ndim == 0 else array.tolist()


@dataclass(frozen=True, eq=False)
class FisherInformation(Predicate):
    """The predicate: the Fisher information at theta equals `value`, a scalar or a (k, k) matrix. An irregular family refutes it.

    `value` may be a formula, or a square of formulas, in the parameters of a law: text such as "4/scale**2", or sympy.
    The claim then covers all their values, inside of `domains` (by name, the two ends of an open interval) and of what their
    symbols were declared to be. `of` names the parameters that it is about, in order; the others are known. Units: one
    over those of theta squared. ValueError for numbers that are no information, and for a formula that cannot be read.

    >>> y, rate = sp.Symbol("y"), sp.Symbol("rate", positive=True)
    >>> waiting = npf.Law.from_density(rate * sp.exp(-rate * y), y, (0, "oo"))
    >>> npf.examine(waiting, npf.Claim(npf.FisherInformation("1/rate**2"), about="law")).verdict
    Verdict.PROVED
    """

    value: Any
    of: Any = None
    domains: Mapping[str, Any] | None = None
    formula: StatedFormula | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        formula = StatedFormula.read(self.value, self.of, self.domains, "value, a Fisher information,")
        if formula is not None:
            _keep(self, formula)
            return
        read = SymmetricMatrix.of("value, a Fisher information,", self.value).values
        if np.linalg.eigvalsh(read)[0] < -1e-12 * float(np.abs(read).max()):
            raise ValueError(
                "a Fisher information matrix has no negative eigenvalue: check the sign of `value`"
            )
        object.__setattr__(self, "value", read if np.ndim(self.value) else float(read[0, 0]))

    def matrix(self) -> NDArray[np.float64]:
        """The claimed information, shape (k, k); ValueError where it is a formula."""
        if self.formula is not None:
            raise ValueError(
                f"{self.formula.said()} is a formula: it has no value before its parameters have"
            )
        return np.atleast_2d(np.asarray(self.value, dtype=float))

    def over(self, formula: StatedFormula) -> FisherInformation:
        """The same, as this formula is said of a law."""
        return FisherInformation(**formula.record())

    def _repr_latex_(self) -> str:
        shown = sp.latex(sp.Matrix(self.matrix())) if self.formula is None else self.formula.latex()
        return f"$I = {shown}$"

    def sentence(self) -> str:
        if self.formula is not None:
            about = f" about {', '.join(self.formula.of)}" if self.formula.of else ""
            return f"the Fisher information{about} is {self.formula.said()}{_for_all(self.formula)}"
        matrix = self.matrix()
        shown = (
            f"{matrix[0, 0]:.6g}"
            if matrix.size == 1
            else f"the given {matrix.shape[0]} x {matrix.shape[0]} matrix"
        )
        return f"the Fisher information at theta is {shown}"

    def parameters(self) -> dict[str, Any]:
        if self.formula is not None:
            return self.formula.record()
        return {"value": _plain(self.value)}


class RecordedPrior(str):
    """The words of a prior as a certificate keeps them; nothing is computed from it."""


@dataclass(frozen=True, eq=False)
class ErrorBound(Predicate):
    """The predicate: no adversary of the named kind has a mean squared error below `value`.

    `value` >= 0 is in squared units of what is estimated. `weight` is a positive definite Pi (d, d): the error is
    (x - xhat)' Pi (x - xhat); None means the identity. Kinds of `adversary` (`against` is another word for it):
    "unbiased" to first order at the true parameter, which is all that the Cramer-Rao inequality uses; "informed" is unbiased and
    knows all other records or entries; "minimax" and "bayes" are unrestricted and need a `domain` (low, high) or a `prior`.
    `value` may be a formula in the parameters of a law, `of` and `domains` as in FisherInformation: a bound for the
    unbiased, of the parameters named, the others being known. "unbiased everywhere" binds those who are right on average at all
    parameters of a law: bounds that compare several parameters hold for them, of irregular laws too. ValueError for anything else.

    >>> noise = npf.GaussianMechanism(sigma=2.0)
    >>> npf.examine(noise, npf.Claim(npf.ErrorBound(4.0, "unbiased"), about="law")).verdict
    Verdict.PROVED
    """

    value: Any
    adversary: Adversary = "unbiased"
    weight: ArrayLike | None = None
    domain: tuple[ArrayLike, ArrayLike] | None = None
    prior: Any = None
    of: Any = None
    domains: Mapping[str, Any] | None = None
    against: InitVar[Adversary | None] = None
    formula: StatedFormula | None = field(init=False, repr=False, default=None)

    def __post_init__(self, against: Adversary | None) -> None:
        if against is not None:
            if self.adversary not in ("unbiased", against):
                raise ValueError(
                    f"against={against!r} and adversary={self.adversary!r} are two words for one thing: give one"
                )
            object.__setattr__(self, "adversary", against)
        formula = StatedFormula.read(self.value, self.of, self.domains, "an error bound")
        if formula is not None:
            self._read(formula)
        elif not is_finite(self.value) or self.value < 0:
            raise ValueError(f"an error bound is a finite number >= 0, got {self.value!r}")
        if self.adversary not in _ADVERSARIES:
            raise ValueError(
                f'adversary must be "unbiased", "informed", "minimax", "bayes" or "unbiased everywhere", got {self.adversary!r}'
            )
        if self.adversary == "minimax" and self.domain is None:
            raise ValueError(
                'adversary="minimax" needs domain=(lower, upper), the set over which the worst case is taken'
            )
        if self.domain is not None:
            lower, upper = (np.asarray(end, dtype=float) for end in self.domain)
            if not np.all(np.isfinite(lower) & np.isfinite(upper) & (lower < upper)):
                raise ValueError("domain=(lower, upper) must be finite with lower < upper in every entry")
        if self.adversary == "bayes" and self.prior is None:
            raise ValueError('adversary="bayes" needs prior=, the law from which the parameter is drawn')
        if self.adversary == "bayes":
            laws = self.prior if isinstance(self.prior, list | tuple) else [self.prior]
            if not laws or not all(
                isinstance(law, Law | RecordedPrior) and getattr(law, "numbers", True) for law in laws
            ):
                raise ValueError(
                    f"prior= must be a law such as laws.normal(0, 1), or one for each entry, got {self.prior!r}"
                )
            for law in laws:
                if isinstance(law, Law):
                    law.ends()
                    lawful(law, {})
        if self.weight is not None:
            read = SymmetricMatrix.positive_definite("weight", self.weight)
            object.__setattr__(self, "weight", read.values)

    def _repr_latex_(self) -> str:
        shown = sp.latex(sp.Float(self.value, 6)) if self.formula is None else self.formula.latex()
        return f"$\\mathrm{{MSE}} \\ge {shown}$"

    def _read(self, formula: StatedFormula) -> None:
        if not formula.scalar:
            raise ValueError("an error bound is one formula, not a matrix: errors are added up with `weight`")
        _keep(self, formula)

    def over(self, formula: StatedFormula) -> ErrorBound:
        """The same, as this formula is said of a law."""
        return ErrorBound(
            **formula.record(),
            adversary=self.adversary,
            weight=self.weight,
            domain=self.domain,
            prior=self.prior,
        )

    def misfit(self, entries: int) -> str:
        sizes = {} if self.weight is None else {"weight": np.shape(self.weight)[0]}
        if self.adversary == "bayes" and isinstance(self.prior, list | tuple):
            sizes["prior"] = len(self.prior)
        for end in self.domain or ():
            sizes["domain"] = entries if np.ndim(end) == 0 else np.size(end)
            if sizes["domain"] != entries:
                break
        wrong = [f"{name} has {size}" for name, size in sizes.items() if size != entries]
        return f"an input has {entries} entries, but {' and '.join(wrong)}" if wrong else ""

    def sentence(self) -> str:
        who = {
            "unbiased": "no unbiased adversary",
            "informed": "no unbiased adversary, not even one who knows all other records,",
            "minimax": "no adversary, in the worst case over the domain,",
            "bayes": "no adversary, on average over the prior,",
            "unbiased everywhere": "no adversary who is unbiased at all parameters",
        }[self.adversary]
        error = "mean squared error" if self.weight is None else "weighted mean squared error"
        if self.formula is not None:
            about = f" of {', '.join(self.formula.of)}" if self.formula.of else ""
            return f"{who} has a {error}{about} below {self.formula.said()}{_for_all(self.formula)}"
        return f"{who} has a {error} below {self.value:.6g}"

    def vacuous(self) -> str:
        if self.formula is not None:
            entry = self.formula.matrix(self.formula.own_symbols)[0, 0]
            low = self.formula.domain(self.formula.own_symbols.values()).inside(entry)
            empty = compare(low, "<=", sp.Integer(0)) is Truth.HOLDS
            return "the formula is nowhere above 0, and no error is: give a bound above 0" if empty else ""
        return "" if self.value > 0 else "no error is below 0, whatever is released: give a bound above 0"

    def parameters(self) -> dict[str, Any]:
        out: dict[str, Any] = {"value": float(self.value)} if self.formula is None else self.formula.record()
        out["adversary"] = self.adversary
        if self.weight is not None:
            out["weight"] = _plain(self.weight)
        if self.domain is not None:
            out["domain"] = [_plain(self.domain[0]), _plain(self.domain[1])]
        if self.prior is not None:
            out["prior"] = str(self.prior)
        return out


@dataclass(frozen=True)
class Limit(Predicate):
    """A quantity of the release stays on its side of a number."""

    quantity: str
    relation: Relation
    value: float
    unit: str = ""

    def sentence(self) -> str:
        side = "at most" if self.relation == "<=" else "at least"
        return f"{self.quantity} is {side} {self.value:.6g}{f' {self.unit}' if self.unit else ''}"

    def parameters(self) -> dict[str, Any]:
        return {"quantity": self.quantity, "relation": self.relation, "value": self.value, "unit": self.unit}
