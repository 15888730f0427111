"""Exact minimisers of the perturbed large-margin objective, and what their noises and outputs say about the data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from flint import arb

from .....symbolic.proof.as_written import difference, power, product, total
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.exact_numbers import ball, enclosed
from ....dossier import Comparison, Formula, Instances, rule
from .exact import Matrix, Problem, inner, matrix, plus, problem_of, squares, symmetric, texts, times

TWO = {"classes": 2, "labels": [0, 1]}


def two_records(
    weight: Fraction, r: Fraction, corner: Fraction, width: Fraction, price: Fraction
) -> dict[str, Any]:
    """Records r and -r of two classes, and a noise whose minimiser has rank one in both classes and the given weight.

    With M = lambda I_Phi + b = diag(4 w^2 r^2/corner, corner) the slopes M -+ dL are singular along (corner, -+ 2 w r).
    """
    up = 2 * weight * r
    level = width * (1 - 2 * weight) / (8 * corner * weight * r * r)
    phi = [
        [[level * corner**2, -s * level * corner * up], [-s * level * corner * up, level * up**2]]
        for s in (1, -1)
    ]
    noise = [[up**2 / corner - price, Fraction(0)], [Fraction(0), corner]]
    return {
        "data": {**TWO, "features": [[str(r)], [str(-r)]]},
        "noise": texts(noise),
        "phi": [texts(p) for p in phi],
        "price": str(price),
        "width": str(width),
    }


def _draws(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
    quarter = Fraction(1, 4)
    yield two_records(quarter, Fraction(1), Fraction(1, 2), Fraction(1, 2), quarter)
    for _ in range(8):
        w, r, corner, h, price = (Fraction(int(x), 20) for x in rng.integers(1, 10, 5))
        yield two_records(w, 2 * r, corner, h, price)


def _minimiser(problem: Problem, phi: Sequence[Matrix], constrained: bool = True) -> None:
    """ValueError unless phi minimises: over positive semidefinite matrices, or among all symmetric ones."""
    if constrained and not problem.certified(phi):
        raise ValueError("phi is no certified minimiser over positive semidefinite matrices")
    if not constrained and any(any(any(row) for row in s) for s in problem.slope(phi)):
        raise ValueError("phi is no minimiser among symmetric matrices: the derivative is not zero")


@rule("derivative at the minimiser", "price", "width")
def derivative(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """What is zero at a minimiser over positive semidefinite matrices: the derivative, or its product with Phi_c."""
    problem, phi = problem_of(numbers), [matrix(p) for p in numbers["phi"]]
    _minimiser(problem, phi)
    for c, (s, p) in enumerate(zip(problem.slope(phi), phi, strict=True), 1):
        shown = s if printed["zero"] == "derivative" else times(s, p)
        for row in shown:
            for entry in row:
                yield f"{printed['zero']} of class {c}", ball(entry), "=", arb(0)


def derivative_at_minimisers(zero: str) -> Instances:
    """`zero` is "derivative" or "derivative times Phi_c"."""
    return Instances(
        "derivative at the minimiser",
        {"zero": zero},
        _draws,
        f"at the minimiser the {zero} is zero for every class",
    )


@rule("one minimiser, two data sets", "price", "width")
def two_data_sets(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The difference of two noises that lead to one minimiser, class by class: against that of the gradients, or its norm against a bound.

    With a `bound` (a text in the number C of classes) the difference of the lengths of the noises is compared with it as well.
    """
    constrained = bool(printed["positive semidefinite"])
    one, two = problem_of(numbers), problem_of(numbers, "other", "other_noise")
    phi = [matrix(p) for p in numbers["phi"]]
    _minimiser(one, phi, constrained)
    _minimiser(two, phi, constrained)
    factor = Fraction(printed.get("factor", "1"))
    for c, (g, g2) in enumerate(zip(one.gradient(phi), two.gradient(phi), strict=True)):
        if "bound" in printed:
            bound = enclosed(printed["bound"], {"C": len(phi)})
            first, second = (ball(inner(p.noise[c], p.noise[c])).sqrt() for p in (one, two))
            apart = plus(one.noise[c], two.noise[c], Fraction(-1))
            yield f"class {c + 1}, |b2| - |b1|", second - first, "<=", bound
            yield f"class {c + 1}, |b1 - b2|", ball(inner(apart, apart)).sqrt(), "<=", bound
            continue
        noises = symmetric(plus(one.noise[c], two.noise[c], Fraction(-1)))
        moved = plus(g2, g, Fraction(-1))
        for i, row in enumerate(noises):
            for j, entry in enumerate(row):
                yield f"class {c + 1}, entry {i + 1}, {j + 1}", ball(entry), "=", ball(factor * moved[i][j])


