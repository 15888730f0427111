"""The least value of a Lagrangian over the variables of a program, block by block, in closed form, and where it is finite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import islice

import sympy as sp

from ..parameter_domain import ParameterDomain
from ..proof.apart import UnfinishedError, apart, tame
from ..proof.as_written import value_at
from ..proof.defined import needs
from ..proof.derivation import Step, evaluated
from ..proof.enclosure import compare, sample_points, sign
from ..proof.exact_matrices import is_semidefinite, matrix_of
from ..proof.truth import Truth
from .constraints import PSD
from .convexity import convex
from .curvature import curvature
from .lifting import affine
from .region import Region
from .shortest_form import shortest

STATIONARY = "a convex formula is least where its derivative vanishes"
ATTAINED = (
    "a closed proper concave function takes at each boundary point of its domain the limit along any segment from a relative "
    "interior point (Rockafellar 1970, theorem 7.5)"
)
_SOLVING, _SAMPLES = 6.0, 300


class NotClosedError(ValueError):
    """No closed form is known here; the text says of which block."""


@dataclass(frozen=True)
class InnerMinimum:
    """`value` in the multipliers where every relation of `where` holds, on the border by the limit; `more` are variables of its own."""

    value: sp.Expr
    where: tuple[object, ...]
    steps: tuple[Step, ...]
    more: tuple[sp.Symbol, ...] = ()


def blocks(
    lagrangian: sp.Expr, variables: tuple[sp.Symbol, ...]
) -> Iterator[tuple[sp.Expr, tuple[sp.Symbol, ...]]]:
    """Parts of the expanded formula that share no variable, each with its variables; the part without any comes first."""
    terms = list(sp.Add.make_args(sp.expand(lagrangian)))
    known = set(variables)
    yield sp.Add(*(t for t in terms if not t.free_symbols & known)), ()
    left = list(variables)
    while left:
        block = {left[0]}
        while True:
            wider = block.union(*(t.free_symbols & known for t in terms if t.free_symbols & block))
            if wider == block:
                break
            block = wider
        yield sp.Add(*(t for t in terms if t.free_symbols & block)), tuple(v for v in variables if v in block)
        left = [v for v in left if v not in block]


def least(
    part: sp.Expr, own: tuple[sp.Symbol, ...], signs: Mapping[sp.Symbol, sp.Symbol], domain: ParameterDomain
) -> InnerMinimum:
    """The infimum over the variables of one block; `signs` has a positive symbol for each multiplier that is never negative."""
    if not own:
        return InnerMinimum(part, (), ())
    polynomial = part.is_polynomial(*own)
    if polynomial and not any(v.is_positive or v.is_negative for v in own):
        degree = sp.Poly(part, *own).total_degree()
        if degree <= 1:
            return _of_affine(part, own)
        if degree == 2:
            return _of_quadratic(part, own, signs, domain)
    if polynomial and affine(part, own):
        return _of_affine(part, own)
    if len(own) == 1:
        return _of_one(part, own[0], signs, domain)
    found = _of_exponentials(part, own)
    if found is None:
        raise NotClosedError(
            f"the least value of {part} over {', '.join(map(str, own))} has no closed form that is known here"
        )
    return found


def _where_known(known: dict[sp.Symbol, sp.Expr], left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality where what is known to be inside is put in."""
    return compare(_settled(left.doit(), known), "=", _settled(right, known))


def _of_affine(part: sp.Expr, own: tuple[sp.Symbol, ...]) -> InnerMinimum:
    """Finite only where the slopes vanish; where a variable is positive, only where its slope is not negative."""
    poly = sp.Poly(part, *own)
    where = []
    for v in own:
        slope = poly.coeff_monomial(v)
        relation = sp.Ge(slope, 0) if v.is_positive else sp.Le(slope, 0) if v.is_negative else sp.Eq(slope, 0)
        if relation is sp.false:
            return InnerMinimum(-sp.oo, (sp.false,), ())
        where += [] if relation is sp.true else [relation]
    return InnerMinimum(poly.coeff_monomial(1), tuple(where), ())


def _of_quadratic(
    part: sp.Expr, own: tuple[sp.Symbol, ...], signs: Mapping[sp.Symbol, sp.Symbol], domain: ParameterDomain
) -> InnerMinimum:
    """x'Qx/2 + q'x + c: c - q'Q^-1 q/2 where Q is definite; a matrix condition where that depends on the multipliers."""
    zero = dict.fromkeys(own, 0)
    hessian = sp.hessian(part, own)
    slope = sp.Matrix([sp.diff(part, v).subs(zero) for v in own])
    rest = part.subs(zero)
    alone = Region((), domain, {}, {}, ())
    minors = [hessian[: k + 1, : k + 1].det().xreplace(dict(signs)) for k in range(len(own))]
    if all(alone.known(m, "positive") for m in minors):
        point = -hessian.LUsolve(slope)
        return _at(part, own, list(point), tuple(_positive_step(m, alone) for m in minors))
    if all(e.is_Rational for e in hessian):
        if not is_semidefinite(matrix_of(hessian.tolist())):
            return InnerMinimum(-sp.oo, (sp.false,), ())
        return _of_singular(part, own, hessian, slope)
    gamma = sp.Dummy("gamma", real=True)
    schur = hessian.row_join(slope).col_join(slope.T.row_join(sp.Matrix([[2 * (rest - gamma)]])))
    return InnerMinimum(gamma, (PSD(schur),), (), (gamma,))


