"""Section 4: the initial state of a linear system, asked for over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import sympy as sp

from ....mechanisms.dynamics import infimum
from ....symbolic.programs.least_cost_noise import EIGENVALUE, RHO, GaussianNoise
from ....symbolic.proof.as_written import difference, power, product, quotient, value_at
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.proofs.recorded import recorded
from ....symbolic.proof.trace import Column, Letter, Symmetric, Trace, gram, identity
from ....symbolic.proof.truth import Truth
from ...dossier import ARGUED, Formula, Instances, Parts, argued
from ...dossier.arguments import optimality_checks as optimality
from ...dossier.arguments.optimality_checks import OptimalNoise
from ...dossier.instances import on_instances
from ...record.evidence import Evidence, Verdict
from .dossier import DOSSIER

_n, _m = sp.symbols("n m", positive=True, integer=True)
_T = sp.Symbol("T", nonnegative=True, integer=True)


@DOSSIER.disputed(
    "dyn-model",
    "Linear system with noisy answers over time (Section 4)",
    reading="the same paragraph: w stacks w[0], ..., w[T], each in R^m, and the density is evaluated at y - Psi "
    "x[0]",
    printed="x[k+1] = A x[k], y[k] = C x[k] + w[k] for k = 0..T, x in R^n, w in R^m; stacked: y = Psi x[0] + w "
    "with blocks C A^k in Psi, and the density of w is a function on R^(n(T+1)).",
    twin="The same, the density of w being a function on R^(m(T+1)).",
    at=(_n * (_T + 1), _m * (_T + 1)),
)
def dyn_model(entries: sp.Expr) -> Parts:
    """The length of the stacked noise is counted; the stacked answers are compared with the recursion."""

    k = sp.Symbol("k", integer=True)
    argument = argued(written=sp.Sum(_m, (k, 0, _T)))
    counted = Formula(entries, "=", sp.summation(_m, (k, 0, _T)), argument=argument)
    return Parts(
        (counted,), Instances("answers over time", {"entries": sp.sstr(entries), "power": "k"}, _systems)
    )


@DOSSIER.disputed(
    "dyn-crb",
    "Cramer-Rao bound for the initial state (Section 4)",
    printed="For an invertible information matrix I (n x n) about x[0], every unbiased estimator has mean "
    "squared error at least Tr(I^-1), and Tr(I^-1) >= (T+1)^2 n^2 / Tr(I).",
    twin="The same with Tr(I^-1) >= n^2 / Tr(I), as Proposition 5 has it: I is n x n whatever T is.",
    at=((_T + 1) ** 2 * _n**2, _n**2),
)
def dyn_crb(said: sp.Expr) -> Parts:
    """For all positive definite I by an expected square; equality at multiples of the identity refutes anything larger."""
    trace, v = sp.symbols("t v", positive=True)
    bound = said / trace
    k, s = Symmetric("K"), sp.Symbol("s", positive=True)
    half = sp.Rational(1, 2)
    square = gram(s * k**half - k**-half)
    best = 2 * s * _n - s**2 * trace
    argument = argued(
        identity(
            square,
            s**2 * Trace(k) - 2 * s * _n + Trace(k**-1),
            "a square, hence not negative: Tr(K^-1) >= 2 s n - s^2 Tr(K) for every s > 0, Tr of the identity n",
            values={Trace(sp.Integer(1)): _n},
        ),
        Step(value_at(best, {s: _n / trace}), "=", _n**2 / trace, "at s = n/Tr(K) the bound is n^2/Tr(K)"),
        Step(bound, "<=", value_at(best, {s: _n / trace}), "the printed bound is not above it"),
        reason="in particular at I = v times the identity, where Tr(I^-1) = n/v",
        relation=">=",
        conclusion="Tr(I^-1) >= n^2/Tr(I)",
        written=product(_n, quotient(1, v)),
        lemmas=("Cramer-Rao: the error is at least Tr(I^-1)",),
    )
    formula = Formula(_n / v, ">=", bound.subs(trace, _n * v), argument=argument)
    return Parts((formula,), Instances("trace of the inverse", {"bound": sp.sstr(bound)}, _informations))


@DOSSIER.disputed(
    "dyn-fisher",
    "Information about the initial state (Section 4)",
    printed="The information of y = Psi x[0] + w about x[0] is the integral of (1/gamma) Psi' (d gamma/dw)(d "
    "gamma/dw)' Psi.",
    twin="The same, 1 % larger.",
    at=(sp.Integer(1), sp.Rational(101, 100)),
)
def dyn_fisher(factor: sp.Expr) -> Formula:
    """Per direction: gamma times the squared score against the printed weight times the squared derivative."""
    gamma, d = sp.Symbol("gamma", positive=True), sp.Symbol("d", real=True)
    weight = factor / gamma
    psi, s, i, j = Letter("P"), Column("s"), Column("i"), Column("j")
    argument = argued(
        identity(
            Trace(product(i.T, product(-1, psi.T * s), product(-1, s.T * psi), j)),
            Trace(i.T * psi.T * s * s.T * psi * j),
            "entry (i, j) for all dimensions: the score about x[0] is -Psi' s, s = (d gamma/dw)/gamma",
        ),
        reason="the integrand gamma s s' is (1/gamma)(d gamma/dw)(d gamma/dw)'",
        conclusion="the information about x[0]",
        written=product(gamma, power(quotient(d, gamma), 2)),
        lemmas=("chain rule: the density of y is gamma(y - Psi x[0])",),
    )
    return Formula(gamma * (d / gamma) ** 2, "=", weight * d**2, argument=argument)


@DOSSIER.disputed(
    "dyn-Q",
    "Quality of the answers over time (Section 4)",
    printed="Q = E|y - Psi x[0]|^2 is the integral of w' w gamma(w).",
    twin="Q is 1 % larger than that.",
    at=(sp.Integer(1), sp.Rational(101, 100)),
)
def dyn_q(factor: sp.Expr) -> Formula:
    """y - Psi x[0] is w, in every dimension; per entry the printed square."""
    answer, w = sp.symbols("f w", real=True)
    psi, x, noise = Letter("P"), Column("x"), Column("w")
    rows_and_columns = ((x.T * psi.T + noise.T, x.T * psi.T), (psi * x + noise, psi * x))
    argument = argued(
        identity(
            Trace(product(*(difference(a, b) for a, b in rows_and_columns))),
            factor * Trace(noise.T * noise),
            "|y - Psi x[0]|^2 is |w|^2",
        ),
        reason="and so it is entry by entry",
        conclusion="Q is the second moment of the noise",
        written=power(difference(answer + w, answer), 2),
    )
    return Formula((answer + w - answer) ** 2, "=", factor * w**2, argument=argument)


@dataclass(frozen=True)
class PropagatedNoise:
    """w = Psi z, z centred normal with the covariance `covariance`, a function of G: its value at an eigenvalue a of G.

    `densities`: the claim is made among all densities of w on R^(m(T+1)), not only for noise on the range of Psi.
    """

    covariance: sp.Expr
    densities: bool = False

    @property
    def whitened(self) -> OptimalNoise:
        """The same for u = G^(1/2) z: J = Tr(I_z) = Tr(G K_u) and Q = E z'Gz = E|u|^2."""
        return OptimalNoise(GaussianNoise.with_variance(EIGENVALUE * self.covariance))


