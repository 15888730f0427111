"""What is long breaks on a phone and on paper, nothing is cut, and no symbol is given a capital."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from drawn_pages import BROKEN_MECHANISMS, CONTRAST, Browser

from noiseproof.reports import latex_math, render_dossier, render_dossier_index
from noiseproof.reports.calibration_page import render_calibration
from noiseproof.reports.mathml import expression, relation
from noiseproof.reports.text import capital
from noiseproof.reports.words import DOSSIER_VERDICTS

DOSSIER: dict[str, Any] = json.loads((Path(__file__).parent / "golden" / "dossier.json").read_text("utf-8"))
TERMS = " + ".join(f"{k}*a*b**2*sigma_{k}" for k in range(1, 15))
LONG = {
    "sum": TERMS,
    "product": "*".join(f"sigma_{k}" for k in range(1, 50)),
    "fraction": f"-a*({TERMS})/(2*({TERMS}))",
    "root": f"sqrt({TERMS})",
    "power": f"({TERMS})**2",
    "function": f"log({TERMS})",
    "norm": f"Norm({TERMS})",
    "integral": f"Integral({TERMS}, (a, 0, oo))",
    "number": "7" * 200,
    "fraction of numbers": f"{'7' * 200}/{'9' * 200}",
    "exponential": f"exp(-({TERMS})/b)*x",
    "derivative": f"Derivative({TERMS}, a)",
    "index": f"f({', '.join(f'x{k}' for k in range(1, 40))})",
    "condition": " & ".join(f"(x{k} > 0)" for k in range(1, 20)),
    "code": f"f(*a) {TERMS}",
}
SYMBOLS = (
    "c - c/(2*k + 2) + j >= c/2; exp(alpha)*erf(x) < 1; x**2/(2*(x + 1)**2) <= B; "
    "eps/(j + 1) <= 2*eps; tau <= 1; p sqrt(L/m): 0 < 0 is false; sigma_w is at most 1; "
    "rho is the least; epsilon-differentially private; n rows; log x is concave; m tau^2 = c^2; "
    "size >= 2; w; ; a + b; σ is at least 2; ß; f(x) = 1; k-anonymous; delta by integrating; "
    "0.1-differentially private"
)
WORDS = (
    "the declared law: 1-differentially private; no event tells the two inputs apart; "
    "a squared column of length 1; derivation; quadrature [twin]; at the accepted output, rarely; "
    "tail at 0.05: 6 <= 5; not so: C_1 against 4; two-sided"
)
OUTSIDE = """[...document.querySelectorAll('main *')].filter(e => e.checkVisibility() && !e.closest('.plot')
  && e.getBoundingClientRect().right > innerWidth + 1).map(e => e.className + ' ' + e.textContent.slice(0, 40))"""
HIDDEN = """[...document.querySelectorAll('.equation, .scroll, pre')].filter(e => !e.closest('details')
  && e.scrollWidth > e.clientWidth + 1).map(e => e.textContent.slice(0, 40))"""


def calibration() -> dict[str, Any]:
    noise = {
        "law": "laplace",
        "scale": 60.0,
        "standard_deviation": 84.85e-9,
        "total_variation_to_ideal": 3e-13,
    }
    column = {"name": "hours_per_week", "unit": "h", "low": -1000, "high": 100_000, "exponent": -5}
    bound = {"said": "hours_per_week: an error of at least 1.4 h", "against": "every adversary"}
    return {
        "schema": "noiseproof-calibration-1",
        "title": "A table",
        "mechanism": {"kind": "laplace"},
        "columns": [{**column, "noise": noise, "relative_error": 0.7071}],
        "guarantees": [{"sentence": "1-differentially private"}],
        "unmet": [],
        "series": [],
        "error_bounds": [bound],
        "next": ["noiseproof ledger create a.ledger --table a --unit record --epsilon 1"],
    }


def every_verdict() -> list[dict[str, Any]]:
    return [{**DOSSIER, "verdicts": dict.fromkeys(DOSSIER_VERDICTS, 123)}]


def long_formulas() -> dict[str, Any]:
    dossier = copy.deepcopy(DOSSIER)
    step = {"relation": "<=", "right": TERMS, "reason": "expanded", "truth": "holds"}
    cited = {**step, "truth": "cited"}
    steps = [{**one, "left": left} for left in LONG.values() for one in (step, cited)]
    dossier["findings"][0]["evidence"][0]["derivation"] = steps
    # Of different lengths, so that one of them meets the end of a line.
    said = " ".join(f"{'x' * k} 3.5e-{k}" for k in range(1, 30))
    dossier["findings"][0]["evidence"][0]["reason"] = said
    for finding in dossier["findings"]:
        finding["title"] += " of the claim that is made about every neighbour"
    return dossier


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("narrow")
    pages = {
        "dossier": render_dossier(long_formulas()),
        "index": render_dossier_index(every_verdict()),
        "calibration": render_calibration(calibration()),
    }
    for name, html in pages.items():
        (folder / f"{name}.html").write_text(html, encoding="utf-8")
    return {name: folder / f"{name}.html" for name in pages}


# 680: A4 without its margins, on paper.
@pytest.mark.parametrize(("width", "media"), [(380, ""), (800, ""), (1280, ""), (680, "print")])
@pytest.mark.parametrize("name", ["dossier", "index", "calibration"])
def test_nothing_is_cut_or_hidden(
    name: str, width: int, media: str, browser: Browser, drawn: dict[str, Path]
) -> None:
    browser.open(drawn[name], width=width, height=800, media=media)
    assert browser.evaluate(OUTSIDE) == []
    assert browser.evaluate(HIDDEN) == []
    assert browser.evaluate(BROKEN_MECHANISMS) == []


@pytest.mark.parametrize(("width", "media"), [(380, ""), (800, ""), (680, "print")])
def test_names_and_numbers_of_a_table_are_not_broken(
    width: int, media: str, browser: Browser, drawn: dict[str, Path]
) -> None:
    browser.open(drawn["calibration"], width=width, height=800, media=media)
    lines = """[...document.querySelectorAll('tbody th, tbody td.numeric')].map(e => {
      const r = document.createRange(); r.selectNodeContents(e.firstChild); return r.getClientRects().length})"""
    assert browser.evaluate(lines) == [1] * 5


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["dossier", "index", "calibration"])
def test_text_has_contrast(name: str, scheme: str, browser: Browser, drawn: dict[str, Path]) -> None:
    browser.open(drawn[name], scheme=scheme)
    ratio, words = browser.evaluate(CONTRAST)
    assert ratio >= 4.5, f"contrast {ratio:.2f} of {words!r}"


def letters(markup: str) -> str:
    return re.sub(r"<[^>]*>|[\u2061\u2062\s]", "", markup)


def test_a_formula_that_breaks_says_the_same() -> None:
    long = f"({TERMS})/(x*y)"
    assert expression(long).count("<math") > 10
    assert letters(expression(f"({TERMS})**2")) == f"({letters(expression(TERMS))})2"
    assert letters(expression(f"a/({TERMS})")) == f"a/({letters(expression(TERMS))})"
    assert letters(expression(f"x - a*y/({TERMS})")) == f"x−ay/({letters(expression(TERMS))})"
    assert letters(expression(f"({TERMS})/b")) == f"({letters(expression(TERMS))})/b"
    assert letters(relation("7" * 200, "<=", "x")) == "7" * 200 + "≤x"
    for short in ("a/b", "x**2 + y**2", "sqrt(2)*s/4"):
        assert expression(short).count("<math") == 1


def test_what_a_slash_or_a_connective_takes_stands_in_parentheses() -> None:
    body, tex = letters(expression(TERMS)), latex_math.expression(TERMS)[2:-2]
    for formula, shown, written in (
        (f"c*(({TERMS})/b)*d", f"c(({body})/b)d", rf"\((c \, (({tex}) / b)) \, \allowbreak d\)"),
        (f"a/(({TERMS})/b)", f"a/(({body})/b)", rf"\(a / \allowbreak (({tex}) / b)\)"),
        ("((x > 0) | (y > 0)) & (z > 0)", "(x&gt;0∨y&gt;0)∧z&gt;0", r"\((x > 0 \lor y > 0) \land z > 0\)"),
    ):
        assert (letters(expression(formula)), latex_math.expression(formula)) == (shown, written)
    assert 'minsize="2.4em"' in expression(f"log({TERMS} + a/b)")
    assert latex_math.expression(LONG["index"]).count(r", \allowbreak ") == 38


def test_long_fractions_roots_and_numbers_break_in_latex() -> None:
    body = latex_math.expression(TERMS)[2:-2]
    assert latex_math.expression(f"a/({TERMS})") == rf"\(a / \allowbreak ({body})\)"
    assert latex_math.expression(f"x*({TERMS})/(b*c)").endswith(r"/ (b \, c)\)")
    assert latex_math.expression(f"sqrt({TERMS})") == rf"\(({body})^{{1/2}}\)"
    assert latex_math.expression("7" * 100).count(r"\allowbreak ") == 4
    assert r"\left" not in latex_math.expression(f"log({TERMS} + a/b)")
    assert r"\allowbreak " in latex_math.expression(LONG["product"])
    assert latex_math.expression("a*b/2") == r"\(\frac{a \, b}{2}\)"


@pytest.mark.parametrize("formula", SYMBOLS.split("; "))
def test_a_symbol_keeps_its_letter_at_the_start_of_a_sentence(formula: str) -> None:
    assert capital(formula) == formula


@pytest.mark.parametrize("sentence", WORDS.split("; "))
def test_a_word_has_a_capital_at_the_start_of_a_sentence(sentence: str) -> None:
    assert capital(sentence) == sentence[0].upper() + sentence[1:]


def test_delta_stands_beside_the_number_of_records_where_it_is_known() -> None:
    record = calibration() | {"budgets": {"delta": 1e-6}}
    assert "number of records: not known here" in render_calibration(record)
    assert "number of records: 0.5<" in render_calibration(record | {"delta_times_rows": 0.5})


def test_an_index_counts_twins_that_did_not_flip() -> None:
    assert "Twins that did not flip: 1" in render_dossier_index([DOSSIER])
