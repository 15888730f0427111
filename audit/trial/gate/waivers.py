"""Waivers: who lets a claim that does not hold pass, why, and until when; an expired or unmatched one is an error."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError, nearest_name
from ...record.reading.toml_file import parse_toml, read_bytes
from .fingerprints import claim_fingerprints

_KEYS = ("claim", "owner", "reason", "expires")


@dataclass(frozen=True)
class Waiver:
    """`claim` is the fingerprint of a claim, or its title."""

    claim: str
    owner: str
    reason: str
    expires: datetime.date

    def words(self) -> str:
        """Who, why and until when, on one line."""
        return f"waived by {self.owner} until {self.expires.isoformat()}: {self.reason}"


def load_waivers(path: str | Path) -> tuple[Waiver, ...]:
    """The waivers of a TOML file, an array of tables [[waivers]]; SpecError names the file and the key."""
    file = str(path)
    expected = "a TOML file with [[waivers]]"
    tree = parse_toml(read_bytes(Path(path), expected), expected, file)
    rows = tree.pop("waivers", [])
    if tree:
        raise SpecError("unknown key; expected only [[waivers]]", key=next(iter(tree)), file=file)
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise SpecError("expected an array of tables [[waivers]]", key="waivers", file=file)
    return tuple(_waiver(row, f"waivers[{i}]", file) for i, row in enumerate(rows))


def _waiver(row: Mapping[str, Any], key: str, file: str) -> Waiver:
    for name in row:
        if name not in _KEYS:
            raise SpecError(f"unknown key; {nearest_name(name, _KEYS)}", key=f"{key}.{name}", file=file)
    for name in _KEYS:
        if name not in row:
            raise SpecError("this key is missing", key=f"{key}.{name}", file=file)
    for name in ("claim", "owner", "reason"):
        if not isinstance(row[name], str) or not row[name].strip():
            raise SpecError(f"expected text, got {row[name]!r}", key=f"{key}.{name}", file=file)
    expires = row["expires"]
    if not isinstance(expires, datetime.date) or isinstance(expires, datetime.datetime):
        raise SpecError(
            f"expected a date such as 2030-01-31 without quotes, got {expires!r}",
            key=f"{key}.expires",
            file=file,
        )
    return Waiver(row["claim"].strip(), row["owner"].strip(), row["reason"].strip(), expires)


def refuse_expired(waivers: Iterable[Waiver], today: datetime.date) -> None:
    """Raise SpecError for a waiver that is past its day; on the day itself it still holds."""
    for waiver in waivers:
        if waiver.expires < today:
            raise SpecError(
                f"the waiver of {waiver.claim!r} (owner: {waiver.owner}) expired on {waiver.expires.isoformat()}: "
                "correct the claim, or renew the waiver"
            )


def waived(waivers: Iterable[Waiver], findings: Sequence[Mapping[str, Any]]) -> dict[int, Waiver]:
    """Number of a finding -> its waiver, for those that did not come out as they should.

    Raises SpecError for a waiver that matches no claim, several claims, or a control.
    """
    prints = claim_fingerprints(findings)
    found: dict[int, Waiver] = {}
    for waiver in waivers:
        matched = [f for f, p in zip(findings, prints, strict=True) if waiver.claim in (p, f["title"])]
        if not matched:
            raise SpecError(
                f"the waiver of {waiver.claim!r} (owner: {waiver.owner}) matches no claim: "
                + nearest_name(waiver.claim, [*(f["title"] for f in findings), *prints])
            )
        if len(matched) > 1:
            raise SpecError(
                f"the waiver of {waiver.claim!r} matches {len(matched)} claims: name one by its fingerprint, one of "
                + ", ".join(p for f, p in zip(findings, prints, strict=True) if f in matched)
            )
        (finding,) = matched
        if finding["claim"]["expect"] == "falls":
            raise SpecError(
                f"the waiver of {waiver.claim!r} is for a control: one that stands takes the weight from every pass"
            )
        if not finding["as_expected"]:
            found[finding["id"]] = waiver
    return found


def exit_code(certificate: Mapping[str, Any], waived_ids: Iterable[int]) -> int:
    """The exit code of a certificate if these findings do not count."""
    skipped = set(waived_ids)
    if not skipped:
        return int(certificate["exit_code"])
    left = [f for f in certificate["findings"] if f["id"] not in skipped and not f["as_expected"]]
    if any(f["verdict"] == "REFUTED" or f["claim"]["expect"] == "falls" for f in left):
        return 1
    return 4 if left else 0
