"""noiseproof at the same workloads: `python -m benchmarks.statistics_peers.ours errors|release CLAIM GROUP`, or `all`.

The marginals take seconds a draw: `draws CLAIM FOLDER` keeps them in pieces, by several processes if one likes, until there are
enough, and `errors CLAIM marginals` reads the pieces if NOISEPROOF_DRAWS names the folder.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
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
from .results import OURS
from .scoring import from_draws, from_law
from .workloads import BOUNDS, CATEGORIES, CLAIMS, EDGES, GROUPS, Statistic, path, read, truth

DRAWS, PIECE = 2000, 20
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
        kept = os.environ.get("NOISEPROOF_DRAWS")
        drawn = _kept(claim, Path(kept)) if kept else np.array(list(_drawn(load, totals, DRAWS, bits)))
        yield from _marginals(drawn, GROUPS[group], columns)
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


def _drawn(load: Any, totals: Any, count: int, bits: Any) -> Iterator[np.ndarray]:
    """So many releases of all marginals, each as one row, in the order of the workload."""
    (ours,) = load.statistics
    assert isinstance(ours, Marginals)
    drawer = load.drawers[ours.parts[0]]
    assert isinstance(drawer, MarginalsDrawer)
    sums = totals[ours.parts[0].measurement]
    for _ in range(count):
        estimates = drawer.published(drawer.draw(sums, bits))[0]
        yield np.concatenate([np.asarray(estimates[s.by]).ravel() for s in GROUPS["marginals"]])


def _kept(claim: str, folder: Path) -> np.ndarray:
    return np.concatenate([np.load(file) for file in sorted(folder.glob(f"{claim}-*.npy"))])[:DRAWS]


def _marginals(
    drawn: np.ndarray, asked: tuple[Statistic, ...], columns: dict[str, np.ndarray]
) -> Iterator[dict[str, Any]]:
    start = 0
    for s in asked:
        end = start + truth(s, columns).size
        yield from_draws(s, columns, drawn[:, start:end], "drawn")
        start = end


def draws(claim: str, folder: Path) -> None:
    """Pieces of draws of the marginals, until the folder has enough of them."""
    made = policy(claim, "marginals")
    load = StatisticsKind.configure(made).workload
    totals = load.totals(Records(made, open_table(made).raw, fresh_key()).rows())
    bits, began, done = secure_bits(), time.perf_counter(), 0
    folder.mkdir(parents=True, exist_ok=True)
    while len(list(folder.glob(f"{claim}-*.npy"))) * PIECE < DRAWS:
        piece = np.array(list(_drawn(load, totals, PIECE, bits)))
        # Names that two processes do not share; whole pieces only.
        name = f"{claim}-{time.time_ns()}-{os.getpid()}.npy"
        np.save(folder / f".{name}", piece)
        (folder / f".{name}").rename(folder / name)
        done += PIECE
        print(f"{done} draws, {(time.perf_counter() - began) / done:.2f} s each", flush=True)


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
    elif sys.argv[1:2] == ["draws"]:
        draws(sys.argv[2], Path(sys.argv[3]))
    else:
        main("noiseproof", "noiseproof", errors, release)
