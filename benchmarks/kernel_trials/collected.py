"""All proofs of the project: of dossiers and certificates as files, of the mechanisms' worst pairs, of splits of budgets, of the instruments."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from noiseproof.symbolic.proof.proofs.printed import UnreadableError, printed
from noiseproof.symbolic.proof.proofs.stated import canonical

Row = dict[str, Any]
ON_TWIN = " [twin]"
_OTHERS = 3


def of_files(folder: Path) -> Iterator[Row]:
    """What `entries` gives, for every derivation in the files of a folder; that of a statement is beside that of its twin."""
    for path in sorted(folder.rglob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        rows = data.get("findings", []) if isinstance(data, dict) else []
        for finding in (f for f in rows if isinstance(f, dict)):
            evidence = {e["check"]: e.get("derivation") or [] for e in finding.get("evidence", [])}
            for check, derivation in evidence.items():
                other = check.removesuffix(ON_TWIN) if check.endswith(ON_TWIN) else check + ON_TWIN
                yield from entries(path.stem, derivation, evidence.get(other, []))


def of_instruments(kinds: list[str]) -> Iterator[Row]:
    """The same of the lists of families, queries and programs that `kernel_instruments` has."""
    from kernel_instruments import LISTS

    from noiseproof.symbolic.proof.proofs.recorded import recorded

    for kind in kinds:
        for _, several in LISTS[kind]():
            for derivation in several:
                yield from entries(kind, recorded(derivation), [])


def of_mechanisms() -> Iterator[Row]:
    """The same of the worst pairs and privacy curves of mechanisms, and of splits of a budget under rho and epsilon."""
    import noiseproof as npf
    from noiseproof.symbolic.proof.derivation import Derivation
    from noiseproof.symbolic.proof.proofs.recorded import recorded

    mechanisms = [
        npf.LaplaceMechanism(1.0, 1.0),
        npf.LaplaceMechanism(1.0, 1.0, dimension=3),
        npf.GaussianMechanism(2.0, 1.0),
        npf.GaussianMechanism(covariance=[[2.0, 0.5], [0.5, 1.0]]),
        npf.OptimalGaussian(1.0, ([0.0, 0.0], [1.0, 2.0])),
        npf.CosineMechanism(-1.0, 1.0),
        npf.RandomisedResponse(1.0, 3),
        npf.BoundedMean(0.0, 1.0, 10, epsilon=1.0),
        npf.BoundedMean(0.0, 1.0, 10, epsilon=1.0, adjacency="add-or-remove"),
        npf.BoundedSum(-1.0, 2.0, sigma=1.0),
        npf.BoundedSum(-1.0, 2.0, sigma=1.0, adjacency="replace-one"),
        npf.LinearQuery([1.0, -3.0], 0.0, 1.0, epsilon=1.0),
    ]
    for mechanism in mechanisms:
        worst = mechanism.worst_case()
        if worst is not None:
            pair = worst.pair.steps() if worst.pair is not None else ()
            yield from entries(
                "mechanisms", recorded(Derivation("the worst case", (*worst.steps, *pair))), []
            )
    items = [npf.BudgetItem("count", 1, 1), npf.BudgetItem("sum", 400, 20), npf.BudgetItem("mean", 2500, 50)]
    for total, noise in ((0.5, "gaussian"), (1, "laplace")):
        split = npf.split_budget(items, total, noise)
        yield from entries("budgets", recorded(split.certificate.derivation), [])


def entries(source: str, derivation: list[Row], twin: list[Row]) -> Iterator[Row]:
    """For each step that the kernel is said to accept: its proof, other proofs of the derivation, and what its twin states instead."""
    proofs = [row.get("proof") or {} for row in derivation]
    known = [p for p in proofs if "left" in p]
    for i, (row, proof) in enumerate(zip(derivation, proofs, strict=True)):
        if "left" in proof:
            at = known.index(proof)
            others = [known[(at + k) % len(known)] for k in range(1, 1 + min(_OTHERS, len(known) - 1))]
            yield {"source": source, "proof": proof, "others": others, "twins": _twins(row, i, proof, twin)}


def _twins(row: Row, place: int, proof: Row, twin: list[Row]) -> list[Row]:
    """The sides of the twin's step in the same place, where they are others."""
    same = [t for t in twin if t["reason"] == row["reason"]] or twin[place : place + 1]
    found = []
    for other in same:
        try:
            sides = {side: printed(other[side], proof.get("letters", {})) for side in ("left", "right")}
            new = any(canonical(sides[s]) != canonical(proof[s]) for s in sides)
        except UnreadableError:
            continue
        if (new or other["relation"] != proof["relation"]) and other["relation"]:
            found.append(sides | {"relation": other["relation"]})
    return found


def unique(several: Iterator[Row]) -> list[Row]:
    """One entry for each proof, with all twins and others of those that are the same; in an order of chance that is always the same."""
    found: dict[str, Row] = {}
    for entry in several:
        key = json.dumps(entry["proof"], sort_keys=True)
        kept = found.setdefault(key, entry | {"others": [], "twins": []})
        for name in ("others", "twins"):
            kept[name] += [o for o in entry[name] if o not in kept[name]]
        kept["others"] = kept["others"][:_OTHERS]
    return [found[k] for k in sorted(found, key=lambda k: sha256(k.encode()).digest())]
