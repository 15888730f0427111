"""Examples in docstrings and in the README are run; every module can be imported by its name."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import numpy as np
import pytest
import sympy as sp

import noiseproof as npf

README = Path(__file__).resolve().parents[2] / "README.md"
LAYERS = ("symbolic", "mechanisms", "audit", "reports")


def walked(package: str) -> list[str]:
    """A package and the names of all modules below it."""
    path = importlib.import_module(package).__path__
    return [package, *sorted(module.name for module in pkgutil.walk_packages(path, f"{package}."))]


NAMES = {"npf": npf, "sp": sp, "np": np}  # what an example in a docstring may use without importing it
# An editable install does not list the layers below the front door, so each is walked by its own name.
PACKAGES = ["noiseproof", *(f"noiseproof.{layer}" for layer in LAYERS)]


@pytest.mark.parametrize("package", PACKAGES)
def test_examples_of_a_package(package: str) -> None:
    for module in map(importlib.import_module, walked(package)):
        # doctest reads every function of a module: most hold no example.
        if ">>> " in Path(str(module.__file__)).read_text(encoding="utf-8"):
            assert doctest.testmod(module, extraglobs=NAMES).failed == 0, module.__name__


def test_all_layers_are_walked() -> None:
    found = {name for package in PACKAGES for name in walked(package)}
    assert {"noiseproof.cli", "noiseproof.audit.trial.checks.fit", *PACKAGES} <= found
    assert len(found) > 50


def test_examples_of_the_readme() -> None:
    result = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert result.attempted > 5
    assert result.failed == 0


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").split()) <= 700
