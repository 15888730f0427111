"""Audits of released libraries, each in an environment of its own.

python -m venv ENV && ENV/bin/pip install opendp==0.16.0
NOISEPROOF_OPENDP=ENV/bin/python noiseproof audit examples.libraries.audits:opendp      a page
NOISEPROOF_OPENDP=ENV/bin/python python -m examples.libraries.audits opendp sum mean    rows of a table

Variables and versions of docs/comparison.md: NOISEPROOF_OPENDP; NOISEPROOF_OPENDP_INTEGER (opendp==0.14.1 or 0.14.2);
NOISEPROOF_DIFFPRIVLIB (diffprivlib==0.6.6 scikit-learn==1.5.2; it does not import with scikit-learn 1.9.1);
NOISEPROOF_PYDP (python-dp==1.1.5); NOISEPROOF_DP_ACCOUNTING (dp-accounting==0.6.0);
NOISEPROOF_OPACUS (--no-deps opacus==1.6.0, then numpy scipy opt_einsum).

Claims about data are audited at neighbours that a search finds; the others at the two inputs that are worst.
"""

from __future__ import annotations

import resource
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import noiseproof as npf
from examples.libraries.environments import command
from noiseproof.audit.trial.gate.fingerprints import certified_epsilon

HERE = Path(__file__).parent
PURE = npf.PureDP(1.0)
UNIT = npf.Box(-0.5, 1.5)  # wider than the bounds 0 and 1, to which the libraries promise to clamp
LABEL = npf.Categorical([0, 1, 2])
REPLACE, ADD = npf.ReplaceOne(), npf.AddOrRemove()
SAMPLES, SLOW, SEARCHED = 40_000, 10_000, 6_000  # outcomes per input; both inputs of all pairs together


@dataclass(frozen=True)
class Audit:
    """One release and what its library claims; `at` is a pair of inputs or (domain, adjacency, size) to search.

    `samples` per input are fewer where a call is slow.  `label` tells two audits of one release apart.
    """

    release: str
    guarantee: npf.Guarantee
    at: tuple[Any, ...]
    samples: int = SAMPLES
    label: str = ""


def pair(release: str, guarantee: npf.Guarantee = PURE, at: tuple[Any, Any] = (0.0, 1.0)) -> Audit:
    """An audit at two given inputs."""
    return Audit(release, guarantee, at)


AUDITS: dict[str, list[Audit]] = {
    "opendp": [
        pair("laplace"),
        pair("gaussian", npf.ZeroConcentratedDP(0.5)),
        pair("geometric", at=(0, 1)),
        pair("randomised-response", npf.PureDP(1.0986122886681098), at=("a", "b")),
        pair("noisy-max", at=([0, 0, 1], [1, 1, 0])),
        Audit("sum", npf.PureDP(1.000000009313226), (UNIT, ADD, 3)),
        Audit("mean", npf.PureDP(1.0000000000000067), (UNIT, REPLACE, 4)),
        Audit("variance", npf.PureDP(1.0000000000000098), (UNIT, REPLACE, 4)),
        Audit("count", PURE, (LABEL, ADD, 3)),
        Audit("histogram", PURE, (LABEL, ADD, 3)),
        Audit("quantile", PURE, (LABEL, ADD, 3)),
    ],
    "opendp_integer": [Audit("laplace", npf.PureDP(1 / 3), (0, 1), 100_000)],
    "diffprivlib": [
        pair("laplace"),
        pair("laplace-bounded-domain"),
        pair("laplace-bounded-noise", npf.ApproxDP(1.0, 0.1)),
        pair("geometric", at=(0, 1)),
        pair("gaussian-analytic", npf.ApproxDP(1.0, 0.01)),
        pair("gaussian-discrete", npf.ApproxDP(1.0, 0.01), at=(0, 1)),
        pair("staircase"),
        pair("snapping"),
        pair("binary", at=("no", "yes")),
        pair("exponential", at=([0, 0, 1], [1, 1, 0])),
        pair("permute-and-flip", at=([0, 0, 1], [1, 1, 0])),
        Audit("mean", PURE, (UNIT, REPLACE, 4)),
        Audit("sum", PURE, (UNIT, REPLACE, 4)),
        Audit("variance", PURE, (UNIT, REPLACE, 4), SLOW),
        Audit("median", PURE, (UNIT, REPLACE, 5), SLOW),
        Audit("median", PURE, ([0.0] * 2980, [0.5] + [0.0] * 2979), 1_000, "median of 2980 records"),
        Audit("count", PURE, (npf.Categorical([0, 1]), REPLACE, 4)),
        Audit("histogram", PURE, (npf.Box(0, 1), ADD, 3), SLOW),
        Audit("histogram", PURE, (npf.Box(0, 1), REPLACE, 3), SLOW, "histogram, replace-one"),
        Audit("nanmean", PURE, (npf.Categorical([None, 0.0, 1.0]), REPLACE, 10), SLOW),
        Audit("nanvar", PURE, (npf.Categorical([None, 0.0, 1.0]), REPLACE, 10), SLOW),
    ],
    "pydp": [
        pair("laplace"),
        pair("gaussian", npf.ApproxDP(1.0, 0.01)),
        Audit("sum", PURE, (UNIT, ADD, 3)),
        Audit("integer-sum", PURE, (npf.Box(-1, 3, integer=True), ADD, 3)),
        Audit("mean", PURE, (UNIT, ADD, 3)),
        Audit("variance", PURE, (UNIT, ADD, 3)),
        Audit("deviation", PURE, (UNIT, ADD, 3)),
        Audit("count", PURE, (UNIT, ADD, 3)),
        Audit("max", PURE, (UNIT, ADD, 3)),
        Audit("median", PURE, (UNIT, ADD, 3)),
        Audit("percentile", PURE, (UNIT, ADD, 3)),
    ],
}


