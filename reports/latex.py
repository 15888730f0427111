"""The findings of a dossier or of a certificate as LaTeX: a document, or a part to be read in by one's own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .dossier_page import on_other
from .latex_math import relation
from .latex_text import prose, verbatim
from .text import value_text
from .words import DOSSIER_VERDICTS, TRUTHS, VERDICTS, detail

DOSSIER, CERTIFICATE = "noiseproof-dossier-1", "noiseproof-certificate-1"
# Everything that the findings use and a document of one's own needs.
PACKAGES = (
    r"\usepackage[T1]{fontenc}" + "\n" + r"\usepackage{textcomp}" + "\n" + r"\usepackage{amsmath,amssymb}"
)
_PREAMBLE = rf"""\documentclass[11pt,a4paper]{{article}}
{PACKAGES}
\usepackage[margin=25mm]{{geometry}}
\setlength{{\parindent}}{{0pt}}
\setlength{{\parskip}}{{4pt}}
\raggedright
\emergencystretch=3em
\begin{{document}}
"""
_FORMULAS = {"formula", "inequality"}
_LONGEST = 300  # characters of one entry of a witness: the JSON holds all of it


def render_latex(data: dict[str, Any], *, fragment: bool = False) -> str:
    """The LaTeX of a dossier or a certificate; with `fragment` without preamble, for a document with `PACKAGES`."""
    if data.get("schema") not in (DOSSIER, CERTIFICATE):
        raise ValueError(
            f'expected "schema": "{DOSSIER}" or "{CERTIFICATE}", got {data.get("schema")!r}; '
            "write one with `noiseproof papers` or `noiseproof audit`"
        )
    dossier = data["schema"] == DOSSIER
    body = "\n".join(_dossier(data) if dossier else _certificate(data)) + "\n"
    return body if fragment else f"{_PREAMBLE}{body}\\end{{document}}\n"


def _dossier(data: dict[str, Any]) -> Iterator[str]:
    yield rf"\section*{{{prose(data['title'])}}}"
    rows = [(_verdict(verdict), str(int(count))) for verdict, count in data["verdicts"].items()]
    yield from _table("lr", [("Verdict", "Claims"), *rows])
    for finding in data["findings"]:
        yield rf"\subsection*{{{prose(finding['title'])}}}"
        yield rf"{verbatim(finding['id'])}: \textbf{{{_verdict(finding['verdict'])}}}"
        yield from _quoted(finding["statement"])
        for key in ("condition", "correction"):
            if finding[key]:
                yield rf"\textit{{{key.capitalize()}.}} {prose(finding[key])}" + "\n"
        yield from _witness(finding["witness"])
        for one in (one for one in finding["evidence"] if not on_other(one)):
            yield from _evidence(one, shown=finding["witness"])
        if finding["twin"]:
            yield (
                rf"\textit{{Twin}} ({prose(str(finding['twin']['verdict']).lower())}). {prose(finding['twin']['statement'])}"
                + "\n"
            )


def _certificate(data: dict[str, Any]) -> Iterator[str]:
    yield rf"\section*{{{prose(data['title'])}}}"
    yield rf"Verdict: \textbf{{{_verdict(data['verdict'])}}}." + "\n"
    for finding in data["findings"]:
        control = " (false on purpose)" if finding["claim"]["expect"] == "falls" else ""
        yield rf"\subsection*{{{int(finding['id'])}. {prose(finding['title'])}}}"
        yield rf"{prose(finding['subject'])}{control}: \textbf{{{_verdict(finding['verdict'])}}}"
        yield from _quoted(finding["claim"]["sentence"])
        for one in finding["evidence"]:
            yield from _evidence(one, shown=None)


def _evidence(one: dict[str, Any], shown: dict[str, Any] | None) -> Iterator[str]:
    verdict = f", {_verdict(one['verdict'])}" if "verdict" in one else ""
    yield rf"\textit{{{prose(one['check'])}}}{verdict}: {prose(detail(one))}" + "\n"
    if one.get("witness") and one["witness"] != shown:
        yield from _witness(one["witness"])
    if one["derivation"]:
        steps = [_step(step) for step in one["derivation"]]
        yield from (r"\begin{enumerate}", *(rf"\item {step}" for step in steps), r"\end{enumerate}")


def _step(step: dict[str, str]) -> str:
    word = TRUTHS[step["truth"]].text if step["truth"] in TRUTHS else step["truth"]
    formula = relation(step["left"], step["relation"], step["right"]) + " \\quad " if step["left"] else ""
    return rf"{formula}{prose(step['reason'])} \textit{{({prose(word)})}}"


def _witness(witness: dict[str, Any] | None) -> Iterator[str]:
    """A formula with the point at which it breaks; any other witness entry by entry."""
    if not witness:
        return
    kind = str(witness.get("kind"))
    texts = all(isinstance(witness.get(key), str) for key in ("left", "relation", "right"))
    if kind in _FORMULAS and texts:
        at = witness.get("at")
        point = ", ".join(_equation(k, str(v)) for k, v in at.items()) if isinstance(at, dict) else ""
        yield (
            rf"\textit{{False{' at ' + point if point else ''}:}} "
            + relation(witness["left"], witness["relation"], witness["right"])
            + "\n"
        )
        return
    yield rf"\textit{{Witness ({prose(kind)}).}}"
    yield r"\begin{description}"
    for key, value in witness.items():
        if key != "kind":
            text = value_text(value)
            yield rf"\item[{{{prose(key)}}}] {verbatim(text[:_LONGEST] + (' ...' if len(text) > _LONGEST else ''))}"
    yield r"\end{description}"


def _equation(name: str, value: str) -> str:
    return relation(name, "=", value)


def _quoted(text: str) -> Iterator[str]:
    yield from (r"\begin{quote}", prose(text), r"\end{quote}")


def _verdict(word: str) -> str:
    known = DOSSIER_VERDICTS.get(word) or VERDICTS.get(word)
    return prose(known.text.lower() if known else word)


def _table(columns: str, rows: list[tuple[str, ...]]) -> Iterator[str]:
    yield rf"\begin{{tabular}}{{{columns}}}"
    for row in rows:
        yield " & ".join(row) + r" \\"
    yield r"\end{tabular}" + "\n"
