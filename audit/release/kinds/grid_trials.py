"""Noise on a grid under audit: the limits on epsilon, what the mechanism states, and controls that are false on purpose."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from ....mechanisms.mutant import Mutant
from ....symbolic.claim import Claim, Scope
from ....symbolic.privacy.guarantees import ApproxDP, Guarantee
from ..grid_figures import standard_deviation
from .by_columns import ByColumns

_WIDEST = 256  # numbers of one outcome


def grid_trials(
    release: ByColumns,
    group: int,
    stated: Guarantee | None,
    stated_of_one: Callable[[], Guarantee | None],
    wanted: Guarantee | None,
    scope: Scope,
) -> tuple[Claim, ...]:
    """Claims about law, code and bytes at the declared worst-case neighbours.

    A unit of many records is audited as one long record.  Where that is too long, the claims on the unit are about
    the law alone, and the code is audited on one record of it.  `wanted` is the limit of the policy.
    """
    if stated is None:
        return near_records(release, scope)
    short = group == 1 or release.dimension * group <= _WIDEST
    unit = release.of_unit(group).mechanism()
    claims = [
        Claim(stated, unit, scope, "code" if short else "law", title=f"as released: {stated.sentence()}")
    ]
    if wanted is not None and vars(stated) != vars(wanted):
        # It follows from what is stated: the law settles it, and the attack is spent on the tighter claim.
        claims.append(Claim(wanted, unit, scope, "law", title=f"limit of the policy: {wanted.sentence()}"))
    tried, tight = unit, stated
    if not short:
        one = stated_of_one()
        assert one is not None  # what holds for the unit holds for one record of it
        tried, tight, scope = (
            release.mechanism(),
            one,
            replace(scope, adjacency="replace-one record of the unit of privacy"),
        )
        claims.append(Claim(tight, tried, scope, title=f"one record, as released: {tight.sentence()}"))
    factor = control_factor(tried.dimension)
    weaker = Mutant.noise_divided_by(tried, factor)
    return (
        *claims,
        Claim(
            tight,
            weaker,
            scope,
            expect="falls",
            title=f"control: {tight.sentence()} with 1/{factor} of the noise",
        ),
    )


def control_factor(numbers: int) -> int:
    """By how much the noise of a control is smaller: an event of many numbers reaches less of the loss, so that more is needed."""
    return 1 << max(1, math.ceil(math.log2(numbers) / 2))


def near_records(one: ByColumns, scope: Scope) -> tuple[Claim, ...]:
    """Where no two far records can be confused, records close to each other still can: how well, exactly and in the audit.

    Two records a quarter of the noise's standard deviation apart in every column are told apart with an advantage of at
    most the total variation distance of their outcomes; this is what an error bound rests on.
    """
    near = []
    for noise, low, span in zip(one.noises, one.lows, one.spans, strict=True):
        steps = min(span, max(1, round(standard_deviation(noise) / noise.step / 4)))
        near.append(low + (steps + 1) * noise.step)
    close = ByColumns(one.noises, one.lows, tuple(min(h, n) for h, n in zip(one.highs, near, strict=True)))
    advantage = float(close.delta([0.0])[0])
    claim = ApproxDP(0.0, min(advantage, 1 - 1e-12))
    subject = close.mechanism()
    apart = [f"{(s * n.step):.4g}" for n, s in zip(close.noises, close.spans, strict=True)]
    distances = f"{', '.join(apart[:8])}{', ...' if len(apart) > 8 else ''}"
    scope = replace(scope, domain=f"two records that are {distances} apart in the private columns")
    factor = control_factor(subject.dimension)
    weaker = Mutant.noise_divided_by(subject, factor)
    said = f"two records a quarter of the noise apart are told apart with an advantage of at most {advantage:.4g}"
    return (
        Claim(claim, subject, scope, title=said),
        Claim(claim, weaker, scope, expect="falls", title=f"control: {said}, with 1/{factor} of the noise"),
    )
