"""Pathak, Raj (2010), sections 2 and 3: verdicts, twins that flip, sabotage that shows, witnesses, exact minimisers."""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy as sp
from dossier_section import LESS, MORE, no_step_is_idle, scaled
from margin_trials.perturbed import PrintedPerturbation

from noiseproof.audit.dossier.formula import at_points, derivation
from noiseproof.audit.dossier.instances import Instances, on_instances
from noiseproof.audit.papers.pathak2010.arguments import exact as margin_exact
from noiseproof.audit.papers.pathak2010.arguments import gradient as margin_gradient
from noiseproof.audit.papers.pathak2010.arguments import lifted as margin_lifted
from noiseproof.audit.papers.pathak2010.arguments import loss as margin_loss
from noiseproof.audit.papers.pathak2010.arguments import minimisers as margin_minimisers
from noiseproof.audit.papers.pathak2010.arguments import noise as margin_noise
from noiseproof.audit.papers.pathak2010.arguments import releases as margin_releases
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.witnesses import reevaluate
from noiseproof.mechanisms.large_margin import Huber, Objective
from noiseproof.symbolic.programs.symmetric import coordinates, matrices
from noiseproof.symbolic.proof.truth import Truth

PAPER = "pathak2010"
NEEDED = margin_gradient.NEEDED_BOUND


def seeded() -> np.random.Generator:
    return np.random.default_rng(0)


TIGHT: dict[str, Callable[[sp.Expr], Any]] = {
    "hinge": lambda f: margin_loss.near_hinge(1, f),
    "noise": lambda f: margin_gradient.noise_ratio(
        margin_gradient.EPSILON / (f * margin_gradient.bound_of(NEEDED))
    )[1],
    "rank one": lambda f: scaled(margin_gradient.rank_one(2, 2)[1], "right", f),
    "factor": lambda f: scaled(margin_gradient.factor_bounds(True)[0], "right", f),
    "Jacobian": lambda f: scaled(margin_noise.jacobian(True)[1], "right", f),
}


@pytest.mark.parametrize("name", TIGHT)
def test_one_per_cent_on_a_tight_bound_refutes(name: str) -> None:
    assert derivation(TIGHT[name](sp.Integer(1)), seeded()).verdict is Verdict.PROVED
    assert derivation(TIGHT[name](LESS), seeded()).verdict is Verdict.REFUTED


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (margin_gradient.moves(NEEDED), Verdict.SURVIVED),
        (margin_gradient.moves(f"0.99*{NEEDED}"), Verdict.REFUTED),
        (margin_gradient.moves("max(2*C, 2*sqrt(2)*0.99*(C - 1))"), Verdict.REFUTED),
        (margin_minimisers.one_minimiser(False, NEEDED), Verdict.SURVIVED),
        (margin_minimisers.one_minimiser(False, "1"), Verdict.REFUTED),
        (margin_minimisers.one_minimiser(True, "4"), Verdict.REFUTED),
        (margin_minimisers.one_minimiser(True, "5"), Verdict.SURVIVED),
        (margin_loss.midpoints(margin_loss.CORRECTED), Verdict.SURVIVED),
        (margin_loss.midpoints(margin_loss.Pieces("101*(h + s)**2/(400*h)", "s")), Verdict.REFUTED),
        (margin_releases.event_of_a_release("private variant", True), Verdict.SURVIVED),
        (margin_releases.event_of_a_release("private variant", True, "1/2"), Verdict.REFUTED),
    ],
)
def test_rules_say_both_words(found: Instances, expected: Verdict) -> None:
    assert on_instances(found, seeded()).verdict is expected


def test_wrong_differences_of_noises_are_seen() -> None:
    wrong = margin_minimisers.one_minimiser(False)
    wrong.printed["factor"] = "101/100"
    assert on_instances(wrong, seeded()).verdict is Verdict.REFUTED


DERIVATIONS = {
    "convexity": lambda: margin_loss.convexity_steps(margin_loss.CORRECTED),
    "hinge": lambda: margin_loss.near_hinge(1).argument(margin_loss.near_hinge(1)),
    "block": lambda: margin_gradient.block_bound(NEEDED),
    "first order": lambda: margin_minimisers.first_order("derivative times Phi_c"),
    "noise": lambda: margin_minimisers.noise_for_an_output(False),
    "strict": lambda: margin_noise.strict_minimum(margin_noise.RIDGE),
    "private": margin_noise.private_steps,
}


@pytest.mark.parametrize("name", DERIVATIONS)
def test_no_step_is_idle(name: str) -> None:
    no_step_is_idle(DERIVATIONS[name]())


@pytest.mark.parametrize(
    "broken",
    [
        margin_loss.convexity_steps(margin_loss.PRINTED),
        margin_gradient.block_bound("2"),
        margin_gradient.block_bound(f"0.99*{NEEDED}"),
        margin_minimisers.first_order("derivative"),
        margin_minimisers.noise_for_an_output(True),
        margin_noise.strict_minimum(sp.Integer(0)),
    ],
    ids=lambda d: d.conclusion[:40],
)
def test_wrong_statements_break_their_derivations(broken: Any) -> None:
    assert broken.check() is Truth.FAILS


def test_the_volume_element_decides_the_shape() -> None:
    for shape in (margin_noise.ORDER * LESS, margin_noise.ORDER * MORE, margin_noise.D + 1):
        wrong = margin_noise.radial(margin_noise.ORDER - 1, shape)
        assert at_points(wrong, seeded()).verdict is Verdict.REFUTED


def draws(found: Instances) -> list[dict[str, Any]]:
    return list(found.draw(seeded()))