def _cheapest(claim: PropagatedNoise, rng: np.random.Generator) -> Evidence:
    """The derivation for u, and the infimum over densities; a claim about densities falls with the rank of Psi z."""
    if claim.densities:
        found = on_instances(Instances("noise with a density", {}, _overdetermined), rng)
        return replace(found, check="derivation")
    found = optimality.derivation(claim.whitened, rng)
    if found.verdict is not Verdict.PROVED:
        return found
    beyond = infimum()
    verdict = Verdict.PROVED if beyond.check() is Truth.HOLDS else Verdict.UNDECIDED
    more = f"{found.measured.note}; the infimum over densities on more dimensions: {len(beyond.steps)} steps"
    measured = found.measured.model_copy(update={"note": more})
    return replace(found, verdict=verdict, derivation=tuple(recorded(beyond)), measured=measured)


def _semidefinite(claim: PropagatedNoise, rng: np.random.Generator) -> Evidence:
    return optimality.semidefinite(claim.whitened, rng)


def _oscillator(claim: PropagatedNoise, rng: np.random.Generator) -> Evidence:
    return optimality.oscillator(claim.whitened, rng)


def _priced(claim: PropagatedNoise, rng: np.random.Generator) -> Evidence:
    """J and Q from Psi itself, on systems of order two."""
    factor = sp.simplify(claim.covariance * sp.sqrt(EIGENVALUE * RHO))
    return on_instances(Instances("trajectory cost", {"factor": sp.sstr(factor)}, _priced_systems), rng)


