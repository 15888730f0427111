"""What differential privacy rests on: formulas on likelihoods, and finite mechanisms under both notions of neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import sympy as sp

from .....symbolic.proof.as_written import applied, difference, quotient, total
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.enclosure import compare
from .....symbolic.proof.exact_numbers import ball
from .....symbolic.proof.truth import Truth
from ....dossier import Argument, Comparison, Formula, Instances, rule
from ....dossier.arguments.bounds_arguments import cancelled

EPSILON, SECOND = sp.symbols("epsilon epsilon2", positive=True)
# Probabilities (or densities) under the neighbour, and how far below the largest admitted ones the others are.
Q1, Q2, K1, K2 = sp.symbols("q1 q2 k1 k2", positive=True)
S1, S2, DELTA = sp.symbols("s1 s2 delta", nonnegative=True)
ONE, ZERO = sp.Integer(1), sp.Integer(0)
LAYERS = "an integral of a nonnegative function is the limit of nonnegative combinations of probabilities of events"


def by_excess(
    conclusion: str, excess: sp.Expr, lemmas: tuple[str, ...] = (), steps: tuple[Step, ...] = ()
) -> Argument:
    """The argument that the larger side exceeds the smaller by `excess`, an expression that is manifestly not negative."""

    def argue(formula: Formula) -> Derivation:
        high, low = formula.right, formula.left
        if formula.relation == ">=":
            high, low = low, high
        ends = (
            Step(difference(high, low), "=", excess, "the difference of both sides", in_exponentials),
            Step(
                excess,
                ">=",
                ZERO,
                "which is a sum and product of numbers that are not negative",
                not_negative,
            ),
        )
        return Derivation(conclusion, (*steps, *ends), lemmas)

    return argue


def in_exponentials(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality of rational functions of exponentials; other expressions as usual."""
    difference = sp.expand(left - right, deep=True)
    names = {e: sp.Dummy(positive=True) for e in difference.atoms(sp.exp)}
    return Truth.HOLDS if sp.cancel(difference.xreplace(names)) == 0 else compare(left, "=", right)


def not_negative(left: sp.Expr, right: sp.Expr) -> Truth:
    """left >= right by the signs of the symbols where that is enough."""
    return Truth.HOLDS if (left - right).is_nonnegative else compare(left, ">=", right)


def relaxation(factor: sp.Expr = ONE) -> Formula:
    """P = e^epsilon Q/(1 + s), any P that (epsilon, 0) admits, against e^(factor epsilon) Q + delta."""
    left = sp.exp(EPSILON) * Q1 / (1 + S1)
    argument = by_excess(
        "(epsilon, 0) implies (epsilon, delta)", sp.exp(EPSILON) * Q1 * S1 / (1 + S1) + DELTA
    )
    return Formula(left, "<=", sp.exp(factor * EPSILON) * Q1 + DELTA, argument=argument)


def proper_relaxation() -> Formula:
    """A mechanism that shows the record with probability d: (epsilon, d)-private, P(shown) = d against e^epsilon 0."""
    d = sp.Symbol("d", positive=True)
    return Formula(d, ">", sp.exp(EPSILON) * ZERO)


def triangle() -> tuple[Step, ...]:
    """|a + b| <= |a| + |b| for all real a, b: both sides squared."""
    a, b = sp.symbols("a b", real=True)
    size = sp.Symbol("z", nonnegative=True)
    return (
        Step(
            difference((sp.Abs(a) + sp.Abs(b)) ** 2, (a + b) ** 2),
            "=",
            2 * (sp.Abs(a) * sp.Abs(b) - a * b),
            "triangle inequality: both sides squared",
        ),
        Step(sp.Abs(a) * sp.Abs(b), "=", sp.Abs(a * b), "what is left is twice |c| - c with c = a b"),
        Step(difference(applied(sp.Abs, size), size), ">=", ZERO, "|c| - c where c >= 0"),
        Step(difference(applied(sp.Abs, -size), -size), ">=", ZERO, "|c| - c where c <= 0"),
    )


