"""Evidence carries numbers: no code under `audit/` and `reports/` reads a sentence of our own, and rewording one changes nothing else."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

import pytest
from made_certificates import one_of_each

import noiseproof as npf
from noiseproof.audit.record import known_checks, sentences
from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.reading.certificate_form import Measured
from noiseproof.reports.schema import certificate_schema, dossier_schema

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(p for layer in ("audit", "reports") for p in (ROOT / layer).rglob("*.py"))
# Where patterns are matched, and what they meet there: none of it is a sentence of this project.
PATTERNS = """
    text of users and outcomes of their code:
    audit/record/shown_text.py audit/trial/attack/copies.py audit/trial/attack/planted.py audit/trial/attack/read/tokens.py
    audit/trial/attack/read/remainders.py audit/trial/attack/read/phrases.py audit/trial/attack/read/coded.py
    audit/trial/attack/read/sentences.py audit/trial/attack/read/inside.py audit/trial/sampling.py audit/trial/structure.py
    audit/release/policy/table_guess.py
    source code and annotations:
    audit/standalone.py audit/trial/schedule/reached.py audit/trial/schedule/digests.py audit/trial/spec/function.py
    audit/trial/spec/subjects.py audit/release/policy/derived.py reports/proof_script.py
    CSV, TOML, JSON, dates and the errors of their libraries:
    audit/record/csv_dialect.py audit/record/table_file.py audit/record/table_frame.py audit/record/reading/explaining.py
    audit/record/reading/kinds_of_file.py audit/record/reading/toml_file.py audit/trial/spec/data.py
    audit/trial/spec/lines.py audit/release/policy/category_reading.py
    numbers, keys, paths and addresses:
    audit/record/limits.py audit/record/seal/online.py audit/dossier/paper_claim.py audit/papers/__init__.py
    audit/release/tables/outcome_folder.py audit/release/ledger/locked_file.py audit/release/checklist/drawn_parts.py
    audit/release/policy/named_entries.py audit/trial/schedule/chosen_executor.py reports/release_facts.py
    reports/dossier_page.py
    formulas and markup on their way to a page, changed but not understood:
    audit/release/verify/restated.py reports/latex_math.py reports/latex_text.py reports/markdown.py
    reports/mathml_parts.py reports/notation.py reports/svg.py reports/text.py
"""
SENTENCES = {"detail", "statement", "reason", "note", "caveats", "summary"}
SEARCHES = (
    "startswith endswith removeprefix removesuffix partition rpartition split find index "
    "match fullmatch search findall finditer sub subn"
)


def _named(node: ast.AST) -> str:
    """The sentence that an expression is: `evidence.detail`, `one["detail"]`."""
    if isinstance(node, ast.Attribute):
        return node.attr if node.attr in SENTENCES else ""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return node.slice.value if node.slice.value in SENTENCES else ""
    return ""


def read_sentences(source: str) -> list[str]:
    """The sentences that some code looks into, by the text of the expression."""
    found = []
    for node in ast.walk(ast.parse(source)):
        parts: list[ast.AST] = []
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in SEARCHES.split()
        ):
            parts = [node.func.value, *node.args]
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            parts = list(node.comparators)
        found += [ast.unparse(node) for part in parts if _named(part)]
    return found


@pytest.mark.parametrize(
    ("source", "reads"),
    [
        ("re.match(told, evidence.detail)", True),
        ("'at epsilon' in one['detail']", True),
        ("evidence.statement.startswith('the declared law')", True),
        ("step['reason'].partition(': ')", True),
        ("print(evidence.detail)", False),
        ("witness['reason'] == evidence.reason", False),
        ("'detail' in one", False),
    ],
)
def test_a_sentence_that_is_read_is_seen(source: str, reads: bool) -> None:
    assert bool(read_sentences(source)) is reads


def test_no_code_looks_into_a_sentence() -> None:
    found = {str(p.relative_to(ROOT)): read_sentences(p.read_text(encoding="utf-8")) for p in SOURCES}
    assert {name: read for name, read in found.items() if read} == {}


def test_patterns_meet_nothing_that_this_project_words() -> None:
    using = {
        str(path.relative_to(ROOT))
        for path in SOURCES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import) and any(name.name == "re" for name in node.names)
    }
    assert using == {word for word in PATTERNS.split() if word.endswith(".py")}


def test_a_reworded_sentence_changes_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    laplace = npf.LaplaceMechanism(1.0, 1.0)
    before = npf.examine(laplace, [npf.PureDP(1.0), npf.PureDP(0.4)], samples=2000)
    text = before.to_json()
    for check in ("fit", "quadrature", "likelihood ratio"):
        words = [e.detail for f in before.findings for e in f.evidence if e.check == check]
        assert not any(word in text for word in words)
        monkeypatch.setitem(sentences.DETAILS, check, ((f"{check} auf Deutsch",),))
    german = replace(known_checks.CHECKS["fit"], statement="der Code folgt dem Gesetz")
    monkeypatch.setitem(known_checks.CHECKS, "fit", german)
    again = Certificate.from_json(text)
    assert again.to_json() == text
    assert again.verdict is before.verdict
    said = {e.check: (e.statement, e.detail) for e in again.findings[1].evidence}
    assert said["fit"] == ("der Code folgt dem Gesetz", "fit auf Deutsch")
    assert said["likelihood ratio"][1] == "likelihood ratio auf Deutsch"
    assert said["derivation"][1] == next(e.detail for e in before.findings[1].evidence)


def test_what_is_measured_is_published() -> None:
    for schema in (certificate_schema(), dossier_schema()):
        assert set(schema["$defs"]["measured"]["properties"]) == set(Measured.model_fields)
    evidence = one_of_each().to_dict()["findings"][0]["evidence"][0]
    assert evidence["measured"]["samples"] == [1000, 1000]
