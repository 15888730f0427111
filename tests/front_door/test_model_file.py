"""Model files: what they mean, and one clear message for each slip, found by dropping, breaking and adding keys."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import jsonschema
import numpy as np
import pytest
import sympy as sp
from broken_trees import broken, places

import noiseproof as npf
from noiseproof.audit.trial.spec import parse_spec
from noiseproof.audit.trial.spec.build import build
from noiseproof.audit.trial.spec.model_file import SCHEMA, ModelFile, model_of, parse_model
from noiseproof.symbolic.errors import SpecError

WEIBULL = """
[model]
name = "waiting time"
density = "shape/scale*(y/scale)**(shape - 1)*exp(-(y/scale)**shape)"
variable = "y"
support = [0, "oo"]

[model.parameters.scale]
domain = [0, "oo"]

[model.parameters.shape]
domain = [0, "oo"]

[derive]
information = ["scale"]
at = { scale = 2, shape = "3/2" }
"""
TRIANGLE = """
[model]
name = "triangle"
[[model.pieces]]
support = [0, "c"]
density = "2*y/c"
[[model.pieces]]
support = ["c", 1]
density = "2*(1 - y)/(1 - c)"
[model.parameters.c]
domain = [0, 1]
"""
WAITING = """
[model]
density = "p*(1 - p)**k"
variable = "k"
support = [0, "oo"]
discrete = true
[model.parameters.p]
domain = [0, 1]
"""
NORMAL = """
[model]
kind = "normal"
mean = ["mu", 0]
covariance = [["sigma**2", 0.5], [0.5, 3]]
[model.parameters.mu]
domain = ["-oo", "oo"]
[model.parameters.sigma]
domain = [1, "oo"]
"""
COUNTS = """
[model]
kind = "multinomial"
trials = 5
probabilities = ["p", "q", "1 - p - q"]
[model.parameters.p]
domain = [0, 1]
[model.parameters.q]
domain = [0, 1]
"""
SHARES = """
[model]
kind = "dirichlet"
exponents = ["a", "b", 1]
copies = 2
[model.parameters.a]
domain = [0, "oo"]
[model.parameters.b]
domain = [0, "oo"]
"""
ALL = {
    "weibull": WEIBULL,
    "triangle": TRIANGLE,
    "waiting": WAITING,
    "normal": NORMAL,
    "counts": COUNTS,
    "shares": SHARES,
}


def read(text: str) -> ModelFile:
    return parse_model(text.encode(), file="m.toml")


def message(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        read(text)
    assert str(caught.value).startswith("m.toml: ")
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_density_is_read_exactly_with_what_its_domains_say() -> None:
    model = read(WEIBULL)
    assert isinstance(model.law, npf.Law)
    assert list(model.parameters) == ["scale", "shape"]
    assert all(s.is_positive for s in model.parameters.values())
    assert model.domains["scale"] == (0, sp.oo)
    assert model.formula("scale**2 + 0.1", "x") == model.parameters["scale"] ** 2 + sp.Rational(1, 10)
    found = npf.fisher_information(model.law, ["scale"])
    assert found.scalar == model.parameters["shape"] ** 2 / model.parameters["scale"] ** 2
    assert model.digest is not None
    assert model.digest.startswith("sha256:")


ZERO_INFLATED = """
[model]
name = "a Poisson count with extra zeros"
discrete = true
[[model.pieces]]
support = [0, 0]
density = "p + (1 - p)*exp(-rate)"
[[model.pieces]]
support = [1, "oo"]
density = "(1 - p)*exp(-rate)*rate**y/factorial(y)"
[model.parameters.p]
domain = [0, 1]
[model.parameters.rate]
domain = [0, "oo"]
"""


def test_a_mass_has_pieces_too() -> None:
    """The information about p: the sum over one zero, of mass f = p + (1 - p)/e^rate, and the rest."""
    model = read(ZERO_INFLATED)
    p, rate = model.parameters["p"], model.parameters["rate"]
    found = npf.fisher_information(model.law, [p]).scalar
    zero = p + (1 - p) * sp.exp(-rate)
    truth = (1 - sp.exp(-rate)) ** 2 / zero + (1 - zero) / (1 - p) ** 2
    for at in ({p: 0.2, rate: 1.5}, {p: 0.9, rate: 0.1}):
        assert float(found.subs(at)) == pytest.approx(float(truth.subs(at)))
    with pytest.raises(npf.SpecError, match="begin at 1, one after the end of the one before, got 2"):
        read(ZERO_INFLATED.replace("[1,", "[2,"))
    with pytest.raises(npf.SpecError, match="expected whole numbers, got 1/2"):
        read(ZERO_INFLATED.replace("[0, 0]", "[0, 0.5]").replace("[1,", "[1.5,"))


def test_pieces_counts_and_vectors_are_laws() -> None:
    triangle, waiting, normal, counts, shares = (read(ALL[k]) for k in list(ALL)[1:])
    assert isinstance(triangle.law, npf.Law)
    assert float(triangle.law.at({triangle.parameters["c"]: sp.Rational(1, 4)}).pdf(0.25)) == pytest.approx(2)
    assert isinstance(waiting.law, npf.Law)
    assert waiting.law.discrete
    for model in (normal, counts, shares):
        assert isinstance(model.law, npf.JointLaw)
        found = npf.fisher_information(model.law, list(model.parameters))
        assert found.value is not None
    assert normal.parameters["mu"].is_real
    assert normal.parameters["mu"].is_positive is None
    assert normal.parameters["sigma"].is_positive


@pytest.mark.parametrize(
    ("text", "part"),
    [
        (WEIBULL.replace("density =", "densty ="), "model.densty: unknown key; did you mean 'density'?"),
        (WEIBULL.replace('density = "', 'density = "rate*'), "model.density: in the formula"),
        (WEIBULL.replace("exp(-", "exq(-"), "unknown function 'exq'; did you mean 'exp'?"),
        (WEIBULL.replace("[model.parameters.shape]\n", "[model.parameters.shap]\n"), "did you mean"),
        (WEIBULL.replace("/scale)**shape)", "/scale)**shape)*2"), "integrates to 2, expected 1"),
        (
            WEIBULL.replace('[0, "oo"]\n\n[model.parameters.scale]', '["oo", 0]\n\n[model.parameters.scale]'),
            "lower end first",
        ),
        (
            WEIBULL.replace('information = ["scale"]', 'information = ["scal"]'),
            "derive.information: 'scal' is no parameter; did you mean 'scale'?",
        ),
        (
            WEIBULL.replace("scale = 2", "scale = -2"),
            "derive.at.scale: expected a number between 0 and oo, got -2",
        ),
        (
            WEIBULL + "[model.parameters.extra]\ndomain = [0, 1]\n",
            "model.parameters.extra: this parameter stands nowhere",
        ),
        (WEIBULL + "[model.parameters.y]\ndomain = [0, 1]\n", "y is the variable"),
        (
            WEIBULL + "[model.parameters.gamma]\ndomain = [0, 1]\n",
            "model.parameters.gamma: the name of a parameter",
        ),
        (WEIBULL.replace("[derive]", "[model.parameters.shape.x]\n[derive]"), "one of: domain,"),
        (WEIBULL.replace("[derive]", "[derive]\nestimate = 1"), "did you mean 'estimand'?"),
        (WEIBULL.replace('name = "waiting time"', "at = 3"), "at belongs to [derive]"),
        (NORMAL.replace("0.5], [0.5", "0.5], [0.4"), "model: a covariance is symmetric"),
        (NORMAL.replace("mean =", "maen ="), "unknown key; did you mean 'mean'?"),
        (
            NORMAL.replace("mean =", "trials = 3\nmean ="),
            "model.trials: this key says nothing about a normal vector",
        ),
        (COUNTS.replace("trials = 5", ""), "model.trials: this key is missing for a multinomial law"),
        (COUNTS.replace("1 - p - q", "1 - p"), "must add up to 1"),
        (
            TRIANGLE.replace('["c", 1]', '["c/2", 1]'),
            "model.pieces[1].support: expected this piece to begin at c",
        ),
        (WAITING.replace("[0, 1]", "[1, 0]"), "model.parameters.p.domain: expected the lower end first"),
        (WAITING.replace('[0, "oo"]', "[0, 1, 2]"), "model.support: expected [lower, upper]"),
        (WAITING.replace("kind", "k").replace('"p*', '"__import__(1)*'), "unknown function"),
        ("samples = 3\n" + WEIBULL, "samples: this key is one of an audit, and there is no [[claims]]"),
        ("effort = 3\n" + WEIBULL, "effort: unknown key; effort belongs to [derive]"),
        ('[model]\nfunction = "nowhere_at_all:law"\n', "model.function: no module 'nowhere_at_all'"),
        ('[model]\nfunction = "os:getcwd"\n', "expected a Law or JointLaw"),
        ("", "model: this key is missing"),
        ("x = [", "not valid TOML"),
    ],
)
def test_a_slip_is_explained_with_file_and_key(text: str, part: str) -> None:
    assert part in message(text)


@pytest.mark.parametrize("name", ALL)
def test_whatever_is_broken_one_message_says_what_to_change(name: str) -> None:
    """Every key dropped, of every wrong type, and with a stranger beside it."""
    tree = tomllib.loads(ALL[name])
    refused = 0
    for place in places(tree):
        for change in (
            "dropped",
            "foreign",
            7,
            -1.5,
            True,
            "",
            "((",
            "zz",
            [],
            [[[]]],
            {},
            "9**9**9",
            "1/0",
            "y" * 5000,
        ):
            text = broken(tree, place, change)
            said = ""
            try:
                model = read(text)
            except SpecError as error:
                said, key = str(error), error.key
                refused += 1
            if not said:
                assert model.law.free_symbols <= set(model.parameters.values())
                continue
            assert said.startswith("m.toml: "), (place, change, said)
            assert "\n" not in said
            assert len(said) < 1200
            assert key or "TOML" in said, (place, change, said)
    assert refused > 50


def test_one_file_holds_a_law_what_is_derived_of_it_and_what_is_claimed() -> None:
    claim = '[[claims]]\npredicate = "fisher-information"\nof = "scale"\nvalue = "shape**2/scale**2"\n'
    text = "samples = 1000\n" + WEIBULL + claim
    assert read(text).derive.information == ["scale"]
    assert len(build(parse_spec(text.encode(), file="m.toml")).claims) == 1
    with pytest.raises(
        SpecError, match=r"derive: this says what is derived of a law, and there is no \[model\]"
    ):
        build(
            parse_spec(
                b'[mechanism]\nname = "laplace"\nepsilon = 1\nsensitivity = 1\n[derive]\n', file="m.toml"
            )
        )


def test_what_python_code_returns_is_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own_laws.py").write_text(
        "import sympy as sp\nimport noiseproof as npf\n"
        "y, rate = sp.Symbol('y'), sp.Symbol('rate', positive=True)\n"
        "waiting = npf.Law.from_density(rate * sp.exp(-rate * y), y, (0, 'oo'))\n"
        "def pair(): return npf.JointLaw.independent(waiting, waiting)\n"
        "def needy(x): return waiting\n"
        "three = 3\n"
    )
    assert list(model_of("own_laws:waiting").parameters) == ["rate"]
    assert isinstance(model_of("own_laws:pair").law, npf.JointLaw)
    model = read('[model]\nfunction = "own_laws:pair"\n[derive]\nat = { rate = 3 }\n')
    assert model.domains == {"rate": (0, sp.oo)}
    for name, part in (
        ("needy", "raised TypeError"),
        ("three", "own_laws:three is int"),
        ("wating", "did you mean 'waiting'"),
    ):
        with pytest.raises(SpecError, match=part):
            model_of(f"own_laws:{name}")


def test_the_published_schema_is_that_of_the_models(tmp_path: Path) -> None:
    published = Path(__file__).parents[2] / "reports/schemas/model-1.schema.json"
    assert json.loads(SCHEMA.text()) == SCHEMA.data()
    assert published.read_text(encoding="utf-8") == SCHEMA.text()
    for text in ALL.values():
        jsonschema.Draft202012Validator(SCHEMA.data()).validate(tomllib.loads(text))
    file = tmp_path / "m.toml"
    file.write_text(WAITING)
    law = parse_model(file.read_bytes()).law
    assert isinstance(law, npf.Law)
    assert np.allclose(law.at({law.free_symbols.copy().pop(): 0.25}).pdf([0, 1]), [0.25, 0.1875])