def laplace_ratio(factor: sp.Expr = ONE) -> Formula:
    """The privacy loss of two entries f1, f2 (g1, g2 for the neighbour) at outcome y, scale factor S/epsilon, S = |f - g|_1."""
    f, g, y = (sp.symbols(f"{n}1 {n}2", real=True) for n in "fgy")
    sensitivity = sum(sp.Abs(a - b) for a, b in zip(f, g, strict=True))
    gains = [sp.Abs(z - b) - sp.Abs(z - a) for a, b, z in zip(f, g, y, strict=True)]
    gained = sum(gains)
    b, d, s = sp.symbols("b d s", positive=True)
    u, v = f[0], g[0]

    def density(centre: sp.Expr) -> sp.Expr:
        return sp.exp(-sp.Abs(y[0] - centre) / b) / (2 * b)

    def argue(formula: Formula) -> Derivation:
        steps = (
            Step(
                density(u) / density(v),
                "=",
                sp.exp((sp.Abs(y[0] - v) - sp.Abs(y[0] - u)) / b),
                "ratio of the densities of one entry; entries are independent, so that exponents add",
                in_exponentials,
            ),
            *triangle(),
            Step(
                total(y[0] - u, u - v),
                "=",
                y[0] - v,
                "so |y - g| - |y - f| <= |f - g|, summed over the entries",
            ),
            Step(EPSILON * d / (d + s), "<=", EPSILON, "a pair closer than the sensitivity loses less"),
            Step(
                formula.left,
                "=",
                total(*(quotient(gain, sensitivity / EPSILON) for gain in gains)),
                "the loss of the formula: what each entry gains over the scale S/epsilon",
                cancelled,
            ),
            Step(
                formula.right,
                "=",
                quotient(sensitivity, sensitivity / EPSILON),
                "the bound of the formula: the sensitivity over the scale",
            ),
        )
        return Derivation("the privacy loss is at most epsilon at every outcome", steps, (LAYERS,))

    return Formula(
        gained / (factor * sensitivity / EPSILON),
        "<=",
        EPSILON,
        (sp.Abs(f[0] - g[0]), sp.Abs(f[1] - g[1])),
        argue,
    )


def post_processing(factor: sp.Expr = ONE) -> Formula:
    """The probability of one value of a randomised map (k1, k2 = its probability at each of two outputs) for both inputs."""
    pairs = ((Q1, K1, S1), (Q2, K2, S2))
    left = sum(k * sp.exp(EPSILON) * q / (1 + s) for q, k, s in pairs)
    excess = sum(k * sp.exp(EPSILON) * q * s / (1 + s) for q, k, s in pairs)
    argument = by_excess("the law of the map of the output", excess, (LAYERS,))
    return Formula(left, "<=", sp.exp(factor * EPSILON) * sum(k * q for q, k, _ in pairs), argument=argument)


def composition(factor: sp.Expr = ONE) -> Formula:
    """The joint density of two outputs; q2 is that of the second given the first, whatever the first was."""
    total = sp.exp(EPSILON + SECOND)
    left = sp.exp(EPSILON) * Q1 / (1 + S1) * sp.exp(SECOND) * Q2 / (1 + S2)
    excess = total * Q1 * Q2 * (S1 + S2 + S1 * S2) / ((1 + S1) * (1 + S2))
    argument = by_excess("the joint law of both outputs", excess, (LAYERS,))
    return Formula(left, "<=", sp.exp(factor * (EPSILON + SECOND)) * Q1 * Q2, argument=argument)


def replaced(cost: sp.Expr) -> Formula:
    """Replacing is removing and adding: P = e^epsilon R/(1 + s1), R = e^epsilon Q/(1 + s2), against e^(cost epsilon) Q."""
    middle = sp.exp(EPSILON) * Q1 / (1 + S2)
    excess = sp.exp(2 * EPSILON) * Q1 * (S1 + S2 + S1 * S2) / ((1 + S1) * (1 + S2))
    argument = by_excess("one record removed, another added", excess)
    return Formula(sp.exp(EPSILON) * middle / (1 + S1), "<=", sp.exp(cost * EPSILON) * Q1, argument=argument)


