"""The witnesses of certificates, evaluated again from their data alone."""

from __future__ import annotations

import numpy as np
from scipy import special, stats

from ..symbolic.enclosure import compare
from ..symbolic.expressions import parse
from ..symbolic.guarantees import ApproxDP, GaussianDP, Guarantee, PureDP, RenyiDP, ZeroConcentratedDP
from ..symbolic.truth import Truth
from .angle import angle_lower_bounds
from .checks.information import error_reachable
from .evalue import EventCounts, log_e_points
from .witness import Witness, register


@register("inequality")
def inequality(witness: Witness) -> tuple[bool, str]:
    """A comparison of two exact constants that certainly fails."""
    left, relation, right = witness["left"], witness["relation"], witness["right"]
    if left == "oo":
        return relation == "<=", "the left side is unbounded"
    truth = compare(parse(left, characters=20_000), relation, parse(right, characters=20_000))
    word = {Truth.FAILS: "is certainly false", Truth.HOLDS: "holds", Truth.UNKNOWN: "is not decided"}[truth]
    return (
        truth is Truth.FAILS,
        f"{witness.get('left_value', left)} {relation} {witness.get('right_value', right)} {word}",
    )


_GUARANTEES: dict[str, type[Guarantee]] = {
    kind.__name__: kind for kind in (PureDP, ApproxDP, GaussianDP, RenyiDP, ZeroConcentratedDP)
}


@register("event counts")
def event_counts(witness: Witness) -> tuple[bool, str]:
    """Counts of events that no pair of laws under the claimed (epsilon, delta) makes likely."""
    given = witness["counts"]
    numbers = {k: np.asarray(v, dtype=float) if isinstance(v, list) else float(v) for k, v in given.items()}
    counts = EventCounts(**numbers)  # type: ignore[arg-type]
    if abs(float(np.sum(counts.weights)) - 1) > 1e-9 or np.any(counts.weights < 0):
        return False, "the weights of the events are no average"
    for k, n in (
        (counts.k0, counts.n0),
        (counts.k1, counts.n1),
        (counts.prior_k0, counts.prior_n0),
        (counts.prior_k1, counts.prior_n1),
    ):
        if np.any((k < 0) | (k > n)):
            return False, "an event is counted more often than there are outcomes"
    grid = np.asarray(witness["grid"], dtype=float)
    guarantee = _GUARANTEES.get(witness["predicate"])
    if guarantee is not None:
        curve = np.asarray(guarantee(**witness["parameters"]).curve()(grid[:, 0]), dtype=float)
        if np.any(grid[:, 1] < curve - 1e-12):
            return False, "the grid lies below the claimed curve"
    log_e = float(
        special.logsumexp(log_e_points(counts, grid[:, 0], grid[:, 1]).max(axis=1), b=counts.weights)
    )
    stands = log_e >= -np.log(float(witness["alpha"]))
    k1, k0 = int(counts.k1[0]), int(counts.k0[0])
    text = (
        f"the first event happened {k1:,} times in {int(counts.n1):,} on input 1 and {k0:,} times in {int(counts.n0):,} on input 0; "
        f"e-value 10^{log_e / np.log(10):.1f} against the claimed curve, {'beyond' if stands else 'not beyond'} 1/alpha = {1 / float(witness['alpha']):.4g}"
    )
    return bool(stands), text


@register("binomial")
def binomial(witness: Witness) -> tuple[bool, str]:
    """A count that is too unlikely under the declared law."""
    k, n, p = witness["successes"], witness["trials"], witness["probability"]
    value = min(1.0, 2 * min(stats.binom.cdf(k, n, p), stats.binom.sf(k - 1, n, p)))
    stands = value * witness["tests"] <= witness["alpha"]
    return (
        bool(stands),
        f"{witness['what']}: {k:,} of {n:,} where the law says {p:.6g}; p = {value:.3g}, shared over {witness['tests']} tests",
    )


@register("histograms")
def histograms(witness: Witness) -> tuple[bool, str]:
    """Histograms at two parameters that lie further apart than the claimed information allows."""
    counts, prior = np.asarray(witness["counts"], dtype=float), np.asarray(witness["prior"], dtype=float)
    steps = np.asarray(witness["steps"], dtype=float)
    angle = angle_lower_bounds(counts[0], counts[1], prior[0], prior[1], float(witness["alpha"]) / len(steps))
    information = (2 * angle / steps) ** 2
    claimed = witness["parameters"]
    if witness["predicate"] == "FisherInformation":
        allowed = np.broadcast_to(
            np.diag(np.atleast_2d(np.asarray(claimed["value"], dtype=float))), information.shape
        )
        worst = int(np.argmax(information - allowed))
        return bool(
            np.any(information > allowed)
        ), f"information of entry {worst + 1} at least {information[worst]:.6g}, claimed {allowed[worst]:.6g}"
    weight = (
        np.ones(len(steps))
        if "weight" not in claimed
        else np.diag(np.asarray(claimed["weight"], dtype=float))
    )
    reachable = error_reachable(information, weight)
    return (
        reachable < claimed["value"],
        f"the information found allows unbiased errors down to {reachable:.6g}, claimed at least {claimed['value']:.6g}",
    )


@register("profile")
def profile(witness: Witness) -> tuple[bool, str]:
    """A numerically integrated delta above the claimed one by more than the stated error."""
    excess = witness["delta"] - witness["claimed"]
    return excess > witness[
        "absolute_error"
    ], f"delta({witness['epsilon']:g}) = {witness['delta']:.9g}, claimed at most {witness['claimed']:.9g}"


@register("information")
def information(witness: Witness) -> tuple[bool, str]:
    """A numerically integrated information that differs from the claimed one by more than the stated error."""
    found, claimed = (np.asarray(witness[k], dtype=float) for k in ("numerical", "claimed"))
    gap = float(np.abs(found - claimed).max() / np.abs(found).max())
    return gap > witness["relative_error"], f"relative difference {gap:.3g}"


@register("shape")
def shape(witness: Witness) -> tuple[bool, str]:
    """A matrix of the wrong size."""
    return witness["claimed"] != witness[
        "information"
    ], f"claimed {witness['claimed']}, the information is {witness['information']}"


@register("irregular")
def irregular(witness: Witness) -> tuple[bool, str]:
    """A family without Fisher information: the reason names the place where its density breaks, for a reader to check."""
    speeds = witness.get("speeds")
    if speeds:
        growing = all(b > 1.02 * a for a, b in zip(speeds[1::2], speeds[3::2], strict=False))
        return (
            growing,
            f"the Hellinger speed grows as the step shrinks: {', '.join(f'{v:.4g}' for v in speeds)}",
        )
    return bool(witness["reason"]), f"{witness['subject']}: {witness['reason']}"
