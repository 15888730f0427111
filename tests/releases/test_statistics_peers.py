"""The benchmark that compares releases of statistics with other libraries: its errors are right, its drivers stand alone."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest
from statistics_peers import results, scoring, workloads

FOLDER = Path(workloads.__file__).parent
TABLE = {
    "sex": np.array(["Female", "Male", "Male", "Female", "Male"]),
    "age": np.array([20.0, 30.0, 40.0, 120.0, 35.0]),
}


def test_the_law_of_whole_numbers_has_the_variance_of_the_formula() -> None:
    for scale in (0.7, 2.0, 10.0):
        q = np.exp(-1 / scale)
        assert scoring.deviation("integer Laplace", scale) == pytest.approx(
            np.sqrt(2 * q) / (1 - q), rel=1e-9
        )
        # Rounding adds a twelfth of a step squared, nearly, where the noise is wide.
        wide = scoring.deviation("rounded Laplace", 10 * scale)
        assert wide**2 == pytest.approx(200 * scale**2 + 1 / 12, rel=1e-4)
    assert scoring.deviation("integer Gaussian", 3.0) == pytest.approx(3.0, rel=1e-9)


def test_clamping_helps_at_zero_and_nowhere_else() -> None:
    for law in ("integer Laplace", "integer Gaussian", "Laplace", "Gaussian"):
        sd = scoring.deviation(law, 2.0)
        assert scoring.clamped(np.array([0.0]), law, 2.0) == pytest.approx(sd / np.sqrt(2), rel=1e-3)
        assert scoring.clamped(np.array([5000.0]), law, 2.0) == pytest.approx(sd, rel=1e-3)


def test_truth_counts_clips_and_takes_the_lower_quantile() -> None:
    answers = {"count": [2, 3], "sum": [120, 105], "mean": [60, 35], "quantile": [20, 35]}
    for kind, expected in answers.items():
        column = "" if kind == "count" else "age"
        statistic = workloads.Statistic(kind, ("sex",), column, (0.5,) if kind == "quantile" else ())
        assert workloads.truth(statistic, TABLE).tolist() == expected


def test_ranks_forgive_ties_and_nothing_else() -> None:
    statistic = workloads.Statistic("quantile", ("sex",), "age", (0.5,))
    exact = scoring.rank_errors(statistic, TABLE, np.array([[20.0, 35.0]]))
    off = scoring.rank_errors(statistic, TABLE, np.array([[19.0, 41.0]]))
    assert exact.tolist() == [[0, 0]]
    assert off.tolist() == [[0.5, 0.5]]


def test_drivers_import_nothing_of_the_project() -> None:
    for path in FOLDER.glob("*.py"):
        if path.stem == "ours":
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.split(".")[0] == "noiseproof" for name in names), path


def test_the_best_peer_is_the_least_error_at_the_same_claim() -> None:
    def row(peer: str, rmse: float, **more: str) -> dict[str, object]:
        about = {"peer": peer, "claim": "pure", "group": "g", "statistic": "s", "variant": "as documented"}
        return about | {"rmse": rmse} | more

    measured = [
        row("a", 3.0),
        row("b", 2.0),
        row("c", 1.0, variant="another claim (replace)"),
        row("d", 0.5, claim="zcdp"),
        row("e", 0.1, fails="raises"),
    ]
    found = results.best(measured, "pure", "g", "s")
    assert found is not None
    assert found["peer"] == "b"
    assert results.best(measured, "pure", "g", "t") is None
