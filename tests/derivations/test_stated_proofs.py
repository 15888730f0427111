"""What is printed and what is proved are one statement: prints are read without sympy, whatever they hold, and every other one is seen."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import pytest
import sympy as sp

from noiseproof.symbolic.proof.as_written import quotient
from noiseproof.symbolic.proof.derivation import Derivation, Step
from noiseproof.symbolic.proof.proofs.printed import UnreadableError, printed
from noiseproof.symbolic.proof.proofs.recorded import recorded
from noiseproof.symbolic.proof.proofs.search import SYMPY
from noiseproof.symbolic.proof.proofs.stated import canonical, strays
from noiseproof.symbolic.proof.trace import Column, Letter, Trace, identity
from noiseproof.symbolic.proof.truth import Truth

X, Y = sp.symbols("x y", real=True)
P, Q, LAM = sp.symbols("p q lambda", positive=True)
N = sp.Symbol("n", positive=True, integer=True)
K = sp.Symbol("k", integer=True)
W, S, V = Letter("W"), Letter("S"), Column("v")
U = sp.Function("u")
OMEGA = sp.IndexedBase("omega")
STEPS = {
    "integral": Step(sp.Integral(sp.exp(-LAM * X), (X, 0, sp.oo)), "=", 1 / LAM, ""),
    "derivative": Step(sp.Derivative(sp.sin(X) ** 2, (X, 2)), "=", 2 * sp.cos(2 * X), ""),
    "of any function": Step(sp.Derivative(U(X) ** 2, X), "=", 2 * U(X) * U(X).diff(X), ""),
    "sum": Step(sp.Sum(2 * OMEGA[K], (K, 1, N)), "=", 2 * sp.Sum(OMEGA[K], (K, 1, N)), ""),
    "trace": identity(Trace(V.T * W.T * W * S * V), Trace(V.T * S * V), "", rules={(W.T, W): sp.Integer(1)}),
    "quotient": Step(quotient(P, quotient(Q, P)), "=", P**2 / Q, ""),
    "powers": Step(P ** (-Q - 2), "=", 1 / (P**Q * P**2), ""),
    "largest": Step(sp.Max(0, P, Q), ">=", sp.Min(P, Q), "", how=lambda a, b: Truth.HOLDS),
    "bound": Step(X * Y, "<=", (X**2 + Y**2) / 2, ""),
}


def rows() -> dict[str, dict[str, Any]]:
    return {name: recorded(Derivation(name, (step,)))[0] for name, step in STEPS.items()}


def proved() -> dict[str, dict[str, Any]]:
    return {n: r for n, r in rows().items() if r["proof"]["by"] != SYMPY}


def test_the_proof_of_every_step_states_its_print() -> None:
    found = proved()
    assert set(STEPS) - set(found) <= {"largest"}
    assert not any(strays(row) for row in found.values())


def test_each_proof_beside_another_print_is_seen() -> None:
    for one, other in permutations(proved().values(), 2):
        assert strays(one | {"proof": other["proof"]}), (one, other)


@pytest.mark.parametrize("name", sorted(set(STEPS) - {"largest"}))
def test_a_changed_print_is_seen_on_either_side(name: str) -> None:
    row = rows()[name]
    for side in ("left", "right"):
        for changed in (f"{row[side]} + 1", f"-({row[side]})", row[side].replace("x", "y"), "", "("):
            if changed != row[side]:
                assert strays(row | {side: changed}), changed
    assert strays(row | {"relation": "<"})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(x, 0, oo)", "(x, 1, oo)"),
        ("(x, 0, oo)", "(x, 0, 1)"),
        ("(x, 2)", "x"),
        ("(k, 1, n)", "(k, 0, n)"),
        ("omega[k]", "omega[n]"),
        ("W_transpose*W", "W*W_transpose"),
        ("W*S*v", "S*W*v"),
        ("u(x)", "v(x)"),
        ("lambda", "p"),
    ],
)
def test_ends_orders_and_letters_are_compared(old: str, new: str) -> None:
    seen = [r for r in rows().values() if old in r["left"]]
    assert seen
    assert all(strays(r | {"left": r["left"].replace(old, new)}) for r in seen)


def test_what_is_written_otherwise_is_one_statement_only_where_the_kernel_knows_it() -> None:
    proof = {"left": ["abs", "x"], "relation": ">=", "right": 0, "by": "sign", "for": {"x": ["positive"]}}
    row = {"left": "sqrt(x**2)", "relation": ">=", "right": "0", "proof": proof}
    assert not strays(row)
    assert not strays(row | {"left": "x"})
    assert strays(row | {"left": "x", "proof": proof | {"for": {"x": ["real"]}}})
    assert strays(row | {"left": "-x"})


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("-x**2/(2*a)", ["/", ["*", ["/", -1, 2], ["^", "x", 2]], "a"]),
        ("a/(b*c)", ["/", ["/", "a", "b"], "c"]),
        ("c - (a + b)", ["+", "c", ["*", -1, ["+", "b", "a"]]]),
        ("1/sqrt(x)", ["^", "x", ["/", -1, 2]]),
        ("x**(-y)", ["/", 1, ["^", "x", "y"]]),
        ("E*pi + EulerGamma", ["+", ["*", ["const", "pi"], ["const", "e"]], ["const", "euler"]]),
        ("lambda*in", ["*", "lambda", "in"]),
        ("-oo_1", ["*", -1, "oo_1"]),
        ("Derivative(f(t), t, (x, 2))", ["diff", ["diff", ["fn", "f", "t"], "t", 1], "x", 2]),
        ("Derivative(y[j], x[j, k])", ["diff", ["fn", "y", "j"], "x[j, k]", 1]),
        ("2**3*x", ["*", 8, "x"]),
        ("polygamma(1, x)", ["polygamma", 1, "x"]),
        ("x' - x''*lambda'", ["-", "x'", ["*", "x''", "lambda'"]]),
        ("Derivative(f(x'), x')", ["diff", ["fn", "f", "x'"], "x'", 1]),
        ("Limit(exp(-x), x, oo, dir='-')", ["lim", ["exp", ["-", "x"]], "x", ["const", "oo"], "below"]),
    ],
)
def test_prints_are_read_as_the_language_has_them(text: str, data: Any) -> None:
    assert canonical(printed(text)) == canonical(data)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a - (b + c)", ["+", "a", ["*", -1, "b"], "c"]),
        ("a/b*c", ["/", "a", ["*", "b", "c"]]),
        ("-x**2", ["^", ["*", -1, "x"], 2]),
        ("x**y**z", ["^", ["^", "x", "y"], "z"]),
        ("gamma(x)", ["fn", "gamma", "x"]),
        ("pi", "pi"),
        ("x'", "x"),
        ("Limit(x, x, 0, dir='+')", ["lim", "x", "x", 0, "below"]),
        ("polygamma(1, x)", ["polygamma", 2, "x"]),
        ("Integral(x, (x, 0, 1))", ["int", "y", "y", 0, 1]),
    ],
)
def test_other_expressions_are_other_trees(text: str, data: Any) -> None:
    assert canonical(printed(text)) != canonical(data)


@pytest.mark.parametrize(
    "text",
    [
        "0.5*x",
        "x < y",
        "[x]",
        "'x'",
        "x.y",
        "f(x)(y)",
        "f(a=1)",
        "Derivative(x[j, k]**2, x[j, k])",
        "Integral(x)(",
        "Integral(x, x)",
        "Limit(x, x, 0)",
        "Limit(x, x, 0, dir='+-')",
        "(" * 300 + "x" + ")" * 300,
        "-" * 5_000 + "x",
        "x" * 200_000,
    ],
)
def test_what_is_no_expression_is_not_read(text: str) -> None:
    with pytest.raises(UnreadableError):
        printed(text)
    proof = {"left": "x", "relation": "=", "right": "x", "by": "ring", "for": {"x": ["real"]}}
    assert strays({"left": text, "relation": "=", "right": "x", "proof": proof})


@pytest.mark.parametrize(
    "data", [None, 1.5, True, {}, [], [1], ["int", 1, 2, 3, 4], ["^", 1], ["+", {}], ["fn", 1, 2]]
)
def test_a_side_that_is_no_expression_states_nothing(data: Any) -> None:
    proof = {"left": data, "relation": "=", "right": "x", "by": "ring", "for": {"x": ["real"]}}
    assert strays({"left": "1", "relation": "=", "right": "x", "proof": proof})


def test_a_proof_of_a_print_that_does_not_say_it_is_not_written_down() -> None:
    """Two symbols of one name print alike: what is printed is not what was proved."""
    other = sp.Symbol("x", positive=True)
    (row,) = recorded(Derivation("two", (Step(X + other, ">=", X, ""),)))
    assert row["truth"] == "holds"
    assert row["proof"]["by"] == SYMPY
    assert "print" in row["proof"]["reason"]
    dummy = sp.Dummy("x", positive=True)
    (row,) = recorded(Derivation("one", (Step(X + dummy, ">=", X, ""),)))
    assert row["proof"]["by"] == "sign"
    assert not strays(row)
    moved = sp.Symbol("x'", real=True)
    (row,) = recorded(Derivation("neighbours", (Step(X * moved, "<=", (X**2 + moved**2) / 2, ""),)))
    assert row["proof"]["by"] == "sign"
    assert not strays(row)
