"""The same forty-five families asked of sympy.stats: the mean of the squared score by `sympy.integrate`, as a user writes it.

    cd benchmarks && python sympy_stats.py --keep asked.json    # asks sympy (60 s each), then `derivations.py`, and prints both
    cd benchmarks && python sympy_stats.py --kept asked.json    # asks only `derivations.py` again

The density is that of sympy.stats where it has the family, else the formula of the list; sums stand for integrals of counts.
A fresh process for each family ends after 60 s of the processor; all seconds are of the processor, without imports, so that other work on
the machine does not count.  "right" is agreement with the truth at two points, to 1e-10.
"""

from __future__ import annotations

import argparse
import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise, product
from pathlib import Path
from statistics import median
from typing import Any

import sympy as sp
from derivation_trials.families import FAMILIES
from derivation_trials.family import Family
from mpmath import mp, mpf
from sympy import stats
from sympy.parsing.sympy_parser import parse_expr

SECONDS, _NEAR = 60, 1e-10
Names = dict[str, Any]

# How a user asks sympy.stats for a family; those that are not here it has not, or not with these parameters.
STATS: dict[str, Callable[[Names], Any]] = {
    "exponential (rate)": lambda n: stats.Exponential("Y", n["rate"]),
    "exponential (scale)": lambda n: stats.Exponential("Y", 1 / n["scale"]),
    "Laplace (scale)": lambda n: stats.Laplace("Y", 0, n["scale"]),
    "Laplace (location)": lambda n: stats.Laplace("Y", n["location"], sp.Rational(3, 2)),
    "Pareto (alpha, xm = 2)": lambda n: stats.Pareto("Y", 2, n["alpha"]),
    "Rayleigh": lambda n: stats.Rayleigh("Y", n["sigma"]),
    "Maxwell": lambda n: stats.Maxwell("Y", n["a"]),
    "power": lambda n: stats.PowerFunction("Y", n["a"], 0, 1),
    "chi-square": lambda n: stats.ChiSquared("Y", n["k"]),
    "Student t (free nu)": lambda n: stats.StudentT("Y", n["nu"]),
    "triangular on [0, 1] (mode)": lambda n: stats.Triangular("Y", 0, 1, n["c"]),
    "uniform on (0, theta)": lambda n: stats.Uniform("Y", 0, n["theta"]),
    "Pareto (xm, alpha = 3)": lambda n: stats.Pareto("Y", n["xm"], 3),
    "normal": lambda n: stats.Normal("Y", n["mu"], n["sigma"]),
    "lognormal": lambda n: stats.LogNormal("Y", n["mu"], n["sigma"]),
    "gamma": lambda n: stats.Gamma("Y", n["shape"], n["scale"]),
    "inverse gamma": lambda n: stats.GammaInverse("Y", n["shape"], n["scale"]),
    "beta": lambda n: stats.Beta("Y", n["a"], n["b"]),
    "Weibull": lambda n: stats.Weibull("Y", n["scale"], n["shape"]),
    "Gumbel": lambda n: stats.Gumbel("Y", n["scale"], n["location"]),
    "logistic": lambda n: stats.Logistic("Y", n["location"], n["scale"]),
    "Cauchy": lambda n: stats.Cauchy("Y", n["location"], n["scale"]),
    "inverse Gaussian": lambda n: stats.GaussianInverse("Y", n["mu"], n["lam"]),
    "von Mises": lambda n: stats.VonMises("Y", n["mu"], n["kappa"]),
    "Kumaraswamy": lambda n: stats.Kumaraswamy("Y", n["a"], n["b"]),
    "Lomax": lambda n: stats.Lomax("Y", n["alpha"], n["scale"]),
    "Bernoulli": lambda n: stats.Bernoulli("Y", n["p"]),
    "binomial (n = 10)": lambda n: stats.Binomial("Y", 10, n["p"]),
    "Poisson": lambda n: stats.Poisson("Y", n["lam"]),
    "Dirichlet (3 parameters)": lambda n: stats.MultivariateBeta("Y", [n["a1"], n["a2"], n["a3"]]),
    "multinomial (n = 5, 3 categories)": lambda n: stats.Multinomial(
        "Y", 5, n["p1"], n["p2"], 1 - n["p1"] - n["p2"]
    ),
    "bivariate normal (mean)": lambda n: stats.Normal("Y", [n["a"], n["b"]], [[2, 1], [1, 3]]),
    "bivariate normal (covariance)": lambda n: stats.Normal(
        "Y", [0, 0], [[n["s11"], n["s12"]], [n["s12"], n["s22"]]]
    ),
}