def _positive_step(minor: sp.Expr, alone: Region) -> Step:
    def decided(left: sp.Expr, right: sp.Expr) -> Truth:
        return Truth.HOLDS if alone.known(left - right, "positive") else Truth.UNKNOWN

    return Step(minor, ">", sp.Integer(0), "a leading minor of the Hessian", decided)


def _of_singular(
    part: sp.Expr, own: tuple[sp.Symbol, ...], hessian: sp.Matrix, slope: sp.Matrix
) -> InnerMinimum:
    """Finite where the slope has no part in the kernel of Q; there any solution of Qx + q = 0 is a minimiser."""
    where = tuple(sp.Eq(sp.expand((k.T * slope)[0]), 0) for k in hessian.nullspace())
    if any(w is sp.false for w in where):
        return InnerMinimum(-sp.oo, (sp.false,), ())
    point = list(-hessian.pinv() * slope)
    value = sp.expand(part.subs(dict(zip(own, point, strict=True)), simultaneous=True))
    kernel = "the slope lies in the range of the Hessian, where this is the least value"
    step = Step(value, "=", part.subs(dict(zip(own, point, strict=True)), simultaneous=True), kernel)
    return InnerMinimum(value, tuple(w for w in where if w is not sp.true), (step,))


def _at(
    part: sp.Expr, own: tuple[sp.Symbol, ...], point: list[sp.Expr], first: tuple[Step, ...]
) -> InnerMinimum:
    at = dict(zip(own, point, strict=True))
    there = part.subs(at, simultaneous=True)
    value = shortest(there)
    slopes = (
        Step(value_at(sp.diff(part, v), at), "=", sp.Integer(0), f"{STATIONARY}: in {v}", evaluated)
        for v in own
    )
    return InnerMinimum(
        value, (), (*first, *slopes, Step(value_at(part, at), "=", value, "the value there", evaluated))
    )


def _of_one(
    part: sp.Expr, v: sp.Symbol, signs: Mapping[sp.Symbol, sp.Symbol], domain: ParameterDomain
) -> InnerMinimum:
    """A convex formula of one variable, at the point where its derivative vanishes, which is solved for."""
    plain = sp.Dummy(v.name, real=True)
    there = sp.expand(part.xreplace({v: plain, **signs}))
    ratios = (term / plain for term in sp.Add.make_args(there))
    slope_at_zero = sp.Add(*(r for r in ratios if not r.has(plain)))
    tilt = sp.Dummy("a", positive=True) if slope_at_zero.is_positive else sp.Dummy("a", real=True)
    if slope_at_zero != 0:  # one symbol for what multipliers add up to
        there = there - sp.expand(slope_at_zero * plain) + tilt * plain
    asked = [t for t, need in needs(there) if need in ("positive", "nonnegative") and t.has(plain)]
    end = sp.Integer(1 if v.is_positive else -1) * plain
    if (v.is_positive or v.is_negative) and (plain, "nonzero") in needs(there):
        asked.append(end)  # a convex formula with a pole at the border has no least value there
    if (v.is_positive or v.is_negative) and end not in asked:
        raise NotClosedError(f"the least value of {part} may lie on the border {v} = 0")
    for side in (1, -1):
        if side * plain in asked:
            inner = sp.Dummy(v.name, **{"positive" if side == 1 else "negative": True})
            there, asked, plain = (
                there.xreplace({plain: inner}),
                [t.xreplace({plain: inner}) for t in asked],
                inner,
            )
    inside = tuple(t for t in asked if t not in (plain, -plain) and not t.is_positive)
    positives = (*inside, *((plain,) if plain.is_positive else (-plain,) if plain.is_negative else ()))
    others = there.free_symbols - {plain}
    extended = ParameterDomain.of(others, {s.name: ends for s, ends in domain.ends if s in others})
    fact, first = convex(there, Region((plain,), extended, {}, {}, positives))
    if fact.truth is not Truth.HOLDS:
        raise NotClosedError(f"{part} is not known to be convex in {v}")
    slope = sp.diff(there, plain)
    back = {s: m for m, s in signs.items()}
    stated = {tilt: slope_at_zero.xreplace(back)}
    if power := _of_even_power(there, plain):
        steps = (*first, *_power_steps(there, plain, tilt, power))
        return InnerMinimum(power.xreplace(back).xreplace(stated), (), steps)
    for solution, where in _fitting(_solved(slope, plain), slope, plain, inside):
        value = shortest(there.subs(plain, solution))
        known = _inside(where)
        steps = (
            *first,
            Step(
                value_at(slope, {plain: solution}),
                "=",
                sp.Integer(0),
                f"{STATIONARY}: in {v}",
                partial(_where_known, known),
            ),
            Step(
                value_at(there, {plain: solution}),
                "=",
                value,
                f"the value at {v} = {solution.xreplace(back).xreplace(stated)}",
                partial(_where_known, known),
            ),
        )
        conditions = [sp.Ge(w.lhs.xreplace(back).xreplace(stated), 0) for w in where]
        if any(w is sp.false for w in conditions):
            continue
        final = shortest(value.xreplace(back).xreplace(stated))
        return InnerMinimum(final, tuple(w for w in conditions if w is not sp.true), steps)
    raise NotClosedError(f"where the derivative of {part} in {v} vanishes is not known in closed form")


