"""The alpha of a protected set as claims about what compression releases, on two explicit tables of the set."""

from __future__ import annotations

from dataclasses import replace

from ....symbolic.claim import Claim
from ....symbolic.privacy.guarantees import PureDP
from .guarantee import CompressionGuarantee
from .subject import compression_subject, expected_loss


def claims(guarantee: CompressionGuarantee) -> tuple[Claim, ...]:
    """The proved alpha for the two `tables`, and half of what one output tells on average, which must fall."""
    tables = guarantee.tables()
    subject = compression_subject(guarantee.compression, *tables)
    said = replace(guarantee.claim(guarantee.alpha), subject=subject, about="code")
    low = PureDP(max(expected_loss(guarantee.compression, *tables)) / 2)
    return said, replace(said, predicate=low, expect="falls", title="half the mean privacy loss")
