"""Examples in docstrings and in the README are run; every module can be imported by its name."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import noiseproof

README = Path(__file__).resolve().parents[1] / "README.md"
MODULES = ["noiseproof", *sorted(m.name for m in pkgutil.walk_packages(noiseproof.__path__, "noiseproof."))]


@pytest.mark.parametrize("name", MODULES)
def test_examples_of_a_module(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.failed == 0


def test_all_layers_are_walked() -> None:
    assert {f"noiseproof.{layer}" for layer in ("symbolic", "mechanisms", "audit", "reports")} <= set(MODULES)


def test_examples_of_the_readme() -> None:
    result = doctest.testfile(str(README), module_relative=False, encoding="utf-8")
    assert result.attempted > 5
    assert result.failed == 0
