"""Kinds of files with honest samples of each, the commands that read them, and which words of them nobody may change alone."""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from noiseproof import (
    ApproxDP,
    BlackBox,
    Certificate,
    Claim,
    ErrorBound,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    OptimalGaussian,
    PureDP,
    examine,
)

# A place whose change alone has to be refused wherever it says something else than before.
_GUARDED = re.compile(
    r"verdict|exit_code|as_expected|every verdict|verdicts\.\w+"
    r"|findings\[\]\.(verdict|as_expected|sentences\.\w+|claim\.(predicate|parameters.*|sentence|about|expect))"
    r"|findings\[\]\.evidence\[\]\.(verdict|kind|check|sentence|error|claim.*|witness\.(kind|predicate|parameters.*))"
    r"|findings\[\]\.evidence\[\]\.bounds\[\]\.claimed|findings\[\]\.twin\.(verdict|required)"
    r"|settings\.alpha"
)
# A dossier's checks may be anybody's: which kind of evidence and of witness one of them finds is known to nobody else.
_GUARDED_DOSSIER = re.compile(rf"(?!.*evidence\[\]\.(kind|witness\.kind)$)(?:{_GUARDED.pattern})")
_EVERYTHING = re.compile(r".*", re.DOTALL)


@dataclass(frozen=True)
class Kind:
    """`samples` are honest data; `commands` read the file at a path, beside an honest one of the folder."""

    name: str
    samples: tuple[Any, ...]
    commands: Callable[[Path, Path], Iterator[tuple[str, ...]]]
    read: Callable[[Any], Any] | None = None
    folder: Path | None = None
    file: str = "file.json"
    guarded: re.Pattern[str] = _GUARDED

    def guards(self, place: str) -> bool:
        """Whether a change of this place alone has to be refused."""
        return bool(self.guarded.fullmatch(place))


def audited() -> tuple[Any, ...]:
    """Small audits: proofs, refutations, survivals, controls, bits, bets, error bounds."""
    laplace, normal = LaplaceMechanism(1.0, 1.0), GaussianMechanism(1.0, 1.0)
    box = BlackBox(lambda d, n, r: d + r.laplace(0, 1, n), (0.0, 1.0))
    law: dict[str, Any] = {"about": "law"}
    pure: list[Any] = [PureDP(1.0), Claim(PureDP(0.5), expect="falls"), Claim(ApproxDP(1.0, 0.01), **law)]
    others: list[Any] = [Claim(GaussianDP(1.0), **law), Claim(PureDP(2.0), **law), GaussianDP(3.0)]
    errors: list[Any] = [ErrorBound(5.0), Claim(ErrorBound(20.0), **law)]
    audits = [
        examine(laplace, pure, samples=1000),
        examine(normal, others, samples=1000),
        examine(box, [PureDP(1.0), PureDP(0.2)], samples=1000, bits=True),
        examine(box, [PureDP(1.0), PureDP(0.2), GaussianDP(2.0)], samples=1000, sequential=True),
        examine(OptimalGaussian(10.0, ([0.0], [1.0])), errors, samples=1000),
    ]
    return tuple(json.loads(audit.to_json()) for audit in audits)


def certificates(samples: tuple[Any, ...]) -> Kind:
    """Certificates as plain data, read by the commands and by Python."""

    def commands(path: Path, honest: Path) -> Iterator[tuple[str, ...]]:
        yield "report", str(path), "-o", str(path.with_suffix(".html"))
        yield "export", str(path), "-o", str(path.parent / "export")
        yield "diff", str(honest), str(path)
        yield "replay", f"{path}#2"

    return Kind("certificate", samples, commands, Certificate.from_data)


def dossiers(folder: Path, findings: int = 12) -> Kind:
    """Dossiers that `noiseproof papers` wrote, a few claims of each: of all verdicts."""
    from noiseproof.audit.dossier.reading import check_dossier

    samples = []
    for path in sorted(folder.glob("*.json")):
        data = json.loads(path.read_text(encoding="utf-8"))
        by_verdict = sorted(data["findings"], key=lambda f: (len(json.dumps(f)) // 20_000, f["verdict"]))
        chosen = by_verdict[:: max(len(by_verdict) // findings, 1)][:findings]
        samples.append({**data, "findings": chosen, "verdicts": dict(Counter(f["verdict"] for f in chosen))})

    def commands(path: Path, honest: Path) -> Iterator[tuple[str, ...]]:
        yield "export", str(path), "-o", str(path.parent / "export"), "--no-scripts"

    return Kind("dossier", tuple(samples), commands, check_dossier, guarded=_GUARDED_DOSSIER)


def sealed(folder: Path, file: str) -> Kind:
    """One file of a folder that was sealed without a key: whatever changes in it no longer fits the attestation."""

    def commands(path: Path, honest: Path) -> Iterator[tuple[str, ...]]:
        yield "verify", str(path.parent), "--unsigned"

    data = json.loads((folder / file).read_text(encoding="utf-8"))
    return Kind(f"sealed {file}", (data,), commands, None, folder, file, guarded=_EVERYTHING)


def unsealed(folder: Path, file: str) -> Kind:
    """The same file before it is sealed again: `seal` signs nothing that does not follow."""

    def commands(path: Path, honest: Path) -> Iterator[tuple[str, ...]]:
        (path.parent / "attestation.json").unlink(missing_ok=True)
        yield "seal", str(path.parent)
        yield "verify", str(path.parent), "--unsigned"

    data = json.loads((folder / file).read_text(encoding="utf-8"))
    return Kind(f"resealed {file}", (data,), commands, None, folder, file)


def ledger_lines(folder: Path) -> Kind:
    """The lines of a ledger as a list; its head lies beside it."""

    def commands(path: Path, honest: Path) -> Iterator[tuple[str, ...]]:
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        try:
            lines = [json.dumps(line) for line in json.loads(text)]
        except (ValueError, TypeError, RecursionError):
            lines = [text]
        ledger = path.parent / "ledger.jsonl"
        ledger.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="surrogateescape")
        yield "ledger", "check", str(ledger)
        yield "ledger", "show", str(ledger)

    lines = [json.loads(line) for line in (folder / "ledger.jsonl").read_text(encoding="utf-8").splitlines()]
    return Kind("ledger", (lines,), commands, None, folder, "lines.json", guarded=_EVERYTHING)


def made_ledger(folder: Path) -> None:
    """A ledger with a few entries."""
    from noiseproof.audit.release.ledger import Cost, Ledger

    folder.mkdir(parents=True)
    ledger = Ledger.create(folder / "ledger.jsonl", "table", Cost(epsilon=3.0, unit="record"))
    ledger.settle(ledger.reserve(Cost(epsilon=1.0, unit="record"), "a release"))
    ledger.reserve(Cost(epsilon=0.5, unit="record"), "another")


def made_folder(folder: Path, certificate: Any) -> None:
    """A sealed folder of one certificate and one file of data."""
    from noiseproof.audit.release.verify import seal
    from noiseproof.release_command import pages

    folder.mkdir(parents=True)
    (folder / "certificate.json").write_text(json.dumps(certificate), encoding="utf-8")
    (folder / "people.csv").write_text("age\n41\n", encoding="utf-8")
    seal(folder, pages=pages)


def copied(folder: Path, target: Path) -> None:
    """A fresh copy of a folder."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(folder, target)
