"""What verdicts, exit codes and marks say on a page: one glyph, one tone, one sentence each."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..audit.record.known_checks import stated
from ..audit.record.reading.certificate_form import Measured
from ..audit.record.sentences import detail_of

_GLYPHS = {
    "proved": "tick",
    "survived": "ring",
    "undecided": "question",
    "refuted": "cross",
    "neutral": "dash",
}


class Word(NamedTuple):
    """`tone` names a colour of the style sheet and, unless `drawn` does, the drawing of the page."""

    text: str
    tone: str = "neutral"
    meaning: str = ""
    drawn: str | None = None

    @property
    def glyph(self) -> str:
        """The drawing of the page."""
        return self.drawn or _GLYPHS[self.tone]


VERDICTS: dict[str, Word] = {
    "PROVED": Word(
        "Proved",
        "proved",
        "Every claim that should hold was derived from checked steps and the lemmas cited, "
        "for all values it speaks about.",
    ),
    "SURVIVED": Word(
        "Survived",
        "survived",
        "No check refuted a claim that should hold. "
        "A survival reports how hard the checks tried, not that nothing is left to find.",
    ),
    "UNDECIDED": Word(
        "Undecided",
        "undecided",
        "Nothing was refuted, but at least one claim that should hold could not be settled.",
    ),
    "REFUTED": Word(
        "Refuted", "refuted", "At least one claim that should hold was refuted; the evidence shows where."
    ),
}
DOSSIER_VERDICTS: dict[str, Word] = {
    "proved": Word("Proved", "proved", "true as printed, under the assumptions printed"),
    "survived": Word("Survived", "survived", "true as far as the attacks on it went"),
    "proved-if": Word("Proved if", "proved", "true under a condition that the paper does not state"),
    "survived-if": Word(
        "Survived if", "survived", "survived under a condition that the paper does not state"
    ),
    "refuted": Word("Refuted", "refuted", "false as printed"),
    "misprint": Word("Misprint", "undecided", "the text is right, the printed formula is not", "pencil"),
    "definition": Word("Definition", "neutral", "asserts nothing"),
    "undecided": Word("Undecided", "undecided", "cannot be settled here"),
}
TRUTHS: dict[str, Word] = {
    "holds": Word("holds", "proved", "checked"),
    "fails": Word("fails", "refuted", "checked, and false"),
    "unknown": Word("unknown", "undecided", "could not be decided"),
    "cited": Word("cited", "neutral", "part of the trusted base"),
}
EXIT_CODES: dict[int, str] = {
    0: "every claim that should hold is proved or survived, and every control is refuted",
    1: "a claim is refuted, or a control is not",
    2: "bad usage or specification",
    3: "internal error",
    4: "nothing refuted, something undecided",
    5: "nothing to check",
}
DERIVATIONS: dict[str, Word] = {
    "derived": Word(
        "Derived",
        "proved",
        "The information is exact for all values of the parameters at which this is a law, from checked steps and the lemmas cited.",
    ),
    "enclosed": Word(
        "Enclosed",
        "survived",
        "No closed form is known; at the values below the information lies in intervals that were computed with rounding "
        "accounted for. What is known of all other values follows below.",
    ),
    "bounded": Word(
        "Bounded",
        "proved",
        "There is no Fisher information, for the reason below; an error bound that does not need it was derived.",
    ),
    "irregular": Word(
        "Irregular",
        "refuted",
        "There is no Fisher information and no Cramer-Rao bound, for the reason below.",
    ),
    "unknown": Word(
        "Unknown",
        "undecided",
        "Something remained undecided, for the reason below; nothing here counts as derived.",
    ),
    "nothing": Word(
        "Nothing to derive", "neutral", "The law has no parameter that information could be about."
    ),
}
PROBLEMS: dict[str, Word] = {
    "derived": Word("Derived", "proved", "The answer is exact, from checked steps and the lemmas cited."),
    "enclosed": Word(
        "Enclosed",
        "survived",
        "No closed form is known; two ends that are close together were proved, with rounding accounted for.",
    ),
    "bounded": Word(
        "Bounded",
        "survived",
        "A bound was proved and may be relied on; its distance from the exact value is below.",
    ),
    "infeasible": Word("Infeasible", "refuted", "No point satisfies all constraints: this was proved."),
    "unbounded": Word(
        "Unbounded", "refuted", "The objective has no bound on the feasible points: this was proved."
    ),
    "unattained": Word(
        "Not attained", "refuted", "There is a best bound, and no point reaches it: this was proved."
    ),
    "infinite": Word(
        "Infinite",
        "refuted",
        "The answers of neighbours may be arbitrarily far apart: no finite noise hides a record.",
    ),
    "unknown": Word(
        "Unknown",
        "undecided",
        "Something remained undecided, for the reason below; nothing here counts as derived.",
    ),
}
BOUND_NAMES = {
    "cramer-rao": "Cramer-Rao",
    "bhattacharyya": "Bhattacharyya",
    "chapman-robbins": "Chapman-Robbins",
    "barankin": "Barankin",
    "van-trees": "van Trees",
    "weiss-weinstein": "Weiss-Weinstein",
    "best": "The largest that applies",
}
KINDS = {"proof": "Proof", "computation": "Computation", "attack": "Attack"}


def verdict_word(verdict: str) -> Word:
    """The word for a certificate's verdict; an unknown one is shown as it stands."""
    return VERDICTS.get(verdict) or Word(verdict)


