"""The excess-risk bounds of Pathak and Raj (2010) as expressions, the chances that they hold, and how they vary."""

from __future__ import annotations

import sympy as sp

from .....symbolic.proof.as_written import applied, difference, power, product, quotient, total, value_at
from .....symbolic.proof.derivation import Derivation, Step
from .....symbolic.proof.trace import Letter, Symmetric, Trace, identity
from ....dossier.formula import Formula, argued
from .risk_convexity import CLASSES, LAMBDA, NAMES, NOISE, OPTIMAL, SUPREMUM, D, distances, sharper, traces

N = sp.Symbol("n", integer=True, positive=True)
EPS = sp.Symbol("eps", positive=True)
# delta = 1/(1 + s) runs over all of (0, 1).
_ODDS = sp.Symbol("s", positive=True)
DELTA = 1 / (1 + _ODDS)
ORDER = D + 1
LOG = sp.log(D / DELTA)
HALF = sp.Rational(1, 2)
EIGHT = sp.Integer(8)
UNION = (
    "a sum of (d+1)^2 exponential numbers has the law of (eps/2)|b|; one of them is at least the mean of all"
)
QUOTED = "the uniform bound of the quoted theorem holds with probability 1 - delta"


def radius(log: sp.Expr = LOG) -> sp.Expr:
    """The norm that b exceeds with probability delta, as lemma 4 has it."""
    return 2 * ORDER**2 / EPS * log


def empirical(factor: sp.Expr = EIGHT, log: sp.Expr = LOG) -> sp.Expr:
    """The bound of theorem 2, of order C/eps^2."""
    return factor * ORDER**4 * CLASSES / (EPS**2 * LAMBDA) * log**2


def statistical() -> sp.Expr:
    """The last term of theorem 3."""
    return 16 / (LAMBDA * N) * (32 + sp.log(1 / DELTA))


def first_term(divisor: sp.Expr = LAMBDA, log: sp.Expr = LOG) -> sp.Expr:
    """The term of theorem 3 that the traces cause."""
    return 4 * sp.sqrt(D) * ORDER**2 * CLASSES / (EPS * divisor) * log


TRUE = first_term() + empirical() + statistical()


def union(ratio: sp.Expr, cost: sp.Expr | None = None) -> Derivation:
    """P[|b| >= (2 (d+1)^2/eps) log(ratio/delta)] <= (d+1)^2 delta/ratio <= delta; cost |b|^2 is then below the bound of theorem 2."""
    r, s = sp.Symbol("r", positive=True), sp.Symbol("t", positive=True)
    steps: tuple[Step, ...] = (
        Step(sp.Integral(sp.exp(-r), (r, s, sp.oo)), "=", sp.exp(-s), "one exponential number above t"),
        Step(applied(sp.exp, -sp.log(ratio / DELTA)), "=", quotient(DELTA, ratio), "at t = log(ratio/delta)"),
        Step(
            product(ORDER**2, quotient(DELTA, ratio)),
            "<=",
            DELTA,
            "(d+1)^2 numbers, any of which may be the large one",
        ),
    )
    if cost is not None:
        log = sp.Symbol("L", positive=True)
        put = product(cost, power(radius(log), 2))
        steps = (*steps, Step(put, "<=", empirical(log=log), "the norm put in"))
    return Derivation("tail of the norm of the noise", steps, (UNION,))


def chance(ridge: bool, ratio: sp.Expr = D, failures: int = 1) -> Formula:
    """The probability that the bound holds against 1 - failures delta; at most 1/2 without the ridge, where half of all b leave no Phi^p."""
    if ridge:
        failing = total(product(ORDER**2, quotient(DELTA, ratio)), product(failures - 1, DELTA))
        return Formula(difference(1, failing), ">=", 1 - failures * DELTA)
    t, b = sp.symbols("t b_kk", real=True)
    x = sp.Matrix([*sp.symbols("x1 x2", real=True), 1])
    move = sp.diag(0, 0, t)
    entries = sp.Matrix(3, 3, sp.symbols("p1:10", real=True))
    own, lead, shift = ((x.T * m * x)[0] for m in (entries + move, entries, move))
    flat, nought = sp.diag(1, 1, 0), sp.Integer(0)
    steps = (
        Step(
            difference(difference(own, shift), lead),
            "=",
            nought,
            "t on all last entries at once changes no lead",
        ),
        Step(
            total(*(product(flat[i, i], move[i, i], flat[i, i]) for i in range(3))),
            "=",
            nought,
            "and no trace of an inverse covariance",
        ),
        Step(
            sp.Sum((sp.diag(0, 0, b) * move).trace(), (sp.Symbol("c", integer=True), 1, CLASSES)),
            "=",
            CLASSES * b * t,
            "and J_p by C b_kk t: no lower bound if b_kk < 0, half of all draws by symmetry",
        ),
    )
    return Formula(HALF, ">=", 1 - failures * DELTA, argument=argued(*steps))


