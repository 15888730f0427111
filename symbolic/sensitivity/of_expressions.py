"""The sensitivity of expressions: the polynomial engine where it applies, else suprema over neighbours, with a pair measured in balls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import sympy as sp
from flint import arb, ctx

from ..domains.adjacency import Adjacency
from ..domains.exact import Product
from ..domains.polynomials import PolynomialQuery
from ..proof.apart import UnfinishedError, apart
from ..proof.as_written import power, product, total
from ..proof.branch_and_bound import BITS
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import NotEnclosableError, enclose, rational
from ..proof.interval_tape import Tape
from ..proof.proofs.kernel_checked import accepted_step
from ..proof.work import spent, stopped, units_of
from .answer import Dataset, Sensitivity
from .enclosure import SensitivityEnclosure, ends, with_precision
from .engine import NORMS, polynomial_sensitivity
from .farthest import farthest
from .local_sensitivity import locally, smoothly
from .measured_pair import measured, measured_step
from .moves import COPIES, PLACES, Move, StatedQuery, completed
from .near_vectors import near_each_other
from .rays import Ray, ray_of
from .regions import Point, described
from .shapes import ends_of, interval_box
from .supremum import Supremum, largest

MOST_SYMBOLS = 4  # of a polynomial that a step encloses over the whole box
AFTERWARDS = 0.1  # the effort of what is asked once the main search is over
ENGINE = "the polynomial engine encloses the largest difference from both sides"


@dataclass(frozen=True)
class Question:
    """What is asked of a stated query."""

    query: StatedQuery
    moves: tuple[Move, ...]
    norm: str
    adjacency: str | Adjacency
    tolerance: float
    deadline: int
    effort: float

    @property
    def relation(self) -> str:
        return self.adjacency if isinstance(self.adjacency, str) else self.adjacency.name


def answered(question: Question) -> Sensitivity:
    """The answer, from the moves in turn."""
    found = [_of_move(question, move) for move in question.moves]
    infinite = next(((m, f) for m, f in zip(question.moves, found, strict=True) if isinstance(f, Ray)), None)
    if infinite is not None:
        return _without_end(question, *infinite)
    suprema = [
        _scaled(f, move.factor)
        for f, move in zip(found, question.moves, strict=True)
        if isinstance(f, Supremum)
    ]
    pair, lower = _best_pair(question, suprema)
    return _whole(question, largest(suprema), pair, lower)


def _scaled(found: Supremum, factor: sp.Rational) -> Supremum:
    if factor == 1:
        return found
    one = found.upper
    upper = None if one is None else with_precision(lambda: one * enclose(factor))
    exact, steps = None if found.exact is None else sp.expand(factor * found.exact), found.steps
    if exact is not None and exact.is_finite:
        reason = f"times {factor}: the number of records that change, times the weight of each in the query"
        steps += (Step(exact, "=", product(factor, found.exact), reason),)
    return replace(found, upper=upper, exact=exact, steps=steps, lemmas=(*found.lemmas, COPIES))


def _of_move(question: Question, move: Move) -> Supremum | Ray:
    if move.region.bounded and all(e.is_polynomial() for e in move.vector.entries):
        engine = _by_engine(question, move)
        if engine is not None:
            return engine if engine.exact is not None else _closed_or(engine, question, move)
    if not move.region.bounded or _may_be_without_bound(move):
        ray = ray_of(move, question.deadline)
        if ray is not None:
            return ray
    if move.near is not None and move.region.bounded:
        return near_each_other(
            move, question.query.records[0], question.norm, question.tolerance, question.deadline
        )
    found = farthest(
        move.vector, question.norm, move.region, move.two_sided, question.tolerance, question.deadline
    )
    if found.upper is None:
        ray = ray_of(move, max(question.deadline, spent() + units_of(AFTERWARDS)))
        if ray is not None:
            return ray
    return found


def _closed_or(engine: Supremum, question: Question, move: Move) -> Supremum:
    """The closed form where ends and zeros of slopes give one; what the engine found elsewhere."""
    if len(move.region.intervals) > 2:
        return engine
    until = min(question.deadline, spent() + units_of(AFTERWARDS))
    found = farthest(move.vector, question.norm, move.region, move.two_sided, question.tolerance, until)
    return engine if found.exact is None else found


def _may_be_without_bound(move: Move) -> bool:
    """Whether values over the whole region have no bound at first sight."""
    inner = move.region
    entries = [e.xreplace(dict(inner.expressed)) for e in move.vector.entries]
    box = dict(inner.intervals)
    box |= {s: (min(values), max(values)) for s, values in inner.choices.items()}
    with ctx.workprec(BITS):
        tape = Tape(entries, list(box))
        over = tape.over(interval_box(list(box), box))
        return not all(e.is_finite() for place in tape.outputs for e in over.values[place])


def _by_engine(question: Question, move: Move) -> Supremum | None:
    """One record's polynomials on blocks that the engine knows: the answer where it is as sharp as was asked."""
    query = question.query
    single = query.each is not None or len(query.records) == 1
    if not single or move.near is not None or question.norm not in NORMS or move.vector.shape is not None:
        return None
    symbols = query.records[0]
    blocks = [(b, s) for b, s in move.region.blocks if set(s) <= set(symbols)]
    if sum(len(s) for _, s in blocks) != len(symbols):
        return None
    try:
        asked = PolynomialQuery(symbols, query.vector.entries)
    except ValueError:
        return None  # coefficients that are not rational
    adjacency = "replace-one" if move.two_sided else "add-or-remove"
    whole = Product(tuple(b for b, _ in blocks))
    try:
        found = apart(
            lambda: polynomial_sensitivity(
                asked, whole, question.norm, adjacency=adjacency, tolerance=question.tolerance
            ),
            "the polynomial engine",
        )
    except UnfinishedError:
        return None
    if found.exact is None and found.gap > question.tolerance:
        return None
    return _from_engine(found, move, symbols, question.norm)