def dossier_word(verdict: str) -> Word:
    """The word for a dossier's verdict; a twin may carry a certificate's verdict."""
    return DOSSIER_VERDICTS.get(verdict.lower()) or VERDICTS.get(verdict.upper()) or Word(verdict)


def truth_word(truth: str) -> Word:
    """The word for the answer of a derivation step."""
    return TRUTHS.get(truth) or Word(truth)


def derivation_word(outcome: str) -> Word:
    """The headline of a derivation."""
    return DERIVATIONS.get(outcome) or Word(outcome)


def problem_word(outcome: str) -> Word:
    """The headline of a derivation of a program, a functional or a query."""
    return PROBLEMS.get(outcome) or Word(outcome)


def overall(certificate: dict[str, Any]) -> Word:
    """The headline: the verdict, unless a control that stands or an empty list takes its weight away."""
    word = verdict_word(certificate["verdict"])
    if certificate["exit_code"] == 5 or not certificate["findings"]:
        return Word("Nothing checked", "neutral", "The certificate holds no claim that should hold.")
    if certificate["exit_code"] == 1 and certificate["verdict"] != "REFUTED":
        return Word(
            f"{word.text}, but a control was not refuted",
            "refuted",
            "A control, a claim that is false on purpose, was not refuted: these checks have too little power, or the control "
            "is true, so the passes below carry no weight.",
        )
    refuted = [f for f in certificate["findings"] if f["verdict"] == "REFUTED" and not f["as_expected"]]
    chances = [e["error"] for f in refuted for e in f["evidence"] if e["verdict"] == "REFUTED"]
    if chances and min(chances) > 0:
        alpha = certificate["settings"]["alpha"]
        return word._replace(
            meaning=f"{word.meaning} In such an audit a true claim would be refuted with probability at most {alpha:g}."
        )
    return word


def outcome(finding: dict[str, Any]) -> str:
    """What was expected and what came, in a few words."""
    if finding["claim"]["expect"] == "falls":
        return "control: " + (
            "refuted as expected" if finding["as_expected"] else "not refuted, no power shown"
        )
    return "as expected" if finding["as_expected"] else "not as expected"


_APART = "a tested event tells the two inputs apart better than the claim allows"
# What a check finds if it refutes; the others say what the claim says.
_FINDS = {
    **dict.fromkeys(("likelihood ratio", "sequential likelihood ratio", "bit patterns"), _APART),
    "rare events of the law": "an event of the declared law breaks the claim",
    "timing": "the time of a call tells the two inputs apart better than the claim allows",
    "repeated calls": "calls repeat each other more than the claim allows",
    **dict.fromkeys(
        ("information", "information along a path"), "the code lets more information through than is claimed"
    ),
}
_SIGNS = {"REFUTED": "refuted: {}", "SURVIVED": "no sign that {}", "UNDECIDED": "undecided whether {}"}


def settled(evidence: dict[str, Any], finding: dict[str, Any]) -> str:
    """The sentence that evidence is about, as its verdict has it."""
    verdict, found = evidence["verdict"], _FINDS.get(evidence["check"])
    if found and verdict in _SIGNS:
        return _SIGNS[verdict].format(found)
    measured = Measured.model_validate(evidence["measured"])
    said = stated(evidence["check"], finding["claim"]["sentence"], measured)
    return {"REFUTED": "refuted: ", "UNDECIDED": "undecided: "}.get(verdict, "") + said


def detail(evidence: dict[str, Any]) -> str:
    """What evidence found, in a sentence."""
    return detail_of(evidence["check"], evidence["reason"], Measured.model_validate(evidence["measured"]))


def twin_word(flipped: bool) -> Word:
    """Whether a twin came out as expected."""
    return Word("flipped, as expected", "proved", "") if flipped else Word("did not flip", "refuted", "")
