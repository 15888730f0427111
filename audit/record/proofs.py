"""Proofs as data for everybody: the one of a finding or of a derivation, and what the kernel says of those in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...symbolic.errors import SpecError, came, counted
from ...symbolic.proof.derivation import Derivation
from ...symbolic.proof.kernel.__main__ import read
from ...symbolic.proof.kernel.documents import concluding, document, documents, untied, written
from ...symbolic.proof.kernel.language import Rejected
from ...symbolic.proof.kernel.proof import ACCEPTED, CITED, REJECTED, SCHEMA, TRUSTED, check
from ...symbolic.proof.proofs.recorded import recorded
from .certificate import Certificate
from .finding import Finding
from .plain import plain

_WORDS = (ACCEPTED, CITED, TRUSTED, REJECTED)


@dataclass(frozen=True)
class ProofResult:
    """What the proof checker says of one proof: how many steps are accepted, cited, trusted and rejected, and whether the conclusion is.

    `where` names the finding and the check in a certificate or dossier; `reasons` are why steps are rejected, by their
    numbers (0 is the proof as a whole: one of another claim, or none).

    >>> x = sp.Symbol("x")
    >>> result = npf.check_proof(npf.sensitivity(x, npf.Box(0, 1), records=[x], norm="l1", each="sum", n=9)).proofs[0]
    >>> result.accepted, result.conclusion, result.reasons
    (True, 'accepted', ())
    """

    where: str
    counts: dict[str, int]
    conclusion: str
    reasons: tuple[tuple[int, str], ...] = ()

    @property
    def accepted(self) -> bool:
        """Every step is accepted, or a cited lemma, and one is accepted at least: nothing is rejected, nothing rests on sympy."""
        return self.counts[ACCEPTED] > 0 and not self.counts[TRUSTED] and not self.reasons

    @property
    def complete(self) -> bool:
        """Every step is accepted, and the conclusion with them: nothing rests on anything outside of the kernel."""
        accepted = self.counts[ACCEPTED]
        return 0 < accepted == sum(self.counts.values()) and self.conclusion == ACCEPTED and not self.reasons

    def __str__(self) -> str:
        said = ", ".join(f"{n} {w}" for w, n in self.counts.items() if n) or "rejected"
        head = f"{self.where}: " if self.where else ""
        why = "".join(f"\n  {f'step {k}' if k else 'the proof'}: {why}" for k, why in self.reasons)
        return f"{head}{said}; conclusion {self.conclusion}{why}"


@dataclass(frozen=True)
class ProofReport:
    """What the proof checker says of all proofs that were given: a ProofResult each, and their counts together.

    >>> x = sp.Symbol("x")
    >>> report = npf.check_proof(npf.sensitivity(x, npf.Box(0, 1), records=[x], norm="l1", each="sum", n=9))
    >>> report.accepted, report.counts["rejected"]
    (True, 0)
    """

    proofs: tuple[ProofResult, ...]

    @property
    def counts(self) -> dict[str, int]:
        """How many steps are accepted, cited, trusted and rejected."""
        return {word: sum(p.counts[word] for p in self.proofs) for word in _WORDS}

    @property
    def accepted(self) -> bool:
        """Every proof is accepted: nothing is rejected and nothing rests on sympy; lemmas that are cited are counted beside it."""
        return all(p.accepted for p in self.proofs)

    @property
    def complete(self) -> bool:
        """Every proof is complete."""
        return all(p.complete for p in self.proofs)

    def __repr__(self) -> str:
        return "\n".join(map(str, self.proofs))


def check_proof(given: Any, effort: float = 1.0) -> ProofReport:
    """Checks proofs step by step: `given` is a Certificate, a Finding, data of JSON, or the path of a file with one of these.

    The data may be a proof of the schema noiseproof-proof-1, a single step of one, a list of proofs, a certificate, a
    dossier, or a derivation of `noiseproof derive`. What has a `derivation` (a Sensitivity, a FisherInformationMatrix, the
    conditions of a Program) is written as a proof first. `effort` is the work for each proof, 2 for twice the usual. The same is printed
    by ``python -m noiseproof.symbolic.proof.kernel FILE``, which needs no sympy. SpecError where there is no proof.

    >>> y, s = sp.Symbol("y"), sp.Symbol("s", positive=True)
    >>> npf.check_proof(npf.fisher_information(npf.Law.from_density(sp.exp(-y / s) / s, y, (0, "oo")), s))
    4 accepted, 1 cited; conclusion accepted
    """
    data = _data(given)
    if isinstance(data, Mapping) and "by" in data:
        data = {"schema": SCHEMA, "steps": [data]}
    found = tuple(_checked(where, proof, effort) for where, proof in documents(data))
    if not found:
        raise SpecError(
            "expected proofs, and there is none: a certificate or a dossier has some where a finding is proved by steps"
        )
    return ProofReport(found)


def extract_proof(found: Any, claim: str = "", check: str = "") -> dict[str, Any]:
    """The proof in `found`, a finding or a derivation, as data that `json` writes and `check_proof` reads.

    Of a Finding, or the data of one, it is that of its evidence by derivation (of the one named `check`, if there are
    several), and it is tied to the finding's claim by a digest. Of a Derivation, or of what has one, `claim` says in
    words of your own what it is to prove; without, the words of the derivation.
    SpecError where nothing is proved by steps, or a step does not hold, or where it is open which proof is meant.

    >>> x = sp.Symbol("x")
    >>> found = npf.sensitivity(x, npf.Box(0, 1), records=[x], norm="l1", each="sum", n=9)
    >>> proof = npf.extract_proof(found, claim="the sum of nine shares moves by 1")
    >>> proof["claim"], npf.check_proof(proof).accepted
    ('the sum of nine shares moves by 1', True)
    """
    record = found.record() if isinstance(found, Finding) else found
    if isinstance(record, Mapping) and isinstance(record.get("evidence"), list):
        if claim:
            raise SpecError("a finding has its own claim: leave out claim=")
        return _of_finding(record, check)
    derivation = found if isinstance(found, Derivation) else getattr(found, "derivation", None)
    if not isinstance(derivation, Derivation):
        raise SpecError(
            f"expected a finding, a derivation, or an answer that has one, got {came(found)}"
            + ("; take one of its findings" if isinstance(found, Certificate) else "")
        )
    if not derivation.steps:
        raise SpecError(f"nothing was derived by steps: {derivation.conclusion}")
    rows = recorded(derivation)
    open_ = [row for row in rows if row["truth"] not in ("holds", "cited")]
    if open_:
        said = "fails" if open_[0]["truth"] == "fails" else "is not known to hold"
        raise SpecError(f"nothing is proved: a step {said}: {open_[0]['reason']}")
    words = claim or derivation.conclusion
    return written(rows, words, concluding(rows, derivation.conclusion))


def _of_finding(finding: Mapping[str, Any], check: str) -> dict[str, Any]:
    tied = [e for e in finding["evidence"] if "proof" in e and check in ("", e["check"])]
    names = [e["check"] for e in tied]
    if len(tied) != 1:
        named = f" by {check!r}" if check else ""
        raise SpecError(
            f"expected a finding with one proof by steps{named}, and it has {counted(len(tied), 'proof')}"
            + (f": give check=, one of {', '.join(map(repr, names))}" if len(tied) > 1 else "")
        )
    if wrong := untied(finding, tied[0]):
        raise SpecError(f"the finding is not as it was written: {wrong}")
    return document(finding, tied[0])


def _data(given: Any) -> Any:
    if isinstance(given, Certificate):
        return given.to_dict()
    if isinstance(given, Finding):
        return plain(given.record())
    if isinstance(given, str | Path):
        try:
            return read(Path(given).read_text(encoding="utf-8"))
        except (OSError, ValueError, RecursionError) as error:
            said = getattr(error, "strerror", None) or str(error)
            raise SpecError(f"not readable as JSON: {said}; expected proofs", file=str(given)) from None
    if isinstance(given, Mapping | list):
        return given
    return extract_proof(given)


def _checked(where: str, proof: Any, effort: float) -> ProofResult:
    try:
        if isinstance(proof, Rejected):
            raise proof
        done = check(proof, effort=effort)
    except Rejected as error:
        return ProofResult(where, dict.fromkeys(_WORDS, 0), REJECTED, ((0, str(error)),))
    said = done.counts()
    reasons = tuple((k, a.why) for k, a in enumerate(done.answers, 1) if a.word == REJECTED)
    return ProofResult(where, {w: said[w] for w in _WORDS}, done.concluded.word, reasons)