def one_minimiser(constrained: bool, bound: str = "") -> Instances:
    """Neighbouring samples with one minimiser: 0 under positive semidefiniteness, any point with a ridge and without it."""

    def both(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        base = {"data": {**TWO, "features": [["1"], ["-1"]]}, "other": {**TWO, "features": [["1"], ["1"]]}}
        if constrained:
            large, larger = ([[x, "0"], ["0", x]] for x in ("10", "13"))
            zero = [[["0", "0"], ["0", "0"]]] * 2
            yield {**base, "noise": large, "other_noise": larger, "phi": zero, "price": "1/4", "width": "1/2"}
            return
        for _ in range(6):
            phi = [_symmetric(rng) for _ in range(2)]
            yield _noises_for(
                {**base, "phi": [texts(p) for p in phi], "price": "1/4", "width": "1/2", "ridge": "1/3"}
            )

    where = (
        "over positive semidefinite matrices"
        if constrained
        else "over all symmetric matrices, with a ridge and one noise per class"
    )
    printed = {"positive semidefinite": constrained} | ({"bound": bound} if bound else {})
    what = f"by at most {bound} in norm" if bound else "by the gradients"
    return Instances(
        "one minimiser, two data sets", printed, both, f"noises with one minimiser {where} differ {what}"
    )


def _symmetric(rng: np.random.Generator) -> Matrix:
    a, b, c = (Fraction(int(x), 8) for x in rng.integers(-4, 5, 3))
    return [[a, b], [b, c]]


def _noises_for(numbers: dict[str, Any]) -> dict[str, Any]:
    """The same with the noises, one per class, for which phi is stationary on both samples."""
    phi, found = [matrix(p) for p in numbers["phi"]], {}
    for data, noise in (("data", "noise"), ("other", "other_noise")):
        still = numbers | {noise: [texts([[Fraction(0)] * len(p)] * len(p)) for p in phi]}
        slope = problem_of(still, data, noise).slope(phi)
        found[noise] = [[[str(-x) for x in row] for row in s] for s in slope]
    return numbers | found


@rule("an output of one data set under its neighbour", "price", "width")
def reachable(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """Whether some noise makes the same output a minimiser for the neighbour.

    One noise for all classes, positive semidefinite: (M + g_c) Phi_c = 0 for two classes gives Phi_1 (g_1 - g_2) Phi_2 = 0 whatever
    M is.  One noise per class, no constraint and a ridge: the noise is computed, and the output compared with points around it.
    """
    phi = [matrix(p) for p in numbers["phi"]]
    if printed["noise"] == "one for all classes":
        _minimiser(problem_of(numbers), phi)
        g = problem_of(numbers, "other").gradient(phi)
        for row in times(times(phi[0], plus(g[0], g[1], Fraction(-1))), phi[1]):
            for entry in row:
                yield "Phi_1 (g_1 - g_2) Phi_2, zero if any noise leads there", ball(entry), "=", arb(0)
        return
    other = problem_of(_noises_for({**numbers, "ridge": "1/3"}), "other", "other_noise")
    least = other.value(phi)
    for step in numbers["steps"]:
        moved = [plus(p, matrix(e)) for p, e in zip(phi, step, strict=True)]
        yield "objective beside the output", ball(other.value(moved)), ">=", ball(least)


def outputs_elsewhere(noise: str) -> Instances:
    """`noise` is "one for all classes" or "one per class"; the record 1 of the first class becomes 0."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for numbers in _draws(rng):
            moved = {**TWO, "features": [["0"], numbers["data"]["features"][1]]}
            steps = [[texts(_symmetric(rng)) for _ in range(2)] for _ in range(4)]
            yield {**numbers, "other": moved, "steps": steps}

    return Instances(
        "an output of one data set under its neighbour",
        {"noise": noise},
        draw,
        f"an output of one data set is an output of the neighbour for another noise ({noise})",
    )


@rule("two noises on one data set", "price", "width")
def injective(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    """The squared distance of the minimisers for two noises that differ (in the part that counts); both are certified."""
    constrained = bool(printed["positive semidefinite"])
    one, two = problem_of(numbers), problem_of(numbers, noise="other_noise")
    first, second = ([matrix(p) for p in numbers[k]] for k in ("phi", "other_phi"))
    _minimiser(one, first, constrained)
    _minimiser(two, second, constrained)
    gaps = [plus(p, q, Fraction(-1)) for p, q in zip(first, second, strict=True)]
    apart = [plus(b, c, Fraction(-1)) for b, c in zip(one.noise, two.noise, strict=True)]
    if not squares(apart):
        raise ValueError("the two noises are the same")
    yield "squared distance of the minimisers", ball(squares(gaps)), ">", arb(0)


def two_noises(constrained: bool) -> Instances:
    """Noises 10 I and 11 I, whose minimiser is 0; without the constraint and with a ridge, the noises of two random points."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        base = {"data": {**TWO, "features": [["1"], ["-1"]]}, "price": "1/4", "width": "1/2"}
        if constrained:
            zero = [[["0", "0"], ["0", "0"]]] * 2
            large = [[["10", "0"], ["0", "10"]], [["11", "0"], ["0", "11"]]]
            yield {**base, "noise": large[0], "other_noise": large[1], "phi": zero, "other_phi": zero}
            return
        for _ in range(6):
            points = [[texts(_symmetric(rng)) for _ in range(2)] for _ in range(2)]
            if points[0] == points[1]:
                continue
            found = [
                _noises_for({**base, "other": base["data"], "ridge": "1/3", "phi": p})["noise"]
                for p in points
            ]
            yield {
                **base,
                "ridge": "1/3",
                "noise": found[0],
                "other_noise": found[1],
                "phi": points[0],
                "other_phi": points[1],
            }

    kind = (
        "over positive semidefinite matrices, one noise for all classes"
        if constrained
        else "over symmetric matrices, with a ridge, one noise per class"
    )
    return Instances(
        "two noises on one data set",
        {"positive semidefinite": constrained},
        draw,
        f"different noises have different minimisers {kind}",
    )


def first_order(zero: str) -> Derivation:
    """What follows from minimality: the derivative S_c is positive semidefinite and <S_c, Phi_c> = 0; S_c = r r', Phi_c = w w', d = 1."""
    w1, w2, r1, r2, k = sp.symbols("w1 w2 r1 r2 k", real=True)
    w, r = sp.Matrix([w1, w2]), sp.Matrix([r1, r2])
    inner_product = total(*(product(r[a], r[b], w[b], w[a]) for a in (0, 1) for b in (0, 1)))
    # Only multiples of (w2, -w1) are at a right angle to w.
    found = k * sp.Matrix([w2, -w1])
    s = found * found.T
    columns = sp.eye(2) if zero == "derivative" else w * w.T
    entries = (total(*(product(s[a, c], columns[c, b]) for c in (0, 1))) for a in (0, 1) for b in (0, 1))
    size = total(*(power(entry, 2) for entry in entries))
    steps = (
        Step(inner_product, "=", (r.T * w)[0] ** 2, "<S, Phi> is a square: 0 only if r'w = 0"),
        Step(size, "=", sp.Integer(0), f"the squared norm of the {zero} where r'w = 0"),
    )
    lemmas = (
        "Phi_c and -Phi_c/2 are feasible directions, so <S_c, Phi_c> = 0; so is every vv', so v'S_c v >= 0",
        "positive semidefinite matrices are sums of rank-one ones",
    )
    return Derivation(f"at the minimiser the {zero} is zero for every class", steps, lemmas)


def noise_difference(constrained: bool) -> Formula:
    """One entry of b1 - b2, from derivative = multiplier for both samples, against that of the difference of the gradients."""
    g1, g2, rest = sp.symbols("g1 g2 rho", real=True)
    s1, s2 = sp.symbols("S1 S2", real=True) if constrained else (sp.Integer(0), sp.Integer(0))
    return Formula(difference(s1 - g1 - rest, s2 - g2 - rest), "=", g2 - g1)


def noise_for_an_output(one: bool) -> Derivation:
    """That noise makes both derivatives zero at a given point, for given gradients g1, g2 of the other sample (entries)."""
    g1, g2, rest = sp.symbols("g1 g2 rho", real=True)
    first = product(-1, g1 + rest)
    second = first if one else product(-1, g2 + rest)
    nought = sp.Integer(0)
    steps = (
        Step(total(g1, rest, first), "=", nought, "class 1: the noise that makes the derivative zero"),
        Step(total(g2, rest, second), "=", nought, "class 2: the derivative with its noise"),
    )
    return Derivation(
        "some noise makes the output a minimiser for the neighbour",
        steps,
        ("a point where the derivative of a convex function is zero is a minimiser",),
    )
