"""What one check found, and how verdicts combine."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, Literal

from .plain import plain
from .reading.certificate_form import HALF, ClaimKey, Interval, Line, Measured, Real, Resolution, Series
from .sentences import detail_of
from .shown_text import one_line

__all__ = ["HALF", "ClaimKey", "Interval", "Line", "Measured", "Real", "Resolution", "Series"]

Kind = Literal["proof", "computation", "attack"]
Sentence = Literal["law", "fit", "code", "bytes"]

SENTENCES: dict[Sentence, str] = {
    "law": "the law has the property",
    "fit": "the code follows the law",
    "code": "the code has the property, over the reals",
    "bytes": "the bytes written have the property",
}


class Verdict(IntEnum):
    """REFUTED, UNDECIDED, SURVIVED or PROVED: worst first, so that `min` is the verdict of a collection.

    SURVIVED is the absence of a refutation, no proof. Only a claim about a law can be PROVED.

    >>> min(npf.Verdict.PROVED, npf.Verdict.SURVIVED)
    Verdict.SURVIVED
    """

    REFUTED = 0
    UNDECIDED = 1
    SURVIVED = 2
    PROVED = 3

    def __repr__(self) -> str:
        return f"Verdict.{self.name}"

    def __str__(self) -> str:
        return self.name

    def __format__(self, spec: str) -> str:
        return format(self.name, spec)


SCALED_NOISE, SCALED_FAMILY, STRICTER_CLAIM = (
    "the noise scaled by 1/c",
    "the scale of the family divided by c",
    "the claim made c times stricter",
)


@dataclass(frozen=True)
class Evidence:
    """The result of one check on one claim.

    `kind` is "proof", "computation" or "attack"; `error` bounds the probability that a true claim was REFUTED (0 for exact checks).
    `measured` are the numbers from which `detail` is made; `reason` says what a proof found, or why nothing is settled, and
    is shown, never read.  `witness` is plain data from which a refutation can be evaluated again (see `audit.replay`).
    `bounds` are rows of numbers: at each delta the epsilon claimed, certified and attainable (see `audit.bounds_table`).
    `claim` is stamped when the finding is made.

    >>> law = npf.Claim(npf.PureDP(1.0), about="law")
    >>> evidence = npf.examine(npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0), law).findings[0].evidence[0]
    >>> evidence.check, evidence.kind, evidence.verdict, evidence.error
    ('derivation', 'proof', Verdict.PROVED, 0.0)
    """

    check: str
    kind: Kind
    sentence: Sentence
    verdict: Verdict
    statement: str
    reason: str = ""
    error: float = 0.0
    witness: dict[str, Any] | None = None
    resolution: Resolution | None = None
    derivation: tuple[dict[str, Any], ...] = ()
    series: tuple[Series, ...] = ()
    bounds: tuple[dict[str, Real], ...] = ()
    claim: ClaimKey | None = None
    measured: Measured = Measured()  # noqa: RUF009 - frozen

    @property
    def detail(self) -> str:
        """What was found, in a sentence that is made here and stored nowhere."""
        return detail_of(self.check, self.reason, self.measured)

    def __repr__(self) -> str:
        so = ", not so" if self.verdict is Verdict.REFUTED else ""
        return one_line(f"<Evidence {self.check}: {self.verdict}{so}: {self.statement}>")

    def record(self) -> dict[str, Any]:
        """The evidence as plain data, without the words that are made from it; of a claim that is not stamped nothing is written."""
        data: dict[str, Any] = plain(
            {**vars(self), "measured": self.measured.model_dump(exclude_defaults=True)}
        )
        del data["statement"]
        if data["resolution"]:
            absent = [name for name in ("limit", "samples", "in_clear") if data["resolution"][name] is None]
            data["resolution"] = {k: v for k, v in data["resolution"].items() if k not in absent}
        if self.claim is None:
            del data["claim"]
        return data


def combine(evidence: Iterable[Evidence]) -> Verdict:
    """The verdict of several pieces of evidence on ONE sentence: a refutation wins, then the strongest support."""
    return combine_verdicts([e.verdict for e in evidence])


def combine_verdicts(verdicts: Collection[Verdict]) -> Verdict:
    """The same of the verdicts alone. A proof beside a refutation settles nothing: one is wrong, and nobody knows which."""
    if Verdict.REFUTED in verdicts and Verdict.PROVED in verdicts:
        return Verdict.UNDECIDED
    if Verdict.REFUTED in verdicts:
        return Verdict.REFUTED
    return max(verdicts, default=Verdict.UNDECIDED)


def disagreements(evidence: Iterable[Evidence]) -> tuple[str, ...]:
    """One sentence for each of the four on which a proof stands beside a refutation."""
    found = list(evidence)
    said = []
    for sentence, words in SENTENCES.items():
        about = [e for e in found if e.sentence == sentence]
        sides = [
            ", ".join(dict.fromkeys(e.check for e in about if e.verdict is verdict))
            for verdict in (Verdict.PROVED, Verdict.REFUTED)
        ]
        if all(sides):
            said.append(
                f"evidence disagrees, please report: that {words} is proved by {sides[0]} and refuted by {sides[1]}; "
                "one of them is wrong, so that nothing is settled"
            )
    return tuple(said)
