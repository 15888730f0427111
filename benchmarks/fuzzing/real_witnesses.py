"""Witnesses of every kind that the project knows, as real refutations leave them, with the terms of their certificates."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp
from ron_gauss_trials.pipeline import pipeline_attack

import noiseproof as npf
from noiseproof.audit.dossier.arguments.cheaper_noise import cheaper_noise, wrong_mass
from noiseproof.audit.dossier.formula import Formula, formula_witness
from noiseproof.audit.papers.chanyaswad2019.arguments.projected_covariance import neighbours
from noiseproof.audit.record.certificate import Certificate, claim_record, finding_of
from noiseproof.audit.record.plain import plain
from noiseproof.audit.record.terms import Terms
from noiseproof.audit.studies.compression.log_ratio import pair_alpha
from noiseproof.audit.trial.attack.events import Event
from noiseproof.audit.trial.attack.scores import Score
from noiseproof.audit.trial.checks.likelihood_ratio import ChosenEvents, LikelihoodRatio
from noiseproof.audit.trial.outcomes import Grid
from noiseproof.mechanisms.compression import Compression, ReferenceCovariance
from noiseproof.mechanisms.grid_noise import GridRelease, grid_gaussian, grid_laplace
from noiseproof.symbolic import laws
from noiseproof.symbolic.programs.least_cost_noise import GaussianNoise
from noiseproof.symbolic.sensitivity.sign_matrices import block_signs, extreme_pair

Witness = dict[str, Any]
THETA = sp.Symbol("theta", real=True)


class Unsolved(npf.LaplaceCovariance):
    """The release with its worst pair forgotten: its law has to be sampled."""

    def worst_case(self) -> None:
        return None


@dataclass(frozen=True)
class Found:
    """A witness that stands; `terms` are those of its certificate, None where its kind stands in dossiers only."""

    witness: Witness
    terms: Terms | None = None

    @property
    def kind(self) -> str:
        return str(self.witness["kind"])


def audited() -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """Subjects, claims that fall, and settings."""
    gaussian, mutant = npf.GaussianMechanism(1.0, 1.0), npf.Mutant.noise_divided_by
    loud = npf.BlackBox(lambda d, n, r: d + r.laplace(0, 0.2, n), (0.0, 1.0))
    yield gaussian, npf.Claim(npf.GaussianDP(0.9), about="law"), {}
    yield npf.CosineMechanism(-4.0, 4.0), npf.PureDP(2.0), {}
    yield mutant(gaussian, 3.0), npf.GaussianDP(1.0), {}
    yield loud, npf.PureDP(1.0), {"bits": True}
    yield loud, npf.PureDP(1.0), {"sequential": True}
    yield mutant(gaussian, 3.0), npf.FisherInformation(1.0), {}
    best = npf.OptimalGaussian(1.0, (np.zeros(2), np.ones(2)))
    yield mutant(best, 3.0), npf.ErrorBound(2.0, weight=np.diag([1.0, 2.0])), {}
    yield npf.LaplaceMechanism(1.0, 1.0, dimension=2), npf.Claim(npf.FisherInformation(1.0), about="law"), {}
    flat = npf.Family.of_law(laws.uniform(-1, 1).shift(THETA), [THETA], 0.0, location=True)
    yield flat, npf.FisherInformation(3.0), {}
    normal = npf.Family.of_law(laws.normal(0, 1).shift(THETA), [THETA], 0.0, location=True)
    yield normal, npf.Claim(npf.FisherInformation(2.0), about="law"), {}
    grid = GridRelease([grid_laplace(1.0, -3), grid_gaussian(3.0, -2)], np.zeros(2), np.array([1.0, 2.0]))
    yield grid.mechanism(), npf.Claim(npf.ApproxDP(1.0, 1e-6), about="law"), {}
    two = npf.LaplaceMechanism(1.0, 1.0, dimension=2)
    yield two, npf.Claim(npf.ApproxDP(0.5, 1e-3), about="law"), {}
    printed = Unsolved.printed(4, 100, 1.0)
    yield npf.LaplaceCovariance.printed(4, 100, 1.0), npf.Claim(npf.ApproxDP(1.0, 1e-4), about="law"), {}
    yield printed, npf.Claim(npf.PureDP(1.0), about="law"), {}
    yield printed, npf.Claim(npf.ApproxDP(1.0, 1e-4), about="law"), {}
    declared = npf.BlackBox(lambda d, n, r: d + r.laplace(0, 0.5, n), (0.0, 1.0), noise="laplace")
    yield declared, npf.PureDP(1.0), {"samples": 20_000}


def beside() -> Found:
    """The event that was chosen shows nothing, another that was counted does: boxes around both rates."""
    claim = npf.Claim(npf.PureDP(1.0), npf.BlackBox(lambda d, n, r: r.laplace(d, 0.2, n), (0.0, 1.0)))
    check = LikelihoodRatio.bind(claim)
    assert check is not None
    score = Score("value", lambda sample: sample.values[:, 0])
    plan = ChosenEvents(Grid(np.zeros(1)), (score,), (Event(0, 0.0), Event(0, 1.0)), 1.0, 0.0, 100, 100, "")
    rows = [[500.0, 5.0, 250.0, 0.025, 1000.0, 100.0], [520.0, 400.0, 270.4, 160.0, 1000.0, 100.0]]
    (made,) = finding_of(1, claim, ("code",), (check.judge(plan, np.array(rows), 0.05),)).evidence
    evidence = replace(made, witness=json.loads(json.dumps(plain(made.witness))))
    terms = Terms(json.loads(json.dumps(claim_record(claim))), str(claim.subject.name), evidence, 0.05)
    return Found(terms.witness, terms)


def exact() -> Iterator[Witness]:
    """The kinds of dossiers and studies, which are exact."""
    s = sp.Symbol("s", positive=True)
    yield formula_witness(Formula(s**2 + sp.sqrt(s), "<=", sp.exp(s) / 2, (4 - s,)), {s: sp.Rational(3, 2)})
    noise = GaussianNoise(sp.sqrt(2 / sp.pi), sp.Integer(2))
    yield cheaper_noise(noise, [Fraction(1)], Fraction(1), {"type": "gaussian", "variance": "1"})
    yield wrong_mass(GaussianNoise(1 / sp.sqrt(sp.pi), sp.Integer(2)), Fraction(1), Fraction(1))
    for kind in ("projected-covariance", "laplace-orthant"):
        yield neighbours(kind, extreme_pair(block_signs(2)), sp.Rational(1, 100), np.random.default_rng(0))
    yield pipeline_attack(4, 5, 100, 1.0, 1.0).witness()
    one = np.array([[1.0, 0.25], [0.25, 1.0]])
    two = one + np.array([[0.0, 0.0625], [0.0625, 0.0]])
    pair = pair_alpha(Compression(200, ReferenceCovariance(one, 0.0625)), one, two, 1_000)
    ratio = pair.witness(pair.lower * 0.999)
    assert ratio is not None
    yield ratio
    # The curve of normal noise never vanishes.
    yield {
        "kind": "instance",
        "rule": "normal curve",
        "printed": {"vanishes": True},
        "numbers": {"mu": "1", "epsilon": "10"},
    }


def found(audits: Iterator[tuple[Any, Any, dict[str, Any]]] | None = None) -> Iterator[Found]:
    """All of them, as the JSON of a certificate has them."""
    for subject, claim, more in audits or audited():
        data = json.loads(npf.examine(subject, claim, **{"samples": 3000, **more}).to_json())
        for _, terms in Terms.all_of(Certificate.from_data(data)):
            yield Found(terms.witness, terms)
    if audits is None:
        yield beside()
    for witness in exact() if audits is None else ():
        yield Found(json.loads(json.dumps(plain(witness))))
