"""Closed policies in balls: their densities on a drawn range, and their information against noise independent of x."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sympy as sp
from flint import arb

from .....symbolic.proof.enclosed_integral import enclosed_integral
from .....symbolic.proof.enclosure import enclose
from .....symbolic.proof.exact_numbers import enclosed
from .....symbolic.proof.expressions import parse
from ....dossier.instances import Comparison, rule

W, X = sp.Symbol("w", real=True), sp.Symbol("x", real=True)


@rule("a drawn density stays below the top of its axis")
def below_top(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """The shape, an expression in w, x and r = p'/p, divided by its integral over W = [0, 1]."""
    at, noise = parse(numbers["x"]), parse(numbers["w"])
    slope = parse(printed["slopes"][numbers["weight"]], {"x": at})
    shape = parse(printed["shape"], {"w": W, "x": at, "r": slope})
    value = enclose(shape.subs(W, noise)) / enclosed_integral(shape, W, sp.Integer(0), sp.Integer(1))
    yield f"density at w = {numbers['w']}, x = {numbers['x']}", value, "<=", enclosed(printed["top"])


@rule("a policy against constant noise", "length", "rate")
def against_constant(printed: Mapping[str, Any], numbers: Mapping[str, Any]) -> Iterable[Comparison]:
    """p = rate exp(-rate x) on x >= 0 or cut off anywhere, f(x) = x, W = [-L/2, L/2]: I(x) is the same at every x.

    The root u(w, x) need not be normalised: I = 4 (int (Du)^2/N - (int u Du/N)^2), N = int u^2, D = d/dx - d/dw.
    """
    if printed["weights"] != "all":
        return
    L, rate = parse(numbers["length"]), parse(numbers["rate"])
    root = parse(printed["root"], {"w": W, "x": X, "r": -rate, "L": L})
    flow = (sp.diff(root, X) - sp.diff(root, W)).subs(X, 0)
    still = root.subs(X, 0)

    def integral(expression: sp.Expr) -> arb:
        return enclosed_integral(expression, W, -L / 2, L / 2)

    mass = integral(still**2)
    information = 4 * (integral(flow**2) / mass - (integral(still * flow) / mass) ** 2)
    yield "cost of the policy, of cosine noise", information, "<=", enclose(4 * sp.pi**2 / L**2)