def asked(family: Family) -> tuple[str, list[Any], sp.Matrix]:
    """Whose density it was, the parameters, and the matrix that sympy gives."""
    names = {
        n: sp.Symbol(n, real=True, positive=kind != "real" or None) for n, kind in family.parameters.items()
    }
    theta = list(names.values())
    given = STATS.get(family.name)
    if family.density is None:
        return "sympy.stats" if given else "formula", theta, _vector(family, names, theta)
    if family.name in ("Bernoulli", "binomial (n = 10)"):
        masses = stats.density(STATS[family.name](names)).items()
        return "sympy.stats", theta, _matrix(theta, lambda s: sum(s(m) for _, m in masses))
    half = family.support[0] in (0, 2) and not family.discrete
    y = sp.Symbol("y", positive=True) if half else sp.Symbol("y", real=True, integer=family.discrete or None)
    read = {**names, "y": y}
    low, high = (sp.sympify(parse_expr(str(e), local_dict=read)) for e in family.support)
    f = stats.density(given(names))(y) if given else parse_expr(family.density, local_dict=read)
    taken: Callable[..., sp.Expr] = sp.summation if family.discrete else sp.integrate
    atoms = [parse_expr(mass, local_dict=read) for _, mass in family.atoms]
    found = _matrix(theta, lambda s: taken(s(f), (y, low, high)) + sum(s(m) for m in atoms))
    return "sympy.stats" if given else "formula", theta, found


def _matrix(theta: list[Any], mean: Callable[[Callable[[sp.Expr], sp.Expr]], sp.Expr]) -> sp.Matrix:
    """The means of the products of two scores, each off the diagonal once."""

    def entry(a: Any, b: Any) -> sp.Expr:
        def product_of_scores(f: sp.Expr) -> sp.Expr:
            log = sp.expand_log(sp.log(f), force=True)
            return sp.simplify(sp.diff(log, a) * sp.diff(log, b) * f)

        return mean(product_of_scores)

    k = len(theta)
    rows = [[entry(theta[i], theta[j]) if j <= i else None for j in range(k)] for i in range(k)]
    return sp.Matrix(k, k, lambda i, j: rows[max(i, j)][min(i, j)])


def _vector(family: Family, n: Names, theta: list[Any]) -> sp.Matrix:
    """The same of a law of several numbers, integrated one after the other."""
    oo = sp.oo
    if family.name.startswith("multinomial"):
        mass = stats.density(STATS[family.name](n))
        counts = [c for c in product(range(6), repeat=3) if sum(c) == 5]
        return _matrix(theta, lambda s: sum(s(mass(*c)) for c in counts))
    if family.name.startswith("Dirichlet"):
        u, v = sp.symbols("u v", positive=True)
        f = stats.density(STATS[family.name](n))(u, v, 1 - u - v)
        return _matrix(theta, lambda s: sp.integrate(s(f), (u, 0, 1 - v), (v, 0, 1)))
    y = sp.symbols("y1:5", real=True)
    if family.name.startswith("bivariate"):
        f = stats.density(STATS[family.name](n))(*y[:2])
        return _matrix(theta, lambda s: sp.integrate(s(f), *((v, -oo, oo) for v in y[:2])))
    phi, sigma = theta
    f = stats.density(stats.Normal("Y1", 0, sigma / sp.sqrt(1 - phi**2)))(y[0])
    for before, now in pairwise(y):
        f *= stats.density(stats.Normal("Y", phi * before, sigma))(now)
    return _matrix(theta, lambda s: sp.integrate(s(f), *((v, -oo, oo) for v in reversed(y))))


