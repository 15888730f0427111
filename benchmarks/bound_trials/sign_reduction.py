"""The reduction of the signs of u_i u_j - v_i v_j to threshold patterns, as checked steps."""

from __future__ import annotations

import sympy as sp

from noiseproof.symbolic.proof.derivation import Derivation, Step


def reduction() -> Derivation:
    """The argument above as checked steps: polar form, flips, mixed signs, threshold within a group, exchange."""
    r, q = sp.symbols("r q", positive=True)
    f, g = sp.symbols("f g", real=True)
    below, y, m, d = sp.symbols("alpha y m d", nonnegative=True)
    polar = r * sp.cos(f) * q * sp.cos(g) - r * sp.sin(f) * q * sp.sin(g)
    quarter = sp.pi / 4
    return Derivation(
        "the signs of u_i u_j - v_i v_j are those of cos(f_i + f_j): threshold patterns on two groups",
        (
            Step(polar, "=", r * q * sp.cos(f + g), "polar form of (u_i, v_i) and (u_j, v_j)"),
            Step(
                sp.cos(f + sp.pi + g), "=", -sp.cos(f + g), "turning one angle by pi flips a row and a column"
            ),
            Step(
                sp.pi / 2 - sp.pi / 2 / (1 + below) + y,
                ">=",
                sp.Integer(0),
                "angles x = (pi/2)/(1 + alpha) and -y: x - y <= pi/2, and y - x likewise: + between the groups",
            ),
            Step(
                sp.pi / 2 - (quarter - f) - (quarter - g),
                "=",
                f + g,
                "angles |f_i| = pi/4 - w_i of one sign: the entry has the sign of w_i + w_j",
            ),
            Step(
                m + d - m,
                ">=",
                sp.Integer(0),
                "s w_j = m + d and s w_i = -m with m = |w_i|: s (w_i + w_j) >= 0",
            ),
            Step(m + d + m, ">=", sp.Integer(0), "s w_j = m + d and s w_i = m: s (w_i + w_j) >= 0"),
            Step(
                sp.cos(sp.pi / 2 - f + sp.pi / 2 - g),
                "=",
                -sp.cos(f + g),
                "exchange of u and v negates every sign",
            ),
        ),
    )
