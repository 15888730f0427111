"""The large-margin objective of multiclass Gaussian classification, its derivatives, and bounds from below by its dual."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ...symbolic.arrays import Floats, Ints
from ...symbolic.programs.symmetric import Triangle, matrices, order_of, outer_products
from .huber import Huber


@dataclass(frozen=True, eq=False)
class Objective:
    """share sum_i sum_{c != y_i} loss(x_i'(Phi_c - Phi_{y_i}) x_i) + price sum_c tr Psi_c + (ridge/2)|Phi|^2 + <tilt, Phi>.

    Pathak, Raj (2010), equation 5, with share = 1, no ridge and no tilt.  `outer` (n, s) are the coordinates of x x' of
    the records, each with a 1 behind it (k = d + 1 entries, s = k (k + 1)/2); `labels` (n,) are the numbers of their
    classes; parameters are coordinates (..., C, s) of C symmetric matrices; Psi_c is Phi_c without its last row and column.
    """

    outer: Floats = field(repr=False)
    labels: Ints = field(repr=False)
    classes: int
    loss: Huber
    price: float
    ridge: float = 0.0
    share: float = 1.0
    tilt: Floats | None = field(default=None, repr=False)

    @classmethod
    def of(
        cls,
        features: Floats,
        labels: Ints,
        classes: int,
        loss: Huber,
        price: float,
        ridge: float = 0.0,
        average: bool = False,
    ) -> Objective:
        """The objective of records (n, d) and numbers of classes (n,); `average` divides the loss by n."""
        extended = np.column_stack([features, np.ones(len(features))])
        share = 1 / len(features) if average else 1.0
        return cls(outer_products(extended), np.asarray(labels), classes, loss, price, ridge, share)

    @property
    def linear(self) -> Floats:
        """The coefficients (C, s) of the linear part: price times the identity without its last entry, and the tilt."""
        k = order_of(self.outer.shape[1])
        triangle = Triangle(k)
        one = self.price * np.where((triangle.counts == 1.0) & (triangle.rows < k - 1), 1.0, 0.0)
        return np.tile(one, (self.classes, 1)) + (0.0 if self.tilt is None else self.tilt)

    def leads(self, phi: Floats) -> Floats:
        """x_i'(Phi_c - Phi_{y_i}) x_i, shape (..., n, C); 0 for the own class."""
        scores = self.outer @ np.swapaxes(phi, -1, -2)
        own = np.take_along_axis(
            scores, np.broadcast_to(self.labels[:, None], (*scores.shape[:-1], 1)), axis=-1
        )
        return np.asarray(scores - own)

    def value(self, phi: Floats) -> Floats:
        """The objective at parameters (..., C, s), shape (...)."""
        losses = (self.loss.value(self.leads(phi)) * self._others).sum(axis=(-2, -1))
        rest = (self.linear * phi).sum(axis=(-2, -1)) + self.ridge / 2 * (phi**2).sum(axis=(-2, -1))
        return np.asarray(self.share * losses + rest)

    def weights(self, phi: Floats) -> Floats:
        """How hard each record pulls each wrong class, in [0, 1], shape (..., n, C)."""
        return np.asarray(self.loss.pull(self.leads(phi)) * self._others)

    def slope(self, weights: Floats) -> Floats:
        """The gradient of the loss and the linear part for given weights (..., n, C), shape (..., C, s)."""
        pulls = self._own * weights.sum(axis=-1, keepdims=True) - weights
        return np.asarray(self.share * np.swapaxes(pulls, -1, -2) @ self.outer + self.linear)

    def gradient(self, phi: Floats) -> Floats:
        """The gradient at parameters (..., C, s)."""
        return np.asarray(self.slope(self.weights(phi)) + self.ridge * phi)

    def hessian(self, phi: Floats) -> Floats:
        """The second derivative where it exists, shape (..., C s, C s)."""
        bend = self.loss.curvature(self.leads(phi)) * self._others
        c, s = self.classes, self.outer.shape[1]
        total = bend.sum(axis=-1)
        cross = -self._own[..., :, None] * bend[..., None, :]
        each = cross + np.swapaxes(cross, -1, -2)
        each = each + np.einsum("...nc,cd->...ncd", bend + self._own * total[..., None], np.eye(c))
        squares = (self.outer[:, :, None] * self.outer[:, None, :]).reshape(len(self.outer), s * s)
        lead = each.shape[:-3]
        flat = np.moveaxis(each, -3, -1).reshape(*lead, c * c, len(self.outer)) @ squares
        blocks = flat.reshape(*lead, c, c, s, s)
        full = np.swapaxes(blocks, -3, -2).reshape(*lead, c * s, c * s)
        return np.asarray(self.share * full + self.ridge * np.eye(c * s))

    @property
    def free(self) -> bool:
        """Whether neither ridge nor tilt holds the last rows: see `reduced`."""
        return self.ridge == 0 and self.tilt is None

    def lower_bound(self, weights: Floats, radius: float = np.inf) -> float:
        """A value that no positive semidefinite parameters get below: the dual at `weights` (n, C), each in [0, 1].

        Without a ridge it holds for traces of Phi_c up to `radius`; if there is no tilt either, for traces of Psi_c, lengths
        of last columns and corners less their mean up to `radius`: a common number on all corners costs nothing.
        """
        dual = self.share * float((self.loss.conjugate(weights) * self._others).sum())
        slopes = matrices(self.slope(weights))
        if self.ridge > 0:
            short = np.minimum(np.linalg.eigvalsh(slopes), 0.0)
            return dual - float((short**2).sum()) / (2 * self.ridge)
        blocks = slopes[:, :-1, :-1] if self.free else slopes
        missing = -float(np.minimum(np.linalg.eigvalsh(blocks)[:, 0], 0.0).sum())
        if self.free:
            missing += 2 * float(np.linalg.norm(slopes[:, :-1, -1], axis=-1).sum())
            missing += float(np.abs(slopes[:, -1, -1]).sum())
        return dual - (missing * radius if missing > 0 else 0.0)

    @property
    def _own(self) -> Floats:
        return np.asarray(self.labels[:, None] == np.arange(self.classes), dtype=float)

    @property
    def _others(self) -> Floats:
        return 1.0 - self._own
