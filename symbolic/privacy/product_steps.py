"""Checked steps about independent Laplace coordinates: to their exact profile, and to a normal pair that bounds them."""

from __future__ import annotations

from functools import cache

import sympy as sp

from ..proof.as_written import quotient, value_at
from ..proof.derivation import Step, evaluated
from ..proof.truth import Truth

# What `gaussian_steps` takes from the literature.
LAPLACE_IS_GAUSSIAN = (
    "the normal tail is log-concave: with T(z(a)) = e^a, z is concave and decreasing, so on the trade-off curve of a "
    "Laplace pair z(log alpha) + z(log beta) is largest at alpha = beta, and that value mu(r) is concave in r",
    "composition: independent mu_i-Gaussian pairs form one of mu = sqrt(sum mu_i^2) (Dong, Roth, Su 2022, corollary 3.3)",
)


@cache
def product_steps() -> tuple[Step, ...]:
    """From the densities of one coordinate to the closed form of `symbolic/privacy/product_pair.py`.

    Differentiating antiderivatives avoids trusting an integrator.  Noise scale 1, P centred at r, Q at 0.
    """
    r, u, s = sp.symbols("r u s", positive=True)
    loss, eps = sp.Symbol("l", real=True), sp.Symbol("epsilon", nonnegative=True)
    y = (loss + r) / 2
    p, q = sp.exp(-(r - y)) / 2, sp.exp(-y) / 2
    h = 1 / (2 * s)
    transform = (1 + h) + (1 - h) * sp.exp(-2 * r * s)
    gain = (sp.exp(u / 2) - sp.exp(-u / 2)) / 2
    # The transform of sinh(u/2) at s + 1/2, where it converges.
    primitive = -sp.exp(-s * u) / (2 * s) + sp.exp(-(s + 1) * u) / (2 * (s + 1))
    # Between epsilon - r and r the loss l of one coordinate leaves epsilon - l for the other.
    rest = sp.exp((loss - r) / 2) / 4 * (1 - sp.exp((eps - loss - r) / 2))
    whole = sp.exp((loss - r) / 2) / 2 - loss * sp.exp(eps / 2 - r) / 4
    return (
        Step(sp.log(p / q), "=", loss, "between the centres the loss is 2y - r = l", _logs),
        Step(
            sp.sqrt(p * q) * sp.diff(y, loss),
            "=",
            sp.exp(-r / 2) / 4,
            "weighted by sqrt(p q), the loss has the constant density e^(-r/2)/4 there",
            _powers,
        ),
        Step(
            sp.exp(-r / 2) * sp.Derivative(-sp.exp(-u) / 2, u),
            "=",
            sp.exp(-r / 2) / 2 * sp.exp(-u),
            "beyond the centre of P the loss is r: a tail e^(-u)/2, an atom of weight e^(-r/2)/2; likewise at -r",
            evaluated,
        ),
        Step(
            sp.Derivative(-h * sp.exp(-u * s), u),
            "=",
            sp.exp(-u * s) / 2,
            "e^(-us)/2 has the antiderivative -h e^(-us), h = 1/(2s)",
            evaluated,
        ),
        Step(
            1 + (h - h * sp.exp(-2 * r * s)) + sp.exp(-2 * r * s),
            "=",
            transform,
            "the Laplace transform of the weights over e^(-r/2)/2, measured from the largest loss downwards",
        ),
        Step(
            sp.Derivative(primitive, u),
            "=",
            gain * sp.exp(-(s + sp.Rational(1, 2)) * u),
            "an antiderivative for the transform of sinh(u/2) at s + 1/2; it vanishes at oo",
            _powers,
        ),
        Step(
            -primitive.subs(u, 0),
            "=",
            1 / (2 * ((s + sp.Rational(1, 2)) ** 2 - sp.Rational(1, 4))),
            "so that this transform is (1/2)/(z^2 - 1/4)",
        ),
        Step(
            sp.exp(loss / 2) - sp.exp(eps) * sp.exp(-loss / 2),
            "=",
            2 * sp.exp(eps / 2) * gain.subs(u, loss - eps),
            "p - e^epsilon q is 2 e^(epsilon/2) sinh((l - epsilon)/2) sqrt(p q); transforms of independent losses multiply",
            _powers,
        ),
        Step(
            2 * sp.exp((eps - r) / 2) / 2 * (sp.exp((r - eps) / 2) - 1),
            "=",
            1 - sp.exp((eps - r) / 2),
            "one coordinate: the sum over subsets is the profile of a single Laplace pair",
        ),
        Step(
            sp.Derivative(whole, loss),
            "=",
            rest,
            "two coordinates: an antiderivative of the profile of one, weighted by the loss of the other",
            _powers,
        ),
        Step(
            (1 - sp.exp((eps - 2 * r) / 2)) / 2 + whole.subs(loss, r) - whole.subs(loss, eps - r),
            "=",
            2 * sp.exp((eps - 2 * r) / 2) / 4 * (2 * sp.exp((2 * r - eps) / 2) - 2 - (2 * r - eps) / 2),
            "two coordinates, epsilon <= 2r: the sum over subsets is that average",
            _powers,
        ),
    )


@cache
def gaussian_steps() -> tuple[Step, ...]:
    """A Laplace pair of ratio r is mu(r)-Gaussian private with mu(r) <= sqrt(pi/2) r."""
    r, t, z = sp.symbols("r t z", positive=True)
    tail = sp.erfc(z / sp.sqrt(2)) / 2
    normal = sp.exp(-(z**2) / 2) / sp.sqrt(2 * sp.pi)
    return (
        Step(
            sp.exp(-t) / 2 * sp.exp(-(r - t)) / 2,
            "=",
            sp.exp(-r) / 4,
            "thresholds between the centres: the two error probabilities of a Laplace pair multiply to e^(-r)/4",
            _powers,
        ),
        Step(
            sp.Derivative(tail, z),
            "=",
            -normal,
            "T(z) is the normal tail: minus the density is its derivative",
            evaluated,
        ),
        Step(
            value_at(tail, {z: 0}),
            "=",
            sp.Rational(1, 2),
            "at r = 0 both errors are 1/2: mu(0) = 2 z(log 1/2) = 0",
        ),
        Step(
            quotient(value_at(tail, {z: 0}), value_at(normal, {z: 0})),
            "=",
            sp.sqrt(sp.pi / 2),
            "d mu/dr at 0 is 2 (-1/2) z'(log 1/2) = T(0)/density(0); mu is concave, so mu(r) <= sqrt(pi/2) r",
        ),
    )


def _logs(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality after logarithms of positive factors are taken apart."""
    return evaluated(sp.expand(sp.expand_log(left, force=True)), right)


def _powers(left: sp.Expr, right: sp.Expr) -> Truth:
    """Equality after derivatives are carried out and exponentials are multiplied out."""
    difference = sp.expand(sp.powsimp(sp.expand((left - right).doit(), power_exp=False)))
    return evaluated(difference, sp.Integer(0))
