"""The search for the worst rate of an event: exact sums of large counts, and nothing above the bound between two nodes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import special, stats

from noiseproof.audit.trial.attack.event_bound import EventCount, EventTest, _cubic_top, _highest_between

Floats = NDArray[np.float64]

LARGE = (
    EventCount(21_980, 950_000, 1_316, 950_000),
    EventCount(126_324, 950_000, 16_189, 950_000),
    EventCount(409_266, 950_000, 114_403, 950_000),
    EventCount(900_000, 950_000, 600_000, 950_000),
    EventCount(300, 60_000_000, 70, 40_000_000),
)


IN_BLOCKS = EventCount(10_000_000, 20_000_000, 5_000_000, 20_000_000)


def searched(test: EventTest, ratio: float) -> tuple[Floats, Floats, Floats, Floats]:
    """The rates that a test looks at, and the counts under Q with their edges."""
    q = test._nodes(ratio)
    y = test._window(q, test.count.m)
    return np.minimum(ratio * q + test.delta, test.p_high), q, y, test._edge(y)


@pytest.mark.parametrize("alpha", [0.05, 1e-8])
@pytest.mark.parametrize("count", LARGE, ids=str)
def test_probabilities_of_large_counts_are_those_of_scipy(count: EventCount, alpha: float) -> None:
    test = EventTest(count, 0.0, alpha)
    ratio = float(np.exp(test.nominal))
    p, q, y, edge = searched(test, ratio)
    found, _ = test._probability(p, q, ratio, y, edge)
    looked = np.unique(np.linspace(0, len(q) - 1, 7).astype(int))
    # More counts than any window holds, so that what a window leaves out is seen too.
    wide = np.arange(max(y[0] - len(y), 0.0), min(y[-1] + len(y), count.m) + 1)
    for i in looked:
        plain = stats.binom.sf(test._edge(wide) - 1, count.n, p[i]) @ stats.binom.pmf(wide, count.m, q[i])
        assert found[i] == pytest.approx(plain, rel=1e-6, abs=test.guard)
        assert found[i] + test.guard >= plain
    assert test.p_value(test.nominal) >= float(found.max()) + test.beta + test.guard


@pytest.mark.parametrize("delta", [0.0, 0.01])
@pytest.mark.parametrize(
    "count", [*LARGE[:4], IN_BLOCKS, EventCount(30, 100, 3, 100), EventCount(8, 8, 0, 8)], ids=str
)
def test_slopes_are_those_of_the_probabilities(count: EventCount, delta: float) -> None:
    test = EventTest(count, delta, 0.05)
    ratio = float(np.exp(test.nominal))
    p, q, y, edge = searched(test, ratio)
    if count == IN_BLOCKS:
        y, edge = y[::100], edge[::100]
    inner = (q > 1e-6) & (p < 1 - 1e-6)
    q = q[inner]
    unit = 1 / np.sqrt(count.m / (q * (1 - q)) + ratio**2 * count.n / (p[inner] * (1 - p[inner])))

    def at(step: float) -> tuple[Floats, Floats]:
        moved = q + step * unit
        return test._probability(ratio * moved + delta, moved, ratio, y, edge)

    # Differences of fourth order; both are in probability per standard deviation.
    step = 0.02
    (far_below, _), (below, _), (above, _), (far_above, _) = (at(i * step) for i in (-2, -1, 1, 2))
    differences = (far_below - 8 * below + 8 * above - far_above) / (12 * step)
    assert len(q) > 5
    assert at(0.0)[1] * unit == pytest.approx(differences, rel=1e-3, abs=3e-6)
    # Not idle: along the claim the slope is small; with P(E) held it is not.
    assert np.abs(test._probability(p[inner], q, 0.0, y, edge)[1] * unit).max() > 1e-3


@given(st.lists(st.floats(-1, 1), min_size=4, max_size=4))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_the_largest_value_of_a_cubic(numbers: list[float]) -> None:
    start, end, rise, fall = numbers
    t = np.linspace(0, 1, 4001)
    values = (
        start * (1 + 2 * t) * (1 - t) ** 2
        + end * t**2 * (3 - 2 * t)
        + rise * t * (1 - t) ** 2
        - fall * t**2 * (1 - t)
    )
    with np.errstate(all="ignore"):
        found = _cubic_top(*(np.array([v]) for v in numbers))[0]
    assert values.max() - 1e-12 <= found <= values.max() + 1e-5


@pytest.mark.parametrize(
    ("n", "m", "p", "q", "ratio"), [(7, 5, 0.3, 0.1, 3.0), (3, 9, 0.9, 0.6, 1.5), (4, 4, 0.02, 0.01, 2.0)]
)
def test_fourth_order_scores_are_as_small_as_the_search_takes_them_to_be(
    n: int, m: int, p: float, q: float, ratio: float
) -> None:
    # Along the line the probability of each pair of counts is a polynomial; its fourth derivative is exact.
    step = np.polynomial.Polynomial([0.0, 1.0])

    def along(size: int, rate: float, slope: float) -> list[np.polynomial.Polynomial]:
        line = rate + slope * step
        return [special.comb(size, k) * line**k * (1 - line) ** (size - k) for k in range(size + 1)]

    second_moment = sum(
        (a * b).deriv(4)(0.0) ** 2 / ((a * b)(0.0)) for a in along(n, p, ratio) for b in along(m, q, 1.0)
    )
    information = ratio**2 * n / (p * (1 - p)) + m / (q * (1 - q))
    assert second_moment <= 24 * information**4
    assert second_moment >= 0.2 * 24 * information**4


@pytest.mark.parametrize("low", [1e-8, 0.01, 0.05, 0.4])
@pytest.mark.parametrize("step", [1.0, 0.25])
def test_the_bound_between_two_nodes_is_reached_by_a_function_that_bends_as_much_as_it_may(
    low: float, step: float
) -> None:
    # low + b t^2 (1 - t)^2 has no slope at either end, and a fourth derivative of sqrt(4! low) everywhere, at information 1.
    rise = np.sqrt(24 * low) * step**4 / 24 / 16
    q, at = np.array([0.0, step]), np.array([low, low])
    bound = _highest_between(q, at, np.zeros(2), np.array([0.3, 1.0]))[0]
    assert low + rise <= bound <= low + rise + 24 * (step**4 / 384) ** 2
    assert _highest_between(q, at, np.array([np.nan, 0.0]), np.array([np.inf, 1.0]))[0] == 1.0


@pytest.mark.parametrize(
    "count", [*LARGE, EventCount(2_000, 95_000, 200, 95_000), EventCount(30, 100, 3, 100)], ids=str
)
def test_nothing_between_two_nodes_exceeds_the_p_value(count: EventCount) -> None:
    test = EventTest(count, 0.0, 0.05)
    ratio = float(np.exp(test.lower_bound()))
    q, y = test._nodes(ratio), test._window(test._nodes(ratio), count.m)
    fine = np.interp(np.linspace(0, len(q) - 1, 20 * len(q)), np.arange(len(q)), q)
    found, _ = test._probability(np.minimum(ratio * fine, test.p_high), fine, ratio, y, test._edge(y))
    spent = test.beta + test.guard
    value = test.p_value(float(np.log(ratio)))
    assert found.max() + spent <= value <= 1.06 * (found.max() + spent)


@pytest.mark.parametrize("alpha", [0.05, 1e-6])
@pytest.mark.parametrize(
    "count",
    [
        *LARGE,
        IN_BLOCKS,
        EventCount(60, 95_000, 0, 95_000),
        EventCount(100, 100, 50, 100),
        EventCount(95, 100, 0, 100),
        EventCount(19, 20, 1, 30),
    ],
    ids=str,
)
def test_the_search_costs_next_to_nothing_of_epsilon(count: EventCount, alpha: float) -> None:
    test, finest = (EventTest(count, 0.0, alpha) for _ in range(2))
    finest.spacing = test.spacing / 5
    bound, best = test.lower_bound(), finest.lower_bound()
    assert abs(bound - best) <= 0.03 * test.standard_deviation() + 1e-4


@pytest.mark.parametrize(
    "count", [*LARGE, EventCount(60, 95_000, 0, 95_000), EventCount(8, 8, 0, 8)], ids=str
)
def test_a_bound_lies_where_the_p_value_reaches_alpha_and_is_found_in_a_few_steps(
    count: EventCount, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []
    value = EventTest.p_value
    monkeypatch.setattr(
        EventTest, "p_value", lambda self, epsilon: asked.append(epsilon) or value(self, epsilon)
    )
    test = EventTest(count, 0.0, 0.05)
    bound = test.lower_bound()
    assert len(asked) <= 4
    at_bound = value(test, bound)
    assert 0 <= -special.ndtri(at_bound) - test.z <= 0.02
    # What windows and rounding may lose is added on top.
    test.guard += 0.01
    assert value(test, bound) == pytest.approx(at_bound + 0.01, abs=1e-12)
