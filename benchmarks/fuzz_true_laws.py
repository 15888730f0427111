"""Random true laws, and what is said of them at random values: no true law is refused, no value is wrong, missing, or given where there is no law.

Run with `python benchmarks/fuzz_true_laws.py --cases 60`.  Five kinds: catalogue laws whose numbers are floats as Python computes
them, fractions, or text; families of Beta and Gamma laws whose formulas could be 0/0 at some values; finite outcome spaces against
the sum itself; vectors at values where they are none; means of functions in a symbol of the variable's name alone.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import mpmath as mp
import numpy as np
import sympy as sp

import noiseproof as npf

Y, B = sp.Symbol("y"), sp.Symbol("b", positive=True)
_CLOSE = 1e-7
# Density of a place u and positive v, w, in the functions of sympy or of math; ends of the support.
_LAWS: tuple[tuple[Callable[..., Any], tuple[Any, Any]], ...] = (
    (lambda m, y, u, v, w: m.exp(-((y - u) ** 2) / (2 * v**2)) / (v * m.sqrt(2 * m.pi)), ("-oo", "oo")),
    (lambda m, y, u, v, w: m.sqrt(2) * m.exp(-(y**2) / (2 * v**2)) / (v * m.sqrt(m.pi)), (0, "oo")),
    (lambda m, y, u, v, w: w / v * (y / v) ** (w - 1) * m.exp(-((y / v) ** w)), (0, "oo")),
    (lambda m, y, u, v, w: y / v**2 * m.exp(-(y**2) / (2 * v**2)), (0, "oo")),
    (lambda m, y, u, v, w: 1 / v + 0 * y, (0, "v")),
    (lambda m, y, u, v, w: w * v**w / y ** (w + 1), ("v", "oo")),
    (lambda m, y, u, v, w: m.exp(-abs(y - u) / v) / (2 * v), ("-oo", "oo")),
    (lambda m, y, u, v, w: y ** (w - 1) * m.exp(-y / v) / (m.gamma(w) * v**w), (0, "oo")),
    (lambda m, y, u, v, w: v / (m.pi * (v**2 + (y - u) ** 2)), ("-oo", "oo")),
)


def numbers(rng: np.random.Generator) -> Iterator[str]:
    """A true law with numbers as people write and compute them."""
    which, digits = int(rng.integers(len(_LAWS))), int(rng.choice([1, 2, 5, 17]))
    formula, ends = _LAWS[which]
    drawn = {"u": rng.normal() * 5, "v": rng.uniform(0.2, 4), "w": rng.uniform(1.1, 3.5)}
    kept = {n: round(float(v), digits) for n, v in drawn.items()}
    way = rng.choice(["float", "rational", "text"])
    values: dict[str, Any] = (
        dict(kept) if way == "float" else {n: sp.Rational(repr(v)) for n, v in kept.items()}
    )
    support = tuple(values.get(e, e) if isinstance(e, str) else e for e in ends)
    density = sp.sympify(formula(sp, Y, **values))
    said = f"law {which} with {way}s {kept}"
    try:
        law = npf.Law.from_density(str(density) if way == "text" else density, Y, support)
    except ValueError as refusal:
        yield f"{said} is refused: {refusal}"
        return
    at = kept["v"] / 2 if ends == (0, "v") else kept["v"] * 1.3
    truth = formula(math, at, **kept)
    if abs(float(law.pdf(at)) - truth) > _CLOSE * truth:
        yield f"{said}: the density at {at} is {float(law.pdf(at))}, expected {truth}"


def poles(rng: np.random.Generator) -> Iterator[str]:
    """Beta laws whose shapes move with one parameter, at a value where a shape is a whole number."""
    low, slope = int(rng.integers(0, 3)), int(rng.integers(1, 5))
    top = low + slope + int(rng.integers(1, 4))
    p, q = low + slope * B, top - slope * B
    end = sp.Rational(top, slope)
    law = npf.Law.from_density(
        Y ** (p - 1) * (1 - Y) ** (q - 1) * sp.gamma(top + low) / (sp.gamma(p) * sp.gamma(q)),
        Y,
        (0, 1),
        domains={"b": (0, end)},
    )
    at = sp.Rational(int(rng.integers(1, top)), slope)
    truth = float(
        slope**2
        * (
            mp.psi(1, mp.mpf(low) + slope * mp.mpf(at.p) / at.q)
            + mp.psi(1, top - slope * mp.mpf(at.p) / at.q)
        )
    )
    try:
        found = npf.fisher_information(law, B).at({"b": at})[0, 0]
    except ValueError as silence:
        yield f"Beta({p}, {q}) at b = {at}: {silence}"
        return
    if not abs(found - truth) < _CLOSE * truth:
        yield f"Beta({p}, {q}) at b = {at}: {found}, expected {truth}"


def finite(rng: np.random.Generator) -> Iterator[str]:
    """Rankings, logits and products of polynomials on finitely many outcomes."""
    names = sp.symbols("r s", positive=True)
    kind = rng.integers(3)
    if kind == 0:
        worth = [*names, sp.Integer(int(rng.integers(1, 4)))]
        masses = [
            sp.Mul(*(w / sum(order[i:]) for i, w in enumerate(order)))
            for order in itertools.permutations(worth)
        ]
    elif kind == 1:
        weights = [
            sp.Mul(*(n ** int(rng.integers(0, 3)) for n in names)) for _ in range(int(rng.integers(3, 6)))
        ] + [*names]
        masses = [w / sum(weights) for w in weights]
    else:
        one, two = (n / (1 + n) for n in names)
        masses = [a * b for a in (one, 1 - one) for b in (two**2, 2 * two * (1 - two), (1 - two) ** 2)]
    at = {n: sp.Rational(int(rng.integers(1, 9)), int(rng.integers(1, 5))) for n in names}
    slopes = [[sp.diff(p, n).subs(at) for n in names] for p in masses]
    truth = sum(
        (sp.Matrix(s) * sp.Matrix(s).T / p.subs(at) for p, s in zip(masses, slopes, strict=True)),
        sp.zeros(2, 2),
    )
    trials = int(rng.integers(1, 4))
    try:
        found = npf.fisher_information(npf.JointLaw.multinomial(trials, masses), names).at(at)
    except ValueError as silence:
        yield f"{masses} at {at}: {silence}"
        return
    if not np.allclose(found, np.array(trials * truth, dtype=float), rtol=_CLOSE):
        yield f"{masses} at {at}: {found.tolist()}, expected {(trials * truth).tolist()}"


def nowhere(rng: np.random.Generator) -> Iterator[str]:
    """Vectors without domains at values where they are no laws: an answer is a wrong number."""
    phi, size = sp.Symbol("phi", real=True), int(rng.integers(2, 5))
    at = sp.Rational(int(rng.integers(11, 40)), 10) * int(rng.choice([-1, 1]))
    made = [
        npf.JointLaw.normal(
            [0] * size, [[phi ** abs(i - j) / (1 - phi**2) for j in range(size)] for i in range(size)]
        ),
        npf.JointLaw.normal([0] * size, [[1 if i == j else phi for j in range(size)] for i in range(size)]),
        npf.JointLaw.multinomial(2, [phi**2, phi * (1 - phi) * 2, (1 - phi) ** 2]),
        npf.JointLaw.markov([1, 0], [[1 - phi, phi], [phi, 1 - phi]], size),
    ]
    law = made[rng.integers(len(made))]
    try:
        found = npf.fisher_information(law, phi).at({"phi": at})
    except ValueError:
        return
    yield f"{law.form} has information {found.tolist()} at phi = {at}, where it is no law"


def means(rng: np.random.Generator) -> Iterator[str]:
    """E[polynomial] in the plain symbol against that in the law's own."""
    law = npf.Law.from_density(B * sp.exp(-B * Y), Y, (0, "oo"))
    function = sum(int(c) * Y**k for k, c in enumerate(rng.integers(-3, 4, size=4))) + sp.Symbol("b") * Y
    truth = law.expectation(function.xreplace({Y: law.variable, sp.Symbol("b"): B}))
    if sp.simplify(law.expectation(function) - truth) != 0:
        yield f"E[{function}] is {law.expectation(function)}, expected {truth}"


KINDS = {made.__name__: made for made in (numbers, poles, finite, nowhere, means)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=100, help="of each kind")
    parser.add_argument("--seed", type=int, default=43)
    parser.add_argument("--kind", choices=tuple(KINDS), action="append")
    given = parser.parse_args()
    counts = Counter[str]()
    for kind in given.kind or KINDS:
        for k in range(given.cases):
            faults = list(KINDS[kind](np.random.default_rng([given.seed, k])))
            counts[kind] += bool(faults)
            for what in faults[:1]:
                print(f"{kind} {k}: {what[:300]}", file=sys.stderr)
        print(f"{kind}: {given.cases} cases, {counts[kind]} with a fault", flush=True)
    sys.exit(1 if counts.total() else 0)


if __name__ == "__main__":
    main()
