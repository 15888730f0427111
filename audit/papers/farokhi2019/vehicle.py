"""Example 4: a vehicle of constant speed that tells its position; T is symbolic throughout."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sympy as sp

from ....mechanisms.dynamics import vehicle_error, vehicle_gramian, vehicle_quality
from ....symbolic.programs.least_cost_noise import EIGENVALUE, RHO, GaussianNoise, prove_optimal
from ....symbolic.proof.as_written import determinant, difference, inner, product, quotient, root, total
from ....symbolic.proof.as_written import power as power_of
from ....symbolic.proof.derivation import Derivation, Step, evaluated
from ....symbolic.proof.enclosure import compare
from ....symbolic.proof.trace import Letter, Symmetric, Trace, identity
from ....symbolic.proof.truth import Truth
from ...dossier import ARGUED, Formula, Instances, Parts, argued
from ...dossier.arguments.bounds_arguments import cancelled
from ...dossier.formula import direction, through
from ...record.evidence import Line, Series
from .arguments.vehicle_roots import Roots, T
from .dossier import DOSSIER

_G = vehicle_gramian(T)
_TRACE, _DET = sp.factor(_G.trace()), sp.factor(_G.det())
_PRINTED_NOISE = "The noise is the printed one, Sigma = 2 G^(-1/2)/sqrt(rho); the noise that minimises J + rho Q has half this covariance."


@DOSSIER.disputed(
    "example-4-model",
    "A vehicle that tells its position (Example 4)",
    printed="s[k+1] = s[k] + v[k], v[k+1] = v[k] is the system with A = [[1,1],[0,1]], C = [1 0]; for T > 2 its "
    "Gramian is invertible, so that Theorem 4 applies and the answer is C x[k] + C A^k z.",
    twin="The same for all T >= 0 (one answer fixes no speed).",
    at=(3, 0),
)
def example_4_model(least: int) -> Parts:
    """det G > 0 from the printed horizon on; the matrices reproduce position and speed."""

    further = sp.Symbol("k", nonnegative=True, integer=True)
    k = further
    a = sp.Matrix([[1, 1], [0, 1]])
    power = sp.Matrix([[1, k], [0, 1]])
    argument = argued(
        Step(
            total(
                *(
                    power_of(difference(inner(a[i, :], power[:, j]), power.subs(k, k + 1)[i, j]), 2)
                    for i in range(2)
                    for j in range(2)
                )
            ),
            "=",
            sp.Integer(0),
            "A^k = [[1, k], [0, 1]], by induction: C A^k z = z_1 + k z_2",
        ),
        reason="the Gramian is invertible at every T that is admitted",
        conclusion="Theorem 4 applies",
    )
    determinant = sp.factor(_DET.subs(T, least + further))
    printed = {"A": [["1", "1"], ["0", "1"]], "C": [["1", "0"]], "least": str(least)}
    return Parts(
        (Formula(determinant, ">", sp.Integer(0), argument=argument),), Instances("vehicle", printed, _drives)
    )


@DOSSIER.disputed(
    "example-4-Sigma",
    "Covariance of the optimal noise of the vehicle (Example 4)",
    printed="The optimal covariance of z is (2/sqrt(rho)) G^(-1/2) with G = [[T+1, T(T+1)/2], [T(T+1)/2, "
    "T(T+1)(2T+1)/6]].",
    twin="It is (1/sqrt(rho)) G^(-1/2), with the same G.",
    at=(2, 1),
)
def example_4_sigma(value: int) -> Parts:
    """The Gramian entry by entry, and the factor by the cost of the noise it gives."""
    entries = [[T + 1, T * (T + 1) / 2], [T * (T + 1) / 2, T * (T + 1) * (2 * T + 1) / 6]]
    factor = sp.Integer(value)
    variance = EIGENVALUE * factor / sp.sqrt(EIGENVALUE * RHO)
    noise = GaussianNoise.with_variance(variance)
    before = prove_optimal(noise)
    argument = argued(
        *before.steps,
        reason="its cost per eigenvalue of G is not above the least one",
        relation="<=",
        conclusion=before.conclusion,
        lemmas=before.lemmas,
        # a J + rho Q of one eigenvalue, from the variance v: a/v + rho v
        written=total(quotient(EIGENVALUE, variance), product(RHO, variance)),
    )
    cost = Formula(noise.cost(), "<=", 2 * sp.sqrt(RHO * EIGENVALUE), argument=argument)
    k = sp.Symbol("k", integer=True)
    gramian = tuple(
        Formula(
            entries[i][j],
            "=",
            _G[i, j],
            argument=argued(written=sp.Sum(k ** (i + j), (k, 0, T)), how=_factored),
        )
        for i in range(2)
        for j in range(i + 1)
    )
    printed = {"factor": sp.sstr(factor), "gramian": [[sp.sstr(e) for e in row] for row in entries]}
    return Parts((*gramian, cost), Instances("trajectory cost", printed, _priced))


def _totals(name: str, roots: Roots, factor: int) -> Parts:
    """Q or E as printed, against that of the noise of the covariance `factor` G^(-1/2)/sqrt(rho)."""
    shown = roots.quality if name == "Q" else roots.error
    right = vehicle_quality(RHO, T, factor) if name == "Q" else vehicle_error(RHO, T, factor)

    def argument(formula: Formula) -> Derivation:
        psi, gramian = Letter("P"), Symmetric("G")
        half = sp.Rational(1, 2)
        added, multiplied = 2 * (T + 1) * roots.inner, (T + 1) ** 2 * (roots.inner**2 - roots.delta)
        scale = sp.Integer(factor) ** 2 / RHO
        if name == "E":
            added, scale = added / multiplied, scale / _DET
            multiplied = 1 / multiplied
        steps = (
            identity(
                Trace(psi * gramian**-half * psi.T),
                Trace(gramian**half),
                "Tr(Psi Sigma Psi') = Tr(G Sigma), G = Psi'Psi",
                rules={(psi.T, psi): gramian},
                instance={psi: sp.Matrix([[2]]), gramian: sp.Matrix([[4]])},
            ),
            Step(formula.left, "=", roots.written(name), "the two roots, as printed", evaluated),
            Step(determinant(_G), "=", _DET, "the determinant of G"),
            Step(
                formula.right,
                "=",
                _by_trace(name, factor),
                "what the definition gives, through Tr G and det G",
                _equal_squares,
            ),
            *roots.steps(
                quotient(product(power_of(roots.front, 2), added), product(scale, _TRACE)),
                quotient(product(power_of(roots.front, 4), multiplied), product(scale**2, _DET)),
            ),
        )
        return Derivation(
            f"{name} in closed form",
            steps,
            (
                "the eigenvalues u, v of G have u + v = Tr G and u v = det G; Tr G^(1/2) = sqrt(u) + sqrt(v), Tr G^(-1/2) = Tr G^(1/2)/sqrt(det G)",
            ),
        )

    printed = {name: sp.sstr(shown), "factor": str(factor)}
    return Parts(
        (Formula(shown, "=", right, argument=argument),), Instances("vehicle totals", printed, _priced)
    )


def _by_trace(name: str, factor: int) -> sp.Expr:
    """factor/sqrt(rho) times Tr G^(1/2) (or Tr G^(-1/2)), whose square is Tr G + 2 sqrt(det G) (over det G)."""
    whole = root(total(_G[0, 0], _G[1, 1], product(2, root(_DET))))
    return product(quotient(factor, root(RHO)), whole if name == "Q" else quotient(whole, root(_DET)))


def _factored(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(sp.factor(left.doit()), "=", sp.factor(right.doit()))


def _equal_squares(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality of positive expressions, by their squares."""
    return compare(sp.expand(left**2), "=", sp.expand(sp.simplify((right**2).doit())))


