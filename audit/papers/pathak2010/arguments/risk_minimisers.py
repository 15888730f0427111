"""Excess risk of perturbed large-margin classifiers on samples whose minimisers are known exactly (Pathak, Raj 2010, section 4)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from .....symbolic.proof.enclosure import enclose
from .....symbolic.proof.exact_numbers import ball
from .....symbolic.proof.expressions import Number, parse
from ....dossier.instances import Comparison, Instances, Relation, rule
from .exact import Matrix, inner, is_positive, matrix, plus, problem_of, squares, texts, zero

# left, relation, right as texts.
Printed = tuple[str, Relation, str]


def compared(relations: Sequence[Sequence[str]], names: Mapping[str, Number]) -> Iterator[Comparison]:
    """Each printed relation with its names given."""
    for left, relation, right in relations:
        sides = [enclose(parse(side, names)) for side in (left, right)]
        yield f"{left} {relation} {right}", sides[0], relation, sides[1]  # type: ignore[misc]


def trace(a: Matrix) -> Fraction:
    """tr(I_Phi a I_Phi): the diagonal without its last entry."""
    return sum((a[i][i] for i in range(len(a) - 1)), Fraction(0))


@rule("two minimisers", "price", "width")
def two_minimisers(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Printed relations between Phi^* and Phi^p, both verified to be minimisers.

    Names: S = sum |Phi_c^* - Phi_c^p|^2, gap = J(Phi^p) - J(Phi^*), gap_p = J_p(Phi^*) - J_p(Phi^p), tilt = sum <b, Phi_c^* -
    Phi_c^p>, noise2 = |b|^2, traces = sum tr(I_Phi(Phi_c^* - Phi_c^p)I_Phi), lambda, C and d.  `ridge` is 0 or lambda.
    """
    ridge = parse(printed["ridge"], {"lambda": numbers["price"]})
    perturbed = problem_of({**numbers, "ridge": str(ridge)})
    order = perturbed.sample.order
    plain = replace(perturbed, noise=tuple(zero(order) for _ in perturbed.noise))
    star, moved = ([matrix(p) for p in numbers[key]] for key in ("star", "perturbed"))
    if not plain.certified(star):
        raise ValueError("star does not minimise J over positive semidefinite matrices")
    if not perturbed.certified(moved):
        raise ValueError("perturbed does not minimise J_p over positive semidefinite matrices")
    gaps = [plus(p, q, Fraction(-1)) for p, q in zip(star, moved, strict=True)]
    names = {
        "S": squares(gaps),
        "gap": plain.value(moved) - plain.value(star),
        "gap_p": perturbed.value(star) - perturbed.value(moved),
        "tilt": sum((inner(b, g) for b, g in zip(perturbed.noise, gaps, strict=True)), Fraction(0)),
        "noise2": inner(perturbed.noise[0], perturbed.noise[0]),
        "traces": sum((trace(g) for g in gaps), Fraction(0)),
        "lambda": perturbed.price,
    }
    exact: dict[str, Number] = {name: str(value) for name, value in names.items()}
    yield from compared(printed["relations"], exact | {"C": len(star), "d": order - 1})


def flat_corner(price: Fraction, width: Fraction, push: Fraction, height: Fraction) -> dict[str, Any]:
    """The record 0 once in each class: any equal last entries minimise J; the noise `push` on them leaves 0 only."""
    return {
        "data": {"classes": 2, "labels": [0, 1], "features": [["0"], ["0"]]},
        "noise": [["0", "0"], ["0", str(push)]],
        "star": [[["0", "0"], ["0", str(height)]]] * 2,
        "perturbed": [[["0", "0"], ["0", "0"]]] * 2,
        "price": str(price),
        "width": str(width),
    }


def wide_parabola(price: Fraction, width: Fraction, slope: Fraction, corner: Fraction) -> dict[str, Any]:
    """0 twice in class 1, 1 and -1 in class 2, noise diag(slope, corner): all leads on the parabola, price + slope + corner < 1.

    Class 1 needs a trace: its derivative vanishes where the weight of the records of class 2 is (price + slope)/2.
    """
    if not price + slope + corner < 1:
        raise ValueError("price + slope + corner must be below 1, otherwise class 2 has no offset")

    def phi(a: Fraction, c: Fraction) -> list[list[list[str]]]:
        far = (price + a) / 2
        near = far + c / 2
        psi, theta = 2 * width * (1 - near - far), width * (1 - 2 * near)
        return [[[str(psi), "0"], ["0", "0"]], [["0", "0"], ["0", str(theta)]]]

    return {
        "data": {"classes": 2, "labels": [0, 0, 1, 1], "features": [["0"], ["0"], ["1"], ["-1"]]},
        "noise": [[str(slope), "0"], ["0", str(corner)]],
        "star": phi(Fraction(0), Fraction(0)),
        "perturbed": phi(slope, corner),
        "price": str(price),
        "width": str(width),
    }


def with_ridge(price: Fraction, width: Fraction, noise: Sequence[Fraction], classes: int) -> dict[str, Any]:
    """The record 0 once in each class and diagonal noise; with the ridge lambda Phi^p is -(lambda I_Phi + b)_+/lambda in each class."""
    k = len(noise)
    moved = [max(Fraction(0), -((price if i < k - 1 else 0) + b)) / price for i, b in enumerate(noise)]
    features = [["0"] * (k - 1)] * classes
    return {
        "data": {"classes": classes, "labels": list(range(classes)), "features": features},
        "noise": texts(_diagonal(noise)),
        "star": [texts(zero(k))] * classes,
        "perturbed": [texts(_diagonal(moved))] * classes,
        "price": str(price),
        "width": str(width),
    }