def size_released(cost: sp.Expr) -> Formula:
    """The size n plus geometric noise of ratio a, and nothing else: the same for all data of one size (epsilon = 0).

    The probability of the true size, for n records and for one more, against e^(cost 0).
    """
    a = 1 / (1 + sp.Symbol("u", positive=True))
    exact = (1 - a) / (1 + a)
    return Formula(exact, "<=", sp.exp(cost * ZERO) * a * exact)


@rule("neighbours of both kinds")
def both_kinds(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """Finite mechanisms: probabilities at each data set; the larger epsilon of one notion is at most `cost` that of the other."""
    table = [(Counter(row["records"]), [Fraction(q) for q in row["law"]]) for row in numbers["table"]]
    if any(sum(law) != 1 or min(law) < 0 for _, law in table):
        raise ValueError("expected laws: probabilities that sum to one")
    pairs = {"bounded": [], "unbounded": []}  # type: dict[str, list[tuple[list[Fraction], list[Fraction]]]]
    for (first, p), (second, q) in permutations(table, 2):
        gone, come = (first - second).total(), (second - first).total()
        if gone + come == 1:
            pairs["unbounded"].append((p, q))
        elif gone == come == 1:
            pairs["bounded"].append((p, q))
    cost = Fraction(printed["cost"])
    for source in printed["from"]:
        target = "bounded" if source == "unbounded" else "unbounded"
        worst = _worst(pairs[source])
        if worst is None:  # private at no epsilon: nothing is said about it
            continue
        allowed = ball(worst) ** ball(cost)
        for p, q in pairs[target]:
            for a, b in zip(p, q, strict=True):
                yield (
                    f"{target} neighbours of a mechanism that is private for {source} ones",
                    ball(a),
                    "<=",
                    allowed * ball(b),
                )


def _worst(pairs: Sequence[tuple[list[Fraction], list[Fraction]]]) -> Fraction | None:
    ratios = [(a, b) for p, q in pairs for a, b in zip(p, q, strict=True) if a]
    return None if any(not b for _, b in ratios) else max((a / b for a, b in ratios), default=Fraction(1))


def finite_mechanisms(cost: str, sources: tuple[str, ...]) -> Instances:
    """A geometric count, the size alone, and random laws, on all data sets of at most two records 0 or 1."""
    data: tuple[list[str], ...] = ([], ["0"], ["1"], ["0", "0"], ["0", "1"], ["1", "1"])

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        # A count with geometric noise cut to 0..2; then a law for which a replacement costs twice an addition, exactly.
        geometric = {0: "2/3 1/6 1/6", 1: "1/3 1/3 1/3", 2: "1/6 1/6 2/3"}
        yield {"table": [{"records": d, "law": geometric[d.count("1")].split()} for d in data]}
        swing = {"": "1/5", "0": "1/10", "1": "2/5", "00": "1/10", "01": "1/5", "11": "2/5"}
        yield {
            "table": [
                {"records": d, "law": [swing["".join(d)], str(1 - Fraction(swing["".join(d)]))]} for d in data
            ]
        }
        yield {
            "table": [{"records": d, "law": ["1" if len(d) == k else "0" for k in range(3)]} for d in data]
        }
        for _ in range(8):
            drawn = [[int(x) for x in rng.integers(1, 9, 3)] for _ in data]
            yield {
                "table": [
                    {"records": d, "law": [f"{x}/{sum(w)}" for x in w]}
                    for d, w in zip(data, drawn, strict=True)
                ]
            }

    what = (
        f"epsilon costs a factor of at most {cost} from {' and '.join(sources)} neighbours to the other kind"
    )
    return Instances("neighbours of both kinds", {"cost": cost, "from": list(sources)}, draw, what)
