"""The split as a program, and the proof that the closed form is its minimiser: item by item at one price of the budget."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ...symbolic.programs.certificate import PointCertificate
from ...symbolic.programs.feasibility import Part
from ...symbolic.programs.multipliers import Multipliers
from ...symbolic.programs.optimality import WEAK
from ...symbolic.programs.program import Program
from ...symbolic.proof.derivation import Derivation, Step
from ...symbolic.proof.enclosure import rational
from ...symbolic.proof.truth import Truth, all_hold
from .roots import at_least, equal
from .water_filling import Filling

_ITEMS, _ROOTS = (
    4,
    {1: 2, 2: 1},
)  # up to so many items and roots sympy certifies the program as it stands within seconds
BY_ITEM = "the Lagrangian of the budget's price is a sum with one term for each item: its least value is the sum of their least values"
ROOT, PRICE, LEAST, SHARE = sp.symbols("k l m x", positive=True)


def split_program(filling: Filling, share: str) -> Program:
    """min sum of costs / shares^power, the shares adding up to at most the total, each at least its least one."""
    x = sp.symbols(f"{share}_1:{len(filling.costs) + 1}", positive=True)
    objective = sp.Add(
        *(rational(a) / v**filling.power for a, v in zip(filling.costs, x, strict=True) if a > 0)
    )
    targets = [v >= rational(m) for v, m in zip(x, filling.least, strict=True) if m > 0]
    return Program(objective, over=x, subject_to=[sp.Add(*x) <= rational(filling.total), *targets])


def certify_split(program: Program, filling: Filling) -> PointCertificate:
    """The certificate of the closed form: of the program as it stands where that is small, else by the theorem of one item."""
    if len(filling.costs) <= _ITEMS and len(filling.roots.terms) <= _ROOTS[filling.power]:
        found = program.certify([filling.share(i) for i in range(len(filling.costs))])
        if found.verdict == "PROVED":
            return found
    return by_item(program, filling)


@cache
def theorem(power: int, target: bool, cost: bool) -> PointCertificate:
    """One item at a price: k^(p+1)/x^p + p l^(p+1) x over x > 0 (over x >= m) has its minimiser at k/l (at the greater of k/l and m).

    It holds for all positive k, l and m; without a cost the minimiser is m.
    """
    price = power * PRICE ** (power + 1) * SHARE
    if not cost:
        return Program(price, over=[SHARE], subject_to=[SHARE >= LEAST], parameters=[PRICE, LEAST]).certify(
            [LEAST]
        )
    objective = ROOT ** (power + 1) / SHARE**power + price
    if not target:
        return Program(objective, over=[SHARE], parameters=[ROOT, PRICE]).certify([ROOT / PRICE])
    program = Program(objective, over=[SHARE], subject_to=[SHARE >= LEAST], parameters=[ROOT, PRICE, LEAST])
    return program.certify([sp.Max(LEAST, ROOT / PRICE)])


def by_item(program: Program, filling: Filling) -> PointCertificate:
    """Each share is the minimiser of its item at the price l = sum of roots / rest, and the shares add up to the total."""
    kinds = sorted({(m > 0, a > 0) for a, m in zip(filling.costs, filling.least, strict=True)})
    theorems = [theorem(filling.power, *kind) for kind in kinds]
    own = (separated(program, filling), *instance_steps(filling))
    steps = (*(step for found in theorems for step in found.derivation.steps), *own)
    lemmas = dict.fromkeys(lemma for found in theorems for lemma in found.derivation.lemmas)
    reason = (
        "feasible, and no feasible value is lower: each item has its least cost at the price of the budget"
    )
    derivation = Derivation(f"PROVED: {reason}", steps, (*lemmas, WEAK, BY_ITEM))
    # The steps of the theorems were checked when these were proved; `derivation.check()` does all again.
    proved = all_hold(step.check() for step in own) is Truth.HOLDS and all(
        t.verdict == "PROVED" for t in theorems
    )
    value = optimal_value(filling)
    return PointCertificate(
        "PROVED" if proved else "UNDECIDED",
        {v: filling.share(i) for i, v in enumerate(program.variables)},
        Truth.HOLDS if proved else Truth.UNKNOWN,
        value,
        value if proved else None,
        "multipliers, item by item",
        reason if proved else "a step of the proof is open",
        derivation,
        multipliers=multipliers_of(program, filling),
        kkt_point=Truth.HOLDS if proved else Truth.UNKNOWN,
    )


def separated(program: Program, filling: Filling) -> Step:
    """The Lagrangian of the program at a price of the budget is a sum over the items."""
    x, p = program.variables, filling.power
    left = program.objective + PRICE * program.inequalities[0].excess
    terms = (rational(a) / v**p + PRICE * v for a, v in zip(filling.costs, x, strict=True))
    right = sp.Add(*terms) - PRICE * rational(filling.total)

    def same(a: sp.Expr, b: sp.Expr) -> Truth:
        return Truth.HOLDS if sp.expand(a - b) == 0 else Truth.FAILS

    return Step(
        left, "=", right, "the Lagrangian at a price of the budget has one term for each item", how=same
    )


def instance_steps(filling: Filling) -> list[Step]:
    """What the theorem of one item needs of these numbers, in exact arithmetic with roots."""
    order = filling.power + 1

    def zero(left: sp.Expr, right: sp.Expr) -> Truth:
        return equal(left, right, order)

    def above(left: sp.Expr, right: sp.Expr) -> Truth:
        return at_least(left, right, order)

    numbers = range(len(filling.costs))
    free = [i for i in numbers if not filling.bound[i]]
    fixed = sp.Add(*(rational(filling.least[i]) for i in numbers if filling.bound[i]))
    rest, total = rational(filling.rest), rational(filling.total)
    if not free:
        return [Step(fixed, "<=", total, "the least shares fit into the total", how=lambda a, b: above(b, a))]
    everything = filling.roots.expression
    steps = [
        Step(fixed + rest, "=", total, "the least shares that bind and the rest are the total", how=zero),
        Step(
            sp.Add(*(filling.root(i).expression for i in free)),
            "=",
            everything,
            "the shares rest * root / sum of roots of the free ones add up to the rest",
            how=zero,
        ),
        Step(everything, ">=", sp.S.Zero, "the price of the budget is not negative", how=above),
    ]
    for i in numbers:
        asked = sp.expand(rest * filling.root(i).expression)
        least = sp.expand(rational(filling.least[i]) * everything)
        if filling.bound[i]:
            steps.append(
                Step(least, ">=", asked, f"share {i + 1}: at the price it is the least one", how=above)
            )
        elif filling.least[i] > 0:
            steps.append(
                Step(
                    asked,
                    ">=",
                    least,
                    f"share {i + 1}: at the price it is not below the least one",
                    how=above,
                )
            )
    return steps


def optimal_value(filling: Filling) -> sp.Expr:
    """The least objective: S^(p+1) / rest^p of the free ones, and what the bound ones cost."""
    p = filling.power
    fixed = sp.Add(
        *(
            rational(a / m**p)
            for a, m, b in zip(filling.costs, filling.least, filling.bound, strict=True)
            if b and a > 0
        )
    )
    if all(filling.bound):
        return fixed
    return filling.roots.expression ** (p + 1) / rational(filling.rest) ** p + fixed


def price(filling: Filling) -> sp.Expr:
    """The multiplier of the budget: p (S / rest)^(p+1); zero where nothing has a cost."""
    if all(filling.bound):
        return sp.S.Zero
    return filling.power * (filling.roots.expression / rational(filling.rest)) ** (filling.power + 1)


def target_multiplier(filling: Filling, i: int) -> sp.Expr:
    """The multiplier of share >= least: the price less what a little more share would gain there; zero where it does not bind."""
    if not filling.bound[i]:
        return sp.S.Zero
    gain = filling.power * filling.costs[i] / filling.least[i] ** (filling.power + 1)
    return price(filling) - rational(gain)


def multipliers_of(program: Program, filling: Filling) -> Multipliers:
    """The multipliers of the constraints as the program lists them: the budget, then the targets."""
    wanted = [i for i, m in enumerate(filling.least) if m > 0]
    values = [price(filling), *(target_multiplier(filling, i) for i in wanted)]
    parts = (Part(c.excess, False, f"mu_{k + 1}") for k, c in enumerate(program.inequalities))
    return Multipliers(tuple(parts), tuple(values))
