"""A parametric family at one parameter value, for claims about information and estimation error."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Self

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..symbolic.arrays import Floats
from ..symbolic.information.fisher import Information, fisher_information
from ..symbolic.information.of_model import fisher_information as of_model
from ..symbolic.laws.law import Law
from ..symbolic.laws.lawful_at import lawful
from ..symbolic.parameter_domain import ends_of
from ..symbolic.proof.enclosure import is_zero, rational
from ..symbolic.proof.truth import Truth
from .mechanism import Subject


class Family(Subject):
    """A parametric family given as code: `sample(theta, size, rng)` and `log_density(y, theta)`, looked at near `theta`.

    Either may be None, not both (ValueError). `theta` is a number or an array (k,), `name` is printed. `Family.of_law` makes
    both from a symbolic law, about which claims can be proved. `location=True` declares y = theta + noise with noise free of
    theta, so that information is the same everywhere and events over an interval of theta speak about every theta.

    >>> y, rate = sp.Symbol("y"), sp.Symbol("rate", positive=True)
    >>> waiting = npf.Law.from_density(rate * sp.exp(-rate * y), y, (0, "oo"))
    >>> npf.Family.of_law(waiting, [rate], theta=2.0).information().value
    Matrix([[1/4]])
    """

    def __init__(
        self,
        sample: Callable[..., Any] | None,
        log_density: Callable[..., Any] | None,
        theta: ArrayLike,
        *,
        location: bool = False,
        name: str = "family",
    ) -> None:
        if sample is None and log_density is None:
            raise ValueError("a Family needs sample(theta, size, rng), log_density(y, theta), or both")
        self._sample, self._log_density = sample, log_density
        self.scalar = np.ndim(theta) == 0
        self.theta = np.atleast_1d(np.asarray(theta, dtype=float))
        if self.theta.ndim != 1 or not np.all(np.isfinite(self.theta)):
            raise ValueError("theta must be a finite number or a list of finite numbers")
        self.dimension, self.location, self.name = self.theta.size, location, name
        self.summary = "a parametric family"
        self.domains: dict[str, tuple[sp.Expr, sp.Expr]] = {}
        self.exact: tuple[Law, tuple[sp.Symbol, ...]] | None = None

    @classmethod
    def of_law(
        cls,
        law: Law,
        parameters: Sequence[sp.Symbol],
        theta: ArrayLike,
        *,
        location: bool = False,
        sample: Callable[..., Any] | None = None,
        domains: Mapping[str, Any] | None = None,
    ) -> Self:
        """The family of a law with free `parameters`, at `theta` (numbers in the same order); ValueError if it is no law there.

        `sample(theta, size, rng)` is code that is meant to follow the law, in place of the law's own sampler; `domains` are open
        intervals of parameters, by name, of which a claim that says none speaks.
        """
        known = {s.name: s for s in law.free_symbols}
        symbols = tuple(known.get(getattr(p, "name", p), p) for p in parameters)
        given = np.atleast_1d(np.asarray(theta, dtype=float)).tolist()
        if len(given) != len(symbols) or len(set(symbols)) != len(symbols):
            raise ValueError(
                f"theta needs one number for each of the parameters {', '.join(map(str, symbols))}, got {len(given)}"
            )
        left = sorted(str(s) for s in law.free_symbols.difference(symbols))
        strange = sorted(str(s) for s in symbols if s not in law.free_symbols)
        if strange or not symbols:
            raise ValueError(f"the law {law.name} does not depend on its parameters {', '.join(strange)}")
        if left:
            raise ValueError(
                f"the law {law.name} leaves {', '.join(left)} free: fix them with at(...), or name them as parameters"
            )
        lawful(law, dict(zip(symbols, given, strict=True)))
        if location:
            _require_shift(law, symbols)

        @lru_cache(maxsize=64)
        def at(value: tuple[float, ...]) -> Law:
            return law.at(dict(zip(symbols, value, strict=True)))

        family = cls(
            sample
            if sample is not None
            else lambda value, size, rng: at(tuple(np.atleast_1d(value).tolist())).sample(size, rng),
            lambda y, value: at(tuple(np.atleast_1d(value).tolist())).log_pdf(y),
            theta,
            location=location,
            name=law.name,
        )
        family.exact = (law, symbols)
        own = {s.name: (a, b) for s, a, b in law.domains if a.is_number and b.is_number}
        family.domains = own | {
            str(getattr(k, "name", k)): ends_of(tuple(v), str(k)) for k, v in (domains or {}).items()
        }
        return family

    def information(self) -> Information:
        """The exact Fisher information at theta, for a family made from a law."""
        if self.exact is None:
            raise TypeError("the law of this family is not known symbolically")
        law, symbols = self.exact
        values = {s: rational(float(v)) for s, v in zip(symbols, self.theta, strict=True)}
        known = fisher_information(law, symbols, values)
        if known.value is not None and known.value.has(sp.Integral, sp.Sum):
            # The routes of a model of one's own know more than integrals do.
            model = of_model(law, list(symbols))
            if model.value is not None and model.regular is Truth.HOLDS:
                value = sp.ImmutableMatrix(model.value.subs(values))
                return Information(value, None, Truth.HOLDS, model.reason, model.derivation)
        if known.value is None:
            return known
        return replace(known, value=sp.ImmutableMatrix(known.value.subs(values)))

    def input_entries(self) -> int:
        return self.theta.size

    @property
    def has_density(self) -> bool:
        return self._log_density is not None

    def pdf(self, y: Floats, theta: Floats) -> Floats:
        """The density of scalar outcomes y (n,) at a parameter vector."""
        with np.errstate(all="ignore"):
            log_density = self._asked(y, self.index(theta)).reshape(len(y))
            return np.asarray(np.nan_to_num(np.exp(log_density), nan=0.0), dtype=float)

    def index(self, theta: Floats) -> Any:
        """A parameter vector in the form in which the user's functions expect it."""
        return float(theta[0]) if self.scalar else theta

    def parameters(self) -> dict[str, Any]:
        return {"theta": float(self.theta[0]) if self.scalar else self.theta.tolist()}

    @property
    def can_sample(self) -> bool:
        return self._sample is not None

    def sample(self, index: Any, size: int, rng: np.random.Generator) -> Any:
        if self._sample is None:
            raise TypeError("this family has no sampler")
        return self._sample(index, size, rng)

    def log_density(self, y: Floats, index: Any) -> Floats | None:
        return None if self._log_density is None else self._asked(y, index)

    @np.errstate(all="ignore")
    def _asked(self, y: Floats, index: Any) -> Floats:
        """What the user's function says of y, which is asked for far beyond where outcomes lie; ValueError if it raises."""
        if self._log_density is None:
            raise TypeError("this family has no density")
        try:
            return np.asarray(self._log_density(y, index), dtype=float)
        except Exception as error:
            raise ValueError(
                f"{self.name}: log_density(y, theta) fails on an array y of shape {y.shape} with {type(error).__name__} ({error}); "
                "expected one number for each outcome, and y[:, 0] where an outcome is an array"
            ) from error


def _require_shift(law: Law, symbols: Sequence[sp.Symbol]) -> None:
    """ValueError if another value of the one symbol certainly does not give the same density, shifted."""
    if law.discrete or len(symbols) != 1:
        raise ValueError(f"location=True is for one parameter that shifts a density, got {law.name}")
    (symbol,) = symbols
    other = sp.Dummy(symbol.name, **symbol.assumptions0)
    shifted, there = law.shift(other - symbol), law.map(lambda e: e.xreplace({symbol: other}))
    ends = [a - b for a, b in zip(shifted.support, there.support, strict=True) if a.is_finite]
    if any(is_zero(gap) is Truth.FAILS for gap in (shifted.density - there.density, *ends)):
        raise ValueError(f"location=True, but {symbol} does more to the law {law.name} than shift it")
