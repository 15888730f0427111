"""The Fisher information of a law, of a location family, and of a query with additive noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np
import sympy as sp
from flint import arb_mat
from numpy.typing import NDArray

from ..laws.countable import CountableLaw
from ..laws.differentiability import NotDifferentiableError, Place, bounded
from ..laws.finite import DiscreteLaw
from ..laws.law import Law, admitted, by_name, exact, simplified, smooth_derivative, without_poles
from ..laws.lawful import mass_is_one
from ..laws.pieces import KINKED
from ..laws.quadrature import quadrature
from ..proof.apart import UnfinishedError, apart
from ..proof.as_written import total
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import compare, is_zero
from ..proof.truth import Truth
from .conditions import inner_law
from .exponential_family import FAMILY, of_exponential_family
from .finite_sums import derivation_of, entry_of
from .regularity import IRREGULAR, breakpoints, smooth_law

LOCATION = sp.Symbol("theta", real=True)
LEMMAS = (
    "differentiation under the integral sign for regular families (Ibragimov and Has'minskii 1981, I.7)",
    "the Gamma integral and the Beta integral and their derivatives in the exponents",
)


@dataclass(frozen=True, eq=False)
class EnclosedInformation:
    """Balls around the entries of an information matrix, and of its inverse: the covariance of noise that attains it.

    `released`, of noise that does not attain it: balls around a covariance that an unbiased estimator has at most.
    """

    information: arb_mat
    inverse: arb_mat
    released: arb_mat | None = None


@dataclass(frozen=True)
class Information:
    """A Fisher information matrix, whether the family is regular, and how the value came about.

    `value` is exact (k x k; an unevaluated Integral where no closed form is known), None if irregular;
    `numeric` is the matrix as floats, None while parameters are symbols; `error` bounds its estimated error.
    `enclosed`, of normal noise with a full matrix: where it is given, it decides.
    """

    value: sp.ImmutableMatrix | None
    numeric: NDArray[np.float64] | None = field(compare=False)
    regular: Truth
    reason: str
    derivation: Derivation = field(compare=False, repr=False)
    error: float = field(default=0.0, compare=False)
    enclosed: EnclosedInformation | None = field(default=None, compare=False, repr=False)

    @property
    def scalar(self) -> sp.Expr:
        """The information about one parameter."""
        if self.value is None:
            raise ValueError(f"there is no Fisher information: {self.reason}")
        if self.value.shape != (1, 1):
            raise ValueError(f"expected the information about one parameter, got a {self.value.shape} matrix")
        return self.value[0, 0]


def fisher_information(
    law: Law, parameters: Sequence[sp.Symbol], at: Mapping[sp.Symbol, Any] | None = None
) -> Information:
    """The matrix E[s_i s_j] of the scores s_i = d log f / d parameter_i, where `at` fixes them.

    That the density is differentiable in the parameters, and positive, is proved first: at the point, or for all values
    that a parameter may have if `at` leaves it free.  `regular` is UNKNOWN, with the reason, where that is not proved.
    """
    return _fisher(law, list(parameters), at or {}, None)


def _fisher(
    law: Law, theta: list[sp.Symbol], at: Mapping[sp.Symbol, Any], fixed_law: Law | None
) -> Information:
    """`fixed_law` is the law at `at`, if the caller has it together with its numerical route."""
    missing = [str(p) for p in theta if p not in law.free_symbols]
    if not theta or missing:
        raise ValueError(
            f"parameters must be free symbols of the law {law.name}, not found: {missing or 'no parameter'}"
        )
    fixed = admitted(at)
    if isinstance(law, CountableLaw):
        return _countable(law, theta, fixed)
    local, decided = smooth_law(law, theta, fixed)
    if decided.truth is not Truth.HOLDS and law.domains and not fixed and not law.density.has(*KINKED):
        # Smooth inside of the domains is enough, and a formula without kinks is the same there.
        inner, fresh, _ = inner_law(law, theta)
        there, settled = smooth_law(inner, fresh, {})
        local, decided = (law, settled) if there is not None else (local, decided)
    if decided.truth is Truth.FAILS or local is None:
        return Information(None, None, decided.truth, decided.reason, Derivation(decided.reason, ()))
    law = local
    scores: list[sp.Expr] = []
    k = len(theta)
    lower = [(i, j) for i in range(k) for j in range(i + 1)]
    if isinstance(law, DiscreteLaw):
        entries = {(i, j): entry_of(law.probabilities, theta[i], theta[j]) for i, j in lower}
    else:
        scores = [smooth_derivative(law.log_density(), p) for p in theta]
        entries = {(i, j): _entry(law, scores[i], scores[j], fixed) for i, j in lower}
    value = sp.ImmutableMatrix(k, k, lambda i, j: entries[max(i, j), min(i, j)])
    there = value.subs(fixed)
    if any(not e.has(sp.Integral) and e.has(sp.oo, -sp.oo, sp.zoo, sp.nan) for e in [*value, *there]):
        # Terms of both signs that diverge may cancel: only infinity itself is an answer.
        infinite = all(e is sp.oo or e.is_finite for e in value) and decided.truth is Truth.HOLDS
        truth = Truth.FAILS if infinite and sp.oo in entries.values() else Truth.UNKNOWN
        what = "diverges" if infinite else "is not known to be finite"
        reason = f"{IRREGULAR}: the integral of f'^2/f {what}"
        return Information(None, None, truth, reason, Derivation(reason, ()))
    numeric, error, closed = None, 0.0, not value.has(sp.Integral)
    truth, reason = decided.truth, decided.reason
    if not law.free_symbols - set(fixed):
        try:
            numeric, error = _numbers(fixed_law or law.at(fixed), there, [s.subs(fixed) for s in scores])
        except ValueError as trouble:
            truth, reason = Truth.UNKNOWN, f"the information could not be computed: {trouble}"
    elif closed and not value.free_symbols - set(fixed):
        numeric = np.array(there.evalf(30).tolist(), dtype=float)
    if numeric is not None and (below := _negative(numeric)):
        return Information(None, None, Truth.FAILS, below, Derivation(below, ()))
    if truth is Truth.HOLDS and not (closed or _finite(law, theta, scores)):
        truth, reason = Truth.UNKNOWN, f"{reason}; that the information is finite was computed, not proved"
    derivation = (
        derivation_of(law.name, law.probabilities, theta, value)
        if isinstance(law, DiscreteLaw)
        else _derivation(law, theta, scores, value, numeric)
    )
    return Information(value, numeric, truth, reason, derivation, error)


def _countable(law: CountableLaw, theta: list[sp.Symbol], fixed: Mapping[sp.Symbol, Any]) -> Information:
    """Of a law on whole numbers without an end: known for exponential families only."""
    known = of_exponential_family(law, theta)
    if known is None:
        reason = "no closed form of the sums is known"
        return Information(None, None, Truth.UNKNOWN, reason, Derivation(reason, ()))
    value, derivation = known
    there = value.subs(fixed)
    numeric = None if there.free_symbols else np.array(there.evalf(30).tolist(), dtype=float)
    if numeric is not None and (below := _negative(numeric)):
        return Information(None, None, Truth.FAILS, below, Derivation(below, ()))
    return Information(value, numeric, Truth.HOLDS, FAMILY, derivation)


def location_information(law: Law) -> Information:
    """The integral of f'^2/f: the information of law + theta about theta."""
    if law.discrete:
        reason = f"{IRREGULAR}: the atoms of the law move with the parameter"
        return Information(None, None, Truth.FAILS, reason, Derivation(reason, ()))
    at: dict[sp.Symbol, Any] = {} if law.free_symbols else {LOCATION: sp.Integer(0)}
    own = any(s.name == LOCATION.name for s in law.free_symbols)  # a parameter of the law is another number
    place = sp.Dummy(LOCATION.name, real=True) if own else LOCATION
    return _fisher(law.shift(place), [place], at, law if at else None)


