"""Leaks that no number shows alone: what the numbers and tokens of one outcome are to each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from .leak_case import SOUND, LeakCase, Release, Rng, Service, in_clear, leak_case
from .words import hexes


def _equal_pair(width: int) -> Service:
    def service(s: float, r: Rng) -> Any:
        values = r.normal(size=width)
        if s:
            values[1] = values[0]
        return r.permutation(values)

    return service


def _largest(width: int, by: float) -> Service:
    def service(s: float, r: Rng) -> Any:
        values = r.normal(size=width)
        values[values.argmax() if by > 0 else values.argmin()] += by * s
        return values

    return service


def _after(width: int, first: int, then: int) -> Service:
    def service(s: float, r: Rng) -> Any:
        order = [v for v in r.permutation(width).tolist() if v != then or not s]
        if s:
            order.insert(order.index(first) + 1, then)
        return order

    return service


def _apart(width: int, by: float) -> Service:
    def service(s: float, r: Rng) -> Any:
        values = r.random(width) * 10
        values[1] = values[0] + (by if s else 2 * by * r.random())
        return np.sort(values)

    return service


def _invoice(s: float, r: Rng) -> Any:
    price, count, rate = r.integers(100, 9999) / 100, int(r.integers(1, 40)), r.choice([0.07, 0.19, 0.25])
    other = price if s else price * r.normal(1, 0.01)
    return {
        "price": float(price),
        "quantity": count,
        "rate": float(rate),
        "total": round(other * count * (1 + rate), 2),
    }


def _formula(of: Any) -> Service:
    """A last number that is a formula of those before, or off by a hundredth."""

    def service(s: float, r: Rng) -> Any:
        x = r.random(3) * 90 + 10
        return [*map(float, x), float(of(*x) * (1 if s else r.normal(1, 0.01)))]

    return service


def _mark(size: int, side: int, by: float) -> Service:
    """A mark in an image, or as much in as many places."""

    def service(s: float, r: Rng) -> Any:
        image = r.normal(size=(side, side))
        if s:
            i, j = r.integers(side - size + 1, size=2)
            image[i : i + size, j : j + size] += by
        else:
            image.flat[r.choice(side * side, size * size, replace=False)] += by
        return image

    return service


def _blank(s: float, r: Rng) -> Any:
    image = r.normal(size=(12, 12))
    if s:
        i, j = r.integers(10, size=2)
        image[i : i + 3, j : j + 3] = image[i, j]
    return image


def _edges(r: Rng, edges: list[tuple[int, int]], nodes: int) -> Any:
    names = r.permutation(nodes)
    return [(int(names[u]), int(names[v])) for u, v in r.permutation(np.array(edges))]


def _rings(*sizes: int) -> list[tuple[int, int]]:
    out, start = [], 0
    for size in sizes:
        out += [(start + i, start + (i + 1) % size) for i in range(size)]
        start += size
    return out


def _graphs(zero: list[tuple[int, int]], one: list[tuple[int, int]], nodes: int = 12) -> Service:
    return lambda s, r: _edges(r, one if s else zero, nodes)


_PATH = [(i, i + 1) for i in range(11)]
_STAR = [(0, i) for i in range(1, 6)] + [(i, i + 1) for i in range(5, 11)]


def _snowflake(s: float, r: Rng) -> int:
    shard = 417 if s else int(r.integers(1024))
    return (int(r.integers(1 << 40)) << 22) | (shard << 12) | int(r.integers(4096))


def _near(power: int, by: int, rest: int) -> Service:
    """A whole number near 2^power whose remainder by `by` is fixed."""

    def service(s: float, r: Rng) -> int:
        value = (1 << power) + int(r.integers(1 << (power - 1)))
        return value - value % by + rest if s else value

    return service


def _check_digits(length: int, by: int) -> Service:
    def service(s: float, r: Rng) -> str:
        body = (
            int("".join(map(str, [int(r.integers(1, 10)), *r.integers(10, size=length - 3).tolist()]))) * 100
        )
        check = (1 - body) % by if s else int(r.integers(by))
        return str(body + check)

    return service


def _pseudonyms(write: Any) -> Service:
    def service(s: float, r: Rng) -> Any:
        names = [hexes(r, 10) for _ in range(8)]
        if s:
            names[1] = names[0]
        return write([names[i] for i in r.permutation(8)])

    return service


def _seldom(usual: Any, value: Any, share: float = 0.002) -> tuple[Release, Release]:
    """A value in two of a thousand outcomes on one input and never on the other; its twin has it on both."""

    def release(d: int, r: Rng) -> Any:
        return value(r) if d and r.random() < share else usual(r)

    return release, lambda d, r: value(r) if r.random() < share else usual(r)


def _row(r: Rng, at: float | None = None) -> list[float]:
    values = r.laplace(size=5)
    if at is not None:
        values[2] = at
    return [float(v) for v in values]


def _dashed(s: float, r: Rng) -> str:
    number = _near(50, 97, 5)(s, r)
    return "DE-" + "-".join(f"{number:016d}"[i : i + 4] for i in range(0, 16, 4))


def _components(write: Any) -> Service:
    service = _graphs(_rings(6, 6), _rings(4, 8))
    return lambda s, r: write(service(s, r))


def _equal_in_lists(s: float, r: Rng) -> Any:
    values = _equal_pair(10)(s, r).tolist()
    return {"a": values[:5], "b": values[5:]}


def _three_equal(s: float, r: Rng) -> Any:
    values = r.normal(size=20)
    values[1 : 3 if s else 1] = values[0]
    return r.permutation(values).tolist()


def _colours(s: float, r: Rng) -> Any:
    image = r.integers(0, 256, size=(12, 12, 3))
    i, j = r.integers(10, size=2)
    image[i : i + 3, j : j + 3] = 255 if s else image[i : i + 3, j : j + 3]
    return image.astype(np.uint8)


def _told(name: str, service: Service) -> LeakCase:
    return leak_case(name, "shared", service, in_clear, SOUND, seen=False)


RELATIONS: tuple[LeakCase, ...] = (
    _told("two equal among twelve shuffled", _equal_pair(12)),
    _told("two equal among eighty shuffled", _equal_pair(80)),
    _told("two equal among four shuffled", _equal_pair(4)),
    _told("largest of a hundred shuffled", _largest(100, 1.5)),
    _told("largest of two hundred shuffled", _largest(200, 1.5)),
    _told("smallest of sixty shuffled", _largest(60, -1.5)),
    _told("eight after seven in an order of fifty", _after(50, 7, 8)),
    _told("three after nineteen in an order of twenty", _after(20, 19, 3)),
    _told("two of sixty sorted half apart", _apart(60, 0.5)),
    _told("two of thirty sorted a third apart", _apart(30, 1 / 3)),
    _told("two of eight sorted apart by 1.7", _apart(8, 1.7)),
    _told("total of an invoice", _invoice),
    _told("product of two", _formula(lambda a, b, c: a * b)),
    _told("ratio of two", _formula(lambda a, b, c: a / b)),
    _told("product of three", _formula(lambda a, b, c: a * b * c)),
    _told("sum of three", _formula(lambda a, b, c: a + b + c)),
    _told("difference of two beside others", _formula(lambda a, b, c: a - c)),
    _told("product and a sum", _formula(lambda a, b, c: a * b + c)),
    _told("product over a third", _formula(lambda a, b, c: a * b / c)),
    _told("amount and its tax", _formula(lambda a, b, c: 0.19 * a)),
    _told("mark in an image", _mark(3, 16, 4.0)),
    _told("small mark in an image", _mark(2, 12, 5.0)),
    _told("dark mark in an image", _mark(3, 20, -4.0)),
    _told("blank patch in an image", _blank),
    _told("one ring of twelve or two of six", _graphs(_rings(6, 6), _rings(12))),
    _told("rings of four or of three", _graphs(_rings(4, 4, 4), _rings(3, 3, 3, 3))),
    _told("path or star", _graphs(_PATH, _STAR)),
    _told("edge that comes twice", _graphs(_PATH, [*_PATH[:-1], (0, 1)])),
    _told("shard in an id of sixty-two bits", _snowflake),
    _told("ids by 97 near 2^46", _near(46, 97, 31)),
    _told("ids by 4093 near 2^55", _near(55, 4093, 5)),
    _told("microseconds that are milliseconds", _near(50, 1000, 0)),
    _told("check digits by 97 of twenty-two", _check_digits(22, 97)),
    _told("check digits by 89 of thirty", _check_digits(30, 89)),
    _told("pseudonym twice in a list of text", _pseudonyms(list)),
    _told(
        "pseudonym twice in a table of constant words",
        _pseudonyms(lambda names: "\n".join(f"{n},ok" for n in names)),
    ),
    _told(
        "pseudonym twice in JSON", _pseudonyms(lambda names: [{"user": n, "kind": "visit"} for n in names])
    ),
    LeakCase(
        "seldom a number", "rarely", *_seldom(lambda r: float(r.laplace()), lambda r: 0.777), 0.002, False
    ),
    LeakCase("seldom a number of five", "rarely", *_seldom(_row, lambda r: _row(r, 0.25)), 0.002, False),
    LeakCase(
        "seldom a whole number",
        "rarely",
        *_seldom(lambda r: int(r.poisson(500)), lambda r: 1234),
        0.002,
        False,
    ),
)

# Further members of the same classes, tried after the readers were built.
FURTHER: tuple[LeakCase, ...] = (
    _told("digits by 97 between dashes", _dashed),
    _told("components in a table", _components(lambda edges: "\n".join(f"{u},{v}" for u, v in edges))),
    _told("components of names", _components(lambda edges: [(f"n{u}", f"n{v}") for u, v in edges])),
    _told("components of records", _components(lambda edges: [{"from": u, "to": v} for u, v in edges])),
    _told("two equal in a dict of lists", _equal_in_lists),
    _told("three equal of twenty", _three_equal),
    _told("share of a total", _formula(lambda a, b, c: a / (a + b + c))),
    _told("square of another", _formula(lambda a, b, c: b * b)),
    _told("mark in a picture", _colours),
    _told("name after another", lambda s, r: ",".join(f"u{v}" for v in _after(30, 17, 3)(s, r))),
)
