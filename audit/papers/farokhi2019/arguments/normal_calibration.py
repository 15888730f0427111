"""Normal noise of a stated least variance, for all epsilon, sizes S and delta up to 1/2."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import sympy as sp

from .....symbolic.privacy.pair import GaussianPair
from .....symbolic.proof.as_written import difference, power, product, quotient, root, value_at
from .....symbolic.proof.derivation import Derivation, Step, evaluated
from .....symbolic.proof.enclosure import compare
from .....symbolic.proof.truth import Truth
from ....dossier import Formula, Instances, Parts
from ....record.evidence import Series
from .calibrations import deviation_reading

eps, S = sp.symbols("epsilon S", positive=True)
K = sp.Symbol("K", nonnegative=True)  # delta = exp(-K^2/2)/2 runs through (0, 1/2]
DELTA = sp.exp(-(K**2) / 2) / 2


def normal_calibration(variance: sp.Expr, sufficient: sp.Expr, series: tuple[Series, ...] = ()) -> Parts:
    """Normal noise of the printed least variance is (epsilon, delta)-private for all epsilon, S > 0 and 0 < delta <= 1/2.

    The argument shows that a deviation of S `sufficient` is enough; the printed variance must be at least its square.
    """

    def argument(formula: Formula) -> Derivation:
        before = deviation_reading()
        shifted = sp.expand(2 * eps * sufficient - K)
        mu = sp.Symbol("mu", positive=True)
        exact = value_at(GaussianPair(mu).profile(eps), {mu: quotient(S, root(variance))})
        steps = (
            *before.steps,
            Step(formula.left, "=", exact, "the exact delta at the printed variance", evaluated),
            Step(formula.right, "=", quotient(1, product(2, sp.exp(K**2 / 2))), "delta = exp(-K^2/2)/2"),
            Step(
                shifted,
                ">=",
                sp.Integer(0),
                "2 epsilon times the sufficient deviation over S, less K, is not negative",
            ),
            Step(
                difference(power(shifted, 2), K**2 + 2 * eps),
                ">=",
                sp.Integer(0),
                "and at least sqrt(K^2 + 2 epsilon): the deviation is at least S (K + sqrt(K^2 + 2 epsilon))/(2 epsilon)",
                _multiplied_out,
            ),
            Step(
                quotient(variance, power(S * sufficient, 2)),
                ">=",
                sp.Integer(1),
                "the printed variance is at least the square of that deviation",
                _simplified,
            ),
        )
        return Derivation("(epsilon, delta)-differentially private", steps, before.lemmas)

    formula = Formula(
        GaussianPair(S / sp.sqrt(variance)).profile(eps), "<=", DELTA, argument=argument, series=series
    )
    return Parts((formula,), Instances("normal privacy", {"variance": sp.sstr(variance)}, normal_cases))


def _multiplied_out(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(sp.expand(left), ">=", right)


def _simplified(left: sp.Expr, right: sp.Expr) -> Truth:
    return compare(sp.simplify(left), ">=", right)


def normal_cases(rng: np.random.Generator) -> Iterator[dict[str, str]]:
    """(S, epsilon, K): ordinary numbers, then where the calibration is tight (delta = 1/2, large epsilon), then random ones."""
    yield {"S": "10", "epsilon": "1", "K": "2"}
    for epsilon in ("100", "1000"):
        yield {"S": "1", "epsilon": epsilon, "K": "0"}
    for _ in range(40):
        size, price, bar = (
            f"{int(rng.integers(1, 1000))}/{int(d)}" for d in rng.choice([10, 100, 1000], size=3)
        )
        yield {"S": size, "epsilon": price, "K": bar}
