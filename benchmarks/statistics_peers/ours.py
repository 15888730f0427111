"""noiseproof at the same workloads: `python -m benchmarks.statistics_peers.ours errors|release CLAIM GROUP`, or `all FILE`."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from noiseproof.audit.release import release as released
from noiseproof.audit.release.kinds.statistics import StatisticsKind
from noiseproof.audit.release.policy import Policy, parse_policy
from noiseproof.audit.release.statistics.records import Records, fresh_key
from noiseproof.audit.release.tables import open_table
from noiseproof.mechanisms.grid_noise import secure_bits
from noiseproof.mechanisms.statistics.marginal_tables import Marginals, MarginalsDrawer

from .command import main
from .results import FILE
from .scoring import from_draws, from_law
from .workloads import BOUNDS, CATEGORIES, CLAIMS, EDGES, GROUPS, Statistic, path, read

OURS = FILE.with_name("peers-statistics-ours.json")
DRAWS = 2000
MARGINAL_DRAWS = {"pure": 200, "zcdp": 30}  # a fit of 30,240 cells takes seconds
MEASURES = {"quantile": "quantiles"}


def policy(claim: str, group: str) -> Policy:
    """The group as a policy; categories that a table writes as missing are declared as such."""
    kind, budget = CLAIMS[claim]
    asked = GROUPS[group]
    used = {c for s in asked for c in (*s.by, s.column) if c}
    lines = [f'title = "{group}"', "[table]", f'path = "{path(asked[0].table).name}"', 'missing = [""]']
    for name in _header(asked[0].table):
        lines += ["[[columns]]", f'name = "{name}"']
        if name not in used:
            lines += ['role = "drop"']
        elif name in CATEGORIES:
            listed = json.dumps(list(CATEGORIES[name]))
            lines += ['role = "private"', 'kind = "category"', f"categories = {listed}", 'missing = "skip"']
        else:
            low, high = BOUNDS[name]
            number = "integer" if asked[0].table == "adult" else "number"
            lines += [
                'role = "private"',
                f'kind = "{number}"',
                f"low = {low}",
                f"high = {high}",
                'missing = "skip"',
            ]
    noise = "gaussian" if kind == "rho" else "laplace"
    lines += ["[mechanism]", 'kind = "statistics"', f'noise = "{noise}"', "[limits]", f"{kind} = {budget}"]
    lines += ["[audit]", "samples = 5000"]
    lines += [line for s in _statistics(group, asked) for line in s]
    text = "\n".join(lines)
    return parse_policy(text.encode(), folder=path(asked[0].table).parent)


def _header(table: str) -> list[str]:
    import gzip

    with gzip.open(path(table), "rt") as file:
        return file.readline().strip().split(",")


def _statistics(group: str, asked: tuple[Statistic, ...]) -> Iterator[list[str]]:
    if group == "marginals":
        columns = list(dict.fromkeys(c for s in asked for c in s.by))
        yield [
            "[[statistics]]",
            'name = "marginals"',
            'measure = "marginals"',
            f"columns = {json.dumps(columns)}",
            "ways = 2",
        ]
        return
    for s in asked:
        lines = ["[[statistics]]", f'name = "{s.name}"', f'measure = "{MEASURES.get(s.kind, s.kind)}"']
        lines += [f"by = {json.dumps(list(s.by))}"]
        lines += [f'column = "{s.column}"'] if s.column else []
        lines += [f"quantiles = {list(s.levels)}"] if s.kind == "quantile" else []
        lines += [f"edges = {list(EDGES)}"] if s.kind == "histogram" else []
        lines += [f"size = {20_000 if s.table == 'adult' else 10_000}"] if s.kind == "mean" else []
        yield lines


def errors(claim: str, group: str) -> Iterator[dict[str, Any]]:
    """Of counts, histograms and sums from the exact law of their noise; of the others from draws."""
    made, columns = policy(claim, group), read(GROUPS[group][0].table)
    load = StatisticsKind.configure(made).workload
    totals = load.totals(Records(made, open_table(made).raw, fresh_key()).rows())
    bits = secure_bits()
    if group == "marginals":
        yield from _marginals(claim, load, totals, GROUPS[group], columns, bits)
        return
    by_draws = [s for s in GROUPS[group] if s.kind not in ("count", "histogram")]
    for s, ours in zip(GROUPS[group], load.statistics, strict=True):
        if s not in by_draws:
            law = load.drawers[ours.parts[0]].law  # type: ignore[attr-defined]
            words = "integer Gaussian" if law.kind == "gaussian" else "integer Laplace"
            scale = float(law.proxy) ** 0.5 if law.kind == "gaussian" else float(law.scale)
            yield from_law(s, columns, words, scale)
    for s, ours in zip(GROUPS[group], load.statistics, strict=True):
        if s.kind == "quantile":
            yield from_draws(s, columns, _quantiles(load, ours, totals, bits), "drawn")
    others = [s for s in by_draws if s.kind != "quantile"]
    found: dict[str, list[list[float]]] = {s.name: [] for s in others}
    for _ in range(DRAWS if others else 0):
        one: dict[str, list[float]] = {s.name: [] for s in others}
        for statistic, figure in load.figures(load.draw(totals, bits)):
            if statistic.name in one:
                one[statistic.name].append(float("nan") if figure.value is None else figure.value)
        for name, values in one.items():
            found[name].append(values)
    for s in others:
        yield from_draws(s, columns, np.array(found[s.name]), "drawn")


def _quantiles(load: Any, ours: Any, totals: Any, bits: Any) -> np.ndarray:
    """Draws (draws, groups x levels): all of a group at once, then in their order, as they are published."""
    middles, several = np.array(ours.middles), []
    for part in ours.parts:
        drawer = load.drawers[part]
        rows = part.counts(totals[part.measurement])
        several.append(np.stack([middles[drawer.chosen(row, DRAWS, bits)] for row in rows]))
    return np.sort(np.concatenate(several, axis=-1), axis=-1).transpose(1, 0, 2).reshape(DRAWS, -1)


def _marginals(
    claim: str,
    load: Any,
    totals: Any,
    asked: tuple[Statistic, ...],
    columns: dict[str, np.ndarray],
    bits: Any,
) -> Iterator[dict[str, Any]]:
    (ours,) = load.statistics
    assert isinstance(ours, Marginals)
    drawer = load.drawers[ours.parts[0]]
    assert isinstance(drawer, MarginalsDrawer)
    sums = totals[ours.parts[0].measurement]
    drawn: dict[tuple[str, ...], list[np.ndarray]] = {s.by: [] for s in asked}
    for _ in range(MARGINAL_DRAWS[claim]):
        estimates = drawer.published(drawer.draw(sums, bits))[0]
        for by, several in drawn.items():
            several.append(np.asarray(estimates[by]).ravel())
    for s in asked:
        yield from_draws(s, columns, np.array(drawn[s.by]), "drawn")


def release(claim: str, group: str) -> None:
    """The whole of it: proof, trial, draw, files."""
    with tempfile.TemporaryDirectory() as folder:
        released(policy(claim, group), Path(folder) / "out")


def run_all() -> None:
    """Every group under every claim, in processes of their own; rows are kept as they come."""
    found: dict[str, Any] = json.loads(OURS.read_text()) if OURS.exists() else {}
    jobs = [("release", "pure", g) for g in GROUPS]
    jobs += [
        ("errors", c, g)
        for c in CLAIMS
        for g in GROUPS
        if "small" not in c or g in ("medians", "quartiles", "lending")
    ]
    for job in jobs:
        key = " ".join(("ours", *job))
        if key in found:
            continue
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.statistics_peers.ours", *job],
            capture_output=True,
            text=True,
            check=False,
        )
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        if done.returncode or not lines:
            print(key, "fails:", done.stderr.strip().splitlines()[-1:], flush=True)
            continue
        found[key] = [json.loads(line) for line in lines]
        OURS.write_text(json.dumps(found, indent=1) + "\n")
        print(key, "done", flush=True)


if __name__ == "__main__":
    if sys.argv[1:2] == ["all"]:
        run_all()
    else:
        main("noiseproof", "noiseproof", errors, release)
