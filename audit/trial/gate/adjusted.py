"""P-values of what a gate refuted, and the same among all claims that were tried: where many are reported, one may be chance.

The alpha of a session is divided before anything runs, and decides; Holm's method (Holm 1979), which needs no independence, says
afterwards what each refutation is worth among all.  The exact tests and intervals of an audit stay what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ...record.certificate import Certificate, Finding
from ...record.evidence import Verdict
from ...record.terms import Terms


def p_value(finding: Finding, certificate: Certificate) -> float | None:
    """How probable it is at most that a trial refutes any of its true claims as clearly as this one; None of a claim that stands.

    Zero where it was refuted exactly.  Every test of the trial counts: its p-value is divided by its share of the trial's alpha.
    """
    if finding.verdict is not Verdict.REFUTED:
        return None
    alpha = float(certificate.settings["alpha"])
    found = [e for e in finding.evidence if e.verdict is Verdict.REFUTED]
    if any(e.error == 0 for e in found):
        return 0.0
    terms = [t for f, t in Terms.all_of(certificate) if f.id == finding.id and t.evidence in found]
    # A refutation has a p-value of at most the alpha that its test could spend.
    return min([alpha, *(_of_event(t.witness, alpha) for t in terms if t.witness.get("kind") == "event")])


def holm(p_values: Mapping[str, float], claims: int) -> dict[str, float]:
    """Holm's adjusted p-values by name, among so many claims; those of claims that stand count as 1.

    ValueError for fewer claims than p-values, or what is no probability.
    """
    values = list(p_values.values())
    if claims < len(values) or any(not 0 <= p <= 1 for p in values):
        raise ValueError(f"expected p-values in [0, 1] of at most {claims} claims, got {values}")
    if not values:
        return {}
    from statsmodels.stats.multitest import multipletests

    padded: Sequence[float] = [*values, *[1.0] * (claims - len(values))]
    adjusted = multipletests(padded, method="holm")[1]
    return {name: float(p) for name, p in zip(p_values, adjusted, strict=False)}


def _of_event(witness: Mapping[str, Any], alpha: float) -> float:
    from ..attack.event_bound import EventCount, EventTest

    count = EventCount(**{name: int(witness["count"][name]) for name in ("k", "n", "l", "m")})
    level = float(witness["level"])
    found = EventTest(count, float(witness["delta"]), level).p_value(float(witness["epsilon"]))
    return min(1.0, found * alpha / level)
