"""How often the distinguisher refutes, over many audits."""

from __future__ import annotations

from typing import Any

import noiseproof as npf


def refuted(subject: Any, claim: Any, samples: int, audits: int, seed: int = 0) -> int:
    """How many of the audits the distinguisher refutes, whatever other checks find."""
    found = 0
    for i in range(audits):
        certificate = npf.examine(subject, claim, samples=samples, seed=seed + i)
        evidence = [e for e in certificate.findings[0].evidence if e.check == "likelihood ratio"]
        found += any(e.verdict is npf.Verdict.REFUTED for e in evidence)
    return found


def as_black_box(mechanism: npf.Mechanism) -> npf.BlackBox:
    return npf.BlackBox(mechanism.release, mechanism.neighbours()[0])
