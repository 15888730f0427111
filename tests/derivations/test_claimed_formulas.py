"""Claims that are formulas, about a law: all parameters of a domain, or one at which they certainly fail."""

from __future__ import annotations

from typing import Any

import pytest
import sympy as sp

import noiseproof as npf

y = sp.Symbol("y")
scale, shape, p, theta = sp.symbols("scale shape p theta", positive=True)
mu = sp.Symbol("mu", real=True)


def exponential() -> npf.Law:
    return npf.Law.from_density(sp.exp(-y / scale) / scale, y, (0, "oo"), name="exponential")


def normal() -> npf.Law:
    density = sp.exp(-((y - mu) ** 2) / (2 * scale**2)) / (scale * sp.sqrt(2 * sp.pi))
    return npf.Law.from_density(density, y, ("-oo", "oo"), name="normal")


def rayleigh() -> npf.Law:
    density = 2 * y / scale**2 * sp.exp(-(y**2) / scale**2)
    return npf.Law.from_density(density, y, (0, "oo"), name="Rayleigh")


def word(law: Any, claim: Any) -> str:
    return npf.examine(law, claim).verdict.name


F, B = npf.FisherInformation, npf.ErrorBound
both = ["mu", "scale"]


@pytest.mark.parametrize(
    ("law", "true", "false"),
    [
        (exponential, F("1/scale**2"), F("1.001/scale**2")),
        (exponential, F(1 / scale**2), F("0.999/scale**2")),
        (exponential, B("scale**2", against="unbiased"), B("1.001*scale**2")),
        (exponential, B("scale", domains={"scale": (1, "oo")}), B("scale", domains={"scale": (0, 1)})),
        (exponential, B("scale**2/2 - 1"), B("scale**2 + 1")),
        (normal, F("1/sqrt(scale**4)", of="mu"), F("1/sqrt(scale**2)", of="mu")),
        (normal, F([["1/scale**2", 0], [0, "2/scale**2"]], of=both), F([["1/scale**2", 0], [0, "2.01/scale**2"]], of=both)),
        (normal, F([["1/scale**2", 0], [0, "2/scale**2"]], of=both), F("1/scale**2", of=both)),
        (normal, B("3*scale**2/2", of=both), None),
        (normal, B("scale**2", of="mu", against="informed"), B("1.01*scale**2", of="mu", against="informed")),
        (rayleigh, B("scale**2/4"), B("scale**2/3")),
    ],
)  # fmt: skip
def test_a_formula_is_proved_and_its_twin_refuted(law: Any, true: Any, false: Any) -> None:
    assert word(law(), true) == "PROVED"
    if false is not None:
        certificate = npf.examine(law(), false)
        assert certificate.verdict.name == "REFUTED"
        read = npf.Certificate.from_json(certificate.to_json())
        assert read.findings[0].evidence[0].witness == certificate.findings[0].evidence[0].witness


def test_a_bound_above_the_information_that_nobody_is_known_to_reach_is_open() -> None:
    certificate = npf.examine(rayleigh(), B("0.26*scale**2"))
    assert certificate.verdict.name == "UNDECIDED"
    assert "at scale = 1 it is 0.25000000, less than claimed" in certificate.findings[0].evidence[0].detail


def test_a_law_without_information_refutes_it_and_leaves_bounds_open() -> None:
    uniform = npf.Law.from_density(1 / theta, y, (0, theta), name="uniform")
    certificate = npf.examine(uniform, [F("1/theta**2"), B("theta**2")])
    assert [f.verdict.name for f in certificate.findings] == ["REFUTED", "UNDECIDED"]
    assert "depends on the parameter" in certificate.findings[0].evidence[0].detail


