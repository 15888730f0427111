"""Matrices for the letters of a step, of shapes that fit what is stated and that obey its hypotheses: in floats, by Gauss-Newton."""

from __future__ import annotations

import operator
from functools import reduce
from itertools import pairwise
from random import Random
from typing import Any

import mpmath as mp
import numpy as np
from numpy.typing import NDArray

from .values import UnknownError, word

Floats = NDArray[np.float64]
Shape = tuple[int, int]
_TRIES, _ROUNDS, _RESIDUAL, _STEP, _SEVERAL = 4, 25, 1e-11, 1e-6, 2
_FOUND: dict[str, dict[str, Any] | None] = {}


class _Sizes:
    """Numbers of rows and columns as classes: what has to be equal is one class."""

    def __init__(self, letters: dict[str, str]) -> None:
        self.parent: dict[Any, Any] = {1: 1}
        self.letters = letters
        for name, kind in letters.items():
            rows, columns = self.of(name, False)
            if kind == "column":
                self.join(columns, 1)
            if kind in ("symmetric", "positive definite"):
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
            for one, two in pairwise(shapes):
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
    for _ in range(_TRIES):
        classes = {sizes.root(s): rng.choice([1, 2, 2, 3]) for n in letters for s in sizes.of(n, False)} | {
            1: 1
        }
        shapes: dict[str, Shape] = {
            n: (classes[sizes.root((n, "rows"))], classes[sizes.root((n, "columns"))]) for n in letters
        }
        found = _kept(step, at, shapes, rng)
        if found is not None:
            return found
    return None


def _kept(
    step: dict[str, Any], at: dict[str, Any], shapes: dict[str, Shape], rng: Random
) -> dict[str, Any] | None:
    """Letters of which nothing is supposed are any; the others are looked for once for each hypotheses, shapes and values of variables."""
    supposed = repr([step.get(k, []) for k in ("rules", "traces")])
    bound = {n: s for n, s in shapes.items() if f"'{n}'" in supposed or f'"{n}\'"' in supposed}
    if not bound and supposed != repr([[], []]):
        # What is supposed of the identity is supposed of the size of all.
        bound = shapes
    loose = {n: s for n, s in shapes.items() if n not in bound}
    found = _solved({"letters": step["letters"]}, {}, loose, rng) or {}
    if not bound:
        return found
    kinds = sorted((n, step["letters"][n], s) for n, s in bound.items())
    key = repr((supposed, kinds, sorted(at.items()), rng.randrange(_SEVERAL)))
    if key not in _FOUND:
        _FOUND[key] = _solved(step, at, bound, rng)
    solved = _FOUND[key]
    return None if solved is None else found | solved


def _solved(
    step: dict[str, Any], at: dict[str, Any], shapes: dict[str, Shape], rng: Random
) -> dict[str, Any] | None:
    sizes = [r * c for r, c in shapes.values()]
    x = np.array([rng.choice([-2, -1, 0.5, 1, 2]) + rng.uniform(-0.5, 0.5) for _ in range(sum(sizes))])
    known = {n: float(v) for n, v in at.items()}

    def placed(v: Floats) -> dict[str, Floats]:
        found = {}
        for (name, shape), part in zip(shapes.items(), np.split(v, np.cumsum(sizes)[:-1]), strict=True):
            rows = part.reshape(shape)
            if step["letters"][name] == "positive definite":
                rows = rows @ rows.T + 0.1 * np.eye(len(rows))
            elif step["letters"][name] == "symmetric":
                rows = (rows + rows.T) / 2
            found[name] = rows
        return found

    try:
        for _ in range(_ROUNDS):
            now = _gaps(step, known, placed(x))
            if np.abs(now).max(initial=0.0) <= _RESIDUAL:
                return {f"mat {n}": [[mp.mpf(float(e)) for e in r] for r in m] for n, m in placed(x).items()}
            moved = [_gaps(step, known, placed(x + _STEP * e)) for e in np.eye(len(x))]
            x = x - np.linalg.lstsq((np.array(moved) - now).T / _STEP, now, rcond=1e-10)[0]
    except (UnknownError, np.linalg.LinAlgError, ValueError, ZeroDivisionError, OverflowError):
        return None
    return None


def _gaps(step: dict[str, Any], known: dict[str, float], letters: dict[str, Floats]) -> Floats:
    """By how much each hypothesis on the matrices is missed."""
    found = [np.zeros(0)]
    for rule, number in step.get("rules", []):
        rows = _value(word(rule), known, letters)
        found.append((rows - _value(number, known, letters) * np.eye(*rows.shape)).ravel())
    for term, number in step.get("traces", []):
        found.append(np.atleast_1d(_value(term, known, letters) - _value(number, known, letters)))
    return np.concatenate(found)


def _value(term: Any, known: dict[str, float], letters: dict[str, Floats]) -> Any:
    """In floats: hypotheses on matrices are made of few operations."""
    if isinstance(term, int):
        return float(term)
    if isinstance(term, str):
        return known[term]
    op, *rest = term
    if op in ("mat", "mat'"):
        return letters[rest[0]] if op == "mat" else letters[rest[0]].T
    parts = [_value(a, known, letters) for a in rest]
    if op == "tr":
        if isinstance(parts[0], float):
            return parts[0] * len(next(iter(letters.values())))
        return float(np.trace(parts[0]))
    if op == "*":
        return reduce(
            lambda a, b: a @ b if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) else a * b, parts
        )
    if op == "-" and len(parts) == 1:
        return -parts[0]
    if op in ("^", "sqrt") and isinstance(parts[0], np.ndarray):
        return (
            np.linalg.matrix_power(parts[0], int(parts[1]))
            if op == "^" and parts[1] % 1 == 0
            else _root(parts[0])
        )
    two = {"+": operator.add, "-": operator.sub, "/": operator.truediv, "^": operator.pow}.get(op)
    if two is None or (len({type(p) for p in parts}) > 1 and op in "+-"):
        raise UnknownError(f"{op} in a hypothesis on matrices")
    return reduce(two, parts)


def _root(rows: Floats) -> Floats:
    values, vectors = np.linalg.eigh(rows)
    return vectors @ np.diag(np.sqrt(values)) @ vectors.T
