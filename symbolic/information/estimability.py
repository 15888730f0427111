"""The squared error of the least-squares adversary falls apart into bias and noise, for every query of full row rank."""

from __future__ import annotations

import sympy as sp

from ..proof.derivation import Derivation
from ..proof.trace import Column, Letter, Rules, Symmetric, Trace, gram, identity


def least_squares_split() -> Derivation:
    """|x - C^+(Cx + w)|^2 = |(I - C^+C) x|^2 + |C^+ w|^2 for every w, for C of full row rank and every dimension."""
    c, k, x, w = Letter("C"), Symmetric("K"), Column("x"), Column("w")
    rules: Rules = {(c, c.T, k): sp.Integer(1), (k, c, c.T): sp.Integer(1)}
    instance = {
        c: sp.Matrix([[1, 2]]),
        k: sp.Matrix([[sp.Rational(1, 5)]]),
        x: sp.Matrix([3, -1]),
        w: sp.Matrix([7]),
    }
    pseudo = c.T * k
    steps = (
        identity(
            gram((x - pseudo * c * x) - pseudo * w),
            gram(x - pseudo * c * x) + gram(pseudo * w),
            "C^+ = C' K with K = (CC')^{-1}: the part of x in the kernel of C is orthogonal to C^+ w",
            rules,
            None,
            instance,
        ),
        identity(
            gram(pseudo * w),
            Trace(w.T * k * w),
            "|C^+ w|^2 = w' K w: its mean is Tr(K E[ww'])",
            rules,
            None,
            instance,
        ),
    )
    return Derivation("bias and noise of the least-squares adversary are orthogonal", steps)
