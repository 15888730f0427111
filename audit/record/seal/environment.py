"""Digests of the code and the environment in which a certificate was made."""

from __future__ import annotations

import hashlib
import platform
import sys
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

_PACKAGE = __name__.split(".")[0]
_PACKAGES = ("numpy", "scipy", "sympy", "mpmath", "python-flint", "scikit-learn", "pyarrow", "cryptography")


@cache
def code_digest() -> str:
    """SHA-256 of the lines `sha256  noiseproof/PATH` of every module that an audit depends on, sorted by path.

    In an installed package the same as: find noiseproof/{symbolic,mechanisms,audit} -name '*.py' | LC_ALL=C sort |
    xargs sha256sum | sha256sum.
    """
    from .... import audit, mechanisms, symbolic

    lines = []
    for layer in (symbolic, mechanisms, audit):
        for folder in layer.__path__:
            for path in Path(folder).rglob("*.py"):
                name = f"{layer.__name__.replace('.', '/')}/{path.relative_to(folder).as_posix()}"
                lines.append((name, hashlib.sha256(path.read_bytes()).hexdigest()))
    listing = "".join(f"{digest}  {name}\n" for name, digest in sorted(lines))
    return hashlib.sha256(listing.encode()).hexdigest()


def environment() -> dict[str, Any]:
    """Versions of noiseproof, Python, the libraries and the kind of machine, as plain data."""
    return {
        "noiseproof": metadata.version(_PACKAGE),
        "python": platform.python_version(),
        "implementation": sys.implementation.name,
        "machine": platform.machine(),
        "system": platform.system(),
        "packages": {name: _version(name) for name in _PACKAGES},
    }


def _version(name: str) -> str | None:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
