"""The library of an example runs in an environment of its own, which a variable names."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def command(library: str, release: str) -> list[str]:
    """The command of a release; ValueError unless NOISEPROOF_<LIBRARY> names a Python that has the library."""
    variable = f"NOISEPROOF_{library.upper()}"
    python = os.environ.get(variable, sys.executable)
    script = str(HERE / f"{library}_releases.py")
    try:
        check = subprocess.run(
            [python, script, "--check"], capture_output=True, text=True, timeout=120, check=False
        )
    except OSError as error:
        raise ValueError(
            f"{variable}={python}: {error.strerror}; name the Python of the library's environment"
        ) from None
    if check.returncode:
        said = check.stderr.strip().splitlines()
        raise ValueError(
            f"{said[-1] if said else 'the library does not start'} (set {variable} to the Python that has it)"
        )
    return [python, script, release]
