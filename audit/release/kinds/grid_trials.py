"""Noise on a grid on trial: the limits on epsilon, what the mechanism states, and controls that are false on purpose."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from ....mechanisms.tampered import Tampered
from ....symbolic.claim import Claim
from ....symbolic.privacy.guarantees import ApproxDP, Guarantee, PureDP
from .grid_limits import scope_of

if TYPE_CHECKING:
    from .grid_kind import GridKind

_WIDEST = 256  # numbers of one outcome


def grid_trials(kind: GridKind) -> tuple[Claim, ...]:
    """Claims about law, code and bytes at the declared worst-case neighbours.

    A unit of many records is put on trial as one long record.  Where that is too long, the claims on the unit are about
    the law alone, and the code is put on trial on one record of it.
    """
    stated, wanted, scope = kind.stated(), limit_of(kind), scope_of(kind)
    if stated is None:
        return near_records(kind)
    short = kind.group == 1 or kind.release.dimension * kind.group <= _WIDEST
    unit = kind.unit_release.mechanism()
    claims = [
        Claim(stated, unit, scope, "code" if short else "law", title=f"as released: {stated.sentence()}")
    ]
    if wanted is not None and vars(stated) != vars(wanted):
        # It follows from what is stated: the law settles it, and the attack is spent on the tighter claim.
        claims.append(Claim(wanted, unit, scope, "law", title=f"limit of the policy: {wanted.sentence()}"))
    tried, tight = unit, stated
    if not short:
        one = kind.stated(1)
        assert one is not None  # what holds for the unit holds for one record of it
        tried, tight, scope = (
            kind.release.mechanism(),
            one,
            replace(scope, adjacency="replace-one record of the unit of privacy"),
        )
        claims.append(Claim(tight, tried, scope, title=f"one record, as released: {tight.sentence()}"))
    factor = control_factor(tried.dimension)
    weaker = Tampered.noise_divided_by(tried, factor)
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


def limit_of(kind: GridKind) -> Guarantee | None:
    """The limit of the policy on epsilon and delta as a guarantee."""
    limits = kind.policy.model.limits
    if limits.epsilon is None:
        return None
    return (
        PureDP(float(limits.epsilon))
        if limits.delta is None
        else ApproxDP(float(limits.epsilon), float(limits.delta))
    )


def near_records(kind: GridKind) -> tuple[Claim, ...]:
    """Where no two far records can be confused, records close to each other still can: how well, exactly and on trial.

    Two records a quarter of the noise's standard deviation apart in every column are told apart with an advantage of at
    most the total variation distance of their outcomes; this is what an error bound rests on.
    """
    from .grid_kind import ByColumns, standard_deviation

    one = kind.release
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
    scope = replace(scope_of(kind), domain=f"two records that are {distances} apart in the private columns")
    factor = control_factor(subject.dimension)
    weaker = Tampered.noise_divided_by(subject, factor)
    said = f"two records a quarter of the noise apart are told apart with an advantage of at most {advantage:.4g}"
    return (
        Claim(claim, subject, scope, title=said),
        Claim(claim, weaker, scope, expect="falls", title=f"control: {said}, with 1/{factor} of the noise"),
    )
