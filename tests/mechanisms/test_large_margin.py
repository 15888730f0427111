"""The large-margin objective: derivatives by sympy, three solvers, their certificates, the limit of linear rules."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from margin_trials.perturbed import PrintedPerturbation
from margin_trials.printed_loss import printed_loss
from margin_trials.public_data import public_data
from numpy.typing import NDArray

from noiseproof.mechanisms.large_margin import Huber, LargeMarginGaussian, Objective, Solution
from noiseproof.mechanisms.large_margin.conic import conic_solution
from noiseproof.mechanisms.large_margin.first_order import first_order_solution
from noiseproof.mechanisms.large_margin.newton import tilted_minimisers
from noiseproof.mechanisms.large_margin.solution import certified
from noiseproof.mechanisms.large_margin.symmetric import coordinates, matrices, outer_products, positive_part

Floats = NDArray[np.float64]
R = sp.Rational
X, Y = np.array([[0.1, 0.2], [0.3, 0.1], [0.0, 0.4]]), np.array([0, 1, 1])


def some_objective(seed: int = 0, n: int = 12, d: int = 2, classes: int = 3, **options: float) -> Objective:
    rng = np.random.default_rng(seed)
    labels = np.append(np.arange(classes), rng.integers(classes, size=n - classes))
    x = rng.uniform(-0.6, 0.6, (n, d)) + 0.3 * labels[:, None] / classes
    return Objective.of(x, labels, classes, Huber(0.4, 0.7), **{"price": 0.3, "ridge": 0.05, **options})


def psd(rng: np.random.Generator, *shape: int) -> Floats:
    root = rng.standard_normal(shape)
    return np.asarray(root @ np.swapaxes(root, -1, -2))


# Coordinates and the loss


def test_coordinates_keep_lengths_and_come_back() -> None:
    rng = np.random.default_rng(0)
    a, b = psd(rng, 5, 4, 4), psd(rng, 5, 4, 4)
    assert np.allclose((coordinates(a) * coordinates(b)).sum(-1), (a * b).sum((-1, -2)))
    assert np.allclose(matrices(coordinates(a)), a)
    x = rng.standard_normal((5, 4))
    assert np.allclose(outer_products(x), coordinates(x[:, :, None] * x[:, None, :]))
    skew = rng.standard_normal((4, 4))
    assert np.allclose(coordinates(skew), coordinates(skew.T))


def test_positive_part_is_nearest() -> None:
    rng = np.random.default_rng(1)
    a = rng.standard_normal((3, 3))
    a = a + a.T
    best = np.linalg.norm(a - positive_part(a))
    assert all(np.linalg.norm(a - p) >= best for p in psd(rng, 200, 3, 3))


@pytest.mark.parametrize(("width", "margin"), [(0.5, 1.0), (0.2, 0.0)])
def test_huber_is_convex_smooth_and_near_the_hinge(width: float, margin: float) -> None:
    loss, t = Huber(width, margin), np.linspace(-3, 3, 6001)
    value = loss.value(t)
    assert np.all(np.diff(value, 2) >= -1e-12)
    assert np.abs(np.diff(value) / np.diff(t) + loss.pull((t[1:] + t[:-1]) / 2)).max() < 1e-3
    for edge in (margin - width, margin + width):
        assert np.ptp(loss.pull(np.array([edge - 1e-9, edge + 1e-9]))) < 1e-7
    hinge = np.maximum(margin - t, 0)
    assert np.abs(value - hinge).max() == pytest.approx(width / 4)
    assert np.abs(Huber(1e-6, margin).value(t) - hinge).max() < 1e-6


def test_huber_is_the_conjugate_and_its_pieces() -> None:
    loss = Huber(0.3, 0.8)
    t, w = np.linspace(-2, 3, 101), np.linspace(0, 1, 4001)
    dual = (loss.conjugate(w)[None, :] - t[:, None] * w[None, :]).max(axis=1)
    assert np.abs(dual - loss.value(t)).max() < 1e-7
    h = 0.3
    pieces = np.select([t > 0.8 + h, t < 0.8 - h], [0 * t, 0.8 - t], (0.8 + h - t) ** 2 / (4 * h))
    assert np.allclose(pieces, loss.value(t))


def test_the_printed_loss_is_another() -> None:
    h, t = 0.5, np.array([-2.0, -0.5001, 0.0, 0.4999, 0.5001])
    printed, meant = printed_loss(t, h), Huber(h, 0.0).value(t)
    assert printed[0] < 0 < meant[0]
    assert abs(printed[-1] - printed[-2]) > h / 2
    assert printed[2] == meant[2]
    # The tangent at 0 of the printed parabola rises with the lead: it pays to be wrong.
    assert printed[3] > printed[2]


# Derivatives, from the program itself


def symbolic(objective: Objective) -> tuple[sp.Expr, list[sp.Symbol], list[sp.Matrix]]:
    """The objective written from its definition in entries of symmetric matrices, for coordinates v."""
    s, c = objective.outer.shape[1], objective.classes
    k = int((np.sqrt(8 * s + 1) - 1) / 2)
    v = list(sp.symbols(f"v:{c * s}", real=True))
    phis = []
    for i in range(c):
        phi = sp.zeros(k, k)
        for place, (row, column) in enumerate(zip(*np.tril_indices(k), strict=True)):
            entry = v[i * s + place] / (1 if row == column else sp.sqrt(2))
            phi[row, column] = phi[column, row] = entry
        phis.append(phi)
    h, m = sp.Float(objective.loss.width), sp.Float(objective.loss.margin)
    total = sp.Integer(0)
    last = matrices(objective.outer)[:, -1, :]
    for x, y in zip(last, objective.labels, strict=True):
        z = sp.Matrix([sp.Float(e) for e in x])
        for i in range(c):
            if i != y:
                t = (z.T * (phis[i] - phis[y]) * z)[0, 0]
                total += objective.share * sp.Piecewise(
                    (0, t > m + h), ((m + h - t) ** 2 / (4 * h), t >= m - h), (m - t, True)
                )
    flat = sp.diag(*([1] * (k - 1)), 0)
    for phi in phis:
        total += objective.price * (flat * phi * flat).trace()
        total += objective.ridge / 2 * sum(e**2 for e in phi)
    return total, v, phis


def test_gradient_and_hessian_term_by_term() -> None:
    objective = replace(some_objective(n=3, d=1, classes=3), share=0.25)
    total, v, _ = symbolic(objective)
    gradient = [sp.diff(total, e) for e in v]
    hessian = [sp.diff(g, e) for i, g in enumerate(gradient) for e in v[: i + 1]]
    of = sp.lambdify(v, [total, *gradient, *hessian], "math")
    seen = set()
    for phi in np.random.default_rng(2).standard_normal((6, 3, 3)):
        found = np.array(of(*phi.ravel()), dtype=float)
        assert found[0] == pytest.approx(float(objective.value(phi)))
        assert np.allclose(found[1:10], objective.gradient(phi).ravel())
        assert np.allclose(found[10:], objective.hessian(phi)[np.tril_indices(9)])
        w = objective.weights(phi)[np.arange(3) != objective.labels[:, None]]
        seen |= {float(np.sign(a) + np.sign(a - 1)) for a in w}
    assert seen == {-1.0, 0.0, 1.0}  # all three pieces were met


def test_a_wrong_term_would_be_seen() -> None:
    objective = some_objective(n=2, d=1, classes=2)
    total, v, _ = symbolic(objective)
    phi = np.random.default_rng(3).standard_normal((2, 3))
    found = np.array(sp.lambdify(v, [sp.diff(total, e) for e in v], "math")(*phi.ravel()), dtype=float)
    wrong = replace(objective, price=objective.price * 1.01).gradient(phi).ravel()
    assert np.allclose(found, objective.gradient(phi).ravel())
    assert not np.allclose(found, wrong)


def test_kkt_system_by_sympy_holds_at_the_conic_solution() -> None:
    """L = sum (u^2/(4h) + v) - w (u + v + t - m - h) - s v + lambda tr + ridge/2 |Phi|^2 - <Z, Phi>."""
    u, v, w, s, t, m, h = sp.symbols("u v w s t m h", positive=True)
    lagrangian = u**2 / (4 * h) + v - w * (u + v + t - m - h) - s * v
    assert sp.solve(sp.diff(lagrangian, u), w) == [u / (2 * h)]
    assert sp.solve(sp.diff(lagrangian, v), s) == [1 - w]
    assert sp.diff(lagrangian, t) == -w  # so that dL/dPhi is the slope at weights w, less Z
    objective = some_objective(seed=5)
    found = conic_solution(objective, 1e-11)
    phi = coordinates(found.phi)
    weights = objective.weights(phi)
    slack = matrices(objective.slope(weights) + objective.ridge * phi)  # Z
    assert np.linalg.eigvalsh(slack).min() > -1e-5
    assert np.abs(slack @ found.phi).max() < 1e-4
    assert np.linalg.eigvalsh(found.phi).min() > -1e-12
    # The same for the multipliers derived above: u = 2 h w, v = max(0, m - h - t), s = 1 - w, s v = 0.
    others = np.arange(3) != objective.labels[:, None]
    leads, pull = objective.leads(phi)[others], weights[others]
    rest = np.maximum(0, objective.loss.margin - objective.loss.width - leads)
    bent = 2 * objective.loss.width * pull
    assert np.abs((1 - pull) * rest).max() < 1e-12
    assert (bent + rest + leads - objective.loss.margin - objective.loss.width).min() > -1e-9
    assert np.isclose((bent**2 / (4 * objective.loss.width) + rest).sum(), objective.loss.value(leads).sum())


# Solvers and certificates


@pytest.mark.parametrize("ridge", [0.0, 1e-3, 0.1])
@pytest.mark.parametrize("classes", [2, 3])
def test_conic_and_first_order_agree(ridge: float, classes: int) -> None:
    objective = some_objective(seed=7, n=20, classes=classes, ridge=ridge)
    one, two = conic_solution(objective), first_order_solution(objective)
    assert one.holds(1e-5)
    assert two.holds(1e-5)
    assert one.objective == pytest.approx(two.objective, rel=2e-5)
    assert one.lower_bound == pytest.approx(two.lower_bound, rel=1e-5)
    if ridge >= 0.1:
        assert np.abs(one.phi - two.phi).max() < 1e-3
    for found in (one, two):
        assert np.linalg.eigvalsh(found.phi).min() >= -1e-12 * np.abs(found.phi).max()


def test_newton_agrees_where_the_cone_does_not_bind() -> None:
    objective = some_objective(seed=8, price=0.0, ridge=0.2)
    far = np.tile(coordinates(10 * np.eye(3)), (3, 1))
    tilted = replace(objective, tilt=-objective.ridge * far)
    found = tilted_minimisers(objective, -objective.ridge * far[None])[0]
    assert np.linalg.norm(tilted.gradient(found)) < 1e-8
    conic = conic_solution(tilted, 1e-11)
    assert np.linalg.eigvalsh(conic.phi).min() > 1
    assert np.abs(matrices(found) - conic.phi).max() < 1e-4
    assert tilted.value(found) == pytest.approx(conic.objective)
    with pytest.raises(ValueError, match="ridge"):
        tilted_minimisers(replace(objective, ridge=0.0), far[None])


@pytest.mark.parametrize("ridge", [0.0, 0.05])
@pytest.mark.parametrize("tilt", [False, True])
def test_lower_bounds_are_below_every_feasible_point(ridge: float, tilt: bool) -> None:
    rng = np.random.default_rng(9)
    objective = some_objective(seed=9, ridge=ridge)
    if tilt:
        objective = replace(objective, tilt=coordinates(np.tile(psd(rng, 3, 3), (3, 1, 1)) / 10))
    best = (conic_solution if not tilt else first_order_solution)(objective)
    points = coordinates(psd(rng, 300, 3, 3, 3) * 10.0 ** rng.uniform(-3, 1, (300, 1, 1, 1)))
    values = np.append(objective.value(points), best.objective)
    assert best.lower_bound <= values.min()
    radius = 2 * np.abs(matrices(points)).sum(axis=(-1, -2)).max()
    for weights in (rng.uniform(0, 1, (len(objective.labels), 3)), objective.weights(coordinates(best.phi))):
        assert objective.lower_bound(np.clip(weights, 0, 1), radius) <= values[:-1].min() + 1e-9


def test_the_certificate_says_both_words() -> None:
    objective = some_objective(seed=10)
    assert conic_solution(objective).holds(1e-6)
    poor = certified(objective, np.zeros((3, 6)), (), 0, "none")
    assert not poor.holds(1e-2)
    assert poor.lower_bound <= poor.objective
    assert not first_order_solution(objective, steps=1, tolerance=1e-12).holds(1e-12)


def test_a_breakdown_of_the_conic_solver_is_an_error_or_another_solver(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import clarabel

    class PanicException(BaseException):
        pass

    class Broken:
        def __init__(self, *_: object) -> None: ...

        def solve(self) -> None:
            raise PanicException("eigenvalues")

    data = public_data("iris", 2)
    whole = LargeMarginGaussian().fit(data.features, data.labels)
    monkeypatch.setattr(clarabel, "DefaultSolver", Broken)
    with pytest.raises(ArithmeticError, match="broke down"):
        LargeMarginGaussian(solver="conic").fit(data.features, data.labels)
    other = LargeMarginGaussian().fit(data.features, data.labels).solution_
    assert other.solver == "first-order"
    assert other.objective == pytest.approx(whole.solution_.objective)
    assert PrintedPerturbation(0.05).minimise(X, Y, 0.02 * np.eye(3)).holds(1e-5)


# Without a ridge


SEPARABLE = (np.array([[0.5], [-0.5]]), np.array([0, 1]))


@pytest.mark.parametrize("solve", [conic_solution, first_order_solution])
@pytest.mark.parametrize("price", [0.1, 1e3])
def test_without_a_ridge_the_infimum_need_not_be_attained(
    solve: Callable[[Objective], Solution], price: float
) -> None:
    """Every lambda: linear rules cost nothing in the limit, while a rule of no cost has Psi = 0, so q = 0, and pays the loss."""
    objective = Objective.of(*SEPARABLE, 2, Huber(0.5, 0.0), price)
    costs = []
    for t in 10.0 ** -np.arange(1, 6):
        phi = np.array([[[t, -s / 2], [-s / 2, 1 / (4 * t)]] for s in (1, -1)])
        assert np.linalg.eigvalsh(phi).min() > -1e-9
        costs.append(float(objective.value(coordinates(phi))))
    assert np.allclose(costs, 2 * price * 10.0 ** -np.arange(1, 6))
    corners_only = coordinates(np.array([np.diag([0.0, 0.0]), np.diag([0.0, 5.0])]))
    assert objective.value(corners_only) >= 0.25
    found = solve(objective)
    assert abs(found.lower_bound) < 1e-12
    assert 0 < found.objective < 1e-3
    assert found.phi[:, 0, 0].max() < 1e-5
    assert found.phi[:, 1, 1].min() > 1e4
    assert np.linalg.eigvalsh(found.phi).min() > -1e-6


def test_the_infimum_on_iris_is_known_to_nine_digits() -> None:
    data = public_data("iris")
    objective = Objective.of(data.features, data.labels, 3, Huber(0.5, 1.0), 1.0)
    one, two = conic_solution(objective), first_order_solution(objective)
    assert one.lower_bound == pytest.approx(two.lower_bound, rel=1e-8)
    assert one.holds(1e-5)
    assert two.holds(1e-5)
