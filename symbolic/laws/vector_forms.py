"""Vectors of independent parts, normal vectors, counts of categories and shares of a whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import sympy as sp

from ..arrays import Floats
from .form import distinct, free, numbers

Change = Callable[[sp.Expr], sp.Expr]


@dataclass(frozen=True)
class IndependentParts:
    """Parts that do not depend on each other; each is a law of one number, or of a vector with its own columns."""

    parts: tuple[Any, ...]

    @property
    def names(self) -> tuple[str, ...]:
        listed = [p.names if hasattr(p, "form") else (p.variable.name,) for p in self.parts]
        return distinct(name for names in listed for name in names)

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        return ()

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        return free(self.parts)

    @property
    def log_density(self) -> sp.Expr | None:
        return None

    def map(self, change: Change) -> IndependentParts:
        return IndependentParts(tuple(p.map(change) for p in self.parts))

    def log_pdf(self, y: Floats) -> Floats:
        total, at = np.zeros(len(y)), 0
        for part in self.parts:
            if not hasattr(part, "form"):
                total, at = total + part.log_pdf(y[:, at]), at + 1
                continue
            width = part.dimension
            total, at = total + part.log_pdf(y[:, at : at + width]), at + width
        return total

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        return np.column_stack([part.sample(size, rng) for part in self.parts])


@dataclass(frozen=True)
class NormalVector:
    """A normal vector: mean (d, 1) and covariance (d, d)."""

    mean: sp.ImmutableMatrix
    covariance: sp.ImmutableMatrix

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"y{i + 1}" for i in range(len(self.mean)))

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        return ()

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        return free((self.mean, self.covariance))

    @property
    def log_density(self) -> sp.Expr | None:
        return None

    def map(self, change: Change) -> NormalVector:
        return NormalVector(self.mean.applyfunc(change), self.covariance.applyfunc(change))

    def _factor(self) -> tuple[Floats, Floats]:
        mean = numbers(self.mean, "the normal vector")
        covariance = numbers(self.covariance, "the normal vector").reshape(self.covariance.shape)
        try:
            return mean, np.linalg.cholesky(covariance)
        except np.linalg.LinAlgError:
            raise ValueError(f"a covariance is positive definite, got {covariance.tolist()}") from None

    def log_pdf(self, y: Floats) -> Floats:
        from scipy.linalg import solve_triangular

        mean, factor = self._factor()
        z = solve_triangular(factor, (y - mean).T, lower=True)
        constant = np.log(np.diag(factor)).sum() + len(mean) * np.log(2 * np.pi) / 2
        return np.asarray(-(z**2).sum(axis=0) / 2 - constant)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        mean, factor = self._factor()
        return np.asarray(mean + rng.standard_normal((size, len(mean))) @ factor.T)


@dataclass(frozen=True)
class Multinomial:
    """How often each of k categories occurs in a number of trials; the columns are all k counts."""

    trials: int
    probabilities: tuple[sp.Expr, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"n{i + 1}" for i in range(len(self.probabilities)))

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        # The last count is what the others leave.
        return tuple(sp.Symbol(n, real=True) for n in self.names[:-1])

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        return free(self.probabilities)

    @property
    def log_density(self) -> sp.Expr:
        """Up to the multinomial coefficient, which contains no parameter."""
        last = self.trials - sp.Add(*self.variables)
        counts = (*self.variables, last)
        return sp.Add(*(n * sp.log(p) for n, p in zip(counts, self.probabilities, strict=True)))

    def map(self, change: Change) -> Multinomial:
        return Multinomial(self.trials, tuple(change(p) for p in self.probabilities))

    def _numbers(self) -> Floats:
        p = numbers(self.probabilities, "the multinomial law")
        if np.any(p < 0):
            raise ValueError(f"probabilities must be >= 0, got {p.tolist()}")
        return p

    def log_pdf(self, y: Floats) -> Floats:
        from scipy.special import gammaln, xlogy

        p = self._numbers()
        with np.errstate(divide="ignore", invalid="ignore"):
            value = gammaln(self.trials + 1) + (xlogy(y, p) - gammaln(y + 1)).sum(axis=1)
        counts = np.all((y >= 0) & (y == np.floor(y)), axis=1) & (y.sum(axis=1) == self.trials)
        return np.where(counts, value, -np.inf)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        p = self._numbers()
        return rng.multinomial(self.trials, p / p.sum(), size=size).astype(float)


@dataclass(frozen=True)
class Dirichlet:
    """Shares of a whole, with a density as powers of the shares; the columns are all k shares."""

    exponents: tuple[sp.Expr, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"y{i + 1}" for i in range(len(self.exponents)))

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        return tuple(sp.Symbol(n, positive=True) for n in self.names)

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        return free(self.exponents)

    @property
    def log_density(self) -> sp.Expr:
        """With respect to the first k - 1 shares; the last is one less the others, only its logarithm matters."""
        a = self.exponents
        constant = sp.loggamma(sp.Add(*a)) - sp.Add(*(sp.loggamma(e) for e in a))
        return constant + sp.Add(*((e - 1) * sp.log(s) for e, s in zip(a, self.variables, strict=True)))

    def map(self, change: Change) -> Dirichlet:
        return Dirichlet(tuple(change(e) for e in self.exponents))

    def log_pdf(self, y: Floats) -> Floats:
        from scipy.special import gammaln, xlogy

        a = numbers(self.exponents, "the Dirichlet law")
        with np.errstate(divide="ignore", invalid="ignore"):
            value = gammaln(a.sum()) - gammaln(a).sum() + xlogy(a - 1, y).sum(axis=1)
        shares = np.all(y > 0, axis=1) & (np.abs(y.sum(axis=1) - 1) <= 1e-9)
        return np.where(shares, value, -np.inf)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        return np.asarray(rng.dirichlet(numbers(self.exponents, "the Dirichlet law"), size=size))
