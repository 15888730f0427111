"""Four checks of one sentence: the covariance of projected unit records has at most this L1 sensitivity.

A chain of norms for every dimension, the exact value by enumeration in small ones, a search for the worst
neighbours, and what Laplace noise of the claimed scale then gives away.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import sympy as sp

from .....symbolic.proof.enclosure import compare, enclose
from .....symbolic.proof.proofs.recorded import recorded
from .....symbolic.proof.truth import Truth
from .....symbolic.sensitivity.sign_matrices import (
    ENUMERATION_LIMIT,
    N,
    P,
    Pair,
    block_signs,
    distance,
    exact_sensitivity,
    extreme_pair,
    norm_chain,
    search,
    upper_bound,
)
from ....record.evidence import Evidence, Kind, Line, Series, Verdict
from ....record.witness import Witness, reevaluate
from .projected_covariance import RECORDS, neighbours, orthant_probabilities

DIMENSIONS = (1, 2, 3, 4, 5, 6, 8, 10, 13)
STATEMENT = "the L1 sensitivity over the entries is within the bound"


@dataclass(frozen=True)
class CovarianceSensitivity:
    """`bound` in p and n, argued by |D|_1 <= factor |D|_F <= factor * diameter for D = uu' - vv'."""

    bound: sp.Expr
    factor: sp.Expr
    diameter: sp.Expr


def chain_of_norms(claim: CovarianceSensitivity, _: np.random.Generator) -> Evidence:
    """Proved for every p and n if each link holds; a broken link leaves the statement open and is named."""
    steps = norm_chain(claim.factor, claim.diameter, claim.bound)
    rows = tuple(recorded(steps))
    broken = [
        (step, row) for step, row in zip(steps.steps, rows, strict=False) if row["truth"] != Truth.HOLDS.value
    ]
    if not broken:
        detail = f"{len(steps.steps)} steps re-checked for every p and n"
        return Evidence("chain of norms", "proof", "law", Verdict.PROVED, STATEMENT, detail, derivation=rows)
    links = "; ".join(
        f"{row['left']} {row['relation']} {row['right']} {row['truth']} ({row['reason']})"
        for _, row in broken
    )
    detail = (
        f"the argument breaks at {len(broken)} of {len(rows)} steps: {links}; it supports {upper_bound()}"
    )
    return Evidence("chain of norms", "proof", "law", Verdict.UNDECIDED, STATEMENT, detail, derivation=rows)


def enumeration(claim: CovarianceSensitivity, rng: np.random.Generator) -> Evidence:
    """The exact sensitivity for p up to 5, over all symmetric sign matrices, against the bound."""
    exact = {p: exact_sensitivity(p) / N for p in range(1, ENUMERATION_LIMIT + 1)}
    shown = ", ".join(f"p = {p}: {value}" for p, value in exact.items())
    truths = {p: compare(value, "<=", claim.bound.subs(P, p)) for p, value in exact.items()}
    failing = [p for p, truth in truths.items() if truth is Truth.FAILS]
    if failing:
        # The rational pair is within 1e-6 of the exact value; the comparison is made on its data sets.
        witness = neighbours("projected-covariance", extreme_pair(block_signs(failing[0])), claim.bound, rng)
        stands, says = reevaluate(witness)
        if stands:
            detail = f"exact: {shown}; beyond the bound at p in {failing}; {says}"
            return _evidence("enumeration", "computation", Verdict.REFUTED, detail, witness)
    held = all(truth is Truth.HOLDS for truth in truths.values())
    verdict = Verdict.SURVIVED if held else Verdict.UNDECIDED
    return _evidence("enumeration", "computation", verdict, f"exact: {shown}")


def worst_neighbours(claim: CovarianceSensitivity, rng: np.random.Generator) -> Evidence:
    """Search for far pairs, then build the data sets that the release would turn into them."""
    pairs = {p: search(p, rng) for p in DIMENSIONS}
    at_three = claim.bound.subs(N, RECORDS) * RECORDS
    shares = {
        p: float(distance(pair)) / float(enclose(at_three.subs(P, p)).mid()) for p, pair in pairs.items()
    }
    worst = max(shares, key=shares.__getitem__)
    witness = neighbours("projected-covariance", pairs[worst], claim.bound, rng)
    stands, says = reevaluate(witness)
    farthest = f"farthest, as a share of the bound: {shares[worst]:.6f} at p = {worst}"
    detail = f"20 starts for each p in {DIMENSIONS}; {farthest}"
    series = (_sensitivity_series(claim, pairs),)
    if stands:
        return _evidence("worst neighbours", "attack", Verdict.REFUTED, f"{says}; {detail}", witness, series)
    return _evidence("worst neighbours", "attack", Verdict.SURVIVED, detail, None, series)


def laplace_noise(claim: CovarianceSensitivity, rng: np.random.Generator) -> Evidence:
    """Laplace noise of scale bound/epsilon on every entry: privacy loss of an orthant event, epsilon = 1."""
    witnesses = {
        p: neighbours("laplace-orthant", extreme_pair(block_signs(p)), claim.bound, rng, Fraction(1))
        for p in DIMENSIONS[1:]
    }
    odds = {p: orthant_probabilities(witness) for p, witness in witnesses.items()}
    losses = {p: float((first / second).log().mid()) for p, (first, second) in odds.items()}
    detail = "privacy loss of an orthant event at epsilon = 1: " + ", ".join(
        f"{loss:.4f} for p = {p}" for p, loss in losses.items()
    )
    x = tuple(float(p) for p in losses)
    lines = (
        Line("orthant event", "attack", x, tuple(losses.values())),
        Line("epsilon", "claimed", x, tuple(1.0 for _ in x)),
    )
    title = "Laplace noise of scale bound/epsilon, epsilon = 1"
    series = (
        Series("privacy loss", title, "dimension p after projection", "privacy loss", lines, "log", "linear"),
    )
    for witness in witnesses.values():
        stands, says = reevaluate(witness)
        if stands:
            return _evidence(
                "Laplace noise at the bound",
                "computation",
                Verdict.REFUTED,
                f"{says}; {detail}",
                witness,
                series,
            )
    return _evidence("Laplace noise at the bound", "computation", Verdict.SURVIVED, detail, None, series)


CHECKS = (chain_of_norms, enumeration, worst_neighbours, laplace_noise)


def _evidence(
    check: str,
    kind: Kind,
    verdict: Verdict,
    detail: str,
    witness: Witness | None = None,
    series: tuple[Series, ...] = (),
) -> Evidence:
    return Evidence(check, kind, "law", verdict, STATEMENT, detail, witness=witness, series=series)


def _sensitivity_series(claim: CovarianceSensitivity, pairs: dict[int, Pair]) -> Series:
    """n times the sensitivity against p: as claimed, as found, exact, and as the chain of norms allows."""
    dimensions = tuple(pairs)
    x = tuple(float(p) for p in dimensions)
    small = range(1, ENUMERATION_LIMIT + 1)

    def values(bound: sp.Expr) -> tuple[float, ...]:
        return tuple(
            float(enclose(sp.simplify(bound * N).subs({P: p, N: RECORDS})).mid()) for p in dimensions
        )

    return Series(
        "sensitivity",
        "L1 sensitivity of the covariance of projected unit records",
        "dimension p after projection",
        "n times the sensitivity",
        (
            Line("statement", "claimed", x, values(claim.bound)),
            Line("proved upper bound", "bound", x, values(upper_bound())),
            Line(
                "farthest neighbours found",
                "attack",
                x,
                tuple(float(distance(pair)) for pair in pairs.values()),
            ),
            Line(
                "exact (all sign matrices)",
                "law",
                tuple(float(p) for p in small),
                tuple(float(enclose(exact_sensitivity(p)).mid()) for p in small),
            ),
        ),
        "log",
        "log",
    )
