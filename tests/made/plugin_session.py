"""A pytest session inside of a test, with the plugin loaded and a release to audit."""

from __future__ import annotations

from importlib import metadata

import pytest

INSTALLED = any(e.value == "noiseproof.pytest_plugin" for e in metadata.entry_points(group="pytest11"))
# An editable install that is older than the plugin does not name it yet.
PLUGIN = () if INSTALLED else ("-p", "noiseproof.pytest_plugin")

HEAD = """
import numpy as np
import pytest
import noiseproof as npf

def laplace(scale):
    def release(x, size, rng):
        return x + rng.laplace(scale=scale, size=(size, 1))
    return npf.BlackBox(release, (0.0, 1.0), name="my release")
"""


def run(pytester: pytest.Pytester, *arguments: str, text: str | None = None) -> pytest.RunResult:
    """A session in this process."""
    if text is not None:
        pytester.makepyfile(text)
    return pytester.runpytest_inprocess(*PLUGIN, "-p", "no:cacheprovider", "-p", "no:xdist", *arguments)
