"""Section 2 up to the Fisher information: the answer y = f(x) + w, its noise and the assumptions on both."""

from __future__ import annotations

import sympy as sp

from ....symbolic.information.fisher import location_information
from ....symbolic.laws import catalogue as laws
from ....symbolic.proof.as_written import difference, power, product, total, value_at
from ....symbolic.proof.derivation import Step, evaluated
from ...dossier import Formula, Parts, argued, parts
from ...dossier.arguments.information_noise import vanishing_tail
from .dossier import DOSSIER

W, X, Y, T = sp.symbols("w x y t", real=True)
RATE, SCALE, ETA = sp.symbols("r b eta", positive=True)


DOSSIER.introduces(
    "eq-1",
    "The answer to a query (1)",
    "A fixed record x in X, a subset of R^n, without a prior; a query f from R^n to R^m; the answer is "
    "y = f(x) + w with noise w in W(x), a subset of R^m.",
)

DOSSIER.introduces("assumption-1", "Assumption 1", "The query f is continuously differentiable.")


DOSSIER.introduces(
    "support-families",
    "Two families of supports",
    "Either the support W of the noise is the same for all x, or it is Y - f(x) for a fixed set Y, so that the "
    "answer stays in Y.",
)

DOSSIER.introduces(
    "def-policy",
    "Policies",
    "A policy is a conditional density gamma(w|x) of the noise, whose integral over a measurable part of W is "
    "the probability of that part; Gamma is the set of admissible ones.",
)


DOSSIER.introduces(
    "assumption-2",
    "Assumption 2",
    "(i) The noise lies in W with probability one; (ii) gamma(w|x) is twice continuously differentiable in (w, x) "
    "on W x X; (iii) gamma vanishes on the boundary of W.",
)


@DOSSIER.disputed(
    "assumption-2-purpose",
    "What smoothness and zeros on the boundary are needed for",
    printed="The Cramer-Rao bound can fail without (ii) and without (iii): exponential noise of rate r cut to [0, 1] "
    "breaks (iii) if W = [0, 1], and (ii) alone if W is the line, and the answer less its mean has an error "
    "below the inverse information.",
    twin="It fails already where the density is continuous with a kink instead of twice differentiable, as for "
    "Laplace noise. (It holds there: much less than (ii) is enough.)",
    at=(True, False),
)
def assumption_2_purpose(cut_off: bool) -> Parts:
    """Unbiased for a location: the answer less the mean of the noise; the Cramer-Rao bound says variance x information >= 1."""
    cut = RATE * sp.exp(-RATE * W) / (1 - sp.exp(-RATE))
    score = sp.diff(sp.log(RATE) - RATE * W, W)
    # The logarithm of the moment generating function int exp(t w) cut(w) dw; its second derivative is the variance.
    cumulants = sp.log(1 - sp.exp(T - RATE)) - sp.log(RATE - T)
    generated = sp.integrate(sp.exp((sp.Rational(1, 2) - 1) * RATE * W), (W, 0, 1))
    spread = score**2 * sp.diff(cumulants, T, 2).subs(T, 0)
    shown = 1 - RATE**2 * sp.exp(-RATE) / (1 - sp.exp(-RATE)) ** 2
    found = (
        Step(
            sp.integrate(cut, (W, 0, 1)), "=", sp.Integer(1), "the density that is cut to [0, 1] has mass one"
        ),
        Step(
            sp.exp(cumulants.subs(T, RATE / 2)),
            "=",
            generated,
            "the generating function at t = r/2, integrated",
        ),
        Step(spread, "=", shown, "information r^2 times the variance"),
    )
    kinked = laws.laplace(0, SCALE)
    kink = sp.simplify(kinked.variance() * location_information(kinked).scalar)
    if not cut_off:
        return parts(Formula(kink, "<", sp.Integer(1)))
    argument = argued(*found, conclusion="the bound fails at every rate")
    return parts(Formula(shown, "<", sp.Integer(1), argument=argument))


@DOSSIER.disputed(
    "assumption-2-unbounded",
    "Densities on unbounded supports at infinity and on the boundary",
    printed="(iii) holds on every unbounded W because every density tends to zero: (a) the density made of bumps of "
    "width 2^-N at each N = 1, 2, ... is below half of its first peak from some N on; (b) the exponential "
    "density of rate r vanishes on the boundary of W = [0, infinity).",
    twin="On W = R there is no boundary, and a density of finite Fisher information I tends to zero: "
    "gamma(w)^2 <= I P(noise > w). Formula: logistic noise.",
    at=(True, False),
)
def assumption_2_unbounded(every_density: bool) -> Parts:
    """Bumps (1 - s^2)^3, s = 2^(k+1) (w - k): height 1 at every k = 1, 2, ..., and a finite integral."""
    number = sp.Symbol("N", integer=True, positive=True)
    k = sp.Symbol("k", integer=True, positive=True)
    s = sp.Symbol("s", real=True)
    bump = (1 - s**2) ** 3
    parts_of_mass = (sp.Integral(bump, (s, -1, 1)), sp.Sum(sp.Rational(1, 2) ** (k + 1), (k, 1, sp.oo)))
    mass = sp.Mul(*(part.doit() for part in parts_of_mass))
    at = bump.subs(s, 2 ** (number + 1) * (number - number)) / mass
    smooth = Step(
        total(*(power(value_at(sp.diff(bump, s, order), {s: 1}), 2) for order in range(3))),
        "=",
        sp.Integer(0),
        "a bump ends with two derivatives zero: the density is twice continuously differentiable",
    )
    whole = Step(
        product(*parts_of_mass),
        "=",
        sp.Rational(16, 35),
        "the bumps have a finite total mass, by which they are divided",
    )
    end = RATE * sp.exp(-RATE * W)
    if not every_density:
        return parts(vanishing_tail())
    falling = argued(smooth, whole, conclusion="bumps")
    peak = Formula(sp.limit(at, number, sp.oo), "<", at.subs(number, 1) / 2, argument=falling)
    return parts(peak, Formula(end.subs(W, 0), "=", sp.Integer(0)))


