"""A dossier of others, read strictly: its form, and that each verdict follows from what the checks said of statement and twin."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from ..record.derivation_match import loose_ends, step_faults, too_much
from ..record.evidence import Verdict, combine_verdicts
from ..record.plain import same_data
from ..record.reading.certificate_form import (
    Form,
    List,
    Measured,
    Name,
    Result,
    Series,
    Text,
    Timings,
    Witness,
    fitted,
)
from .paper_verdict import MEANT, ON_BARE, ON_TWIN, STANDS, PaperVerdict, paper_verdict, required_words

SCHEMA = "noiseproof-dossier-1"
_EXACT = ("derivation", "enclosures", "instances", "search for a violation")


class Row(Result):
    """What one check said of one statement."""

    statement: Text
    series: List[Series] = Field(default_factory=list)


class Twin(Form):
    """What became of the other statement."""

    statement: Text
    verdict: Text
    required: List[Text]


class Finding(Form):
    """One claim of the paper."""

    id: Annotated[str, Field(pattern="^[^/]+/.+$", max_length=1000)]
    title: Text
    verdict: PaperVerdict
    statement: Text
    condition: Text | None
    correction: Text | None
    witness: Witness | None
    evidence: List[Row]
    twin: Twin | None
    series: List[Series]


class Provenance(Form):
    """What is needed to get the dossier again."""

    model_config = ConfigDict(extra="allow")

    noiseproof: Text
    python: Text
    packages: dict[str, Text]


class DossierForm(Form):
    """The whole file."""

    format: Literal["noiseproof-dossier-1"] = Field(alias="schema")
    key: Annotated[str, Field(pattern="^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=200)]
    title: Name
    verdicts: dict[PaperVerdict, Annotated[int, Field(ge=0)]]
    findings: List[Finding]
    provenance: Provenance
    timings: Timings


def check_dossier(data: Mapping[str, Any]) -> None:
    """ValueError if a dossier is not of its form, or says anything that its evidence does not."""
    fitted(DossierForm, data, "dossier", "`noiseproof papers` regenerates it")
    for fault in _faults(data):
        raise ValueError(f"the dossier does not say what its evidence says: {fault}")


def _faults(data: Mapping[str, Any]) -> Iterator[str]:
    findings = data["findings"]
    if len({f["id"] for f in findings}) < len(findings):
        yield "two findings have the same id"
    if too_much(e["derivation"] for f in findings for e in f["evidence"]):
        yield "its derivations are longer than any proof"
        return
    if not same_data(data["verdicts"], dict(Counter(f["verdict"] for f in findings))):
        yield "the verdicts are not those of the findings"
    for finding in findings:
        for fault in (
            *_verdict_faults(finding),
            *(f for row in finding["evidence"] for f in _row_faults(row)),
        ):
            yield f"{finding['id']}: {fault}"
        yield from loose_ends(finding)


def _verdict_faults(finding: Mapping[str, Any]) -> Iterator[str]:
    rows = finding["evidence"]
    twin = _said(rows, ON_TWIN)
    printed = [row for row in rows if not row["check"].endswith((ON_TWIN, ON_BARE))]
    found = combine_verdicts(_verdicts(printed)) if printed else None
    expected = paper_verdict(
        found,
        twin,
        reading=MEANT in (finding["correction"] or ""),
        condition=found in STANDS and bool(finding["condition"]),
    )
    if finding["verdict"] != expected:
        yield f"its verdict is {finding['verdict']}, and {expected} follows from its evidence"
    words = required_words(expected)
    names = [
        {(row["check"].removesuffix(mark), row["sentence"]) for row in rows if row["check"].endswith(mark)}
        for mark in (ON_TWIN, ON_BARE)
    ]
    if any(found and found != {(row["check"], row["sentence"]) for row in printed} for found in names):
        yield "other checks ran on its twin, or without its condition, than on the statement"
    stated = finding["twin"] and (finding["twin"]["verdict"], finding["twin"]["required"])
    if stated != ((twin.name.lower(), words) if words else None):
        yield "what is said of its twin does not follow from its evidence"
    if finding["witness"] != next((row["witness"] for row in printed if row["witness"] is not None), None):
        yield "its witness is not that of its evidence"


def _row_faults(row: Mapping[str, Any]) -> Iterator[str]:
    verdict, witness = Verdict[row["verdict"]], row["witness"]
    if (verdict is Verdict.REFUTED) is not bool(witness):
        yield f"{row['check']}: {'a witness that refutes, and no refutation' if witness else 'refuted without a witness'}"
    if verdict is Verdict.PROVED and row["kind"] != "proof":
        yield f"{row['check']}: proved by a {row['kind']}, which proves nothing"
    if verdict is Verdict.SURVIVED and row["kind"] == "proof":
        yield f"{row['check']}: a proof proves, and does not survive"
    if row["error"] and (row["kind"] == "proof" or row["check"].startswith(_EXACT)):
        yield f"{row['check']}: an error probability of what is exact"
    if _stood(row) is (verdict is Verdict.UNDECIDED) and verdict is not Verdict.REFUTED:
        yield f"{row['check']}: its verdict does not follow from what it tried"
    yield from (f"{row['check']}: {fault}" for fault in step_faults(row["derivation"], verdict))


def _stood(row: Mapping[str, Any]) -> bool | None:
    """Whether all that was tried stood, or some of it did not; None if it does not say so, or says more."""
    measured = Measured.model_validate(row["measured"])
    tried = [m for m in (measured, *measured.parts) if (m.tried, m.steps) != (None, None)]
    for m in tried:
        if (m.tried if m.comparisons is None else m.comparisons - (m.unclear or 0)) == 0 or m.steps == 0:
            return False
    return True if tried and not (row["reason"] or measured.note) else None


def _said(rows: Sequence[Mapping[str, Any]], mark: str) -> Verdict:
    return combine_verdicts(_verdicts([row for row in rows if row["check"].endswith(mark)]))


def _verdicts(rows: Sequence[Mapping[str, Any]]) -> list[Verdict]:
    return [Verdict[row["verdict"]] for row in rows]
