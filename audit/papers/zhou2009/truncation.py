"""Section 4, first part, and appendix B: truncation of the tail."""

from __future__ import annotations

import sympy as sp

from ...dossier import ARGUED, Formula, Parts, Statement, parts, times
from .arguments.ratio import remark_normaliser
from .arguments.tables import density
from .arguments.tails import (
    C_1,
    C_2,
    PRINTED_C,
    sets_of_tables,
    tables_argument,
    tail_argument,
    tails,
    union_of_entries,
    window_argument,
    windows,
)
from .dossier import DOSSIER

LESS, MORE = sp.Rational(99, 100), sp.Rational(101, 100)


@DOSSIER.disputed(
    "eq-11",
    "Density of the release (equation 11)",
    printed=("m", sp.Integer(1)),
    twin=("1.01 m. in the power of 2 pi", MORE),
)
def equation_11(words: str, factor: sp.Expr) -> Statement[Parts]:
    return Statement(
        "The density of one released row is (2 pi)^(-p/2) |Sigma|^(-1/2) exp(-x'Sigma^-1 x/2), of m rows the "
        f"product. Formula: its mass, p = {words}.",
        parts(density(factor=factor)),
    )


@DOSSIER.disputed(
    "procedure-4.1", "Truncation (Procedure 4.1)", printed=("7.7", sp.Integer(1)), twin=("7.623", LESS)
)
def procedure_4_1(shown: str, share: sp.Expr) -> Statement[Parts]:
    """The procedure asserts nothing but its constants."""

    def rounded(value: sp.Expr, to: sp.Rational) -> tuple[Formula, Formula]:
        half = sp.Rational(1, 20)
        return Formula(value, "<=", to + half), Formula(value, ">=", to - half)

    one, two = 4 * sp.E / sp.sqrt(6 * sp.pi), sp.sqrt(8) * sp.E
    text = (
        f"Read as: fresh Phi until max |S - Sigma_1| <= C sqrt(ln(2np)/m) + Dmax, C = sqrt(2 (C_1 + C_2)), C_1 ~ 2.5 and C_2 ~ {shown}; discarded outputs "
        "stay unseen. Formulas: C_1 = 4e/sqrt(6 pi) and C_2 = sqrt(8) e to one decimal place. (Which Sigma_1 is taken must not depend on the table.)"
    )
    return Statement(
        text, parts(*rounded(one, sp.Rational(25, 10)), *rounded(two, share * sp.Rational(77, 10)))
    )


DOSSIER.introduces(
    "procedure-4.2",
    "Renormalisation (Procedure 4.2)",
    "The density is set to zero on E, the outputs that Procedure 4.1 discards, and divided by 1 - P(E) elsewhere.",
)


@DOSSIER.disputed("remark-4.3", "The normaliser (Remark 4.3)", printed=sp.Integer(1), twin=LESS)
def remark_4_3(factor: sp.Expr) -> Statement[Parts]:
    text = (
        f"Renormalisation multiplies the ratio of densities by (1 - P_2)/(1 - P_1), at most {times(factor, ' * ')}1/(1 - e) for P_1, P_2 <= e = 1/n^2: a change of "
        f"the loss by O(e). Formulas: that, and e/(1 - e), which is more than -ln(1 - e), against {times(factor, ' * ')}4 e/3, n = 2 + k."
    )
    return Statement(text, parts(*remark_normaliser(factor=factor)))


@DOSSIER.disputed(
    "lemma-4.4",
    "How much is cut off (Lemma 4.4)",
    printed=("c^2 = 2 (C_1 + C_2) = 20.4", PRINTED_C),
    twin=("c = 2", "2"),
)
def lemma_4_4(said: str, c: str) -> Statement[Parts]:
    """True, although the tail bound that the proof cites is not: the window has room."""
    text = (
        f"Read as: outputs leave the window c sqrt(ln(2np)/m) + Dmax with probability at most 1/n^2, if m >= c^2 ln(2np), where {said}. Instances: "
        "exact tails of one diagonal entry. The derivation uses a tail bound of its own."
    )
    return Statement(text, Parts(instances=windows(c), argument=lambda: window_argument(c)))


def _tail(one: str, two: str, of_the_proof: bool) -> Parts:
    return Parts(
        (union_of_entries(),) if of_the_proof else (),
        instances=tails(one, two, of_the_proof),
        argument=lambda: tail_argument(one, two),
    )


@DOSSIER.disputed(
    "lemma-4.4/proof",
    "Proof of Lemma 4.4",
    checks=ARGUED,
    printed="Read as: with tau^2 = c^2 ln(2np)/m <= 1 each entry deviates by tau or more with probability at "
    "most 2 exp(-m tau^2/(C_1 + C_2 tau)), and the union over p (p + 1)/2 entries is below 1/n^2. "
    "Instances: exact tails of a squared column at this tau.",
    twin="Read as: with tau^2 = c^2 ln(2np)/m <= 1 each entry deviates by tau or more with probability at "
    "most 2 exp(-m tau^2/(4 + 4 tau)), and the union over p (p + 1)/2 entries is below 1/n^2. Instances: "
    "exact tails of a squared column at this tau. 4 + 4 tau <= 8 < C_1 + C_2, so that the second half of "
    "the chain, and the lemma, stand.",
    at=((C_1, C_2), ("4", "4")),
)
def lemma_4_4_proof(one: str, two: str) -> Parts:
    """For a squared column m tau^2/2.5 exceeds m tau^2/4, which the normal limit gives."""
    return _tail(one, two, True)


@DOSSIER.disputed(
    "lemma-B.1",
    "Tails of compressed inner products (Lemma B.1, cited)",
    printed=("C_1 + C_2 tau", " C_1 = 4e/sqrt(6 pi) = 2.504, C_2 = sqrt(8) e = 7.689.", C_1, C_2),
    twin=(
        "4 + 4 tau",
        " No C_1 below 4 will do: <Phi x, Phi x> has the variance 2/m. Doubling the printed C_1 is enough.",
        "4",
        "4",
    ),
)
def lemma_b_1(said: str, value: str, one: str, two: str) -> Statement[Parts]:
    """m = 20000, tau = 1/20: the tail of chi^2_m/m is 7 times the bound."""
    text = (
        f"Read as: for |x|, |y| <= 1, P(|(n/m) <Phi x, Phi y> - <x, y>| >= tau) <= 2 exp(-m tau^2/({said})) for all tau > 0. Instances: x = y, "
        "exact tails of a chi-square law."
    )
    return Statement(text + value, _tail(one, two, False))


@DOSSIER.disputed(
    "lemma-4.5",
    "Dmax of normal tables (Lemma 4.5, cited)",
    condition="The set has at most a power of p of tables, p >= 2 (at p = 1 the rate is zero), and M sqrt(ln p/n) <= 1.",
    printed=("p^2", "p**2", sp.Integer(2)),
    without=("e^n", "exp(n)", None),
)
def lemma_4_5(count: str, tables: str, power: sp.Expr | None) -> Statement[Parts]:
    text = (
        "If the records of every table of the set are independent N(0, Sigma*) with unit variances, Dmax = O_P(sqrt(ln p/n)). Instances: the probability that no table's "
        f"first variance is off by M sqrt(ln p/n), n = 100, M = 6 and n = 400, M = 8, at least 1/2; {count} independent tables."
    )
    return Statement(text, Parts(instances=sets_of_tables(tables), argument=lambda: tables_argument(power)))