@DOSSIER.disputed(
    "theorem-4",
    "Optimal noise for the initial state (Theorem 4)",
    checks=(_priced, _cheapest, _semidefinite, _oscillator),
    condition="The noise lives on the range of Psi (w = Psi z, z with a density), or m(T+1) = n. Problem 3 asks for a "
    "density of w on R^(m(T+1)), which Psi z does not have if m(T+1) > n.",
    printed="With G = Psi' Psi invertible, the minimiser of J + rho Q is w = Psi z with z centred normal of covariance "
    "2 G^(-1/2) / sqrt(rho).",
    twin="The covariance of z is G^(-1/2) / sqrt(rho); the printed noise costs a quarter more. What is least is the "
    "cost among noises on the range of Psi, 2 sqrt(rho) Tr G^(1/2); it is also the infimum over all densities on "
    "R^(m(T+1)), which no density reaches if m(T+1) > n.",
    without="The noise w = Psi z with the right covariance is a solution of Problem 3 for every T: it has a density on R^(m(T+1)).",
    at=((2, False), (1, False), (1, True)),
)
def theorem_4(factor: int, densities: bool) -> PropagatedNoise:
    """Noise on the range of Psi is Corollary 6 with A = G; noise with a density on more dimensions has no optimum."""
    right = 1 / sp.sqrt(EIGENVALUE * RHO)
    return PropagatedNoise(factor * right, densities)


@DOSSIER.disputed(
    "theorem-4-propagation",
    "The optimal noise is not independent over time (after Theorem 4)",
    checks=ARGUED,
    condition="C has full row rank and m(T+1) > n: there are more answers than states.",
    printed="The noise w = Psi z at time k is C A^k z, z added to the initial state and carried along; for T >= 1 it is "
    "never independent and identically distributed over time.",
    without="The same whenever G is invertible, also for m(T+1) = n.",
    at=(False, True),
)
def theorem_4_propagation(square: bool) -> Parts:
    """Independent equal noise has a covariance of rank m(T+1), Psi z one of rank n: they differ where n < m(T+1)."""
    horizon = sp.Symbol("T", positive=True, integer=True)
    more = _m * (horizon + 1) - _n + int(square)
    rank = Formula(_m * (horizon + 1), ">", _n, (more,), _rank_argument)
    systems = _all_planar_systems if square else _planar_systems
    return Parts((rank,), Instances("noise over time", {"power": "k"}, systems))


def _rank_argument(formula: Formula) -> Derivation:
    slack = sp.Symbol("s", positive=True, integer=True)
    # What the condition says is put in place of n: m(T+1) - n = s (or s - 1) with s >= 1.
    (condition,) = formula.where
    given = sp.solve(sp.Eq(condition, slack), _n)[0]
    steps = (
        Step(
            sp.expand(formula.left - formula.right.subs(_n, given)),
            ">",
            sp.Integer(0),
            "the covariance of independent equal noise has rank m(T+1) where C has full row rank, that of Psi z rank n",
        ),
    )
    return Derivation(
        "Psi z is not independent noise",
        steps,
        (
            "the block w[0] = C z has a covariance of full rank m, as z has and C has full row rank; T+1 independent copies have rank m(T+1)",
            "rank of a product: Psi Sigma Psi' has rank n",
        ),
    )


