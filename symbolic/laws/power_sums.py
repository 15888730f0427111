"""Sums of masses whose neighbours have a rational ratio: exponential, binomial and logarithmic series, and Gauss's sum.

Graham, Knuth and Patashnik 1994, Concrete Mathematics, section 5.5: the ratio says which series it is; DLMF 15.4 for its sum.
"""

from __future__ import annotations

import sympy as sp

from .domains import Domains, inside, positive_within, within_domains

_LONGEST = 60  # terms that are added one by one


def power_sum(term: sp.Expr, y: sp.Symbol, ends: tuple[sp.Expr, sp.Expr], domains: Domains) -> sp.Expr | None:
    """The sum of `term` over the whole numbers from one end to the other; None where it is no series that is known."""
    lower, upper = ends
    if (lower, upper) == (-sp.oo, sp.oo):
        # Masses that fall off on both sides of a whole number are taken apart there.
        middles = {sp.simplify(y - a.args[0]) for a in term.atoms(sp.Abs) if sp.diff(a.args[0], y) == 1}
        if len(middles) == 1 and (middle := middles.pop()).is_integer and middle != 0:
            term = term.subs(y, y + middle)
        right = power_sum(term, y, (sp.Integer(0), sp.oo), domains)
        left = power_sum(term.subs(y, -y), y, (sp.Integer(1), sp.oo), domains)
        return None if left is None or right is None else sp.simplify(left + right)
    if not lower.is_integer:
        return None
    begin = smooth_from(term, y, lower)
    if begin is None or not (begin - lower).is_Integer or begin - lower > _LONGEST:
        return None
    smooth = chosen(term, y, begin)
    n = sp.Dummy("n", integer=True, nonnegative=True)
    # What a series lacks at its beginning it may not know the sum without: both ways are tried.
    for start in dict.fromkeys((lower, begin)):
        tail = _series(smooth.subs(y, n + start), n, upper - start, domains)
        if tail is not None:
            other = term - smooth if start == lower else term
            total = tail + sp.Add(*(other.subs(y, lower + k) for k in range(int(begin - lower))))
            return None if total.has(sp.nan, sp.zoo, sp.oo) else total
    if (upper - lower).is_Integer and upper - lower <= _LONGEST:
        return sp.Add(*(term.subs(y, lower + k) for k in range(int(upper - lower) + 1)))
    return None


def smooth_from(term: sp.Expr, y: sp.Symbol, lower: sp.Expr) -> sp.Expr | None:
    """The first whole number from which on the term is one formula; None if that is not known."""
    if not term.has(sp.Piecewise, sp.Abs):
        return lower
    if not lower.is_Integer:
        return None
    marks = [lower, *([sp.Integer(0)] if term.has(sp.Abs) else [])]
    for r in term.atoms(sp.core.relational.Relational):
        gap = sp.expand(r.lhs - r.rhs)
        if not gap.has(y):
            return None
        slope = sp.diff(gap, y)
        mark = sp.simplify(y - gap / slope) if slope.is_number else None
        if mark is None or not mark.is_Rational:
            return None
        marks.append(sp.floor(mark) + 1)
    return sp.Max(*marks)


def chosen(term: sp.Expr, y: sp.Symbol, begin: sp.Expr) -> sp.Expr:
    """The formula from `begin` on: conditions there are as they are far beyond."""
    if not term.has(sp.Piecewise, sp.Abs):
        return term
    far = begin + 1

    def pick(*pieces: sp.Basic) -> sp.Expr:
        return next(p.args[0] for p in pieces if p.args[1].subs(y, far) == sp.true)

    chosen = term.replace(sp.Piecewise, pick)
    return chosen.replace(lambda e: isinstance(e, sp.Abs) and e.args[0] == y, lambda e: e.args[0])


def _series(t: sp.Expr, n: sp.Symbol, last: sp.Expr, domains: Domains) -> sp.Expr | None:
    """The sum of t(n) from 0 to `last`."""
    # Of other functions no two neighbours have a rational ratio.
    if any(f.has(n) and not isinstance(f, sp.gamma | sp.exp) for f in t.atoms(sp.Function)):
        return None
    t = sp.powsimp(t)
    for _ in range(_LONGEST):
        first = t.subs(n, 0)
        if first.has(sp.nan, sp.zoo, sp.oo):
            return None
        if first != 0:
            break
        t, last = t.subs(n, n + 1), last - 1
        if last.is_negative:
            return sp.Integer(0)
    else:
        return None
    if (zeta := _zeta(t, n, last, domains)) is not None:
        return zeta
    form = _hypergeometric(t, n)
    return None if form is None else _summed(first, *form, last, domains)


