"""LaTeX of findings that prints and does nothing else, and proof scripts that stand alone."""

from __future__ import annotations

import copy
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_certificates import one_of_each
from made_witnesses import FORMULA, HOSTILE

from noiseproof.reports.latex import render_latex
from noiseproof.reports.latex_math import expression, relation
from noiseproof.reports.latex_text import prose, verbatim
from noiseproof.reports.proof_script import scripts_of

# Commands that the exporter itself writes; any other one would come from the data.
COMMANDS = set(
    re.findall(
        "[A-Za-z]+",
        """section subsection textbf textit texttt item quad begin end documentclass usepackage setlength emergencystretch
        raggedright bigl bigr parindent parskip textbackslash textasciitilde textasciicircum textless textgreater textbar textquotedbl
        textasciigrave textquotesingle textdegree ensuremath allowbreak dots left right frac sqrt cdot sum prod int infty
        mathrm mathbb top neg land lor leq geq neq in sim hat tilde bar dot log sin cos tan max min exp det l o O L ss ae AE
        oe OE i c k v u H r S approx pm times to Rightarrow surd partial nabla perp forall exists subset subseteq cup cap ell
        alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi pi rho varrho sigma tau
        upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega""",
    )
)


def dossier(**changes: Any) -> dict[str, Any]:
    """A dossier of one refuted claim."""
    evidence = {
        "check": "derivation",
        "kind": "proof",
        "sentence": "law",
        "verdict": "REFUTED",
        "statement": "s",
        "reason": "d",
        "measured": {},
        "error": 0.0,
        "witness": FORMULA,
        "resolution": None,
        "bounds": [],
        "derivation": [
            {"left": "a_1", "relation": "<=", "right": "b/2", "reason": "because", "truth": "holds"}
        ],
    }
    finding = {
        "id": "paper/claim-1",
        "title": "A claim",
        "verdict": "refuted",
        "statement": "It holds.",
        "condition": None,
        "correction": "It does not.",
        "witness": FORMULA,
        "evidence": [evidence],
        "twin": {"statement": "Less holds.", "verdict": "proved", "required": ["proved"]},
        "series": [],
    }
    provenance = {"noiseproof": "0.1.0", "python": "3.11", "packages": {}}
    return {
        "schema": "noiseproof-dossier-1",
        "key": "paper",
        "title": "A paper",
        "verdicts": {"refuted": 1},
        "findings": [{**finding, **changes}],
        "provenance": provenance,
        "timings": {"total_seconds": 1.0},
    }


def faults_of(text: str) -> list[str]:
    """What would stop TeX, or be a command that nobody here has written."""
    stripped = re.sub(r"\\[\\{}$%#&_,|()\"'`^~=.]", "", text)
    faults = [name for name in re.findall(r"\\([A-Za-z]+)", stripped) if name not in COMMANDS]
    faults += re.findall(r"[$#~]|(?<!\\)%|\^\^|[\x00-\x09\x0b-\x1f\x7f-\x9f]", stripped)
    faults += [c for c in stripped if ord(c) > 126]
    depth = 0
    for bracket in re.findall("[{}]", stripped):
        depth += 1 if bracket == "{" else -1
        faults += ["}"] if depth < 0 else []
    opened: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", stripped):
        if kind == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            faults.append(f"end {name}")
    return [*faults, *opened, *(["{"] if depth else [])]


def hostile_dossier() -> dict[str, Any]:
    data = dossier(title=HOSTILE, statement=HOSTILE, condition=HOSTILE, correction=HOSTILE)
    data["title"] = HOSTILE
    finding = data["findings"][0]
    finding["id"] = f"paper/{HOSTILE}"
    finding["twin"]["statement"] = HOSTILE
    step = {
        "left": HOSTILE,
        "relation": "<=",
        "right": "__import__('os')",
        "reason": HOSTILE,
        "truth": HOSTILE,
    }
    finding["evidence"][0].update(check=HOSTILE, detail=HOSTILE, verdict=HOSTILE, derivation=[step])
    finding["witness"] = {"kind": HOSTILE, HOSTILE: [HOSTILE], "left": HOSTILE}
    other = {**FORMULA, "left": HOSTILE, "at": {HOSTILE: HOSTILE}}
    finding["evidence"].append({**finding["evidence"][0], "witness": other})
    return data


