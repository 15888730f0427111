"""The line that runs an audit again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any


def repeat_command(target: str, options: Mapping[str, Any]) -> str:
    """`noiseproof audit` with the options that were given; None stands for one that was not."""
    words = [word for key, value in options.items() if value is not None for word in _words(key, value)]
    return shlex.join(["noiseproof", "audit", target, *words])


def _words(key: str, value: Any) -> list[str]:
    name = key.replace("_", "-")
    if isinstance(value, bool):
        return [f"--{name}" if value else f"--no-{name}"]
    return [f"--{name}", str(value)]
