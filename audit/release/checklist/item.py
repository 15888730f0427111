"""One item of the checklist: a question, how it is answered, and by what."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

State = Literal["met", "not met", "asked of the signer", "open"]
Said = Literal["yes", "no", "not applicable", "not known"]
SAID: tuple[Said, ...] = ("yes", "no", "not applicable", "not known")
STATES: tuple[State, ...] = ("not met", "open", "asked of the signer", "met")


@dataclass(frozen=True)
class SignerAnswer:
    """What a person said: a word that is signed for, never evidence."""

    answer: Said
    why: str

    def __str__(self) -> str:
        return f"{self.answer} - {self.why}"


@dataclass(frozen=True)
class Answer:
    """`evidence` points at what carries the answer: `certificate.json#3`, `release.json: guarantees[0]`."""

    state: State
    why: str
    evidence: tuple[str, ...] = ()
    signer: SignerAnswer | None = None
    applies: bool = True  # whether the release has what the question is about; met if it has not

    @property
    def against(self) -> str:
        """Why it is not met: what a check found or, where nothing can, what the signer says."""
        return self.why or (f"the signer says no: {self.signer.why}" if self.signer else "")

    @property
    def settled(self) -> bool:
        """Whether nothing is left to do: met by evidence, or answered by the signer."""
        said = None if self.state != "asked of the signer" or self.signer is None else self.signer.answer
        return self.state == "met" or said in ("yes", "not applicable")


@dataclass(frozen=True)
class Item:
    """`key` is stable and names the item in a file of answers; the question is put so that yes is good."""

    key: str
    topic: str
    question: str
    answer: Answer

    def to_dict(self) -> dict[str, Any]:
        """The item as plain data."""
        signer = self.answer.signer
        return {
            "key": self.key,
            "topic": self.topic,
            "question": self.question,
            "state": self.answer.state,
            "why": self.answer.why,
            "evidence": list(self.answer.evidence),
            "signer": None if signer is None else dict(vars(signer)),
        }


def met(why: str, *evidence: str) -> Answer:
    """A check looked, and found what the item asks for."""
    return Answer("met", why, tuple(dict.fromkeys(evidence)))


def not_applicable(why: str, *evidence: str) -> Answer:
    """A check looked, and the release has nothing that the item is about."""
    return Answer("met", why, evidence, applies=False)


def not_met(why: str, *evidence: str) -> Answer:
    """A check looked, and found that it is not so."""
    return Answer("not met", why, tuple(dict.fromkeys(evidence)))


def unsettled(why: str, *evidence: str) -> Answer:
    """The evidence that the check needs is missing, or decides nothing."""
    return Answer("open", why, tuple(dict.fromkeys(evidence)))


def asked(why: str, *evidence: str) -> Answer:
    """Nothing in the release can answer this: a person must."""
    return Answer("asked of the signer", why, tuple(dict.fromkeys(evidence)))
