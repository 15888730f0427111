"""What a gate says when a claim does not pass: the witness in words, the seed, and one line that repeats it."""

from __future__ import annotations

from ...record.certificate import Certificate, Finding
from ...record.evidence import Verdict, disagreements
from ...record.shown_text import one_line
from ...record.terms import Terms
from ..replay import reevaluate
from .fingerprints import certified_epsilon

_LONGEST = 160


def failure_message(certificate: Certificate, failed: list[Finding], repeat: str) -> str:
    """The message for the findings that did not pass; `repeat` is the line that runs them again."""
    settings = certificate.settings
    return "\n".join(
        [one_line(line) for finding in failed for line in _finding(finding, certificate)]
        + [
            f"  alpha:   {settings['alpha']:.4g}, the bound on the probability that this audit refutes a true claim",
            f"  seed:    {settings['seed']} ({settings['samples']:,} samples per input)",
            f"  repeat:  {repeat}",
        ]
    )


def _finding(finding: Finding, certificate: Certificate) -> list[str]:
    said = f"{finding.subject} is {finding.claim['sentence']}"
    titled = "" if finding.title == finding.claim["sentence"] else f"{finding.title}: "
    if finding.is_control:
        bound = certified_epsilon(finding.record())
        found = f": certified epsilon is {bound[2]:.3g}, claimed {bound[1]:.3g}" if bound else ""
        return [
            f"CONTROL STANDS: {titled}{said}: no attack refuted this control",
            f"  meaning: either the audit has too little power (give more samples), or the control is true{found}; "
            "choose a control that is known to be false",
            *_why(finding),
        ]
    if finding.verdict is Verdict.REFUTED:
        lines = [f"REFUTED: {titled}{said}"]
        for terms in (terms for found, terms in Terms.all_of(certificate) if found.id == finding.id):
            lines += [f"  witness: {_words(terms)}", f"  {terms.evidence.check}: {terms.evidence.detail}"]
        return lines
    return [
        f"UNDECIDED: {titled}{said}: this is NOT a violation, the audit could not settle the claim",
        *_why(finding),
    ]


def _why(finding: Finding) -> list[str]:
    open_ones = [e for e in finding.evidence if e.verdict is Verdict.UNDECIDED]
    said = [f"  why:     {words}" for words in disagreements(finding.evidence)]
    return said + [f"  why:     {e.check}: {e.detail}" for e in open_ones]


def _words(terms: Terms) -> str:
    """The witness evaluated again in its terms, and the inputs that it is about."""
    witness = terms.witness
    stands, words = reevaluate(witness, terms)
    doubt = "" if stands else " (it does NOT stand when evaluated again: please report this)"
    if "inputs" not in witness:
        return words + doubt
    inputs = [repr(x) if len(repr(x)) <= _LONGEST else f"{repr(x)[:_LONGEST]}..." for x in witness["inputs"]]
    return f"{words}{doubt}; " + ", ".join(f"input {i} is {x}" for i, x in enumerate(inputs))
