"""Files named in a policy or a release lie in the folder of that file: names never lead out of it."""

from __future__ import annotations

from pathlib import Path, PurePosixPath, PureWindowsPath

from ....symbolic.errors import SpecError


def inside(folder: Path, name: str, key: str = "") -> Path:
    """The path of the file `name` in `folder`, whether or not it exists.

    Raises SpecError for absolute names, "..", control characters, and links that lead out of the folder.
    """
    wrong = fault_of_name(name)
    if wrong:
        raise SpecError(f"{wrong}; expected the name of a file in the folder of this one", key=key)
    path = folder / name
    try:
        outside = not path.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError, ValueError):
        raise SpecError(
            "this name cannot be followed: expected the name of a file in the folder of this one", key=key
        ) from None
    if outside:
        raise SpecError("a link leads out of the folder: put the file itself there", key=key)
    return path


def fault_of_name(name: str) -> str:
    """What is wrong with a name of a file as it is written, or an empty text."""
    if not name or name.isspace():
        return "the name is empty"
    if not name.isprintable():
        return "the name holds control characters"
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).anchor or name.startswith("~"):
        return "the name is absolute"
    if ".." in PurePosixPath(name).parts or ".." in PureWindowsPath(name).parts:
        return 'the name holds ".."'
    return ""
