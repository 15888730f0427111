"""Formulas and instances of dossiers: both words, witnesses that stand elsewhere, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest
import sympy as sp
from flint import arb, fmpq

from noiseproof.audit.dossier import PaperClaim, Statement, examine_claim, faults
from noiseproof.audit.dossier.formula import CHECKS, Formula, argued, at_points, derivation, points
from noiseproof.audit.dossier.instances import POSITIVE, Comparison, Instances, on_instances, rule, search
from noiseproof.audit.papers import rules
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.witnesses import reevaluate
from noiseproof.symbolic.proof.derivation import Derivation, Step
from noiseproof.symbolic.proof.truth import Truth

X, Y = sp.symbols("x y", positive=True)
Z = sp.Symbol("z", real=True)
N = sp.Symbol("n", positive=True, integer=True)
OFF = sp.Rational(101, 100)

# A true formula and a false one beside it, at most 1 % away.
PAIRS: dict[str, tuple[Formula, Formula]] = {
    "means": (Formula((X + Y) ** 2, ">=", 4 * X * Y), Formula((X + Y) ** 2, ">=", 4 * OFF * X * Y)),
    "identity": (
        Formula(sp.sin(Z) ** 2 + sp.cos(Z) ** 2, "=", sp.Integer(1)),
        Formula(sp.sin(Z) ** 2 + OFF * sp.cos(Z) ** 2, "=", sp.Integer(1)),
    ),
    "number": (Formula(sp.pi**2, "<", sp.Rational("9.87")), Formula(sp.pi**2, "<", sp.Rational("9.86"))),
    "integers": (Formula(N**2, ">=", N), Formula(N**2, ">=", OFF * N)),
}
RNG_SEED = 3


def rng() -> np.random.Generator:
    return np.random.default_rng(RNG_SEED)


@pytest.mark.parametrize("name", PAIRS)
def test_both_checks_say_both_words(name: str) -> None:
    true, false = PAIRS[name]
    assert derivation(true, rng()).verdict is Verdict.PROVED
    assert at_points(true, rng()).verdict is Verdict.SURVIVED
    for check in CHECKS:
        found = check(false, rng())
        assert found.verdict is Verdict.REFUTED
        assert found.witness is not None
        assert reevaluate(json.loads(json.dumps(found.witness)))[0]


SPECIAL = {
    "gamma": (sp.gamma(X), ">=", X),
    "factorial": (sp.factorial(N), "<=", N**2),
    "gamma at an equality": (sp.gamma(N), ">", sp.Integer(1)),
    "log gamma": (sp.loggamma(X), "<", X),
    "digamma": (sp.digamma(X), ">", sp.log(X)),
    "trigamma": (sp.polygamma(1, X), "=", 1 / X),
    "beta": (sp.beta(X, 2), "<", 1 / (2 * X)),
    "binomial": (sp.binomial(5, N), ">", sp.Integer(5)),
    "Bessel I": (sp.besseli(1, X) / sp.besseli(0, X), ">=", X),
    "Bessel J": (sp.besselj(0, X), ">=", 1 - X**2 / 8),
    "Bessel K": (sp.besselk(1, X), "<=", sp.Integer(1)),
    "Bessel Y": (sp.bessely(0, X), "<=", sp.Integer(0)),
    "a value that is written": (sp.zeta(N + 1), "=", sp.Integer(2)),
}


@pytest.mark.parametrize("name", SPECIAL)
def test_a_violation_whose_value_needs_a_special_function_is_a_witness(name: str) -> None:
    formula = Formula(*SPECIAL[name])
    for check in CHECKS:
        found = check(formula, rng())
        assert found.verdict is Verdict.REFUTED, found.detail
        assert found.witness is not None
        assert reevaluate(found.witness)[0]


@pytest.mark.parametrize("text", ["factorial(10**9)", "besselk(1, -x)", "besseli(1/2, -x)", "gamma(-1)"])
def test_a_witness_of_no_real_or_of_a_huge_value_is_refused(text: str) -> None:
    witness = {"kind": "formula", "left": text, "relation": "=", "right": "0", "where": [], "at": {"x": "1"}}
    with pytest.raises(ValueError, match=r"finite real|1e300"):
        reevaluate(witness)


def test_a_formula_that_no_rule_of_algebra_settles_is_left_to_the_numbers() -> None:
    convex = Formula(sp.exp(Z), ">=", 1 + Z)
    assert derivation(convex, rng()).verdict is Verdict.UNDECIDED
    assert at_points(convex, rng()).verdict is Verdict.SURVIVED
    assert at_points(Formula(sp.exp(Z), ">=", 1 + OFF * Z), rng()).verdict is Verdict.REFUTED


def test_conditions_restrict_what_is_quantified_over() -> None:
    ordered = Formula(X**2, "<", Y**2, where=(Y - X,))
    assert at_points(ordered, rng()).verdict is Verdict.SURVIVED
    assert all(p[Y] > p[X] for p in points(ordered, rng()))
    free = Formula(X**2, "<", Y**2)
    assert at_points(free, rng()).verdict is Verdict.REFUTED
    # A witness whose condition does not hold shows nothing.
    witness = at_points(free, rng()).witness
    assert witness is not None
    stands, says = reevaluate({**witness, "where": ["y - x"]})
    assert not stands
    assert "condition" in says


@pytest.mark.parametrize("relation", ["<=", ">=", "="])
def test_the_direction_that_was_derived_is_read_where_both_sides_are_equal(relation: str) -> None:
    """A bound that is attained holds turned round as well, on its instance and only there."""
    said = {r: Formula(X, r, X, argument=argued(relation=relation)) for r in ("<=", ">=", "=")}
    proved = {r for r, formula in said.items() if derivation(formula, rng()).verdict is Verdict.PROVED}
    assert proved == {relation}


def test_an_argument_is_checked_step_by_step_and_depends_on_the_formula() -> None:
    def squares(formula: Formula) -> Derivation:
        gap = formula.left - formula.right
        return Derivation("a square", (Step(sp.expand(gap), "=", sp.expand((X - Y) ** 2), "it is a square"),))

    true = Formula((X + Y) ** 2, ">=", 4 * X * Y, argument=squares)
    proved = derivation(true, rng())
    assert proved.verdict is Verdict.PROVED
    assert [row["truth"] for row in proved.derivation] == ["holds"]
    false = derivation(Formula((X + Y) ** 2, ">=", 4 * OFF * X * Y, argument=squares), rng())
    assert false.verdict is Verdict.REFUTED
    assert "it is a square" in false.detail


def test_no_argument_proves_a_false_formula_by_itself() -> None:
    empty = Formula(X, "<=", Y, argument=lambda _: Derivation("nothing", ()))
    assert empty.argument is not None
    assert empty.argument(empty).check() is Truth.UNKNOWN
    assert derivation(empty, rng()).verdict is Verdict.REFUTED


def test_points_respect_the_assumptions() -> None:
    below = sp.Symbol("b", negative=True)
    formula = Formula(below * N, "<", Z**2 + X)
    seen = list(points(formula, rng()))
    assert len(seen) == 200
    assert all(p[below] < 0 < p[X] and p[N].is_Integer and p[N] >= 1 for p in seen)
    assert len({tuple(p.values()) for p in seen}) > 150


def test_an_unknown_relation_is_refused() -> None:
    with pytest.raises(ValueError, match="relation must be one of"):
        Formula(X, "!=", Y)
    witness = {"kind": "formula", "left": "1", "relation": "!=", "right": "1", "where": [], "at": {}}
    with pytest.raises(ValueError, match="relation must be one of"):
        reevaluate(witness)


# Instances: the trace of a square is at least the square of the trace over the order.


@rule("test: trace of a square")
def _trace(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterator[Comparison]:
    values = [arb(fmpq(*map(int, text.split("/")))) for text in numbers["eigenvalues"]]
    factor = arb(fmpq(*map(int, printed["factor"].split("/"))))
    total = sum(values, arb(0))
    yield (
        "trace of the square",
        sum((v * v for v in values), arb(0)),
        ">=",
        factor * total * total / len(values),
    )


def _draw(generator: np.random.Generator) -> Iterator[dict[str, Any]]:
    yield {"eigenvalues": ["1/1", "1/1"]}
    for _ in range(20):
        yield {"eigenvalues": [f"{k}/7" for k in generator.integers(1, 30, size=3).tolist()]}


def _traces(factor: str) -> Instances:
    return Instances("test: trace of a square", {"factor": factor}, _draw)


def test_a_rule_says_both_words() -> None:
    assert on_instances(_traces("1/1"), rng()).verdict is Verdict.SURVIVED
    found = search(_traces("101/100"), rng())
    assert (found.verdict, found.kind) == (Verdict.REFUTED, "attack")
    assert found.witness is not None
    witness = json.loads(json.dumps(found.witness))
    assert reevaluate(witness)[0]
    assert not reevaluate({**witness, "printed": {"factor": "1/1"}})[0]
    with pytest.raises(ValueError, match="unknown rule 'trace of a sqare'"):
        reevaluate({**witness, "rule": "trace of a sqare"})


@pytest.mark.parametrize("value", ["-1", "0", "1-1", "log(1)", -1e-300])
def test_an_instance_outside_of_what_its_rule_is_about_does_not_stand(value: Any) -> None:
    rules()
    asked = [(name, key) for name, keys in POSITIVE.items() for key in keys]
    assert len(asked) > 50
    for name, key in asked:
        witness = {"kind": "instance", "rule": name, "printed": {}, "numbers": {key: value}}
        with pytest.raises(ValueError, match=f"{key} is positive"):
            reevaluate(witness)


def test_enclosures_too_wide_to_tell_do_not_pass() -> None:
    @rule("test: wide")
    def wide(_: Mapping[str, Any], __: Mapping[str, Any]) -> Iterator[Comparison]:
        yield "wide", arb(1, 0.5), "=", arb(1)
        yield "touching", arb(1, 0.5), "<=", arb(1)

    statement = Instances("test: wide", {}, lambda _: iter([{}]))
    assert on_instances(statement, rng()).verdict is Verdict.UNDECIDED
    nothing = Instances("test: wide", {}, lambda _: iter(()))
    assert on_instances(nothing, rng()).verdict is Verdict.UNDECIDED


def test_a_claim_of_formulas_flips_on_its_twin() -> None:
    true, false = PAIRS["means"]
    finding = examine_claim("x/y", PaperClaim("means", Statement("a", true), Statement("b", false), CHECKS))
    assert (finding["verdict"], finding["twin"]["verdict"]) == ("proved", "refuted")
    assert faults([{"findings": [finding]}]) == []
    swapped = examine_claim("x/y", PaperClaim("means", Statement("b", false), Statement("a", true), CHECKS))
    assert swapped["verdict"] == "refuted"
    assert swapped["witness"]["kind"] == "formula"


def test_what_cannot_be_settled_says_why() -> None:
    claim: PaperClaim[None] = PaperClaim(
        "far", Statement("it was so", None), undecided="the data were never published"
    )
    finding = examine_claim("x/far", claim)
    assert finding["verdict"] == "undecided"
    assert finding["evidence"][0]["reason"] == "the data were never published"
    assert finding["twin"] is None
    with pytest.raises(ValueError, match="neither checks nor a twin"):
        PaperClaim("far", Statement("s", PAIRS["means"][0]), None, CHECKS, undecided="why")
