"""Zhou et al. (2009): verdicts, twins that flip, sabotage by one per cent that shows, witnesses; rules against independent figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest
import sympy as sp
from claim_trials import verdicts_of
from compression_trials.binary_game import BinaryGame
from dossier_section import LESS, formulas, no_step_is_idle, standing
from flint import arb
from scipy import stats

from noiseproof.audit.dossier import PaperClaim
from noiseproof.audit.dossier.formula import Formula, derivation
from noiseproof.audit.dossier.instances import compared, on_instances
from noiseproof.audit.dossier.parts import Parts, proof, tried
from noiseproof.audit.papers.zhou2009.arguments import eigenvalues as compression_eigenvalues
from noiseproof.audit.papers.zhou2009.arguments import rates as compression_rates
from noiseproof.audit.papers.zhou2009.arguments import ratio as compression_ratio
from noiseproof.audit.papers.zhou2009.arguments import sign_tables as compression_signs
from noiseproof.audit.papers.zhou2009.arguments import tables as compression_tables
from noiseproof.audit.papers.zhou2009.arguments import tails as compression_tails
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.witnesses import reevaluate

PAPER = "zhou2009"
EXPECTED = verdicts_of(PAPER, "compression")
# Formulas whose two sides touch or nearly do, by claim and number: one per cent on the larger side is one too much.
TIGHT = [
    ("eq-5-6", 0),
    ("prop-3.1", 1),
    ("prop-3.1", 2),
    ("rare-events", 1),
    ("efficient", 0),
    ("composes", 0),
    ("theorem-2.5", 0),
    ("information-rate", 0),
    ("assumption-1", 0),
    ("theorem-3.2", 0),
    ("theorem-3.2/eq-16", 1),
    ("theorem-3.2/eq-16", 2),
    ("lemma-3.3", 0),
    ("lemma-3.3", 1),
    ("theorem-3.5", 0),
    ("corollary-3.7", 0),
    ("remark-4.3", 0),
    ("remark-4.3", 1),
    ("theorem-4.6", 0),
    ("theorem-4.6/last-step", 0),
    ("theorem-4.6/last-step", 1),
    ("remark-4.7", 1),
    ("lemma-C.2", 0),
    ("lemma-C.2", 1),
    ("theorem-5.1", 0),
    ("theorem-5.1/proof", 0),
    ("theorem-5.1/proof", 3),
    ("D-intro", 0),
    ("prop-D.1", 1),
    ("prop-D.1", 3),
    ("theorem-D.2", 0),
    ("theorem-D.2", 1),
]


@pytest.mark.parametrize(("name", "number"), TIGHT)
def test_one_per_cent_on_a_tight_bound_refutes(
    name: str, number: int, claims: dict[str, PaperClaim[Any]]
) -> None:
    formula = formulas(standing(claims[name], EXPECTED[name]))[number]
    side = {"<=": "right", "<": "right", ">=": "left"}[formula.relation]
    wrong = replace(formula, **{side: getattr(formula, side) * LESS})
    assert derivation(wrong, np.random.default_rng(0)).verdict is Verdict.REFUTED


def test_the_exact_tails_are_those_of_scipy() -> None:
    for m, tau in ((20000, "1/20"), (300, "1/5"), (3, "3/2")):
        found = compression_tails.two_sided(m, arb(1) * sp.Rational(tau).p / sp.Rational(tau).q)
        t = float(sp.Rational(tau))
        expected = stats.chi2.sf(m * (1 + t), m) + stats.chi2.cdf(max(m * (1 - t), 0), m)
        assert float(found.mid()) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(
    ("one", "two", "expected"),
    [
        ("4*e/sqrt(6*pi)", "sqrt(8)*e", Verdict.REFUTED),
        ("39/10", "sqrt(8)*e", Verdict.UNDECIDED),
        ("4", "4", Verdict.PROVED),
        ("8*e/sqrt(6*pi)", "sqrt(8)*e", Verdict.PROVED),
    ],
)
def test_the_constants_of_the_tail_bound(one: str, two: str, expected: Verdict) -> None:
    """Twice the printed first constant is enough; below 4 nothing is proved, at 2.5 an exact tail refutes."""
    rng = np.random.default_rng(0)
    argued = proof(Parts(argument=lambda: compression_tails.tail_argument(one, two)), rng).verdict
    seen = on_instances(compression_tails.tails(one, two), rng).verdict
    assert (seen if expected is Verdict.REFUTED else argued) is expected
    assert argued is not Verdict.REFUTED


def test_a_first_constant_of_three_is_too_small() -> None:
    """m tau^2 = 200: the exact tail is nearly exp(-53), 2 exp(-200/3.08) is less."""
    m, tau = 500_000, "1/50"
    data = {"rule": "compression: tail of a squared column", "numbers": {"m": m, "tau": tau}}
    for one, stands in (("3", True), ("4", False)):
        witness = {"kind": "instance", "printed": {"one": one, "two": "4"}, **data}
        assert reevaluate(witness)[0] is stands


@pytest.mark.parametrize(("c", "expected"), [("2", False), ("4", True), (compression_tails.PRINTED_C, True)])
def test_the_window_of_lemma_4_4_has_room_to_four(c: str, expected: bool) -> None:
    argued = proof(Parts(argument=lambda: compression_tails.window_argument(c)), np.random.default_rng(0))
    assert (argued.verdict is Verdict.PROVED) is expected


def test_no_step_of_the_tail_bound_is_idle() -> None:
    no_step_is_idle(compression_tails.tail_argument("5", "5"))
    no_step_is_idle(compression_tails.window_argument("9/2"))
    no_step_is_idle(compression_tails.tables_argument(sp.Integer(2)))


@pytest.mark.parametrize(
    "build",
    [
        compression_tables.one_row_more,
        compression_tables.neighbours_too,
        compression_tables.normal_rows,
        compression_ratio.accepted,
        compression_ratio.main_bound,
        *(lambda k=k: compression_ratio.integrals()[k] for k in range(2)),
    ],
)
def test_no_step_about_rows_and_neighbours_is_idle(build: Callable[[], Formula]) -> None:
    formula = build()
    assert formula.argument is not None
    no_step_is_idle(formula.argument(formula))


def test_sign_tables_with_opposite_correlations_differ_in_two_rows() -> None:
    """Of four records, correlations 1/2 and -1/2: as a set of two they have no neighbours."""
    rows = list(product((-1, 1), repeat=2))
    tables = [np.array(t) for t in product(rows, repeat=4)]
    one, two = ([t for t in tables if t[:, 0] @ t[:, 1] == s] for s in (2, -2))
    assert min((x != y).any(axis=1).sum() for x in one for y in two) == 2


def test_the_bernstein_bound_holds_for_correlated_columns() -> None:
    """Simulated: 40 rows, correlations -1, 0.3 and 1; frequencies stay below 2 exp(-m tau^2/(4 + 4 tau))."""
    rng, m = np.random.default_rng(1), 40
    for r in (-1.0, 0.3, 1.0):
        x, z = rng.standard_normal((2, 20_000, m))
        off = np.abs((x * (r * x + np.sqrt(1 - r**2) * z)).mean(axis=1) - r)
        for tau in (0.4, 0.8, 1.5):
            assert np.mean(off >= tau) <= 2 * np.exp(-m * tau**2 / (4 + 4 * tau))


def test_the_worst_accepted_output_is_what_the_densities_say() -> None:
    """The closed log ratio of one correlation against numpy at S = I + w sign(Gamma)."""
    p, m, r, w = 5, 100, 0.001, 0.004
    witness = {
        "rule": "compression: one correlation",
        "printed": {"bound": "theorem", "factor": "1"},
        "numbers": {"p": p, "m": m, "r": "1/1000", "w": "1/250"},
    }
    [(_, alpha, _, bound)] = compared(witness)
    second = (1 - r) * np.eye(p) + r
    gamma = np.linalg.inv(second) - np.eye(p)
    worst = np.eye(p) + w * np.sign(gamma)
    assert np.linalg.eigvalsh(worst)[0] > 0
    found = m / 2 * (np.linalg.slogdet(second)[1] + np.trace(gamma @ worst))
    assert float(alpha.mid()) == pytest.approx(found, rel=1e-9)
    assert alpha <= bound


def test_the_bound_of_the_theorem_is_attained_to_one_per_cent() -> None:
    for bound in ("theorem", "last step"):
        for factor, expected in ((sp.Integer(1), Verdict.SURVIVED), (LESS, Verdict.REFUTED)):
            found = on_instances(compression_ratio.correlated(bound, factor), np.random.default_rng(0))
            assert found.verdict is expected


@pytest.mark.parametrize("flipped", [1, 4, 6, 9])
def test_norms_of_sign_tables_agree_with_the_game(flipped: int) -> None:
    game, t = BinaryGame(7, 9, flipped), sp.Rational(flipped, 9)
    right = compression_signs.turned_signs(sp.Integer(8), sp.Integer(2))[1]
    assert sp.simplify(game.frobenius_norm**2 - 8 * t * (1 - t) * 81 / 49) == 0
    assert sp.simplify(game.spectral_norm**2 - 4 * t * (1 - t) * 81 / 49) == 0
    assert np.linalg.norm(game.difference(np.random.default_rng(0))) == pytest.approx(
        float(game.frobenius_norm)
    )
    assert right.relation == "<="


@pytest.mark.parametrize(
    ("norm", "expected"),
    [
        ("2*p*sqrt(t*(1 - t))/n", Verdict.REFUTED),
        ("2*p*sqrt(2*t*(1 - t))/n", Verdict.SURVIVED),
        ("0.99*2*p*sqrt(2*t*(1 - t))/n", Verdict.REFUTED),
    ],
)
def test_rows_of_signs_say_both_words(norm: str, expected: Verdict) -> None:
    data = Parts(instances=compression_signs.turned_rows(norm, "sqrt(2)*p/n"))
    assert tried(data, np.random.default_rng(0)).verdict is expected


def test_rates_that_miss_the_premise_are_no_instances() -> None:
    o = compression_rates.quantity("p", "o", p=1)
    found = on_instances(compression_rates.at_rates([o], [o]), np.random.default_rng(0))
    assert found.verdict is Verdict.UNDECIDED
    for exponent, expected in (("-1/2", Verdict.REFUTED), ("-101/200", Verdict.SURVIVED)):
        premise = compression_rates.quantity("p/n^(1/3)", "O", p=1, n="-1/3")
        said = compression_rates.quantity("p^(3/2) n^e", "o", p="3/2", n=exponent)
        found = on_instances(compression_rates.at_rates([premise], [said]), np.random.default_rng(0))
        assert found.verdict is expected


@pytest.mark.parametrize(
    ("exponent", "expected"), [("1/4", Verdict.PROVED), ("1/3", Verdict.PROVED), ("101/300", Verdict.REFUTED)]
)
def test_the_exponent_of_corollary_3_7_could_be_a_third(exponent: str, expected: Verdict) -> None:
    formula = compression_rates.both_at_once(sp.Rational(exponent))
    assert derivation(formula, np.random.default_rng(0)).verdict is expected


@pytest.mark.parametrize(
    ("factor", "expected"), [("1", Verdict.PROVED), ("19/20", Verdict.PROVED), ("99/200", Verdict.REFUTED)]
)
def test_the_constant_of_the_projectors_is_between_a_half_and_095(factor: str, expected: Verdict) -> None:
    found = derivation(compression_eigenvalues.projectors(sp.Rational(factor)), np.random.default_rng(0))
    assert found.verdict is expected


def test_the_projectors_of_random_matrices_obey_the_bound() -> None:
    rng = np.random.default_rng(2)
    for _ in range(50):
        p, d = 6, int(rng.integers(1, 5))
        a, b = (x @ x.T for x in rng.standard_normal((2, p, p)))
        values, vectors = np.linalg.eigh(a)
        delta = (values[p - d] - values[p - d - 1]) / 2
        b *= delta / 2 / np.linalg.norm(b)
        moved = np.linalg.eigh(a + b)[1]
        away = np.linalg.norm(
            vectors[:, p - d :] @ vectors[:, p - d :].T - moved[:, p - d :] @ moved[:, p - d :].T
        )
        assert away <= np.linalg.norm(b) / delta


def test_known_phi_gives_a_table_of_signs_away(findings: dict[str, dict[str, Any]]) -> None:
    witness = json.loads(json.dumps(findings["phi-revealed"]["witness"]))
    assert reevaluate(witness)[0]
    witness["numbers"]["phi"] = [["1"] * 8]
    witness["numbers"]["x"] = [1, -1] * 4
    # With equal entries Phi hides the order of the signs.
    assert not reevaluate(witness)[0]


def test_the_fourth_column_pair_meets_assumption_1() -> None:
    """lemma-C.2 without its condition: Delta and Gamma are small, |Delta|/(lmin_1 lmin_2) is not."""
    r, d = 1 - 1e-3, 1e-3
    pair, none, few = (np.array([[1, c], [c, 1]]) for c in (r, 0.0, d))
    one, two = (np.block([[pair, np.zeros((2, 2))], [np.zeros((2, 2)), other]]) for other in (few, none))
    delta, gamma = one - two, np.linalg.inv(two) - np.linalg.inv(one)
    assert np.linalg.norm(delta, 2) < 2e-3
    assert np.linalg.norm(gamma, 2) < 2e-3
    least = np.linalg.eigvalsh(one)[0] * np.linalg.eigvalsh(two)[0]
    assert np.linalg.norm(delta, 2) * np.linalg.norm(one, 2) / least > 1000