_ROOTS = "sqrt((T+1)(2T^2+T+6 -+ sqrt(Delta))), Delta = 4T^4+4T^3+13T^2-12T+36"


@DOSSIER.disputed(
    "example-4-Q",
    "Quality of the vehicle's answers (Example 4)",
    checks=ARGUED,
    condition=_PRINTED_NOISE,
    printed=f"Q is 1/sqrt(3 rho) times the sum of the two roots {_ROOTS}.",
    without="The printed Q belongs to the noise that minimises J + rho Q (whose Q is half of that).",
    at=(2, 1),
)
def example_4_q(factor: int) -> Parts:
    """Tr(G Sigma) for the printed Sigma."""
    return _totals("Q", Roots(1 / sp.sqrt(3 * RHO)), factor)


@DOSSIER.disputed(
    "example-4-Delta",
    "Discriminant of the vehicle's Gramian (Example 4)",
    printed="The eigenvalues of G are (T+1)(2T^2+T+6 -+ sqrt(Delta))/12 with Delta = 4T^4+4T^3+13T^2-12T+36.",
    twin="Delta is larger by a hundredth of its term 12 T.",
    at=(0, 12),
)
def example_4_delta(more: int) -> Formula:
    """(Tr G)^2 - 4 det G, freed of the factor (T+1)/6 of both eigenvalues."""
    by_definition = sp.cancel(36 * (_G.trace() ** 2 - 4 * _G.det()) / (T + 1) ** 2)
    delta = Roots(sp.Integer(1)).delta + sp.Rational(more, 100) * T
    whole = difference(power_of(total(_G[0, 0], _G[1, 1]), 2), product(4, determinant(_G)))
    written = quotient(product(36, whole), power_of(T + 1, 2))
    return Formula(delta, "=", by_definition, argument=argued(written=written, how=cancelled))


