"""What would make a refuted claim about a law true: other noise, less sensitivity, or a weaker claim, each proved before it is said."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import exp, floor, log, log10, sqrt

import numpy as np
from scipy.optimize import brentq

from ....mechanisms.mechanism import Subject, WorstCase
from ....symbolic.arrays import Floats
from ....symbolic.predicates import ErrorBound, FisherInformation, Predicate
from ....symbolic.privacy.guarantees import Guarantee
from ....symbolic.privacy.pair import BoundedByEach, Pair
from ....symbolic.proof.derivation import Step
from ....symbolic.proof.enclosure import NotEnclosableError, enclose
from ....symbolic.proof.truth import Truth

_MOST = 2.0**20
_NEAR, _FAR = 1e-5, 50.0  # in logarithms
_READ = 13  # digits of what must equal a number that is read to twelve
IRREGULAR = "no number makes it true: this law has no Fisher information, one that is smooth everywhere has"
Proved = Callable[[Subject, Predicate], bool]


def bounds(worst: WorstCase) -> tuple[Pair, ...]:
    """The pairs each of which bounds those of all neighbours."""
    dominating = worst.dominating or worst.pair
    return dominating.pairs if isinstance(dominating, BoundedByEach) else (dominating,)


def remedy(subject: Subject, guarantee: Guarantee) -> str:
    """The ways in which the guarantee would be proved, in words; "" if none is known."""

    def short(on: Subject, said: Guarantee) -> float:
        worst = on.worst_case()
        return 1.0 if worst is None else min(_short(said.inequality(pair)) for pair in bounds(worst))

    ways = []
    stated, looser = vars(guarantee), vars(guarantee.tightened(0.5))
    number = next((name for name in stated if stated[name] != looser[name]), "")

    def weaker(value: float) -> Guarantee:
        return guarantee.stating({**stated, number: value})

    said = _least(lambda v: short(subject, weaker(v)), stated[number]) if number else None
    if said is not None:
        ways.append(f"as declared, {weaker(said).sentence()}")
    more = _least(lambda c: short(subject.with_noise_divided_by(1 / c), guarantee))
    if more is not None:
        ways.append(_with_noise(subject, more))
        if isinstance(sensitivity := subject.parameters().get("sensitivity"), float):
            ways.append(
                f"with this noise, for a sensitivity of {_rounded_down(sensitivity / more):g} at most"
            )
    return _said(ways)


def error_remedy(subject: Subject, claim: ErrorBound, bound: float, proved: Proved) -> str:
    """The same of an error bound where `bound` is the one that was derived."""
    ways = []
    if bound > 0 and proved(subject, weaker := replace(claim, value=_rounded_down(bound))):
        ways.append(f"as declared, {weaker.sentence()}")
    least = _noise_for(claim, bound, subject)
    for factor in () if least is None else _rounded_up(least):
        if _scales(lambda c: proved(subject.with_noise_divided_by(1 / c), claim), factor):
            ways.append(_with_noise(subject, factor))
            break
    return _said(ways)


def _noise_for(claim: ErrorBound, bound: float, subject: Subject) -> float | None:
    """The factor at which the bound reaches the claim: it grows with the square of the noise, but for what a prior knows."""
    known = subject.noise_information()
    if bound <= 0 or known is None or known.numeric is None:
        return None
    if claim.adversary in ("unbiased", "informed"):
        return sqrt(claim.value / bound)
    entries = len(known.numeric)
    own = float(np.trace(known.numeric)) / entries
    wanted = entries / claim.value - (entries / bound - own)
    return sqrt(own / wanted) if wanted > 0 else None


def information_remedy(subject: Subject, claim: FisherInformation, known: Floats, proved: Proved) -> str:
    """The same of a claimed information where this one is known: the number itself, and the noise that has the claimed one."""
    ways = []
    stated = _stated_information(known)
    if stated is not None and proved(subject, stated[0]):
        ways.append(f"as declared, the Fisher information at theta is {stated[1]}")
    claimed = claim.matrix()
    if claimed.shape == known.shape and np.trace(claimed) > 0 < np.trace(known):
        factor = float(f"{sqrt(np.trace(known) / np.trace(claimed)):.{_READ}g}")
        if _scales(lambda c: proved(subject.with_noise_divided_by(1 / c), claim), factor):
            ways.append(_with_noise(subject, factor, _READ))
    return _said(ways)


def _stated_information(known: Floats) -> tuple[FisherInformation, str] | None:
    """The claim of this information in as many digits as are read, and its words; None of one that is too long to be read."""
    size, first = len(known), float(f"{known[0, 0]:.{_READ}g}")
    if size == 1:
        return FisherInformation(first), f"{first:.{_READ}g}"
    if np.allclose(known, first * np.eye(size), rtol=1e-12, atol=0):
        return FisherInformation(
            first * np.eye(size)
        ), f"{first:.{_READ}g} times the {size} x {size} identity"
    if size > 3:
        return None
    rows = [[float(f"{x:.{_READ}g}") for x in row] for row in known]
    return FisherInformation(rows), str(rows)


def _with_noise(subject: Subject, factor: float, digits: int = 6) -> str:
    """A factor of the noise, and the parameters that have it."""
    now, then = subject.parameters(), subject.with_noise_divided_by(1 / factor).parameters()
    changed = [f"{k} = {v:.{digits}g}" for k, v in then.items() if isinstance(v, float) and v != now[k]]
    return f"with {factor:.{digits}g} times the noise, {', '.join(changed)}".rstrip(", ")


def _said(ways: list[str]) -> str:
    return f"true would be: {'; or '.join(ways)}" if ways else ""


def _scales(enough: Callable[[float], bool], factor: float) -> bool:
    """Whether the factor is enough; no, of a claim or a mechanism that cannot be scaled."""
    try:
        return enough(factor)
    except (TypeError, ValueError, ArithmeticError):
        return False


def _rounded_down(value: float) -> float:
    step = 10.0 ** (floor(log10(value)) - 3)
    return floor(value / step * (1 + 1e-12)) * step


def _short(step: Step) -> float:
    """How far a comparison is from being proved, in logarithms of its left side; negative if it is."""
    held = step.check() is Truth.HOLDS
    try:
        ratio = float(enclose(step.left).mid()) / float(enclose(step.right).mid())
    except (NotEnclosableError, ArithmeticError, TypeError, ValueError):
        ratio = 1.0
    far = min(max(log(max(ratio, 1e-300)), -_FAR), _FAR)
    return min(far, -_NEAR) if held else max(far, _NEAR)


def _least(short: Callable[[float], float], start: float = 1.0) -> float | None:
    """The least number above this one at which nothing is short, to four digits and on the safe side; None if there is none."""
    known = cache(short)
    low, high, step = start, 2 * start, 2.0
    try:
        while known(high) > 0:
            low, high, step = high, high * step, step * step
            if high > _MOST * start:
                return None
        root = (
            brentq(lambda t: known(exp(t)), log(low), log(high), xtol=_NEAR) if known(low) > 0 else log(low)
        )
        return next(v for v in _rounded_up(exp(root)) if known(v) <= 0)
    except (TypeError, ValueError, ArithmeticError):  # a guarantee or a mechanism that cannot be scaled
        return None


def _rounded_up(value: float) -> tuple[float, float]:
    """The number to four digits, and the next one."""
    step = 10.0 ** (floor(log10(value)) - 3)
    near = round(value / step) * step
    return float(f"{near:.6g}"), float(f"{near + step:.6g}")
