"""Section 4 and its appendix: the true excess risk of the perturbed classifier."""

from __future__ import annotations

import sympy as sp

from ...dossier import PaperClaim, Parts, Statement, parts, times
from .arguments.risk_bounds import ORDER, chance, moved_traces, regularised, substituted, true_argument
from .arguments.risk_convexity import LAMBDA, D
from .arguments.risk_samples import quoted_bound
from .dossier import DOSSIER
from .risk import RIDGE, under_ridge

ONE, ZERO = sp.Integer(1), sp.Integer(0)
LESS = sp.Rational(99, 100)


@DOSSIER.disputed(
    "theorem-3",
    "True excess risk (Theorem 3)",
    printed="With probability at least 1 - delta, Ltilde(Phi^p) <= Ltilde(Phi^*) + 4 sqrt(d)(d+1)^2 C/(eps lambda) log(d/delta) + 8 (d+1)^4 "
    "C/(eps^2 lambda) log^2(d/delta) + 16/(lambda n) [32 + log(1/delta)]. Formula: Phi^p exists with probability 1/2 at most.",
    twin="With (lambda/2) sum_c |Phi_c|^2 in J, and where the quoted theorem (see sridharan-quote) holds with probability 1 - delta: with "
    "probability 1 - 2 delta the same with (d+1)^2/delta in both logarithms, 1/eps for 1/(eps lambda) in the first term, the quoted "
    "statistical term, and (lambda/2) sum_c (|Phi_c^*|^2 - |Phi_c^p|^2) added on the right.",
    at=((ZERO, LAMBDA, D, 1), (LAMBDA, ONE, ORDER**2, 2)),
)
def theorem_3(ridge: sp.Expr, scale: sp.Expr, ratio: sp.Expr, failures: int) -> Parts:
    """The proof also loses the lambda before the traces and adds up two events of probability delta; 8 survives by a sharper argument."""
    return Parts(
        (chance(ridge != ZERO, ratio, failures),), argument=lambda: true_argument(ridge, scale, ratio)
    )


# A definition; that the minimum is attained is not said.
DOSSIER.introduces(
    "eq-20",
    "The regularised true risk (20)",
    "Jtilde(Phi) = Ltilde(Phi) + lambda sum_c tr(I_Phi Phi_c I_Phi), Ltilde the expectation of L; Phi^r is a minimiser of Jtilde.",
)


@DOSSIER.disputed("eq-21", "From the regularised true risk to the true risk (21)", printed=ONE, twin=LESS)
def equation_21(share: sp.Expr) -> Statement[Parts]:
    text = (
        f"Jtilde(Phi^p) <= Jtilde(Phi^*) + {times(share)}[Jtilde(Phi^p) - Jtilde(Phi^r)], so that Ltilde(Phi^p) <= Ltilde(Phi^*) + lambda sum_c "
        f"tr(I_Phi(Phi_c^* - Phi_c^p)I_Phi) + {times(share)}[Jtilde(Phi^p) - Jtilde(Phi^r)]. Formulas: Jtilde(Phi^r) is least."
    )
    return Statement(text, parts(*regularised(share)))


@DOSSIER.claim("eq-22")
def equation_22() -> PaperClaim[Parts]:
    """The sum has no factor lambda here: with that of (21) the 1/lambda of theorem 3 goes away."""
    text = (
        "[sum_c tr(I_Phi(Phi_c^* - Phi_c^p)I_Phi)]^2 <= d C sum_c |Phi_c^* - Phi_c^p|^2 <= (4 d C^2/lambda^2)|b|^2 <= 16 d (d+1)^4 "
        "C^2/(eps^2 lambda^2) log^2(d/delta), and the root of it."
    )

    return under_ridge(
        "Traces of the two minimisers (22)",
        text,
        moved_traces,
        ("traces**2", "<=", "d*C*S"),
        ("d*C*S", "<=", "4*d*C**2/lambda**2*noise2"),
        condition=f"{RIDGE} And |b| <= (2 (d+1)^2/eps) log(d/delta), whose probability lemma 4 states wrongly.",
    )


@DOSSIER.disputed(
    "sridharan-quote",
    "The quoted bound on the regularised true risk",
    printed="With probability at least 1 - delta, Jtilde(Phi^p) - Jtilde(Phi^r) <= 2 [J(Phi^p) - J(Phi^*)] + "
    "16/(lambda n) [32 + log(1/delta)], J as printed: a sum over records plus the traces. Instances: no "
    "noise, all samples of n records 0.",
    twin="For two classes and J the mean over n independent records plus N + (lambda/2) sum_c |Phi_c|^2 the "
    "last term is 128/(lambda n) [32 + log(1/delta)]: the quoted theorem is about means and strongly "
    "convex regularisers, and has the squared slope of the loss in Phi as a factor, here 2 |x x'|^2 <= 8 "
    "(x with its 1).",
    at=(("0", "1", "16/(lambda*n"), ("lambda", "1/n", "128/(lambda*n")),
)
def sridharan_quote(said: str, value: str, words: str) -> Parts:
    """For a sum over n records the theorem, applied to the mean with lambda/n, has n in place of 1/n."""
    return Parts(instances=quoted_bound(said, value, f"{words})*(32 + log(1/delta))"))


@DOSSIER.disputed("eq-23", "The bound on the sample put into the quoted one (23)", printed=8, twin=16)
def equation_23(i: int) -> Statement[Parts]:
    """Twice 8 is 16; with the sharper gap C |b|^2/(2 lambda) of two minimisers 4 would do, but not by this substitution."""
    text = (
        f"Theorem 2 put into the quoted inequality gives Jtilde(Phi^p) - Jtilde(Phi^r) <= {float(i):g} (d+1)^4 C/(eps^2 lambda) log^2(d/delta) + "
        "16/(lambda n) [32 + log(1/delta)]. Formula: p below the one and q below the other bound, p, q >= 0."
    )
    return Statement(text, parts(substituted(sp.Integer(i))))
