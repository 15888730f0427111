"""A calibration becomes one page: the noise, what it keeps, and the trade-off drawn; computes nothing."""

from __future__ import annotations

from typing import Any

from .environment import page

SCHEMA = "noiseproof-calibration-1"


def render_calibration(record: dict[str, Any]) -> str:
    """The page of a calibration given as the plain data of its JSON; ValueError for other data."""
    if record.get("schema") != SCHEMA:
        raise ValueError(
            f'expected a calibration with "schema": "{SCHEMA}", got {record.get("schema")!r}; '
            "write one with `noiseproof calibrate POLICY -o DIR`"
        )
    return page("calibration.html", record=record)