@DOSSIER.disputed(
    "example-4-E",
    "Error about the vehicle's start (Example 4)",
    checks=ARGUED,
    condition=_PRINTED_NOISE,
    printed=f"E|xhat - x[0]|^2 is 4 sqrt(3)/sqrt(rho) times the sum of the reciprocals of {_ROOTS}.",
    without="The printed E belongs to the noise that minimises J + rho Q (whose E is half of that).",
    at=(2, 1),
)
def example_4_e(factor: int) -> Parts:
    """Tr Sigma for the printed Sigma: least squares gives x[0] + z."""
    return _totals("E", Roots(4 * sp.sqrt(3) / sp.sqrt(RHO)), factor)


# Growth with T. Q^2 rho = Tr G + 2 sqrt(det G) up to the factor of the noise, E = Q / sqrt(det G).


def _exponent(of: str) -> sp.Rational:
    """The power of T that Q or E grows with at fixed rho, from the degrees of Tr G and det G."""
    trace, det = sp.degree(sp.expand(_TRACE), T), sp.degree(sp.expand(_DET), T)
    quality = sp.Rational(max(2 * trace, det), 4)
    return quality if of == "Q" else quality - sp.Rational(det, 2)


def _exponent_written(of: str) -> sp.Expr:
    """The same from the two degrees."""
    trace, det = sp.degree(sp.expand(_TRACE), T), sp.degree(sp.expand(_DET), T)
    quality = quotient(sp.Max(product(2, trace), det, evaluate=False), 4)
    return quality if of == "Q" else difference(quality, quotient(det, 2))


def _limit_steps(of: str) -> tuple[Step, ...]:
    power = _exponent(of)
    function = (vehicle_quality if of == "Q" else vehicle_error)(sp.Integer(1), T)
    lead_trace, lead_det = (sp.LC(sp.expand(e), T) for e in (_TRACE, _DET))
    constant = sp.sqrt(lead_trace) / (1 if of == "Q" else sp.sqrt(lead_det))
    x = sp.Symbol("x", positive=True)
    limit = sp.Limit(sp.simplify((function**2).subs(T, x) / x ** (2 * power)), x, sp.oo)
    return (
        Step(
            limit,
            "=",
            constant**2,
            f"{of}^2 rho / T^{2 * power} for the optimal noise has this limit; the other side from the leading terms of Tr G and det G",
        ),
        Step(constant, ">", sp.Integer(0), f"it is positive: {of} sqrt(rho) grows exactly like T^{power}"),
    )


def _order(of: str, power: sp.Rational, *, falls: bool = False) -> Parts:
    """O(T^power): the exact exponent is at most the printed one."""
    function = vehicle_quality(sp.Integer(1), T) if of == "Q" else vehicle_error(sp.Integer(1), T)

    def argument(formula: Formula) -> Derivation:
        x = sp.Symbol("x", positive=True)
        steps = list(_limit_steps(of))
        if falls:
            ratio = sp.cancel((_TRACE / _DET).subs(T, x))
            steps += [
                Step(
                    sp.factor(sp.diff(ratio, x)),
                    "<",
                    sp.Integer(0),
                    "E^2 rho = Tr G/det G + 2/sqrt(det G): the first term falls",
                ),
                Step(
                    sp.expand(sp.diff(_DET.subs(T, x), x)),
                    ">",
                    sp.Integer(0),
                    "and so does the second, as det G rises",
                ),
            ]
        steps += [
            direction(formula, "<="),
            *through(formula, _exponent_written(of), "the exponent is at most the printed one"),
        ]
        return Derivation(f"{of} sqrt(rho) = O(T^{power})", tuple(steps))

    printed: dict[str, Any] = {"function": sp.sstr(function), "power": sp.sstr(power)}
    if falls:
        printed["falls"] = True
    figure = (_decay(),) if falls else ()
    formula = Formula(_exponent(of), "<=", power, argument=argument, series=figure)
    return Parts((formula,), Instances("growth", printed, _horizons))


