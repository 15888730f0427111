"""One number released as one of finitely many answers, with probabilities that depend on it: a table of whole weights."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, ctx, fmpq
from numpy.typing import NDArray

from ....mechanisms.grid_noise import Bits, seeded_bits
from ....mechanisms.grid_noise.alias import TOTAL_BITS, AliasTable, alias_table
from ....mechanisms.mechanism import Mechanism, WorstCase
from ....symbolic.arrays import Floats
from ....symbolic.laws.vector import Categories, OutcomeLaw
from ....symbolic.privacy.pair import DiscretePair

Whole = NDArray[np.int64]

_CHUNK = 1 << 14
_WHOLE = 1 << TOTAL_BITS
_BITS = 256


@dataclass(frozen=True, eq=False)
class Channel:
    """P(answers[a] | nodes[i]) = weights[i][a] / 2^128; a number is read as the nearest node.

    `nodes` (K,) and `answers` (A,) increase, in the unit of the column.
    """

    nodes: Floats = field(repr=False)
    answers: Floats = field(repr=False)
    weights: tuple[tuple[int, ...], ...] = field(repr=False)

    @classmethod
    def of(cls, nodes: Floats, answers: Floats, probabilities: Floats) -> Channel:
        """The table (A, K) of probabilities, in whole weights: rounded down, the rest given to the likeliest answer."""
        rows = []
        for column in probabilities.T:
            exact = [int(float(p) * 2.0**64) << (TOTAL_BITS - 64) for p in column / column.sum()]
            exact[int(np.argmax(column))] += _WHOLE - sum(exact)
            rows.append(tuple(exact))
        return cls(np.asarray(nodes, dtype=float), np.asarray(answers, dtype=float), tuple(rows))

    @cached_property
    def tables(self) -> tuple[AliasTable, ...]:
        """One exact alias table for each node."""
        return tuple(alias_table(row) for row in self.weights)

    @cached_property
    def _stacked(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        return np.stack([t.entries for t in self.tables]), np.stack([t.rest for t in self.tables])

    def places(self, values: Floats) -> Whole:
        """The number of the nearest node for each value (rows,)."""
        middles = (self.nodes[1:] + self.nodes[:-1]) / 2
        return np.searchsorted(middles, values, side="right").astype(np.int64)

    def draw(self, places: Whole, bits: Bits) -> Whole:
        """The number of an answer for each place (rows,): one word each, and another where one does not decide."""
        out = np.empty(len(places), dtype=np.int64)
        for start in range(0, len(places), _CHUNK):
            out[start : start + _CHUNK] = self._draw(places[start : start + _CHUNK], bits)
        return out

    def _draw(self, places: Whole, bits: Bits) -> Whole:
        entries, rest = self._stacked
        k = self.tables[0].columns_log2
        mask = np.uint64((1 << k) - 1)
        words = bits(len(places))
        columns = (words & mask).astype(np.int64)
        entry = entries[places, columns]
        # Threshold above, alias below: the smaller of word and entry bears the answer in its last bits.
        answer = np.minimum(words, entry) & mask
        undecided = np.flatnonzero((words ^ entry) <= mask)
        if len(undecided):
            keeps = bits(len(undecided)) < rest[places[undecided], columns[undecided]]
            answer[undecided] = np.where(keeps, words[undecided] & mask, entry[undecided] & mask)
        return answer.astype(np.int64)

    def released(self, values: Floats, bits: Bits) -> Floats:
        """The answers for values (rows,)."""
        return self.answers[self.draw(self.places(values), bits)]

    def probabilities(self) -> Floats:
        """The table (K, A) in floating point."""
        return np.array([[float(w) for w in row] for row in self.weights]) * 2.0**-TOTAL_BITS

    def spread(self) -> Floats:
        """E (answer - node)^2 for each node (K,), in squared units."""
        return np.asarray(
            (self.probabilities() * (self.answers[None] - self.nodes[:, None]) ** 2).sum(axis=1)
        )

    def worst_delta(self, epsilon: float) -> tuple[float, int, int]:
        """delta at epsilon over all pairs of nodes, in floating point with room for rounding, and the pair that has it."""
        p = self.probabilities()
        best = (0.0, 0, len(p) - 1)
        for i, row in enumerate(p):
            gains = np.maximum(row[None] - np.exp(epsilon) * p, 0.0).sum(axis=1)
            j = int(np.argmax(gains))
            if gains[j] > best[0]:
                best = (float(gains[j]), i, j)
        return min(1.0, best[0] * (1 + 1e-9) + 1e-12), best[1], best[2]

    def least_error(self) -> float:
        """The mean squared error of the best guess from an answer, for the worst of some priors on the nodes, rounded down.

        A guess cannot be better on the worst record than it is on average over a prior: the largest of these means bounds it.
        """
        position = (self.nodes - self.nodes[0]) / (self.nodes[-1] - self.nodes[0])
        share = np.gradient(self.nodes)
        ends = (position == 0) | (position == 1)
        priors = (
            share,
            share * np.sin(np.pi * (0.02 + 0.96 * position)) ** 2,
            share * (1 + 4 * (2 * position - 1) ** 2),
            ends.astype(float),
        )
        return max(self._risk(np.rint(2.0**40 * p / p.sum()).astype(int).tolist()) for p in priors)

    def _risk(self, prior: list[int]) -> float:
        """E x^2 - sum over answers of E[x; y]^2 / P(y), with exact inputs in balls of 256 bits."""
        with ctx.workprec(_BITS):
            total = arb(sum(prior))
            x = [arb(fmpq(*float(v).as_integer_ratio())) for v in self.nodes - self.nodes[0]]
            first, mass = [arb(0)] * len(self.answers), [arb(0)] * len(self.answers)
            square = arb(0)
            for weight, node, row in zip(prior, x, self.weights, strict=True):
                square += weight * node * node
                for a, w in enumerate(row):
                    if w:
                        part = arb(w) * weight
                        mass[a] += part
                        first[a] += part * node
            known = (
                sum((f * f / m for f, m in zip(first, mass, strict=True) if m > 0), arb(0))
                / arb(2) ** TOTAL_BITS
            )
            return max(0.0, float(np.nextafter(float(((square - known) / total).lower()), 0.0)))


class ChannelMechanism(Mechanism):
    """One number read at a node: law and code of the number of its answer, for two nodes."""

    name = "finite answers"
    summary = "answers with one of finitely many numbers, drawn with probabilities that depend on the record"

    def __init__(self, channel: Channel, first: int, second: int, column: str) -> None:
        self.channel, self.first, self.second, self.column = channel, int(first), int(second), column
        self.dimension = 1

    def parameters(self) -> dict[str, Any]:
        nodes = self.channel.nodes
        return {
            "column": self.column,
            "nodes": len(nodes),
            "answers": len(self.channel.answers),
            "records": [float(nodes[self.first]), float(nodes[self.second])],
        }

    def law(self, data: Any) -> OutcomeLaw:
        row = [float(w) * 2.0**-TOTAL_BITS for w in self.channel.weights[self._place(data)]]
        return Categories(tuple(row))

    def release(self, data: Any, size: int, rng: np.random.Generator) -> Floats:
        return self.channel.draw(np.full(size, self._place(data)), seeded_bits(rng)).astype(float)

    def _place(self, data: Any) -> int:
        return int(self.channel.places(np.atleast_1d(np.asarray(data, dtype=float)))[0])

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((float(self.channel.nodes[self.first]), float(self.channel.nodes[self.second])),)

    def worst_case(self) -> WorstCase:
        p, q = (
            tuple(sp.Rational(w, _WHOLE) for w in self.channel.weights[i]) for i in (self.first, self.second)
        )
        seen = [(a, b) for a, b in zip(p, q, strict=True) if a or b]
        return WorstCase(DiscretePair(*(tuple(v) for v in zip(*seen, strict=True))))


def leaky(mechanism: ChannelMechanism) -> Any:
    """Code that answers a half of the draws with the answer nearest to the record: what a control must find."""

    def release(data: Any, size: int, rng: np.random.Generator) -> Floats:
        nearest = float(np.argmin(np.abs(mechanism.channel.answers - float(data))))
        return np.where(rng.random(size) < 0.5, nearest, mechanism.release(data, size, rng))

    return release