def test_the_findings_are_there() -> None:
    text = render_latex(dossier())
    assert faults_of(text) == []
    assert text.startswith("\\documentclass")
    for piece in (
        r"\section*{A paper}",
        "refuted & 1",
        r"\texttt{paper/",
        "It does not.",
        r"{a}_{1} \leq  \frac{b}{2}",
    ):
        assert piece in text
    assert r"{s}^{2} \, v + {x}^{2} \, (1 - s)^{2} \geq  v" in text
    assert faults_of(render_latex(one_of_each().to_dict())) == []
    with pytest.raises(ValueError, match="noiseproof papers"):
        render_latex({"schema": "x"})


def test_hostile_text_is_printed_and_does_nothing() -> None:
    text = render_latex(hostile_dossier())
    assert faults_of(text) == []
    assert text.count(r"\end{document}") == 1
    assert r"\textbackslash{}input\{/etc/passwd\}" in text


@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_no_text_escapes(text: str) -> None:
    for written in (
        prose(text),
        verbatim(text),
        expression(text),
        relation(text, "<=", text),
        relation("a", text, "b"),
    ):
        assert faults_of(written.replace(r"\(", "").replace(r"\)", "")) == []


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("sqrt(2)*exp(-x**2/2)", r"\sqrt{2} \, \exp \left( -\frac{{x}^{2}}{2} \right)"),
        ("-(a + b)*c", r"-(a + b) \, c"),
        ("-a*b/(2*c)", r"-\frac{a \, b}{2 \, c}"),
        ("2*(-a)", r"2 \, (-a)"),
        ("2*3", r"2 \cdot 3"),
        ("(a/b)**2", r"\left( \frac{a}{b} \right)^{2}"),
        ("theta_hat + x1", r"\hat{\theta } + {x}_{1}"),
        ("Integral(f(x), (x, 0, oo))", r"\int_{0}^{\infty } f(x) \, \mathrm{d} x"),
        ("Sum(k, (k, 1, n))", r"\sum_{k = 1}^{n} k"),
        ("lambda*A.T", r"\lambda  \, A^{\top}"),
        ("x[1, 2]", r"{x}_{1, 2}"),
        ("1e-05", r"1 \cdot 10^{-5}"),
    ],
)
def test_expressions(text: str, latex: str) -> None:
    assert expression(text) == rf"\({latex}\)"


def compiled(text: str, folder: Path) -> subprocess.CompletedProcess[str]:
    (folder / "findings.tex").write_text(text)
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "findings.tex"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=120, errors="replace"
    )


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on the path")
def test_hostile_text_compiles(tmp_path: Path) -> None:
    done = compiled(render_latex(hostile_dossier()), tmp_path)
    assert done.returncode == 0, done.stdout[-2000:]


def test_files_are_named_by_findings_and_stay_in_their_folder() -> None:
    data = dossier()
    twice = copy.deepcopy(data["findings"][0])
    other = {**copy.deepcopy(twice), "id": "paper/../../etc/CLAIM 1"}
    data["findings"] += [twice, other]
    assert [r.file for r in scripts_of(data)] == ["claim-1.py", "claim-1-2.py", "_etc_CLAIM_1.py"]


@pytest.mark.long
@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on the path")
def test_every_dossier_compiles(tmp_path: Path) -> None:
    from noiseproof.audit.papers import run_dossiers

    for data in run_dossiers(()):
        text = render_latex(data)
        assert faults_of(text.replace(r"\(", "").replace(r"\)", "")) == []
        done = compiled(text, tmp_path)
        assert done.returncode == 0, done.stdout[-2000:]
        assert "Overfull" not in done.stdout
