"""Laws as strangers write them: supports, numbers, domains, masses that are proved or refused, facts, and malformed input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

import noiseproof as npf
from noiseproof.symbolic.laws.lawful import mass_is_one, nonnegative
from noiseproof.symbolic.proof.truth import Truth

Y = sp.Symbol("y")
A, B, L, P, R, W, TH = sp.symbols("a b l p r w theta", positive=True)
K = sp.Symbol("k", positive=True)
M = sp.Symbol("m", real=True)
S = sp.Symbol("s", positive=True)
N = sp.Symbol("n", integer=True, positive=True)
HALF = sp.Rational(1, 2)
BELL = sp.exp(-((Y - M) ** 2) / (2 * S**2)) / (S * sp.sqrt(2 * sp.pi))
WAVE = sp.exp(K * sp.cos(Y - M)) / (2 * sp.pi * sp.besseli(0, K))
law = npf.Law.from_density


@pytest.mark.parametrize(
    "ends",
    [
        (0, 2),
        [0, 2],
        (np.int64(0), np.float32(2)),
        ("0", "2"),
        (0.0, "4/2"),
        np.array([0, 2]),
        sp.Interval(0, 2),
        [(0, 2)],
    ],
)
def test_ends_are_read_as_people_write_them(ends: Any) -> None:
    assert law(HALF, Y, ends).support == (0, 2)


def test_ends_may_be_names_and_formulas_of_parameters() -> None:
    assert law(1 / TH, Y, (0, "theta")).support == (0, TH)
    assert law(1 / TH, Y, ("theta", "2*theta")).support == (TH, 2 * TH)
    assert law(1 / TH, Y, (0, sp.Symbol("theta"))).support == (0, TH)
    assert law(sp.exp(-Y), Y, (0, np.inf)).support == (0, sp.oo)


def test_decimals_are_those_that_were_written_and_the_derivation_says_so() -> None:
    slow = law(0.1 * A * sp.exp(-0.1 * A * Y), Y, (0, "oo"))
    assert str(slow.density) == "a*exp(-a*y/10)/10"
    assert "0.1 is read as 1/10" in slow.notes
    assert "0.1 is read as 1/10" in npf.fisher_information(slow, A).derivation.lemmas
    assert law(sp.Integer(10), Y, (0.1, "0.2")).notes == ("0.1 is read as 1/10",)


def test_a_support_with_a_gap() -> None:
    split = law(HALF, Y, [(0, 1), (2, 3)])
    assert (split.mean(), split.variance(), split.mass()) == (sp.Rational(3, 2), sp.Rational(13, 12), 1)
    np.testing.assert_allclose(split.cdf([0.5, 1.5, 2.5]), [0.25, 0.5, 0.75], atol=1e-12)
    np.testing.assert_allclose(split.quantile([0.25, 0.75]), [0.5, 2.5], atol=1e-9)
    assert split.pdf([0.5, 1.5, 2.5]).tolist() == pytest.approx([0.5, 0, 0.5])
    drawn = split.sample(2000, np.random.default_rng(0))
    assert not np.any((drawn > 1.001) & (drawn < 1.999))
    np.testing.assert_allclose(split.scale(-2).cdf([-5, -1]), [0.25, 0.75], atol=1e-12)
    assert split.shift(1).mean() == sp.Rational(5, 2)
    counts = law(sp.Rational(1, 4), Y, [(0, 1), (5, 6)], discrete=True)
    assert (counts.mean(), counts.mass()) == (3, 1)
    assert counts.cdf([1, 4, 5]).tolist() == [0.5, 0.5, 0.75]


def test_a_gap_that_moves_has_no_information_and_one_that_stays_has() -> None:
    moving = law(1 / (2 * TH), Y, [(0, TH), ("2*theta", "3*theta")])
    assert npf.fisher_information(moving, TH).regular is Truth.FAILS
    mass = 1 - sp.exp(-A) + sp.exp(-2 * A)
    fixed = law(A * sp.exp(-A * Y) / mass, Y, [(0, 1), (2, "oo")])
    found = npf.fisher_information(fixed, A)
    assert found.regular is Truth.HOLDS
    # Of an exponential family: the second derivative of its log-partition.
    log_partition = sp.log(mass / A)
    assert sp.simplify(found.scalar - sp.diff(log_partition, A, 2)) == 0


BETA = sp.gamma(A) * sp.gamma(B) / sp.gamma(A + B)
PROVED: dict[str, tuple[Any, ...]] = {
    "geometric": (P * (1 - P) ** Y, (0, "oo"), True, {"p": (0, 1)}),
    "geometric from one": (P * (1 - P) ** (Y - 1), (1, "oo"), True, {P: (0, 1)}),
    "Poisson": (L**Y * sp.exp(-L) / sp.factorial(Y), (0, "oo"), True, {}),
    "negative binomial": (
        sp.gamma(Y + R) / (sp.factorial(Y) * sp.gamma(R)) * P**R * (1 - P) ** Y,
        (0, "oo"),
        True,
        {"p": (0, 1)},
    ),
    "binomial": (sp.binomial(N, Y) * P**Y * (1 - P) ** (N - Y), (0, N), True, {"p": ("0", 1.0)}),
    "logarithmic": (-(P**Y) / (Y * sp.log(1 - P)), (1, "oo"), True, {"p": (0, 1)}),
    "zero-inflated Poisson": (
        sp.Piecewise(
            (W + (1 - W) * sp.exp(-L), sp.Eq(Y, 0)), ((1 - W) * L**Y * sp.exp(-L) / sp.factorial(Y), True)
        ),
        (0, "oo"),
        True,
        {"w": (0, 1)},
    ),
    "beta binomial": (sp.binomial(N, Y) * sp.beta(Y + A, N - Y + B) / sp.beta(A, B), (0, N), True, {}),
    "two-sided geometric": ((1 - P) / (1 + P) * P ** sp.Abs(Y), ("-oo", "oo"), True, {"p": (0, 1)}),
    "inverse Gaussian": (
        sp.sqrt(B / (2 * sp.pi * Y**3)) * sp.exp(-B * (Y - A) ** 2 / (2 * A**2 * Y)),
        (0, "oo"),
        False,
        {},
    ),
    "von Mises": (WAVE, (-sp.pi, sp.pi), False, {}),
    "von Mises mixture": (W * WAVE + (1 - W) * WAVE.subs(M, 1), (-sp.pi, sp.pi), False, {"w": (0, 1)}),
    "normal mixture": (W * BELL.subs(M, 0) + (1 - W) * BELL.subs(M, 2), ("-oo", "oo"), False, {"w": (0, 1)}),
    "truncated exponential": (A * sp.exp(-A * Y) / (1 - sp.exp(-2 * A)), (0, 2), False, {}),
    "waves": ((1 + W * sp.cos(Y)) / (2 * sp.pi), (0, 2 * sp.pi), False, {"w": (0, 1)}),
    "parabola": (6 * Y * (1 - Y), (0, 1), False, {}),
}


def test_a_mixture_of_von_mises_laws_has_an_information() -> None:
    parts = [WAVE.subs({M: m, K: 2}) for m in (0, 1)]
    mixture = law(W * parts[0] + (1 - W) * parts[1], Y, (-sp.pi, sp.pi), domains={"w": (0, 1)})
    ((found,),) = npf.fisher_information(mixture, W).enclose({W: sp.Rational(1, 3)})
    zero, one = (sp.lambdify(Y, part) for part in parts)
    truth, _ = integrate.quad(lambda y: (zero(y) - one(y)) ** 2 / (zero(y) + 2 * one(y)) * 3, -np.pi, np.pi)
    assert float(found.mid()) == pytest.approx(truth, rel=1e-9)


@pytest.mark.parametrize("name", PROVED)
def test_masses_are_proved_for_all_parameters(name: str) -> None:
    density, support, discrete, domains = PROVED[name]
    found = law(density, Y, support, discrete=discrete, domains=domains, name=name)
    assert mass_is_one(found).truth is Truth.HOLDS
    assert nonnegative(found).truth is Truth.HOLDS


def test_moments_of_counts_are_exact() -> None:
    binomial = law(*PROVED["binomial"][:1], Y, (0, N), discrete=True, domains={P: (0, 1)})
    assert sp.simplify(binomial.moment(2, central=True) - N * P * (1 - P)) == 0
    poisson = law(L**Y * sp.exp(-L) / sp.factorial(Y), Y, (0, "oo"), discrete=True)
    assert poisson.moment(3, central=True) == L
    assert law(BELL, Y, ("-oo", "oo")).moment(4, central=True) == 3 * S**4
    assert law(1 / (sp.pi * (1 + Y**2)), Y, ("-oo", "oo")).moment(2) == sp.oo
    with pytest.raises(ValueError, match="k must be"):
        poisson.moment(-1)


def test_without_a_closed_form_the_mass_is_enclosed_and_not_called_proved() -> None:
    skewed = 2 * BELL.subs({M: 0, S: 1}) * (1 + sp.erf(Y / sp.sqrt(2))) / 2
    fact = mass_is_one(law(skewed, Y, ("-oo", "oo")))
    assert fact.truth is Truth.UNKNOWN
    assert fact.reason.startswith("enclosed to ")
    assert fact.reason.endswith("not proved to be one")


OFF = 1 + sp.Rational(1, 10**9)
CONSTANT = 1 / (2 * sp.besselk(1, 1))


@pytest.mark.parametrize(
    ("density", "support", "more", "said"),
    [
        (sp.exp(-Y) * OFF, (0, "oo"), {}, "integrates to 1000000001/1000000000, expected 1"),
        (
            CONSTANT * sp.exp(-sp.sqrt(1 + Y**2)) * OFF,
            ("-oo", "oo"),
            {},
            r"integrates to 1.000000001 \(\+/- .*\), expected 1",
        ),
        (HALF, [(2, 3), (0, 1)], {}, "not in order: one ends at 3, the next begins at 0"),
        (HALF, [(0, 1), (0.5, 1.5)], {}, "overlap"),
        (HALF, [(0, 1), (1, 2)], {}, "meet at 1"),
        (HALF, [(0, TH), (1, 2)], {}, "are not known to be apart"),
        (HALF, [(0, 1), (2,)], {}, "support must be a pair"),
        (HALF, [], {}, "support must be a pair"),
        (HALF, None, {}, "support must be a pair"),
        (HALF, (0, "thta"), {}, "got 'thta'; the parameters are: none"),
        (HALF, (0, sp.I), {}, "an end of the support"),
        (HALF, (0, float("nan")), {}, "is nan"),
        (HALF, (True, 2), {}, "got True"),
        (1 / Y, (1, Y), {}, "must not contain y"),
        ((1 + 2 * sp.cos(Y)) / (2 * sp.pi), (0, 2 * sp.pi), {}, "a density is positive"),
        (sp.sqrt(Y), (-1, 1), {}, "a density is positive"),
        (P * (1 - P) ** Y, (0, "oo"), {"discrete": True, "domains": {"p": (0, 2)}}, "a density is positive"),
        (P * (1 - P) ** Y, (0, "oo"), {"discrete": True, "domains": {"p": (1, 0)}}, "domain of p is empty"),
        (P * (1 - P) ** Y, (0.5, "oo"), {"discrete": True, "domains": {"p": (0, 1)}}, "whole numbers"),
        (sp.Integer(0) * Y, (0, 1), {}, "integrates to 0"),
        (A * sp.exp(-sp.Symbol("a", real=True) * Y), (0, "oo"), {}, "expected 1|two symbols|same name"),
    ],
)
def test_what_is_no_law_is_refused_with_what_was_found(
    density: Any, support: Any, more: Any, said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        law(density, Y, support, **more)


@pytest.mark.parametrize("more", [{"discrete": "yes"}, {"name": 3}, {"domains": [("p", 0, 1)]}])
def test_arguments_of_another_type_are_refused(more: Any) -> None:
    with pytest.raises(TypeError):
        law(sp.exp(-Y), Y, (0, "oo"), **more)


H, F, U = Truth.HOLDS, Truth.FAILS, Truth.UNKNOWN
FACTS: dict[str, tuple[Any, Any, dict[str, Any], tuple[Truth, Truth, Truth, Truth]]] = {
    "normal": (BELL, ("-oo", "oo"), {}, (H, H, H, H)),
    "Laplace": (sp.exp(-sp.Abs(Y - M) / S) / (2 * S), ("-oo", "oo"), {}, (H, H, H, U)),
    "Cauchy": (1 / (sp.pi * S * (1 + ((Y - M) / S) ** 2)), ("-oo", "oo"), {}, (F, H, H, U)),
    "exponential": (A * sp.exp(-A * Y), (0, "oo"), {}, (H, F, U, H)),
    "gamma": (Y ** (A - 1) * sp.exp(-Y / B) / (sp.gamma(A) * B**A), (0, "oo"), {}, (F, F, H, H)),
    "uniform": (1 / TH, (0, TH), {}, (H, H, H, F)),
    "Poisson": (L**Y * sp.exp(-L) / sp.factorial(Y), (0, "oo"), {"discrete": True}, (H, F, F, H)),
    "two intervals": (HALF, [(0, 1), (2, 3)], {}, (F, H, F, F)),
    "a hole in the middle": (Y**2 * BELL.subs({M: 0, S: 1}), ("-oo", "oo"), {}, (F, H, F, F)),
    "Gumbel": (sp.exp(-(Y - M) - sp.exp(-(Y - M))), ("-oo", "oo"), {}, (H, F, H, H)),
}


@pytest.mark.parametrize("name", FACTS)
def test_facts_are_what_the_textbooks_say_or_open(name: str) -> None:
    density, support, more, expected = FACTS[name]
    found = law(density, Y, support, **more).facts()
    answers = (found.log_concave, found.symmetric, found.location_scale, found.exponential_family)
    assert tuple(a.truth for a in answers) == expected, str(found)
    assert all(a.reason for a in answers)


def test_facts_name_what_they_are_about() -> None:
    found = law(BELL, Y, ("-oo", "oo")).facts()
    assert found.symmetric.found == (M,)
    assert found.location_scale.found == (M, S)
    assert {str(t) for t in found.exponential_family.found} == {"y", "y**2"}


ENDS = st.one_of(
    st.integers(-3, 5),
    st.floats(-3, 5),
    st.just(float("nan")),
    st.sampled_from(
        ["oo", "-oo", "1", "a", "b", "inf", None, True, sp.Rational(1, 3), sp.I, np.float64(2), sp.oo]
    ),
)
SHAPES = st.sampled_from(
    [
        sp.exp(-Y),
        sp.Integer(1),
        Y,
        1 / Y,
        A * sp.exp(-A * Y),
        sp.sin(Y),
        sp.Abs(Y),
        sp.sqrt(Y),
        sp.exp(Y**2),
        BELL,
        sp.Piecewise((1, Y < 1), (2, True)),
        1 / sp.sqrt(Y),
        sp.Float("0.25"),
        1 / (1 + Y**4),
    ]
)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(SHAPES, st.lists(st.tuples(ENDS, ENDS), min_size=1, max_size=3), st.booleans())
def test_malformed_laws_are_laws_or_refused_in_words(density: Any, pairs: Any, discrete: bool) -> None:
    """What is accepted has mass one at a parameter, by another route; all else is a ValueError or TypeError with words."""
    support = pairs[0] if len(pairs) == 1 else pairs
    try:
        found = law(density, Y, support, discrete=discrete)
    except (ValueError, TypeError) as refusal:
        refused = str(refusal)
        found = None
    if found is None:
        assert len(refused) > 10
        return
    at = {s: sp.Rational(6, 5) for s in found.free_symbols}
    fixed = found.at(at) if at else found
    lower, upper = fixed.ends()
    if discrete:
        points = np.arange(max(lower, -400), min(upper, 400) + 1)
        assert fixed.pdf(points).sum() == pytest.approx(1, abs=1e-6)
    else:
        assert fixed.cdf([upper if np.isfinite(upper) else 1e30]) == pytest.approx(1, abs=1e-6)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.sampled_from(
        [
            (sp.exp(-Y), (0, "oo")),
            (6 * Y * (1 - Y), (0, 1)),
            (A * sp.exp(-A * Y), (0, "oo")),
            (BELL, ("-oo", "oo")),
            (HALF, [(0, 1), (2, 3)]),
            (sp.exp(-sp.Abs(Y)) / 2, ("-oo", "oo")),
            (1 / (sp.pi * (1 + Y**2)), ("-oo", "oo")),
            (CONSTANT * sp.exp(-sp.sqrt(1 + Y**2)), ("-oo", "oo")),
        ]
    ),
    st.integers(3, 9),
    st.sampled_from([-1, 1, 3]),
)
def test_a_density_that_is_off_is_never_accepted(case: Any, digits: int, side: int) -> None:
    density, support = case
    with pytest.raises(ValueError, match="integrates to"):
        law(density * (1 + sp.Rational(side, 10**digits)), Y, support)


def test_a_density_may_be_text_whose_parameters_have_domains() -> None:
    written = law("2*y/s**2*exp(-(y/s)**2)", "y", (0, "oo"), domains={"s": (0, "oo")})
    assert written.density == 2 * written.variable / S**2 * sp.exp(-((written.variable / S) ** 2))
    assert written.domains == ()
    assert mass_is_one(written).truth is Truth.HOLDS
    assert law("p*(1 - p)**y", "y", (0, "oo"), True, domains={"p": (0, 1)}).domains == ((P, 0, 1),)
    assert law("1/theta", Y, (0, TH)).support == (0, TH)
    assert law("1/(b - a)", "y", ("a", "b"), domains={"a": (0, 1), "b": (2, 3)}).mass() == 1
    assert law(
        "exp(-(y - m)**2/2)/sqrt(2*pi)", "y", ("-oo", "oo"), domains={"m": ("-oo", "oo")}
    ).free_symbols == {M}


@pytest.mark.parametrize(
    ("text", "more", "said"),
    [
        ("exp(-y/s)/s", {}, 'say domains={"s": \\(0, "oo"\\)}'),
        ("exp(-y", {}, "density: cannot read"),
        ("f(y)", {}, "unknown function 'f'"),
        ("exp(-y)", {"domains": {"q": (0, 1)}}, "domains names q, which the law does not contain"),
        ("exp(-y/s)/s", {"domains": {"s": (2, 1)}}, "empty"),
        ("exp(-y/s)/s", {"domains": {"s": 3}}, "must be a pair"),
    ],
)
def test_a_text_that_is_no_density_is_refused(text: str, more: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        law(text, "y", (0, "oo"), **more)


@pytest.mark.parametrize(
    "density",
    [B * sp.exp(A * Y) * sp.exp(-B / A * (sp.exp(A * Y) - 1)), A * B * sp.exp(A + B * Y - A * sp.exp(B * Y))],
)
def test_the_mass_of_gompertz_is_proved_one(density: sp.Expr) -> None:
    proved = mass_is_one(law(density, Y, (0, "oo"), name="Gompertz"))
    assert proved.truth is Truth.HOLDS
    with pytest.raises(ValueError, match="expected 1"):
        law(density * sp.Rational(11, 10), Y, (0, "oo"))