def claim_of(library: str, audit: Audit, seed: int = 0) -> npf.Claim:
    """The library's claim about a release, at given or at found neighbours."""
    words = command(library, audit.release)
    name = f"{library} {audit.label or audit.release}"
    if len(audit.at) == 2:
        subject: Any = npf.BlackBox.process(words, (audit.at[0], audit.at[1]), name=name)
        return npf.Claim(
            audit.guarantee, subject, npf.Scope("the two given inputs"), source="the library's documentation"
        )
    domain, adjacency, size = audit.at
    release = npf.BlackBox.process(words, (0, 1), name=name)
    found = npf.search_neighbours(release, domain, adjacency, size=size, samples=SEARCHED, seed=seed)
    scope = npf.Scope(adjacency.name, domain.describe(), "one record")
    return npf.Claim(audit.guarantee, found.subject(name=name), scope, source="the library's documentation")


def claims(library: str) -> list[npf.Claim]:
    """All claims about a library."""
    return [claim_of(library, audit) for audit in AUDITS[library]]


def opendp() -> list[npf.Claim]:
    """Claims of OpenDP, for `noiseproof audit examples.libraries.audits:opendp`."""
    return claims("opendp")


def opendp_integer() -> list[npf.Claim]:
    """OpenDP's integer Laplace noise at scale 3, in 0.14.1 or 0.14.2; NOISEPROOF_OPENDP_INTEGER names its Python."""
    return claims("opendp_integer")


def diffprivlib() -> list[npf.Claim]:
    """Claims of diffprivlib."""
    return claims("diffprivlib")


def pydp() -> list[npf.Claim]:
    """Claims of PyDP."""
    return claims("pydp")


def row(library: str, audit: Audit, share: float, alpha: float, seed: int) -> str:
    """One audit as a row: release, claim, adjacency, samples, seed, verdict, certified epsilon, seconds of CPU."""
    before, samples = _seconds(), int(share * audit.samples)
    claim = claim_of(library, audit, seed)
    certificate = npf.examine(None, claim, samples=samples, alpha=alpha, seed=seed)
    bound = certified_epsilon(certificate.findings[0].record())
    certified = "-" if bound is None else f"{bound[2]:.4g}"
    subject = claim.subject
    getattr(getattr(subject, "source", subject), "release").close()  # noqa: B009
    cells = (
        audit.label or audit.release,
        audit.guarantee.sentence(),
        claim.scope.adjacency,
        f"{samples:,}",
        str(seed),
        certificate.verdict.name,
        certified,
        f"{_seconds() - before:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def _seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(u.ru_utime + u.ru_stime for u in used)


def main(words: list[str]) -> int:
    """LIBRARY [RELEASE ...] [share=F] [alpha=A] [seed=S]."""
    settings = {"share": 1.0, "alpha": 0.001, "seed": 0.0}
    names = [w for w in words if "=" not in w]
    settings |= {key: float(value) for key, value in (w.split("=") for w in words if "=" in w)}
    if not names or names[0] not in AUDITS:
        print(f"expected a library, one of {', '.join(AUDITS)}", file=sys.stderr)
        return 2
    try:
        for audit in AUDITS[names[0]]:
            if len(names) == 1 or {audit.release, audit.label} & {*names[1:]}:
                print(
                    row(names[0], audit, settings["share"], settings["alpha"], int(settings["seed"])),
                    flush=True,
                )
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
