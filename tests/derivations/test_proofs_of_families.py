"""Fisher information of a user's own families: every step is accepted by the kernel, and a step that says something else is not."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.symbolic.information.error_bounds import cramer_rao
from noiseproof.symbolic.laws.premises import premises
from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, answer
from noiseproof.symbolic.proof.proofs.recorded import recorded
from noiseproof.symbolic.proof.truth import Truth
from noiseproof.symbolic.proof.written_matrices import solves

Y = sp.Symbol("y")
A, B, S = sp.symbols("a b s", positive=True)
P = sp.Symbol("p", positive=True)
HALF_LINE = (0, "oo")


def law(density: Any, support: Any, **more: Any) -> npf.Law:
    return npf.Law.from_density(density, Y, support, **more)


COUNT = {"discrete": True, "domains": {"p": (0, 1)}}
LAWS: dict[str, tuple[Any, list[str]]] = {
    "exponential": (lambda: law(sp.exp(-Y / S) / S, HALF_LINE), ["s"]),
    "chi-square": (
        lambda: law(Y ** (A / 2 - 1) * sp.exp(-Y / 2) / (2 ** (A / 2) * sp.gamma(A / 2)), HALF_LINE),
        ["a"],
    ),
    "gamma": (lambda: law(Y ** (A - 1) * sp.exp(-Y / S) / (S**A * sp.gamma(A)), HALF_LINE), ["a", "s"]),
    "power": (lambda: law(A * Y ** (A - 1), (0, 1)), ["a"]),
    "Pareto": (lambda: law(A * Y ** (-A - 1), (1, "oo")), ["a"]),
    "Laplace": (lambda: law(sp.exp(-sp.Abs(Y) / S) / (2 * S), ("-oo", "oo")), ["s"]),
    "Poisson": (lambda: law(A**Y * sp.exp(-A) / sp.factorial(Y), HALF_LINE, discrete=True), ["a"]),
    "geometric": (lambda: law(P * (1 - P) ** Y, HALF_LINE, **COUNT), ["p"]),
    "multinomial": (lambda: npf.JointLaw.multinomial(4, [P, 1 - P]), ["p"]),
    "normal vector": (
        lambda: npf.JointLaw.normal([0, 0], [[A, sp.Symbol("c", real=True)], [sp.Symbol("c", real=True), B]]),
        ["a", "c"],
    ),
}


@pytest.mark.parametrize("name", LAWS)
def test_every_step_is_accepted(name: str) -> None:
    made, parameters = LAWS[name]
    rows = [
        r for r in recorded(npf.fisher_information(made(), parameters).derivation) if r["truth"] != "cited"
    ]
    assert rows
    for row in rows:
        assert row["left"] != row["right"]
        assert answer(row["proof"]).word == ACCEPTED, row
        wrong = row["proof"] | {"right": ["+", row["proof"]["right"], ["/", 1, 1000]]}
        assert answer(wrong).word == "rejected", row


def test_what_a_law_takes_for_granted() -> None:
    count = LAWS["geometric"][0]()
    assert premises(count) == (1 - P, count.variable + 1)
    power = LAWS["power"][0]()
    assert premises(power) == (power.variable, 1 - power.variable)
    assert premises(LAWS["multinomial"][0]()) == (1 - P,)
    (minor,) = premises(LAWS["normal vector"][0]())
    assert sp.expand(minor - A * B + sp.Symbol("c", real=True) ** 2) == 0
    below = npf.JointLaw.normal([0], [[1 - P]])
    assert premises(below) in ((1 - P,), (-(P - 1),))
    assert premises(npf.JointLaw.normal([A], [[1]])) == ()


def test_a_premise_stands_beside_the_steps_that_are_about_it() -> None:
    count = LAWS["geometric"][0]()
    y, steps = count.variable, npf.fisher_information(count, "p").derivation.steps
    assert all((1 - P in step.where) is (P in step.left.free_symbols) for step in steps)
    assert [y + 1 in step.where for step in steps] == [y in step.left.free_symbols for step in steps]


def test_systems_of_many_equations_are_printed_short() -> None:
    alike = cramer_rao(10 * sp.eye(30)).derivation
    texts = [(sp.sstr(s.left), sp.sstr(s.right), s.shown) for s in alike.steps]
    assert texts == [("30*(-1 + 10*(1/10))**2", "0", None), ("30*(1/10)", "3", None)]
    assert alike.check() is Truth.HOLDS
    # So many different products that words stand for their sum; a solution that is none is seen.
    full = sp.Matrix(6, 6, lambda i, j: sp.Rational(1, i + j + 1))
    inverse = full.inv()
    step = solves(full, inverse, sp.eye(6), "an inverse", "A*X - 1")
    assert (step.shown, step.check()) == (("A*X - 1", "0"), Truth.HOLDS)
    for wrong in (inverse + sp.eye(6), inverse * 2):
        assert solves(full, wrong, sp.eye(6), "none", "A*X - 1").check() is Truth.FAILS
    small = solves(2 * sp.eye(2), sp.eye(2), sp.eye(2), "none", "A*X - 1")
    assert (sp.sstr(small.left), small.check()) == ("2*(-1 + 2)**2", Truth.FAILS)
