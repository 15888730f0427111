"""Laws of vectors, written as a user knows them: independent parts, normal vectors, counts, shares, chains, regressions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy as sp
from numpy.typing import ArrayLike

from ..arrays import Floats
from .chain import Chain, MarkovChain
from .domains import Domains
from .form import Form, meaning
from .given import read_domains
from .law import Law, admitted, exact
from .regression import Regression, of_statsmodels
from .vector_forms import Dirichlet, IndependentParts, Multinomial, NormalVector


@dataclass(frozen=True)
class JointLaw:
    """A law of several numbers, made by one of its constructors, such as `normal(mean, covariance)`; ValueError for what is no law.

    `names` are those of the columns. `form` says what it is made of; `domains` are intervals that parameters lie in.
    `log_density` is of the `variables`, up to what contains no parameter; `parts` are independent laws; `mean` (d, 1) and
    `covariance` (d, d) are those of a normal vector. Points and samples have the shape (size, dimension).

    >>> mu, sigma = sp.Symbol("mu", real=True), sp.Symbol("sigma", positive=True)
    >>> pair = npf.JointLaw.normal([mu, 2 * mu], [[sigma**2, 0], [0, sigma**2]])
    >>> pair.dimension, npf.fisher_information(pair, mu).scalar
    (2, 5/sigma**2)
    """

    name: str
    form: Form
    domains: Domains = field(default=(), compare=False, repr=False)
    notes: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __post_init__(self) -> None:
        seen: dict[str, sp.Symbol] = {}
        for symbol in sorted(self.free_symbols, key=str):
            if symbol.name in seen:
                raise ValueError(
                    f"two symbols of the {self.name} are called {symbol.name}: declare them alike, or give them different names"
                )
            seen[symbol.name] = symbol

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self.form.names

    @property
    def dimension(self) -> int:
        """How many numbers one outcome has."""
        return len(self.form.names)

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        """The symbols of `log_density`; empty where there is none."""
        return self.form.variables

    @property
    def log_density(self) -> sp.Expr | None:
        """The logarithm of the density as a formula, up to what contains no parameter; None where the parts say more."""
        return self.form.log_density

    @property
    def parts(self) -> tuple[Law | JointLaw, ...]:
        """The independent laws that it consists of, if it was made of such."""
        return self.form.parts if isinstance(self.form, IndependentParts | Regression) else ()

    @property
    def mean(self) -> sp.ImmutableMatrix | None:
        """The mean (d, 1) of a normal vector."""
        return self.form.mean if isinstance(self.form, NormalVector) else None

    @property
    def covariance(self) -> sp.ImmutableMatrix | None:
        """The covariance (d, d) of a normal vector."""
        return self.form.covariance if isinstance(self.form, NormalVector) else None

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        """The parameters that are still symbols."""
        return self.form.free_symbols

    def at(self, values: Mapping[Any, Any]) -> JointLaw:
        """The law with the parameters in `values`, symbols or their names, replaced by numbers or other expressions."""
        known = {s.name: s for s in self.free_symbols}
        named = {getattr(s, "name", s): v for s, v in values.items()}
        if strange := sorted(str(n) for n in named if n not in known):
            raise ValueError(
                f"{', '.join(strange)}: no parameter of the {self.name}; expected {', '.join(sorted(known)) or 'none'}"
                + meaning(strange, self.notes)
            )
        fixed = admitted({known[n]: v for n, v in named.items()})
        return self.map(lambda e: e.subs(fixed))

    def map(self, change: Callable[[sp.Expr], sp.Expr]) -> JointLaw:
        """The law with every one of its formulas changed in the same way."""
        domains = tuple((s, change(a), change(b)) for s, a, b in self.domains if change(s) == s)
        return replace(self, form=self.form.map(change), domains=domains)

    def log_pdf(self, y: ArrayLike) -> Floats:
        """The log density, or log mass, at the rows of `y` (size, dimension): shape (size,); -inf off the support."""
        rows = np.asarray(y, dtype=float)
        rows = rows[None, :] if rows.ndim == 1 and len(rows) == self.dimension else rows
        if rows.ndim != 2 or rows.shape[1] != self.dimension:
            raise ValueError(
                f"expected rows of {self.dimension} numbers ({', '.join(self.names)}), got the shape {np.shape(y)}"
            )
        return self.form.log_pdf(rows)

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        """So many independent outcomes, shape (size, dimension)."""
        if isinstance(size, bool) or not isinstance(size, int | np.integer) or size < 0:
            raise ValueError(f"size must be a whole number of at least 0, got {size!r}")
        if not isinstance(rng, np.random.Generator):
            raise TypeError(f"rng must be a numpy.random.Generator, got {type(rng).__name__}")
        return self.form.sample(int(size), rng)

    @classmethod
    def independent(cls, *laws: Law | JointLaw) -> JointLaw:
        """Parts that do not depend on each other, each with its own law."""
        wrong = [type(law).__name__ for law in laws if not isinstance(law, Law | JointLaw)]
        if wrong or not laws:
            raise ValueError(f"expected one or several laws, got {', '.join(wrong) or 'none'}")
        notes = dict.fromkeys(n for law in laws for n in law.notes)
        domains = dict.fromkeys(d for law in laws for d in law.domains)
        return cls(
            f"{len(laws)} independent laws", IndependentParts(tuple(laws)), tuple(domains), tuple(notes)
        )

    @classmethod
    def chain(cls, first: Law, *others: Law) -> JointLaw:
        """Each number given those before it: a symbol with the name of a variable before stands for its value.

        ValueError where two laws have the same variable, or a law contains a variable that comes only later.
        """
        laws = (first, *others)
        wrong = [type(law).__name__ for law in laws if not isinstance(law, Law)]
        if wrong:
            raise ValueError(f"expected laws of single numbers, got {', '.join(wrong)}")
        names = [law.variable.name for law in laws]
        if len(set(names)) < len(names):
            raise ValueError(f"each law of a chain needs a variable of its own, got {', '.join(names)}")
        for k, law in enumerate(laws):
            late = sorted({s.name for s in law.free_symbols} & set(names[k:]))
            if late:
                raise ValueError(f"{law.name} contains {', '.join(late)}, which no law before it is of")
            for s in law.free_symbols:
                if s.name in names[:k]:
                    _require_values(laws[names.index(s.name)], s, law)
        notes = dict.fromkeys(n for law in laws for n in law.notes)
        domains = dict.fromkeys(d for law in laws for d in law.domains)
        return cls(f"chain of {len(laws)} laws", Chain(laws), tuple(domains), tuple(notes))

    @classmethod
    def markov(
        cls,
        initial: Sequence[Any],
        transition: Sequence[Sequence[Any]],
        length: int,
        domains: Mapping[Any, Sequence[Any]] | None = None,
    ) -> JointLaw:
        """A Markov chain on the states 0, ..., k - 1, observed `length` times; rows of `transition` (k, k) add up to one.

        `domains={"p": (0, 1)}` says where parameters lie, so that no probability is negative.
        """
        _whole(length, "length")
        first = _probabilities(initial, "initial")
        rows = [
            _probabilities(row, f"row {i} of transition")
            for i, row in enumerate(_rows(transition, "transition"))
        ]
        if len(rows) != len(first) or any(len(row) != len(first) for row in rows):
            raise ValueError(
                f"expected a {len(first)} x {len(first)} transition matrix for {len(first)} states,"
                f" got {len(rows)} rows of {sorted({len(r) for r in rows})}"
            )
        form = MarkovChain(tuple(first), sp.ImmutableMatrix(rows), length)
        return cls("Markov chain", form, read_domains("the Markov chain", form.free_symbols, domains or {}))

    @classmethod
    def normal(
        cls,
        mean: Sequence[Any],
        covariance: Sequence[Sequence[Any]],
        domains: Mapping[Any, Sequence[Any]] | None = None,
    ) -> JointLaw:
        """A normal vector; ValueError for a covariance that is not symmetric, or numbers that are not positive definite.

        `domains={"rho": (-1, 1)}` says where parameters lie, so that the covariance is positive definite for all of them.
        """
        m = sp.ImmutableMatrix([_real(e, "mean") for e in mean])
        c = sp.ImmutableMatrix(
            [[_real(e, "covariance") for e in row] for row in _rows(covariance, "covariance")]
        )
        if c.shape != (len(m), len(m)):
            raise ValueError(
                f"expected a {len(m)} x {len(m)} covariance for a mean of {len(m)}, got {c.shape}"
            )
        if not c.is_symmetric():
            raise ValueError(f"a covariance is symmetric, got {c.tolist()}")
        if not c.free_symbols and not c.is_positive_definite:
            raise ValueError(f"a covariance is positive definite, got {c.tolist()}")
        form = NormalVector(m, c)
        return cls("normal vector", form, read_domains("the normal vector", form.free_symbols, domains or {}))

    @classmethod
    def multinomial(
        cls, trials: int, probabilities: Sequence[Any], domains: Mapping[Any, Sequence[Any]] | None = None
    ) -> JointLaw:
        """How often each category occurs in so many trials; the probabilities add up to one (floats to 1e-9: they are divided by their sum).

        `domains={"p": (0, 1)}` says where parameters lie, so that every probability is positive for all of them.
        """
        _whole(trials, "trials")
        form = Multinomial(int(trials), _probabilities(probabilities, ""))
        return cls("multinomial", form, read_domains("the multinomial law", form.free_symbols, domains or {}))

    @classmethod
    def dirichlet(cls, exponents: Sequence[Any]) -> JointLaw:
        """Shares of a whole with the density of y1^(a1 - 1) ... yk^(ak - 1)."""
        a = [exact(e, "exponent") for e in exponents]
        if len(a) < 2 or any(e.is_positive is not True for e in a):
            raise ValueError(
                f"expected two or more exponents known to be positive, got {[str(e) for e in a]}"
            )
        return cls("Dirichlet", Dirichlet(tuple(a)))

    @classmethod
    def from_statsmodels(cls, model: Any) -> JointLaw:
        """The law of the outcomes of a statsmodels model with its design: OLS, Logit, Probit, Poisson, or a GLM.

        The coefficients are symbols with the names of the design's columns; the outcomes of a normal model have in addition
        the parameter `sigma`, those of a Gamma model `scale`.  A column of that name makes it ambiguous: neither has it then, the
        coefficient is `b_scale` and the parameter `law_scale`, and `notes` say so.  ValueError for models and links not known here.
        """
        form, name, notes = of_statsmodels(model)
        return cls(name, form, notes=notes)


_ROUNDED = sp.Rational(1, 10**9)


def _require_values(before: Law, symbol: sp.Symbol, law: Law) -> None:
    """ValueError where the symbol that stands for a value was declared to be less than the law before lets it be."""
    (lower, upper), name = before.support, law.name
    for s, least, most in law.domains:
        gaps = (lower - least, most - upper)
        if s == symbol and not all(g is sp.nan or g.is_extended_nonnegative for g in gaps):
            raise ValueError(
                f"{s} in {name} has the domain {least} to {most}, but {before.name} lies between {lower} and {upper}"
            )
    if (symbol.is_nonnegative and not lower.is_extended_nonnegative) or (
        symbol.is_nonpositive and not upper.is_extended_nonpositive
    ):
        raise ValueError(
            f"{symbol} in {name} is declared to have a sign, but {before.name} lies between {lower} and {upper}"
        )
    if before.discrete and symbol.is_positive and not lower.is_positive:
        raise ValueError(f"{symbol} in {name} is declared to be positive, but {before.name} can be {lower}")
    if symbol.is_integer and not before.discrete:
        raise ValueError(
            f"{symbol} in {name} is declared to be a whole number, but {before.name} has a density"
        )


def _whole(value: Any, what: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{what} must be a whole number of at least 1, got {value!r}")


def _probabilities(values: Any, what: str) -> tuple[sp.Expr, ...]:
    given = list(values)
    p = tuple(_real(e, "probability") for e in given)
    where = f" ({what})" if what else ""
    total = sp.Add(*p)
    if any(isinstance(e, float) or (isinstance(e, sp.Expr) and e.has(sp.Float)) for e in given):
        # Floats such as 1/3 were rounded before they came here.
        p = tuple(e / total for e in p) if total.is_Rational and 0 < abs(total - 1) < _ROUNDED else p
    if len(p) < 2 or sp.simplify(sp.Add(*p) - 1) != 0:
        raise ValueError(f"probabilities of two or more categories must add up to 1, got {sp.Add(*p)}{where}")
    if any(e.is_negative for e in p):
        raise ValueError(f"probabilities must be >= 0, got {[str(e) for e in p if e.is_negative]}{where}")
    return p


def _real(value: Any, what: str) -> sp.Expr:
    """A number as it was written, or a formula of real symbols, which may have poles where the parameters do not go."""
    symbols = value.free_symbols if isinstance(value, sp.Expr) else set()
    if not symbols or any(s.is_real is not True for s in symbols):
        return exact(value, what)
    return value


def _rows(matrix: Any, what: str) -> Sequence[Sequence[Any]]:
    rows = matrix.tolist() if hasattr(matrix, "tolist") else matrix
    if not isinstance(rows, Sequence) or not all(isinstance(r, Sequence) for r in rows):
        raise ValueError(f"expected a {what} as rows of numbers, got {matrix!r}")
    return rows