def information_of_query(
    query: Sequence[sp.Expr],
    variables: Sequence[sp.Symbol],
    noise: Information | sp.MatrixBase | sp.Expr | float,
) -> Information:
    """J' I_w J for y = f(x) + w, J the Jacobian of f; a scalar I_w is that of i.i.d. noise entries."""
    f = sp.Matrix([sp.sympify(q, strict=False) if not isinstance(q, str) else _refuse(q) for q in query])
    x = list(variables)
    f = f.applyfunc(lambda e: by_name(e, x))
    if not x or not len(f):
        raise ValueError("a query needs at least one expression and one variable")
    if isinstance(noise, Information) and noise.value is None:
        return Information(None, None, noise.regular, noise.reason, noise.derivation)
    held = noise if isinstance(noise, Information) else None
    given = held.value if held is not None else noise
    if not isinstance(given, sp.MatrixBase):
        given = sp.Matrix([[exact(given, "noise information")]])
    if given.shape == (1, 1):
        given = given[0, 0] * sp.eye(len(f))
    if given.shape != (len(f), len(f)):
        raise ValueError(f"the noise information must be 1 x 1 or {len(f)} x {len(f)}, got {given.shape}")
    if held is None:
        require_information(given)
    jacobian = f.jacobian(x)
    value = sp.ImmutableMatrix((jacobian.T * given * jacobian).applyfunc(simplified))
    truth, reason = (
        (held.regular, held.reason) if held is not None else (Truth.HOLDS, "the noise information was given")
    )
    try:
        everywhere = Place.of(x, {})
        for e in f:
            everywhere.form(e)
    except NotDifferentiableError as doubt:
        truth, reason = Truth.UNKNOWN, f"the query may not be differentiable at x: {doubt}"
    expected = [[_double_sum(jacobian, given, i, j) for j in range(len(x))] for i in range(len(x))]
    steps = tuple(
        Step(expected[i][j], "=", value[i, j], f"chain rule: entry ({i + 1}, {j + 1}) of J' I_w J")
        for i in range(len(x))
        for j in range(i + 1)
        if not value[i, j].has(sp.Integral)
    )
    before = held.derivation if held is not None else Derivation("", ())
    derivation = Derivation(
        "the information about x is J' I_w J",
        (*before.steps, *steps),
        (*before.lemmas, "chain rule for the score of f(x) + w"),
    )
    numeric = None
    if not value.free_symbols:
        numeric = np.array(value.evalf(30).tolist(), dtype=float)
        if held is not None and held.numeric is not None and not jacobian.free_symbols:
            slope = np.array(jacobian.evalf(30).tolist(), dtype=float)
            inner = held.numeric if held.numeric.shape[0] == len(f) else held.numeric[0, 0] * np.eye(len(f))
            numeric = slope.T @ inner @ slope
    return Information(value, numeric, truth, reason, derivation, held.error if held is not None else 0.0)


