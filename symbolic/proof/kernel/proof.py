"""A proof as it stands in a file: steps, each with its variables and hypotheses, and a conclusion that a step or a chain of steps says."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from .atoms import ZERO, Sign, agrees
from .context import LETTERS, WORDS, Context, Declared, Sequent
from .defined import defined
from .enclosures import sign_over
from .gram import Instance, fitting, matrices, traces_exist
from .hypotheses import with_given
from .language import (
    MOST_WORK,
    Reader,
    Rejected,
    Statement,
    Term,
    allow,
    free,
    listed,
    mapping,
    name,
    put,
    statement,
    work_left,
)
from .normal_form import form
from .quotients import Quotient
from .signs_of_terms import satisfies
from .steps import settle

SCHEMA = "noiseproof-proof-1"
ACCEPTED, REJECTED, CITED, TRUSTED = "accepted", "rejected", "cited", "trusted"
MOST_STEPS = 2_000
MOST_OF_ALL = 200_000_000  # products of terms of one proof
_STEP = {
    "for",
    "letters",
    "given",
    "at",
    "rules",
    "traces",
    "matrices",
    "left",
    "relation",
    "right",
    "by",
    "with",
    "reason",
}
_PROOF = {"schema", "claim", "conclusion", "steps"}
_NOT_CHECKED = {"cited": CITED, "trusted: sympy": TRUSTED}


@dataclass(frozen=True)
class Answer:
    """What the kernel says of a step: one of accepted, rejected, cited, trusted; and why it rejects."""

    word: str
    why: str = ""


@dataclass(frozen=True)
class Checked:
    """The answers to all steps, and whether the conclusion is what they say."""

    answers: tuple[Answer, ...]
    concluded: Answer

    @property
    def complete(self) -> bool:
        """Every step is accepted, and the conclusion with them: nothing rests on anything outside the kernel."""
        return bool(self.answers) and all(a.word == ACCEPTED for a in (*self.answers, self.concluded))

    def counts(self) -> dict[str, int]:
        """How many steps have each answer."""
        return {w: sum(a.word == w for a in self.answers) for w in (ACCEPTED, REJECTED, CITED, TRUSTED)}


def check(data: Any, claim: str | None = None, effort: float = 1.0) -> Checked:
    """The kernel's answers to a proof, which is what JSON gives; Rejected if it is not of the schema or is of another claim."""
    proof = mapping(data, "a proof", _PROOF)
    if proof.get("schema") != SCHEMA:
        raise Rejected(f"the schema of a proof is {SCHEMA}, got {str(proof.get('schema'))[:40]!r}")
    if claim is not None and proof.get("claim") != claim:
        raise Rejected("the proof is of another claim")
    rows = proof.get("steps")
    if not isinstance(rows, list) or not 0 < len(rows) <= MOST_STEPS:
        raise Rejected(f"a proof has 1 to {MOST_STEPS:,} steps")
    work = int(effort * MOST_OF_ALL)
    answers: list[Answer] = []
    earlier: dict[int, Sequent] = {}
    for k, row in enumerate(rows, 1):
        said, known = _answered(row, earlier, min(work, MOST_WORK))
        work -= min(work, MOST_WORK) - work_left()
        answers.append(said)
        if known is not None and said.word in (ACCEPTED, CITED):
            earlier[k] = known
    return Checked(tuple(answers), _concluded(proof, rows, answers))


def answer(row: Any) -> Answer:
    """The kernel's answer to one step by itself, of which no other stands before it."""
    return _answered(row, {}, MOST_WORK)[0]


