"""The theorems of a paper as a page: what is printed, what is true instead, and what shows it, from its dossier.

Nothing here is typed by hand: verdicts, corrections, witnesses and derivations are those that the dossier computed.
"""

from __future__ import annotations

import json
import os
import re
from concurrent.futures import ProcessPoolExecutor
from html import escape
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from noiseproof.audit.record.shown_text import clean
from noiseproof.reports import mathml
from noiseproof.reports.text import json_text
from noiseproof.reports.words import detail, dossier_word, truth_word

# Heading -> verdicts of the claims below it.
SECTIONS = {
    "Corrected": ("refuted", "misprint"),
    "True under a condition that is not printed": ("proved-if", "survived-if"),
    "True as printed": ("proved", "survived"),
    "Not settled": ("undecided",),
    "Definitions and procedures": ("definition",),
}
EXPLAINED = {
    "Corrected": "False or misprinted as it stands; the statement that holds instead, and how far it was established.",
    "True under a condition that is not printed": "The condition is needed: without it the same checks refute the statement.",
    "True as printed": "Under the assumptions printed. The same checks refuted a slightly falsified statement.",
    "Not settled": "What could not be decided, and why.",
    "Definitions and procedures": "These assert nothing, so that there was nothing to check.",
}
ON_TWIN, ON_BARE = " [twin]", " [without the condition]"
LONGEST_FORMULA = 600
LONGEST_WITNESS = 1500


def dossiers(folder: Path | None, kept: Path) -> dict[str, dict[str, Any]]:
    """Key -> dossier: read from `folder`, or from what an earlier build `kept` of the same code, or run now."""
    from noiseproof.audit.dossier import faults
    from noiseproof.audit.papers import papers
    from noiseproof.audit.record.seal.environment import code_digest

    kept = kept / code_digest()
    paths = {paper.key: (folder or kept) / f"{paper.key}.json" for paper in papers()}
    missing = [key for key, path in paths.items() if not path.is_file()]
    if missing and folder is not None:
        raise SystemExit(f"no file {paths[missing[0]]}: write it with `noiseproof papers -o {folder}`")
    if missing:
        print(f"checking the claims of {', '.join(missing)} ...", flush=True)
        kept.mkdir(parents=True, exist_ok=True)
        workers = min(len(missing), os.cpu_count() or 1)
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            for key, dossier in zip(missing, pool.map(_run, missing), strict=True):
                partial = paths[key].with_suffix(".partial")
                partial.write_text(json.dumps(dossier, ensure_ascii=False), encoding="utf-8")
                partial.replace(paths[key])
    found = {key: json.loads(path.read_text(encoding="utf-8")) for key, path in paths.items()}
    if wrong := faults(list(found.values())):
        raise SystemExit("the dossiers have faults, nothing is published from them:\n" + "\n".join(wrong))
    return found


def _run(key: str) -> dict[str, Any]:
    from noiseproof.audit.dossier import run
    from noiseproof.audit.papers import papers

    return run(papers([key])[0])


def theorems(dossier: dict[str, Any]) -> str:
    """The Markdown that follows a paper's introduction."""
    rows = [
        f"| {dossier_word(v).text} | {n} | {dossier_word(v).meaning} |"
        for v, n in dossier["verdicts"].items()
    ]
    parts = [
        "\n## What was checked\n\n| verdict | claims | meaning |\n| --- | ---: | --- |\n" + "\n".join(rows),
        f"\n`noiseproof papers {dossier['key']}` computes all of this again, and writes every check beside it.\n",
    ]
    for heading, verdicts in SECTIONS.items():
        claims = [finding for finding in dossier["findings"] if finding["verdict"] in verdicts]
        if claims:
            parts.append(f"\n## {heading}\n\n{EXPLAINED[heading]}\n")
            parts += [_claim(finding) for finding in claims]
    return "\n".join(parts)