@DOSSIER.disputed(
    "assumption-2-approximation",
    "Densities that vanish on the boundary approximate all others",
    condition="The boundary of W has measure zero. A Cantor set of positive length is bounded and its own boundary.",
    printed="On a bounded W, for every density and every eta in (0, 1) there is one that satisfies Assumption 2 and is "
    "within eta of it in the integral of the absolute difference. Formula: uniform noise, ramps over eta/2 at "
    "both ends.",
    without="The same for every bounded W: uniform noise that lies on the boundary with probability b < 1 is at least 2 b from what "
    "vanishes there.",
    at=(True, False),
)
def assumption_2_approximation(null_boundary: bool) -> Parts:
    """The uniform density on [0, 1], let down to zero over a share e of each end by a ramp with two flat derivatives."""
    s, share = sp.symbols("s e", positive=True)
    ramp = s**3 * (10 - 15 * s + 6 * s**2)
    flat = Step(
        total(*(power(value_at(sp.diff(ramp, s, k), {s: v}), 2) for k in (1, 2) for v in (0, 1))),
        "=",
        sp.Integer(0),
        "the ramp is twice continuously differentiable where it meets 0 and 1",
    )
    mass = 1 - 2 * share + 2 * share * sp.integrate(ramp, (s, 0, 1))
    near = sp.expand(2 * (1 - mass)).subs(share, ETA / 2)
    lemmas = (
        "nonnegative smooth functions that vanish near the boundary are dense in the nonnegative integrable ones on the inside of W "
        "(Lieb and Loss 2001, 2.19)",
        "phi >= 0 of mass c: int |phi/c - gamma| <= |1 - c| + int |phi - gamma| <= 2 int |phi - gamma|",
    )
    boundary = sp.Symbol("b", positive=True)
    if null_boundary:
        whole = total(1 - ETA, product(ETA, sp.Integral(ramp, (s, 0, 1))))
        written = product(2, difference(1, whole))
        ramps = argued(flat, lemmas=lemmas, conclusion="ramps", relation="<=", written=written)
        return parts(Formula(near, "<=", ETA, (1 - ETA,), ramps))
    return parts(Formula(2 * boundary, "<=", ETA, (1 - ETA, 1 - boundary)))


@DOSSIER.disputed(
    "eq-2",
    "The density of the answer (2)",
    printed="The density of y = f(x) + w at y is gamma(y - f(x)|x). Formula: f(x) = x^3 and Gumbel noise of "
    "scale 1 + x^2.",
    twin="The density of y at y is gamma(y - 1.01 f(x)|x).",
    at=(sp.Integer(1), sp.Rational(101, 100)),
)
def eq_2(factor: sp.Expr) -> Parts:
    """Noise of a Gumbel law whose scale depends on x, and f(x) = x^3, as the instance."""
    return parts(density_of_answer(factor))


DOSSIER.introduces(
    "eq-3",
    "The Fisher information matrix (3)",
    "I(x) is the mean of the outer product of the gradient of log p(y|x) in x, a matrix of order n.",
)


def density_of_answer(factor: sp.Expr) -> Formula:
    """gamma(y - factor f(x)|x) against the derivative of P(w <= y - f(x)) in y."""
    query = X**3
    law = laws.gumbel(0, 1 + X**2)
    v = law.variable
    printed = law.density.subs(v, Y - factor * query)
    assert law.distribution is not None
    true = sp.powsimp(sp.diff(law.distribution.subs(v, Y - query), Y))
    g, f = sp.Function("g"), sp.Function("f")
    written = sp.Derivative(law.distribution.subs(v, Y - query), Y)
    leibniz = Step(
        sp.Derivative(sp.Integral(g(W), (W, 0, Y - f(X))), Y),
        "=",
        g(Y - f(X)),
        "P(f(x) + w <= y) = P(w <= y - f(x)), differentiated in y, for every density and every f",
        evaluated,
    )
    lemma = "in R^m Lebesgue measure does not change under translation by f(x)"
    return Formula(
        printed,
        "=",
        true,
        argument=argued(leibniz, lemmas=(lemma,), conclusion="a translation", written=written),
    )