def _answered(row: Any, earlier: Mapping[int, Sequent], work: int) -> tuple[Answer, Sequent | None]:
    """The answer, and what the step says to those after it: nothing where it is about matrices, or only a reason."""
    allow(work)
    try:
        step = mapping(row, "a step", _STEP)
        word = _NOT_CHECKED.get(step.get("by", ""), ACCEPTED)
        if word == TRUSTED or (word == CITED and "left" not in step):
            return Answer(word), None
        reader = Reader()
        context, said = sequent(step, reader)
        one = said.said
        if word == ACCEPTED:
            hints = mapping(step.get("with", {}), "with")
            settle(one, step.get("by", ""), hints, replace(context, earlier=earlier), reader)
        elif (free(one.left) | free(one.right)) - set(context.variables):
            raise Rejected("a lemma with a variable that is not declared")
        about_matrices = any(step.get(key) for key in ("letters", "rules", "traces", "matrices"))
        return Answer(word), None if about_matrices else said
    except Rejected as error:
        return Answer(REJECTED, str(error)), None
    except (
        ArithmeticError,
        LookupError,
        RecursionError,
        TypeError,
        ValueError,
        AttributeError,
        AssertionError,
    ) as error:
        # Total: whatever a step does to the arithmetic, it is not accepted.
        return Answer(REJECTED, f"the step cannot be evaluated: {type(error).__name__}"), None


def sequent(step: Mapping[str, Any], reader: Reader) -> tuple[Context, Sequent]:
    """The context of a step and what it says; Rejected where its hypotheses are not shown to be satisfiable."""
    variables = {name(n): _declared(words) for n, words in mapping(step.get("for", {}), "for").items()}
    letters = {
        _letter_name(n): _letter(kind) for n, kind in mapping(step.get("letters", {}), "letters").items()
    }
    given = [statement(g, reader) for g in listed(step.get("given", []))]
    context = with_given(Context(variables, letters=letters), given)
    at = {name(n): reader.term(v) for n, v in mapping(step.get("at", {}), "at").items()}
    if given or step.get("traces") or "matrices" in step:
        _instance(context, given, at)
    one = statement([step.get("left"), step.get("relation"), step.get("right")], reader)
    context = _matrices(step, one, context, reader, at)
    return context, Sequent(variables, tuple(given), one)


def _declared(words: Any) -> Declared:
    rest = [w for w in listed(words) if w != "integer"]
    if len(rest) > 1 or any(w not in WORDS for w in rest):
        raise Rejected(f"a variable is declared by integer and one of {sorted(WORDS)}")
    return Declared(WORDS[rest[0]] if rest else None, "integer" in words)


def _letter_name(data: Any) -> str:
    if name(data).endswith("'"):
        raise Rejected("a matrix whose name ends like that of a transpose")
    return name(data)


def _letter(kind: Any) -> str:
    if kind not in LETTERS:
        raise Rejected(f"a matrix is one of {sorted(LETTERS)}")
    return str(kind)


def _instance(context: Context, given: list[Statement], at: dict[str, Term]) -> None:
    """Values of all variables that obey declarations and hypotheses: a claim about nothing is not accepted."""
    if set(at) != set(context.variables):
        raise Rejected(
            "hypotheses need an instance of all variables, at which they hold: a claim about nothing is not proved"
        )
    empty = Context({})
    for n, declared in context.variables.items():
        defined(at[n], empty)
        value = form(at[n], empty)
        if declared.whole and (value.number is None or value.number.denominator != 1):
            raise Rejected(f"the instance of {n} is no whole number")
        if declared.sign is not None and not agrees(_certain(value, empty), declared.sign):
            raise Rejected(f"the instance of {n} has not its sign")
    for one in given:
        # A function of which nothing but its sign is known may be the constant 1.
        here = put(_with_ones(one.difference), at)
        defined(here, empty)
        if not satisfies(_certain(form(here, empty), empty), one.relation):
            raise Rejected("a hypothesis does not hold at the instance")


def _with_ones(term: Term) -> Term:
    if term[0] == "fn":
        return ("num", Fraction(1))
    return tuple(_with_ones(a) if isinstance(a, tuple) else a for a in term)


def _certain(q: Quotient, context: Context) -> Sign:
    return ZERO if not q.numerator else context.sign(q) or sign_over(q, context.atoms, {})


# --- matrices ---------------------------------------------------------------------------------------------------------