def _fitting(
    solutions: list[sp.Expr], slope: sp.Expr, v: sp.Symbol, inside: tuple[sp.Expr, ...]
) -> list[tuple[sp.Expr, tuple[sp.Rel, ...]]]:
    """The solutions that are numbers of the natural domain for some multipliers, with their conditions, those with fewest first."""
    found = []
    for solution in solutions:
        if solution.has(v) or sp.simplify(slope.subs(v, solution)) != 0:
            continue
        where = _conditions(solution, v, inside)
        if where is not None and _met(where):
            found.append((solution, where))
    return sorted(found, key=lambda pair: len(pair[1]))


def _met(where: tuple[sp.Rel, ...]) -> bool:
    """Whether some numbers meet all the conditions strictly: a set without an inside has no limits from it."""
    if not where:
        return True
    free = {s for w in where for s in w.free_symbols}
    points = islice(sample_points(free), _SAMPLES)
    return any(all(sign(w.lhs, at) == 1 for w in where) for at in points)


def _inside(where: tuple[sp.Rel, ...]) -> dict[sp.Symbol, sp.Expr]:
    """Multipliers as formulas of free numbers that meet the conditions, so that sympy knows the signs."""
    known: dict[sp.Symbol, sp.Expr] = {}
    for relation in where:
        free = relation.lhs.free_symbols - set(known)
        for s in sorted(free, key=lambda s: s.name):
            slope = sp.diff(relation.lhs, s)
            u = sp.Dummy("u", positive=True)
            if not slope.free_symbols and slope != 0:
                end = sp.expand(s - relation.lhs / slope).subs(known)
                if not s.is_positive or slope > 0:
                    known[s] = end + u / slope
                elif end.is_positive:
                    known[s] = end * u / (1 + u)
                break
            if sp.expand(relation.lhs - 1 + s**2) == 0:
                t = u if s.is_positive else sp.Dummy("u", real=True)
                known[s] = t / sp.sqrt(1 + t**2)
                break
            if between := _between(relation.lhs, s):
                low, high = between
                known[s] = low + (high - low) * u / (1 + u)
                break
    return known


def _between(e: sp.Expr, s: sp.Symbol) -> tuple[sp.Expr, sp.Expr] | None:
    """The rational ends between which a quadratic in s alone, bent down, is positive, cut at zero for a positive s."""
    if not e.is_polynomial(s) or e.free_symbols != {s} or sp.degree(e, s) != 2 or sp.LC(e, s) > 0:
        return None
    roots = [r for r in sp.roots(e, s) if r.is_Rational] or [sp.S.Zero]
    low, high = min(roots), max(roots)
    low = sp.Max(low, 0) if s.is_positive else low
    return (low, high) if low < high else None


def _settled(e: sp.Expr, known: dict[sp.Symbol, sp.Expr]) -> sp.Expr:
    """The expression at free numbers, what stands under its roots brought to one fraction."""
    return e.subs(known).replace(
        lambda p: isinstance(p, sp.Pow) and not p.exp.is_integer,
        lambda p: sp.cancel(sp.together(p.base)) ** p.exp,
    )


def _solved(slope: sp.Expr, v: sp.Symbol) -> list[sp.Expr]:
    free = sp.Dummy("x")
    try:
        equation = slope.xreplace({v: free})
        found = apart(lambda: sp.solve(equation, free), "a derivative that vanishes", here=tame(equation))
    except (NotImplementedError, ValueError, TypeError, UnfinishedError):
        return []
    return [s for s in found if not s.has(sp.I)]


