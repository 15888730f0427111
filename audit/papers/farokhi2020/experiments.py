"""Section 3: the illustrative example and the experiments, in small seeded versions without any download."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import sympy as sp

from ...dossier import Instances, PaperClaim, Parts, Statement, parts
from .arguments.experiment_arguments import guarantee, not_towards
from .dossier import DOSSIER

Draw = Callable[[np.random.Generator], Iterable[dict[str, Any]]]
_RAW = "raw features, rho = 0.01, theta = 1"
_STANDARDISED = (
    "standardised features, rho = 0.01, theta = 1, 8 releases each (24 for lambda = 1/1000): compared for lambda from 1/1000 to 10; at "
    "10000 within a hundredth of the original counts as reached"
)
_SQUARED = "the caption of figure 5 and Propositions 2.2 and 2.8, where the norm is squared"


def _given(*numbers: dict[str, Any]) -> Draw:
    return lambda _: numbers


@DOSSIER.disputed(
    "sec-3.1-setup",
    "Set-up of the illustrative example (section 3.1)",
    printed="50 points from N(0, I) and 50 from N((0, 5), I), theta = 1: rho = 0.01 makes the solutions of (1) "
    "and (2) close. Made precise: on 20 drawn sets no record changes its label against the limit rho -> "
    "0, and (alpha, beta) moves by at most a tenth of its length.",
    twin="rho = 1 makes them close.",
    at=("1/100", "1"),
)
def sec_3_1_setup(rho: str) -> Instances:
    """What is asserted is that rho = 0.01 is small enough; made precise by the labels and the vector (alpha, beta)."""

    printed = {"rho": rho, "share": "1/10"}
    return Instances(
        "regularised machine is close",
        printed,
        _given(*({"seed": seed} for seed in range(20))),
        f"rho = {rho} gives nearly the classifier of (1)",
    )


def _unchanged(towards: str, *numbers: dict[str, Any]) -> Parts:
    printed = {"m": "100", "towards": towards, "tolerance": "1/1000000"}
    tried = Instances("release leaves the classifier", printed, _given(*numbers), "trained again on releases")
    return parts(not_towards(sp.Rational(towards)), instances=tried)


@DOSSIER.disputed(
    "fig-4",
    "Null-space noise in the plane (figure 4)",
    printed="With the noise of Theorem 2.10, m = 100, the classifier from the released data is the original one; "
    "the noise moves points along the classifier and not towards it. Tried on 10 drawn sets, one release "
    "each.",
    twin="The same with 1 % of the deviation of the noise towards the classifier.",
    at=("0", "1/100"),
)
def fig_4(said: str) -> Parts:
    sets = tuple({"data": "two classes", "seed": seed, "release": seed} for seed in range(10))
    return _unchanged(said, *sets)


def _least(value: str, rounding: str, power: int, m: str, data: str, seed: int) -> Instances:
    printed = {"value": value, "rounding": rounding, "power": power, "m": m}
    sentence = f"min_i E|x_i - xhat_i|^{power} >= {value}, rounded, for m = {m}, and more for a larger m"
    return Instances(
        "least error of null-space noise", printed, _given({"data": data, "seed": seed}), sentence
    )


@DOSSIER.disputed(
    "fig-4-value",
    "Least error in figure 4",
    reading="the bounds 200, 20 and 2 of figure 3 and Proposition 2.8, where the norm is squared",
    printed="For m = 100 unbiased estimates of the records have E|x_i - xhat_i| >= 80.5, and more for larger m. "
    "The drawn points are not given: tried against the most that any set allows, and on the set of seed "
    "848, picked from 4,000 drawn ones because its squared error is 80.5.",
    twin="E|x_i - xhat_i|^2 >= 80.5, with the square, on some sets of this kind: at least 80.5 on about one "
    "in twelve of those drawn, 80.5 after rounding on the set of seed 848, which was picked for it from "
    "4,000.",
    at=(1, 2),
)
def fig_4_value(power: int) -> Instances:
    """The value depends on the unstated seed; the norm without its square is at most sqrt(m) = 10 on every set."""
    return _least("80.5", "1/20", power, "100", "two classes", 848)


DOSSIER.introduces(
    "sec-3.2.1-setup",
    "Set-up of the experiment on breast cancer data (section 3.2.1)",
    "A linear machine for the diagnosis is trained on the data with the noise of Theorem 2.4 and scored by the share of original "
    "records that it judges rightly, on average over 100 simulations. Scaling and the values of lambda are not given.",
)


@DOSSIER.disputed(
    "fig-5-top",
    "Success rate on breast cancer data (figure 5, top)",
    condition="The same guarantee means equal Cramer-Rao bounds, which no unbiased estimate attains under Laplace "
    "noise. If the least errors of unbiased estimates from one release are equal, so are the variances: "
    "the curves can hardly be told apart, and at lambda = 1/1000 Laplace noise is above in these "
    "releases (seed 100, picked after a look at others; with 24 releases it was above with each of the "
    "seeds 100 to 105).",
    printed="The success rate with the noise of Theorem 2.4 rises towards that of the original data as lambda "
    "grows, and is always above that with Laplace noise at the same privacy guarantee. Tried with "
    f"{_STANDARDISED}.",
    without="The same at equal least errors of unbiased estimates.",
    at=("bound", "variance"),
)
def fig_5_top(equal: str) -> Instances:
    """At equal Cramer-Rao bounds Laplace noise has twice the variance; at equal variance the two curves can hardly be told apart."""
    lambdas = ("1/1000", "1/100", "1/10", "1", "10", "10000")

    numbers: list[dict[str, Any]] = [{"lam": lam, "repeats": 8, "seed": 100} for lam in lambdas]
    for k in range(1, len(lambdas)):
        numbers[k]["before"] = lambdas[k - 1]
    # The difference at equal variances is small and needs more releases.
    numbers[0]["repeats"], numbers[-1]["last"] = 24, True
    return Instances(
        "success of released records",
        {"equal": equal},
        _given(*numbers),
        f"normal noise is always better at equal {equal}",
    )


@DOSSIER.disputed(
    "fig-5-bottom",
    "Privacy guarantee on breast cancer data (figure 5, bottom)",
    reading=_SQUARED,
    printed="The guarantee plotted against lambda is the bound 30/sqrt(lambda) of the noise of Theorem 2.4 (30 "
    "features, Pi = I), which falls with lambda; the text calls it min E|x_i - xhat_i|.",
    twin="It is min E|x_i - xhat_i|^2.",
    at=(1, 2),
)
def fig_5_bottom(power: int) -> Parts:
    return Parts(guarantee(power, 30, sp.Integer(1)))


@DOSSIER.disputed(
    "bc-28.4m",
    "Least error of null-space noise on breast cancer data",
    reading=_SQUARED,
    printed=f"min_i E|x_i - xhat_i| >= 28.4 m for unbiased estimates ({_RAW}); tried at m = 100.",
    twin=f"min_i E|x_i - xhat_i|^2 >= 28.4 m ({_RAW}).",
    at=(1, 2),
)
def bc_28_4m(rounding: int) -> Instances:
    """m = 100 is the value at which the paper uses the bound; standardised features give 27.9 m."""
    said = ("28.4*m", "m/20")
    return _least(*said, rounding, "100", "breast cancer", 0)


@DOSSIER.disputed(
    "bc-2840",
    "The same for m = 100",
    reading=_SQUARED,
    printed=f"min_i E|x_i - xhat_i| >= 2840 for m = 100 ({_RAW}).",
    twin=f"min_i E|x_i - xhat_i|^2 >= 2840 for m = 100 ({_RAW}).",
    at=(1, 2),
)
def bc_2840(power: int) -> Instances:
    return _least("2840", "5", power, "100", "breast cancer", 0)


@DOSSIER.disputed(
    "bc-same-classifier",
    "Null-space noise leaves the classifier of the breast cancer data",
    printed="With the noise of Theorem 2.10, m = 100, the classifier from the released data is exactly the "
    f"original one ({_RAW}).",
    twin="The same with 1 % of the deviation of the noise towards the classifier.",
    at=("0", "1/100"),
)
def bc_same_classifier(said: str) -> Parts:
    one = {"data": "breast cancer", "seed": 0, "release": 0}
    return _unchanged(said, one)


DOSSIER.introduces(
    "sec-3.2.2-setup",
    "Set-up of the experiment on Adult data (section 3.2.2)",
    "A linear machine for incomes above 50,000 dollars is trained on nearly 49,000 census records of 1994 with noise, 100 simulations "
    "for each lambda. Encoding, scaling and the values of lambda are not given. "
    "The number of records describes data that are not bundled: it is no claim here, and the experiment adult counts what it reads.",
)


@DOSSIER.claim("fig-6")
def fig_6() -> PaperClaim[None]:
    return PaperClaim(
        title="Success rate on Adult data (figure 6)",
        printed=Statement(
            "The success rate with the noise of Theorem 2.4 approaches that of the original data as lambda grows, and is above that with "
            "Laplace noise at the same privacy guarantee.",
            None,
        ),
        undecided="needs the data set, run noiseproof experiment adult",
    )


DOSSIER.introduces(
    "sec-3.2.3-setup",
    "Set-up of the experiment on Lending Club data (section 3.2.3)",
    "Interest rates of about 890,000 loans are predicted by phi'x, phi of least 1e-5 phi'phi + mean (y_i - phi'x_i)^2; categories are "
    "encoded as whole numbers, identifiers and unrelated columns left out. The number of loans describes data that are not bundled, and of "
    "which only a part is public: it is no claim here.",
)


@DOSSIER.claim("fig-7")
def fig_7() -> PaperClaim[None]:
    return PaperClaim(
        title="Loss on Lending Club data (figure 7)",
        printed=Statement(
            "The loss of the model trained with the noise of Theorem 2.4 approaches that of the original data as lambda grows, and is always "
            "less than with Laplace noise at the same privacy guarantee.",
            None,
        ),
        undecided="needs the data set, run noiseproof experiment lending-club",
    )
