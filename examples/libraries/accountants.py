"""Accountants under audit: the epsilon that they answer for Gaussian compositions, against the exact profile.

NOISEPROOF_DP_ACCOUNTING=ENV/bin/python noiseproof audit examples.libraries.accountants:dp_accounting
NOISEPROOF_OPACUS=ENV/bin/python noiseproof audit examples.libraries.accountants:opacus

k releases with deviation sigma are one release with deviation sigma/sqrt(k): whether their law is (epsilon, delta)-private
is decided exactly, without a sample.
"""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from typing import Any

import numpy as np

import noiseproof as npf
from examples.libraries.environments import command
from noiseproof.mechanisms.process import Process

HERE = Path(__file__).parent
DIGITS = 1e-9  # an answer is read to nine digits: dp-accounting's PLD rounds 6e-12 below the exact epsilon
KINDS = {"dp_accounting": ("rdp", "pld"), "opacus": ("rdp", "prv", "gdp")}
CASES = [
    {"sigma": sigma, "rate": 1.0, "steps": steps, "delta": delta}
    for sigma, steps, delta in itertools.product((1.0, 4.0), (1, 10, 100), (1e-3, 1e-5, 1e-8))
]


def answers(library: str, kind: str) -> list[float]:
    """What the accountant says about each case; ValueError if the library is not there."""
    process = Process(command(library, kind))
    out = [process(case, 1, np.random.default_rng(0))[0] for case in CASES]
    process.close()
    for case, epsilon in zip(CASES, out, strict=True):
        if not isinstance(epsilon, float):
            raise ValueError(
                f"{library} {kind}: no epsilon for {case}, the accountant raised {type(epsilon).__name__}"
            )
    return out


def claims(library: str) -> list[npf.Claim]:
    """Every answer as a claim about the law of the composition."""
    out: list[npf.Claim] = []
    for kind in KINDS[library]:
        for case, epsilon in zip(CASES, answers(library, kind), strict=True):
            composed = npf.GaussianMechanism(sigma=case["sigma"] / case["steps"] ** 0.5)
            out.append(
                claim_of(
                    f"{library} {kind}: {case['steps']} releases, sigma {case['sigma']:g}, delta {case['delta']:g}",
                    composed,
                    epsilon,
                    case["delta"],
                )
            )
    return out


def claim_of(title: str, composed: Any, epsilon: float, delta: float) -> npf.Claim:
    """That the law of the composition is (epsilon, delta)-private."""
    return npf.Claim(
        npf.ApproxDP(epsilon * (1 + DIGITS), delta),
        composed,
        about="law",
        title=f"{title}: epsilon {epsilon:.6g}",
        source="the accountant's answer",
    )


def dp_accounting() -> list[npf.Claim]:
    """Claims of dp-accounting, for `noiseproof audit examples.libraries.accountants:dp_accounting`."""
    return claims("dp_accounting")


def opacus() -> list[npf.Claim]:
    """Claims of Opacus."""
    return claims("opacus")


def main(words: list[str]) -> int:
    """LIBRARY: a row for each accountant: answers, proved, refuted, how far above the exact epsilon."""
    if len(words) != 1 or words[0] not in KINDS:
        print(f"expected a library, one of {', '.join(KINDS)}", file=sys.stderr)
        return 2
    try:
        found = claims(words[0])
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    certificate = npf.examine(None, found)
    size = len(CASES)
    for i, kind in enumerate(KINDS[words[0]]):
        part = certificate.findings[i * size : (i + 1) * size]
        names = [f.verdict.name for f in part]
        above = [
            claim.predicate.epsilon / exact(claim.subject.sigma, claim.predicate.delta) - 1
            for claim in found[i * size : (i + 1) * size]
        ]
        print(
            f"| {words[0]} {kind} | {size} | {names.count('PROVED')} | {names.count('REFUTED')} | {min(above):+.2e} to {max(above):+.2e} |"
        )
        for f in part:
            if f.verdict.name != "PROVED":
                print(f"|   | {f.title}: {f.verdict.name} |")
    return 0


def exact(sigma: float, delta: float) -> float:
    """The epsilon of one Gaussian release at sensitivity 1, by bisection of its closed profile."""
    from scipy.optimize import brentq
    from scipy.stats import norm

    def excess(e: float) -> float:
        tail = norm.logcdf(-e * sigma - 0.5 / sigma)
        return float(norm.cdf(0.5 / sigma - e * sigma) - np.exp(e + tail) - delta)

    return float(brentq(excess, 1e-9, 1e4, xtol=1e-13)) if excess(1e-9) > 0 else 1e-9


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