def _conditions(solution: sp.Expr, v: sp.Symbol, inside: tuple[sp.Expr, ...]) -> tuple[sp.Rel, ...] | None:
    """What the multipliers have to satisfy so that the solution is a number of the natural domain; None if it never is."""
    found: list[sp.Rel] = []
    asked = [t for t, need in needs(solution) if need in ("positive", "nonnegative")]
    asked += [t.subs(v, solution) for t in inside]
    asked += [solution] if v.is_positive else [-solution] if v.is_negative else []
    for term in asked:
        # what the conditions before it show already is no condition
        there = _settled(term, _inside(tuple(found)))
        if there.is_nonnegative:
            continue
        relation = None if there.is_negative else _cleared(sp.Ge(term, 0), term.free_symbols)
        if relation is None:
            return None
        found.append(relation)
    return tuple(found)


def _cleared(relation: sp.Rel, multipliers: set[sp.Symbol]) -> sp.Rel | None:
    """top / bottom >= 0 as top * bottom >= 0 without positive factors; None unless a concave formula says it, which closes the domain."""
    top, bottom = sp.fraction(sp.together(relation.lhs))
    kept = [f for f in sp.Mul.make_args(sp.factor(top * bottom)) if not f.is_positive]
    lhs = sp.expand(sp.Mul(*kept)).primitive()[1]
    order = tuple(sorted(multipliers, key=lambda s: s.name))
    fits = bool(kept) and curvature(lhs, Region(order, ParameterDomain(()), {}, {}, ())).concave
    return sp.Ge(lhs, 0) if fits else None


def _of_even_power(there: sp.Expr, v: sp.Symbol) -> sp.Expr | None:
    """k v^p + a v + c with an even p and k > 0: c - (p - 1) k |a / (p k)|^(p / (p - 1)), the conjugate of a power."""
    if v.is_positive or v.is_negative or not there.is_polynomial(v):
        return None
    terms = dict(sp.Poly(there, v).terms())
    p = max(powers[0] for powers in terms)
    k = terms[p,]
    if p % 2 or set(terms) - {(p,), (1,), (0,)} or not k.is_positive:
        return None
    size = sp.Abs(terms.get((1,), sp.Integer(0)) / (p * k))
    return terms.get((0,), sp.Integer(0)) - (p - 1) * k * size ** sp.Rational(p, p - 1)


def _power_steps(there: sp.Expr, v: sp.Symbol, tilt: sp.Symbol, value: sp.Expr) -> Iterator[Step]:
    """The value at the tilt with which the derivative vanishes at a number, of either sign."""
    number = sp.Dummy("r", positive=True)
    for r in ((-number,) if tilt.is_positive else (number, -number)) if there.has(tilt) else ():
        at = {tilt: (tilt - sp.diff(there, v)).subs(v, r)}
        left, shown = there.subs(v, r), (sp.sstr(there.subs(v, r)), sp.sstr(value))
        yield Step(left.subs(at), "=", value.subs(at), f"{STATIONARY}: at {at}", None, shown)


def _of_exponentials(part: sp.Expr, own: tuple[sp.Symbol, ...]) -> InnerMinimum | None:
    """k log(sum c_i exp(x_i)) + a'x with one variable in each exponential: an entropy, where -a/k is a distribution."""
    logs = [t for t in sp.Add.make_args(part) if t.has(sp.log) and t.free_symbols & set(own)]
    if len(logs) != 1 or not affine(part - logs[0], own):
        return None
    scale, log = logs[0].as_independent(*own, as_Add=False)
    if not isinstance(log, sp.log):
        return None
    weights: dict[sp.Symbol, sp.Expr] = {}
    constant = sp.Integer(0)
    for term in sp.Add.make_args(log.args[0]):
        factor, rest = term.as_independent(*own, as_Add=False)
        if rest == 1:
            constant = factor
        elif isinstance(rest, sp.exp) and rest.args[0] in own and factor.is_positive:
            weights[rest.args[0]] = factor
        else:
            return None
    if set(weights) != set(own) or not (constant == 0 or constant.is_positive):
        return None
    poly = sp.Poly(part - logs[0], *own)
    shares = {v: -poly.coeff_monomial(v) / scale for v in own}
    left = 1 - sp.Add(*shares.values())
    value = poly.coeff_monomial(1) - scale * sp.Add(*(p * sp.log(p / weights[v]) for v, p in shares.items()))
    where = [sp.Ge((-poly.coeff_monomial(v)).primitive()[1], 0) for v in own]
    if constant == 0:
        where.append(sp.Eq(sp.Add(*(-poly.coeff_monomial(v) for v in own)), scale))
    else:
        value -= scale * left * sp.log(left / constant)
        where.append(sp.Ge(scale - sp.Add(*(-poly.coeff_monomial(v) for v in own)), 0))
    return InnerMinimum(value, tuple(w for w in where if w is not sp.true), ())
