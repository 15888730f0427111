"""Families of whole numbers and of vectors; the vectors are described in words and computed in `vectors`."""

from __future__ import annotations

from mpmath import exp, matrix, mpf, psi

from derivation_trials.family import Family, Matrix


def _zero_inflated_poisson(w: mpf, lam: mpf) -> Matrix:
    zero = exp(-lam)
    none = w + (1 - w) * zero
    mixed = -zero / none
    rate = (1 - w) ** 2 * zero**2 / none + (1 - w) * (1 / lam - zero)
    return [[(1 - zero) / ((1 - w) * none), mixed], [mixed, rate]]


def _dirichlet(a1: mpf, a2: mpf, a3: mpf) -> Matrix:
    shapes, total = (a1, a2, a3), psi(1, a1 + a2 + a3)
    return [[(psi(1, a) if i == j else 0) - total for j in range(3)] for i, a in enumerate(shapes)]


def _multinomial(p1: mpf, p2: mpf) -> Matrix:
    rest = 5 / (1 - p1 - p2)
    return [[5 / p1 + rest, rest], [rest, 5 / p2 + rest]]


def _bivariate_covariance(s11: mpf, s12: mpf, s22: mpf) -> Matrix:
    precision = matrix([[s11, s12], [s12, s22]]) ** -1
    directions = (matrix([[1, 0], [0, 0]]), matrix([[0, 1], [1, 0]]), matrix([[0, 0], [0, 1]]))
    weighted = [precision * direction for direction in directions]
    return [[sum((one * two)[i, i] for i in range(2)) / 2 for two in weighted] for one in weighted]


def _autoregression(phi: mpf, sigma: mpf) -> Matrix:
    mixed = 2 * phi / (sigma * (1 - phi**2))
    return [[(3 - phi**2) / (1 - phi**2) ** 2, mixed], [mixed, 8 / sigma**2]]


