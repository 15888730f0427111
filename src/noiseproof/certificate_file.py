"""A certificate read from a file that a user names; whatever else it holds is one message."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def read_certificate(path: Path) -> dict[str, Any]:
    """The certificate as plain data; SpecError if the file is none."""
    from noiseproof.audit.record.reading.strict_json import StrictJsonError, read_strict_file
    from noiseproof.symbolic.errors import SpecError

    try:
        data = read_strict_file(path)
    except OSError as error:
        reason = "no such file" if isinstance(error, FileNotFoundError) else error.strerror
        raise SpecError(
            f"{reason}; expected a certificate.json written by `noiseproof audit`", file=str(path)
        ) from None
    except StrictJsonError as error:
        raise SpecError(str(error), file=str(path)) from None
    if not isinstance(data, dict) or data.get("schema") != "noiseproof-certificate-1":
        raise SpecError('expected a certificate with "schema": "noiseproof-certificate-1"', file=str(path))
    return data
