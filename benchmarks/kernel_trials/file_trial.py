"""Sabotage of files: proofs and prints that are put beside each other wrongly, through the check of `verify`, beside the judge at points."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, answer
from noiseproof.symbolic.proof.proofs.printed import UnreadableError, printed
from noiseproof.symbolic.proof.proofs.stated import canonical, strays

from .collected import ON_TWIN
from .truth import judged

Row = dict[str, Any]
_NEAR = 6
_SIDES = ("left", "right")
SEEN, SAME, MISSED = "seen", "says the same", "missed"


@dataclass
class FileTally:
    """Counts of what `verify` sees, by kind; what it does not see and is another statement at a point."""

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[tuple[str, Row, str]] = field(default_factory=list)
    not_clean: list[Row] = field(default_factory=list)


def of_files(folder: Path, seed: int) -> FileTally:
    """Every row with a proof in the files of a folder, as it stands and in each sabotage."""
    tally, seen = FileTally(), set()
    for path in sorted(folder.rglob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        for finding in data.get("findings", []) if isinstance(data, dict) else []:
            evidence = {e["check"]: e.get("derivation") or [] for e in finding["evidence"]}
            for check, rows in evidence.items():
                other = check.removesuffix(ON_TWIN) if check.endswith(ON_TWIN) else check + ON_TWIN
                for kind, row in sabotaged(rows, evidence.get(other, [])):
                    key = json.dumps([row[k] for k in ("left", "relation", "right", "proof")], sort_keys=True)
                    if key not in seen:
                        seen.add(key)
                        put(kind, row, Random(f"{seed} {key}"), tally)
    return tally


def sabotaged(rows: list[Row], twin: list[Row]) -> Iterator[tuple[str, Row]]:
    """Each row that has a proof of the kernel; with another proof, with other prints, and with the print of the twin."""
    good = [r for r in rows if "left" in (r.get("proof") or {})]
    for i, row in enumerate(good):
        yield "as it stands", row
        for other in (good[(i + k) % len(good)] for k in range(1, min(_NEAR, len(good)))):
            yield "proof of another step", row | {"proof": other["proof"]}
            for side in _SIDES:
                yield "a side of another step", row | {side: other[side]}
        if row["relation"] != "=":
            yield "sides exchanged", row | {"left": row["right"], "right": row["left"]}
        for relation in {"=", "<", "<=", ">", ">="} - {row["relation"]}:
            yield "relation", row | {"relation": relation}
        for side in _SIDES:
            for kind, text in _edited(row[side]):
                yield kind, row | {side: text}
        for other in (t for t in twin if t["reason"] == row["reason"] and t["relation"]):
            new = {k: other[k] for k in (*_SIDES, "relation")}
            if any(row[k] != v for k, v in new.items()):
                yield "the twin's print", row | new


def _edited(text: str) -> Iterator[tuple[str, str]]:
    """One sign or one number of a print changed."""
    for found in re.finditer(r"(?<=[\w)] )[+-](?= )", text):
        yield (
            "sign of a print",
            text[: found.start()] + ("-" if found[0] == "+" else "+") + text[found.end() :],
        )
    for found in re.finditer(r"(?<![\w.])\d+(?![\w.])", text):
        yield "number of a print", text[: found.start()] + str(int(found[0]) + 1) + text[found.end() :]
    for found in re.finditer(r"(?<!\w)(?:oo|sin|cos|exp|Max)(?!\w)", text):
        new = {"oo": "1", "sin": "cos", "cos": "sin", "exp": "log", "Max": "Min"}[found[0]]
        yield "word of a print", text[: found.start()] + new + text[found.end() :]


def put(kind: str, row: Row, rng: Random, tally: FileTally) -> None:
    """What `verify` says of the row; where it says nothing, whether the print is another statement than the proof's."""
    faults = strays(row) or not _accepted(json.dumps(row["proof"]))
    if kind == "as it stands":
        tally.counts[f"{kind}|{'seen' if faults else 'clean'}"] += 1
        tally.not_clean += [row] if faults else []
        return
    if faults:
        tally.counts[f"{kind}|{SEEN}"] += 1
        return
    why = _apart(row, rng)
    tally.counts[f"{kind}|{MISSED if why else SAME}"] += 1
    if why:
        tally.faults.append((kind, row, why))


@cache
def _accepted(proof: str) -> bool:
    return answer(json.loads(proof)).word == ACCEPTED


def _apart(row: Row, rng: Random) -> str | None:
    """Where a printed side has another value than that of the proof; None where they are one expression, or the same at all points."""
    proof = row["proof"]
    if row["relation"] != proof["relation"]:
        return "another relation"
    for side in _SIDES:
        try:
            term = printed(row[side], proof.get("letters", {}))
        except UnreadableError as error:
            return str(error)
        if canonical(term) != canonical(proof[side]):
            wrong = judged(proof | {"left": term, "relation": "=", "right": proof[side]}, rng, 8).wrong
            if wrong:
                return wrong
    return None


def table(tally: FileTally) -> str:
    """By kind: how many were tried, how many `verify` sees, how many say the same, how many are missed."""
    found = ["| sabotage of a file | tried | seen | says the same | missed |", "| --- |" + " ---: |" * 4]
    kinds = sorted({k.split("|")[0] for k in tally.counts} - {"as it stands"})
    for kind in [*kinds, "all"]:
        cells = [
            sum(
                n
                for k, n in tally.counts.items()
                if k.split("|")[1] == w and (kind in ("all", k.split("|")[0]))
            )
            for w in (SEEN, SAME, MISSED)
        ]
        found.append(f"| {kind} | {sum(cells):,} | " + " | ".join(f"{c:,}" for c in cells) + " |")
    return "\n".join(found)
