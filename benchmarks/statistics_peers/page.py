"""The result statistics-peers from what the runs left: `python -m benchmarks.statistics_peers.page DATE`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..result import save
from .results import OURS, best, error, rows
from .workloads import CLAIMS, GROUPS

COMMAND = "python -m benchmarks.statistics_peers.page"
COLUMNS = ("OpenDP", "OpenDP mbi", "Tumult Analytics", "diffprivlib", "PipelineDP", "python-dp", "noiseproof")
WORDS = {"counts": "count", "sums": "sum"}


def number(value: float) -> str:
    return f"{value:.4g}" if value < 1e5 else f"{value:.0f}"


def table(head: Iterable[str], lines: Iterable[Iterable[str]]) -> str:
    head = list(head)
    ruled = ["| " + " | ".join(head) + " |", "| --- " + "| ---: " * (len(head) - 1) + "|"]
    return "\n".join(ruled + ["| " + " | ".join(line) + " |" for line in lines])


def cell(found: list[dict[str, Any]], least: dict[str, Any] | None, key: str | None = None) -> str:
    """The errors of one peer, the least first; the best of all peers in bold, with the error of drawing where drawn."""
    said = []
    for row in found:
        if "fails" in row:
            said.append("raises")
            continue
        value = row[key] if key else row["rmse"]
        text = number(value)
        if not key and row.get("standard_error"):
            text += f" ± {number(row['standard_error'])}"
        if not key and row.get("rmse_clamped", row["rmse"]) < 0.995 * row["rmse"]:
            text += f" ({number(row['rmse_clamped'])} clamped)"
        if not key and row is least:
            text = f"**{text}**"
        said.append(text + (" (†)" if "another claim" in row["variant"] else ""))
    return "; ".join(said)


def present(measured: list[dict[str, Any]], claim: str) -> list[str]:
    return [
        peer for peer in COLUMNS if any(row["peer"] == peer and row["claim"] == claim for row in measured)
    ]


def errors(measured: list[dict[str, Any]], claim: str, key: str | None = None) -> str:
    """One line a statistic, one column a peer."""
    peers = present(measured, claim)
    lines = []
    for group, statistics in GROUPS.items():
        for statistic in statistics:
            of = [
                row
                for row in measured
                if (row["claim"], row["group"], row.get("statistic")) == (claim, group, statistic.name)
                and (key is None or key in row)
            ]
            if not of:
                continue
            least = best(measured, claim, group, statistic.name)
            kept = [
                sorted((r for r in of if r["peer"] == peer), key=lambda r: r.get("rmse", 0)) for peer in peers
            ]
            lines.append([f"{group}: {statistic.name}", *(cell(several, least, key) for several in kept)])
    return table(["statistic", *peers], lines)


def deviations(measured: list[dict[str, Any]]) -> str:
    """The standard deviation of the noise in one cell, of counts, histograms and sums."""
    lines = []
    for group in ("counts", "means", "histograms", "marginals"):
        for claim in ("pure", "zcdp"):
            of = [
                row
                for row in measured
                if row["claim"] == claim and row["group"] == group and "noise_sd" in row
            ]
            if of:
                said = {row["peer"]: f"{row['law']}, {row['noise_sd']:.6g}" for row in of}
                what = f"{group} ({WORDS['sums'] if group == 'means' else WORDS['counts']}), {claim}"
                lines.append([what, *(said.get(peer, "") for peer in COLUMNS[:6] if peer != "OpenDP mbi")])
    return table(["group and claim", *(peer for peer in COLUMNS[:6] if peer != "OpenDP mbi")], lines)


def timed(row: dict[str, Any]) -> str:
    """Seconds of the processor; runs that only have the clock of a busy machine say so."""
    own = row.get("processor_seconds")
    said = f"{own:.1f} s" if own is not None else f"{row['seconds']:.1f} s on the clock"
    return f"{said}, {row['memory_mib']:.0f} MiB"


def costs(released: list[dict[str, Any]], claim: str) -> str:
    peers = [peer for peer in COLUMNS if any(row["peer"] == peer for row in released)]
    lines = []
    for group in GROUPS:
        by = {row["peer"]: row for row in released if row["claim"] == claim and row["group"] == group}
        said = [
            timed(by[peer]) if peer in by and "seconds" in by[peer] else ("fails" if peer in by else "")
            for peer in peers
        ]
        lines.append([group, *said])
    return table(["group", *peers], lines)


def checks(measured: list[dict[str, Any]]) -> str:
    lines = []
    for row in measured:
        if "check" in row:
            one = row["check"]
            lines.append(
                [
                    f"{row['peer']}, {row['claim']}, {row['group']}: {row['statistic']}",
                    str(one["draws"]),
                    f"{number(one['rmse'])} ± {number(one['standard_error'])}",
                    number(row["rmse"])
                    + (f" ± {number(row['standard_error'])}" if "standard_error" in row else ""),
                ]
            )
    return table(["claim and statistic", "draws", "by the peer", "from its laws"], lines)


def beaten(measured: list[dict[str, Any]]) -> str:
    """The numbers to beat: the least error of any peer at each claim."""
    lines = []
    for group, statistics in GROUPS.items():
        for statistic in statistics:
            said = []
            for claim in CLAIMS:
                least = best(measured, claim, group, statistic.name)
                said.append(f"{number(error(least))} ({least['peer']})" if least else "")
            if any(said):
                lines.append([f"{group}: {statistic.name}", *said])
    return table(["statistic", *CLAIMS], lines)


def page() -> str:
    measured, released = rows("errors"), rows("release")
    if OURS.exists():
        ours = json.loads(OURS.read_text())
        measured, released = measured + rows("errors", ours), released + rows("release", ours)
    versions = sorted({(row["peer"], row["version"]) for row in measured if "version" in row})
    filled = {
        "VERSIONS": ", ".join(f"{peer} {version}" for peer, version in versions if peer != "OpenDP mbi"),
        "BEATEN": beaten([row for row in measured if row["peer"] != "noiseproof"]),
        "DEVIATIONS": deviations(measured),
        "PURE": errors(measured, "pure"),
        "ZCDP": errors(measured, "zcdp"),
        "SMALL": errors(measured, "pure-small") + "\n\n" + errors(measured, "zcdp-small"),
        "RANKS": errors(measured, "pure", "rank_rmse") + "\n\n" + errors(measured, "pure-small", "rank_rmse"),
        "COSTS": costs(released, "pure"),
        "CHECKS": checks(measured),
    }
    text = (Path(__file__).parent / "page.txt").read_text()
    for name, value in filled.items():
        text = text.replace(f"<{name}>", value)
    return text


if __name__ == "__main__":
    known = {"date": sys.argv[1], "machine": None, "python": None, "versions": {}}
    save("statistics-peers", page(), COMMAND, **known)
