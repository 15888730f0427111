"""The default install, played where the extras are installed: none of what they bring can be imported."""

from __future__ import annotations

import sys
from importlib import metadata

import pytest

BROUGHT = ("dask", "distributed", "dp_accounting", "sigstore")


def hide_extras(patch: pytest.MonkeyPatch) -> None:
    """Every import of a module that an extra brings fails, imported before or not."""
    for name in list(sys.modules):
        if name.partition(".")[0] in BROUGHT:
            patch.delitem(sys.modules, name)
    for name in BROUGHT:
        patch.setitem(sys.modules, name, None)
    known = metadata.distribution

    def distribution(name: str) -> metadata.Distribution:
        if name.replace("-", "_") in BROUGHT:
            raise metadata.PackageNotFoundError(name)
        return known(name)

    patch.setattr(metadata, "distribution", distribution)
