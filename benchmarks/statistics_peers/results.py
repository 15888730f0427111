"""What was measured of the peers, as rows: for the result, and for whoever wants to compare another release with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).resolve().parent / "measured" / "peers.json"
# Rows of the same form, with "noiseproof" as the peer.
OURS = FILE.with_name("ours.json")
# Another claim than the one that is compared: shown, never a number to beat.
OTHER_CLAIM = "another claim"


def rows(what: str, found: dict[str, list[dict[str, Any]]] | None = None) -> list[dict[str, Any]]:
    """All rows of `what`, "errors" or "release", in the order of the runs."""
    found = json.loads(FILE.read_text()) if found is None else found
    return [row for job, several in found.items() if job.split()[1] == what for row in several]


def error(row: dict[str, Any]) -> float:
    """The error that is compared: of quantiles rounded to the declared grid or not, and clamped or not, whichever is less."""
    kinds = ("rmse", "rmse_clamped", "rmse_rounded")
    return float(min(row[kind] for kind in kinds if kind in row))


def best(errors: list[dict[str, Any]], claim: str, group: str, statistic: str) -> dict[str, Any] | None:
    """The row of the peer with the least error at that claim, or None if no peer answered."""
    able = [
        row
        for row in errors
        if (row["claim"], row["group"], row.get("statistic")) == (claim, group, statistic)
        and "fails" not in row
        and OTHER_CLAIM not in row["variant"]
    ]
    return min(able, key=error) if able else None


def merge(folder: Path) -> None:
    """Write the files that the runs left in `folder` as the one file of the peers."""
    found: dict[str, Any] = {}
    for path in sorted(folder.glob("*.json")):
        found |= json.loads(path.read_text())
    FILE.write_text(json.dumps(found, indent=1) + "\n")