def require_information(matrix: sp.MatrixBase) -> None:
    """ValueError for a matrix that is no information: it is symmetric, without negative eigenvalues."""
    if not matrix.is_symmetric():
        raise ValueError(f"an information matrix is square and symmetric, got shape {matrix.shape}")
    if not matrix.free_symbols and (below := _negative(np.array(matrix.tolist(), dtype=float))):
        raise ValueError(below)


def _negative(matrix: NDArray[np.float64]) -> str:
    """What says that a matrix is no information, "" where its eigenvalues are not negative."""
    values = np.linalg.eigvalsh(matrix) if np.all(np.isfinite(matrix)) else np.zeros(1)
    if values[0] < -1e-9 * abs(values).max():
        return f"an information matrix has no negative eigenvalue, got {values[0]:.6g}: there is no law at these values"
    return ""


def _refuse(text: str) -> sp.Expr:
    raise TypeError(f"a query is given by sympy expressions, got the text {text!r}")


def _double_sum(jacobian: sp.Matrix, inner: sp.Matrix, i: int, j: int) -> sp.Expr:
    rows = range(inner.shape[0])
    return sp.Add(*(inner[a, b] * jacobian[a, i] * jacobian[b, j] for a in rows for b in rows))


def _entry(law: Law, first: sp.Expr, second: sp.Expr, at: Mapping[sp.Symbol, sp.Expr]) -> sp.Expr:
    """E[first second], at these values where they are all that is missing for a closed form; a mixture is one integral."""
    whole = sp.Integral(law.density * first * second, (law.variable, *law.support))
    there = [(law, first * second)]
    if at and not law.free_symbols - set(at):
        there.append((law.at(at), (first * second).subs(at)))
    for known, function in there if not law.parts else ():
        with suppress(UnfinishedError):
            value = apart(partial(_closed, known, function), "a closed form")
            if not value.has(sp.Integral):
                return value
    return whole


def _closed(law: Law, function: sp.Expr) -> sp.Expr:
    return without_poles(law.expectation(function), law.density)


def _numbers(
    law: Law, value: sp.ImmutableMatrix, scores: Sequence[sp.Expr]
) -> tuple[NDArray[np.float64], float]:
    k, worst = value.shape[0], 0.0
    out = np.empty((k, k))
    for i in range(k):
        for j in range(i + 1):
            if value[i, j].has(sp.Integral):
                number, doubt = quadrature(law, scores[i] * scores[j])
                worst = max(worst, float(doubt))
            else:
                number = mpmath.mpf(sp.N(value[i, j], 30))
            out[i, j] = out[j, i] = float(number)
    return out, worst