DISCRETE_AND_VECTOR = (
    Family(
        name="Bernoulli",
        density="p**y*(1 - p)**(1 - y)",
        support=(0, 1),
        parameters={"p": "unit"},
        discrete=True,
        kind="closed",
        truth=lambda p: [[1 / (p * (1 - p))]],
        points=({"p": "0.3"}, {"p": "0.85"}),
        numbers=([["4.761904761904761904761905"]], [["7.843137254901960784313725"]]),
        source="Lehmann & Casella 1998, section 2.5",
    ),
    Family(
        name="binomial (n = 10)",
        density="binomial(10, y)*p**y*(1 - p)**(10 - y)",
        support=(0, 10),
        parameters={"p": "unit"},
        discrete=True,
        kind="closed",
        truth=lambda p: [[10 / (p * (1 - p))]],
        points=({"p": "0.35"}, {"p": "0.9"}),
        numbers=([["43.95604395604395604395604"]], [["111.1111111111111111111111"]]),
        source="Lehmann & Casella 1998, section 2.5",
    ),
    Family(
        name="Poisson",
        density="exp(-lam)*lam**y/factorial(y)",
        support=(0, "oo"),
        parameters={"lam": "positive"},
        discrete=True,
        kind="closed",
        truth=lambda lam: [[1 / lam]],
        points=({"lam": "3.4"}, {"lam": "0.7"}),
        numbers=([["0.2941176470588235294117647"]], [["1.428571428571428571428571"]]),
        source="Lehmann & Casella 1998, section 2.5",
    ),
    Family(
        name="geometric",
        density="p*(1 - p)**y",
        support=(0, "oo"),
        parameters={"p": "unit"},
        discrete=True,
        kind="closed",
        truth=lambda p: [[1 / (p**2 * (1 - p))]],
        points=({"p": "0.3"}, {"p": "0.75"}),
        numbers=([["15.87301587301587301587302"]], [["7.111111111111111111111111"]]),
        source="Johnson, Kemp & Kotz 2005, ch. 5 (negative binomial of r = 1)",
    ),
    Family(
        name="negative binomial (p, r = 3)",
        density="binomial(y + 2, y)*p**3*(1 - p)**y",
        support=(0, "oo"),
        parameters={"p": "unit"},
        discrete=True,
        kind="closed",
        truth=lambda p: [[3 / (p**2 * (1 - p))]],
        points=({"p": "0.4"}, {"p": "0.85"}),
        numbers=([["31.25"]], [["27.68166089965397923875433"]]),
        source="Johnson, Kemp & Kotz 2005, ch. 5",
    ),
    Family(
        name="negative binomial (r, p)",
        density="gamma(y + r)/(factorial(y)*gamma(r))*p**r*(1 - p)**y",
        support=(0, "oo"),
        parameters={"r": "positive", "p": "unit"},
        discrete=True,
        kind="enclosed",
        truth=None,
        points=({"r": "1.7", "p": "0.4"}, {"r": "0.6", "p": "0.75"}),
        numbers=(
            [["0.4044148710480975908153696", "-2.5"], ["-2.5", "17.70833333333333333333333"]],
            [
                ["0.4541838344999066997329582", "-1.333333333333333333333333"],
                ["-1.333333333333333333333333", "4.266666666666666666666667"],
            ],
        ),
        source="no closed form; two sums, of the scores and the series of Fisher 1941 for r",
    ),
    Family(
        name="zero-inflated Poisson",
        density="Piecewise((w + (1 - w)*exp(-lam), Eq(y, 0)), ((1 - w)*exp(-lam)*lam**y/factorial(y), True))",
        support=(0, "oo"),
        parameters={"w": "unit", "lam": "positive"},
        discrete=True,
        kind="closed",
        truth=_zero_inflated_poisson,
        points=({"w": "0.3", "lam": "2.1"}, {"w": "0.65", "lam": "0.8"}),
        numbers=(
            [
                ["3.250117441946294886258173", "-0.3174753371912780738857836"],
                ["-0.3174753371912780738857836", "0.2666635125231649378173188"],
            ],
            [
                ["1.948982736694577726077472", "-0.556606427401983567317375"],
                ["-0.556606427401983567317375", "0.3108720377660487384352972"],
            ],
        ),
        source="by hand, checked by summation",
    ),
    Family(
        name="normal rounded to whole numbers",
        density="(erf((y + Rational(1, 2) - mu)/(sqrt(2)*Rational(7, 10)))"
        " - erf((y - Rational(1, 2) - mu)/(sqrt(2)*Rational(7, 10))))/2",
        support=("-oo", "oo"),
        parameters={"mu": "real"},
        discrete=True,
        kind="enclosed",
        truth=None,
        points=({"mu": "0.3"}, {"mu": "-1.45"}),
        numbers=([["1.744403130462228786208837"]], [["1.744443480614308514382997"]]),
        source="no closed form; two sums, of the scores and of the squared differences of the density",
    ),
    Family(
        name="Dirichlet (3 parameters)",
        density=None,
        support=(),
        parameters={"a1": "positive", "a2": "positive", "a3": "positive"},
        discrete=False,
        kind="closed",
        truth=_dirichlet,
        points=({"a1": "1.7", "a2": "0.8", "a3": "2.9"}, {"a1": "0.6", "a2": "3.1", "a3": "1.2"}),
        numbers=(
            [
                [
                    "0.5898495152515672729417456",
                    "-0.2033833149124311090059392",
                    "-0.2033833149124311090059392",
                ],
                [
                    "-0.2033833149124311090059392",
                    "2.096090822589269129498116",
                    "-0.2033833149124311090059392",
                ],
                [
                    "-0.2033833149124311090059392",
                    "-0.2033833149124311090059392",
                    "0.2075804330808970270143105",
                ],
            ],
            [
                [
                    "3.409898206710677651509773",
                    "-0.2263114641916800244846416",
                    "-0.2263114641916800244846416",
                ],
                [
                    "-0.2263114641916800244846416",
                    "0.153784035994830783885397",
                    "-0.2263114641916800244846416",
                ],
                [
                    "-0.2263114641916800244846416",
                    "-0.2263114641916800244846416",
                    "1.041065741232099098817825",
                ],
            ],
        ),
        source="Kotz, Balakrishnan & Johnson 2000, ch. 49; moments of the logarithms by stick breaking and quadrature",
        vector="Dirichlet of three shares y1, y2, y3 = 1 - y1 - y2 with exponents a1, a2, a3",
    ),
    Family(
        name="multinomial (n = 5, 3 categories)",
        density=None,
        support=(),
        parameters={"p1": "unit", "p2": "unit"},
        discrete=True,
        kind="closed",
        truth=_multinomial,
        points=({"p1": "0.2", "p2": "0.45"}, {"p1": "0.55", "p2": "0.15"}),
        numbers=(
            [
                ["39.28571428571428571428571", "14.28571428571428571428571"],
                ["14.28571428571428571428571", "25.39682539682539682539683"],
            ],
            [
                ["25.75757575757575757575758", "16.66666666666666666666667"],
                ["16.66666666666666666666667", "50"],
            ],
        ),
        source="by hand, checked by the exact sum over the 21 outcomes",
        vector="multinomial counts of n = 5 over three categories, probabilities p1, p2, 1 - p1 - p2",
    ),
    Family(
        name="bivariate normal (mean)",
        density=None,
        support=(),
        parameters={"a": "real", "b": "real"},
        discrete=False,
        kind="closed",
        truth=lambda a, b: [[mpf(3) / 5, -mpf(1) / 5], [-mpf(1) / 5, mpf(2) / 5]],
        points=({"a": "0.4", "b": "-1.3"}, {"a": "2.2", "b": "0.7"}),
        numbers=([["0.6", "-0.2"], ["-0.2", "0.4"]], [["0.6", "-0.2"], ["-0.2", "0.4"]]),
        source="Magnus & Neudecker 1999, ch. 15 (the inverse covariance); exact Gaussian moments of the scores",
        vector="multivariate normal, mean (a, b), covariance [[2, 1], [1, 3]]",
    ),
    Family(
        name="bivariate normal (covariance)",
        density=None,
        support=(),
        parameters={"s11": "positive", "s12": "real", "s22": "positive"},
        discrete=False,
        kind="closed",
        truth=_bivariate_covariance,
        points=({"s11": "1.4", "s12": "0.5", "s22": "2.3"}, {"s11": "0.8", "s12": "-0.6", "s22": "1.1"}),
        numbers=(
            [
                [
                    "0.2998560237617476674715732",
                    "-0.1303721842442381162919883",
                    "0.01417088959176501264043352",
                ],
                [
                    "-0.1303721842442381162919883",
                    "0.3933838950673967508984344",
                    "-0.07935698171388407078642769",
                ],
                [
                    "0.01417088959176501264043352",
                    "-0.07935698171388407078642769",
                    "0.1110997743994376991009988",
                ],
            ],
            [
                ["2.237426035502958579881657", "2.440828402366863905325444", "0.6656804733727810650887574"],
                ["2.440828402366863905325444", "4.585798816568047337278107", "1.775147928994082840236686"],
                ["0.6656804733727810650887574", "1.775147928994082840236686", "1.183431952662721893491124"],
            ],
        ),
        source="Magnus & Neudecker 1999, ch. 15 (half the trace); exact Gaussian moments of the scores",
        vector="multivariate normal, mean (0, 0), covariance [[s11, s12], [s12, s22]]",
    ),
    Family(
        name="AR(1) of length 4",
        density=None,
        support=(),
        parameters={"phi": "real", "sigma": "positive"},
        discrete=False,
        kind="closed",
        truth=_autoregression,
        points=({"phi": "0.6", "sigma": "1.3"}, {"phi": "-0.35", "sigma": "0.7"}),
        numbers=(
            [
                ["6.4453125", "1.442307692307692307692308"],
                ["1.442307692307692307692308", "4.733727810650887573964497"],
            ],
            [
                ["3.736982654361571740489119", "-1.139601139601139601139601"],
                ["-1.139601139601139601139601", "16.32653061224489795918367"],
            ],
        ),
        source="by hand from the exact likelihood; exact Gaussian moments of the scores",
        vector="y1 normal with variance sigma**2/(1 - phi**2), then y[t] = phi*y[t-1] + sigma*(standard normal), "
        "t = 2, 3, 4, where -1 < phi < 1",
    ),
)