def _zeta(t: sp.Expr, n: sp.Symbol, last: sp.Expr, domains: Domains) -> sp.Expr | None:
    constant, rest = t.as_independent(n, as_Add=False)
    base, power = rest.as_base_exp()
    known = last is sp.oo and base == n + 1 and not power.has(n) and positive_within(-power - 1, domains)
    return constant * sp.zeta(-power) if known else None


def _hypergeometric(t: sp.Expr, n: sp.Symbol) -> tuple[list[sp.Expr], list[sp.Expr], sp.Expr] | None:
    """Upper and lower parameters and the argument of the series; None if the ratio of neighbours is not rational."""
    ratio = sp.powsimp(sp.expand_power_exp(sp.gammasimp(sp.powsimp(t.subs(n, n + 1) / t))), force=False)
    ratio = sp.factor(sp.cancel(sp.together(sp.powsimp(sp.expand_power_exp(ratio)))))
    top, bottom = sp.fraction(ratio)
    if not (top.is_polynomial(n) and bottom.is_polynomial(n)):
        return None
    found: list[list[sp.Expr]] = []
    argument = sp.Integer(1)
    for part, side in ((top, 1), (bottom, -1)):
        roots: list[sp.Expr] = []
        constant, factors = sp.factor_list(part, n)
        argument *= constant**side
        for factor, power in factors:
            polynomial = sp.Poly(factor, n)
            if polynomial.degree() != 1:
                return None
            slope, rest = polynomial.all_coeffs()
            argument *= slope ** (side * power)
            roots += [sp.simplify(rest / slope)] * power
        found.append(roots)
    upper, lower = found
    if sp.Integer(1) in lower:
        lower.remove(sp.Integer(1))
    else:
        upper.append(sp.Integer(1))
    for common in [a for a in upper if a in lower]:
        upper.remove(common)
        lower.remove(common)
    return upper, lower, sp.simplify(argument)


def _summed(
    first: sp.Expr, upper: list[sp.Expr], lower: list[sp.Expr], z: sp.Expr, last: sp.Expr, domains: Domains
) -> sp.Expr | None:
    whole = [a for a in upper if (-a).is_integer]
    ends = next((a for a in whole if (-a).is_nonnegative or _none_is_left(first, -a, last)), None)
    # A series that ends by itself has to end where the support does.
    if last is not sp.oo and (ends is None or sp.simplify(ends + last) != 0):
        return None
    shape = len(upper), len(lower)
    if shape == (0, 0):
        return first * sp.exp(z)
    if shape == (1, 0) and (ends is not None or _small(z, domains)):
        return first * (1 - z) ** (-upper[0])
    if shape == (2, 1) and upper == [1, 1] and lower == [2] and _small(z, domains):
        return -first * sp.log(1 - z) / z
    if shape == (2, 1) and sp.simplify(z - 1) == 0:
        return _gauss(first, upper, lower[0], ends, domains)
    return None


def _none_is_left(first: sp.Expr, count: sp.Expr, last: sp.Expr) -> bool:
    """Whether a series of n - j more terms starts at zero where n, a positive whole number, is less than j."""
    symbols = sorted(last.free_symbols, key=str)
    if len(symbols) != 1 or not symbols[0].is_positive or sp.simplify(count - last) != 0:
        return False
    short = sp.simplify(symbols[0] - last)
    few = range(1, int(short)) if short.is_Integer and 0 < short <= _LONGEST else None
    return few is not None and all(sp.limit(first, symbols[0], k) == 0 for k in few)


def _gauss(
    first: sp.Expr, upper: list[sp.Expr], c: sp.Expr, ends: sp.Expr | None, domains: Domains
) -> sp.Expr | None:
    """Gauss's sum; of a series that ends, Vandermonde's."""
    a, b = upper
    if ends is not None:
        b = b if a is ends else a
        top, bottom = (_rising(within, -ends, domains) for within in (c - b, c))
        return None if top is None or bottom is None else first * top / bottom
    if not all(positive_within(e, domains) for e in (c, c - a - b, c - a, c - b)):
        return None
    return first * sp.gamma(c) * sp.gamma(c - a - b) / (sp.gamma(c - a) * sp.gamma(c - b))


def _rising(x: sp.Expr, m: sp.Expr, domains: Domains) -> sp.Expr | None:
    """x (x + 1) ... (x + m - 1)."""
    if positive_within(x, domains):
        return sp.gamma(x + m) / sp.gamma(x)
    turned = sp.simplify(1 - x - m)
    return (-1) ** m * sp.gamma(1 - x) / sp.gamma(turned) if positive_within(turned, domains) else None


def _small(z: sp.Expr, domains: Domains) -> bool:
    """Whether |z| < 1 wherever the parameters may be."""
    for e in z.atoms(sp.exp):
        if within_domains(e.args[0], domains).is_negative:
            z = z.subs(e, inside(sp.Integer(0), sp.Integer(1)))
    return positive_within(1 - z, domains) and positive_within(1 + z, domains)
