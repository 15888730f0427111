"""A certificate read from a file that a user names; whatever else it holds is one message."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def read_certificate(path: Path) -> dict[str, Any]:
    """The certificate as plain data, all that verification asks of it included; SpecError if the file holds none."""
    return checked_certificate(read_json(path, "a certificate.json written by `noiseproof audit`"), path)


def checked_certificate(data: dict[str, Any], path: Path) -> dict[str, Any]:
    """The data of a file, if it is a certificate."""
    from noiseproof.audit.record.certificate import Certificate
    from noiseproof.symbolic.errors import SpecError

    try:
        Certificate.from_data(data)
    except ValueError as error:
        raise SpecError(f"not a certificate as it was written: {error}", file=str(path)) from None
    return data


def read_json(path: Path, expected: str) -> dict[str, Any]:
    """The JSON object in a file; SpecError if there is none, or two readers could understand it differently."""
    from noiseproof.audit.record.reading.strict_json import StrictJsonError, read_strict_file
    from noiseproof.symbolic.errors import SpecError

    try:
        data = read_strict_file(path)
    except (OSError, ValueError) as error:
        if isinstance(error, StrictJsonError):
            raise SpecError(f"{error}; expected {expected}", file=str(path)) from None
        # A name that holds a NUL character is a ValueError.
        reason = "no such file" if isinstance(error, FileNotFoundError) else getattr(error, "strerror", None)
        raise SpecError(f"{reason or 'cannot be read'}; expected {expected}", file=str(path)) from None
    if not isinstance(data, dict):
        raise SpecError(f"expected {expected}, got a JSON {type(data).__name__}", file=str(path))
    return data
