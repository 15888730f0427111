"""A relation between two expressions, for all values that the assumptions on their symbols admit.

Two checks: a derivation, which proves, and enclosures at random points, which can only refute or survive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import sympy as sp

from ...symbolic.predicates import OVER_NOTHING
from ...symbolic.proof.as_written import total
from ...symbolic.proof.defined import open_need
from ...symbolic.proof.derivation import Derivation, Step
from ...symbolic.proof.enclosure import WRONG_SIGN, enclose, rational, settled_sign, sign, substituted
from ...symbolic.proof.expressions import WITNESS_FUNCTIONS, parse
from ...symbolic.proof.proofs.recorded import recorded
from ...symbolic.proof.truth import Truth, all_hold
from ..record.evidence import Evidence, Kind, Measured, Series, Verdict
from ..record.witness import Witness, reevaluate, register
from .formula_points import POINTS, Point, points
from .paper_claim import Check, checks_of

Argument = Callable[["Formula"], Derivation]

_GUARD = 12
_WRITTEN = 8  # violations that are tried as witnesses
_CHARACTERS = 4_000


@dataclass(frozen=True)
class Formula:
    """`left relation right` wherever all of `where` are positive; relation is one of =, <=, >=, <, >.

    `left` and `right` come by different routes: one is what the paper prints, the other what its definitions give.
    `argument`, where given, builds the derivation from the formula itself, so that a wrong formula has a broken
    derivation; without it the two sides are compared as they stand.
    """

    left: sp.Expr
    relation: str
    right: sp.Expr
    where: tuple[sp.Expr, ...] = ()
    argument: Argument | None = field(default=None, compare=False)
    series: tuple[Series, ...] = field(default=(), compare=False)

    def __post_init__(self) -> None:
        if self.relation not in WRONG_SIGN:
            raise ValueError(f"relation must be one of {sorted(WRONG_SIGN)}, got {self.relation!r}")
        if not isinstance(self.where, tuple):
            raise TypeError(
                f"where is a tuple of expressions that are positive, got {type(self.where).__name__}"
            )
        object.__setattr__(self, "left", _read(self.left, "left"))
        object.__setattr__(self, "right", _read(self.right, "right"))
        object.__setattr__(self, "where", tuple(_read(w, "where") for w in self.where))
        names = [s.name for s in self.symbols]
        if len(set(names)) < len(names):
            raise ValueError(
                f"two different symbols have one name among {names}: a witness could not tell them apart"
            )

    @cached_property
    def sentence(self) -> str:
        """The formula in one line."""
        where = "".join(f", {w} > 0" for w in self.where)
        return f"{self.left} {self.relation} {self.right}{where}"

    @cached_property
    def difference(self) -> sp.Expr:
        """The left side less the right one."""
        return sp.sympify(self.left - self.right, strict=True)

    @cached_property
    def told(self) -> dict[frozenset[tuple[sp.Symbol, sp.Expr]], bool | None]:
        """The points at which it was tried, and whether it is certainly false there."""
        return {}

    @property
    def symbols(self) -> list[sp.Symbol]:
        """The symbols that are quantified over, by name."""
        free = set().union(
            *(sp.sympify(e, strict=True).free_symbols for e in (self.left, self.right, *self.where))
        )
        return sorted(free, key=lambda s: s.name)


def _read(side: sp.Expr, what: str) -> sp.Expr:
    """The side with its decimals as they are written: 0.1 is one tenth."""
    if not isinstance(side, sp.Expr | int | float | Fraction) or isinstance(side, bool):
        raise TypeError(
            f"{what} is a sympy expression or a number, got {type(side).__name__}: {str(side)[:40]}"
        )
    if not isinstance(side, sp.Expr):
        return rational(side)
    floats = side.atoms(sp.Float)
    return side.xreplace({f: rational(float(f)) for f in floats}) if floats else side


def argued(
    *steps: Step,
    reason: str = "both sides compared for all values",
    how: Callable[[sp.Expr, sp.Expr], Truth] | None = None,
    lemmas: tuple[str, ...] = (),
    conclusion: str = "",
    relation: str = "",
    written: sp.Expr | None = None,
) -> Argument:
    """The formula as it stands, for `reason`, the printed side against the derived one, after the steps that lead to that.

    `relation`, where the sides may be equal, is the one that the steps and lemmas establish.  `written`, where both
    sides are the same once they are evaluated, is the left side as its definition gives it: what is compared goes through it.
    """

    def argue(formula: Formula) -> Derivation:
        way = (direction(formula, relation),) if relation not in ("", "=") else ()
        last = through(formula, written, reason, how)
        if relation == "=":
            last = (*last[:-1], equality(formula, last[-1].left))
        return Derivation(conclusion or formula.sentence, (*steps, *way, *last), lemmas)

    return argue


def through(
    formula: Formula,
    written: sp.Expr | None,
    reason: str,
    how: Callable[[sp.Expr, sp.Expr], Truth] | None = None,
) -> tuple[Step, ...]:
    """Both sides of the formula compared; if its left side is `written` out, first with that and then that with the right side."""
    if written is not None and formula.relation == "=" and formula.left == formula.right:
        return (Step(written, "=", formula.right, reason, how),)
    if written is None:
        return (Step(formula.left, formula.relation, formula.right, reason, how),)
    return (
        Step(formula.left, "=", written, "what the left side of the formula stands for, written out", how),
        Step(written, formula.relation, formula.right, reason, how),
    )


def direction(formula: Formula, relation: str) -> Step:
    """The formula has the relation that was derived: sides that are equal on an instance do not tell it from its reverse."""
    strict = relation in ("<", ">")
    gap = sp.Symbol("gap", positive=True) if strict else sp.Symbol("gap", nonnegative=True)
    lower = formula.left if relation in ("<=", "<") else formula.right
    sides = (lower, total(lower, gap)) if relation in ("<=", "<") else (total(lower, gap), lower)
    word = "positive" if strict else "not negative"
    return Step(
        sides[0],
        formula.relation,
        sides[1],
        f"the larger side exceeds the smaller by a gap that the derivation shows to be {word}: in the formula's relation",
    )


def equality(formula: Formula, derived: sp.Expr) -> Step:
    """The left side as it was derived equals the right side of the formula, which is said to be an equality."""
    how = None if formula.relation == "=" else _other_relation
    return Step(derived, "=", formula.right, "what was derived is an equality: so is the formula", how)


def _other_relation(_left: sp.Expr, _right: sp.Expr) -> Truth:
    return Truth.FAILS


def rechecked(name: str, found: Derivation, statement: str) -> Evidence:
    """PROVED if every step holds; steps that fail refute nothing by themselves."""
    rows = tuple(recorded(found))
    truth = all_hold(Truth(row["truth"]) for row in rows if row["truth"] != "cited")
    verdict = Verdict.PROVED if found.steps and truth is Truth.HOLDS else Verdict.UNDECIDED
    reason, measured = "", Measured(steps=len(found.steps), lemmas=len(found.lemmas))
    if verdict is not Verdict.PROVED:
        measured = Measured()
        reason = "not so: " + "; ".join(r["reason"] for r in rows if r["truth"] in ("fails", "unknown"))
    return Evidence(name, "proof", "law", verdict, statement, reason, derivation=rows, measured=measured)


def derivation(formula: Formula, _: np.random.Generator) -> Evidence:
    """PROVED by the steps of its argument, or by comparing both sides, unless a simple point says otherwise.

    A step that fails leaves it to the numbers.  A formula that may quantify over nothing, or that is not known to be
    defined wherever it is said, is never PROVED.
    """
    if formula.argument is not None:
        steps = replace(formula.argument(formula), where=formula.where)
        found = rechecked("derivation", steps, formula.sentence)
    else:
        found = _compared(formula)
    # An argument that does not read the relation would prove it turned around: simple points have a say before PROVED.
    proved = found.verdict is Verdict.PROVED
    tried = list(islice(points(formula, np.random.default_rng(0)), _GUARD if proved else POINTS))
    against = _witnessed("derivation", "proof", formula, tried, found.detail, found.derivation)
    if against is not None:
        return against
    reason = _VACUOUS if not tried else _undefined(formula) if proved else None
    if reason is None:
        return replace(found, series=formula.series)
    undecided = replace(found, verdict=Verdict.UNDECIDED, reason=reason, measured=Measured())
    return replace(undecided, series=formula.series)


_VACUOUS = f"{OVER_NOTHING}no values were found that satisfy all conditions"


def _compared(formula: Formula) -> Evidence:
    """Both sides as they stand: one step."""
    one = Step(formula.left, formula.relation, formula.right, "both sides compared for all values")
    verdict, detail = Verdict.UNDECIDED, "both sides compared for all values of the symbols"
    rows: tuple[dict[str, Any], ...] = ()
    try:
        truth = one.check()
    except Exception as error:  # whatever sympy's simplification raises, it has not settled the formula
        detail = f"the comparison of both sides broke off: {type(error).__name__}"
    else:
        if truth is Truth.HOLDS:
            verdict = Verdict.PROVED
        # Two sides that came out alike are no step that a reader could check.
        if truth is Truth.HOLDS and sp.sstr(formula.left) != sp.sstr(formula.right):
            rows = tuple(recorded(Derivation(formula.sentence, (one,), where=formula.where), [truth]))
    return Evidence("derivation", "proof", "law", verdict, formula.sentence, detail, derivation=rows)


def _undefined(formula: Formula) -> str | None:
    need = open_need((formula.left, formula.right), formula.where)
    return None if need is None else f"not known to be defined for all values: {need}"


def at_points(formula: Formula, rng: np.random.Generator) -> Evidence:
    """Both sides enclosed at simple and at random rational points: a certain violation refutes."""
    tried = list(points(formula, rng))
    if not tried:
        return Evidence("enclosures", "computation", "law", Verdict.UNDECIDED, formula.sentence, _VACUOUS)
    against = _witnessed("enclosures", "computation", formula, tried)
    if against is not None:
        return against
    undecided = sum(_breaks(formula, point) is not False for point in tried)
    verdict = Verdict.SURVIVED if len(tried) > undecided else Verdict.UNDECIDED
    measured, series = Measured(tried=len(tried) - undecided, unclear=undecided or None), formula.series
    return Evidence(
        "enclosures", "computation", "law", verdict, formula.sentence, measured=measured, series=series
    )


CHECKS = (derivation, at_points)


@checks_of.register
def _formula_checks(data: Formula) -> tuple[Check[Formula], ...]:
    """A formula is derived, and enclosed at points."""
    return CHECKS


def _breaks(formula: Formula, point: Point) -> bool | None:
    """Whether the formula is certainly false at the point; None if that is not known. Both checks ask at simple points."""
    here = frozenset(point.items())
    if here not in formula.told:
        formula.told[here] = _broken(formula, point)
    return formula.told[here]


def _broken(formula: Formula, point: Point) -> bool | None:
    settled, strict = settled_sign(formula.difference, point, bits=1280), formula.relation in ("<", ">")
    if settled is None or (settled == 0 and strict):
        value = substituted(formula.difference, point)
        if value is None or value.has(sp.nan, sp.zoo, sp.oo):
            return None
        settled = settled_sign(value, {}, bits=1280)
        # What lies within 1e-100 of zero is no violation of "="; that it is equal is settled by a derivation only.
        if settled is None or (settled == 0 and strict and value != 0):
            return None
    return settled in WRONG_SIGN[formula.relation]


def _witnessed(
    check: str,
    kind: Kind,
    formula: Formula,
    tried: list[Point],
    detail: str = "",
    steps: tuple[dict[str, str], ...] = (),
) -> Evidence | None:
    """REFUTED at the first of the points whose witness stands when it is read again; UNDECIDED if none can be written."""
    broken = (k for k, point in enumerate(tried, start=1) if _breaks(formula, point))
    said, refused = "", ""
    for k in islice(broken, _WRITTEN):
        witness = formula_witness(formula, tried[k - 1])
        try:
            stands, said = reevaluate(witness)
        except (ValueError, ArithmeticError, RecursionError) as error:
            refused = (
                f"the formula is violated at {witness['at']}, which cannot be written as a witness: {error}"
            )
            continue
        if stands:
            detail = detail or f"found at point {k}"
            return Evidence(
                check,
                kind,
                "law",
                Verdict.REFUTED,
                formula.sentence,
                f"{said}; {detail}",
                witness=witness,
                derivation=steps,
                series=formula.series,
            )
    if not (said or refused):
        return None
    return Evidence(
        check,
        kind,
        "law",
        Verdict.UNDECIDED,
        formula.sentence,
        refused or said,
        derivation=steps,
        series=formula.series,
    )


def formula_witness(formula: Formula, point: Point) -> Witness:
    """The data that say: at this point the formula is false."""
    return {
        "kind": "formula",
        "left": _written(formula.left, point),
        "relation": formula.relation,
        "right": _written(formula.right, point),
        "where": [_written(w, point) for w in formula.where],
        "at": {s.name: sp.sstr(v) for s, v in sorted(point.items(), key=lambda item: item[0].name)},
    }


def _written(side: sp.Expr, point: Point) -> str:
    """The side in words that a witness may contain; where it has others, its value at the point, if that can do without."""
    text, value = str(sp.sstr(side)), None
    try:
        parse(
            text, {s.name: s for s in side.free_symbols}, characters=_CHARACTERS, functions=WITNESS_FUNCTIONS
        )
    except ValueError:
        value = substituted(side, point)
    return text if value is None else str(sp.sstr(value))


@register("formula")
def evaluate_formula(witness: Witness) -> tuple[bool, str]:
    """Whether the relation of the witness is certainly false at its point, where all its conditions hold."""
    names = {name: sp.Rational(text) for name, text in witness["at"].items()}
    sides = [_parsed(witness[side], names) for side in ("left", "right")]
    for text in witness["where"]:
        if sign(_parsed(text, names)) != 1:
            return False, f"the condition {text} > 0 does not hold at {witness['at']}"
    relation = witness["relation"]
    if relation not in WRONG_SIGN:
        raise ValueError(f"relation must be one of {sorted(WRONG_SIGN)}, got {relation!r}")
    found = settled_sign(sides[0] - sides[1], {}, bits=1280) if sides[0] != sides[1] else 0
    # The reader has bounded every value: what sympy writes out here is of modest size.
    equal = sides[0] == sides[1] or (found == 0 and (sides[0] - sides[1]).doit() == 0)
    wrong = bool(found or equal) and found in WRONG_SIGN[relation]
    shown = [enclose(side).str(12) for side in sides]
    at = ", ".join(f"{name} = {value}" for name, value in witness["at"].items())
    says = f"{shown[0]} {relation} {shown[1]} is {'false' if wrong else 'not refuted'}"
    return wrong, f"{says} at {at}" if at else says


def _parsed(text: str, names: Mapping[str, sp.Rational]) -> sp.Expr:
    return parse(text, names, characters=_CHARACTERS, functions=WITNESS_FUNCTIONS)
