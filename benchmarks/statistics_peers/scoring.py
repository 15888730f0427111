"""Root mean squared errors: exactly from a law that the peer names, or from its own draws with their standard error."""

from __future__ import annotations

from typing import Any

import numpy as np

from .workloads import STEPS, Statistic, clipped, truth

Columns = dict[str, np.ndarray]


def masses(law: str, scale: float, tail: float = 45.0) -> tuple[np.ndarray, np.ndarray]:
    """The whole numbers near 0 and their probabilities under noise of mass ~ exp(-|k|/scale) or exp(-k^2/(2 scale^2))."""
    if law == "integer Laplace":
        reach = int(np.ceil(tail * scale)) + 2
        k = np.arange(-reach, reach + 1)
        weights = np.exp(-np.abs(k) / scale)
    elif law == "integer Gaussian":
        reach = int(np.ceil(np.sqrt(2 * tail) * scale)) + 2
        k = np.arange(-reach, reach + 1)
        weights = np.exp(-(k.astype(float) ** 2) / (2 * scale**2))
    elif law == "rounded Laplace":
        reach = int(np.ceil(tail * scale)) + 2
        k = np.arange(-reach, reach + 1)
        # P(|X| <= 1/2) at 0, else P(|k| - 1/2 < |X| < |k| + 1/2) on one side.
        weights = np.exp(-np.abs(k) / scale) * np.sinh(0.5 / scale)
        weights[reach] = 1 - np.exp(-0.5 / scale)
    else:
        raise ValueError(f"expected integer Laplace, integer Gaussian or rounded Laplace, got {law!r}")
    return k, weights / weights.sum()


def deviation(law: str, scale: float) -> float:
    """The standard deviation of `law`; the scale of a Gaussian is sigma, that of a Laplace law b."""
    if law == "Laplace":
        return float(np.sqrt(2) * scale)
    if law == "Gaussian":
        return float(scale)
    k, p = masses(law, scale)
    return float(np.sqrt((p * k.astype(float) ** 2).sum()))


def clamped(counts: np.ndarray, law: str, scale: float) -> float:
    """The error of max(0, count + noise), over all cells, exactly; continuous laws by a fine sum."""
    if law in ("Laplace", "Gaussian"):
        k = np.linspace(-45 * scale, 45 * scale, 90_001)
        weights = np.exp(-np.abs(k) / scale) if law == "Laplace" else np.exp(-(k**2) / (2 * scale**2))
        p = weights / weights.sum()
    else:
        k, p = masses(law, scale)
    squares = [float((p * (np.maximum(n + k, 0) - n) ** 2).sum()) for n in np.unique(counts)]
    return float(np.sqrt(np.mean([squares[i] for i in np.searchsorted(np.unique(counts), counts)])))


def from_law(statistic: Statistic, columns: Columns, law: str, scale: float) -> dict[str, Any]:
    """What is said of a count, histogram or sum with this noise in each cell, independent or not."""
    sd = deviation(law, scale)
    found: dict[str, Any] = {
        "statistic": statistic.name,
        "how": "exact law",
        "law": law,
        "scale": scale,
        "rmse": sd,
    }
    if statistic.kind in ("count", "histogram"):
        found["rmse_clamped"] = clamped(truth(statistic, columns), law, scale)
    return found | {"noise_sd": sd}


def from_draws(statistic: Statistic, columns: Columns, drawn: np.ndarray, how: str) -> dict[str, Any]:
    """What is said of `drawn`, of shape (draws, cells): errors of values, on the grid, and in rank for quantiles."""
    right = truth(statistic, columns)
    found: dict[str, Any] = {"statistic": statistic.name, "how": how, "draws": len(drawn)}
    found |= _root(drawn - right)
    found["bias"] = float((drawn - right).mean())
    if statistic.kind in ("count", "histogram"):
        found["rmse_clamped"] = _root(np.maximum(drawn, 0) - right)["rmse"]
    if statistic.kind == "quantile":
        step = STEPS[statistic.column]
        found["rmse_rounded"] = _root(np.round(drawn / step) * step - right)["rmse"]
        found["rank_rmse"] = _root(rank_errors(statistic, columns, drawn))["rmse"]
    return found


def _root(errors: np.ndarray) -> dict[str, float]:
    """Root of the mean square over draws and cells, and its standard error (draws are independent, cells need not be)."""
    squares = (errors**2).mean(axis=1)
    rmse = float(np.sqrt(squares.mean()))
    spread = float(squares.std(ddof=1) / np.sqrt(len(squares))) if len(squares) > 1 else float("nan")
    return {"rmse": rmse, "standard_error": spread / (2 * rmse) if rmse > 0 else 0.0}


def rank_errors(statistic: Statistic, columns: Columns, drawn: np.ndarray) -> np.ndarray:
    """How far each level is from the shares of records below and at or below the value drawn; shape as `drawn`."""
    errors = np.empty_like(drawn)
    for i, group in enumerate(statistic.groups):
        values = np.sort(clipped(statistic, columns, group))
        for j, level in enumerate(statistic.levels):
            at = i * len(statistic.levels) + j
            below = np.searchsorted(values, drawn[:, at], "left") / len(values)
            through = np.searchsorted(values, drawn[:, at], "right") / len(values)
            errors[:, at] = np.maximum(0, np.maximum(below - level, level - through))
    return errors
