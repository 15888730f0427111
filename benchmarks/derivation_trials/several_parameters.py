"""Continuous families of one variable with two free parameters."""

from __future__ import annotations

from mpmath import besseli, euler, mpf, pi, psi

from derivation_trials.family import Family, Matrix


def _beta(a: mpf, b: mpf) -> Matrix:
    both = psi(1, a + b)
    return [[psi(1, a) - both, -both], [-both, psi(1, b) - both]]


def _weibull(scale: mpf, shape: mpf) -> Matrix:
    mixed = -(1 - euler) / scale
    return [[shape**2 / scale**2, mixed], [mixed, (pi**2 / 6 + (1 - euler) ** 2) / shape**2]]


def _gumbel(location: mpf, scale: mpf) -> Matrix:
    mixed = -(1 - euler)
    return [[1 / scale**2, mixed / scale**2], [mixed / scale**2, (pi**2 / 6 + mixed**2) / scale**2]]


def _von_mises(mu: mpf, kappa: mpf) -> Matrix:
    ratio = besseli(1, kappa) / besseli(0, kappa)
    return [[kappa * ratio, mpf(0)], [mpf(0), 1 - ratio / kappa - ratio**2]]


def _kumaraswamy(a: mpf, b: mpf) -> Matrix:
    mixed = -(psi(0, b + 1) - psi(0, 2)) / (a * (b - 1))
    spread = (psi(0, b) - psi(0, 2)) ** 2 - (psi(1, b) - psi(1, 2))
    return [[(1 + b / (b - 2) * spread) / a**2, mixed], [mixed, 1 / b**2]]


def _lomax(alpha: mpf, scale: mpf) -> Matrix:
    mixed = -1 / (scale * (alpha + 1))
    return [[1 / alpha**2, mixed], [mixed, alpha / (scale**2 * (alpha + 2))]]


