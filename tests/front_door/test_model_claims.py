"""Claims in a spec about a law that the spec writes down, alone and beside code that is meant to follow it."""

from __future__ import annotations

from pathlib import Path

import pytest

import noiseproof as npf
from noiseproof.audit.trial.spec.build import build
from noiseproof.audit.trial.spec.reading import parse_spec

LAW = """
title = "a waiting time"
samples = 40_000
[model]
name = "Weibull of shape 2"
density = "2*y/scale**2*exp(-(y/scale)**2)"
support = [0, "oo"]
[model.parameters.scale]
domain = [0, "oo"]
[[claims]]
predicate = "fisher-information"
value = "4/scale**2"
[[claims]]
predicate = "error-bound"
value = "scale**2/4"
against = "unbiased"
[[controls]]
predicate = "error-bound"
value = "scale**2/3"
"""
CODE = """
[code]
sample = "waiting:draw"
at = { scale = 2.0 }
"""


def words(text: str, folder: Path) -> list[str]:
    job = build(parse_spec(text.encode(), folder=folder))
    certificate = npf.examine(None, job.claims, samples=job.settings.samples)
    return [f.verdict.name for f in certificate.findings]


def test_a_law_in_a_spec_is_proved(tmp_path: Path) -> None:
    assert words(LAW, tmp_path) == ["PROVED", "PROVED", "REFUTED"]


@pytest.mark.parametrize(("factor", "word"), [(1.0, "SURVIVED"), (0.9, "REFUTED")])
def test_code_is_held_against_the_claims_about_its_law(tmp_path: Path, factor: float, word: str) -> None:
    """A smaller scale has the same law elsewhere; noise of another shape has not."""
    shape = 2.0 / factor
    code = f"def draw(theta, size, rng):\n    return theta * rng.weibull({shape}, size)\n"
    name = f"waiting_{word.lower()}"  # an imported module is not imported again
    (tmp_path / f"{name}.py").write_text(code, encoding="utf-8")
    assert words(LAW + CODE.replace("waiting", name), tmp_path)[0] == word


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"4/scale**2"', '"4/scale**"', r"claims\[0\].value: .*cannot read"),
        ('"4/scale**2"', '"4/rate**2"', "unknown parameter 'rate'; allowed: scale"),
        ('against = "unbiased"', 'against = "nobody"', r"claims\[1\].against: expected"),
        ('"4/scale**2"', '"4/scale**2"\ndomains = { scale = [2, 1] }', "give the lower end first"),
        ("[model]", "[mechanism]\nname = 'laplace'\n[model]", r"\[model\] or \[mechanism\]"),
        (
            '"fisher-information"\nvalue = "4/scale**2"',
            '"pure-dp"\nepsilon = 1',
            "information or an error bound",
        ),
        ("2*y/", "3*y/", "integrates to 3/2, expected 1"),
    ],
)
def test_what_does_not_fit_is_said_with_its_key(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in LAW
    with pytest.raises(npf.SpecError, match=said):
        words(LAW.replace(old, new, 1), tmp_path)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ('[code]\nsample = "waiting_in_vain:draw"\nat = { scal = 2.0 }\n', "a value for each of scale"),
        ('[code]\nsample = "waiting_in_vain:draw"\nat = { scale = -2.0 }\n', "contradicts"),
        ('[code]\nsample = "waiting_in_vain:other"\nat = { scale = 2.0 }\n', "has no function 'other'"),
    ],
)
def test_code_that_cannot_be_called_is_said_with_its_key(tmp_path: Path, code: str, said: str) -> None:
    (tmp_path / "waiting_in_vain.py").write_text(
        "def draw(theta, size, rng):\n    return rng.random(size)\n", encoding="utf-8"
    )
    with pytest.raises(npf.SpecError, match=said):
        words(LAW + code, tmp_path)


def test_formulas_of_a_law_go_with_a_model_only(tmp_path: Path) -> None:
    spec = '[mechanism]\nname = "gaussian"\nsigma = 2\nsensitivity = 1\n[[claims]]\npredicate = "fisher-information"\nvalue = 0.25\nof = "x"\n'
    with pytest.raises(npf.SpecError, match=r"goes with .model. only"):
        words(spec, tmp_path)
