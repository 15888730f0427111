"""Section 5: principal components of compressed data."""

from __future__ import annotations

from ...dossier import Parts, Statement, parts
from .arguments.eigenvalues import within_gap
from .arguments.rates import at_rates, projection_error, quantity
from .arguments.tables import spread
from .dossier import DOSSIER


@DOSSIER.disputed(
    "theorem-5.1",
    "Components of compressed data (Theorem 5.1)",
    condition="delta_D stays above e, the constant in Omega is (4 C/e)^2, and p Dmax <= e/8; none of them is in "
    "the theorem.",
    printed=("delta_D = e.", True),
    without=("delta_D = e/(1 + u).", False),
)
def theorem_5_1(said: str, fixed: bool) -> Statement[Parts]:
    text = (
        "Read as: m = Omega(p^2 ln(2np)) makes Proposition 3.4 apply to X'X/n and S. Formula: p (C sqrt(ln(2np)/m) + 2 Dmax) against half of "
        "delta_D, with m = (4 C/e)^2 (1 + k)^2 p^2 ln(2np), Dmax = e/(8 p (1 + j)), "
    )
    return Statement(text + said, parts(within_gap(fixed)))


@DOSSIER.disputed(
    "theorem-5.1/proof",
    "Proof of Theorem 5.1",
    reading="the o(1) of the same line, which the bound has only if m grows faster than p^2 ln(2np)",
    printed=("Omega", False),
    twin=("omega", True),
)
def theorem_5_1_proof(said: str, growing: bool) -> Statement[Parts]:
    """In the mean |B|_F is p/sqrt(m), which is o(1); the bound of the proof is not."""
    text = (
        "Read as (the symbol before p^2 is lost in the copy at hand): |B|_F <= p tau, tau <= C sqrt(L/m) + 2 Dmax on accepted outputs by the triangle "
        f"inequality, and this bound is o(1) for m = {said}(p^2 L), L = ln(2np). Formulas: entries; (p C sqrt(L/m))^2 against what tends to zero as t grows. "
        "Rates: p = n^a (ln n)^b."
    )
    return Statement(
        text,
        parts(
            *spread(),
            projection_error(growing),
            instances=at_rates(
                [quantity("p", "O", p=1, n=-1)],
                [quantity("p sqrt(L/m)", "o", p=1, L="1/2", m="-1/2")],
                m="p**2*L**2" if growing else "p**2*L",
            ),
        ),
    )
