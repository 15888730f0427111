"""Modules that an extra of the package brings, asked for where they are used; the default install goes without them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ...symbolic.errors import SpecError


def from_extra(extra: str, module: str, needed: str) -> Any:
    """The module, or a SpecError that begins with what is `needed` and names the line that installs the extra."""
    try:
        return import_module(module)
    except Exception as error:  # one that is too old, or lacks a part, raises many kinds
        why = (
            "is not installed"
            if isinstance(error, ImportError)
            else f"does not run here ({type(error).__name__}: {str(error)[:200]})"
        )
        raise SpecError(f"{needed} {why}: pip install 'noiseproof[{extra}]'") from None
