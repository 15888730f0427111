"""Charts that a density itself suggests: its exponent, or what its powers are powers of, as the new variable."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import sympy as sp

from ..proof.apart import UnfinishedError, apart
from .chart import Chart, U, V

_KINKED = (sp.Piecewise, sp.Max, sp.Min, sp.sign, sp.floor)


def charts_of(density: sp.Expr, variable: sp.Symbol, support: tuple[sp.Expr, sp.Expr]) -> tuple[Chart, ...]:
    """The charts that are found; none where solving for one goes on without end."""
    try:
        return apart(lambda: found_charts(density, variable, support), "charts")
    except (UnfinishedError, RecursionError):
        return ()


@lru_cache(maxsize=256)
def found_charts(
    density: sp.Expr, variable: sp.Symbol, support: tuple[sp.Expr, sp.Expr]
) -> tuple[Chart, ...]:
    """Charts of the whole support, on which the mass of the density is known; empty if none is found."""
    if density.has(*_KINKED):
        return ()
    if density.has(sp.Abs):
        return _folded(density, variable, support)
    y = _signed(variable, support)
    for kernel, form, target in (
        *_of_ends(y, support),
        *_candidates(sp.powsimp(density).subs(variable, y), y, support[0]),
    ):
        charts = _inverted(kernel, form, target, y, support)
        if charts and all(chart.integral(density, variable) is not None for chart in charts):
            return charts
    return ()


def _folded(density: sp.Expr, variable: sp.Symbol, support: tuple[sp.Expr, sp.Expr]) -> tuple[Chart, ...]:
    """A chart on each side of the one point where a modulus has its kink."""
    moduli = [m for m in density.atoms(sp.Abs) if m.has(variable)]
    inner = moduli[0].args[0] if len(moduli) == 1 else variable**2
    slope = sp.diff(inner, variable)
    if slope.has(variable) or not (slope.is_positive or slope.is_negative):
        return ()
    kink, rising = sp.simplify(variable - inner / slope), 1 if slope.is_positive else -1
    charts: list[Chart] = []
    for side, ends in ((-rising, (support[0], kink)), (rising, (kink, support[1]))):
        charts += found_charts(density.subs(moduli[0], side * inner), variable, ends)
    return tuple(charts) if len(charts) == 2 else ()


def _signed(variable: sp.Symbol, support: tuple[sp.Expr, sp.Expr]) -> sp.Symbol:
    """The variable with the sign that all of its support has, so that its powers can be solved for."""
    low, high = support[0].is_nonnegative, support[1].is_nonpositive
    return sp.Dummy(variable.name, **{"positive" if low else "negative" if high else "real": True})


def _of_ends(y: sp.Symbol, support: tuple[sp.Expr, sp.Expr]) -> Iterator[tuple[str, sp.Expr, sp.Expr]]:
    """Powers beyond a positive number: what is left of it, as a part of one."""
    if support[0].is_positive and support[1] is sp.oo:
        yield "beta", support[0] / y, U


def _candidates(density: sp.Expr, y: sp.Symbol, low: sp.Expr) -> Iterator[tuple[str, sp.Expr, sp.Expr]]:
    """(kernel, form, target): the charts y of form(y) = target(u)."""
    factors = [f for f in sp.Mul.make_args(density) if f.has(y)]
    exponents = [f.args[0] for f in factors if isinstance(f, sp.exp)]
    if exponents:
        if not _mixed(-sp.Add(*exponents), y):
            yield "gamma", -sp.Add(*exponents), U
        for term in sp.Add.make_args(sp.expand(sp.Add(*exponents))):
            if term.has(y) and isinstance(term, sp.exp | sp.Mul | sp.Pow):
                yield "gamma", -term, U
                # From where the support begins: exp(b y) - 1 has no end but the one that y has.
                start = term.subs(y, low) if low.is_finite else sp.Integer(0)
                if start.is_finite and not start.is_zero:
                    yield "gamma", start - term, U
    for factor in factors:
        base = factor.as_base_exp()[0]
        constant, rest = base.as_independent(y, as_Add=True)
        if not base.is_Add or constant == 0:
            continue
        ratio = rest / constant
        yield ("beta", -ratio, U) if (-ratio).is_nonnegative else ("beta", ratio, V / U)


def _mixed(form: sp.Expr, y: sp.Symbol) -> bool:
    """Whether y stands inside and outside of exponentials: the inverse is no chart, but Lambert's function if anything."""
    return bool(form.has(sp.exp) and form.replace(sp.exp, lambda _: sp.Dummy()).has(y))