def _finite(law: Law, theta: Sequence[sp.Symbol], scores: Sequence[sp.Expr]) -> bool:
    """Whether the integral of f'^2/f is known to be finite without its value."""
    if law.parts:
        # (sum w f')^2 / (sum w f) <= sum w f'^2 / f, by Cauchy-Schwarz, also for weights that move.
        parts = [part for _, part in law.parts if part.free_symbols & set(theta)]
        inner = [fisher_information(p, [t for t in theta if t in p.free_symbols]) for p in parts]
        return all(i.regular is Truth.HOLDS for i in inner)
    compact = all(end.is_finite for end in law.support)
    return compact and all(bounded(s, law.variable) for s in scores)


def _derivation(
    law: Law,
    theta: Sequence[sp.Symbol],
    scores: Sequence[sp.Expr],
    value: sp.ImmutableMatrix,
    numeric: NDArray[np.float64] | None,
) -> Derivation:
    """Mass one, scores of mean zero, the entries, and if smooth minus the mean second derivative."""
    # Balls around an integral that is left would take long, and prove nothing.
    steps = [mass_step(law, "the density integrates to one", enclosed=False)]
    y, kinked = law.variable, breakpoints(law) != ()
    fixed_ends = not any(end.has(*theta) for end in law.support)
    for i, p in enumerate(theta):
        proved = any(not value[i, j].has(sp.Integral) for j in range(len(theta)))
        centred = law.expectation(scores[i]) if proved else sp.Integral(scores[i], y)
        if not centred.has(sp.Integral):
            mean = sp.Integral(law.density * scores[i], (y, *law.support))
            words = f"the score of {p} has mean zero"
            steps.append(Step(mean, "=", sp.Integer(0), words, _again(law, scores[i])))
        for j in range(i + 1):
            claimed = value[i, j]
            integral = sp.Integral(law.density * scores[i] * scores[j], (y, *law.support))
            if claimed.has(sp.Integral):
                shown = claimed if numeric is None else sp.Float(float(numeric[i, j]))
                steps.append(Step(integral, "=", shown, "by quadrature: computed, not proved", _not_proved))
                continue
            steps.append(
                Step(integral, "=", claimed, f"E[s_{p} s_{theta[j]}]", _again(law, scores[i] * scores[j]))
            )
            if not kinked and fixed_ends:
                bent = smooth_derivative(scores[i], theta[j])
                second = law.expectation(bent)
                if not second.has(sp.Integral):
                    reason = f"minus the mean second derivative in {p}, {theta[j]} is the same number"
                    mean = sp.Integral(-law.density * bent, (y, *law.support))
                    steps.append(
                        Step(mean, "=", claimed, reason, _known_value(without_poles(-second, law.density)))
                    )
    return Derivation(
        f"the Fisher information of {law.name} about {', '.join(map(str, theta))}", tuple(steps), LEMMAS
    )


def _known_value(value: sp.Expr) -> Callable[[sp.Expr, sp.Expr], Truth]:
    """Whether the right side is the value that the integral on the left was found to have."""
    return lambda _left, right: compare(value, "=", right)


def mass_step(law: Law, reason: str, enclosed: bool = True, found: sp.Expr | None = None) -> Step:
    """The mass of a law as it is written, an integral or a sum, is one; evaluated anew, or held against what was `found`."""

    def again(_left: sp.Expr, right: sp.Expr) -> Truth:
        one = is_zero(right - 1)
        return mass_is_one(law, enclosed=enclosed).truth if one is Truth.HOLDS else one

    kind = sp.Sum if isinstance(law, CountableLaw) else sp.Integral
    left = kind(law.density, (law.variable, *law.support))
    if isinstance(law, DiscreteLaw):
        left = total(*law.probabilities)
    return Step(left, "=", sp.Integer(1), reason, again if found is None else _known_value(found))


def _not_proved(_left: sp.Expr, _right: sp.Expr) -> Truth:
    return Truth.UNKNOWN


def _again(law: Law, function: sp.Expr) -> Any:
    """A check that integrates anew: the left side of the step is an integral that sympy would not finish."""

    def check(_: sp.Expr, right: sp.Expr) -> Truth:
        value = law.expectation(function)
        return Truth.UNKNOWN if value.has(sp.Integral) else is_zero(without_poles(value - right, law.density))

    return check