def empirical_argument(ridge: sp.Expr, ratio: sp.Expr) -> Derivation:
    """Theorem 2: the tilt is at most (2 C/lambda)|b|^2, and |b| at most its radius."""
    base = distances(ridge, 4 * CLASSES / LAMBDA**2, 2 * CLASSES / LAMBDA)
    put = union(ratio, 2 * CLASSES / LAMBDA)
    return Derivation("regularised excess risk", base.steps + put.steps, base.lemmas + put.lemmas)


def true_argument(ridge: sp.Expr, divisor: sp.Expr, ratio: sp.Expr) -> Derivation:
    """Theorem 3: lambda times the traces, and twice the regularised excess risk by the sharper use of strong convexity."""
    log = sp.Symbol("L", positive=True)
    size = radius(log)
    s, w = sp.symbols("s w", nonnegative=True)
    least, at_p, at_star = sp.symbols("Jr R_p R_star", real=True)
    moved = LAMBDA * sp.sqrt(D * CLASSES) * sp.sqrt(CLASSES) * NOISE / LAMBDA
    steps = (
        *sharper(ridge),
        *traces(1 / (D * CLASSES)),
        Step(
            least + w - at_p,
            "<=",
            least + s - at_star + (at_star - at_p) + w,
            "equation 21 with the whole regulariser R: Ltilde = Jtilde - R, Jtilde(Phi^*) = Jtilde(Phi^r) + s, s >= 0",
        ),
        Step(
            value_at(moved, {NOISE: size}),
            "<=",
            first_term(divisor, log),
            "lambda sum tr(...) <= lambda sqrt(d C S)",
        ),
        Step(
            value_at(CLASSES * NOISE**2 / LAMBDA, {NOISE: size}),
            "<=",
            empirical(log=log),
            "2 [J(Phi^p) - J(Phi^*)]",
        ),
        *union(ratio).steps,
    )
    return Derivation("true excess risk", steps, (SUPREMUM, OPTIMAL, QUOTED, UNION))


def order(exponent: sp.Expr) -> tuple[Formula, Formula]:
    """The bound of theorem 2 is C/eps^exponent times its value at C = eps = 1, and it falls as eps rises."""
    bound = empirical()
    unit = bound.subs({CLASSES: 1, EPS: 1})
    return Formula(bound, "=", product(unit, quotient(CLASSES, EPS**exponent))), Formula(
        sp.diff(bound, EPS), "<", sp.Integer(0)
    )


def in_epsilon(printed: bool) -> Formula:
    """Theorem 3 as a multiple of 1/eps, or as a/eps + c/eps^2 + e with coefficients read off at eps = 1, 2 and infinity."""
    if printed:
        return Formula(TRUE, "=", TRUE.subs(EPS, 1) / EPS)
    a, c, e, one, two = sp.symbols("a c e v1 v2", real=True)
    found = sp.solve([a + c + e - one, a / 2 + c / 4 + e - two], [a, c])
    values = {one: TRUE.subs(EPS, 1), two: TRUE.subs(EPS, 2), e: sp.limit(TRUE, EPS, sp.oo)}
    return Formula(TRUE, "=", (found[a] / EPS + found[c] / EPS**2 + e).xreplace(values))


def in_classes(constant: bool) -> Formula:
    """Theorem 3 as its value at C = 0 (if `constant`) plus a multiple of C."""
    rest = TRUE.subs(CLASSES, 0) if constant else sp.Integer(0)
    return Formula(TRUE, "=", rest + CLASSES * (TRUE.subs(CLASSES, 1) - rest))


def in_lambda(power: sp.Expr) -> Formula:
    """Theorem 3 as a multiple of 1/lambda^power."""
    return Formula(TRUE, "=", TRUE.subs(LAMBDA, 1) / LAMBDA**power)


def in_dimension(printed: bool) -> Formula:
    """The derivative of theorem 3 in d (real, >= 1): that of a multiple of 1/d, or positive."""
    z = sp.Symbol("z", nonnegative=True)
    d = sp.Symbol("x", positive=True)
    bound = TRUE.subs(D, d)
    slope, value = (sp.expand_log(f.subs(d, 1 + z), force=True) for f in (sp.diff(bound, d), bound))
    return Formula(slope, "=", -value / (1 + z)) if printed else Formula(slope, ">", sp.Integer(0))


