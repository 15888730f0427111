"""A release folder for the tests of sealing and verifying: data, certificate, manifest, page, and two key pairs."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import made_release

from noiseproof import release_command
from noiseproof.audit.record.certificate import claim_record
from noiseproof.audit.record.plain import plain
from noiseproof.audit.record.seal.canonical import canonical_json
from noiseproof.audit.release import verify as verifying
from noiseproof.audit.release.plan import ReleasePlan, plan
from noiseproof.audit.release.policy import policy_of
from noiseproof.audit.release.statements import statements
from noiseproof.audit.release.verify import Checked, attest, make_key
from noiseproof.symbolic.proof.kernel.documents import tied


def verify(folder: Path, *more: Any, **named: Any) -> list[Checked]:
    """As the command verifies, with its pages."""
    return verifying.verify(folder, *more, **{"pages": release_command.pages, **named})


def seal(folder: Path, *more: Any, **named: Any) -> Path:
    """As the command seals, with its pages."""
    return verifying.seal(folder, *more, **{"pages": release_command.pages, **named})


@dataclass(frozen=True)
class Sealed:
    """The folder, who sealed it, and a stranger; keys are the files of private keys, with .pub the public ones."""

    folder: Path
    key: Path
    other: Path

    @property
    def public(self) -> Path:
        return Path(f"{self.key}.pub")

    @property
    def foreign(self) -> Path:
        return Path(f"{self.other}.pub")

    def json(self, name: str) -> Any:
        """A file of the folder as data."""
        return json.loads((self.folder / name).read_text(encoding="utf-8"))

    def edit(self, name: str, change: Callable[[Any], Any]) -> None:
        """Change the data of a JSON file in place."""
        data = self.json(name)
        change(data)
        (self.folder / name).write_text(json.dumps(data), encoding="utf-8")

    def statement(self) -> Any:
        """The payload of the attestation."""
        return json.loads(base64.b64decode(self.json("attestation.json")["payload"]))

    def forge(self, change: Callable[[Any], Any]) -> None:
        """Change the payload of the attestation, and keep the signatures that it had."""
        statement = self.statement()
        change(statement)
        payload = base64.b64encode(canonical_json(statement)).decode()
        self.edit("attestation.json", lambda envelope: envelope.update(payload=payload))

    def digest_again(self) -> None:
        """What a forger does who knows how a folder is sealed: every digest is made to fit, down to the attestation."""
        attestation = self.folder / "attestation.json"
        signatures = self.json("attestation.json")["signatures"]
        attestation.unlink()
        list_files(self.folder)
        attest(self.folder)
        self.edit("attestation.json", lambda envelope: envelope.update(signatures=signatures))

    def verify(self, **more: Any) -> list[Checked]:
        return verify(self.folder, self.public, **more)

    def faults(self, **more: Any) -> list[str]:
        """What fails, in words."""
        return [str(one) for one in self.verify(**more) if one.state == "fails"]


@cache
def _planned() -> ReleasePlan:
    """The policy of the example, with a limit and scales that it can be held to."""
    data = made_release.manifest()
    policy = data["policy"]
    # Intervals of whole steps: the epsilon of the grid is that of the scales, exactly.
    columns = [{**c, "high": 102_400.0} if c["name"] == "capital gain" else c for c in policy["columns"]]
    widths = {c["name"]: c["high"] - c["low"] for c in columns if c["role"] == "private"}
    scales = {name: 3 * width / made_release.EPSILON for name, width in widths.items()}
    mechanism = {"kind": "laplace", "scale": scales}
    limits = {"epsilon": made_release.EPSILON}
    return plan(
        policy_of(
            {
                **policy,
                "columns": columns,
                "limits": limits,
                "mechanism": mechanism,
                "ledger": {"path": "adult.ledger", "table_id": data["ledger"]["table_id"]},
                "output": {"format": "csv"},
            },
            "release.json",
        )
    )


@cache
def _stated() -> str:
    return statements(_planned()).to_json()


def stated_manifest() -> dict[str, Any]:
    """The manifest of the example, saying what its policy gives."""
    left = ("created", "ledger", "table", "files", "verdict", "versions")
    data = made_release.manifest()
    data["table"]["rows"] = 1
    charge = {"day": "2026-01-01", "entries": 1, "here": True, "charge": {"epsilon": 2.0}}
    data["ledger"] |= {"spent": {"epsilon": 2.0}, "remaining": {"epsilon": 1.0}, "history": [charge]}
    return {**json.loads(_stated()), **{key: data[key] for key in left}}


def made_certificate(epsilon: float = made_release.EPSILON) -> dict[str, Any]:
    """The certificate of the example, with a witness that can be evaluated."""
    data = made_release.certificate()
    trials = _planned().kind.trials()
    assert [claim.expect for claim in trials] == ["holds", "falls"]
    data["subjects"] = [
        {**data["subjects"][0], "name": c.subject.name, "parameters": plain(c.subject.parameters())}
        for c in trials
    ]
    for finding, claim in zip(data["findings"], trials, strict=True):
        finding["subject"] = claim.subject.name
        finding["claim"] = claim_record(claim)
        for evidence in finding["evidence"]:
            evidence["claim"] = {key: finding["claim"][key] for key in ("predicate", "parameters")}
    control = data["findings"][1]
    witness = {
        "kind": "event",
        "predicate": "PureDP",
        "parameters": control["claim"]["parameters"],
        "inputs": [0.0, 1.0],
        "alpha": 0.01,
        "level": 0.0095,
        "p_is_input": 1,
        "count": {"k": 900, "n": 1000, "l": 10, "m": 1000},
        "epsilon": control["claim"]["parameters"]["epsilon"],
        "delta": 0.0,
    }
    control["evidence"][0]["witness"] = witness
    # Proofs are tied to the claims as they read now.
    data["findings"] = [tied(finding) for finding in data["findings"]]
    return data


def list_files(folder: Path) -> None:
    """Write release.json, with the files that lie in the folder."""
    path = folder / "release.json"
    manifest = json.loads(path.read_text(encoding="utf-8")) if path.exists() else stated_manifest()
    names = [p.name for p in sorted(folder.iterdir()) if p.name not in ("release.json", "attestation.json")]
    contents = {name: (folder / name).read_bytes() for name in names}
    manifest["files"] = [
        {"name": n, "sha256": hashlib.sha256(raw).hexdigest(), "bytes": len(raw)}
        for n, raw in contents.items()
    ]
    path.write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def make_release(folder: Path) -> None:
    """The files of a release that is not sealed yet."""
    folder.mkdir()
    (folder / "data.csv").write_text("age,hours per week,capital gain,sex\n39,40,7,Male\n")
    (folder / "certificate.json").write_text(json.dumps(made_certificate(), indent=1))
    list_files(folder)


def sealed_release(place: Path) -> Sealed:
    """A release that is sealed and signed."""
    made = Sealed(place / "release", make_key(place / "officer.pem")[0], make_key(place / "stranger.pem")[0])
    make_release(made.folder)
    seal(made.folder, made.key)
    return made
