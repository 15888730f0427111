"""A finding: one claim, the evidence about it, and the verdict that follows; from a claim, and to and from plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast

from pydantic import TypeAdapter

from ...symbolic.claim import Claim
from ...symbolic.proof.kernel.documents import tied
from .caveats import caveats
from .evidence import SENTENCES, ClaimKey, Evidence, Measured, Sentence, Verdict, combine, disagreements
from .known_checks import stated
from .plain import plain
from .shown_text import one_line


@dataclass(frozen=True)
class Finding:
    """One claim, the Evidence about it, and the verdict that follows.

    `asked` are those of the sentences "law", "fit", "code" and "bytes" that the claim is about; `caveats` limit what the verdict means.
    `as_expected` says whether a claim held, or a control was refuted.

    >>> control = npf.Claim(npf.PureDP(0.5), about="law", expect="falls")
    >>> finding = npf.examine(npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0), control).findings[0]
    >>> finding.verdict, finding.is_control, finding.as_expected
    (Verdict.REFUTED, True, True)
    """

    id: int
    subject: str
    title: str
    claim: dict[str, Any]
    asked: tuple[Sentence, ...]
    evidence: tuple[Evidence, ...]
    caveats: tuple[str, ...] = ()

    @property
    def sentences(self) -> dict[Sentence, Verdict | None]:
        """The verdict on each of the four sentences; None where the claim is not about it."""
        return {
            s: combine(e for e in self.evidence if e.sentence == s) if s in self.asked else None
            for s in SENTENCES
        }

    @property
    def verdict(self) -> Verdict:
        """The weakest over the sentences that the claim is about; a claim about code is never better than SURVIVED."""
        verdicts = [v for v in self.sentences.values() if v is not None]
        worst = min(verdicts, default=Verdict.UNDECIDED)
        return min(worst, Verdict.SURVIVED) if self.claim["about"] == "code" else worst

    @property
    def is_control(self) -> bool:
        """Whether the claim is false on purpose."""
        return bool(self.claim["expect"] == "falls")

    @property
    def as_expected(self) -> bool:
        """A control is expected to be refuted, any other claim to be proved or to survive.

        An attack must refute a control about code: that its law is refuted on paper shows no power of the attack.
        """
        if not self.is_control:
            return self.verdict >= Verdict.SURVIVED
        attacked = any(e.kind == "attack" and e.verdict is Verdict.REFUTED for e in self.evidence)
        return self.verdict is Verdict.REFUTED and (attacked or self.asked == ("law",))

    @property
    def remark(self) -> str:
        """How a control came out; empty for any other claim."""
        if not self.is_control:
            return ""
        return "control, refuted as expected" if self.as_expected else "control, NOT REFUTED: no power shown"

    def line(self) -> str:
        """Number, verdict and title on one line, the verdict from column 5 on in nine columns."""
        remark = f"  [{self.remark}]" if self.remark else ""
        return one_line(f"{self.id:>3}  {self.verdict:<9}  {self.title}{remark}")

    def __repr__(self) -> str:
        return f"<Finding {self.line().strip()}>"

    def record(self) -> dict[str, Any]:
        """The finding as plain data; each derivation that proves says of which claim it is, and which of its steps conclude."""
        data = {
            "id": self.id,
            "subject": self.subject,
            "title": self.title,
            "verdict": self.verdict.name,
            "as_expected": self.as_expected,
            "claim": self.claim,
            "sentences": {s: None if v is None else v.name for s, v in self.sentences.items()},
            "evidence": [e.record() for e in self.evidence],
            "caveats": list(self.caveats),
        }
        return tied(data)


def is_of(control: str, subjects: Iterable[str]) -> bool:
    """Whether the subject of a control is one of these, or one of them with a fault that is said after a comma."""
    return any(control == name or control.startswith(f"{name}, ") for name in subjects)


def claim_record(claim: Claim) -> dict[str, Any]:
    """A claim as plain data."""
    return {
        "predicate": type(claim.predicate).__name__,
        "parameters": plain(claim.predicate.parameters()),
        "sentence": claim.predicate.sentence(),
        "about": claim.about,
        "scope": {"adjacency": claim.scope.adjacency, "domain": claim.scope.domain, "unit": claim.scope.unit},
        "assumptions": list(claim.assumptions),
        "source": claim.source,
        "expect": claim.expect,
    }


def finding_of(
    number: int, claim: Claim, asked: tuple[Sentence, ...], evidence: tuple[Evidence, ...]
) -> Finding:
    """The finding about a claim; evidence, and every witness in it, gets the key of the claim."""
    record, sentence = claim_record(claim), claim.predicate.sentence()
    key = ClaimKey(record["predicate"], record["parameters"])
    evidence = tuple(
        replace(e, claim=key, witness={**e.witness, **vars(key)} if e.witness else e.witness)
        for e in evidence
    )
    subject = "the release" if claim.subject is None else str(claim.subject.name)
    return Finding(
        number, subject, claim.title or sentence, record, asked, evidence, caveats(claim, evidence)
    )


def finding_from_record(data: dict[str, Any]) -> Finding:
    """The finding that `record` gave; ValueError if its verdicts do not follow from its evidence."""
    asked = tuple(cast(Sentence, s) for s, v in data["sentences"].items() if v is not None)
    evidence = tuple(evidence_from_record(e, data["claim"]["sentence"]) for e in data["evidence"])
    finding = Finding(
        data["id"], data["subject"], data["title"], data["claim"], asked, evidence, tuple(data["caveats"])
    )
    again = finding.record()
    if any(again[key] != data[key] for key in ("verdict", "as_expected", "sentences")):
        why = disagreements(e for e in evidence if e.sentence in asked)
        raise ValueError(
            f"the verdict of finding {finding.id} does not follow from its evidence"
            + "".join(f": {words}" for words in why)
            + (" (audit again)" if why else "")
        )
    return finding


@cache
def _reader() -> TypeAdapter[Evidence]:
    return TypeAdapter(Evidence)


def evidence_from_record(data: Mapping[str, Any], sentence: str) -> Evidence:
    """The evidence that `record` gave, on a claim that is said in this sentence."""
    said = stated(data["check"], sentence, Measured.model_validate(data["measured"]))
    fields = {key: value for key, value in data.items() if key != "proof"}
    return _reader().validate_python({**fields, "verdict": Verdict[data["verdict"]], "statement": said})