def _from_engine(
    found: SensitivityEnclosure, move: Move, symbols: Sequence[sp.Symbol], norm: str
) -> Supremum:
    one, two = found.witness
    point: Point = {s: rational(x) for s, x in zip(symbols, one, strict=True)}
    if two is not None:
        point |= {sp.Symbol(f"{s.name}'", real=True): rational(x) for s, x in zip(symbols, two, strict=True)}
    top = ends(found.upper)[1]
    bound = sp.Rational(top.numerator, top.denominator)
    method = f"the largest difference over one record, by {found.method}"
    whole = _whole_step(move, norm, bound, method)
    if whole is not None:
        return Supremum(found.upper, point, found.method, found.exact, (whole,))
    step = Step(enclosed_end(found.at_least()), "<=", bound, method)
    return Supremum(found.upper, point, found.method, found.exact, (step,), (ENGINE,))


def _whole_step(move: Move, norm: str, bound: sp.Rational, reason: str) -> Step | None:
    """That the norm is at most the bound all over the box, where the kernel sees it from a formula of few symbols."""
    region, entries = move.region, [e for e in move.vector.entries if e != 0]
    if region.constrained or region.expressed or len(region.intervals) > MOST_SYMBOLS or not entries:
        return None
    within = ends_of(region.intervals)
    if len(entries) == 1:
        return accepted_step(sp.Abs(entries[0], evaluate=False), "<=", bound, reason, within)
    if norm != "l2":
        return None
    return accepted_step(total(*(power(e, 2) for e in entries)), "<=", power(bound, 2), reason, within)


def enclosed_end(value: Fraction) -> sp.Rational:
    return sp.Rational(value.numerator, value.denominator)


