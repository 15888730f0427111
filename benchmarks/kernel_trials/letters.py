"""Matrices for the letters of a step, of shapes that fit what is stated and that obey its hypotheses: in floats, by Gauss-Newton."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

from .values import UndefinedError, UnknownError, value, word

Floats = NDArray[np.float64]
Shape = tuple[int, int]
_TRIES, _ROUNDS, _RESIDUAL, _STEP = 6, 60, 1e-12, 1e-7


class _Sizes:
    """Numbers of rows and columns as classes: what has to be equal is one class."""

    def __init__(self, letters: dict[str, str]) -> None:
        self.parent: dict[Any, Any] = {1: 1}
        self.letters = letters
        for name, kind in letters.items():
            rows, columns = self.of(name, False)
            if kind == "column":
                self.join(columns, 1)
            if kind == "symmetric":
                self.join(rows, columns)

    def of(self, name: str, turned: bool) -> tuple[Any, Any]:
        """The classes of rows and columns of a letter."""
        pair = (name, "rows"), (name, "columns")
        return pair[::-1] if turned else pair

    def root(self, a: Any) -> Any:
        """The class of a size."""
        while self.parent.setdefault(a, a) != a:
            a = self.parent[a]
        return a

    def join(self, a: Any, b: Any) -> None:
        """Both are equal; what is equal to one is one."""
        one, two = self.root(a), self.root(b)
        if one == 1:
            one, two = two, one
        self.parent[one] = two

    def read(self, term: Any) -> tuple[Any, Any] | None:
        """The shape of a term; None of a number, which stands for a multiple of an identity."""
        if not isinstance(term, list):
            return None
        op, *rest = term
        if op in ("mat", "mat'"):
            return self.of(rest[0], op == "mat'") if rest[0] in self.letters else None
        if op in ("const", "fn", "int", "sum", "diff"):
            return None
        shapes = [s for s in map(self.read, rest) if s is not None]
        if not shapes:
            return None
        if op == "*":
            for one, two in zip(shapes, shapes[1:], strict=False):
                self.join(one[1], two[0])
            return shapes[0][0], shapes[-1][1]
        for shape in shapes[1:]:
            self.join(shape[0], shapes[0][0])
            self.join(shape[1], shapes[0][1])
        if op in ("tr", "^", "sqrt") or len(shapes) < len(rest):
            self.join(*shapes[0])
        return None if op == "tr" else shapes[0]


def chosen(step: dict[str, Any], at: dict[str, Any], rng: Random) -> dict[str, Any] | None:
    """Rows for each letter, by its name after "mat "; None where no matrices were found that obey rules and traces."""
    letters = step["letters"]
    sizes = _Sizes(letters)
    for rule, number in step.get("rules", []):
        shape = sizes.read(word(rule))
        if shape is not None and number != 0:
            sizes.join(*shape)
    for term in (step["left"], step["right"], *(t for pair in step.get("traces", []) for t in pair)):
        sizes.read(term)
    definite = "'^'" in repr(step) or "'sqrt'" in repr(step)
    for _ in range(_TRIES):
        classes = {sizes.root(s): rng.choice([1, 2, 2, 3]) for n in letters for s in sizes.of(n, False)} | {
            1: 1
        }
        shapes: dict[str, Shape] = {
            n: (classes[sizes.root((n, "rows"))], classes[sizes.root((n, "columns"))]) for n in letters
        }
        found = _solved(step, at, shapes, definite, rng)
        if found is not None:
            return found
    return None


def _solved(
    step: dict[str, Any], at: dict[str, Any], shapes: dict[str, Shape], definite: bool, rng: Random
) -> dict[str, Any] | None:
    sizes = [r * c for r, c in shapes.values()]
    x = np.array([rng.choice([-2, -1, 0.5, 1, 2]) + rng.uniform(-0.5, 0.5) for _ in range(sum(sizes))])

    def placed(v: Floats) -> dict[str, Any]:
        parts = np.split(v, np.cumsum(sizes)[:-1])
        found = {}
        for (name, shape), part in zip(shapes.items(), parts, strict=True):
            rows = part.reshape(shape)
            if step["letters"][name] == "symmetric":
                rows = rows @ rows.T + 0.1 * np.eye(len(rows)) if definite else (rows + rows.T) / 2
            found[f"mat {name}"] = [[mp.mpf(float(e)) for e in r] for r in rows]
        return found

    if not (step.get("rules") or step.get("traces")):
        return placed(x)

    def gaps(v: Floats) -> Floats:
        return np.array([float(g) for g in _gaps(step, at | placed(v))])

    try:
        with mp.workdps(20):
            for _ in range(_ROUNDS):
                now = gaps(x)
                if np.abs(now).max(initial=0.0) <= _RESIDUAL:
                    return placed(x)
                slope = np.array([(gaps(x + _STEP * e) - now) / _STEP for e in np.eye(len(x))]).T
                x = x - np.linalg.lstsq(slope, now, rcond=1e-10)[0]
    except (UndefinedError, UnknownError, np.linalg.LinAlgError, ValueError, OverflowError):
        return None
    return None


def _gaps(step: dict[str, Any], at: dict[str, Any]) -> Iterator[Any]:
    """By how much each hypothesis on the matrices is missed."""
    for rule, number in step.get("rules", []):
        rows = value(word(rule), at, matrix=True)
        wanted = value(number, at)
        for i, row in enumerate(rows):
            for j, entry in enumerate(row):
                yield entry - (wanted if i == j else 0)
    for term, number in step.get("traces", []):
        yield value(term, at) - value(number, at)
