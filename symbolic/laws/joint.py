"""Laws of vectors, written as a user knows them: independent parts, normal vectors, counts of categories, shares of a whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sympy as sp

from .law import Law, exact


@dataclass(frozen=True)
class JointLaw:
    """A law of several numbers, made by one of its constructors.

    `log_density` is of the `variables`, up to what contains no parameter; `parts` are independent laws; `mean` (d, 1) and
    `covariance` (d, d) are those of a normal vector.
    """

    name: str
    variables: tuple[sp.Symbol, ...] = ()
    log_density: sp.Expr | None = None
    parts: tuple[Law | JointLaw, ...] = ()
    mean: sp.ImmutableMatrix | None = None
    covariance: sp.ImmutableMatrix | None = None

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        """The parameters that are still symbols."""
        formulas = [f for f in (self.log_density, self.mean, self.covariance) if f is not None]
        free: set[sp.Symbol] = set().union(
            *(f.free_symbols for f in formulas), *(p.free_symbols for p in self.parts)
        )
        return free - set(self.variables)

    @classmethod
    def independent(cls, *laws: Law | JointLaw) -> JointLaw:
        """Parts that do not depend on each other, each with its own law."""
        wrong = [type(law).__name__ for law in laws if not isinstance(law, Law | JointLaw)]
        if wrong or not laws:
            raise ValueError(f"expected one or several laws, got {', '.join(wrong) or 'none'}")
        return cls(f"{len(laws)} independent laws", parts=tuple(laws))

    @classmethod
    def normal(cls, mean: Sequence[Any], covariance: Sequence[Sequence[Any]]) -> JointLaw:
        """A normal vector; ValueError for a covariance that is not symmetric, or numbers that are not positive definite."""
        m = sp.ImmutableMatrix([_real(e, "mean") for e in mean])
        c = sp.ImmutableMatrix([[_real(e, "covariance") for e in row] for row in _rows(covariance)])
        if c.shape != (len(m), len(m)):
            raise ValueError(
                f"expected a {len(m)} x {len(m)} covariance for a mean of {len(m)}, got {c.shape}"
            )
        if not c.is_symmetric():
            raise ValueError(f"a covariance is symmetric, got {c.tolist()}")
        if not c.free_symbols and not c.is_positive_definite:
            raise ValueError(f"a covariance is positive definite, got {c.tolist()}")
        return cls("normal vector", mean=m, covariance=c)

    @classmethod
    def multinomial(cls, trials: int, probabilities: Sequence[Any]) -> JointLaw:
        """How often each category occurs in so many trials; the probabilities add up to one."""
        if isinstance(trials, bool) or not isinstance(trials, int) or trials < 1:
            raise ValueError(f"trials must be a whole number of at least 1, got {trials!r}")
        p = [_real(e, "probability") for e in probabilities]
        if len(p) < 2 or sp.simplify(sp.Add(*p) - 1) != 0:
            raise ValueError(f"probabilities of two or more categories must add up to 1, got {sp.Add(*p)}")
        counts = sp.symbols(f"n1:{len(p)}", real=True)
        last = trials - sp.Add(*counts)
        log = sp.Add(*(n * sp.log(q) for n, q in zip(counts, p, strict=False)), last * sp.log(p[-1]))
        return cls("multinomial", tuple(counts), log)

    @classmethod
    def dirichlet(cls, exponents: Sequence[Any]) -> JointLaw:
        """Shares of a whole with the density of y1^(a1 - 1) ... yk^(ak - 1)."""
        a = [exact(e, "exponent") for e in exponents]
        if len(a) < 2 or any(e.is_positive is not True for e in a):
            raise ValueError(
                f"expected two or more exponents known to be positive, got {[str(e) for e in a]}"
            )
        # The last share is one less the others; only its logarithm matters here.
        shares = sp.symbols(f"y1:{len(a) + 1}", positive=True)
        log = sp.loggamma(sp.Add(*a)) - sp.Add(*(sp.loggamma(e) for e in a))
        return cls(
            "Dirichlet",
            tuple(shares),
            log + sp.Add(*((e - 1) * sp.log(s) for e, s in zip(a, shares, strict=True))),
        )


def _real(value: Any, what: str) -> sp.Expr:
    """A number as it was written, or a formula of real symbols, which may have poles where the parameters do not go."""
    symbols = value.free_symbols if isinstance(value, sp.Expr) else set()
    if not symbols or any(s.is_real is not True for s in symbols):
        return exact(value, what)
    return value


def _rows(covariance: Any) -> Sequence[Sequence[Any]]:
    rows = covariance.tolist() if hasattr(covariance, "tolist") else covariance
    if not isinstance(rows, Sequence) or not all(isinstance(r, Sequence) for r in rows):
        raise ValueError(f"expected a covariance as rows of numbers, got {covariance!r}")
    return rows
