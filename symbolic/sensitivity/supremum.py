"""What is known of a supremum, and of the largest of several."""

from __future__ import annotations

from dataclasses import dataclass, replace

import sympy as sp
from flint import arb

from ..proof.derivation import Step
from ..proof.enclosure import compare, enclose
from ..proof.truth import Truth
from .bound_steps import smaller_steps
from .enclosure import ends
from .regions import Point

WHERE_DEFINED = "the supremum is that over the places of the domain at which the query has a value"


@dataclass(frozen=True)
class Supremum:
    """`upper` is never below the supremum (None: no bound); `point` is where a value near it is taken.

    `exact` is the supremum, oo where it was proved to be that; `stuck` says where work stopped.
    """

    upper: arb | None
    point: Point
    method: str
    exact: sp.Expr | None = None
    steps: tuple[Step, ...] = ()
    lemmas: tuple[str, ...] = ()
    stuck: str = ""


def largest(found: list[Supremum]) -> Supremum:
    """The supremum over several regions together."""
    if any(f.exact is sp.oo for f in found):
        return next(f for f in found if f.exact is sp.oo)
    stuck = "; ".join(dict.fromkeys(f.stuck for f in found if f.stuck))
    open_ = next((f for f in found if f.upper is None), None)
    # Faces of one box share the steps that lead to them.
    steps = tuple(dict.fromkeys(s for f in found[:64] for s in f.steps))
    lemmas = tuple(dict.fromkeys(line for f in found for line in f.lemmas))
    if open_ is not None:
        return replace(open_, steps=steps, stuck=stuck)
    top = max(found, key=lambda f: ends(given(f.upper))[1])
    exact = _largest_exact(found)
    if exact is not None:
        steps += smaller_steps([f.exact for f in found if f.exact is not None], exact.exact)
    best = top if exact is None else exact
    method = " and ".join(dict.fromkeys(f.method for f in found))
    return replace(best, upper=given(top.upper), method=method, steps=steps, lemmas=lemmas, stuck=stuck)


def given(ball: arb | None) -> arb:
    assert ball is not None
    return ball


def _largest_exact(found: list[Supremum]) -> Supremum | None:
    """The one whose closed form is proved to be no less than all others' bounds."""
    exact = [f for f in found if f.exact is not None]
    if not exact:
        return None
    best = max(exact, key=lambda f: float(enclose(f.exact).mid()))
    value = enclose(best.exact)
    for other in found:
        if other is best or given(other.upper) <= value:
            continue
        if other.exact is None or compare(other.exact, "<=", best.exact) is not Truth.HOLDS:
            return None
    return best
