"""Formulas and figures of the pages: written from text and numbers, whatever these hold."""

import json
import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

from noiseproof.reports import latex_math
from noiseproof.reports.figures import draw
from noiseproof.reports.mathml import expression, relation
from noiseproof.reports.text import json_text, number

SAMPLE = runpy.run_path(str(Path(__file__).parent / "golden" / "sample.py"))
HOSTILE = "<script>alert(\"x\")</script>' onload='x' \u202e\x00 &amp; $\\frac{"


def nests(markup: str) -> None:
    """Fail where tags do not nest."""
    ElementTree.fromstring(f"<root>{markup}</root>")


def test_figures_follow_the_page_and_do_not_rely_on_colour() -> None:
    series = SAMPLE["privacy_curve"]()
    svg = draw(series, "f1")
    assert svg == draw(series, "f1")
    assert not re.search(r"#0[1-8]0[1-8]0[1-8]|<metadata|<style|font-family|xmlns", svg)
    for variable in ("--line-claimed", "--line-law", "--line-measured", "--figure-text"):
        assert f"var({variable})" in svg
    assert "stroke-dasharray" in svg
    ids = re.findall(r'id="([^"]*)"', svg)
    assert all(name.startswith("f1-") for name in ids)
    assert set(re.findall(r"(?:href=\"#|url\(#)([^\")]*)", svg)) <= set(ids)
    assert 'role="img" class="plot" aria-labelledby="f1-title f1-description"' in svg


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_figures_take_any_numbers(scale: str) -> None:
    lines = [
        {"name": "_a", "role": "measured", "x": [1.0], "y": [0.5], "low": ["-inf"], "high": ["inf"]},
        {"name": "b", "role": "bound", "x": [1, 2, 3], "y": ["inf", 0.0, "nan"], "low": None, "high": None},
        {"name": "c", "role": "attack", "x": [], "y": [], "low": None, "high": None},
    ]
    labels = {"figure": HOSTILE, "title": HOSTILE, "x_label": HOSTILE, "y_label": HOSTILE}
    svg = draw({**labels, "x_scale": scale, "y_scale": scale, "lines": lines}, "f")
    assert "<script" not in svg
    assert not re.search(r"\b(nan|inf)\b", re.sub(r"<(title|desc|text)\b.*?</\1>", "", svg))


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("exp(-x**2/(2*s**2))/(sqrt(2*pi)*s)", ["<mfrac>", "<msqrt>", "<mi>π</mi>", "<mi>exp</mi>"]),
        ("exp(-lambda*x)", ["<msup><mi>e</mi>", "<mi>λ</mi>"]),
        ("Phi(D/(2*s) - epsilon*s/D)", ["Φ</mi>", "<mi>ε</mi>", "<mo>−</mo>"]),
        ("Tr(A*S**(-1))", ["<mi>Tr</mi>", "<mo>−</mo><mn>1</mn>"]),
        ("sigma_w**2 + x1 + theta_hat", ["<msub><mrow><mi>σ</mi></mrow>", "<mn>1</mn>", "<mover"]),
        ("a - (b - c)", ["<mo>(</mo>"]),
        ("(x > 0) & (x <= oo)", ["&gt;", "∧", "≤", "∞"]),
        ("Piecewise((x, x > 0), (0, True))", ["<mtable>", "otherwise"]),
        ("Integral(f(x), (x, -oo, oo))", ["∫", "<munderover>"]),
        ("1e-05*x", ["<mn>10</mn><mn>−5</mn>"]),
        ("Matrix([[1, 0], [0, s]])", ["<mtr><mtd><mn>1</mn></mtd>"]),
        ("A.T*A", ["⊤"]),
        ("x_transpose*y_prime", ["⊤", "′"]),
    ],
)
def test_mathml_writes_expressions(text: str, parts: list[str]) -> None:
    written = expression(text)
    assert written.startswith("<math")
    nests(written)
    for part in parts:
        assert part in written


def test_mathml_keeps_the_meaning_of_parentheses() -> None:
    def plain(text: str) -> str:
        return re.sub(r"<[^>]*>|[\u2061\u2062]", "", expression(text))

    assert plain("(a + b)*c") == "(a+b)c"
    assert plain("-(a + b)") == "−(a+b)"
    assert plain("(a*b)**2") == "(ab)2"
    assert plain("a - (-b)") == "a−(−b)"
    assert plain("2*3") == "2·3"
    assert plain("-x*y") == "−xy"
    assert "(" not in plain("-x/2 + y")


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "().__class__",
        "x.__dict__",
        "lambda: 0",
        "[x for x in y]",
        "f(*a)",
        "f'{x}'",
        "</math><script>",
        "x; y",
        "",
        "(" * 900,
        "-" * 3000 + "x",
        "x" * 5000,
        "1e999",
        "a is b",
        "a not in b",
    ],
)
def test_mathml_writes_everything_else_as_text(text: str) -> None:
    written = expression(text)
    assert written.startswith('<code class="expression">')
    nests(written)
    nests(relation(text, "<script>", text))


@pytest.mark.parametrize(
    ("call", "sign", "glyph", "command"),
    [
        ("Eq", "==", "=", " = "),
        ("Ne", "!=", "≠", r"\neq "),
        ("Le", "<=", "≤", r"\leq "),
        ("Lt", "<", "&lt;", " < "),
        ("Ge", ">=", "≥", r"\geq "),
        ("Gt", ">", "&gt;", " > "),
        ("Contains", "in", "∈", r"\in "),
    ],
)
def test_a_relation_has_one_sign_however_it_is_spelled(
    call: str, sign: str, glyph: str, command: str
) -> None:
    for text in (f"{call}(x, y)", f"x {sign} y"):
        assert f"<mo>{glyph}</mo>" in expression(text)
        assert command in latex_math.expression(text)


def test_relations() -> None:
    assert "<mo>≥</mo>" in relation("Tr(S)", ">=", "1/lambda")
    assert relation("a", "<script>", "b") == '<code class="expression">a &lt;script&gt; b</code>'


def test_numbers_are_short() -> None:
    shown = {0.0125: "0.0125", 1e-7: "1 × 10⁻⁷", -2.5: "−2.5", 100_000: "100\u202f000", "inf": "∞"}
    assert {value: number(value) for value in shown} == shown
    assert number(float("nan")) == "not a number"
    laid_out = json_text({"a": list(range(200)), "b": {"c": [[1.0, 2.0]] * 20}})
    assert json.loads(laid_out)["a"] == list(range(200))