@DOSSIER.disputed(
    "remark-8",
    "When the observability Gramian is invertible (Remark 8)",
    printed="If (A, C) is observable and T >= n, then Psi' Psi is invertible (T >= n - 1 is enough).",
    twin="If (A, C) is observable and T >= n - 2, then Psi' Psi is invertible.",
    at=(_n, _n - 2),
)
def remark_8(least: sp.Expr) -> Parts:
    """Rank Psi_T stops growing at T = n - 1 (Cayley-Hamilton); a chain of integrators needs all n answers."""
    argument = argued(
        reason="the printed horizon gives at least the n blocks C, ..., C A^(n-1)",
        conclusion="G is invertible",
        lemmas=(
            "Kalman: (A, C) is observable if and only if the blocks C, ..., C A^(n-1) have rank n together",
            "Cayley-Hamilton: later blocks are combinations of these, so that the rank stays",
        ),
    )
    formula = Formula(least + 1, ">=", _n, (least + 1,), argument)
    return Parts((formula,), Instances("least horizon", {"least": sp.sstr(least)}, _observable_systems))


# Instances: telling ones first, then random ones of small integers.


def _rows(matrix: Any) -> list[list[str]]:
    return [[str(e) for e in row] for row in np.asarray(matrix).tolist()]


def _column(rng: np.random.Generator, size: int) -> list[list[str]]:
    return _rows(rng.integers(-5, 6, size=(size, 1)))


def _systems(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    for n, m, horizon in ((2, 1, 3), (1, 1, 0), (2, 2, 1), (3, 2, 2), (1, 2, 2), (3, 1, 4), (2, 3, 2)):
        a, c = rng.integers(-2, 3, size=(n, n)), rng.integers(-2, 3, size=(m, n))
        noise = [_column(rng, m) for _ in range(horizon + 1)]
        yield {"A": _rows(a), "C": _rows(c), "x": _column(rng, n), "w": noise}


def _informations(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    yield {"I": [["1"]], "T": "1"}
    yield {"I": _rows(3 * np.eye(4, dtype=int)), "T": "0"}
    for n in (2, 3, 4, 5, 2, 3):
        root = rng.integers(-3, 4, size=(n, n)) + 4 * np.eye(n, dtype=int)
        yield {"I": _rows(root @ root.T + np.eye(n, dtype=int)), "T": str(int(rng.integers(0, 6)))}


_CHAIN = ((("1", "1"), ("0", "1")), (("1", "0"),))
_TURN = ((("0", "1"), ("-1", "0")), (("1", "0"),))


def _overdetermined(_: np.random.Generator) -> Iterator[dict[str, Any]]:
    for horizon in ("2", "1", "5"):
        yield {"A": [list(r) for r in _CHAIN[0]], "C": [list(r) for r in _CHAIN[1]], "T": horizon}


def _planar_systems(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Observable systems of order 1 and 2 with one answer, and more answers than states."""
    for step, output in (_CHAIN, _TURN):
        for horizon in (2, 3, 6):
            yield _with_state([list(r) for r in step], [list(r) for r in output], horizon, rng)
    for horizon in (1, 2):
        yield _with_state([["1/2"]], [["1"]], horizon, rng)
    for _ in range(8):
        a, c = rng.integers(-2, 3, size=(2, 2)), rng.integers(-2, 3, size=(1, 2))
        if np.linalg.matrix_rank(np.concatenate([c, c @ a])) == 2:
            yield _with_state(_rows(a), _rows(c), int(rng.integers(2, 5)), rng)


def _priced_systems(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    for system in _planar_systems(rng):
        yield {**system, "rho": f"{int(rng.integers(1, 20))}/4"}


def _all_planar_systems(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """A quarter turn first: Psi is the identity and z passes as it is."""
    yield _with_state([list(r) for r in _TURN[0]], [list(r) for r in _TURN[1]], 1, rng)
    yield from _planar_systems(rng)


def _with_state(
    a: list[list[str]], c: list[list[str]], horizon: int, rng: np.random.Generator
) -> dict[str, Any]:
    return {"A": a, "C": c, "T": str(horizon), "z": _column(rng, len(a))}


def _observable_systems(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    """Chains of integrators, which need every answer, then random systems."""
    for n in (2, 3, 5, 1):
        yield {
            "A": _rows(np.eye(n, dtype=int) + np.eye(n, k=1, dtype=int)),
            "C": _rows(np.eye(1, n, dtype=int)),
        }
    for n, m in ((2, 1), (3, 1), (4, 1), (3, 2), (5, 2)):
        yield {"A": _rows(rng.integers(-2, 3, size=(n, n))), "C": _rows(rng.integers(-2, 3, size=(m, n)))}
