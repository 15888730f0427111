"""One outcome whose privacy loss exceeds an epsilon beyond which nothing is allowed, as an exact point.

The densities are compositions of continuous functions and positive at the point, so that the loss exceeds epsilon in
a whole neighbourhood of it: an event of positive probability, with no statistical error.
"""

from __future__ import annotations

import numpy as np
import sympy as sp
from flint import arb
from numpy.typing import NDArray

from .....symbolic.errors import counted
from .....symbolic.laws.vector import IndependentNoise, OutcomeLaw
from .....symbolic.privacy.guarantees import GUARANTEES, Guarantee
from .....symbolic.proof.enclosure import enclose, rational
from .....symbolic.proof.expressions import parse
from ....record.plain import plain
from ....record.witness import Witness, register
from ...witness_forms import PointForm

_ENTRIES = 400
_Y = sp.Symbol("y", real=True)


def point_witness(
    p: OutcomeLaw, q: OutcomeLaw, outcome: NDArray[np.float64], epsilon: float, guarantee: Guarantee
) -> Witness | None:
    """The outcome (d,) as a witness that the law p against q breaks `guarantee` at `epsilon`, where its delta is 0.

    None unless p and q are one noise law, with a continuous density that can be enclosed, around two centres.
    """
    if not isinstance(p, IndependentNoise) or not isinstance(q, IndependentNoise) or p.dimension > _ENTRIES:
        return None
    noise = p.noise
    if (
        noise != q.noise
        or noise.discrete
        or noise.free_symbols
        or noise.density.has(sp.Piecewise, sp.Heaviside)
    ):
        return None
    witness = {
        "kind": "privacy loss at a point",
        "density": sp.sstr(noise.density.xreplace({noise.variable: _Y})),
        "support": [sp.sstr(end) for end in noise.support],
        "predicate": type(guarantee).__name__,
        "parameters": plain(guarantee.parameters()),
        "centres": [[repr(float(c)) for c in law.centre] for law in (p, q)],
        "point": [f"{float(v):.9g}" for v in outcome],
        "epsilon": repr(float(epsilon)),
    }
    try:
        return witness if loss_at_a_point(witness)[0] else None
    except ValueError:
        return None


@register("privacy loss at a point", PointForm)
def loss_at_a_point(witness: Witness) -> tuple[bool, str]:
    """Independent entries of one noise law, enclosed at an exact point."""
    density = parse(witness["density"], {"y": _Y}, characters=20_000)
    low, high = (_end(v) for v in witness["support"])
    epsilon = sp.Rational(witness["epsilon"])
    guarantee = GUARANTEES.get(witness["predicate"])
    if guarantee is None or float(guarantee(**witness["parameters"]).curve()(float(epsilon))) != 0:
        return False, "the claim allows a positive delta there: one point refutes nothing"
    p, q = witness["centres"]
    point = [rational(v) for v in witness["point"]]
    if not len(p) == len(q) == len(point) <= _ENTRIES:
        return False, f"expected at most {_ENTRIES} entries and as many in each centre"
    total = arb(0)
    for y, a, b in zip(point, (rational(v) for v in p), (rational(v) for v in q), strict=True):
        if any(not (_before(low, y - c) and _before(y - c, high)) for c in (a, b)):
            return False, "an entry of the point does not lie inside the support of both inputs"
        here, there = (enclose(density, {_Y: y - c}) for c in (a, b))
        if not (here > 0 and there > 0):
            return False, "a density is not certainly positive at the point"
        total += (here / there).log()
    excess = total - enclose(epsilon)
    word = "certainly above" if excess > 0 else "not certainly above"
    return (
        bool(excess > 0),
        f"{counted(len(point), 'entry')}: privacy loss {total.str(10)} at the point, {word} {float(epsilon):.6g}",
    )


def _end(text: str) -> sp.Expr:
    return {"oo": sp.oo, "-oo": -sp.oo}.get(text) or parse(text)


def _before(a: sp.Expr, b: sp.Expr) -> bool:
    """Whether a < b for certain."""
    if a is -sp.oo or b is sp.oo:
        return True
    return bool(enclose(b - a) > 0)
