"""Every public name has a docstring with an example, its parameters and its errors; the examples run in test_doctests."""

from __future__ import annotations

import doctest
import importlib
import inspect
import re
from enum import Enum
from types import ModuleType
from typing import Any

import pytest

import noiseproof as npf

PUBLIC = {
    **{name: getattr(npf, name) for name in npf.__all__},
    **{f"queries.{name}": getattr(npf.queries, name) for name in npf.queries.__all__},
}
CALLABLE = [name for name, value in PUBLIC.items() if callable(value)]
# What functions and constructors return: their fields are described, but nobody calls these classes.
RETURNED = {
    "Certificate",
    "Convexity",
    "Derivative",
    "Dual",
    "EstimationBound",
    "EstimatorRisk",
    "Evidence",
    "Fact",
    "Finding",
    "FisherInformationMatrix",
    "JointLaw",
    "KKTConditions",
    "Law",
    "LawProperties",
    "PointCertificate",
    "ProofReport",
    "ProofResult",
    "SamplePlan",
    "Sensitivity",
    "Solution",
    "StatisticsTable",
}


def documented(name: str) -> str:
    """The docstring of a public name; of a dictionary or a tuple, which have none of their own, that of its module."""
    value = PUBLIC[name]
    if isinstance(value, dict | tuple):
        return inspect.getdoc(importlib.import_module(f"noiseproof.{npf._HOME[name]}")) or ""
    return inspect.getdoc(value) or ""


def described(name: str) -> str:
    """The docstring without its example, with those of the names to which it refers: "arguments ... as in `X`"."""
    text = documented(name).split(">>> ")[0]
    referred = [n.removeprefix("npf.") for n in re.findall(r"(?:as in|those of) `?((?:npf\.)?\w+)", text)]
    return "\n".join([text, *(documented(n).split(">>> ")[0] for n in referred if n in PUBLIC and n != name)])


def parameters(value: Any) -> list[str]:
    """The names of what a callable takes; none for an enumeration, a base class without fields or a sympy function."""
    if isinstance(value, type) and (issubclass(value, Enum) or value is npf.EnclosedFunction):
        return []
    return [
        name
        for name, p in inspect.signature(value).parameters.items()
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and not name.startswith("_")
    ]


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_a_docstring_with_an_example(name: str) -> None:
    text = documented(name)
    first = text.split("\n")[0]
    assert first
    assert first[-1] in ".:", f"the first line is no sentence: {first}"
    assert len(first) <= 140
    examples = doctest.DocTestParser().get_examples(text)
    assert examples, f"{name} has no example"
    assert examples[-1].want, "the last line of an example shows what comes out"


@pytest.mark.parametrize("name", PUBLIC)
def test_the_examples_are_found_where_doctests_are_collected(name: str) -> None:
    value = PUBLIC[name]
    if isinstance(value, dict | tuple | ModuleType):
        return
    home = importlib.import_module(value.__module__)
    assert home.__name__.startswith("noiseproof")
    assert getattr(home, value.__name__) is value


@pytest.mark.parametrize("name", sorted({*CALLABLE} - RETURNED))
def test_parameters_are_described(name: str) -> None:
    text = described(name)
    missing = [p for p in parameters(PUBLIC[name]) if not re.search(rf"\b{p}\b", text)]
    assert missing == []


@pytest.mark.parametrize("name", CALLABLE)
def test_errors_are_described(name: str) -> None:
    """Only what is raised in the body itself can be seen simply; `described` follows a reference to another name."""
    if re.search(r"raise SpecError\(", inspect.getsource(PUBLIC[name])):
        assert "SpecError" in described(name)


def test_a_missing_parameter_is_seen() -> None:
    assert "horizon" in parameters(npf.TrajectoryNoise)
    assert not re.search(r"\bhorizon\b", described("LaplaceMechanism"))
    assert "`public_projection" in described("RonGaussMixture")
    assert {*CALLABLE} >= RETURNED
