"""Problem 1 on boxes: the ascent, the bound it cannot pass, and where no density attains the supremum."""

from __future__ import annotations

import numpy as np
import pytest
from policy_trials.box_modes import BoxModes
from policy_trials.trace_inverse import TraceInverseProblem, maximise_trace_inverse, theorem_1_residual

SHEAR = np.array([[1.0, 0.0], [1.0, 1.0]])


def solved(query, widths, count=8, starts=4, seed=0):
    problem = TraceInverseProblem(np.asarray(query, dtype=float), BoxModes(widths, count))
    return maximise_trace_inverse(problem, np.random.default_rng(seed), starts)


@pytest.mark.parametrize("widths", [(1.0,), (1.0, 2.0), (0.5, 1.0, 1.5)])
def test_the_information_of_a_sine_series_is_that_of_its_density(widths) -> None:
    """K by quadrature of differences of u, against the closed matrix forms."""
    modes = BoxModes(widths, 3)
    state = np.random.default_rng(1).standard_normal(3 ** len(widths))
    state /= np.linalg.norm(state)
    table, weights = np.polynomial.legendre.leggauss(12)
    axes = [width * (table + 1) / 2 for width in widths]
    points = np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")], axis=1)
    mass = np.prod(np.stack(np.meshgrid(*[weights] * len(widths), indexing="ij")), axis=0).ravel()
    mass = mass * np.prod(np.array(widths) / 2)
    assert mass @ modes.density(state, points) == pytest.approx(1, abs=1e-7)
    step = 1e-5
    slopes = [
        (modes.root(state, points + step * e) - modes.root(state, points - step * e)) / (2 * step)
        for e in np.eye(len(widths))
    ]
    expected = 4 * np.array([[mass @ (a * b) for b in slopes] for a in slopes])
    assert modes.information(state) == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_in_one_dimension_the_cosine_density_is_optimal() -> None:
    found = solved([[2.0]], (1.5,))
    assert found.best.value == pytest.approx(1.5**2 / (4 * np.pi**2) / 4)
    assert found.best.value == pytest.approx(found.upper_bound)
    w = np.array([[0.3], [0.75], [1.6]])
    expected = [2 / 1.5 * np.sin(np.pi * 0.3 / 1.5) ** 2, 2 / 1.5, 0.0]
    assert found.best.density(w) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("query", "widths"),
    [
        (np.eye(2), (1.0, 1.0)),
        (np.eye(2), (1.0, 3.0)),
        ([[1, 1], [1, -1]], (1.0, 2.0)),
        (np.eye(3), (1.0, 1.0, 2.0)),
    ],
)
def test_orthogonal_rows_attain_the_bound_from_every_start(query, widths) -> None:
    found = solved(query, widths, count=5 if len(widths) == 3 else 8)
    assert found.attained
    for ascent in found.ascents:
        assert ascent.value == pytest.approx(found.upper_bound, rel=1e-8)
        assert ascent.value <= found.upper_bound * (1 + 1e-12)
        assert ascent.residual < 1e-4
    # Problem 2's optimum is the same product of cosines.
    assert found.least_trace.value == pytest.approx(found.upper_bound, rel=1e-12)


def test_the_ascent_never_descends() -> None:
    for ascent in solved(SHEAR, (1.0, 1.0), starts=6).ascents:
        assert np.all(np.diff(ascent.values) >= -1e-13)
        assert len(ascent.values) > 5


def test_without_orthogonal_rows_the_supremum_is_approached_and_not_attained() -> None:
    found = [solved(SHEAR, (1.0, 1.0), count=count, starts=2) for count in (4, 8, 16)]
    values = [f.best.value for f in found]
    bound = found[0].upper_bound
    assert not found[0].attained
    assert bound == pytest.approx(5 / (4 * np.pi**2))
    assert values[0] < values[1] < values[2] < bound
    # Thin densities along a diagonal, in closed form, come as near as one likes.
    thin = [found[0].problem.slanted_value(e) for e in (0.1, 0.01, 1e-4)]
    assert thin[0] < thin[1] < thin[2] < bound
    assert thin[2] == pytest.approx(bound, rel=1e-3)
    # Where the supremum is not attained the necessary condition stays violated.
    assert min(f.best.residual for f in found) > 0.1


