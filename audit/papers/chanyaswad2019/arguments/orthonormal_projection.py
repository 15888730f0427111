"""Projections W'x with orthonormal columns: lengths, neighbours, how W is drawn, and how its projections compare with others."""

from __future__ import annotations

import sympy as sp

from .....symbolic.proof import as_written as written
from .....symbolic.proof.derivation import Step, evaluated
from .....symbolic.proof.trace import Column, Letter, Rules, Trace, contraction, gram, identity
from ....dossier.arguments.bounds_arguments import cancelled
from ....dossier.formula import Formula, argued

UNIT = sp.Integer(1)
ZERO = sp.Integer(0)
M = sp.Symbol("m", integer=True, positive=True)
HAAR = "the uniform (Haar) law is the only one on orthogonal matrices that no rotation changes"
UNIQUE = "the factorisation A = QR of a regular A is unique up to the signs of the columns of Q; A with a density is regular"


def projected_length(relation: str, bound: sp.Expr) -> Formula:
    """|W'x|^2 for unit x and one unit column W in the plane, against the bound."""
    w1, w2, x1, x2 = sp.symbols("w1 w2 x1 x2", positive=True)
    left = (w1 * x1 + w2 * x2) ** 2 / ((w1**2 + w2**2) * (x1**2 + x2**2))
    return Formula(
        left, relation, bound, argument=argued(contraction("with W'W = I what is lost is a square"))
    )


def record_by_record(mixing: sp.Expr) -> Formula:
    """What W'X says of record 2, for two data sets that differ in record 1; m = 2, n = 2, columns are records.

    `mixing` is the share of the data's own mean that is taken off before.
    """
    w = sp.Matrix(sp.symbols("w1 w2", positive=True))
    a, b, c = (sp.Matrix(sp.symbols(f"{n}1 {n}2", positive=True)) for n in ("a", "b", "c"))

    def second(first: sp.Matrix) -> sp.Expr:
        # The second record is X f, f = (0, 1)'.
        kept = (
            written.total(written.product(u, 0), written.product(v, 1)) for u, v in zip(first, c, strict=True)
        )
        means = (first + c) / 2
        moved = (written.difference(k, written.product(mixing, m)) for k, m in zip(kept, means, strict=True))
        return written.total(*map(written.product, w, moved))

    x, r, e, f = Letter("X"), Column("r"), Column("e"), Column("f")
    rules: Rules = {(e.T, f): ZERO}
    general = identity(
        Trace(r.T * (x + r * e.T) * f) - Trace(r.T * x * f),
        ZERO,
        "adding r e' to X, e the place of record 1, leaves record f untouched as e'f = 0; every size",
        rules=rules,
        instance={
            x: sp.Matrix([[1, 2], [3, 4]]),
            r: sp.Matrix([5, 6]),
            e: sp.Matrix([1, 0]),
            f: sp.Matrix([0, 1]),
        },
    )
    return Formula(written.difference(second(a), second(b)), "=", ZERO, argument=argued(general))


def no_leak(tilt: sp.Expr) -> Formula:
    """The ratio of the joint densities of (W, release) against that of the release given W; W has the density q, q times `tilt` for X'."""
    q, f, g = sp.symbols("q f g", positive=True)
    joint = written.quotient(written.product(q, f), written.product(tilt, q, g))
    return Formula(joint, "=", f / g)


def gram_schmidt(tilt: sp.Expr = UNIT) -> tuple[Formula, Formula]:
    """Products of the first two columns of Q for A with the columns a and b in R^3, times the lengths; `tilt` is an error of the share taken off."""
    a, b = (sp.Matrix(sp.symbols(f"{n}1 {n}2 {n}3", positive=True)) for n in ("a", "b"))
    share = tilt * (a.T * b)[0] / (a.T * a)[0]
    second = b - share * a
    q, e = Letter("Q"), Letter("E")
    columns = identity(
        Trace(e.T * q.T * q * e) - Trace(e.T * e),
        ZERO,
        "the first p columns W = Q E have W'W = E'E = I, for every m and p",
        rules={(q.T, q): UNIT},
        instance={q: sp.Matrix([[3, -4], [4, 3]]) / 5, e: sp.Matrix([1, 0])},
    )
    inner = (a.T * second)[0]
    left_over = written.difference((second.T * second)[0], (b.T * b)[0] - (a.T * b)[0] ** 2 / (a.T * a)[0])
    return (
        Formula(inner, "=", ZERO, argument=argued(columns, how=cancelled)),
        Formula(left_over, "=", ZERO, argument=argued(how=cancelled)),
    )


