"""Random instances of true steps: what the kernel lets follow is true at points, and most honest instances are accepted."""

from __future__ import annotations

from random import Random
from typing import Any

from kernel_trials.families import FAMILIES
from kernel_trials.terms import constant, positive, smooth
from kernel_trials.truth import refuted
from kernel_trials.values import UndefinedError, UnknownError

from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, check

LEMMAS, MANY = ("identity", "squares", "bounded", "root", "size", "climbed", "cases"), 260
SIGNS = {"a": ["positive"], "b": ["real"], "m": ["positive", "integer"]}


def put(term: Any, terms: dict[str, Any]) -> Any:
    """Terms for names, by the words alone."""
    if isinstance(term, str):
        return terms.get(term, term)
    if not isinstance(term, list):
        return term
    return [term[0], *(put(t, terms) for t in term[1:])]


def proof_of(rng: Random) -> tuple[dict[str, Any], bool]:
    """A lemma, and a step that says it of random terms; changed in one of two."""
    lemma = FAMILIES[rng.choice(LEMMAS)](rng)
    kept = rng.random() < 0.5
    signs = lemma.get("for", {})
    terms = {name: _term(rng, words if kept or rng.random() < 0.5 else []) for name, words in signs.items()}
    said = {key: put(lemma[key], terms) for key in ("left", "right")}
    if not kept and rng.random() < 0.6:
        said["right"] = ["+", said["right"], constant(rng)]
    used = {"of": 1, "put": terms, "given": [{"by": "sign"}] * len(lemma.get("given", []))}
    row = {"for": SIGNS, "relation": lemma["relation"], "by": "sign", "with": {"instances": [used]}, **said}
    return {"schema": "noiseproof-proof-1", "claim": "random", "steps": [lemma, row]}, kept


def _term(rng: Random, words: list[str]) -> Any:
    if "integer" in words:
        return ["+", "m", rng.choice([1, 2, 5])]
    if "positive" in words or "nonnegative" in words:
        return positive(rng, ["a"], 1, {"a": ["positive"]})
    if "negative" in words or "nonpositive" in words:
        return ["-", positive(rng, ["a"], 1, {"a": ["positive"]})]
    if "nonzero" in words:
        return rng.choice(["a", ["-", "a"], ["exp", "b"]])
    return smooth(rng, ["a", "b"], 1)


def test_what_follows_from_a_lemma_is_true_and_honest_instances_are_accepted() -> None:
    honest = accepted = false = 0
    for number in range(MANY):
        rng = Random(f"instances {number}")
        try:
            proof, kept = proof_of(rng)
        except (UndefinedError, UnknownError):
            continue
        lemma, last = check(proof).answers
        if lemma.word != ACCEPTED:
            continue
        wrong = refuted(proof["steps"][1], rng, 4 if last.word == ACCEPTED else 1)
        assert not (last.word == ACCEPTED and wrong), (proof, wrong)
        false += wrong is not None
        honest += kept
        accepted += kept and last.word == ACCEPTED
    assert false >= 20
    assert accepted >= 0.8 * honest > 40, (accepted, honest)
