"""Every step of a derivation decides about its own sides: a falsified one does not hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
import sympy as sp

import noiseproof as npf
from noiseproof.audit.trial.checks import stated_optimum, stated_sensitivity
from noiseproof.symbolic.proof.derivation import Derivation, Step, implied
from noiseproof.symbolic.proof.proofs.recorded import recorded
from noiseproof.symbolic.proof.truth import Truth

x, y, w, v, theta, t = sp.symbols("x y w v theta t", real=True)
p = sp.Symbol("p", positive=True)
k = sp.Symbol("k", integer=True)
X, u, f = sp.Symbol("x"), sp.Function("u"), sp.Function("p")
FAR = sp.Integer(10) ** 9
BOX, BALL, Q = npf.Box, npf.Ball, npf.queries

PROGRAMS: dict[str, tuple[npf.Program, object]] = {
    "quadratic": (npf.Program(x**2 + y**2, [x, y], [x + y >= 1]), [0.5, 0.5]),
    "linear": (npf.Program(-x - y, [x, y], [x + 2 * y <= 4, 3 * x + y <= 6, x >= 0, y >= 0]), [1.6, 1.2]),
    "disc": (npf.Program(x + y, [x, y], [npf.NormCone([x, y], 1)]), None),
    "matrix": (npf.Program(x + y, [x, y], [npf.PSD([[x, 1], [1, y]])]), [1, 1]),
    "exponentials": (npf.Program(sp.exp(x) + sp.exp(-x) + x**2, [x]), 0),
    "entropy": (npf.Program(p * sp.log(p) - p, [p]), 1),
    "lasso": (npf.Program((x - 3) ** 2 / 2 + sp.Abs(x), [x]), 2),
    "point": (npf.Program(-x, [x, y], [x**2 + y**2 <= 0]), [0, 0]),
    "whole": (npf.Program((k - sp.Rational(1, 3)) ** 2, [k], [k >= -3, k <= 3]), 0),
    "two wells": (npf.Program(x**4 - x**2, [x]), sp.sqrt(2) / 2),
    "product": (npf.Program(maximise=x * y, over=[x, y], subject_to=[sp.Eq(x + y, 1)]), [0.5, 0.5]),
    "saddle": (npf.Program(x * y, [x, y], [x >= -1, x <= 1, y >= -1, y <= 1]), [1, -1]),
    "cosine": (npf.Program(sp.cos(x) + x**2 / 4, [x], [x >= -3, x <= 3]), None),
    "powers": (npf.Program(x**4 + x / 2, [x], [x >= -3]), -0.5),
    "logistic": (npf.Program(sp.log(1 + sp.exp(x)) + x**2 / 2, [x]), None),
}
CLIP = npf.Program((x - t) ** 2, [x], [x >= 0, x <= 1], [t])
STRING = npf.Functional(u(X).diff(X) ** 2 / 2 - X * u(X), u(X), (X, 0, 1), boundary={0: 0})
DENSITY = npf.Functional(f(X).diff(X) ** 2 / f(X), f(X), (X, 0, 1), boundary={0: 0, 1: 0}, density=True)
NO_OPTIMUM = {
    "no point on a line": npf.Program(x, [x, y], [sp.Eq(x + y, 1), x >= 2, y >= 0]),
    "no point in a disc": npf.Program(x, [x, y], [x**2 + y**2 <= 1, x >= 2]),
    "no bound": npf.Program(x * y, [x, y], [sp.Eq(x + y, 1)]),
    "not attained": npf.Program(1 / p, [p]),
}
OTHERS: dict[str, Callable[[], Derivation]] = {
    "clip, solved": lambda: CLIP.solve().derivation,
    "clip, certified": lambda: CLIP.certify(sp.Min(1, sp.Max(0, t))).derivation,
    "clip, derivative": lambda: CLIP.derivative(at={"t": sp.Rational(1, 2)}).derivation,
    "clip, kink": lambda: CLIP.derivative(at={"t": 0}).derivation,
    "string, certified": lambda: STRING.certify(X / 2 - X**3 / 6).derivation,
    "string, Euler-Lagrange": lambda: STRING.euler_lagrange().derivation,
    "string, solved": lambda: STRING.solve().derivation,
    "density, solved": lambda: DENSITY.solve().derivation,
    "density, certified": lambda: DENSITY.certify(2 * sp.sin(sp.pi * X) ** 2).derivation,
}
QUERIES: dict[str, tuple[object, object, str, dict[str, object]]] = {
    "median": (Q.median(), BOX(0, 1), "l1", {"n": 5}),
    "clipped mean": (Q.clipped_mean(0, 1), BOX(-5, 5), "l1", {"n": 7}),
    "clipped sum": (Q.clipped_sum(0, 2), BOX(-5, 5), "l1", {}),
    "gram": (Q.gram(), BOX(-1, 1, dimension=2), "spectral", {}),
    "gram entries": (Q.gram(), BOX(-1, 2, dimension=2), "max", {}),
    "gram of a ball": (Q.gram(), BALL(1, 3), "frobenius", {}),
    "variance": (Q.variance(), BOX(0, 1), "l1", {"n": 5}),
    "standard deviation": (Q.standard_deviation(), BOX(0, 1), "l1", {"n": 5}),
    "covariance": (Q.covariance(), BALL(1, 2), "frobenius", {"n": 4}),
    "count": (Q.count(x > 7, records=[x]), BOX(0, 3), "l1", {}),
    "histogram": (Q.histogram([0, 1, 2]), BOX(0, 3), "l2", {}),
    "top k": (Q.top_k(["a", "b", "c"], 2), npf.Categorical(["a", "b", "c"]), "l2", {}),
    "all k": (Q.top_k(["a", "b"], 2), npf.Categorical(["a", "b"]), "max", {}),
    "top counts": (Q.top_k(["a", "b", "c"], 2, output="counts"), npf.Categorical(["a", "b", "c"]), "l2", {}),
    "index": (Q.argmax(["a", "b", "c"], output="index"), npf.Categorical(["a", "b", "c"]), "l1", {}),
    "span": (Q.projection_onto_span(), BALL(1, 3), "frobenius", {"n": 3}),
    "leading": (Q.projection_onto_leading(1), BALL(1, 3), "spectral", {"n": 3}),
    "nearest mean": (Q.risk_minimiser((theta - w) ** 2 / 2, [theta], [w]), BOX(-1, 2), "l2", {"n": 4}),
}
FORMULAS: dict[str, tuple[object, object, dict[str, object]]] = {
    "log of exponentials": (sp.log(sp.exp(x) + sp.exp(y)), BOX(0, 1), {"records": [x, y], "norm": "l1"}),
    "wave": (x * sp.sin(x), BOX(0, 5), {"records": [x], "norm": "l1", "each": "sum"}),
    "two moments": ([x, x**2], BOX(-1, 2), {"records": [x], "norm": "l2", "each": "mean", "n": 10}),
    "two formulas": (
        [sp.exp(x), sp.sin(x)],
        BOX(0, 3),
        {"records": [x], "norm": "l2", "each": "sum", "n": 3},
    ),
    "all reals": (x * sp.exp(-sp.Abs(x)), sp.S.Reals, {"records": [x], "norm": "l1", "each": "sum"}),
    "infinite": ((x + y) / 2, sp.S.Reals, {"records": [x, y], "norm": "l1"}),
    "near vectors": (
        x * y,
        BOX(0, 1, dimension=2),
        {"records": [(x, y)], "norm": "l1", "adjacency": npf.Distance(0.5)},
    ),
    "maximum": (sp.Max(x, y) + x * y, BOX(0, 1), {"records": [x, y], "norm": "l1"}),
}
LONG = {
    "ridge": (
        Q.risk_minimiser((theta * w - v) ** 2 / 2, [theta], [w, v], theta**2 / 4),
        BOX(-1, 1, dimension=2),
        {"norm": "l2", "n": 3},
    ),
    "logistic": (
        Q.risk_minimiser(sp.log(1 + sp.exp(-theta * w)), [theta], [w], theta**2 / 4),
        BOX(-1, 1),
        {"norm": "l2", "n": 2},
    ),
}


def falsified(step: Step) -> Iterator[Step]:
    """The step with one side moved so far that it is not true; sides that are names or written operations stay."""
    if isinstance(step.left, sp.MatrixBase):
        yield replace(step, right=step.right + sp.eye(step.right.rows) * FAR)
        return
    if step.right.is_infinite:
        yield replace(step, right=sp.Integer(5))
        if not isinstance(step.left, sp.Limit):
            yield replace(step, left=step.left.subs(dict.fromkeys(step.left.free_symbols, 3)))
        return
    side = {"=": 1, "<=": 1, "<": 1, ">=": -1, ">": -1}[step.relation]
    for move in (sp.Integer(1), sp.Rational(1, 1000)) if step.relation == "=" else (side * FAR,):
        if not step.right.is_Symbol:
            yield replace(step, right=step.right - move)
        if not isinstance(step.left, sp.Symbol | sp.Limit | sp.Integral):
            yield replace(step, left=step.left + move)


def sabotaged(derivation: Derivation) -> None:
    """The steps hold as they are, and none does with another side."""
    assert derivation.check() is Truth.HOLDS
    for step in derivation.steps:
        forged = [*falsified(step)]
        assert forged
        for other in forged:
            assert other.check() is not Truth.HOLDS, f"{other.left} {other.relation} {other.right}"


@pytest.mark.parametrize("relation", ["=", "<=", ">"])
def test_a_step_that_holds_whatever_it_says_is_seen(relation: str) -> None:
    whatever = Step(x + 1, relation, y + 1, "", lambda *_: Truth.HOLDS)
    half = Step(x + 1, relation, y + 1, "", lambda a, _: Truth.HOLDS if a == x + 1 else Truth.FAILS)
    for step in (whatever, half):
        with pytest.raises(AssertionError):
            sabotaged(Derivation("", (step,)))


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    program, point = PROGRAMS[name]
    found = [program.kkt(), program.convexity(), program.dual(), program.solve()]
    found += [] if point is None else [program.certify(point)]
    steps = [one.derivation for one in found if one.derivation.steps]
    assert steps
    for derivation in steps:
        sabotaged(derivation)


@pytest.mark.parametrize("name", NO_OPTIMUM)
def test_programs_without_an_optimum(name: str) -> None:
    sabotaged(NO_OPTIMUM[name].solve().derivation)


@pytest.mark.parametrize("name", OTHERS)
def test_parameters_and_functionals(name: str) -> None:
    sabotaged(OTHERS[name]())


@pytest.mark.parametrize("name", QUERIES)
def test_queries_by_structure(name: str) -> None:
    query, domain, norm, more = QUERIES[name]
    sabotaged(npf.sensitivity(query, domain, norm=norm, **more).derivation)


@pytest.mark.parametrize("name", FORMULAS)
def test_queries_as_formulas(name: str) -> None:
    query, domain, more = FORMULAS[name]
    sabotaged(npf.sensitivity(query, domain, **more).derivation)


CLAIMS = {
    "point": (PROGRAMS["quadratic"][0], npf.Minimiser([0.5, 0.5])),
    "formula": (CLIP, npf.Minimiser("Min(1, Max(0, t))")),
    "value": (PROGRAMS["quadratic"][0], npf.OptimalValue(0.5)),
    "value by cases": (CLIP, npf.OptimalValue("(t - Min(1, Max(0, t)))**2")),
    "near value by cases": (CLIP, npf.OptimalValue("(t - Min(1, Max(0, t)))**2 + 1/100", tolerance="1/50")),
    "function": (STRING, npf.Minimiser("x/2 - x**3/6")),
    "value of functions": (STRING, npf.OptimalValue("-1/15", tolerance="1/1000")),
    "sensitivity": (
        npf.DatasetQuery(x**2, BOX(0, 3), records=[x], each="sum"),
        npf.SensitivityBound(9, "l1"),
    ),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_claims(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[Derivation] = []

    def keeping(derivation: Derivation, *truths: object) -> object:
        kept.append(derivation)
        return recorded(derivation, *truths)

    for module in (stated_optimum, stated_sensitivity):
        monkeypatch.setattr(module, "recorded", keeping)
    subject, predicate = CLAIMS[name]
    (finding,) = npf.examine(subject, predicate).findings
    assert finding.verdict is npf.Verdict.PROVED
    assert kept
    for derivation in kept:
        sabotaged(derivation)


@pytest.mark.long
@pytest.mark.parametrize("name", LONG)
def test_risks(name: str) -> None:
    query, domain, more = LONG[name]
    sabotaged(npf.sensitivity(query, domain, **more).derivation)


def test_what_is_implied() -> None:
    assert implied(x, "<=", x + 1, (x, x)) is Truth.HOLDS
    assert implied(x + 1, "<=", x, (x, x)) is Truth.FAILS
    assert implied(x, ">=", x - 1, (x, x)) is Truth.HOLDS
    assert implied(x - 1, ">=", x, (x, x)) is Truth.FAILS