def _best_pair(
    question: Question, suprema: Sequence[Supremum]
) -> tuple[tuple[Dataset, Dataset] | None, arb | None]:
    best: tuple[tuple[Dataset, Dataset] | None, arb | None] = (None, None)
    for move, found in zip(question.moves, suprema, strict=True):
        for point in (found.point, _off_the_border(move, found.point)):
            apart = _apart(question, move, point)
            if apart is None:
                continue
            if best[1] is None or apart[1].lower() > best[1].lower():
                best = apart
            break
    return best


def _apart(question: Question, move: Move, point: Point) -> tuple[tuple[Dataset, Dataset], arb] | None:
    """The pair of a point and its distance; None outside of the region, and where the query has no value."""
    whole = completed(move, point)
    if not move.region.holds(whole):
        return None
    pair = move.pair(whole)
    try:
        return pair, measured(question.query, pair, question.norm)
    except (NotEnclosableError, ValueError, TypeError):
        return None


def _off_the_border(move: Move, point: Point) -> Point:
    """A point a little towards the middle, where a formula like x log x has its value."""
    ends_of = move.region.intervals
    return {
        s: v + ((ends_of[s][0] + ends_of[s][1]) / 2 - v) / 2**36
        if s in ends_of and all(e.is_finite for e in ends_of[s])
        else v
        for s, v in completed(move, point).items()
    }


def _whole(
    question: Question, found: Supremum, pair: tuple[Dataset, Dataset] | None, lower: arb | None
) -> Sensitivity:
    upper = found.upper
    if upper is not None and lower is not None and lower > upper:
        raise AssertionError(f"a pair is farther apart than the upper bound: {pair}")
    steps = list(found.steps)
    # That it is infinite is said with a ray only.
    exact = None if found.exact is None or found.exact.is_infinite else _shortest(found.exact)
    if pair is not None and lower is not None:
        steps.append(measured_step(question.query, pair, question.norm, lower, exact))
    lemmas = (*found.lemmas, PLACES) if len(question.moves) > 1 else found.lemmas
    reason, relation = _reason(question, found, lower), question.relation
    return Sensitivity(
        lower=lower,
        upper=upper,
        norm=question.norm,
        adjacency=question.relation,
        domain=described(question.query.domain),
        method=found.method,
        derivation=Derivation(
            f"sensitivity of the expressions over {described(question.query.domain)}",
            tuple(steps),
            tuple(dict.fromkeys(lemmas)),
        ),
        exact=exact,
        attained_at=pair,
        reason=reason,
        of_dataset=lambda dataset: locally(
            question.query, relation, dataset, question.norm, question.tolerance
        ),
        smoothed=lambda dataset, beta: smoothly(
            question.query, relation, dataset, question.norm, question.tolerance, beta, upper
        ),
    )


def _shortest(exact: sp.Expr) -> sp.Expr:
    if exact.is_Rational:
        return exact
    try:
        return min((exact, apart(lambda: sp.simplify(exact), "a shorter form")), key=sp.count_ops)
    except UnfinishedError:
        return exact


def _reason(question: Question, found: Supremum, lower: arb | None) -> str:
    if found.upper is None:
        stuck = found.stuck or "no upper bound was proved"
        late = spent() > question.deadline
        return f"{stuck}; {stopped(question.effort)}" if late else stuck
    if found.exact is not None:
        return ""
    least = Fraction(0) if lower is None else ends(lower)[0]
    top = ends(found.upper)[1]
    if top - least <= Fraction(question.tolerance) * top:
        return ""
    late = spent() > question.deadline
    why = found.stuck or "no pair was found that comes as near to the upper end as was asked"
    return f"{why}; {stopped(question.effort)}" if late else why


def _without_end(question: Question, move: Move, ray: Ray) -> Sensitivity:
    way: Mapping[sp.Symbol, sp.Expr] = move.region.completed(ray.way)
    return Sensitivity(
        lower=None,
        upper=None,
        norm=question.norm,
        adjacency=question.relation,
        domain=described(question.query.domain),
        method="growth along a ray",
        derivation=Derivation("the sensitivity is infinite", (ray.step,)),
        infinite=True,
        ray=move.pair(way),
    )
