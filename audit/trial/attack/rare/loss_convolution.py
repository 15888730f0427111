"""The profile of independent noise on several entries: the loss of each entry integrated, then all of them convolved.

Numbers from the density alone.  Each node of the integral puts its mass on the two neighbouring points of a lattice
of losses so that neither input's mass changes; what that adds to the variance of the losses bounds the error.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from .....symbolic.arrays import Floats
from .....symbolic.privacy.loss_lattice import common_multiples
from ...line_integral import LineDensity

_CELLS = 250_000  # of the largest loss of all entries together
_ACCURATE = 1e-9  # of delta
_BETWEEN = 4097
_TINY = 1e-280  # densities below have lost their digits, and carry no mass
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


def convolved_profile(density: LineDensity, shift: Floats) -> Callable[[float], float] | None:
    """delta(epsilon), the larger of both orders, of noise with this density on entries moved by `shift` (d,).

    None where the lattice is too coarse for nine digits: losses too large, entries too many, or atoms of the losses
    (Laplace noise has them) that no common step holds.
    """
    moved = shift[shift != 0]
    size, counts = np.unique(np.round(moved / np.abs(moved).max(), 11), return_counts=True)
    steps = size * np.abs(moved).max()
    orders = [_LossLaw.of(density, sign * steps, counts) for sign in (1.0, -1.0)]
    if any(law is None for law in orders):
        return None
    return lambda epsilon: max(law.delta(epsilon) for law in orders if law is not None)


class _LossLaw:
    """Masses of the total loss log p/q under p, with the mass on which q vanishes apart."""

    def __init__(self, losses: Floats, masses: Floats, beyond: float) -> None:
        self.losses, self.masses, self.beyond = losses, masses, beyond

    @classmethod
    def of(cls, density: LineDensity, shifts: Floats, counts: NDArray[np.int64]) -> _LossLaw | None:
        entries = [_one_entry(density, float(s)) for s in shifts]
        reach = np.array([max(float(np.abs(loss).max()), 1e-12) for loss, _, _ in entries])
        places = common_multiples(reach, counts, _CELLS)
        if places is None:
            if any(_has_atoms(loss, mass) for loss, mass, _ in entries):
                return None
            step = float(reach @ counts) / _CELLS
            places = np.ceil(reach / step)
        else:
            step = float((reach / places).max())
        width = int(places @ counts)
        n = 2 ** int(np.ceil(np.log2(2 * width + 2)))
        product, inside, spread = np.ones(n // 2 + 1, dtype=complex), 1.0, 0.0
        for (loss, mass, infinite), place, count in zip(entries, places, counts, strict=True):
            on, added = _split(loss, mass, step, int(place))
            spread += count * added
            inside *= (1.0 - infinite) ** int(count)
            product *= np.fft.rfft(on, n) ** int(count)
        if spread > 2 * _ACCURATE:
            return None
        masses = np.maximum(np.fft.irfft(product, n)[: 2 * width + 1], 0.0)
        # Splitting must not push a loss beyond the largest one.
        losses = np.minimum(step * np.arange(-width, width + 1), float(reach @ counts))
        return cls(losses, masses, 1.0 - inside)

    def delta(self, epsilon: float) -> float:
        ahead = self.losses > epsilon
        return float(self.masses[ahead] @ -np.expm1(epsilon - self.losses[ahead])) + self.beyond


def _one_entry(density: LineDensity, shift: float) -> tuple[Floats, Floats, float]:
    """Losses log f(w)/f(w + shift) at the nodes and their masses under f; the mass where f(w + shift) = 0."""
    # A loss that is not smooth changes between the two centres: finely cut, its law is as good as continuous.
    between = np.linspace(-shift, 0.0, _BETWEEN)
    knots = np.unique(np.concatenate([density.knots, density.knots - shift, between]))
    half = np.diff(knots) / 2
    nodes = ((knots[:-1] + half)[:, None] + half[:, None] * _NODES).ravel()
    p, q = density.pdf(nodes), density.pdf(nodes + shift)
    mass = p * (half[:, None] * _WEIGHTS).ravel()
    there = (p > _TINY) & (q > _TINY)
    loss = np.log(p[there]) - np.log(q[there])
    return loss, mass[there], float(mass[(p > _TINY) & (q <= _TINY)].sum())


def _has_atoms(loss: Floats, mass: Floats) -> bool:
    """Whether the largest loss has a mass of its own."""
    return float(mass[loss >= loss.max() - 1e-12 * np.abs(loss).max()].sum()) > _ACCURATE


def _split(loss: Floats, mass: Floats, step: float, place: int) -> tuple[Floats, float]:
    """Masses at -place..place steps that keep the masses of both inputs, and the variance that was added."""
    low = np.clip(np.floor(loss / step), -place, place - 1)
    over = np.clip(loss - low * step, 0.0, step)
    share = np.expm1(-over) / np.expm1(-step)
    index = (low + place).astype(int)
    on = np.bincount(index, (1 - share) * mass, 2 * place + 1) + np.bincount(
        index + 1, share * mass, 2 * place + 1
    )
    return np.asarray(on, dtype=float), float(mass @ (over * (step - over)))
