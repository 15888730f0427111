"""The epsilon of the private large-margin classifier as claims about its releases for the worst neighbours known."""

from __future__ import annotations

import numpy as np

from ....mechanisms.large_margin import PrivateLargeMarginGaussian, audit_subject
from ....symbolic.claim import Claim, Scope
from ....symbolic.privacy.guarantees import PureDP
from .private_attack import PrintedScale, worst_neighbours


def claims(model: PrivateLargeMarginGaussian, size: int, dimension: int = 1) -> tuple[Claim, ...]:
    """The model keeps its epsilon for data sets of `size` records in R^dimension; with the printed noise it must fall."""
    pair = worst_neighbours(np.size(model.classes), size, dimension)
    printed = PrintedScale(**model.get_params())
    scope = Scope("one labelled record is replaced", f"{size} equal records of length 1", "one record")
    said = PureDP(model.epsilon)
    return (
        Claim(said, audit_subject(model, *pair), scope, title="the derived noise"),
        Claim(
            said,
            audit_subject(printed, *pair),
            scope,
            source="Pathak, Raj (2010), theorem 1",
            expect="falls",
            title="the printed noise",
        ),
    )