def _decay() -> Series:
    """The error against the horizon, beside the two orders, both drawn through the first point."""
    horizons = tuple(float(round(10 ** (k / 4))) for k in range(2, 13))
    g = sp.lambdify(T, vehicle_error(sp.Integer(1), T))
    exact = tuple(float(g(t)) for t in horizons)

    def order(power: float) -> tuple[float, ...]:
        return tuple(exact[0] * (t / horizons[0]) ** power for t in horizons)

    lines = (
        Line("optimal noise", "law", horizons, exact),
        Line("T^(-3/2), as printed", "claimed", horizons, order(-1.5)),
        Line("T^(-1/2)", "bound", horizons, order(-0.5)),
    )
    title = "Least unbiased error about the vehicle's start"
    return Series("example 4", title, "horizon T", "E sqrt(rho)", lines, "log", "log")


@DOSSIER.disputed(
    "example-4-Q-order",
    "Growth of Q with the horizon (Example 4)",
    checks=ARGUED,
    printed="Q = O(T^(3/2)/sqrt(rho)): Q sqrt(rho)/T^(3/2) has a finite limit.",
    twin="Q = O(T^1.485/sqrt(rho)), the exponent 1 % smaller.",
    at=((3, 2), (297, 200)),
)
def example_4_q_order(p: int, q: int) -> Parts:
    """The limit of Q sqrt(rho)/T^(3/2) exists; a factor on the noise changes no order."""
    return _order("Q", sp.Rational(p, q))


@DOSSIER.disputed(
    "example-4-E-order",
    "Decay of the error with the horizon (Example 4)",
    checks=ARGUED,
    printed="E|xhat - x[0]|^2 = O(1/(T^(3/2) sqrt(rho))), and it decreases with T.",
    twin="It is O(1/(T^(1/2) sqrt(rho))) and no smaller order (E sqrt(rho T) tends to 2, for the printed noise to 4), and it "
    "decreases with T.",
    at=(sp.Rational(-3, 2), sp.Rational(-1, 2)),
)
def example_4_e_order(power: sp.Rational) -> Parts:
    """The smaller eigenvalue of G grows like T/4 only: the speed is well known from many answers, the start is not."""
    return _order("E", power, falls=True)


@DOSSIER.disputed(
    "example-4-scaling",
    "Price of variance for constant privacy (Example 4)",
    checks=ARGUED,
    printed="With rho proportional to T^(-3/2) the error E|xhat - x[0]|^2 stays constant as T grows (a finite "
    "limit above zero), and Q = O(T^3).",
    twin="rho must be proportional to 1/T, and then Q = O(T^2). With T^(-3/2) the error grows like T^(1/4); "
    "the order of E that the paper prints would ask for T^(-3).",
    at=((-sp.Rational(3, 2), 3), (sp.Integer(-1), 2)),
)
def example_4_scaling(price: sp.Rational, i: int) -> Parts:
    """rho = T^r: the exponent of E must vanish, that of Q be at most the printed one."""
    quality = sp.Integer(i)
    rho = T**price
    kept = Formula(_exponent("E") - price / 2, "=", sp.Integer(0), argument=_argued("E", "=", price))
    grows = Formula(_exponent("Q") - price / 2, "<=", quality, argument=_argued("Q", "<=", price))
    printed = {"function": sp.sstr(vehicle_error(rho, T)), "power": "0", "exactly": True}
    return Parts((kept, grows), Instances("growth", printed, _horizons))


def _argued(of: str, relation: str, price: sp.Rational) -> Callable[[Formula], Derivation]:
    return argued(
        *_limit_steps(of),
        reason=f"the exponent of {of} with this rho",
        relation=relation,
        written=difference(_exponent_written(of), quotient(price, 2)),
        conclusion=f"growth of {of}",
    )


def _drives(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    for further in (0, 1, 2, 5):
        yield {"further": str(further), "x": [str(int(v)) for v in rng.integers(-9, 10, size=2)]}


def _priced(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    chain = {"A": [["1", "1"], ["0", "1"]], "C": [["1", "0"]]}
    for horizon in (1, 2, 3, 7, 12):
        yield {**chain, "T": str(horizon), "rho": f"{int(rng.integers(1, 20))}/4"}


def _horizons(_: np.random.Generator) -> Iterator[dict[str, Any]]:
    for near, far in ((6, 12), (8, 20)):
        yield {"near": str(10**near), "far": str(10**far)}
