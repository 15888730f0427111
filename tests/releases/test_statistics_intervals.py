"""What is published of a noisy number beyond its declared ends: it is moved to the end, and its interval with it."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np
import pytest

from noiseproof.mechanisms.statistics.amounts import product_of, steps_of
from noiseproof.mechanisms.statistics.counts import Count, Distinct
from noiseproof.mechanisms.statistics.figures import Figure, between
from noiseproof.mechanisms.statistics.measurement import Unit
from noiseproof.mechanisms.statistics.parts import Drawer, Part, SumsDrawer
from noiseproof.mechanisms.statistics.rows import Axis
from noiseproof.mechanisms.statistics.statistic import Statistic
from noiseproof.mechanisms.statistics.sums import Mean, Sum, SumOfMean, Variance
from noiseproof.mechanisms.statistics.workload import Workload

TOWN = Axis("town", ("a", "b", "c"))
AGE, CENTRED = (steps_of("age", 0, 100, whole=True, centred=c) for c in (False, True))
BELOW: dict[str, Statistic] = {
    "count": Count("x"),
    "distinct": Distinct("x", bins=(TOWN,)),
    "sum": Sum("x", amount=AGE),
    "sum below 0": Sum("x", amount=steps_of("debt", -100, 0, whole=True, centred=False)),
    "mean": Mean("x", amount=CENTRED),
    "sum beside a mean": SumOfMean("x", amount=CENTRED),
    "variance": Variance("x", amount=CENTRED, square=product_of(CENTRED, CENTRED)),
}


def drawers_of(one: Statistic, noise: str = "gaussian") -> Mapping[Part, Drawer]:
    return Workload((one,), Unit(), noise, Fraction(1, 8)).drawers


def published(one: Statistic, drawers: Mapping[Part, Drawer], *noisy: int) -> Figure:
    """What is said where the parts came out as these whole numbers of steps."""
    sums = (np.array([[value]], dtype=object) for value in noisy)
    return next(
        one.figures({part: (drawers[part], total) for part, total in zip(one.parts, sums, strict=True)})
    )


@pytest.mark.parametrize("far", [-(10**6), -30, -1, 0, 1, 30, 10**6])
@pytest.mark.parametrize("name", BELOW)
def test_an_interval_holds_what_is_published_and_more_than_that(name: str, far: int) -> None:
    one = BELOW[name]
    count = [] if len(one.parts) == 1 else [500]
    told = published(one, drawers_of(one), *[far] * (len(one.parts) - len(count)), *count)
    assert told.value is not None
    assert told.low is not None
    assert told.high is not None
    assert told.low <= told.value <= told.high
    assert told.low < told.high


@pytest.mark.parametrize("noise", ["gaussian", "laplace"])
@pytest.mark.parametrize("name", ["count", "many values"])
def test_every_true_number_is_held_with_the_probability_that_is_said(name: str, noise: str) -> None:
    one = {**BELOW, "many values": Distinct("x", bins=(Axis("town", tuple(map(str, range(80)))),))}[name]
    drawers = drawers_of(one, noise)
    drawer, said = drawers[one.parts[0]], one.probability(drawers)
    assert isinstance(drawer, SumsDrawer)
    assert said is not None
    noises = np.arange(-250, 251)
    mass = np.exp(drawer.law.log_mass(noises))
    held = {}
    for true in (0, 1, 40):
        figures = [published(one, drawers, true + int(k)) for k in noises]
        inside = [f.low <= true <= f.high for f in figures]  # type: ignore[operator]
        held[true] = float(mass[inside].sum())
    assert min(held.values()) >= said - 1e-9
    # At an end intervals hold more often; away from it as often as is said, and not more.
    assert held[0] > said + 0.005
    assert held[40] == pytest.approx(said, abs=1e-6)


def test_an_interval_is_moved_no_further_than_to_its_end() -> None:
    assert between(-50.0, (-58.0, -42.0), 0.0, 10.0) == (0.0, (0.0, 8.0))
    assert between(-3.0, (-11.0, 5.0), 0.0, 10.0) == (0.0, (0.0, 8.0))
    assert between(4.0, (-4.0, 12.0), 0.0, 10.0) == (4.0, (0.0, 10.0))
    assert between(13.0, (5.0, 21.0), 0.0, 10.0) == (10.0, (2.0, 10.0))
    assert between(60.0, (52.0, 68.0), 0.0, 10.0) == (10.0, (2.0, 10.0))


def test_the_noise_of_a_number_is_told_in_the_unit_of_its_column() -> None:
    pay = steps_of("pay", 0, 10.5, whole=False, centred=False)
    one = Sum("x", amount=pay)
    drawers = drawers_of(one)
    drawer = drawers[one.parts[0]]
    assert isinstance(drawer, SumsDrawer)
    assert pay.step < 1
    deviation = drawer.law.standard_deviation() * float(pay.step)
    assert published(one, drawers, 7).noise == (
        f"gaussian, deviation {deviation:.6g} in steps of {float(pay.step):.6g}"
    )
    whole = published(BELOW["sum"], drawers_of(BELOW["sum"]), 7).noise
    assert whole == "gaussian, deviation 200"