def first_column(entries: str) -> tuple[Formula, Formula]:
    """E q1 q2 and E q1^2 q2^2 for the first column of Q, m = 2, by its angle: 0 and 1/8 under the uniform law.

    The column is (a, b)/|(a, b)| up to sign, with a, b independent and of the printed law; its sign drops out.
    """
    angle, r = sp.symbols("theta r", positive=True)
    product = sp.sin(angle) * sp.cos(angle)
    steps: list[Step] = []
    if entries == "standard normal":
        radial = sp.Integral(r * sp.exp(-(r**2) / 2), (r, 0, sp.oo))
        steps.append(Step(radial, "=", UNIT, "the radius is independent of the angle, which is uniform"))
        primitives = {product: sp.sin(angle) ** 2 / 2, product**2: angle / 8 - sp.sin(4 * angle) / 32}
        steps += [
            Step(sp.Derivative(f, angle), "=", g, f"a primitive of {sp.sstr(g)}")
            for g, f in primitives.items()
        ]
        first, second = (_turn(f, angle) for f in primitives.values())
    else:
        # A square from 0 to 1, by angle: radius up to 1/cos below pi/4, and the mirror image above.
        below = sp.integrate(r, (r, 0, 1 / sp.cos(angle)))
        mixed = 2 * sp.integrate(sp.tan(angle) / 2, (angle, 0, sp.pi / 4))
        second = 2 * sp.integrate(sp.simplify(product**2 * below), (angle, 0, sp.pi / 4))
        # From -1 to 1 the four quadrants cancel in the first moment and agree in the second.
        first, second = sp.simplify(mixed if entries == "uniform on [0, 1]" else ZERO), sp.simplify(second)
    a, u = Letter("A"), Letter("U")
    rotated = identity(
        gram(u * a),
        gram(a),
        "independent normal entries have a density of |A|^2 alone, and |UA| = |A| for U'U = I: Q and UQ have one law",
        rules={(u.T, u): UNIT},
        instance={u: sp.Matrix([[3, -4], [4, 3]]) / 5, a: sp.Matrix([[1, 2], [3, 5]])},
    )
    uniform = sp.integrate(product**2, (angle, 0, 2 * sp.pi)) / (2 * sp.pi)
    because = argued(rotated, *steps, how=evaluated, lemmas=(HAAR, UNIQUE))
    return (Formula(first, "=", ZERO, argument=because), Formula(second, "=", uniform, argument=because))


def _turn(primitive: sp.Expr, angle: sp.Symbol) -> sp.Expr:
    """The mean over a full turn of what has this primitive."""
    ends = (written.value_at(primitive, {angle: end}) for end in (2 * sp.pi, 0))
    return written.quotient(written.difference(*ends), 2 * sp.pi)


def far_from_normal(entries: str, relation: str) -> Formula:
    """Records that are unit vectors +-e_i, all equally likely, projected to a line: |3 - fourth moment| of the scaled result, against 1.

    Given the column w the fourth moment is (m^2)(1/m) sum w_i^4 where |w| = 1 on average; the mean over w is taken.  m > 3.
    """
    moment = {"orthonormal": _moment(M), "normal": 3 / M**2, "sign": 1 / M**2}[entries]
    scaled = sp.simplify(M**2 * moment)
    gap = sp.Abs(sp.simplify((3 - scaled).subs(M, M + 3)))
    return Formula(gap, relation, 6 / (M + 3) if relation == "<=" else UNIT)


def _moment(m: sp.Expr) -> sp.Expr:
    """E w_1^4 for a uniform unit vector: w_1^2 has the law Beta(1/2, (m-1)/2)."""
    a, b = sp.Rational(1, 2), (m - 1) / 2
    return sp.gammasimp(sp.gamma(a + 2) * sp.gamma(a + b) / (sp.gamma(a) * sp.gamma(a + b + 2)))


def kept_share(factor: sp.Expr = UNIT) -> tuple[Formula, Formula]:
    """The mean over coordinates e of 1 - |W'e|^2, the error of the best linear guess of that coordinate, is positive; p + k = m + 1.

    sum |W'e|^2 over all coordinates is Tr(WW') = Tr(W'W) = p, and under the uniform law no coordinate is special.
    """
    p, k = sp.symbols("p k", integer=True, positive=True)
    steps = (
        contraction("the error of a coordinate x = e of white records, |x - WW'x|^2"),
        Step(1 - p / (p + k), "=", k / (p + k), "the average of 1 - |W'e|^2 with Tr(WW') = p"),
    )
    error = 1 - p / (p + k)
    return (
        Formula(error, "=", factor * k / (p + k), argument=argued(*steps)),
        Formula(sp.together(error), ">", ZERO),
    )


def unreduced(factor: sp.Expr = UNIT) -> Formula:
    """Without reduction, p = m: rotated records +-e_i, equally likely, are at a distance of at least `factor`/2 from N(0, I/m), m >= 48.

    The largest |<w_i, x>|, w_i the rotated axes, is a function with Lipschitz constant 1 (cut at 1).  It is 1 for the records; under the
    normal law its mean is at most the fourth root of sum E<w_i, x>^4, which is compared with (1 - factor/2)^4.
    """
    more, z = sp.Symbol("k", integer=True, nonnegative=True), sp.Symbol("z", real=True)
    moment = sp.Integral(z**4 * sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi), (z, -sp.oo, sp.oo))
    fourth = sp.Integer(3)
    m = 48 + more
    steps = (
        Step(moment, "=", fourth, "the fourth moment of a standard normal number"),
        Step(
            written.product(m, fourth, written.power(1 / m, 2)),
            "=",
            3 / m,
            "m coordinates of variance 1/m, in every rotated basis",
        ),
    )
    lemmas = (
        "E max <= (E max^4)^(1/4) (Jensen), and a maximum of nonnegative numbers is at most their sum",
        "the bounded-Lipschitz distance is at least the difference of the means of one function with values and Lipschitz constant at most 1",
    )
    return Formula(
        sp.cancel(m * fourth / m**2), "<=", (1 - factor / 2) ** 4, argument=argued(*steps, lemmas=lemmas)
    )
