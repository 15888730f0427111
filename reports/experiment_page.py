"""An experiment becomes one page: numbers beside the printed ones, tables, figures, and what a reader must know."""

from __future__ import annotations

from typing import Any

from .environment import page
from .scatter import scatter

SCHEMA = "noiseproof-experiment-1"


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
