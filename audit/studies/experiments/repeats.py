"""Independent repeats of a simulation: one stream per unit, a checkpoint line per unit, any number of workers, the same numbers.

A checkpoint is a text file of JSON lines: first what was asked, then one line per finished unit.  A run that was stopped
goes on from it, and one with more repeats extends it; one that asks for something else is refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from ....symbolic.arrays import Floats
from ....symbolic.errors import SpecError
from ...trial.schedule.safe_path import safe_path

Values = Mapping[str, float]
# One repeat at one point of the grid: (number of the point, its own generator) -> named numbers.
Work = Callable[[int, np.random.Generator], Values]
Progress = Callable[[float, str], None]
Unit = tuple[int, int]

_WORK: Work | None = None


def run_repeats(
    work: Work,
    points: int,
    repeats: int,
    *,
    asked: Mapping[str, Any],
    seed: int = 0,
    checkpoint: Path | None = None,
    progress: Progress | None = None,
    workers: int = 1,
    stop_after: int | None = None,
) -> dict[str, Floats]:
    """Arrays (points, repeats) of each named number; `asked` is what the checkpoint must agree with, plain JSON data.

    `stop_after` ends the run after so many new units (for tests of resuming); what is missing is then NaN.
    """
    if points < 1 or repeats < 2 or workers < 1:
        raise SpecError(
            f"expected a point, two repeats and a worker at least, got {points}, {repeats}, {workers}"
        )
    header = json.loads(json.dumps({"asked": dict(asked), "points": points, "seed": seed}, sort_keys=True))
    done = _read(checkpoint, header)
    units = [(point, repeat) for repeat in range(repeats) for point in range(points)]
    waiting = [u for u in units if u not in done][:stop_after]
    with _writer(checkpoint, header) as write:
        for unit, values in _results(work, waiting, seed, workers):
            done[unit] = values
            write(unit, values)
            if progress is not None:
                progress(sum(u in done for u in units) / len(units), f"repeat {unit[1] + 1} of {repeats}")
    names = sorted({name for values in done.values() for name in values})
    nothing: Values = {}
    return {
        name: np.array(
            [[done.get((p, r), nothing).get(name, np.nan) for r in range(repeats)] for p in range(points)]
        )
        for name in names
    }


def _results(work: Work, units: list[Unit], seed: int, workers: int) -> Iterator[tuple[Unit, Values]]:
    if workers == 1:
        _prepare(work)
        for unit in units:
            yield unit, _one(seed, unit)
        return
    with safe_path(), ProcessPoolExecutor(workers, initializer=_prepare, initargs=(work,)) as pool:
        futures = {pool.submit(_one, seed, unit): unit for unit in units}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def _prepare(work: Work) -> None:
    global _WORK
    _WORK = work


def _one(seed: int, unit: Unit) -> Values:
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    assert _WORK is not None
    stream = np.random.SeedSequence(seed, spawn_key=unit)
    with threadpool_limits(1):
        return {name: float(v) for name, v in _WORK(unit[0], np.random.default_rng(stream)).items()}


def _read(checkpoint: Path | None, header: dict[str, Any]) -> dict[Unit, Values]:
    if checkpoint is None or not checkpoint.exists():
        return {}
    lines = checkpoint.read_text(encoding="utf-8").split("\n")
    try:
        found = json.loads(lines[0])
    except ValueError:
        found = None
    if found != header:
        raise SpecError(
            "this checkpoint belongs to another run (other data, settings or seed): remove it or give another folder",
            file=str(checkpoint),
        )
    done: dict[Unit, Values] = {}
    for line in lines[1:]:
        try:
            record = json.loads(line)
            done[int(record["point"]), int(record["repeat"])] = dict(record["values"])
        except (ValueError, KeyError, TypeError):
            # The line that was being written when the run was stopped.
            continue
    return done


@contextmanager
def _writer(checkpoint: Path | None, header: dict[str, Any]) -> Iterator[Callable[[Unit, Values], None]]:
    if checkpoint is None:
        yield lambda unit, values: None
        return
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    fresh = not checkpoint.exists()
    with checkpoint.open("a", encoding="utf-8") as file:
        # A new line first, in case the last one was cut.
        file.write(json.dumps(header, sort_keys=True) + "\n" if fresh else "\n")
        yield lambda unit, values: _append(file, unit, values)


def _append(file: TextIO, unit: Unit, values: Values) -> None:
    record = {"point": unit[0], "repeat": unit[1], "values": dict(values)}
    file.write(json.dumps(record) + "\n")
    file.flush()
