"""What somebody's dossier raises is one SpecError that names the file, the claim and the line."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from contextlib import contextmanager

from ...symbolic.errors import SpecError


@contextmanager
def named_errors(file: str, what: str) -> Iterator[None]:
    """Whatever is raised inside as a SpecError, which says `what` it happened to; what is no fault of the code passes."""
    try:
        yield
    except (SpecError, MemoryError):
        raise
    except (Exception, SystemExit) as error:
        line, said = _line(error, file), error.msg if isinstance(error, SyntaxError) else str(error)
        place = f"line {line}: " if line else ""
        raise SpecError(f"{what}: {place}{type(error).__name__}: {said}", file=file) from error


def _line(error: BaseException, file: str) -> int | None:
    """The last line of the file that led to the error."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    return lines[-1] if lines else None
