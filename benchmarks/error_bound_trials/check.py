"""Finds every risk of the list a second time, by integrals over the statistic and the prior; prints a Markdown table.

Run: cd benchmarks && python -m error_bound_trials.check
"""

from __future__ import annotations

import sys

import mpmath as mp
from mpmath import mpf
from sympy import Symbol, lambdify
from sympy.parsing.sympy_parser import parse_expr

from error_bound_trials.model import Estimator, Model
from error_bound_trials.models import MODELS

ALLOWED = mpf(10) ** -9


def main() -> int:
    mp.mp.dps = 15
    print("| model | estimator | risk | difference by integrals |\n| --- | --- | ---: | ---: |")
    worst = mpf(0)
    for model in MODELS:
        for estimator in model.estimators:
            if estimator.rule is None:
                continue
            risk = estimator.risk() if estimator.adversary == "anyone" else estimator.risk(**point(model))
            off = abs(again(model, estimator) - risk) / abs(risk)
            worst = max(worst, off)
            print(f"| {model.name} | {estimator.name} | {mp.nstr(risk, 8)} | {mp.nstr(off, 2)} |", flush=True)
    print(f"\n{len(MODELS)} models, largest relative difference {mp.nstr(worst, 2)}")
    return int(worst > ALLOWED)


def point(model: Model) -> dict[str, mpf]:
    return {n: mp.mpmathify(v) for n, v in model.at.items()}


def again(model: Model, estimator: Estimator) -> mpf:
    if estimator.adversary != "anyone":
        return frequentist(model, estimator, point(model))
    ((name, (density, ends)),) = model.priors.items()
    weight = lambdify(Symbol(name), parse_expr(density), modules="mpmath")
    # Standard normal priors: next to nothing lies beyond 14.
    low, high = (mp.inf if e == "oo" else mpf(-14) if e == "-oo" else mpf(e) for e in ends)
    high = mpf(14) if low == -14 else high
    inner = lambda t: weight(t) * frequentist(model, estimator, {name: t})  # noqa: E731
    return mp.quad(inner, [low, *(p for p in (-7, -3, 0, 1, 3, 7) if low < p < high), high], maxdegree=5)


def frequentist(model: Model, estimator: Estimator, at: dict[str, mpf]) -> mpf:
    truth = model.truth(**at)
    low, high = estimator.low(**at), estimator.high(**at)

    def error(s: mpf) -> mpf:
        return (estimator.rule(s) - truth) ** 2 * estimator.law(s, **at)

    if estimator.counts:
        if mp.isfinite(high):
            return mp.fsum(error(mpf(s)) for s in range(int(low), int(high) + 1))
        total, s = mpf(0), int(low)
        while s < 40 or estimator.law(mpf(s), **at) > mpf(10) ** -18:
            total += error(mpf(s))
            s += 1
            if s > 3000:
                break
        return total
    if "rounded" in estimator.name:
        cuts = [mpf(k) + mpf(1) / 2 for k in range(-9, 9)]
    else:
        centre = truth if mp.isfinite(truth) else mpf(0)
        cuts = [centre, centre + 2, centre + 8, centre - 2, mpf(1)]
    cuts = sorted({c for c in cuts if low < c < high})
    return mp.quad(error, [low, *cuts, high], maxdegree=5)


if __name__ == "__main__":
    sys.exit(main())
