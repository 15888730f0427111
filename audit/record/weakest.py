"""What the least of the survivals of an audit is worth, in one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from .evidence import Resolution


def weakest_survival(findings: Iterable[Mapping[str, Any]]) -> str:
    """The largest departure that a check of a claim that survived would just have found, of findings as plain data; "" if there is none."""
    stated = [
        (Resolution(**one["resolution"]), finding["title"])
        for finding in findings
        if finding["claim"]["expect"] != "falls" and finding["verdict"] == "SURVIVED"
        for one in finding["evidence"]
        if one["resolution"]
    ]
    if not stated:
        return ""
    worst, title = max(stated, key=lambda row: row[0].departure)
    return (
        f"weakest resolution: were {_at(worst)}, “{title}” would fall with probability {worst.power:g}; anything smaller, of another kind, or "
        "behind a digest or encryption may have been missed"
    )


def _at(worst: Resolution) -> str:
    """The fault along its ray, with its size in the place of c."""
    size = f"{worst.value:.4g}"
    found, many = re.subn(r"\bc\b", size, worst.ray)
    return found if many else f"{worst.ray} (c = {size})"