def answer(family: Family) -> dict[str, Any]:
    """What sympy answers, whether it is right, and the seconds without imports; the process ends after `SECONDS`."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    start = time.process_time()
    try:
        whose, theta, matrix = asked(family)
    except Exception as error:
        signal.setitimer(signal.ITIMER_PROF, 0)
        return {"answer": f"raises {type(error).__name__}", "seconds": time.process_time() - start}
    seconds = time.process_time() - start
    signal.setitimer(signal.ITIMER_PROF, 0)
    words, right = _judged(family, theta, matrix)
    return {"answer": words, "right": right, "seconds": seconds, "density": whose}


def _judged(family: Family, theta: list[Any], matrix: sp.Matrix) -> tuple[str, bool | None]:
    if matrix.has(sp.zoo, sp.nan):
        return "nan", False
    for k, point in enumerate(family.points):
        at = {p: sp.Rational(point[p.name]) for p in theta}
        fixed = matrix.subs(at)
        if fixed.has(sp.Integral, sp.Sum):
            return "unevaluated", None
        if family.kind == "irregular":
            return "a number", False  # the mean of the squared score, which bounds nothing here
        values = [[sp.N(e, 30) for e in row] for row in fixed.tolist()]
        if not all(v.is_number and v.is_finite for row in values for v in row):
            return "no number", False
        with mp.workdps(30):
            truth = (
                family.truth(**{n: mpf(v) for n, v in point.items()})
                if family.truth is not None
                else [[mpf(v) for v in row] for row in family.numbers[k]]
            )
            size = max(abs(t) for row in truth for t in row)
            off = max(
                abs(complex(ours) - complex(float(t))) / float(size)
                for line, row in zip(values, truth, strict=True)
                for ours, t in zip(line, row, strict=True)
            )
        if off > _NEAR:
            return "another value", False
    return "closed", True


def answer_of_ours(family: Family) -> dict[str, Any]:
    """The answer that `derivations.py` prints, in seconds of the processor."""
    import derivations

    start = time.process_time()
    given = derivations.answer(family)
    return {**given, "seconds": time.process_time() - start}


def _run(arguments: list[str]) -> dict[str, Any]:
    run = subprocess.run([sys.executable, *arguments], capture_output=True, text=True)
    if run.returncode == 0:
        answered: dict[str, Any] = json.loads(run.stdout)
        return answered
    late = run.returncode == -signal.SIGPROF
    said = f"none in {SECONDS} s" if late else (run.stderr.strip() or "no words")[-60:]
    return {"answer": said, "right": None, "seconds": float(SECONDS) if late else 0.0}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=Path, help="write what sympy answered to this file")
    parser.add_argument("--kept", type=Path, help="take what sympy answered from this file")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    parser.add_argument("--ours", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one or options.ours:
        family = next(f for f in FAMILIES if f.name == (options.one or options.ours))
        print(json.dumps(answer(family) if options.one else answer_of_ours(family)))
        return
    families = [f for f in FAMILIES if options.only in f.name]
    theirs: dict[str, Any] = json.loads(options.kept.read_text()) if options.kept else {}
    for family in families:
        if family.name not in theirs:
            theirs[family.name] = _run([__file__, "--one", family.name])
            print(family.name, theirs[family.name], file=sys.stderr, flush=True)
        if options.keep:
            options.keep.write_text(json.dumps(theirs, indent=1))
    _print(families, theirs)


def _print(families: list[Family], theirs: dict[str, Any]) -> None:
    ours = {f.name: _run([__file__, "--ours", f.name]) for f in families}
    print("| family | truth | sympy | right | seconds | noiseproof | right | seconds |")
    print("| --- | --- | --- | --- | ---: | --- | --- | ---: |")
    shown = {True: "yes", False: "NO", None: ""}
    for f in families:
        a, b = theirs[f.name], ours[f.name]
        cells = [
            f"{r['answer'].partition(':')[0]} | {shown[r.get('right')]} | {r['seconds']:.2f}" for r in (a, b)
        ]
        print(f"| {f.name} | {f.kind} | {' | '.join(cells)} |")
    print()
    for name, rows in (("sympy", theirs), ("noiseproof", ours)):
        told = [rows[f.name] for f in families]
        right, wrong = (sum(r.get("right") is w for r in told) for w in (True, False))
        seconds = [r["seconds"] for r in told]
        print(
            f"{name}: {right} right, {wrong} wrong, {len(told) - right - wrong} not answered;"
            f" median {median(seconds):.2f} s, {sum(seconds):.0f} s in all"
        )


if __name__ == "__main__":
    main()
