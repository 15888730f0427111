"""An experiment becomes one page: numbers beside the printed ones, tables, figures, and what a reader must know."""

from __future__ import annotations

import json
import os
from importlib.resources import files
from pathlib import Path
from typing import Any

from .environment import page, write
from .scatter import scatter

SCHEMA = "noiseproof-experiment-1"


def experiment_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) that every NAME.json of an experiment satisfies."""
    text = files(__package__).joinpath("schemas", "experiment-1.schema.json").read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


def render_experiment(experiment: dict[str, Any]) -> str:
    """The page of an experiment given as the plain data of its JSON."""
    if experiment.get("schema") != SCHEMA:
        raise ValueError(
            f'expected an experiment with "schema": "{SCHEMA}", got {experiment.get("schema")!r}; '
            "write one with `noiseproof experiment NAME`"
        )
    plots = [
        (plot, scatter(plot, f"scatter-{number}"))
        for number, plot in enumerate(experiment.get("scatters", ()), start=1)
    ]
    return page("experiment.html", experiment=experiment, plots=plots)


def write_experiment_page(experiment: dict[str, Any], path: str | os.PathLike[str]) -> Path:
    """Write the page of an experiment to `path`, whole or not at all."""
    return write(render_experiment(experiment), path)