SEVERAL_PARAMETERS = (
    Family(
        name="normal",
        density="exp(-(y - mu)**2/(2*sigma**2))/(sigma*sqrt(2*pi))",
        support=("-oo", "oo"),
        parameters={"mu": "real", "sigma": "positive"},
        discrete=False,
        kind="closed",
        truth=lambda mu, sigma: [[1 / sigma**2, mpf(0)], [mpf(0), 2 / sigma**2]],
        points=({"mu": "0.3", "sigma": "1.7"}, {"mu": "-1.1", "sigma": "0.6"}),
        numbers=(
            [["0.3460207612456747404844291", "0"], ["0", "0.6920415224913494809688581"]],
            [["2.777777777777777777777778", "0"], ["0", "5.555555555555555555555556"]],
        ),
        source="Lehmann & Casella 1998, section 2.5",
    ),
    Family(
        name="lognormal",
        density="exp(-(log(y) - mu)**2/(2*sigma**2))/(y*sigma*sqrt(2*pi))",
        support=(0, "oo"),
        parameters={"mu": "real", "sigma": "positive"},
        discrete=False,
        kind="closed",
        truth=lambda mu, sigma: [[1 / sigma**2, mpf(0)], [mpf(0), 2 / sigma**2]],
        points=({"mu": "0.2", "sigma": "0.9"}, {"mu": "-0.7", "sigma": "1.4"}),
        numbers=(
            [["1.234567901234567901234568", "0"], ["0", "2.469135802469135802469136"]],
            [["0.5102040816326530612244898", "0"], ["0", "1.02040816326530612244898"]],
        ),
        source="Johnson, Kotz & Balakrishnan 1994, ch. 14 (log y is normal)",
    ),
    Family(
        name="gamma",
        density="y**(shape - 1)*exp(-y/scale)/(gamma(shape)*scale**shape)",
        support=(0, "oo"),
        parameters={"shape": "positive", "scale": "positive"},
        discrete=False,
        kind="closed",
        truth=lambda shape, scale: [[psi(1, shape), 1 / scale], [1 / scale, shape / scale**2]],
        points=({"shape": "1.7", "scale": "0.6"}, {"shape": "0.8", "scale": "2.3"}),
        numbers=(
            [
                ["0.7932328301639983819476848", "1.666666666666666666666667"],
                ["1.666666666666666666666667", "4.722222222222222222222222"],
            ],
            [
                ["2.299474137501700238504055", "0.4347826086956521739130435"],
                ["0.4347826086956521739130435", "0.1512287334593572778827977"],
            ],
        ),
        source="Johnson, Kotz & Balakrishnan 1994, ch. 17",
    ),
    Family(
        name="inverse gamma",
        density="scale**shape/gamma(shape)*y**(-shape - 1)*exp(-scale/y)",
        support=(0, "oo"),
        parameters={"shape": "positive", "scale": "positive"},
        discrete=False,
        kind="closed",
        truth=lambda shape, scale: [[psi(1, shape), -1 / scale], [-1 / scale, shape / scale**2]],
        points=({"shape": "2.4", "scale": "0.7"}, {"shape": "0.9", "scale": "1.6"}),
        numbers=(
            [
                ["0.5151525088969443763125378", "-1.428571428571428571428571"],
                ["-1.428571428571428571428571", "4.897959183673469387755102"],
            ],
            [["1.922539959477203516479194", "-0.625"], ["-0.625", "0.3515625"]],
        ),
        source="by hand (1/y is gamma with rate `scale`), checked by quadrature",
    ),
    Family(
        name="beta",
        density="y**(a - 1)*(1 - y)**(b - 1)/beta(a, b)",
        support=(0, 1),
        parameters={"a": "positive", "b": "positive"},
        discrete=False,
        kind="closed",
        truth=_beta,
        points=({"a": "1.7", "b": "2.6"}, {"a": "0.9", "b": "3.2"}),
        numbers=(
            [
                ["0.5315586528775738535942609", "-0.2616741772864245283534239"],
                ["-0.2616741772864245283534239", "0.206132715838155369863213"],
            ],
            [
                ["1.646502731923367005715815", "-0.2760372275538365107633789"],
                ["-0.2760372275538365107633789", "0.09028396317756428379712218"],
            ],
        ),
        source="Johnson, Kotz & Balakrishnan 1995, ch. 25",
    ),
    Family(
        name="Weibull",
        density="shape/scale*(y/scale)**(shape - 1)*exp(-(y/scale)**shape)",
        support=(0, "oo"),
        parameters={"scale": "positive", "shape": "positive"},
        discrete=False,
        kind="closed",
        truth=_weibull,
        points=({"scale": "1.3", "shape": "1.7"}, {"scale": "0.6", "shape": "0.8"}),
        numbers=(
            [
                ["1.710059171597633136094675", "-0.3252187193065131841488369"],
                ["-0.3252187193065131841488369", "0.6310313705373285085044177"],
            ],
            [
                ["1.777777777777777777777778", "-0.7046405584974452323224798"],
                ["-0.7046405584974452323224798", "2.849501032582624046215261"],
            ],
        ),
        source="Johnson, Kotz & Balakrishnan 1994, ch. 21",
    ),
    Family(
        name="Gumbel",
        density="exp(-(y - location)/scale - exp(-(y - location)/scale))/scale",
        support=("-oo", "oo"),
        parameters={"location": "real", "scale": "positive"},
        discrete=False,
        kind="closed",
        truth=_gumbel,
        points=({"location": "0.4", "scale": "1.3"}, {"location": "-0.9", "scale": "0.7"}),
        numbers=(
            [
                ["0.5917159763313609467455621", "-0.2501682456203947570375668"],
                ["-0.2501682456203947570375668", "1.079100982753183070756075"],
            ],
            [
                ["2.040816326530612244897959", "-0.8628251736703411008030366"],
                ["-0.8628251736703411008030366", "3.721797267046692631791361"],
            ],
        ),
        source="Johnson, Kotz & Balakrishnan 1995, ch. 22",
    ),
    Family(
        name="logistic",
        density="exp(-(y - location)/scale)/(scale*(1 + exp(-(y - location)/scale))**2)",
        support=("-oo", "oo"),
        parameters={"location": "real", "scale": "positive"},
        discrete=False,
        kind="closed",
        truth=lambda location, scale: [[1 / (3 * scale**2), mpf(0)], [mpf(0), (3 + pi**2) / (9 * scale**2)]],
        points=({"location": "0.3", "scale": "0.8"}, {"location": "-1.2", "scale": "1.9"}),
        numbers=(
            [["0.5208333333333333333333333", "0"], ["0", "2.234306319633569204658766"]],
            [["0.09233610341643582640812558", "0"], ["0", "0.3961097076358682246486455"]],
        ),
        source="Lehmann & Casella 1998, section 2.5 (location); Johnson, Kotz & Balakrishnan 1995, ch. 23",
    ),
    Family(
        name="Cauchy",
        density="1/(pi*scale*(1 + ((y - location)/scale)**2))",
        support=("-oo", "oo"),
        parameters={"location": "real", "scale": "positive"},
        discrete=False,
        kind="closed",
        truth=lambda location, scale: [[1 / (2 * scale**2), mpf(0)], [mpf(0), 1 / (2 * scale**2)]],
        points=({"location": "0.6", "scale": "1.4"}, {"location": "-0.8", "scale": "0.5"}),
        numbers=(
            [["0.2551020408163265306122449", "0"], ["0", "0.2551020408163265306122449"]],
            [["2", "0"], ["0", "2"]],
        ),
        source="Lehmann & Casella 1998, section 2.5 (location); Johnson, Kotz & Balakrishnan 1994, ch. 16",
    ),
    Family(
        name="Student t (5 degrees of freedom)",
        density="gamma(3)/(gamma(Rational(5, 2))*sqrt(5*pi)*scale*(1 + ((y - location)/scale)**2/5)**3)",
        support=("-oo", "oo"),
        parameters={"location": "real", "scale": "positive"},
        discrete=False,
        kind="closed",
        truth=lambda location, scale: [[3 / (4 * scale**2), mpf(0)], [mpf(0), 5 / (4 * scale**2)]],
        points=({"location": "0.5", "scale": "1.2"}, {"location": "-1.4", "scale": "0.7"}),
        numbers=(
            [["0.5208333333333333333333333", "0"], ["0", "0.8680555555555555555555556"]],
            [["1.530612244897959183673469", "0"], ["0", "2.551020408163265306122449"]],
        ),
        source="Lange, Little & Taylor 1989 (dimension 1, nu = 5)",
    ),
    Family(
        name="inverse Gaussian",
        density="sqrt(lam/(2*pi*y**3))*exp(-lam*(y - mu)**2/(2*mu**2*y))",
        support=(0, "oo"),
        parameters={"mu": "positive", "lam": "positive"},
        discrete=False,
        kind="closed",
        truth=lambda mu, lam: [[lam / mu**3, mpf(0)], [mpf(0), 1 / (2 * lam**2)]],
        points=({"mu": "1.3", "lam": "2.1"}, {"mu": "0.7", "lam": "0.4"}),
        numbers=(
            [["0.9558488848429676832043696", "0"], ["0", "0.1133786848072562358276644"]],
            [["1.166180758017492711370262", "0"], ["0", "3.125"]],
        ),
        source="Tweedie 1957; Johnson, Kotz & Balakrishnan 1994, ch. 15",
    ),
    Family(
        name="von Mises",
        density="exp(kappa*cos(y - mu))/(2*pi*besseli(0, kappa))",
        support=("-pi", "pi"),
        parameters={"mu": "real", "kappa": "positive"},
        discrete=False,
        kind="closed",
        truth=_von_mises,
        points=({"mu": "0.4", "kappa": "1.6"}, {"mu": "-1.1", "kappa": "0.7"}),
        numbers=(
            [["0.9918378391127612320837734", "0"], ["0", "0.2282890085122527864834442"]],
            [["0.2311241026728697425266837", "0"], ["0", "0.4193011152873286183911442"]],
        ),
        source="Mardia & Jupp 2000, ch. 5",
    ),
    Family(
        name="Kumaraswamy",
        density="a*b*y**(a - 1)*(1 - y**a)**(b - 1)",
        support=(0, 1),
        parameters={"a": "positive", "b": "positive"},
        discrete=False,
        kind="closed",
        truth=_kumaraswamy,
        points=({"a": "1.6", "b": "2.7"}, {"a": "0.7", "b": "0.8"}),
        numbers=(
            [
                ["0.8992813835625296784128379", "-0.2736651486261192082648441"],
                ["-0.2736651486261192082648441", "0.1371742112482853223593964"],
            ],
            [
                ["1.67152507803296071318026", "-0.9842350128900399913198967"],
                ["-0.9842350128900399913198967", "1.5625"],
            ],
        ),
        source="Jones 2009; by hand through u = y**a, checked by quadrature",
    ),
    Family(
        name="Lomax",
        density="alpha/scale*(1 + y/scale)**(-alpha - 1)",
        support=(0, "oo"),
        parameters={"alpha": "positive", "scale": "positive"},
        discrete=False,
        kind="closed",
        truth=_lomax,
        points=({"alpha": "2.3", "scale": "1.4"}, {"alpha": "0.8", "scale": "0.6"}),
        numbers=(
            [
                ["0.1890359168241965973534972", "-0.2164502164502164502164502"],
                ["-0.2164502164502164502164502", "0.2728998576174655908875178"],
            ],
            [
                ["1.5625", "-0.9259259259259259259259259"],
                ["-0.9259259259259259259259259", "0.7936507936507936507936508"],
            ],
        ),
        source="Brazauskas 2002 (Feller-Pareto; Pareto of the second kind), checked by quadrature",
    ),
)
