"""What the studies say of their mechanisms is audited like any other claim, and what is false of them falls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from study_claims import adversaries_claims, dataset_release_claims, large_margin_claims, ron_gauss_claims

import noiseproof as npf

BOX = ([0, 0], [1, 1])
STUDIES: dict[str, Callable[[], Sequence[npf.Claim]]] = {
    "adversaries": lambda: adversaries_claims(
        npf.TrajectoryNoise([[1, 1], [0, 1]], [[1, 0]], 3, 2.0, BOX, 0.5)
    ),
    "dataset release": lambda: dataset_release_claims(npf.OptimalGaussian(4.0, BOX), 1e-5),
    "large margin": lambda: large_margin_claims(npf.PrivateLargeMarginGaussian(1.0, range(3)), 8),
    "RON-Gauss": lambda: ron_gauss_claims(6, 100, 1.0),
}


@pytest.mark.parametrize("study", STUDIES)
def test_a_study_meets_examine(study: str) -> None:
    found = npf.examine(None, STUDIES[study](), samples=12_000).findings
    assert all(finding.as_expected for finding in found)
    assert {finding.is_control for finding in found} == {False, True}
