"""Activation functions of neural networks: which have two continuous derivatives."""

from __future__ import annotations

import sympy as sp

from .....symbolic.proof.as_written import value_at
from .....symbolic.proof.expressions import parse
from ....dossier import Formula, Parts, argued

X = sp.Symbol("x", real=True)
_A = sp.Symbol("a", positive=True)
# Left piece, joint, right piece.
SQNL = (("-1", "-2", "x + x**2/4"), ("x + x**2/4", "0", "x - x**2/4"), ("x - x**2/4", "2", "1"))
# Activation and its second derivative, continuous wherever it is finite; SoftExponential for a parameter of either sign.
SMOOTH = (
    ("1/(1 + exp(-x))", "exp(-x)*(exp(-x) - 1)/(1 + exp(-x))**3"),
    ("log(1 + exp(x))", "exp(-x)/(1 + exp(-x))**2"),
    ("x*(1 + erf(x/sqrt(2)))/2", "(2 - x**2)*exp(-x**2/2)/sqrt(2*pi)"),
    ("(exp(a*x) - 1)/a + a", "a*exp(a*x)"),
    ("log(1 + a*(x - a))/a", "-a/(1 + a*(x - a))**2"),
)


def activations(order: int) -> Parts:
    """The derivatives of SQNL up to `order` agree at its joints; the others have a second one; that of a ReLU jumps."""
    names = {"x": X, "a": _A}
    smooth = []
    for function, second in SMOOTH:
        f, d2 = parse(function, names), parse(second, names)
        where = (1 + _A * (X - _A),) if function.startswith("log(1 + a") else ()
        argument = argued(written=sp.Derivative(f, (X, 2)), reason="the second derivative")
        smooth.append(Formula(sp.diff(f, X, 2), "=", d2, where, argument))
    joined = []
    for left, at, right in SQNL:
        point = parse(at)
        for n in range(1, order + 1):
            slopes = [sp.diff(parse(piece, names), X, n) for piece in (left, right)]
            sides = [slope.subs(X, point) for slope in slopes]
            # A slope that is constant is shown as the derivative that it is.
            here = slopes[0] if slopes[0].has(X) else sp.Derivative(parse(left, names), (X, n))
            shown = value_at(here, {X: point}) if slopes[0].has(X) else here
            argument = argued(written=shown, reason=f"derivative {n} from both sides of {at}")
            joined.append(Formula(sides[0], "=", sides[1], argument=argument))
    relu = Formula(sp.diff(sp.Integer(0), X), "<", sp.diff(X, X))
    return Parts((*smooth, *joined, relu))
