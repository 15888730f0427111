"""A certificate becomes one HTML file that needs nothing but itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from ..audit.record.evidence import SENTENCES
from ..audit.record.side_by_side import side_by_side
from ..audit.record.weakest import weakest_survival
from .environment import page, write
from .text import content_digest
from .words import EXIT_CODES, overall

SCHEMA = "noiseproof-certificate-1"
_KIND_ORDER = {"proof": 0, "computation": 1, "attack": 2}


def render_certificate(certificate: dict[str, Any]) -> str:
    """The page of a certificate given as the plain data of its JSON."""
    if certificate.get("schema") != SCHEMA:
        raise ValueError(
            f'expected a certificate with "schema": "{SCHEMA}", got {certificate.get("schema")!r}; '
            "write one with `noiseproof audit SPEC`"
        )
    leading = leading_finding(certificate["findings"])
    return page(
        "certificate.html",
        certificate=certificate,
        digest=content_digest(certificate),
        headline=overall(certificate),
        exit_meaning=EXIT_CODES.get(certificate["exit_code"], "not a code of this program"),
        leading=leading,
        strongest=strongest_evidence(leading) if leading else None,
        sentences=SENTENCES,
        weakest=weakest_survival(certificate["findings"]),
        side_by_side=side_by_side,
    )


def write_certificate_page(certificate: dict[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write the page of a certificate to `path`, whole or not at all."""
    return write(render_certificate(certificate), path)


def leading_finding(findings: list[dict[str, Any]]) -> dict[str, Any] | None:
    """The finding that fixes the verdict: one that came out wrong, else the weakest that should hold."""
    order = ["REFUTED", "UNDECIDED", "SURVIVED", "PROVED"]

    def rank(finding: dict[str, Any]) -> tuple[bool, bool, int]:
        control = finding["claim"]["expect"] == "falls"
        verdict = finding["verdict"]
        return finding["as_expected"], control, order.index(verdict) if verdict in order else len(order)

    return min(findings, key=rank, default=None)


def strongest_evidence(finding: dict[str, Any]) -> dict[str, Any] | None:
    """The evidence that carries the verdict: with a witness first, then on the sentence furthest from the law, then
    with a stated resolution, then the smallest error, then proof."""
    collected = finding["evidence"]
    carrying = [one for one in collected if one["verdict"] == finding["verdict"]] or collected
    sentences = ("bytes", "code", "fit", "law")

    def rank(one: dict[str, Any]) -> tuple[bool, int, bool, float, int]:
        sentence = sentences.index(one["sentence"]) if one["sentence"] in sentences else len(sentences)
        return (
            one["witness"] is None,
            sentence,
            one["resolution"] is None,
            float(one["error"]),
            _KIND_ORDER.get(one["kind"], 3),
        )

    return min(carrying, key=rank, default=None)
