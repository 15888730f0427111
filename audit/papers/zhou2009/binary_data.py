"""Appendix D: tables of signs."""

from __future__ import annotations

import sympy as sp

from ...dossier import Parts, Statement, parts, times
from .arguments.rates import binary_loss, refined
from .arguments.sign_tables import sign_products, turned_rows, turned_signs
from .arguments.tables import told_apart
from .dossier import DOSSIER
from .model import EIGENVALUES, SINGULAR

LESS = sp.Rational(99, 100)
ONE, TWO, FOUR, EIGHT = (sp.Integer(x) for x in (1, 2, 4, 8))


@DOSSIER.disputed("D-intro", "A constraint is needed", printed=("", "", ONE), twin=("0.99 ", "0.99 * ", LESS))
def d_intro(said: str, value: str, bound: sp.Expr) -> Statement[Parts]:
    text = (
        f"Without a constraint on the tables there is no differential privacy, for any alpha. Formula: e^alpha P_2 < {said}P_1 = {value}1 for the event that "
        "two columns of the release agree to within t, which they do for equal columns of signs; in the neighbour one sign is turned, t is chosen for alpha."
    )
    return Statement(text, parts(told_apart(bound=bound)))


@DOSSIER.disputed(
    "prop-D.1",
    "Distance of sign tables (Proposition D.1)",
    printed="Read as: |Delta|_F = 2 p sqrt(tau (1 - tau))/n <= p/n for tau p signs turned in one row. Formulas: "
    "n^2 |Delta|_F^2, tau = 1/(1 + i).",
    twin="|Delta|_F = 2 p sqrt(2 tau (1 - tau))/n <= sqrt(2) p/n; what is printed is |Delta|_2 = 2 p sqrt(tau "
    "(1 - tau))/n <= p/n.",
    at=(
        parts(*turned_signs(FOUR, ONE), instances=turned_rows("2*p*sqrt(t*(1 - t))/n", "p/n")),
        parts(
            *turned_signs(EIGHT, TWO),
            *turned_signs(FOUR, ONE, spectral=True),
            instances=turned_rows("2*p*sqrt(2*t*(1 - t))/n", "sqrt(2)*p/n"),
        ),
    ),
)
def proposition_d_1(data: Parts) -> Parts:
    """2 tau (1 - tau) p^2 entries change by 2/n: that is a factor of sqrt(2) more."""
    return data


@DOSSIER.disputed("binary-dmax", "Entries of the difference", printed=ONE, twin=LESS)
def binary_dmax(factor: sp.Expr) -> Statement[Parts]:
    text = f"In the binary game neighbours have |Delta_jk| <= {times(factor, ' * ')}2/n. Formulas: all signs of two entries before and after."
    return Statement(text, parts(*sign_products(factor=factor)))


@DOSSIER.disputed(
    "theorem-D.2",
    "The loss in the binary game (Theorem D.2)",
    condition=EIGENVALUES,
    printed=(
        "Formulas: (15) with |Delta|_F = sqrt(2) p/n and h = m p^2/(n lmin_1 lmin_2), s = "
        "|Sigma_1|^2/(lmin_1 lmin_2), against h (w + 2/n + 2 s/n), w = C sqrt(L/m); that with h = m p^2/n "
        "against h (C + c)/l.",
        parts(refined(TWO), binary_loss()),
    ),
    without=(SINGULAR, parts(told_apart(private=True))),
)
def theorem_d_2(value: str, data: Parts) -> Statement[Parts]:
    """The corrected norm costs sqrt(2) and (15) has a half to spare: the printed bound stands."""
    text = "Read as: in the binary game alpha <= m p^2 (C sqrt(L/m) + O(1/n))/(n lmin_1 lmin_2), L = ln(2np), which is o(1) for p = o(sqrt(n/m)), m >= L. "
    return Statement(text + value, data)


@DOSSIER.disputed("theorem-D.2/proof", "Proof of Theorem D.2", printed=("", ONE), twin=("sqrt(2) ", TWO))
def theorem_d_2_proof(said: str, bound: sp.Expr) -> Statement[Parts]:
    """A premise that is false; the conclusion survives its correction."""
    text = (
        f"Read as: with |Delta|_F <= {said}p/n and Dmax <= 2/n, (15) gives alpha <= h (C sqrt(L/m) + 2/n + 2 s/n) + o(1), h = m p^2/(n lmin_1 lmin_2), "
        "s = |Sigma_1|^2/(lmin_1 lmin_2). Formulas: n^2 |Delta|_F^2 and its largest value, entries, the bound."
    )
    return Statement(text, parts(*turned_signs(EIGHT, bound), *sign_products(), refined(bound)))
