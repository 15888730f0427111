"""A policy in closed form for the query x: whether it solves Problem 2, what it costs, and its surface."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import sympy as sp

from .....symbolic.proof.as_written import power, product, quotient, value_at
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.expressions import parse
from .....symbolic.proof.truth import Truth
from ....dossier.arguments.stationarity import Jet, equal, sufficiency_steps, true_operator
from ....dossier.formula import rechecked
from ....dossier.instances import Instances, on_instances
from ....record.evidence import Evidence, Line, Series
from .equation_checks import rational_text

W, X, L = sp.Symbol("w", real=True), sp.Symbol("x", real=True), sp.Symbol("L", positive=True)


@dataclass(frozen=True)
class ClosedPolicy:
    """The root of a policy for f(x) = x on W = [-L/2, L/2], in w, x, r = p'/p, L, p = p(x), g = sqrt(G(x + w)), c = c(x).

    `weights`: "all", or "matched": X = R and p(x) = int G(x + w) K(w) dw with G > 0 and the `kernel` K.
    """

    root: str
    weights: Literal["all", "matched"]
    kernel: str = "2/L*cos(pi*w/L)**2"


def policy_derivation(policy: ClosedPolicy, _: np.random.Generator) -> Evidence:
    """The root solves the stationarity condition for every weight in scope, and a positive solution is optimal on X = R."""
    g, p, c = sp.Function("g")(X + W), sp.Function("p")(X), sp.Function("c")(X)
    root = parse(policy.root, {"w": W, "x": X, "r": sp.diff(p, X) / p, "L": L, "p": p, "g": g, "c": c})
    # For f(x) = x the operator is D(p D u)/p with D = d/dx - d/dw, as the first step says; with l = log u it is, over u,
    # D D l + (D l)^2 + r D l.
    jet = Jet(1, 1)
    log_root = sp.expand_log(sp.log(root), force=True)
    slope = _along(log_root)
    inside = _along(slope) + slope**2 + sp.diff(p, X) / p * slope
    direct = jet.second_w[0, 0] - 2 * jet.mixed[0, 0] + jet.second_x[0, 0]
    direct += jet.ratio[0, 0] * (jet.slope_x[0, 0] - jet.slope_w[0, 0])
    truth = true_operator(1, 1).subs({jet.F[0, 0]: 1, jet.laplacian[0, 0]: 0})
    edge = [value_at(root, {W: end}) for end in (-L / 2, L / 2)]
    steps: tuple[Step, ...] = (
        Step(
            sp.expand(truth),
            "=",
            direct,
            "the stationarity condition for f(x) = x is D(p D u) + mu p u = 0",
            how=equal,
        ),
        Step(
            sp.Derivative(inside, W),
            "=",
            sp.Integer(0),
            "the mu that the root gives does not depend on w",
            how=_without_noise,
            # Inside of W.
            where=(p, sp.cos(sp.pi * W / L)),
        ),
        *(Step(e, "=", sp.Integer(0), "the root vanishes at the ends of W", where=(p,)) for e in edge),
        *sufficiency_steps("no flux" if policy.weights == "matched" else "free"),
    )
    if policy.weights == "matched":
        kernel = parse(policy.kernel, {"w": W, "L": L})
        steps = (
            *steps,
            Step(
                quotient(product(power(root, 2), p), power(g, 2)),
                "=",
                kernel,
                "int u^2 dw = 1, by the definition of p",
                how=equal,
                where=(p, g),
            ),
        )
    lemmas = (
        "X = R: for each answer y the x at which it is possible form an interval, at whose ends the noise reaches the boundary of W and u, v are zero",
    )
    return rechecked(
        "first variation", Derivation("the policy is optimal", steps, lemmas), "the policy solves Problem 2"
    )


def _without_noise(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality for all smooth functions, whose derivatives take on any values, with sin = tan cos."""
    change = left.doit()
    for k, s in enumerate(sorted(_jets(change), key=lambda s: -sp.count_ops(s))):
        change = change.subs(s, sp.Symbol(f"d{k}", positive=True))
    turn, tangent = sp.pi * W / L, sp.Symbol("tan", real=True)
    return equal(sp.expand(change).subs(sp.sin(turn), tangent * sp.cos(turn)), right)


def _along(expression: sp.Expr) -> sp.Expr:
    return sp.diff(expression, X) - sp.diff(expression, W)


def _jets(expression: sp.Expr) -> list[sp.Expr]:
    kinds = (sp.Derivative, sp.Subs, sp.core.function.AppliedUndef)
    return sorted(expression.atoms(*kinds), key=sp.default_sort_key)


def against_constant(policy: ClosedPolicy, rng: np.random.Generator) -> Evidence:
    """The cost of the policy for p proportional to exp(-rate x), where it ignores x, against that of cosine noise."""

    def draw(rng: np.random.Generator) -> Iterable[dict[str, Any]]:
        yield {"length": "1", "rate": "1"}
        for _ in range(4):
            yield {"length": rational_text(rng, 2, 9, 4), "rate": rational_text(rng, 1, 30, 10)}

    printed = {"root": policy.root, "weights": policy.weights}
    return on_instances(
        Instances("a policy against constant noise", printed, draw, "no noise independent of x is cheaper"),
        rng,
    )


def drawn(top: str, shape: str, slopes: dict[str, str]) -> Instances:
    """The surfaces of Figure 1 on a grid of the drawn range."""

    def draw(_: np.random.Generator) -> Iterable[dict[str, Any]]:
        for weight in slopes:
            for x in ("4", "2", "0"):
                for w in ("4/5", "39/50", "3/4", "1/2", "1/4"):
                    yield {"weight": weight, "x": x, "w": w}

    printed = {"shape": shape, "slopes": slopes, "top": top}
    series = (_surface("printed formula", printed_density), _surface("corrected", matched_density))
    return Instances(
        "a drawn density stays below the top of its axis",
        printed,
        draw,
        "the surfaces stay below the top",
        series,
    )


def printed_density(w: np.ndarray[Any, Any], x: float) -> np.ndarray[Any, Any]:
    """Corollary 4 as printed for p = exp(-x^2), W = [0, 1]."""
    shape = np.exp(2 * x * w) * np.sin(np.pi * w) ** 2
    return np.asarray(shape / np.mean(shape[:-1]))


def matched_density(w: np.ndarray[Any, Any], x: float) -> np.ndarray[Any, Any]:
    """The optimum for p(x) = int exp(-(x + w)^2) 2 sin^2(pi w) dw, W = [0, 1]."""
    shape = np.exp(-((x + w) ** 2)) * np.sin(np.pi * w) ** 2
    return np.asarray(shape / np.mean(shape[:-1]))


def _surface(name: str, density: Any) -> Series:
    w = np.linspace(0, 1, 201)
    lines = tuple(
        Line(
            f"x = {x:g}",
            "claimed" if name.startswith("printed") else "law",
            tuple(w.tolist()),
            tuple(density(w, x).tolist()),
        )
        for x in (0.0, 1.0, 2.0, 4.0)
    )
    title = {
        "printed formula": "Corollary 4 as printed, p = exp(-x^2)",
        "corrected": "The optimum for p = int exp(-(x + w)^2) 2 sin^2(pi w) dw",
    }[name]
    return Series(f"figure 1, {name}", title, "noise w", "density given x", lines)