def _matrices(
    step: Mapping[str, Any], one: Statement, context: Context, reader: Reader, at: dict[str, Term]
) -> Context:
    """The rules for neighbouring letters and the values of traces, which are hypotheses that some matrices obey."""
    rules = dict(_rule(r, context, reader) for r in listed(step.get("rules", [])))
    pairs = [(reader.term(t), reader.term(v)) for t, v in listed(step.get("traces", []))]
    # Those that are shown to exist without an instance may be of any size, and square but for columns.
    shapes = {n: (2, 1 if kind == "column" else 2) for n, kind in context.letters.items()}
    if "matrices" in step:
        given = Instance(matrices(step["matrices"], context.letters), at)
        if not all(given.obeys(r, v) for r, v in rules.items()) or not all(
            given.agrees(t, v) for t, v in pairs
        ):
            raise Rejected("the instance of the matrices does not obey what is known of them")
        shapes = {n: (len(rows), len(rows[0])) for n, rows in given.given.items()}
    else:
        _obvious(rules, context)
        if pairs and (rules or not traces_exist(pairs, context.letters, at)):
            raise Rejected("no matrices are known that have these traces")
    if rules or pairs or "matrices" in step:
        for side in (one.left, one.right):
            fitting(side, shapes)
    for value in (*rules.values(), *(v for _, v in pairs)):
        defined(value, context)
    context = replace(context, rules={r: form(v, context) for r, v in rules.items()})
    traces: dict[int, Quotient] = {}
    for term, value in pairs:
        q = form(term, context)
        m, c = next(iter(q.numerator.items())) if len(q.numerator) == 1 else ((), 0)
        if term[0] != "tr" or c != 1 or len(m) != 1 or m[0][1] != 1:
            raise Rejected("the value of a trace is given for the trace of one word")
        # Values are read one after the other: none stands for itself.
        traces[m[0][0]] = form(value, replace(context, traces=dict(traces)))
    return replace(context, traces=traces)


def _rule(data: Any, context: Context, reader: Reader) -> tuple[tuple[str, ...], Term]:
    if not isinstance(data, list) or len(data) != 2 or not 2 <= len(listed(data[0])) <= 6:
        raise Rejected("a rule is [[letter, ..., letter], number]")
    letters = tuple(name(n) for n in data[0])
    if not {n.removesuffix("'") for n in letters} <= set(context.letters):
        raise Rejected("a rule of letters that are not declared")
    return letters, reader.term(data[1])


def _obvious(rules: Mapping[tuple[str, ...], Term], context: Context) -> None:
    """A rule of two letters with a value above 0, one rule for each letter: multiples of the identity obey them, or a row and a column."""
    used: set[str] = set()
    for letters, value in rules.items():
        names = {n.removesuffix("'") for n in letters}
        columns = [n for n in letters if context.letters[n.removesuffix("'")] == "column"]
        row = not columns or (len(columns) == 2 and [n.endswith("'") for n in letters] == [True, False])
        if len(letters) != 2 or names & used or not row or not context.is_positive(form(value, context)):
            raise Rejected(
                "rules that share letters, or whose value is not positive, need an instance: matrices that obey them"
            )
        used |= names


# --- the conclusion ---------------------------------------------------------------------------------------------------


def _concluded(proof: Mapping[str, Any], rows: list[Any], answers: list[Answer]) -> Answer:
    """Accepted if an accepted step says just that, of the same variables and hypotheses, or has that number; the rest is reading."""
    if proof.get("conclusion") is None:
        return Answer(TRUSTED, "that the steps make the claim is its reading")
    if isinstance(proof["conclusion"], list):
        return _by_numbers(proof["conclusion"], answers)
    wanted = _said(mapping(proof["conclusion"], "a conclusion"))
    for row, said in zip(rows, answers, strict=True):
        if said.word == ACCEPTED and _said(row) == wanted:
            return Answer(ACCEPTED)
    return Answer(TRUSTED, "no accepted step is the conclusion: that the steps make it is its reading")


def _by_numbers(numbers: list[Any], answers: list[Answer]) -> Answer:
    """Accepted if all the steps with these numbers are, counted from one."""
    if not numbers or any(type(k) is not int or not 0 < k <= len(answers) for k in numbers):
        raise Rejected(f"the conclusion is a list of numbers of steps, 1 to {len(answers)}")
    return next((answers[k - 1] for k in numbers if answers[k - 1].word != ACCEPTED), Answer(ACCEPTED))


def _said(row: Mapping[str, Any]) -> str:
    """What a step says, and of what, as text: true is not 1 there, nor is 1.0."""
    keys = ("left", "relation", "right", "for", "given", "letters", "rules", "traces")
    return json.dumps([row.get(k) for k in keys], sort_keys=True)