def substituted(factor: sp.Expr) -> Formula:
    """2 [J(Phi^p) - J(Phi^*)] + the statistical term, with theorem 2 for the bracket, against the printed factor."""
    p, q = sp.symbols("p q", nonnegative=True)
    left = 2 * (empirical() - p) + statistical() - q
    return Formula(left, "<=", empirical(factor) + statistical())


def regularised(share: sp.Expr) -> tuple[Formula, Formula]:
    """Equation 21, both lines: Jtilde(Phi^r) is Jtilde(Phi^*) - s, Jtilde(Phi^p) is Jtilde(Phi^r) + w with s, w >= 0."""
    s, w = sp.symbols("s w", nonnegative=True)
    least, at_p, at_star = sp.symbols("Jr tr_p tr_star", real=True)
    moved, star = least + w, least + s
    return (
        Formula(moved, "<=", star + share * w),
        Formula(moved - LAMBDA * at_p, "<=", star - LAMBDA * at_star + LAMBDA * (at_star - at_p) + share * w),
    )


def kept_objective(share: sp.Expr) -> tuple[Formula, ...]:
    """Equation 14 with J_p = J + tilt: the tilts are u at Phi^* and v at Phi^p, J_p(Phi^p) = J_p(Phi^*) - s."""
    s = sp.Symbol("s", nonnegative=True)
    at_star, u, v = sp.symbols("J u v", real=True)
    return (Formula(at_star + u - s - v, "<=", at_star + share * (u - v)),)


def linear_traces(share: sp.Expr) -> Formula:
    """Equation 26 for two classes and two features, share a N(P) + (1 - a) N(Q) on the right; the step is for all dimensions."""
    a = sp.Symbol("a", real=True)
    flat = sp.diag(1, 1, 0)
    p, q = ([sp.Matrix(3, 3, sp.symbols(f"{n}{c}_1:10", real=True)) for c in "12"] for n in "pq")

    def cost(phi: list[sp.Matrix]) -> sp.Expr:
        return LAMBDA * sum(((flat * m * flat).trace() for m in phi), sp.Integer(0))

    i, x, y = Symmetric("I"), Letter("P"), Letter("Q")
    step = identity(
        Trace(i * (a * x + (1 - a) * y) * i),
        a * Trace(i * x * i) + (1 - a) * Trace(i * y * i),
        "the trace of each class, in every dimension",
    )
    between = [a * m + (1 - a) * w for m, w in zip(p, q, strict=True)]
    return Formula(
        sp.expand(cost(between)), "=", share * a * cost(p) + (1 - a) * cost(q), argument=argued(step)
    )


def moved_traces(ridge: sp.Expr, by_distance: sp.Expr, by_noise: sp.Expr) -> Derivation:
    """Equation 22: lemma 3, equation 18 and the norm of the noise put in, then the root; both bounds as printed."""
    log = sp.Symbol("L", positive=True)
    base = distances(ridge, by_noise / (D * CLASSES * NOISE**2), 2 * CLASSES / LAMBDA)
    square = 16 * D * ORDER**4 * CLASSES**2 / (EPS**2 * LAMBDA**2) * log**2
    steps = (
        *traces(NAMES["S"] / by_distance),
        Step(value_at(by_noise, {NOISE: radius(log)}), "<=", square, "the norm put in"),
        Step(power(first_term(log=log), 2), "=", square, "the root, with both sides >= 0"),
    )
    return Derivation("traces of the minimisers", base.steps + steps, base.lemmas)


def falling_traces() -> Formula:
    """T1 - T2 >= 0 for the traces at minimisers with lambda and lambda + k: both are optimal, with slacks s1 and s2."""
    k = sp.Symbol("k", positive=True)
    s1, s2 = sp.symbols("s1 s2", nonnegative=True)
    rest, rest2, t2 = sp.symbols("F1 F2 T2", real=True)
    t1 = sp.Symbol("T1", real=True)
    first = (rest + LAMBDA * t1 + s1) - (rest2 + LAMBDA * t2)
    second = (rest2 + (LAMBDA + k) * t2 + s2) - (rest + (LAMBDA + k) * t1)
    return Formula(sp.expand(sp.solve(first + second, t1)[0] - t2), ">=", sp.Integer(0))


def sensitivity_argument(ridge: sp.Expr, far: sp.Expr) -> Derivation:
    """Equation 18, and that its bound falls in lambda."""
    base = distances(ridge, far / NOISE**2, 2 * CLASSES / LAMBDA)
    step = Step(sp.Derivative(far, LAMBDA), "<", sp.Integer(0), "the bound falls as lambda rises")
    return Derivation("less sensitivity", (*base.steps, step), base.lemmas)
