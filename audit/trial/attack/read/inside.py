"""Relations inside an outcome: extremes, gaps and equal numbers, neighbours in an order, differences, ratios and products,
patches of an array, the graph of a list of edges.

Each relation is a number, or a value, that an outcome has beside those it holds; a look at outcomes that teach says which
of them tell more than any number alone, and only these become scores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .....symbolic.arrays import Floats
from ...outcomes import Kinds, Outcomes, interquartile_range, widen
from ..scores import FLEXIBLE, Score, linear_score, tree_score, usual_kind
from .anywhere import anywhere_score, placed_score
from .together import FOURS

# Outcomes per input that are looked at, and the chance that a relation passes by luck.
_LOOKED, _CHANCE = 400, 1e-4
_BETTER = 0.1  # of outcomes: how much more than any number alone a relation must tell
_KEPT = 4  # relations that are read together
_APART, _PAIRED, _TOGETHER = (
    64,
    12,
    6,
)  # numbers of which all differences, ratios and products, and products of three are read
_SMALL = 2.0**-26  # of the spread: values that are closer are equal
_HELD, _CLOSE = 300, 1e-6  # outcomes per input on which products of three are tried; relative error
_CENT, _FORMS_BETTER, _TRIED = 0.0051, 0.2, 40  # the last: outcomes per input that every form is tried on
_NODES, _EDGES = 256, 128
_SHAPE = re.compile(r"number\[(\d+), (\d+)\]")
_PAIR = r"(?:\w+\[number, number\]|\{[^{}]+: number, [^{}]+: number\})"
_EDGE = re.compile(rf"(?:\{{[^{{}}]+: )?\w+\[(?:{_PAIR}(?:, )?)+\]\}}?|number\[\d+, 2\]")

# What the numbers of `_ordered`, `_patches` and `_graph` are.
_ORDER = (
    *("the smallest number", "the second smallest", "the second largest", "the largest", "the range"),
    *("the smallest gap", "the largest gap", "how many are equal"),
    *("the place of the largest", "the place of the smallest"),
    *("the smallest step", "the largest step", "how many neighbours are equal", "how many steps rise"),
)
_SQUARES = tuple(
    f"the {extreme} {what} of a square of {size}"
    for size in ("four", "nine")
    for what in ("mean", "spread")
    for extreme in ("smallest", "largest")
)
_EDGES_SAY = (
    *("how many components", "the size of the largest component", "how many nodes", "the largest degree"),
    *(f"how many nodes of degree {degree}" for degree in ("one", "two", "three", "odd")),
    *("how many edges come twice", "how many loops"),
)

Read = Callable[[Floats], Floats]


@np.errstate(all="ignore")
def inside_scores(zero: Outcomes, one: Outcomes) -> list[Score | None]:
    """The scores of relations that tell more than the numbers of an outcome do one by one."""
    kind, width = usual_kind([zero, one]), max(zero.values.shape[1], one.values.shape[1])
    if width < 2:
        return []
    a, b = (s if s.kinds.names == (kind,) else s[s.kinds.are(kind)] for s in (zero, one))
    if min(len(a), len(b)) < 100:
        return []
    a, b = widen(a, width), widen(b, width)
    return [_numbers_score(a, b, kind), *_values_scores(a, b), _form_score(a, b)]


def unread_relations(sample: Sequence[Outcomes]) -> str:
    """What is not read of outcomes of so many numbers, in words."""
    width = max(s.values.shape[1] for s in sample)
    limits = {
        "products and sums of three numbers": _TOGETHER,
        "ratios and products of two": _PAIRED,
        "signs of four": FOURS,
        "all differences": _APART,
    }
    unread = [f"{what} (at most {limit})" for what, limit in limits.items() if width > limit]
    return (
        f"of {width} numbers an outcome these relations are not read: {', '.join(unread)}" if unread else ""
    )


def _related(read: Read, width: int, name: str) -> Callable[[Outcomes], Outcomes]:
    """Outcomes as the relations inside them."""

    @np.errstate(all="ignore")
    def of(sample: Outcomes) -> Outcomes:
        values = np.nan_to_num(read(widen(sample, width).values[:, :width]))
        return Outcomes(values, Kinds.same(name, len(sample)))

    return of


def _numbers_score(a: Outcomes, b: Outcomes, kind: str) -> Score | None:
    """Trees on the few relations that are numbers and tell most."""
    width = a.values.shape[1]
    graph, patches = _graph(kind, a, b), _patches(kind)
    names = [*_ORDER, *(_EDGES_SAY if graph else _SQUARES)]
    readers = [r for r in (_ordered(width), graph or patches) if r is not None]

    def every(values: Floats) -> Floats:
        return np.concatenate([read(values) for read in readers], axis=1)

    looked = [s.values[:_LOOKED] for s in (a, b)]
    apart = _distances(*(every(v) for v in looked))
    alone = _distances(*(v[:, :_NODES] for v in looked)).max()
    least = np.sqrt(-np.log(_CHANCE / len(apart) / 2) / 2 * sum(1 / len(v) for v in looked))
    told = np.argsort(-apart, kind="stable")[:_KEPT]
    told = told[apart[told] > max(least, alone + _BETTER)]
    if not len(told):
        return None
    read = _related(lambda values: every(values)[:, told], width, "relations")
    x, y = read(a), read(b)
    found = tree_score(x, y) or linear_score(x, y)
    about = f" (most of all {names[told[0]]})"
    return found and replace(found.after(read, "relations inside an outcome"), doubt=FLEXIBLE, about=about)


def _distances(zero: Floats, one: Floats) -> Floats:
    """The Kolmogorov-Smirnov distance of each column."""
    both = np.concatenate([zero, one])
    order = np.argsort(both, axis=0, kind="stable")
    steps = np.where(order < len(zero), 1 / len(zero), -1 / len(one)).cumsum(axis=0)
    ordered = np.take_along_axis(both, order, axis=0)
    ends = np.concatenate([ordered[1:] != ordered[:-1], np.ones((1, both.shape[1]), dtype=bool)])
    return np.asarray(np.abs(np.where(ends, steps, 0.0)).max(axis=0))


def _ordered(width: int) -> Read:
    """Extremes and their places, gaps of the sorted numbers, how many are equal, steps between neighbours."""

    def read(values: Floats) -> Floats:
        ordered = np.sort(values, axis=1) / 2  # halves, so that no difference overflows
        gaps, steps = np.diff(ordered), np.abs(np.diff(values / 2))
        return np.column_stack(
            [
                *(ordered[:, [0, 1, -2, -1]].T),
                *(ordered[:, -1] - ordered[:, 0], gaps.min(axis=1), gaps.max(axis=1)),
                np.count_nonzero(gaps == 0, axis=1),
                *(values.argmax(axis=1), values.argmin(axis=1)),
                *(steps.min(axis=1), steps.max(axis=1), np.count_nonzero(steps == 0, axis=1)),
                np.count_nonzero(np.diff(values) > 0, axis=1),
            ]
        )

    return read


def _patches(kind: str) -> Read | None:
    """The extremes of mean and spread over all squares of two and of three numbers of an array of two dimensions."""
    found = _SHAPE.fullmatch(kind)
    rows, columns = map(int, found.groups()) if found else (0, 0)
    if min(rows, columns) < 4:
        return None

    def read(values: Floats) -> Floats:
        image, out = values.reshape(-1, rows, columns), []
        for size in (2, 3):
            means = _boxes(image, size)
            spread = np.sqrt(np.maximum(_boxes(image**2, size) - means**2, 0.0))
            for each in (means, spread):
                flat = each.reshape(len(values), -1)
                out += [flat.min(axis=1), flat.max(axis=1)]
        return np.column_stack(out)

    return read


def _boxes(image: Floats, size: int) -> Floats:
    """The mean over every square of so many rows and columns."""
    rows, columns = image.shape[1] - size + 1, image.shape[2] - size + 1
    parts = [image[:, i : i + rows, j : j + columns] for i in range(size) for j in range(size)]
    return np.asarray(sum(parts) / size**2)


def _graph(kind: str, a: Outcomes, b: Outcomes) -> Read | None:
    """Components, their largest size, degrees and repeated edges of a list of edges, of numbers or in text."""
    both = np.concatenate([s.values[:_LOOKED] for s in (a, b)])
    places = np.arange(both.shape[1]) if _EDGE.fullmatch(kind) else _written_ends(kind, both)
    edges = len(places) // 2
    if not 2 <= edges <= _EDGES:
        return None
    names = np.unique(both[:, places])
    nodes = len(names)
    # The ends of edges are the same few nodes at every place.
    if nodes > _NODES or 2 * np.mean([len(np.unique(both[:, j])) for j in places]) < nodes:
        return None

    def read(values: Floats) -> Floats:
        ends = np.searchsorted(names, values[:, places[: 2 * edges]]).clip(max=nodes - 1)
        n, each = len(ends), np.arange(len(ends))
        degree = np.zeros((n, nodes), dtype=np.intp)
        label = np.tile(np.arange(nodes), (n, 1))
        for j in range(2 * edges):
            np.add.at(degree, (each, ends[:, j]), 1)
        while True:
            before = label.copy()
            for u, v in zip(ends.T[::2], ends.T[1::2], strict=True):
                least = np.minimum(label[each, u], label[each, v])
                label[each, u] = label[each, v] = least
            if (label == before).all():
                break
        there = degree > 0
        sizes = np.zeros((n, nodes), dtype=np.intp)
        for j in range(nodes):
            np.add.at(sizes, (each, label[:, j]), there[:, j])
        pairs = np.sort(np.stack([ends[:, ::2], ends[:, 1::2]], axis=-1), axis=-1)
        coded = np.sort(pairs[..., 0] * nodes + pairs[..., 1], axis=1)
        return np.column_stack(
            [
                *((sizes > 0).sum(axis=1), sizes.max(axis=1), there.sum(axis=1), degree.max(axis=1)),
                *((degree == k).sum(axis=1) for k in (1, 2, 3)),
                *((degree % 2).sum(axis=1), (coded[:, 1:] == coded[:, :-1]).sum(axis=1)),
                (pairs[..., 0] == pairs[..., 1]).sum(axis=1),
            ]
        ).astype(float)

    return read


def _written_ends(kind: str, values: Floats) -> NDArray[np.intp]:
    """The columns of text that change from outcome to outcome, each number once."""
    if "'" not in kind:
        return np.zeros(0, dtype=np.intp)
    moving = np.ptp(values, axis=0) > 0
    # A number of text is its value, its last nine digits and its last.
    again = moving[:-2] & (values[:, 1:-1] == values[:, :-2]).all(axis=0)
    moving[1:-1] &= ~again
    moving[2:] &= ~again
    moving[:2] = False  # the number beside text, and its length
    return np.flatnonzero(moving)


def _values_scores(a: Outcomes, b: Outcomes) -> list[Score | None]:
    """Which differences at whatever place, neighbours in an order, ratios, products and sums at their places come more often on one input."""
    width = a.values.shape[1]
    some = np.concatenate([s.values[:_LOOKED] for s in (a, b)])
    unit = float(np.median(interquartile_range(some))) or float(np.ptp(some)) or 1.0
    found: list[Score | None] = []

    def value(read: Read, reader: Callable[[Outcomes, Outcomes], Score | None], rows: int, name: str) -> None:
        related = _related(read, width, name)
        told = reader(related(a[:rows]), related(b[:rows]))
        found.append(told and replace(told.after(related, name, things=told.things), doubt=FLEXIBLE))

    few = _few(some)
    if 3 <= width <= _APART and not few:
        left, right = (np.array(side) for side in zip(*combinations(range(width), 2), strict=True))

        def differences(values: Floats) -> Floats:
            ordered = np.sort(values, axis=1)
            return _rounded(ordered[:, right] - ordered[:, left], unit)

        value(
            differences,
            lambda x, y: anywhere_score(x, y, look=False),
            max(100, 100_000 // len(left)),
            "differences",
        )
    repeats = (np.diff(np.sort(some)) == 0).any(axis=1).mean()
    if 3 <= width <= 4 * _APART and few and repeats < _BETTER:  # an order holds everything once
        codes = _order_codes(some)

        def pair(code: float) -> str:
            row, column = np.unravel_index(np.abs(codes - code).argmin(), codes.shape)
            return "{:g} before {:g}".format(*some[row, column : column + 2])

        named = partial(anywhere_score, shown=pair)
        value(_order_codes, named, _LOOKED, "neighbours in an order")
    if 2 <= width <= _PAIRED and not few:
        value(lambda values: _pairs(values, unit), placed_score, _LOOKED, "ratios, products and sums")
    return found


def _order_codes(values: Floats) -> Floats:
    """A number for each two neighbours, another one for each two values."""
    return np.asarray(values[:, :-1] * 0.6180339887498949 + values[:, 1:] * 1.324717957244746)


def _few(values: Floats) -> bool:
    """Whether outcomes hold few values again and again."""
    return len(np.unique(values[:200])) < 0.2 * values[:200].size


def _rounded(values: Floats, unit: float) -> Floats:
    step = _SMALL * 2.0 ** np.ceil(np.log2(unit))
    return np.asarray(np.rint(values / step) * step + 0.0)


def _pairs(values: Floats, unit: float) -> Floats:
    """Differences, sums, products and ratios of any two columns."""
    left, right = (np.array(side) for side in zip(*combinations(range(values.shape[1]), 2), strict=True))
    a, b = values[:, left], values[:, right]
    ratio = np.where(b != 0, a / b, 0.0)
    out = [a - b, a + b, *(np.where(r != 0, _figures(r), 0.0) for r in (a * b, ratio, 1 / ratio))]
    out[:2] = [_rounded(part, unit) for part in out[:2]]
    return np.concatenate(out, axis=1)


def _figures(values: Floats) -> Floats:
    """Seven figures of each number."""
    size = 10.0 ** (np.floor(np.log10(np.abs(values))) - 6)
    return np.asarray(np.rint(values / size) * size)


_FORMS: dict[str, tuple[int, Callable[..., Any]]] = {
    "{0} x {1}": (2, lambda a, b: a * b),
    "{0} / {1}": (2, lambda a, b: a / b),
    "{0} + {1}": (2, lambda a, b: a + b),
    "{0} x (1 + {1})": (2, lambda a, b: a * (1 + b)),
    "{0} x (1 + {1} %)": (2, lambda a, b: a * (1 + b / 100)),
    "{0} + {1} + {2}": (3, lambda a, b, c: a + b + c),
    "{0} x {1} x {2}": (3, lambda a, b, c: a * b * c),
    "{0} x {1} + {2}": (3, lambda a, b, c: a * b + c),
    "{0} x {1} / {2}": (3, lambda a, b, c: a * b / c),
    "{0} x {1} x (1 + {2})": (3, lambda a, b, c: a * b * (1 + c)),
    "{0} x {1} x (1 + {2} %)": (3, lambda a, b, c: a * b * (1 + c / 100)),
}


def _form_score(a: Outcomes, b: Outcomes) -> Score | None:
    """Whether one number is a product or a sum of two or three others, where it is so more often on one input."""
    width = a.values.shape[1]
    if not 3 <= width <= _TOGETHER:
        return None
    some = [s.values[:_HELD].T for s in (a, b)]
    every = np.concatenate(some, axis=1)
    moving = [j for j in range(width) if len(np.unique(every[j])) > 1]
    few = np.concatenate([s[:, :_TRIED] for s in some], axis=1)
    best, found = _FORMS_BETTER, None
    for number, form in _FORMS.values():
        # What is worth a score holds at times among few outcomes too.
        orders = list(permutations(range(width), number))
        tried = form(*few[np.transpose(orders)])
        for target in moving:
            at_times = np.flatnonzero(_equal(tried, few[target]).any(axis=1))
            for places in (orders[i] for i in at_times if target not in orders[i]):
                first, second = (float(np.mean(_holds(form, s, target, places))) for s in some)
                if abs(second - first) > best:
                    best, found = abs(second - first), (form, target, places, second > first)
    if found is None:
        return None
    form, target, places, up = found

    def of(sample: Outcomes) -> Floats:
        held = _holds(form, widen(sample, width).values.T, target, places)
        return np.where(held == up, 1.0, -1.0)

    said = next(name for name, (_, known) in _FORMS.items() if known is form)
    return Score(
        "a product or a sum of others",
        of,
        FLEXIBLE,
        about=f": column {target} is {said.format(*(f'column {j}' for j in places))}",
        things=width,
    )


def _holds(
    form: Callable[..., Any], columns: Floats, target: int, places: tuple[int, ...]
) -> NDArray[np.bool_]:
    """Whether a column is this of others, up to a cent where it is in cents."""
    with np.errstate(all="ignore"):
        return _equal(form(*(columns[j] for j in places)), columns[target])


def _equal(found: Floats, value: Floats) -> NDArray[np.bool_]:
    cents = np.abs(value * 100 - np.rint(value * 100)) < 1e-4
    return np.asarray(
        np.abs(found - value) <= np.maximum(_CLOSE * np.abs(value), np.where(cents, _CENT, 0.0))
    )