def _bounded(form: sp.Expr, y: sp.Symbol) -> bool:
    """Whether y stands in sines and cosines alone, and the form is a polynomial of these."""
    waves = {wave: sp.Dummy() for wave in form.atoms(sp.sin, sp.cos)}
    flat = form.xreplace(waves)
    return bool(not flat.has(y) and flat.is_polynomial(*waves.values()))


def _inverted(
    kernel: str, form: sp.Expr, target: sp.Expr, y: sp.Symbol, support: tuple[sp.Expr, sp.Expr]
) -> tuple[Chart, ...]:
    if form.is_nonpositive or (kernel == "gamma" and _bounded(form, y)):
        return ()  # the targets are positive, of this kernel without bound
    try:
        solutions = _root(form, target, y) or sp.solve(form - target, y)
    except (NotImplementedError, ValueError, TypeError):
        return ()
    if len(solutions) not in (1, 2):
        return ()
    charts = []
    try:
        for solution in solutions:
            chart = _chart(kernel, solution, support)
            if chart is None:
                return ()
            charts.append(chart)
    except (RecursionError, AttributeError):
        # sympy stumbles over powers of exponentials in its own simplification: no chart.
        return ()
    return tuple(charts) if _covers(charts, support) else ()


def _root(form: sp.Expr, target: sp.Expr, y: sp.Symbol) -> list[sp.Expr]:
    """Where a broken power of |y| has the target's value: solve would write it as a polynomial of high degree."""
    constant, power = form.as_independent(y, as_Add=False)
    slope = power.base / y if isinstance(power, sp.Pow) else y
    if slope.has(y) or not (constant.is_positive and power.base.is_positive):
        return []
    broken = power.exp.is_Rational and not power.exp.is_Integer
    return [(target / constant) ** (1 / power.exp) / slope] if broken else []


def _chart(kernel: str, image: sp.Expr, support: tuple[sp.Expr, sp.Expr]) -> Chart | None:
    image = sp.powdenest(sp.expand_log(sp.expand_power_base(image)))
    low, high = _ends(kernel, image)
    if low is None or high is None or image.has(sp.I):
        return None
    rising = sp.simplify(high - low)
    if not (rising.is_extended_positive or rising.is_extended_negative):
        return None
    return Chart("gamma" if kernel == "gamma" else "beta", image, bool(rising.is_extended_positive))


def _ends(kernel: str, image: sp.Expr) -> tuple[sp.Expr | None, sp.Expr | None]:
    """The limits of the image at the two ends of u; None where sympy knows none."""
    along, top = image.subs(V, 1 - U), sp.oo if kernel == "gamma" else sp.Integer(1)
    try:
        return sp.limit(along, U, 0, "+"), sp.limit(along, U, top, "-")
    except (NotImplementedError, ValueError, TypeError, sp.PoleError):
        return None, None


def _covers(charts: list[Chart], support: tuple[sp.Expr, sp.Expr]) -> bool:
    """Whether the images lie side by side from one end of the support to the other."""
    spans = []
    for chart in charts:
        low, high = _ends(chart.kernel, chart.image)
        spans.append((low, high) if chart.increasing else (high, low))
    spans.sort(key=lambda span: span[0] != support[0])
    joined = len(spans) == 1 or spans[0][1] == spans[1][0]
    return bool(spans[0][0] == support[0] and spans[-1][1] == support[1] and joined)