def test_problem_2_is_no_substitute_for_problem_1() -> None:
    found = solved(SHEAR, (1.0, 1.0), count=12, starts=2)
    assert found.best.value > 1.9 * found.least_trace.value
    size = 2
    information = found.problem.modes.information(found.least_trace.coefficients)
    trace = float(np.trace(found.problem.query.T @ information @ found.problem.query))
    assert size**2 / trace <= found.least_trace.value


def test_the_slanted_density_has_the_information_it_is_given() -> None:
    """cos^2 x cos^2 in slanted coordinates, by differences on a grid."""
    problem = TraceInverseProblem(SHEAR, BoxModes((1.0, 2.0), 4))
    thinness = 0.3
    side = 1.0 if problem.shape[0, 1] >= 0 else -1.0
    frame = np.stack(
        [(1 - thinness) * np.array([1.0, 2 * side]), thinness * np.array([1.0, -2 * side])], axis=1
    )
    z = (np.arange(400) + 0.5) / 400 - 0.5
    s, t = np.meshgrid(z, z, indexing="ij")
    corners = frame @ np.array([[0.5, 0.5, -0.5, -0.5], [0.5, -0.5, 0.5, -0.5]])
    assert np.all(np.abs(corners) <= np.array([[0.5], [1.0]]) + 1e-12)
    gradient = (
        2 * np.pi * np.stack([-np.sin(np.pi * s) * np.cos(np.pi * t), -np.cos(np.pi * s) * np.sin(np.pi * t)])
    )
    inner = 4 * np.einsum("iab,jab->ij", gradient, gradient) / z.size**2
    inverse = np.linalg.inv(frame)
    assert problem.value(inverse.T @ inner @ inverse) == pytest.approx(
        problem.slanted_value(thinness), rel=1e-4
    )


def test_a_random_density_satisfies_neither_the_equation_nor_the_bound_with_equality() -> None:
    problem = TraceInverseProblem(np.eye(2), BoxModes((1.0, 1.0), 4))
    rng = np.random.default_rng(3)
    for _ in range(20):
        state = rng.standard_normal(16)
        state /= np.linalg.norm(state)
        assert theorem_1_residual(problem, state) > 0.05
        assert problem.value(problem.modes.information(state)) < problem.upper_bound()


def test_starts_are_repeatable_and_told() -> None:
    seen: list[tuple[int, int]] = []
    problem = TraceInverseProblem(SHEAR, BoxModes((1.0, 1.0), 4))
    runs = [
        maximise_trace_inverse(
            problem, np.random.default_rng(5), 3, progress=lambda done, all_, _: seen.append((done, all_))
        )
        for _ in range(2)
    ]
    assert runs[0].best.values == runs[1].best.values
    assert seen == [(1, 3), (2, 3), (3, 3)] * 2


@pytest.mark.parametrize(
    ("query", "widths", "message"),
    [
        ([[1.0, 1.0]], (1.0,), "singular"),
        ([[1.0, 1.0], [2.0, 2.0]], (1.0, 1.0), "singular"),
        (np.eye(2), (1.0,), "one row for each coordinate"),
    ],
)
def test_queries_without_an_inverse(query, widths, message) -> None:
    with pytest.raises(ValueError, match=message):
        TraceInverseProblem(np.asarray(query), BoxModes(widths))


@pytest.mark.parametrize("widths", [(0.0,), (-1.0, 1.0), (np.inf,), ()])
def test_boxes_that_are_none(widths) -> None:
    with pytest.raises(ValueError, match=r"empty or unbounded|1 to 3"):
        BoxModes(widths)
