"""Program and query files: what they mean, what is claimed of them, and one clear message for each slip."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import sympy as sp
from broken_trees import broken, places

import noiseproof as npf
from noiseproof.audit.trial.spec import parse_spec, program_file, query_file
from noiseproof.audit.trial.spec.build import build
from noiseproof.audit.trial.spec.program_file import ProgramFile, parse_program
from noiseproof.audit.trial.spec.query_file import QueryFile, parse_query
from noiseproof.symbolic.errors import SpecError

WATER = """
[program]
name = "two channels"
maximise = "log(1 + p) + log(1 + d + q)"
over = { p = "nonnegative", q = "nonnegative" }
subject_to = ["p + q <= P"]
[program.parameters.P]
domain = [0, "oo"]
[program.parameters.d]
domain = [0, "oo"]
[derive]
at = { P = 3, d = 0.5 }
"""
SHAPE = """
[program]
minimise = "x + y + k"
over = { x = "real", y = "real", k = "nonnegative integer" }
subject_to = [{ psd = [["x", 1], [1, "y"]] }, "norm([x, y], l2) <= 10", "0 <= x + k <= 9", "k == k**2"]
"""
MEAN = """
[query]
value = "x"
records = ["x"]
each = "mean"
n = 10
domain = [0, 1]
norm = "l1"
"""
PAIRS = """
[query]
name = "a matrix"
value = [["x1*y1 + x2*y2", 0], [0, 1]]
records = [["x1", "y1"], ["x2", "y2"]]
domain = { kind = "intervals", ends = [[0, 1], [0, 0.5]] }
norm = "frobenius"
adjacency = "replace-one"
[derive]
tolerance = 1e-4
"""
COUNT = """
[query]
named = "count"
arguments = { predicate = "0.2 < x <= 1 and not y > 3" }
records = ["x", "y"]
domain = { kind = "box", low = [0, 0], high = [1, 5] }
norm = "l1"
adjacency = "add-or-remove"
"""
GRADIENT = """
[query]
named = "clipped_gradient"
arguments = { loss = "(y - t*x)**2", at = { t = 0.5 }, clip = 1 }
records = ["x", "y"]
domain = { kind = "box", low = [-1, -1], high = [1, 1] }
norm = "l2"
"""
PROGRAMS = {"water": WATER, "shape": SHAPE}
QUERIES = {"mean": MEAN, "pairs": PAIRS, "count": COUNT, "gradient": GRADIENT}


def program(text: str) -> ProgramFile:
    return parse_program(text.encode(), file="p.toml")


def query(text: str) -> QueryFile:
    return parse_query(text.encode(), file="q.toml")


def test_a_program_is_read_exactly() -> None:
    read = program(WATER)
    assert isinstance(read.program, npf.Program)
    assert (read.title, read.program.sign) == ("two channels", -1)
    p, q = read.program.variables
    assert (p.is_nonnegative, p.is_positive) == (True, None)
    assert list(read.parameters) == ["P", "d"]
    assert read.value("d", 0.1, "x") == sp.Rational(1, 10)
    assert str(read.program.constraints[0].written) == "p + q <= P"
    assert q.name == "q"


def test_matrices_norms_chains_and_equations_are_constraints() -> None:
    read = program(SHAPE).program
    assert [type(c).__name__ for c in read.constraints] == [
        "PSD",
        "NormCone",
        "Inequality",
        "Inequality",
        "Equation",
    ]
    assert read.variables[2].is_integer
    (cone,) = read.cones
    assert (cone.norm, cone.bound) == ("l2", 10)


def test_queries_by_formula_and_by_name_are_answered() -> None:
    read = query(MEAN)
    assert read.query.sensitivity(read.norm, read.adjacency).exact == sp.Rational(1, 10)
    read = query(PAIRS)
    found = read.query.sensitivity(read.norm, read.adjacency)
    assert found.exact == sp.Rational(1, 2)
    read = query(COUNT)
    assert read.query((sp.Rational(1, 2), 3) for _ in range(1)) == (1,)
    assert read.query([(1, 4)]) == (0,)
    assert query(GRADIENT).query.sensitivity("l2").exact == 2


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (WATER.replace("maximise", "maximize"), "program.maximize: unknown key; did you mean 'maximise'?"),
        (
            WATER.replace("maximise", 'minimise = "p"\nmaximise'),
            "program.minimise: a program has one objective",
        ),
        (WATER.replace("over", "ovr"), "did you mean 'over'?"),
        (
            WATER.replace("p + q <= P", "p + q < P"),
            "program.subject_to[0]: in the formula 'p + q < P' at character 9: a strict",
        ),
        (WATER.replace("p + q <= P", "p + q"), "is no relation: expected a relation such as"),
        (WATER.replace("p + q <= P", "p + r <= P"), "unknown name 'r'"),
        (WATER.replace("p + q <= P", "p + r <= P"), "needs a table [program.parameters.NAME]"),
        (WATER.replace("p + q <= P", "p + q = P"), "write == for an equation"),
        (WATER.replace("p + q <= P", "p + q <= P and p <= 1"), "give each relation a text of its own"),
        (WATER.replace("p + q <= P", "norm([p, q], l7) <= P"), "unknown norm 'l7'"),
        (WATER.replace("p + q <= P", "norm([p, q], 2) <= P"), "unknown norm '2'; did you mean 'l2'"),
        (WATER.replace("p + q <= P", "2*norm([p, q], l2) <= P"), "unknown function 'norm'"),
        (
            WATER.replace("p + q <= P", "p >= 0"),
            "program.subject_to[0]: a relation is True before any number",
        ),
        (WATER.replace("p + q <= P", "().__class__ <= P"), "program.subject_to[0]: in the formula"),
        (WATER.replace("parameters.d]", "parameters.q]"), "program.parameters.q: q is a variable in over"),
        (WATER.replace('"nonnegative", q', '"negative", q'), "program.over.p: expected"),
        (
            WATER.replace("p + q <= P", "p + q <= 1").replace("P = 3, ", ""),
            "program.parameters.P: P stands neither",
        ),
        (WATER.replace("P = 3", "P = -3"), "derive.at.P: expected a number between 0 and oo, got -3"),
        (WATER.replace("P = 3", "R = 3"), "derive.at.R: 'R' is no parameter; expected one of: P, d"),
        (WATER.replace("[derive]", "[derive]\nobservations = 1"), "derive.observations: unknown key"),
        (WATER.replace('name = "two channels"', "at = 3"), "at belongs to [derive]"),
        ("samples = 3\n" + WATER, "samples: this key is one of an audit, and there is no [[claims]]"),
        (
            SHAPE.replace('[1, "y"]', '[2, "y"]'),
            "program.subject_to[0].psd: PSD: expected a symmetric matrix",
        ),
        ('[program]\nfunction = "os:getcwd"\n', "program.function: os:getcwd() is str: expected a Program"),
        ('[program]\nfunction = "os:getcwd"\nover = ["x"]\n', "program.over: this key says nothing"),
    ],
)
def test_a_slip_in_a_program_is_explained(text: str, part: str) -> None:
    with pytest.raises(SpecError) as caught:
        program(text)
    assert part in str(caught.value)
    assert str(caught.value).startswith("p.toml: ")


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (MEAN.replace("norm", "nrom"), "did you mean 'norm'?"),
        (MEAN.replace('"l1"', '"l3"'), "query.norm: expected"),
        (MEAN.replace('"l1"', '"spectral"'), "query.norm: 'spectral' is no norm of these answers"),
        (MEAN.replace('value = "x"', 'value = "x + z"'), "unknown name 'z'"),
        (MEAN.replace('value = "x"', ""), "query.value: a query is one of value"),
        (MEAN.replace('records = ["x"]', ""), "query.records: this key is missing"),
        (MEAN.replace('records = ["x"]', 'records = ["x", "y"]'), "takes the expression of one record"),
        (
            MEAN.replace('records = ["x"]', 'records = ["x", "x"]'),
            "query.records: a name stands for two numbers",
        ),
        (MEAN.replace("domain = [0, 1]", "domain = [1, 0]"), "query.domain: "),
        (MEAN.replace("domain = [0, 1]", 'domain = ["oo", 0]'), "the lower one first"),
        (
            MEAN.replace("domain = [0, 1]", 'domain = { kind = "bowl" }'),
            "query.domain: unknown kind 'bowl'; did you mean",
        ),
        (
            MEAN.replace("domain = [0, 1]", 'domain = { kind = "box", low = [0, 0], high = [1, 1] }'),
            "2 coordinates",
        ),
        (
            MEAN + 'adjacency = "replace-two"\n',
            "query.adjacency: unknown adjacency 'replace-two'; did you mean 'replace-one'?",
        ),
        (MEAN + 'adjacency = "distance"\n', "query.adjacency: adjacency distance"),
        (MEAN + "arguments = {}\n", "query.arguments: this key goes with another query"),
        (COUNT.replace('"count"', '"conut"'), "query.named: unknown query 'conut'; did you mean 'count'?"),
        (COUNT.replace("predicate", "prediccate"), "did you mean 'predicate'?"),
        (COUNT.replace('records = ["x", "y"]', ""), "unknown name 'x'"),
        (COUNT.replace("not y > 3", "y"), "query.arguments.predicate: in the formula"),
        (GRADIENT.replace(", clip = 1", ""), "query.arguments.clip: clipped_gradient needs clip"),
        (GRADIENT.replace("at = { t", "at = { x"), "query.arguments.at: x is named twice"),
        (
            '[query]\nfunction = "os:getcwd"\ndomain = [0, 1]\nnorm = "l1"\n',
            "query.function: os:getcwd() is str",
        ),
    ],
)
def test_a_slip_in_a_query_is_explained(text: str, part: str) -> None:
    with pytest.raises(SpecError) as caught:
        query(text)
    assert part in str(caught.value), str(caught.value)
    assert str(caught.value).startswith("q.toml: ")


CHANGES = (
    "dropped",
    "foreign",
    7,
    -1.5,
    True,
    "",
    "((",
    "zz",
    "x == ",
    "norm([], l2) <= 1",
    [],
    [[[]]],
    {},
    "9**9**9",
    "1/0",
)


@pytest.mark.parametrize("name", [*PROGRAMS, *QUERIES])
def test_whatever_is_broken_one_message_says_what_to_change(name: str) -> None:
    """Every key dropped, of every wrong type, and with a stranger beside it."""
    text = {**PROGRAMS, **QUERIES}[name]
    read: Callable[[str], Any] = program if name in PROGRAMS else query
    tree = tomllib.loads(text)
    refused = 0
    for place in places(tree):
        for change in CHANGES:
            said, key = "", ""
            try:
                read(broken(tree, place, change))
            except SpecError as error:
                said, key = str(error), error.key
                refused += 1
            if said:
                assert said[:8] in ("p.toml: ", "q.toml: "), (place, change, said)
                assert "\n" not in said
                assert len(said) < 1200, said
                assert key or "TOML" in said, (place, change, said)
    assert refused > 40


CLAIMS = """
[[claims]]
predicate = "minimiser"
point = { p = "min(P, (P + d + 0)/2)", q = "max(0, (P - d)/2)" }
[[claims]]
predicate = "optimal-value"
value = 1
"""


def audit(text: str) -> Any:
    return build(parse_spec(text.encode(), file="s.toml"))


def test_claims_about_programs_and_queries_are_claims() -> None:
    job = audit("samples = 1000\n" + WATER + CLAIMS)
    point, value = (claim.predicate for claim in job.claims)
    assert isinstance(point, npf.Minimiser)
    assert isinstance(value, npf.OptimalValue)
    (bound,) = (
        c.predicate
        for c in audit(MEAN + '[[claims]]\npredicate = "sensitivity-bound"\nvalue = "1/10"\n').claims
    )
    assert bound == npf.SensitivityBound("1/10", "l1")
    proved = audit(MEAN + '[[claims]]\npredicate = "sensitivity-bound"\nvalue = 0.1\n')
    assert npf.examine(proved.claims[0].subject, proved.claims[0].predicate).verdict is npf.Verdict.PROVED
    false = audit(MEAN + '[[claims]]\npredicate = "sensitivity-bound"\nvalue = 0.0999\n')
    assert npf.examine(false.claims[0].subject, false.claims[0].predicate).verdict is npf.Verdict.REFUTED


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (WATER + CLAIMS.replace("minimiser", "minimizer"), "did you mean 'minimiser'?"),
        (WATER + CLAIMS.replace("q = ", "r = "), "claims[0].point: a point names p, q, got p, r"),
        (WATER + CLAIMS.replace("(P - d)", "(P - e1)"), "claims[0].point: "),
        (WATER + CLAIMS.replace("value = 1", 'value = "x1"'), "claims[1].value: "),
        (
            WATER + '[[claims]]\npredicate = "pure-dp"\nepsilon = 1\n',
            "of a program one can claim: predicate =",
        ),
        (MEAN + '[[claims]]\npredicate = "minimiser"\npoint = 1\n', "of a query one can claim"),
        (
            MEAN + '[[claims]]\npredicate = "sensitivity-bound"\nvalue = -1\n',
            "claims[0].value: a sensitivity is a number >= 0",
        ),
        (MEAN + WATER + CLAIMS, "query: a spec has one subject: [program] or [query]"),
        (MEAN + '[mechanism]\nname = "laplace"\n', "mechanism: [mechanism] says nothing about a query"),
        (
            '[mechanism]\nname = "laplace"\nepsilon = 1\nsensitivity = 1\n[[claims]]\npredicate = "minimiser"\npoint = 1\n',
            "claims[0].predicate: minimiser is said of a problem in formulas: give [program]",
        ),
    ],
)
def test_a_slip_in_a_claim_is_explained(text: str, part: str) -> None:
    with pytest.raises(SpecError) as caught:
        audit(text)
    assert part in str(caught.value)


def test_the_published_schemas_are_those_of_the_models() -> None:
    for kind, read, texts in (("program", program_file, PROGRAMS), ("query", query_file, QUERIES)):
        published = Path(__file__).parents[2] / f"reports/schemas/{kind}-1.schema.json"
        assert published.read_text(encoding="utf-8") == read.SCHEMA.text()
        assert json.loads(read.SCHEMA.text()) == read.SCHEMA.data()
        for text in texts.values():
            jsonschema.Draft202012Validator(read.SCHEMA.data()).validate(tomllib.loads(text))
