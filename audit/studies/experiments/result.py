"""What an experiment found: numbers beside what the paper prints, tables, figures; JSON out."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from ...record.evidence import Series
from ...record.plain import plain
from .repeats import Progress

SCHEMA = "noiseproof-experiment-1"
PACKAGES = ("numpy", "scipy", "statsmodels", "sympy", "scikit-learn", "clarabel")


@dataclass(frozen=True)
class Run:
    """How an experiment is to run: `simulations` per point (None: as in the paper, 100), `folder` of checkpoints, data source."""

    seed: int = 0
    simulations: int | None = None
    workers: int = 1
    folder: Path | None = None
    data: Path | None = None
    download: bool = False
    progress: Progress | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def repeats(self) -> int:
        """Simulations per point."""
        return 100 if self.simulations is None else self.simulations

    def checkpoint(self, name: str) -> Path | None:
        """Where the repeats of `name` are kept; None without a folder."""
        return None if self.folder is None else self.folder / f"{name}.checkpoint.jsonl"

    def part(self, start: float, end: float, what: str) -> Progress | None:
        """The progress of one part of the run, from fraction `start` to `end`."""
        report = self.progress
        if report is None:
            return None
        return lambda fraction, text: report(start + (end - start) * fraction, f"{what}: {text}")


@dataclass(frozen=True)
class Fact:
    """A number with its standard error (None: not random), the value printed in the paper if there is one, and how it is read."""

    label: str
    value: float | int | str
    standard_error: float | None = None
    printed: str = ""
    note: str = ""


@dataclass(frozen=True)
class ResultTable:
    """Rows of numbers or words under named columns."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


@dataclass(frozen=True)
class Scatter:
    """Points in the plane: `groups` of (name, x, y) drawn as dots, `lines` of (name, x, y) drawn through."""

    title: str
    x_label: str
    y_label: str
    groups: tuple[tuple[str, tuple[float, ...], tuple[float, ...]], ...]
    lines: tuple[tuple[str, tuple[float, ...], tuple[float, ...]], ...] = ()


@dataclass(frozen=True)
class ExperimentResult:
    """One experiment: what was asked, what came out, and the notes that a reader needs to judge it."""

    name: str
    title: str
    question: str
    settings: Mapping[str, Any]
    facts: tuple[Fact, ...] = ()
    tables: tuple[ResultTable, ...] = ()
    scatters: tuple[Scatter, ...] = ()
    series: tuple[Series, ...] = ()
    notes: tuple[str, ...] = ()

    def record(self, seconds: float | None = None) -> dict[str, Any]:
        """The result as JSON data, the same for the same settings but for `timings`."""
        data: dict[str, Any] = plain(
            {
                "schema": SCHEMA,
                "name": self.name,
                "title": self.title,
                "question": self.question,
                "settings": dict(self.settings),
                "facts": [asdict(fact) for fact in self.facts],
                "tables": [asdict(table) for table in self.tables],
                "scatters": [asdict(scatter) for scatter in self.scatters],
                "series": [asdict(one) for one in self.series],
                "notes": list(self.notes),
                "provenance": {
                    "noiseproof": metadata.version("noiseproof"),
                    "python": platform.python_version(),
                    "packages": {name: metadata.version(name) for name in PACKAGES},
                },
                "timings": {} if seconds is None else {"total_seconds": round(seconds, 3)},
            }
        )
        return data


Experiment = Callable[[Run], ExperimentResult]