def test_a_root_of_a_square_is_the_parameter_only_where_it_is_positive() -> None:
    real = sp.Symbol("s", real=True, nonzero=True)
    density = sp.exp(-((y / real) ** 2) / 2) / (sp.Abs(real) * sp.sqrt(2 * sp.pi))
    law = npf.Law.from_density(density, y, ("-oo", "oo"), name="normal of either sign")
    assert word(law, F("2/(s*sqrt(s**2))", domains={"s": (0, "oo")})) in ("PROVED", "UNDECIDED")
    assert word(law, F("2/(s*sqrt(s**2))")) != "PROVED"


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (lambda: F("4/rate**2"), "unknown parameter 'rate'; allowed: scale"),
        (lambda: F("4/scale**2", of="rate"), "unknown parameter 'rate'"),
        (lambda: F("4/scale**2", domains={"rate": (0, 1)}), "domains names rate"),
        (lambda: F("4/scale**2", domains={"scale": (-1, 1)}), "was declared to lie in"),
        (lambda: F([["1", "0"], ["0", "1"]]), "2 rows of formulas, about 1 parameter"),
        (lambda: npf.PureDP(1.0), "is a law: FisherInformation and ErrorBound"),
    ],
)
def test_what_does_not_fit_the_law_is_said_before_any_work(claim: Any, said: str) -> None:
    with pytest.raises(npf.SpecError, match=said):
        npf.examine(exponential(), claim())


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        (lambda: F("4/scal("), "cannot read"),
        (lambda: F("__import__('os')"), "unknown function"),
        (lambda: F([["scale"], ["scale"]]), "a square of at most"),
        (lambda: F("1", domains={"s": (1, 0)}), "give the lower end first"),
        (lambda: F("1", domains={"s": (0, float("nan"))}), "an end of s is a number"),
        (lambda: F("1", of=[]), "of must be the name"),
        (lambda: B("scale", against="bayes", adversary="minimax"), "two words for one thing"),
        (lambda: B([["scale", 0], [0, 1]]), "not a matrix"),
        (lambda: B(None), "an error bound is a finite number >= 0, got None"),
    ],
)
def test_what_is_no_formula_is_said_at_once(claim: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        claim()


def test_a_formula_that_is_nowhere_above_zero_says_nothing() -> None:
    certificate = npf.examine(exponential(), B("-scale"))
    assert certificate.verdict.name == "UNDECIDED"
    assert "nowhere above 0" in certificate.findings[0].evidence[0].detail


def test_a_number_is_said_of_all_parameters_and_a_constant_formula_of_a_mechanism() -> None:
    assert word(exponential(), F(1.0)) == "REFUTED"
    assert word(normal(), F([[1, 0], [0, 2]], of=both)) == "REFUTED"
    assert (
        word(npf.GaussianMechanism(sigma=2.0, sensitivity=1.0), npf.Claim(F("1/4"), about="law")) == "PROVED"
    )
    with pytest.raises(npf.SpecError, match="has no parameters for scale"):
        npf.examine(npf.GaussianMechanism(sigma=2.0, sensitivity=1.0), F("1/scale"))


def test_against_is_another_word_for_adversary() -> None:
    assert B(1.0, against="informed").parameters() == B(1.0, "informed").parameters()


def uniform() -> npf.Law:
    return npf.Law.from_density(1 / theta, y, (0, theta), name="uniform")


@pytest.mark.parametrize(
    ("law", "value", "said", "by"),
    [
        (rayleigh, "scale**2/4", "PROVED", "cramer-rao"),
        (rayleigh, "0.265*scale**2", "PROVED", "bhattacharyya"),
        (rayleigh, "0.273*scale**2", "PROVED", "barankin"),
        (rayleigh, "0.2732*scale**2", "UNDECIDED", "no bound that is known here reaches the claim"),
        (rayleigh, "0.2733*scale**2", "REFUTED", "unbiased for all parameters"),
        (uniform, "theta**2/4", "PROVED", "chapman-robbins"),
        (uniform, "theta**2/3", "UNDECIDED", "barankin gives 8*theta**2/27"),
        (uniform, "0.334*theta**2", "REFUTED", "unbiased for all parameters: 2*y for theta"),
    ],
)
def test_those_who_are_unbiased_everywhere_are_bound_by_several_parameters(
    law: Any, value: str, said: str, by: str
) -> None:
    certificate = npf.examine(law(), B(value, against="unbiased everywhere"))
    assert certificate.verdict.name == said
    assert by in certificate.findings[0].evidence[0].detail
    assert npf.Certificate.from_json(certificate.to_json()).verdict is certificate.verdict


def test_domains_of_the_law_are_those_of_the_claim() -> None:
    law = npf.Law.from_density(p * (1 - p) ** y, y, (0, "oo"), discrete=True, domains={"p": (0, 1)})
    certificate = npf.examine(law, [F("1/(p**2*abs(1-p))"), F("1.1/(p**2*(1-p))"), B("p**2*(1-p)")])
    assert [f.verdict.name for f in certificate.findings] == ["PROVED", "REFUTED", "PROVED"]
    assert certificate.findings[0].claim["parameters"]["domains"] == {"p": ["0", "1"]}


def test_vectors_are_laws_too() -> None:
    phi = sp.Symbol("phi", real=True)
    rows = [[scale**2 * phi ** abs(i - j) / (1 - phi**2) for j in range(4)] for i in range(4)]
    series = npf.JointLaw.normal([0] * 4, rows)
    inside = {"phi": (-1, 1)}
    claims = [F(f"{c}/scale**2", of="scale", domains=inside) for c in (8, 8.1)]
    certificate = npf.examine(series, [*claims, B("scale**2/8", of="scale", domains=inside)])
    assert [f.verdict.name for f in certificate.findings] == ["PROVED", "REFUTED", "PROVED"]


def test_a_forged_point_is_not_read() -> None:
    text = npf.examine(exponential(), F("1.1/scale**2")).to_json()
    assert '"scale": "1"' in text
    with pytest.raises(ValueError, match="number that is not the claim's"):
        npf.Certificate.from_json(text.replace('"scale": "1"', '"scale": "-1"'))


def test_balls_refute_where_there_is_no_closed_form_and_prove_nothing() -> None:
    def bell(m: int) -> sp.Expr:
        return sp.exp(-((y - m) ** 2) / 2) / sp.sqrt(2 * sp.pi)

    law = npf.Law.from_density(p * bell(0) + (1 - p) * bell(2), y, ("-oo", "oo"), domains={"p": (0, 1)})
    certificate = npf.examine(law, F("1/(p*(1-p))"))
    assert certificate.verdict.name == "REFUTED"
    assert "lies in [2.2016019" in certificate.findings[0].evidence[0].detail
    assert npf.Certificate.from_json(certificate.to_json()).verdict is certificate.verdict


@pytest.mark.parametrize(
    ("domain", "kept"), [((0, 2), ["0", "1"]), (("1/4", 2), ["1/4", "1"]), ((1, 2), None)]
)
def test_a_claim_is_said_where_the_law_is_one(domain: Any, kept: Any) -> None:
    law = npf.Law.from_density(p * (1 - p) ** y, y, (0, "oo"), discrete=True, domains={"p": (0, 1)})
    claim = F("1/(p**2*(1-p))", domains={"p": domain})
    if kept is None:
        with pytest.raises(npf.SpecError, match="that of the law in"):
            npf.examine(law, claim)
        return
    assert npf.examine(law, claim).findings[0].claim["parameters"]["domains"] == {"p": kept}


def test_notebooks_show_a_claim_as_a_person_writes_it() -> None:
    assert F("4/scale**2")._repr_latex_() == r"$I = \frac{4}{scale^{2}}$"
    assert F([["1/s", 0], [0, 2]], of=["m", "s"])._repr_latex_().startswith(r"$I = \left[\begin{matrix}")
    assert B("scale**2/4")._repr_latex_() == r"$\mathrm{MSE} \ge \frac{scale^{2}}{4}$"
    assert B(2.5)._repr_latex_() == r"$\mathrm{MSE} \ge 2.5$"
    assert F(2.0)._repr_latex_().startswith("$I = ")


@pytest.mark.parametrize("kind", [npf.FisherInformation, npf.ErrorBound])
@pytest.mark.parametrize(
    ("value", "said"),
    [
        (True, "True"),
        (float("nan"), "nan"),
        (float("inf"), "inf"),
        (None, "None"),
        (b"1", "b'1'"),
        (sp.nan, "nan"),
        (sp.oo, "oo"),
        (sp.I, "I"),
        (sp.true, "True"),
        ("nan", "'nan'"),
        (" oo", "' oo'"),
        (10**400, "1000"),
    ],
)
def test_what_is_no_number_is_shown_as_it_came(kind: Any, value: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"finite.*got {said}"):
        kind(value)


def test_an_entry_of_a_matrix_that_is_no_number_is_named_with_its_place() -> None:
    with pytest.raises(ValueError, match="got True in row 1, column 2"):
        npf.FisherInformation([[1, True], [True, 1]])
    with pytest.raises(ValueError, match="got nan in row 2, column 2"):
        npf.FisherInformation([[1, 0], [0, float("nan")]])
    with pytest.raises(ValueError, match="got None in row 1, column 2"):
        npf.ErrorBound(1, weight=[[1, None], [None, 1]])
