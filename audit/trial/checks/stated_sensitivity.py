"""The proof of a claimed sensitivity: its enclosure from both sides, with the pair of neighbours that breaks a claim."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import Any, ClassVar, Self

import sympy as sp
from flint import arb

from ....mechanisms.stated import QuerySubject
from ....symbolic.claim import Claim
from ....symbolic.proof.derivation import Derivation, Step
from ....symbolic.proof.enclosure import compare, enclose
from ....symbolic.proof.proofs.recorded import recorded
from ....symbolic.proof.truth import Truth
from ....symbolic.sensitivity.answer import Dataset, Sensitivity
from ....symbolic.sensitivity.farthest import norm_of
from ....symbolic.sensitivity.query_over import DatasetQuery
from ....symbolic.stated_optima import SensitivityBound
from ...record.evidence import Evidence, Kind, Sentence, Verdict
from ..check import Counted, Counts

_GROWTH = (10, 10**3, 10**6, 10**12, 10**24)


class SensitivityProof(Counted):
    """Proved where the upper end is at most what is claimed, refuted by a pair that is further apart."""

    name: ClassVar[str] = "sensitivity"
    kind: ClassVar[Kind] = "proof"
    sentence: ClassVar[Sentence] = "law"

    @classmethod
    def bind(cls, claim: Claim) -> Self | None:
        known = isinstance(claim.subject, QuerySubject) and isinstance(claim.predicate, SensitivityBound)
        return cls(claim) if known else None

    def judge(self, plan: Any, counts: Counts | None, alpha: float) -> Evidence:
        predicate, query = self.claim.predicate, self.claim.subject.asked
        assert isinstance(predicate, SensitivityBound)
        found = query.sensitivity(predicate.norm, predicate.relation)
        if found.infinite:
            pair = self._on_ray(found)
            if pair is None:
                return self.evidence(
                    Verdict.UNDECIDED, f"{found.sentence()}; no pair on its ray was measured"
                )
            return self._refuted(found, pair)
        upper = _upper(found)
        if upper is not None and compare(upper, "<=", predicate.number) is Truth.HOLDS:
            written = sp.sstr(predicate.number) == predicate.value
            last = Step(
                upper,
                "<=",
                predicate.number,
                "the largest distance of neighbours' answers is at most the left side",
                shown=None if written else (sp.sstr(upper), predicate.value),
            )
            proof = Derivation(
                found.derivation.conclusion, (*found.derivation.steps, last), found.derivation.lemmas
            )
            if proof.check() is Truth.HOLDS:
                return self.evidence(Verdict.PROVED, found.sentence(), derivation=tuple(recorded(proof)))
        if found.attained_at is not None and self.further(found.attained_at):
            return self._refuted(found, found.attained_at)
        return self.evidence(Verdict.UNDECIDED, found.sentence())

    def further(self, pair: tuple[Dataset, Dataset]) -> bool:
        """Whether the answers to the pair are certainly further apart than is claimed."""
        return further_apart(self.claim, pair)

    def _on_ray(self, found: Sensitivity) -> tuple[Dataset, Dataset] | None:
        """A pair far enough out on the ray of an infinite sensitivity, in numbers."""
        if found.ray is None:
            return None
        for size in _GROWTH:
            for number in (sp.Integer(size), sp.Rational(1, size)):
                pair = tuple(_at(side, number) for side in found.ray)
                if self.further((pair[0], pair[1])):
                    return pair[0], pair[1]
        return None

    def _refuted(self, found: Sensitivity, pair: tuple[Dataset, Dataset]) -> Evidence:
        return self.evidence(Verdict.REFUTED, found.sentence(), witness=pair_witness(self.claim, pair))


def _upper(found: Sensitivity) -> sp.Expr | None:
    if found.exact is not None:
        return found.exact
    if found.upper is None:
        return None
    top = found.at_most()
    return sp.Rational(top.numerator, top.denominator)


def _at(side: Any, number: sp.Expr) -> Any:
    """A data set of a ray with its one symbol replaced by a number."""
    if isinstance(side, sp.Basic):
        return side.subs(dict.fromkeys(side.free_symbols, number))
    if isinstance(side, tuple | list):
        return tuple(_at(part, number) for part in side)
    return {k: _at(v, number) for k, v in side.items()} if isinstance(side, dict) else side


def further_apart(claim: Claim, pair: tuple[Dataset, Dataset]) -> bool:
    """Whether the answers to two data sets are certainly further apart than a claim says."""
    predicate, query = claim.predicate, claim.subject.asked
    assert isinstance(predicate, SensitivityBound)
    one, two = (query(side) for side in pair)
    if len(one) != len(two):
        return False
    return bool(apart(one, two, predicate.norm, shape_of(query, len(one))) > enclose(predicate.number))


def shape_of(query: DatasetQuery, entries: int) -> tuple[int, int] | None:
    """Rows and columns of an answer that is a matrix: of a query by name it is square."""
    if query.stated is not None:
        return query.stated.vector.shape
    side = isqrt(entries)
    return (side, side) if side * side == entries and "spectral" in query.query.norms else None


def apart(one: Sequence[sp.Expr], two: Sequence[sp.Expr], norm: str, shape: tuple[int, int] | None) -> arb:
    """The distance of two answers in a ball; of larger matrices in the spectral norm a number that is no more."""
    return norm_of([enclose(a - b) for a, b in zip(one, two, strict=True)], norm, shape)


def pair_witness(claim: Claim, pair: tuple[Dataset, Dataset]) -> dict[str, Any]:
    """Two neighbouring data sets, the formulas of the query where it has some, and the answers."""
    query = claim.subject.asked
    stated, (one, two) = query.stated, ([_plain(record) for record in side] for side in pair)
    found = answers_witness(claim, one, two, [[sp.sstr(entry) for entry in query(side)] for side in pair])
    return found | {
        "query": [] if stated is None else [sp.sstr(e) for e in stated.vector.entries],
        "records": [] if stated is None else [[s.name for s in group] for group in stated.records],
        "each": query.each or "",
        "shape": shape_of(query, len(query(pair[0]))),
    }


def answers_witness(claim: Claim, one: Any, two: Any, answers: list[list[str]]) -> dict[str, Any]:
    """Two neighbouring data sets and the answers to them, of a query without formulas."""
    predicate = claim.predicate
    assert isinstance(predicate, SensitivityBound)
    return {
        "kind": "worse pair",
        "one": one,
        "two": two,
        "answers": answers,
        "query": [],
        "records": [],
        "each": "",
        "shape": None,
        "norm": predicate.norm,
        "claimed": predicate.value,
        "predicate": type(predicate).__name__,
        "parameters": predicate.parameters(),
    }


def _plain(record: Any) -> Any:
    if isinstance(record, dict):
        return [_plain(v) for v in record.values()]
    if isinstance(record, tuple | list):
        return [_plain(v) for v in record]
    return sp.sstr(record) if isinstance(record, sp.Basic) else str(record)
