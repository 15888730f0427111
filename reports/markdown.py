"""A certificate as Markdown, for the summary of a build; text from strangers cannot become markup."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..audit.record.shown_text import clean
from ..audit.record.weakest import weakest_survival
from ..audit.trial.gate.fingerprints import certified_epsilon, claim_fingerprints
from .findings import outcome_of
from .text import content_digest
from .words import overall

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
# What can start markup inside a line; points and hyphens only where they are not part of a number or a word.
_MARKUP = re.compile(r"[\\`*_{}\[\]()#+!|~@:$^=]|\.(?=\w)(?!\d)|(?<!\w)-|-(?!\w)")
_MARKS = {"passed": "passed", "failure": "**FAILED**", "error": "**OPEN**", "waived": "**WAIVED**"}


def escape(text: str) -> str:
    """The text on one line, every mark of Markdown and HTML in it a plain character."""
    return _MARKUP.sub(r"\\\g<0>", " ".join(clean(text).split())).translate(_ENTITIES)


def render_markdown(certificate: dict[str, Any], waived: Mapping[int, str] | None = None) -> str:
    """A table of the claims, then what was found on each that did not come out as it should."""
    waived = waived or {}
    headline = overall(certificate)
    prints = claim_fingerprints(certificate["findings"])
    rows, failed = [], []
    for finding, fingerprint in zip(certificate["findings"], prints, strict=True):
        outcome, bound = outcome_of(finding, waived), certified_epsilon(finding)
        epsilon = "" if bound is None else f"{bound[2]:.4g} of {bound[1]:.4g}"
        control = " (control)" if finding["claim"]["expect"] == "falls" else ""
        cells = [
            escape(str(finding["id"])),
            escape(finding["subject"]),
            escape(finding["title"]) + control,
            escape(finding["verdict"]),
            _MARKS[outcome.kind],
            escape(epsilon),
        ]
        rows.append(f"| {' | '.join(cells)} |")
        if outcome.kind != "passed":
            failed += [f"#### {escape(str(finding['id']))}: {escape(outcome.message)}", ""]
            failed += [f"- {escape(line)}" for line in outcome.details]
            failed += [f"- fingerprint `{fingerprint}`", ""]
    settings = certificate["settings"]
    summary = f"alpha {settings['alpha']:g}, {settings['samples']} samples per input, seed {settings['seed']}"
    return "\n".join(
        [
            f"### noiseproof: {escape(headline.text)}: {escape(certificate['title'])}",
            "",
            escape(headline.meaning),
            "",
            "| | subject | claim | verdict | outcome | epsilon certified |",
            "| ---: | --- | --- | --- | --- | --- |",
            *rows,
            "",
            *(f"{escape(words)}\n" for words in weakest_survival(certificate["findings"])),
            *failed,
            f"certificate `{content_digest(certificate)}`\n",
            escape(summary),
            "",
        ]
    )
