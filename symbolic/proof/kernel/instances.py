"""An instance of an earlier step: terms for its variables, whose signs are checked, and its hypotheses shown one by one."""

from __future__ import annotations

from typing import Any

from .atoms import Sign, agrees
from .context import Context
from .defined import defined
from .hypotheses import sign_said
from .induction import Inner
from .language import Reader, Rejected, listed, mapping
from .normal_form import form
from .quotients import Quotient
from .signs_of_terms import sign_of


def instance(data: Any, context: Context, reader: Reader, inner: Inner) -> tuple[Quotient, Sign]:
    """The fact that step number `of` says of these terms; `given` has a rule for each of its hypotheses, in their order."""
    row = mapping(data, "an instance", {"of", "put", "given"})
    number = row.get("of")
    lemma = context.earlier.get(number) if type(number) is int else None
    if lemma is None:
        raise Rejected(
            "no step before, accepted or cited with what it says and without matrices, has that number"
        )
    terms = {name: reader.term(term) for name, term in mapping(row.get("put", {}), "put").items()}
    if set(terms) != set(lemma.variables):
        raise Rejected(f"a term is put for each variable of the step: {sorted(lemma.variables)}")
    for name, declared in lemma.variables.items():
        defined(terms[name], context)
        if declared.sign is not None and not agrees(sign_of(terms[name], context), declared.sign):
            raise Rejected(f"what is put for {name} is not known to have its sign")
        if declared.whole and not context.is_whole(form(terms[name], context)):
            raise Rejected(f"what is put for {name} is not known to be a whole number")
    rules = listed(row.get("given", []), "rules of hypotheses")
    if len(rules) != len(lemma.given):
        raise Rejected(f"one rule for each of {len(lemma.given)} hypotheses")
    for hypothesis, rule in zip(lemma.given, rules, strict=True):
        inner(hypothesis.put(terms), rule, context, reader)
    return form(lemma.said.put(terms).difference, context), sign_said(lemma.said.relation)
