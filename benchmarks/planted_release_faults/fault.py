"""A fault: a small change of the text of one module or two, planted in a copy of the package."""

from __future__ import annotations

import compileall
import shutil
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LAYERS = ("symbolic", "mechanisms", "audit", "reports")
_LEFT_OUT = shutil.ignore_patterns("*.egg-info")


@dataclass(frozen=True)
class Edit:
    """The text `old` of a module, which stands there once, becomes `new`."""

    path: str
    old: str
    new: str

    def applied(self, text: str) -> str:
        """The changed text; ValueError unless the old one stands there exactly once."""
        found = text.count(self.old)
        if found != 1:
            raise ValueError(f"{self.path}: the text to change occurs {found} times: {self.old!r}")
        return text.replace(self.old, self.new)


@dataclass(frozen=True)
class Fault:
    """What is wrong in words, the edits that make it so, the test files that are about these modules, and the statistics that it touches."""

    name: str
    what: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]
    statistics: tuple[str, ...] = ("towns",)

    def plant(self, root: Path) -> None:
        """Changes the modules under `root`, which has the layout of the repository."""
        for edit in self.edits:
            path = root / edit.path
            path.write_text(edit.applied(path.read_text(encoding="utf-8")), encoding="utf-8")


def package_copy(place: Path) -> Path:
    """A copy of the package that can be imported from the folder `place`; its layers are where the repository has them too."""
    package = place / "noiseproof"
    shutil.copytree(ROOT / "src" / "noiseproof", package, ignore=_LEFT_OUT)
    for layer in LAYERS:
        shutil.copytree(ROOT / layer, package / layer)
    return package


def compiled_copy(place: Path) -> Path:
    """A copy whose modules are compiled: copies of it start sooner."""
    compileall.compile_dir(package_copy(place), quiet=2)
    return place


def planted_copy(fault: Fault | None, place: Path, base: Path | None = None) -> Path:
    """The folder to import from, with the fault in its copy of the package; `base` is a copy that stands already."""
    if base is None:
        package_copy(place)
    else:
        shutil.copytree(base, place)
    if fault is not None:
        fault.plant(place / "noiseproof")
    return place
