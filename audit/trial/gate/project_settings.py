"""[tool.noiseproof] in pyproject.toml: what a project sets once for all of its audits."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError, nearest_name
from ...record.reading.toml_file import parse_toml, read_bytes

_TYPES: dict[str, tuple[type, ...]] = {
    "alpha": (float,),
    "samples": (int,),
    "seed": (int,),
    "formats": (list,),
    "specs": (list,),
    "waivers": (str,),
    "cache": (str,),
}


@dataclass(frozen=True)
class ProjectSettings:
    """`audit` are defaults of alpha, samples and seed; paths start at the folder of pyproject.toml."""

    audit: dict[str, Any] = field(default_factory=dict)
    formats: tuple[str, ...] = ()
    specs: tuple[str, ...] = ()
    waivers: Path | None = None
    cache: Path | None = None
    folder: Path = Path()


def project_settings(folder: Path) -> ProjectSettings:
    """The settings of the nearest pyproject.toml in `folder` or above it; nothing is set if it has no such table.

    Raises SpecError for an unknown key or an unusable value.
    """
    for place in (folder.absolute(), *folder.absolute().parents):
        path = place / "pyproject.toml"
        if path.is_file():
            return _read(path)
    return ProjectSettings()


def _read(path: Path) -> ProjectSettings:
    tree = parse_toml(read_bytes(path, "a TOML file"), "a TOML file", str(path))
    tool = tree.get("tool", {})
    table = tool.get("noiseproof", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise SpecError("expected a table", key="tool.noiseproof", file=str(path))
    for key, value in table.items():
        _check(key, value, str(path))
    folder = path.parent
    return ProjectSettings(
        {key: table[key] for key in ("alpha", "samples", "seed") if key in table},
        tuple(table.get("formats", ())),
        tuple(table.get("specs", ())),
        folder / table["waivers"] if "waivers" in table else None,
        folder / table["cache"] if "cache" in table else None,
        folder,
    )


def _check(key: str, value: Any, file: str) -> None:
    at = f"tool.noiseproof.{key}"
    if key not in _TYPES:
        raise SpecError(f"unknown key; {nearest_name(key, _TYPES)}", key=at, file=file)
    wanted = {float: "a number in (0, 1)", int: "a whole number", list: "a list of texts", str: "text"}[
        _TYPES[key][0]
    ]
    usable = isinstance(value, _TYPES[key]) and not isinstance(value, bool)
    if usable and key == "alpha":
        usable = 0 < value < 1
    if usable and key in ("samples", "seed"):
        usable = value >= (100 if key == "samples" else 0)
    if usable and isinstance(value, list):
        usable = all(isinstance(entry, str) for entry in value)
    if usable and isinstance(value, str):
        # No file has such a name.
        usable = "\0" not in value
    if not usable:
        raise SpecError(f"expected {wanted}, got {value!r}", key=at, file=file)


def spec_files(settings: ProjectSettings) -> list[Path]:
    """The files that `specs` names; a pattern such as "privacy/*.toml" names all that match.

    Raises SpecError for an entry that names nothing.
    """
    found: list[Path] = []
    for entry in settings.specs:
        try:
            paths = sorted(settings.folder.glob(entry))
        except (ValueError, NotImplementedError) as error:
            raise SpecError(
                f"not a pattern relative to pyproject.toml: {error}", key="tool.noiseproof.specs"
            ) from None
        if not paths:
            raise SpecError(f"{entry!r} names no file", key="tool.noiseproof.specs")
        found += paths
    return list(dict.fromkeys(found))