def _diagonal(values: Sequence[Fraction]) -> Matrix:
    return [[v if i == j else Fraction(0) for j in range(len(values))] for i, v in enumerate(values)]


def _without(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    quarter, tenth = Fraction(1, 4), Fraction(1, 10)
    yield flat_corner(quarter, tenth, tenth, Fraction(10))
    yield wide_parabola(quarter, Fraction(32), Fraction(1, 100), Fraction(1, 1000))
    for _ in range(3):
        a, b, c, h = (Fraction(int(x), 40) for x in rng.integers(1, 12, 4))
        yield wide_parabola(a, h, b, c)
        yield flat_corner(a, h, b, c)


def _with(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    yield with_ridge(Fraction(1), Fraction(1, 2), [Fraction(0), Fraction(-1)], 2)
    yield with_ridge(Fraction(1, 2), Fraction(1, 2), [Fraction(-3), Fraction(-1)], 3)
    for _ in range(8):
        price, width = (Fraction(int(x), 10) for x in rng.integers(1, 30, 2))
        noise = [Fraction(int(x), 10) for x in rng.integers(-60, 20, int(rng.integers(2, 5)))]
        yield with_ridge(price, width, noise, int(rng.integers(2, 5)))


def minimisers(*relations: Printed, ridge: str) -> Instances:
    """The relations on samples with the ridge "0" (J as printed) or "lambda"."""
    data = {"ridge": ridge, "relations": [list(r) for r in relations]}
    said = "; ".join(" ".join(r) for r in relations)
    return Instances("two minimisers", data, _with if ridge != "0" else _without, f"ridge {ridge}: {said}")


@rule("differences of classifiers")
def differences(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Printed relations between a noise matrix b and any symmetric differences D_c.

    Names: S = sum |D_c|^2, tilt = sum <b, D_c>, noise2 = |b|^2, traces = sum tr(I_Phi D_c I_Phi), C and d.
    """
    b, gaps = matrix(numbers["noise"]), [matrix(g) for g in numbers["differences"]]
    values = {
        "S": squares(gaps),
        "tilt": sum((inner(b, g) for g in gaps), Fraction(0)),
        "noise2": inner(b, b),
        "traces": sum((trace(g) for g in gaps), Fraction(0)),
    }
    names: dict[str, Number] = {name: str(value) for name, value in values.items()}
    yield from compared(printed["relations"], names | {"C": len(gaps), "d": len(b) - 1})


def any_differences(*relations: Printed) -> Instances:
    """The relations for differences equal to the noise, for I_Phi, and for random ones."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        flat = [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "0"]]
        yield {"noise": flat, "differences": [flat] * 3}
        for _ in range(6):
            classes, k = int(rng.integers(1, 4)), int(rng.integers(2, 5))
            found = rng.integers(-9, 10, (classes + 1, k, k))
            rows = [[[str(x) for x in row] for row in m + m.T] for m in found]
            yield {"noise": rows[0], "differences": rows[1:]}

    said = "; ".join(" ".join(r) for r in relations)
    return Instances("differences of classifiers", {"relations": [list(r) for r in relations]}, draw, said)


@rule("curvature along a segment", "lambda", "width")
def curvature(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """F(a P + (1-a) Q) against a F(P) + (1-a) F(Q) - (constant a (1-a)/2)|P - Q|^2 for F = losses + price traces + (ridge/2)|.|^2."""
    lam = numbers["lambda"]
    exact = {
        name: Fraction(str(parse(printed[name], {"lambda": lam}))) for name in ("price", "ridge", "constant")
    }
    order = len(numbers["P"][0])
    still = {
        **numbers,
        "noise": texts(zero(order)),
        "price": str(exact["price"]),
        "ridge": str(exact["ridge"]),
    }
    problem = problem_of(still)
    p, q = ([matrix(m) for m in numbers[key]] for key in "PQ")
    a = Fraction(numbers["a"])
    if not (all(is_positive(m) for m in (*p, *q)) and 0 <= a <= 1):
        raise ValueError("P and Q must be positive semidefinite, and a between 0 and 1")
    between = [plus(plus(zero(order), x, a), y, 1 - a) for x, y in zip(p, q, strict=True)]
    gaps = [plus(x, y, Fraction(-1)) for x, y in zip(p, q, strict=True)]
    chord = a * problem.value(p) + (1 - a) * problem.value(q)
    bound = chord - exact["constant"] * a * (1 - a) / 2 * squares(gaps)
    yield f"F at a = {a} of the way", ball(problem.value(between)), "<=", ball(bound)


def along_segments(price: str, ridge: str, constant: str) -> Instances:
    """First the direction that changes no lead and no trace: equal last entries of all classes; then random segments."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        data = {"classes": 2, "labels": [0, 1, 1], "features": [["1/2"], ["-1"], ["3/4"]]}
        corner = [["0", "0"], ["0", "1"]]
        base = {"data": data, "lambda": "1/4", "width": "1/2"}
        yield {**base, "a": "1/2", "P": [corner] * 2, "Q": [texts(zero(2))] * 2}
        for _ in range(8):
            p, q = ([texts(_square(rng)) for _ in range(2)] for _ in "PQ")
            yield {**base, "a": str(Fraction(int(rng.integers(1, 10)), 10)), "P": p, "Q": q}

    said = f"the sum with traces times {price} and squares times {ridge}/2 is {constant}-strongly convex"
    return Instances(
        "curvature along a segment", {"price": price, "ridge": ridge, "constant": constant}, draw, said
    )


def _square(rng: np.random.Generator) -> Matrix:
    a, b, c = (Fraction(int(x), 4) for x in rng.integers(-6, 7, 3))
    return [[a * a + b * b, b * c], [b * c, c * c]]