def test_the_exact_objective_is_that_of_the_classifier() -> None:
    for numbers in draws(margin_gradient.moves(NEEDED)):
        numbers = numbers | {"margin": "3/4", "ridge": "1/3", "noise": [["1/5", "-1/2"], ["1/3", "1/7"]]}
        one = numbers["data"]
        numbers["data"] = one | {"features": [["1/2"], *one["features"]], "labels": [0, *one["labels"]]}
        problem = margin_exact.problem_of(numbers)
        phi = [margin_exact.matrix(p) for p in numbers["phi"]]
        data = numbers["data"]
        assert len(data["labels"]) == 2
        floats = np.array([[float(Fraction(x)) for x in row] for row in data["features"]])
        base = Objective.of(floats, np.array(data["labels"]), data["classes"], Huber(0.5, 0.75), 0.25, 1 / 3)
        tilt = np.tile(coordinates(np.array(problem.noise[0], dtype=float)), (data["classes"], 1))
        known = Objective(base.outer, base.labels, base.classes, base.loss, base.price, base.ridge, 1.0, tilt)
        vector = coordinates(np.array(phi, dtype=float))
        assert float(known.value(vector)) == pytest.approx(float(problem.value(phi)))
        assert np.allclose(matrices(known.gradient(vector)), np.array(problem.slope(phi), dtype=float))


def test_exact_minimisers_are_those_of_the_solver() -> None:
    for numbers in draws(margin_minimisers.derivative_at_minimisers("derivative"))[:4]:
        problem = margin_exact.problem_of(numbers)
        solver = PrintedPerturbation(float(problem.price), float(problem.width))
        x = np.array([[float(Fraction(v)) for v in row] for row in numbers["data"]["features"]])
        found = solver.minimise(x, [0, 1], np.array(problem.noise[0], dtype=float))
        exact = float(problem.value([margin_exact.matrix(p) for p in numbers["phi"]]))
        assert found.objective == pytest.approx(exact, abs=1e-6)


def test_a_point_that_is_no_minimiser_is_no_instance() -> None:
    found = margin_minimisers.derivative_at_minimisers("derivative times Phi_c")
    numbers = draws(found)[0]
    phi = [[[str(Fraction(x) * Fraction(101, 100)) for x in row] for row in p] for p in numbers["phi"]]
    for changed in ({"phi": phi}, {"noise": [["1/4", "0"], ["0", "51/100"]]}):
        wrong = Instances(found.rule, found.printed, lambda _, c=changed: iter([numbers | c]))
        with pytest.raises(ValueError, match="no certified minimiser"):
            on_instances(wrong, seeded())


def test_records_beyond_the_unit_ball_and_unknown_labels_are_refused() -> None:
    for data in (
        {"features": [["2"]], "labels": [0], "classes": 2},
        {"features": [["1"]], "labels": [2], "classes": 2},
        {"features": [["1"]], "labels": [0, 1], "classes": 2},
    ):
        with pytest.raises(ValueError, match=r"unit ball|one label"):
            margin_exact.Sample.of(data)


@pytest.mark.parametrize("labels_move", [True, False])
def test_the_event_of_theorem_1_is_seen_by_the_solver(labels_move: bool) -> None:
    """Noises of the ball: Phi_1 is not zero for one sample, and is for its neighbour."""
    rng = seeded()
    for numbers in draws(margin_releases.event_of_a_release("one noise for all classes", labels_move)):
        problem = margin_exact.problem_of(numbers)
        solver = PrintedPerturbation(float(problem.price), float(problem.width), float(problem.margin))
        norms = {}
        for key in ("data", "other"):
            step = rng.normal(size=(2, 2))
            noise = np.array(problem.noise[0], dtype=float) + 0.4 * step / np.linalg.norm(step)
            objective = Objective.of(
                np.array([[float(Fraction(v)) for v in row] for row in numbers[key]["features"]]),
                np.array(numbers[key]["labels"]),
                2,
                Huber(solver.width, solver.margin),
                solver.price,
            )
            phi = minimised(objective, noise)
            norms[key] = float(np.linalg.norm(phi[0]))
        assert norms["data"] > 1e-2
        assert norms["other"] < 1e-4


def minimised(base: Objective, noise: np.ndarray) -> np.ndarray:
    """The minimiser by the solver; a sample of one class alone has two matrices all the same."""
    from dataclasses import replace

    from noiseproof.mechanisms.large_margin.conic import conic_solution

    return conic_solution(replace(base, tilt=np.tile(coordinates(noise), (2, 1)))).phi


def test_the_witness_of_theorem_1_needs_the_neighbour(findings: dict[str, dict[str, Any]]) -> None:
    witness = json.loads(json.dumps(findings["theorem-1"]["witness"]))
    assert reevaluate(witness)[0]
    for changed in ({"other": witness["numbers"]["data"]}, {"radius": "1"}, {"direction": ["1", "1"]}):
        assert not reevaluate(witness | {"numbers": witness["numbers"] | changed})[0]


def test_the_probability_of_the_event_is_a_lower_bound() -> None:
    """Against draws by the recipe: how often the noise lies in the ball, and how often Phi_1 = 0 is excluded."""
    numbers = draws(margin_releases.event_of_a_release("one noise for all classes", True))[1]
    problem = margin_exact.problem_of(numbers)
    lowest = float(margin_releases._often(problem, numbers))
    from margin_trials.perturbed import printed_noise

    noise = printed_noise(1, float(numbers["epsilon"]), 200_000, seeded())
    centre = np.array(problem.noise[0], dtype=float)
    inside = np.linalg.norm(noise - centre, axis=(1, 2)) < float(Fraction(numbers["radius"]))
    assert 0 < lowest <= inside.mean()


def test_lifted_matrices_need_every_block() -> None:
    wrong = margin_lifted.lifted(sp.Integer(0))[0]
    assert derivation(wrong, seeded()).verdict is Verdict.REFUTED
