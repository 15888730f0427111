"""The illustrative example, section 3.1, with independent noise: figure 3 and the error bounds that go with it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import sympy as sp

from ....symbolic.proof.as_written import power, quotient, root, total
from ...dossier import Formula, Instances, Parts, Statement, argued, parts
from ...dossier.arguments.bounds_arguments import REGULAR, SQUARES, by_steps, cramer_rao
from .dossier import DOSSIER

LAMBDAS = (sp.Rational(1, 10_000), sp.Rational(1, 100), sp.Integer(1))
VALUES = (200, 20, 2)
SHARE = sp.Symbol("s", nonnegative=True)
LENGTH = sp.Symbol("r", nonnegative=True)  # |x_i|
UNBIASED = "The estimate is unbiased."


def approach(lambdas: tuple[str, ...], **limit: str) -> Instances:
    """The mean distance of the classifiers at each of these lambda against the next, data sets of section 3.1."""

    def draw(rng: np.random.Generator) -> Iterator[dict[str, Any]]:
        yield {"seeds": rng.integers(0, 2**31, 8).tolist(), "releases": 5}

    printed = {"lambdas": list(lambdas), **limit}
    what = "mean distance of (alpha, beta) trained on noisy data from that of the original data"
    return Instances("classifiers approach as the noise shrinks", printed, draw, what)


@DOSSIER.disputed(
    "fig-3",
    "Classifiers from noisy data (figure 3)",
    printed=(
        "The classifiers trained on noisy data approach the original one as lambda grows. ",
        ": the mean distance falls from lambda = 1e-4 to 1e-2, to 1, to 1e4 and to 1e8, where it is below a "
        "tenth of |(alpha, beta)|.",
        approach(("1/10000", "1/100", "1", "10000", "100000000"), limit="1/10"),
    ),
    twin=(
        "They approach it as lambda falls. ",
        ": the mean distance falls from lambda = 1 to 1e-2 and to 1e-4.",
        approach(("1", "1/100", "1/10000")),
    ),
)
def fig_3(words: str, value: str, said: Any) -> Statement[Instances]:
    tried = "Tried on eight data sets as described, five releases each, averaged over all (on a single one the order may differ)"
    return Statement(f"{words}{tried}{value}", said)


@cache
def least_errors(share: sp.Expr, values: tuple[sp.Expr, ...]) -> Parts:
    """p = 2, Pi = I: the error of share times the released record, s^2 Tr(V) + (1 - s)^2 |x|^2, against the printed value."""
    found = []
    for lam, value in zip(LAMBDAS, values, strict=True):
        variance = 1 / sp.sqrt(lam)
        error = sp.expand(share**2 * 2 * variance + (1 - share) ** 2 * LENGTH**2)

        entry = power(lam, -sp.Rational(1, 2))
        bound = by_steps(
            "the Cramer-Rao bound",
            lambda: cramer_rao(False),
            total(entry, entry),
            ">=",
            quotient(power(2, 2), total(root(lam), root(lam))),
            (SQUARES, REGULAR),
        )
        found.append(Formula(error, ">=", value, argument=bound))
        if share == 1:
            found.append(Formula(error, "=", value, argument=argued(written=total(entry, entry))))
    return parts(*found)


@DOSSIER.disputed(
    "fig-3-values",
    "Least errors in figure 3",
    condition=UNBIASED,
    printed=(". Formula: the error of the released record, which attains these values.", sp.Integer(1)),
    without=(
        ", whatever the adversary does. Formula: the error of s times the released record, |x_i| = r.",
        SHARE,
    ),
)
def fig_3_values(words: str, share: sp.Expr) -> Statement[Parts]:
    text = "E|x_i - xhat_i|^2 is at least 200, 20 and 2 for lambda = 1e-4, 1e-2 and 1"
    values = tuple(map(sp.Integer, VALUES))
    return Statement(f"{text}{words}", least_errors(share, values))
