"""Bounds over all neighbours that the kernel accepts whole, and their twins: a bound a little too small, or a domain left out."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof import queries
from noiseproof.symbolic.proof.derivation import Derivation, Step
from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, REJECTED, answer
from noiseproof.symbolic.proof.proofs.kernel_checked import kernel_step
from noiseproof.symbolic.proof.proofs.search import SYMPY, written
from noiseproof.symbolic.proof.truth import Truth

x, y, z, u, v, w = sp.symbols("x y z u v w", real=True)
BOX = npf.Box
EACH = {"records": [x], "each": "sum"}
FORMULAS: dict[str, tuple[Any, Any, dict[str, Any], str]] = {
    "a ratio of sums": ((x + u) / (y + v), BOX((0, 1), (1, 2)), {"records": [(x, y), (u, v)]}, "2/3"),
    "a logarithm of exponentials": (
        sp.log(sp.exp(x) + sp.exp(y)),
        BOX(0, 1),
        {"records": [x, y]},
        "-log(2) + log(1 + E)",
    ),
    "a root of a product": ((x * y * z) ** sp.Rational(1, 3), BOX(1, 8), {"records": [x, y, z]}, "4"),
    "a wave that ends": (x * sp.exp(-sp.Abs(x)), sp.S.Reals, EACH, "2*exp(-1)"),
    "a covariance": (
        (x * y + u * v) / 2 - (x + u) * (y + v) / 4,
        BOX((0, 0), (1, 1)),
        {"records": [(x, y), (u, v)]},
        "1/4",
    ),
    "a maximum": (sp.Max(x, y) + sp.Min(x, y) / 2, BOX(0, 1), {"records": [x, y]}, ""),
    "two moments": ([x, x**2], BOX(-2, 2), {"records": [x], "each": "mean", "n": 3, "norm": "l2"}, ""),
    "pieces": (sp.Piecewise((x, x < 1), (0, True)), sp.Interval(0, 2), EACH, "1"),
    "squares and a product": (x**2 + y**2 - y * x, BOX(-1, 1), {"records": [x, y]}, "9/4"),
    "near vectors": (
        x * y + x * z + y * z,
        BOX((0, 0, 0), (1, 1, 1)),
        {"records": [(x, y, z)], "adjacency": npf.Distance(0.5)},
        "1",
    ),
}
STRUCTURES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "clipped mean": (queries.clipped_mean(0, 2), BOX(-5, 5), {"n": 10}),
    "median": (queries.median(), BOX(0, 1), {"n": 5}),
    "quantile": (queries.quantile("9/10", method="linear"), BOX(0, 1), {"n": 5}),
    "histogram": (queries.histogram([0, 1, 2, 3]), BOX(0, 3), {"norm": "l2"}),
    "gram": (queries.gram(), BOX((-1, -1), (1, 1)), {"norm": "frobenius"}),
    "variance": (queries.variance(), BOX(0, 1), {"n": 5}),
    "covariance": (queries.covariance(), npf.Ball(1, 2), {"n": 4, "norm": "spectral"}),
    "mean as a minimiser": (
        queries.risk_minimiser((z - x) ** 2 / 2, [z], [x]),
        BOX(-1, 2),
        {"n": 4, "norm": "l2"},
    ),
}
INFINITE = {
    "mean": ((x + y) / 2, sp.S.Reals, {"records": [x, y]}),
    "pole": (1 / (x + y), sp.Interval.Lopen(0, 1), {"records": [x, y]}),
    "logarithm": (sp.log(x), sp.Interval.Lopen(0, 1), EACH),
}


def asked(query: Any, domain: Any, more: dict[str, Any]) -> npf.Sensitivity:
    """The answer in the 1-norm, if no other is named."""
    return npf.sensitivity(query, domain, **({"norm": "l1"} | more))


def rejected_steps(derivation: Derivation) -> list[str]:
    """The steps without a proof that the kernel accepts."""
    steps = [(s, written(s)) for s in derivation.steps if s.shown is None]
    assert len(steps) == len(derivation.steps) > 0
    return [f"{s.left} {s.relation} {s.right}: {p}" for s, p in steps if answer(p).word != ACCEPTED]


def twins(derivation: Derivation) -> Iterator[tuple[Step, Step]]:
    """Each bound over a domain by a number that is met at its ends, and the same a thousandth below."""
    for step in derivation.steps:
        if step.within and step.relation == "<=" and step.right.is_number and step.left.free_symbols:
            below, symbols = step.right - sp.Rational(1, 1000), [s for s, *_ in step.within]
            corners = itertools.product(*([e for e in ends if e.is_finite] for _, *ends in step.within))
            at_corners = [step.left.subs(dict(zip(symbols, c, strict=True))) for c in corners]
            if any(bool(value > below) for value in at_corners):
                yield step, replace(step, right=below)


@pytest.mark.parametrize("name", FORMULAS)
def test_every_step_of_a_formulas_bound_is_accepted(name: str) -> None:
    query, domain, more, exact = FORMULAS[name]
    found = asked(query, domain, more)
    assert not exact or sp.simplify(found.exact - sp.sympify(exact)) == 0
    assert found.derivation.check() is Truth.HOLDS
    assert rejected_steps(found.derivation) == []
    assert any(s.within for s in found.derivation.steps)


@pytest.mark.parametrize("name", ["a ratio of sums", "a covariance", "a wave that ends"])
def test_a_bound_a_little_too_small_is_rejected(name: str) -> None:
    query, domain, more, _ = FORMULAS[name]
    tight = [*twins(asked(query, domain, more).derivation)]
    assert tight
    for step, twin in tight[-2:]:
        proof = written(step)
        assert answer(proof).word == ACCEPTED
        assert written(twin)["by"] == SYMPY
        assert (
            answer({**proof, "right": written(Step(twin.right, "=", twin.right, ""))["left"]}).word
            == REJECTED
        )
        # The bound is one of the domain: elsewhere it is false.
        bare = {k: value for k, value in proof.items() if k not in ("given", "at")}
        assert answer({**bare, "for": {n: ["real"] for n in proof["for"]}}).word == REJECTED


@pytest.mark.parametrize("name", STRUCTURES)
def test_every_step_of_a_structures_bound_is_accepted(name: str) -> None:
    query, domain, more = STRUCTURES[name]
    found = asked(query, domain, more)
    assert found.derivation.check() is Truth.HOLDS
    assert rejected_steps(found.derivation) == []


@pytest.mark.parametrize("name", INFINITE)
def test_no_bound_is_shown_by_a_pair_for_every_bound(name: str) -> None:
    query, domain, more = INFINITE[name]
    found = asked(query, domain, more)
    (step,) = found.derivation.steps
    assert found.infinite
    assert rejected_steps(found.derivation) == []
    assert written(replace(step, right=2 * step.right + 5))["by"] == SYMPY


def test_what_the_kernel_does_not_accept_is_open() -> None:
    within = ((x, sp.Integer(0), sp.Integer(1)),)
    assert kernel_step(x**2, "<=", sp.Integer(1), "", within).check() is Truth.HOLDS
    assert kernel_step(x**2, "<=", sp.Rational(99, 100), "", within).check() is Truth.UNKNOWN
    # No real number at the lower end: an answer, not an error.
    wider = ((x, sp.Integer(-2), sp.Integer(1)),)
    assert kernel_step(sp.Max(sp.log(x), sp.sin(x)), "<=", sp.Integer(5), "", wider).check() is Truth.UNKNOWN