def _claim(finding: dict[str, Any]) -> str:
    """One claim under its own heading; the rest is HTML, in which a formula's signs mean nothing."""
    word = dossier_word(finding["verdict"])
    title = "".join(f"\\{c}" if c in "\\`*_{}[]<>#|$~!&" else c for c in " ".join(finding["title"].split()))
    body = [
        f'<div class="claim tone-{word.tone}">',
        f'<p><span class="verdict">{_text(word.text)}</span> <code>{_text(finding["id"])}</code></p>',
        *_statements(finding),
        *_witness(finding),
        *_derivation(finding),
        "</div>",
    ]
    text = "\n".join(body)
    fence = "`" * max(3, *(len(run) + 1 for run in re.findall("`+", text) or [""]))
    return f"### {title}\n\n{fence}{{raw}} html\n{text}\n{fence}\n"


def _statements(finding: dict[str, Any]) -> list[str]:
    rows = [("Printed", finding["statement"]), ("Condition", finding["condition"])]
    if finding["correction"]:
        rows.append((f"Holds instead ({finding['twin']['verdict']})", finding["correction"]))
    if finding["verdict"] == "undecided":
        rows += [("Why", detail(row)) for row in finding["evidence"]]
    return [
        f'<p class="label">{_text(label)}</p><blockquote><p>{_text(text)}</p></blockquote>'
        for label, text in rows
        if text
    ]


def _witness(finding: dict[str, Any]) -> list[str]:
    """What breaks the printed statement, or the statement without its condition."""
    witness, label = finding["witness"], "It breaks at"
    if witness is None and finding["condition"]:
        others = [e["witness"] for e in finding["evidence"] if e["check"].endswith((ON_BARE, ON_TWIN))]
        witness, label = (
            next((w for w in others if w is not None), None),
            "Without the condition it breaks at",
        )
    if witness is None:
        return []
    if witness.get("kind") == "formula":
        at = ", ".join(
            mathml.relation(key, "=", str(value), block=False) for key, value in witness["at"].items()
        )
        where = f"{label} {at}, where this is false:" if at else "This is false:"
        return [
            f'<p class="label">{where}</p>',
            _equation(witness["left"], witness["relation"], witness["right"]),
        ]
    text = json_text(witness)
    if len(text) > LONGEST_WITNESS:
        text = text[:LONGEST_WITNESS] + "\n… the dossier's JSON has all of it"
    return [
        f'<details><summary>{label} this instance</summary><pre tabindex="0">{_text(text)}</pre></details>'
    ]


def _derivation(finding: dict[str, Any]) -> list[str]:
    """The derivation of what holds: of the correction where there is one, of the statement otherwise."""
    mark = ON_TWIN if finding["verdict"] in ("refuted", "misprint") else ""
    told = [
        row
        for row in finding["evidence"]
        if row["check"].endswith(mark) and (mark or not row["check"].endswith((ON_TWIN, ON_BARE)))
    ]
    written = []
    for row in told:
        steps = [step for step in row["derivation"] if step["truth"] != "cited"]
        cited = [step for step in row["derivation"] if step["truth"] == "cited"]
        if row.get("verdict") in ("REFUTED", "UNDECIDED") or not steps:
            continue
        counted = f"{len(steps)} {'step' if len(steps) == 1 else 'steps'}"
        written.append(f"<details><summary>Derivation: {counted}, each checked again</summary>")
        written.append('<ol class="steps">' + "".join(map(_step, steps)) + "</ol>")
        if cited:
            written.append(
                '<p class="label">Cited, not checked here</p><ul>' + "".join(map(_cited, cited)) + "</ul>"
            )
        written.append("</details>")
    return written


def _step(step: dict[str, Any]) -> str:
    word = truth_word(step["truth"]).text
    return (
        f'<li>{_formula(step)}<div class="reason">{_text(step["reason"])}: <em>{_text(word)}</em></div></li>'
    )


def _cited(step: dict[str, Any]) -> str:
    return f"<li>{_text(step['reason'])}{_formula(step) if step['left'] else ''}</li>"


def _formula(step: dict[str, Any]) -> str:
    if len(step["left"]) + len(step["right"]) > LONGEST_FORMULA:
        return '<div class="reason">(a formula too long to print; it stands in the JSON of the dossier)</div>'
    return _equation(step["left"], step["relation"], step["right"])


def _equation(left: str, relation: str, right: str) -> str:
    return f'<div class="equation" tabindex="0">{mathml.relation(left, relation, right)}</div>'


def _text(text: str) -> str:
    return escape(clean(text))
