"""Appendix D: tables of signs."""

from __future__ import annotations

import sympy as sp

from ...dossier.paper_claim import PaperClaim, Statement
from ...dossier.parts import CHECKS, WITH_INSTANCES, Parts, parts
from .arguments.rates import binary_loss, refined
from .arguments.tables import sign_products, told_apart, turned_rows, turned_signs
from .dossier import DOSSIER
from .model import EIGENVALUES, SINGULAR

LESS = sp.Rational(99, 100)
ONE, TWO, FOUR, EIGHT = (sp.Integer(x) for x in (1, 2, 4, 8))


@DOSSIER.claim("D-intro")
def d_intro() -> PaperClaim[Parts]:
    text = (
        "Without a constraint on the tables there is no differential privacy, for any alpha. Formula: e^alpha P_2 < {}P_1 = {}1 for the event that "
        "two columns of the release agree to within t, which they do for equal columns of signs; in the neighbour one sign is turned, t is chosen for alpha."
    )
    return PaperClaim(
        title="A constraint is needed",
        printed=Statement(text.format("", ""), parts(told_apart())),
        twin=Statement(text.format("0.99 ", "0.99 * "), parts(told_apart(LESS))),
        checks=CHECKS,
    )


@DOSSIER.claim("prop-D.1")
def proposition_d_1() -> PaperClaim[Parts]:
    """2 tau (1 - tau) p^2 entries change by 2/n: that is a factor of sqrt(2) more."""
    return PaperClaim(
        title="Distance of sign tables (Proposition D.1)",
        printed=Statement(
            "Read as: |Delta|_F = 2 p sqrt(tau (1 - tau))/n <= p/n for tau p signs turned in one row. Formulas: n^2 |Delta|_F^2, tau = 1/(1 + i).",
            parts(*turned_signs(FOUR, ONE), instances=turned_rows("2*p*sqrt(t*(1 - t))/n", "p/n")),
        ),
        twin=Statement(
            "|Delta|_F = 2 p sqrt(2 tau (1 - tau))/n <= sqrt(2) p/n; what is printed is |Delta|_2 = 2 p sqrt(tau (1 - tau))/n <= p/n.",
            parts(
                *turned_signs(EIGHT, TWO),
                *turned_signs(FOUR, ONE, spectral=True),
                instances=turned_rows("2*p*sqrt(2*t*(1 - t))/n", "sqrt(2)*p/n"),
            ),
        ),
        checks=WITH_INSTANCES,
    )


@DOSSIER.claim("binary-dmax")
def binary_dmax() -> PaperClaim[Parts]:
    text = "In the binary game neighbours have |Delta_jk| <= {}2/n. Formulas: all signs of two entries before and after."
    return PaperClaim(
        title="Entries of the difference",
        printed=Statement(text.format(""), parts(*sign_products())),
        twin=Statement(text.format("0.99 * "), parts(*sign_products(LESS))),
        checks=CHECKS,
    )


@DOSSIER.claim("theorem-D.2")
def theorem_d_2() -> PaperClaim[Parts]:
    """The corrected norm costs sqrt(2) and (15) has a half to spare: the printed bound stands."""
    text = "Read as: in the binary game alpha <= m p^2 (C sqrt(L/m) + O(1/n))/(n lmin_1 lmin_2), L = ln(2np), which is o(1) for p = o(sqrt(n/m)), m >= L. "
    return PaperClaim(
        title="The loss in the binary game (Theorem D.2)",
        printed=Statement(
            text
            + "Formulas: (15) with |Delta|_F = sqrt(2) p/n and h = m p^2/(n lmin_1 lmin_2), s = |Sigma_1|^2/(lmin_1 lmin_2), against "
            "h (w + 2/n + 2 s/n), w = C sqrt(L/m); that with h = m p^2/n against h (C + c)/l.",
            parts(refined(TWO), binary_loss()),
        ),
        condition=EIGENVALUES,
        without_condition=Statement(text + SINGULAR, parts(told_apart(private=True))),
        checks=CHECKS,
    )


@DOSSIER.claim("theorem-D.2/proof")
def theorem_d_2_proof() -> PaperClaim[Parts]:
    """A premise that is false; the conclusion survives its correction."""
    text = (
        "Read as: with |Delta|_F <= {}p/n and Dmax <= 2/n, (15) gives alpha <= h (C sqrt(L/m) + 2/n + 2 s/n) + o(1), h = m p^2/(n lmin_1 lmin_2), "
        "s = |Sigma_1|^2/(lmin_1 lmin_2). Formulas: n^2 |Delta|_F^2 and its largest value, entries, the bound."
    )
    return PaperClaim(
        title="Proof of Theorem D.2",
        printed=Statement(text.format(""), parts(*turned_signs(EIGHT, ONE), *sign_products(), refined(ONE))),
        twin=Statement(
            text.format("sqrt(2) "), parts(*turned_signs(EIGHT, TWO), *sign_products(), refined(TWO))
        ),
        checks=CHECKS,
    )
