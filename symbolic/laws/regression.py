"""The law of the outcomes of a regression with a given design, from a model of statsmodels: one response law, moved by each row.

McCullagh and Nelder 1989, Generalized linear models, chapter 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp

from ..arrays import Floats
from ..proof.enclosure import rational
from .countable import CountableLaw
from .finite import DiscreteLaw
from .form import free, numbers
from .found_charts import found_charts
from .law import Law

ETA = sp.Symbol("eta", real=True)
_Y = sp.Symbol("y", real=True)
SIGMA, SCALE = sp.symbols("sigma scale", positive=True)
_LINKS: dict[str, sp.Expr] = {
    "Identity": ETA,
    "Log": sp.exp(ETA),
    "Logit": 1 / (1 + sp.exp(-ETA)),
    "Probit": sp.erfc(-ETA / sp.sqrt(2)) / 2,
    "CLogLog": 1 - sp.exp(-sp.exp(ETA)),
    "Sqrt": ETA**2,
    "InversePower": 1 / ETA,
    "InverseSquared": 1 / sp.sqrt(ETA),
}
# One less the mean, in a form whose sign is seen.
_OTHERS: dict[str, sp.Expr] = {
    "Logit": 1 / (1 + sp.exp(ETA)),
    "Probit": sp.erfc(ETA / sp.sqrt(2)) / 2,
    "CLogLog": sp.exp(-sp.exp(ETA)),
}
# Means that are positive for every value of the linear predictor; the others are for a positive predictor only.
_EVERYWHERE = {"Log", "Logit", "Probit", "CLogLog"}


@dataclass(frozen=True)
class Regression:
    """Independent outcomes: the law `response`, with the linear predictor eta = design @ coefficients + offset in each row."""

    response: Law
    eta: sp.Symbol
    design: sp.ImmutableMatrix
    coefficients: tuple[sp.Expr, ...]
    offsets: tuple[sp.Expr, ...]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"y{i + 1}" for i in range(self.design.rows))

    @property
    def variables(self) -> tuple[sp.Symbol, ...]:
        return ()

    @property
    def free_symbols(self) -> set[sp.Symbol]:
        return free(self.coefficients) | (self.response.free_symbols - {self.eta})

    @property
    def log_density(self) -> sp.Expr | None:
        return None

    @cached_property
    def predictors(self) -> tuple[sp.Expr, ...]:
        """The linear predictor of each outcome."""
        moved = self.design * sp.Matrix(list(self.coefficients))
        return tuple(m + o for m, o in zip(moved, self.offsets, strict=True))

    @cached_property
    def parts(self) -> tuple[Law, ...]:
        """The law of each outcome."""
        return tuple(self._part(eta) for eta in self.predictors)

    def _part(self, eta: sp.Expr) -> Law:
        return self.response.map(lambda e: e.subs(self.eta, eta))

    def map(self, change: Callable[[sp.Expr], sp.Expr]) -> Regression:
        moved = tuple(change(c) for c in self.coefficients)
        return Regression(self.response.map(change), self.eta, self.design, moved, self.offsets)

    def log_pdf(self, y: Floats) -> Floats:
        numbers(self.free_symbols, "the regression")
        return np.asarray(sum(part.log_pdf(y[:, i]) for i, part in enumerate(self.parts)))

    def sample(self, size: int, rng: np.random.Generator) -> Floats:
        numbers(self.free_symbols, "the regression")
        return np.column_stack([part.sample(size, rng) for part in self.parts])


def of_statsmodels(model: Any) -> tuple[Regression, str, tuple[str, ...]]:
    """The regression that a statsmodels model states, its name, and what names mean that could mean two things."""
    kind = type(model).__name__
    known = "OLS, Logit, Probit, Poisson and GLM"
    if not type(model).__module__.startswith("statsmodels."):
        raise TypeError(f"model must be a model of statsmodels ({known}), got {kind}")
    if kind == "GLM":
        family, link = type(model.family).__name__, type(model.family.link).__name__
    elif kind in ("OLS", "Logit", "Probit", "Poisson"):
        family, link = {
            "OLS": ("Gaussian", "Identity"),
            "Logit": ("Binomial", "Logit"),
            "Probit": ("Binomial", "Probit"),
            "Poisson": ("Poisson", "Log"),
        }[kind]
    else:
        raise ValueError(f"models of {known} are known as laws, got {kind}")
    _require_plain(model)
    positive = link not in _EVERYWHERE and not (family == "Gaussian" and link == "Identity")
    eta = sp.Symbol("eta", positive=True) if positive else ETA
    if link not in _LINKS:
        raise ValueError(f"links known for {kind} are {', '.join(sorted(_LINKS))}, got {link}")
    if family == "Binomial" and link not in _OTHERS:
        raise ValueError(f"links known for binary outcomes are {', '.join(sorted(_OTHERS))}, got {link}")
    response = _response(family, _LINKS[link].subs(ETA, eta), _OTHERS.get(link))
    design = sp.ImmutableMatrix([[rational(float(x)) for x in row] for row in np.atleast_2d(model.exog)])
    names = [str(n) for n in model.exog_names][: design.cols]
    if len(set(names)) < design.cols:
        raise ValueError(f"the columns of the design need different names, got {', '.join(names)}")
    response, coefficients, notes = _named_apart(response, names)
    form = Regression(response, eta, design, coefficients, _offsets(model, design.rows))
    return form, f"{kind} ({family}, {link})", notes


def _named_apart(response: Law, names: list[str]) -> tuple[Law, tuple[sp.Symbol, ...], tuple[str, ...]]:
    """Law and coefficients with no name in common: what a column shares with the law becomes the name of neither."""
    own = {s.name: s for s in response.free_symbols}
    taken = {*own, _Y.name}
    renamed = {n: _unused(f"b_{n}", {*names, *taken}) for n in names if n in taken}
    both = [n for n in names if n in own and own[n] in (SIGMA, SCALE)]
    moved = {own[n]: sp.Symbol(_unused(f"law_{n}", {*names, *taken}), positive=True) for n in both}
    notes = tuple(
        f"{n} is a column of the design and a parameter of the law: the coefficient is {renamed[n]}, the parameter {moved[own[n]]}"
        for n in both
    )
    coefficients = tuple(sp.Symbol(renamed.get(n, n), real=True) for n in names)
    return response.map(lambda e: e.subs(moved)) if moved else response, coefficients, notes


def _unused(name: str, names: set[str]) -> str:
    while name in names:
        name += "_"
    return name


def _response(family: str, mean: sp.Expr, other: sp.Expr | None) -> Law:
    if family == "Gaussian":
        density = sp.exp(-((_Y - mean) ** 2) / (2 * SIGMA**2)) / (SIGMA * sp.sqrt(2 * sp.pi))
        law = Law("normal response", _Y, density, (-sp.oo, sp.oo))
        return Law(law.name, _Y, density, law.support, charts=found_charts(density, _Y, law.support))
    if family == "Binomial":
        return DiscreteLaw([0, 1], [1 - mean if other is None else other, mean], "binary response")
    if family == "Poisson":
        density = mean**_Y * sp.exp(-mean) / sp.gamma(_Y + 1)
        return CountableLaw("Poisson response", _Y, density, (sp.Integer(0), sp.oo), discrete=True)
    if family == "Gamma":
        shape = 1 / SCALE
        density = _Y ** (shape - 1) * sp.exp(-_Y * shape / mean) / (sp.gamma(shape) * (mean / shape) ** shape)
        ends = (sp.Integer(0), sp.oo)
        return Law("Gamma response", _Y, density, ends, charts=found_charts(density, _Y, ends))
    raise ValueError(f"families known are Gaussian, Binomial, Poisson and Gamma, got {family}")


def _offsets(model: Any, rows: int) -> tuple[sp.Expr, ...]:
    total = np.zeros(rows)
    for name in ("offset", "exposure"):
        value = getattr(model, name, None)
        if value is not None and np.size(value) > 0:
            total = total + np.asarray(value, dtype=float)  # statsmodels keeps the logarithm of an exposure
    return tuple(rational(float(o)) for o in total)


def _require_plain(model: Any) -> None:
    """ValueError for weights, and for counts out of several trials."""
    for name in ("freq_weights", "var_weights", "n_trials"):
        value = getattr(model, name, None)
        if value is not None and not np.all(np.asarray(value, dtype=float) == 1):
            raise ValueError(
                f"models without weights and of single trials are known as laws, got {name} other than 1"
            )
    exog = np.asarray(model.exog, dtype=float)
    if not np.all(np.isfinite(exog)):
        raise ValueError("the design must consist of finite numbers")
