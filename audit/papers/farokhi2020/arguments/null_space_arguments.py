"""Arguments about the conditions (15) of the regularised machine, and about moves of the records that leave its optimum alone."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from .....mechanisms.learning import program
from .....symbolic.proof.as_written import difference, product, total, value_at
from .....symbolic.proof.derivation import Derivation, Step
from ....dossier import Instances, Parts
from ....dossier.arguments.bounds_arguments import expanded
from .null_space_conditions import asked

ZERO, ONE, HALF = sp.Integer(0), sp.Integer(1), sp.Rational(1, 2)
CONVEX = "a convex program with affine constraints: its optima are the points that satisfy its optimality conditions"


TWO: dict[str, Any] = {
    "features": [["1"], ["-1"]],
    "labels": [1, -1],
    "rho": "1",
    "theta": "1/4",
    "alpha": ["5/6"],
    "beta": "0",
    "xi": ["1/6", "1/6"],
    "omega": ["5/12", "5/12"],
    "varsigma": ["0", "0"],
}
THREE: dict[str, Any] = {
    "features": [["1", "0"], ["-1", "0"], ["3", "1"]],
    "labels": [1, -1, 1],
    "rho": "1",
    "theta": "1",
    "alpha": ["1", "0"],
    "beta": "0",
    "xi": ["0", "0", "0"],
    "omega": ["1/2", "1/2", "0"],
    "varsigma": ["1/2", "1/2", "1"],
}
FLAT: dict[str, Any] = {
    "features": [["-1"], ["1"], ["0"]],
    "labels": [1, 1, -1],
    "rho": "1/10",
    "theta": "1",
    "alpha": ["0"],
    "beta": "1",
    "xi": ["0", "0", "2"],
    "omega": ["13/20", "13/20", "6/5"],
    "varsigma": ["7/20", "7/20", "0"],
}
VARIABLES = ("alpha", "beta", "xi", "omega", "varsigma")


def at_zero(numbers: dict[str, Any]) -> dict[str, Any]:
    """The same records with all variables and multipliers zero."""
    q, p = len(numbers["labels"]), len(numbers["alpha"])
    nothing = ["0"] * q
    return {**numbers, "alpha": ["0"] * p, "beta": "0", "xi": nothing, "omega": nothing, "varsigma": nothing}


def _signs(printed: program.Conditions) -> tuple[Step, ...]:
    """What must not be negative, in symbols that are known not to be negative if that is printed, and are any real numbers else."""
    margin, omega, varsigma = (
        sp.Symbol(f"{name}_j", **{"nonnegative" if name in printed.nonnegative else "real": True})
        for name in ("margin", "omega", "varsigma")
    )
    j = program.j
    slack = program.xi[j] - printed.zero["xi"]
    attained = difference(total(margin, 1), program.xi[j])
    return (
        Step(
            total(attained, -1, program.xi[j]),
            ">=",
            ZERO,
            "y_j (alpha'x_j + beta) - 1 + xi_j, where margin_j is asked not to be negative",
        ),
        Step(slack, ">=", ZERO, "xi_j, which is a maximum with 0"),
        Step(omega, ">=", ZERO, "omega_j, the multiplier of the margin"),
        Step(varsigma, ">=", ZERO, "varsigma_j, the multiplier of the slack"),
    )


@cache
def conditions(threshold: str, feasible: bool) -> Parts:
    """(15) with this threshold in (15b), with or without (2b), against the conditions derived from the Lagrangian of (2)."""

    def argument() -> Derivation:
        ours, theirs = program.derived(), asked(threshold, feasible)
        j = program.j
        unknowns = {"alpha": program.alpha[j], "beta": program.beta, "xi": program.xi[j]}
        steps = []
        for name, unknown in unknowns.items():
            other = (unknown - theirs.zero[name]).replace(
                sp.Max, lambda *args: next(a for a in args if a != 0)
            )
            steps.append(
                Step(
                    value_at(ours.zero[name], {unknown: other}),
                    "=",
                    ZERO,
                    f"the derivative of the Lagrangian in {name}, at the printed {name}",
                    how=expanded,
                )
            )
        multipliers = {"margin": program.omega[j], "slack": program.varsigma[j]}
        for name, multiplier in multipliers.items():
            charged = sp.Derivative(multiplier * ours.nonnegative[name], multiplier)
            steps.append(
                Step(
                    product(multiplier, charged),
                    "=",
                    theirs.zero[f"{name} complementarity"],
                    f"{name} complementarity for every record: a multiplier times what the Lagrangian charges for it",
                    how=lambda left, right: expanded(left.doit(), right),
                )
            )
        steps += _signs(theirs)
        short, own = sp.symbols("short varsigma_i", nonnegative=True)
        steps.append(
            Step(
                short + own,
                ">=",
                ZERO,
                "where the maximum is 0 because omega_i + varsigma_i is short of theta, varsigma_i can be raised by that much",
            )
        )
        idle = program.maximum_is_idle()
        return Derivation("the conditions are those of (2)", (*steps, *idle.steps), (CONVEX,))

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for numbers in (TWO, THREE, FLAT):
            yield numbers
            yield at_zero(numbers)
        yield {**THREE, "varsigma": ["0", "0", "1"]}
        yield {**THREE, "alpha": ["101/100", "0"]}

    printed = {"threshold": threshold, "feasible": "yes" if feasible else "no"}
    what = "the conditions hold at the optimum of (2) and at no other point"
    return Parts(instances=Instances("conditions of the machine", printed, draw, what), argument=argument)


@cache
def solvable(most: str) -> Parts:
    """The zero point satisfies (15) as printed, on all records, and so does the optimum for theta = 1."""

    def argument() -> Derivation:
        bases = {program.alpha, program.xi, program.omega, program.varsigma}
        steps = []
        for name, condition in program.printed().zero.items():
            unknowns = {e for e in condition.atoms(sp.Indexed) if e.base in bases} | {program.beta}
            steps.append(
                Step(
                    value_at(condition, dict.fromkeys(unknowns, ZERO)),
                    "=",
                    ZERO,
                    f"{name} at the zero point, all records, sizes, rho and theta",
                    how=expanded,
                )
            )
        bound = ZERO if most == "any" else 1 / sp.Integer(most)
        count = Step(
            bound,
            "<=",
            HALF,
            "one over the most: zero, which violates (2b), and the optimum are two solutions",
        )
        return Derivation(
            "(15) has a solution",
            (*steps, count),
            (CONVEX, "(2) has an optimum: its cost is strictly convex and coercive"),
        )

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        for numbers in (THREE, FLAT):
            both = [{k: point[k] for k in VARIABLES} for point in (at_zero(numbers), numbers)]
            yield {**numbers, "points": both}

    printed = {"threshold": "1", "feasible": "no", "least": "1", "most": most}
    return Parts(
        instances=Instances("solutions of the conditions", printed, draw, "number of solutions of (15)"),
        argument=argument,
    )


def conditions_moved() -> tuple[Step, ...]:
    """What a move w of the records adds to each condition of (2) at a fixed point: multiples of the entries of Omega w, or nothing."""
    x, record = program.x, program.x[program.j, program.k]
    ours, w = program.derived(), sp.IndexedBase("w", real=True)
    i, j, k = program.i, program.j, program.k
    pull = sp.Sum(program.omega[i] * program.y[i] * w[i, j], (i, 1, program.q))
    towards = program.y[j] * sp.Sum(program.alpha[k] * w[j, k], (k, 1, program.p))
    added = {"alpha": -pull, "margin": towards, "margin complementarity": program.omega[j] * towards}

    def moved(e: sp.Expr) -> sp.Expr:
        return e + w[e.indices]

    def step(name: str, before: sp.Expr) -> Step:
        after = before.replace(lambda e: isinstance(e, sp.Indexed) and e.base == x, moved)
        if after == before:
            slope = sp.Derivative(before, record)
            return Step(slope, "=", ZERO, f"no record enters the condition {name!r}, so that w adds nothing")
        return Step(
            after,
            "=",
            before + added[name],
            f"what w adds to the condition {name!r}",
            how=lambda left, right: expanded(_split(left), right),
        )

    return tuple(step(name, before) for name, before in {**ours.zero, **ours.nonnegative}.items())


def _split(expression: sp.Expr) -> sp.Expr:
    """Sums of sums as single ones."""
    return sp.expand(
        expression.replace(
            sp.Sum,
            lambda body, *limits: sp.Add(*(sp.Sum(t, *limits) for t in sp.Add.make_args(sp.expand(body)))),
        )
    )


@cache
def same_classifier(relation: str) -> Parts:
    """P{same optimum} against P{Omega w = 0}."""

    def argument() -> Derivation:
        steps = conditions_moved()
        if relation == "=":
            steps += (
                Step(
                    sp.Rational(62, 105),
                    "=",
                    sp.Rational(13, 20),
                    "only if: a classifier that stays keeps its multipliers (records -11/10, 1, 1/20 against -1, 1, 0)",
                ),
            )
        return Derivation(
            "if Omega w = 0, point and multipliers satisfy the conditions of the moved records",
            steps,
            (CONVEX,),
        )

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        yield {**FLAT, "radius": "1/20", "sigma": "1/10"}
        for _ in range(3):
            yield {**FLAT, "radius": "1/25", "sigma": str(sp.Rational(int(rng.integers(1, 20)), 10))}

    what = "the classifier of (2) under normal noise with a density on all records"
    return Parts(
        instances=Instances("probability that a classifier stays", {"relation": relation}, draw, what),
        argument=argument,
    )


@cache
def unchanged_conditions(direction: str) -> Parts:
    """The conditions of the moved records hold at the old point with the old multipliers."""

    def argument() -> Derivation:
        steps = conditions_moved()
        if direction == "if and only if":
            along = sp.Add(*(sp.Rational(a) * w for a, w in zip(THREE["alpha"], (1, 0), strict=True)))
            steps += (
                Step(
                    along,
                    "=",
                    ZERO,
                    "only if: alpha'w_3 for a record without a multiplier that moves away from the margin",
                ),
            )
        return Derivation(
            "the old point and multipliers satisfy the conditions of the moved records if Omega w = 0", steps
        )

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        yield {**THREE, "move": [["0", "0"], ["0", "0"], ["1", "0"]]}
        yield {**THREE, "move": [["1", "0"], ["0", "0"], ["0", "0"]]}
        for _ in range(4):
            a, b, x = (str(int(v)) for v in rng.integers(-9, 10, 3))
            yield {**THREE, "move": [["0", a], ["0", a], ["0", b]]}
            yield {**FLAT, "move": [[x], [x], ["0"]]}

    what = "the conditions at the old point and multipliers, after a move w of the records"
    return Parts(
        instances=Instances("the same conditions after a move", {"direction": direction}, draw, what),
        argument=argument,
    )
