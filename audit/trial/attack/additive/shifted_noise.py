"""What a guarantee allows of a query plus noise of a known shape, by how many scales of the noise the query moves.

Profiles of these pairs grow with the distance, so a guarantee that fails at a certain lower bound on the distance
fails at the distance itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .....symbolic.arrays import Floats
from .....symbolic.privacy.guarantees import GUARANTEES, Guarantee
from .....symbolic.privacy.pair import GaussianPair, LaplacePair, Pair, ProductLaplacePair, gaussian_delta
from .....symbolic.proof.enclosure import rational
from .....symbolic.proof.truth import Truth
from ....record.witness import Witness, register
from ...witness_forms import HALF, AdditiveForm
from .location_scale import SHAPES, Shape, Weights

_CELLS = 8_000  # of the grid on which the losses of several entries are added up
_ROUNDING = 1e-7
_SMALLEST, _LARGEST = 1e-5, 1e4


def size(shape: Shape, ratios: Floats) -> float:
    """The one number on which the profile depends for normal noise; for others the sum, which is the largest loss."""
    return float(np.sqrt(np.sum(ratios**2)) if shape.name == "gaussian" else np.sum(ratios))


def exact_pair(shape: Shape, ratios: Floats) -> Pair | None:
    """The pair of laws, entries `ratios` scales apart; None for a shape without one, or where nothing moves."""
    moved = ratios[ratios > 0]
    if shape.name == "gaussian" and moved.size:
        return GaussianPair(rational(size(shape, moved)))
    if shape.name == "laplace" and moved.size:
        exact = tuple(rational(float(r)) for r in moved)
        return (
            LaplacePair(exact[0])
            if len(exact) == 1
            else ProductLaplacePair(exact, grid=float(moved.sum()) / _CELLS)
        )
    return None


def profile(shape: Shape, ratios: Floats, epsilon: ArrayLike) -> Floats:
    """delta(epsilon) of independent entries `ratios` scales apart; where entries are several, no more than it."""
    eps, r = np.asarray(epsilon, dtype=float), size(shape, ratios)
    if r <= 0:
        return np.zeros(eps.shape)
    if shape.name == "gaussian":
        return gaussian_delta(r, eps)
    if shape.name == "logistic":
        return _logistic_delta(float(np.max(ratios)), eps)
    pair = exact_pair(shape, ratios)
    lower = (
        pair.bounds(eps)[0] if isinstance(pair, ProductLaplacePair) else LaplacePair(rational(r)).delta(eps)
    )
    return np.maximum(0.0, lower * (1 - 1e-9))


def _logistic_delta(r: float, eps: Floats) -> Floats:
    """Two logistic laws r scales apart: the half-line on which the log ratio of the densities exceeds epsilon."""
    inside = eps < r
    e = np.where(inside, eps, 0.0)
    x = -np.expm1((e - r) / 2) / (np.exp(e / 2) - np.exp(-r / 2)) * np.exp(-r / 2)
    far = np.exp(r) * x
    return np.where(inside, np.maximum(0.0, far / (1 + far) - np.exp(e) * x / (1 + x)), 0.0)


def epsilon_grid(guarantee: Guarantee, points: int = 121) -> Floats:
    """Epsilons at which profile and claim are compared."""
    curve, knots = guarantee.curve(), guarantee.knots()
    ceiling = next((e for e in (1.0, 2.0, 5.0, 10.0, 20.0) if float(curve(e)) < 1e-9), 30.0)
    return np.unique([*np.linspace(0.0, max([ceiling, *(1.5 * k for k in knots)]), points), *knots])


@dataclass(frozen=True)
class Excess:
    """Whether the guarantee certainly fails, and the epsilon at which the profile exceeds the claim most."""

    found: bool
    epsilon: float
    delta: float
    claimed: float


def excess(guarantee: Guarantee, shape: Shape, ratios: Floats) -> Excess:
    """The guarantee put to the pair: by enclosure where its profile is a closed form, on a grid of epsilons otherwise."""
    epsilon = epsilon_grid(guarantee)
    delta, claimed = profile(shape, ratios, epsilon), np.asarray(guarantee.curve()(epsilon), dtype=float)
    at = int(np.argmax(delta - claimed))
    pair = exact_pair(shape, ratios)
    # Enclosures of the curve of many entries take long; its bounds in floating point are as good.
    enclosed = not isinstance(pair, ProductLaplacePair) or not guarantee.by_profile
    found = pair is not None and enclosed and guarantee.holds(pair) is Truth.FAILS
    if isinstance(pair, ProductLaplacePair) or pair is None:
        found = found or bool(np.any(delta > claimed * (1 + _ROUNDING) + 1e-12))
    return Excess(found, float(epsilon[at]), float(delta[at]), float(claimed[at]))


@lru_cache(256)
def allowed_ratio(guarantee: Guarantee, name: str) -> float:
    """The largest distance of two centres, in scales, at which the guarantee is not certain to fail; 0 or inf at the ends."""
    shape = SHAPES[name]
    low, high = _SMALLEST, _SMALLEST
    if excess(guarantee, shape, np.array([low])).found:
        return 0.0
    while not excess(guarantee, shape, np.array([high])).found:
        low, high = high, 4 * high
        if high > _LARGEST:
            return float("inf")
    while high - low > 1e-7 * high:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if excess(guarantee, shape, np.array([middle])).found else (middle, high)
    return low


@register("additive noise", AdditiveForm, HALF)
def additive_noise(witness: Witness) -> tuple[bool, str]:
    """Counts of events that put two centres further apart, in scales of declared noise, than the guarantee allows."""
    shape = SHAPES.get(witness["noise"])
    guarantee = GUARANTEES.get(witness["predicate"])
    if shape is None or guarantee is None:
        return False, f"no closed form is known of {witness['noise']!r} noise under {witness['predicate']!r}"
    n, parts = np.asarray(witness["trials"], dtype=float), witness["parts"]
    entries = [entry_of(part["direction"]) for part in parts]
    if len(parts) > 1 and (None in entries or len(set(entries)) < len(entries)):
        return False, "several parts add up only if each is about an entry of its own"
    ratios = []
    for part in parts:
        weights = Weights(*(np.asarray(part[key], dtype=kind) for key, kind in _NUMBERS))
        below = np.asarray(part["below"], dtype=float)
        if not weights.valid():
            return False, "the weights do not add up to the distance of two centres"
        if np.any((below < 0) | (below > n[weights.side])):
            return False, "more outcomes are counted below a threshold than there are"
        ratios.append(max(0.0, float(weights.bound(shape, below, n, float(witness["alpha"]) / len(parts)))))
    over = excess(guarantee(**witness["parameters"]), shape, np.array(ratios))
    text = (
        f"assuming additive {shape.word} noise, the query moves by at least {size(shape, np.array(ratios)):.4g} scales: "
        f"delta({over.epsilon:.4g}) is at least {over.delta:.4g}, claimed at most {over.claimed:.4g}"
    )
    return over.found, text


def entry_of(direction: Any) -> int | None:
    """The one entry that a direction picks, written as its numbers or, where they are many, as its place; None if it mixes some."""
    if isinstance(direction, dict):
        place = direction.get("entry")
        return place if isinstance(place, int) else None
    picked = np.flatnonzero(np.asarray(direction, dtype=float))
    return int(picked[0]) if len(picked) == 1 else None


_NUMBERS: Sequence[tuple[str, type]] = (("inputs", int), ("thresholds", float), ("weights", float))
