"""What an edited witness says, computed by other means than its evaluator: mpmath, scipy and the certificate itself."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath as mp
import numpy as np
from scipy import special, stats

from noiseproof.symbolic.privacy.guarantees import GUARANTEES

from .real_witnesses import Found, Witness
from .written_numbers import fails, number

_SHARES = {"event": 0.95, "rate boxes": 0.05}


def untrue(found: Found, witness: Witness) -> str | None:
    """Why a witness that is said to stand should not; None if it is true, or where nothing else can tell (see `UNTOLD`)."""
    said = _against_certificate(found, witness)
    if said is None and found.kind in _TRUTHS and not _TRUTHS[found.kind](witness):
        said = "its numbers do not say so"
    return said


# Exact kinds whose data are the whole statement, evaluated by the rules of one paper: nothing here computes them again.
UNTOLD = ("privacy loss of a pipeline", "log-density ratio of compressions")


def _against_certificate(found: Found, witness: Witness) -> str | None:
    terms, original = found.terms, found.witness
    if terms is None:
        return None
    for key in ("predicate", "parameters", "kind"):
        if witness.get(key) != original.get(key):
            return f"another {key}"
    alpha = terms.evidence.error * (0.5 if found.kind == "additive noise" else 1)
    share = 1.0 if terms.evidence.check == "repeated calls" else _SHARES.get(found.kind, 1.0)
    if "alpha" in original and not 0 < witness["alpha"] <= alpha * (1 + 1e-6):
        return "more alpha than there was"
    if "level" in original and not 0 < witness["level"] <= share * alpha * (1 + 1e-6):
        return "a higher level than there was"
    if "tests" in original and witness["tests"] < original["tests"]:
        return "fewer tests than were made"
    if (
        found.kind in ("event", "rate boxes")
        and witness["delta"] < _allowed(witness, witness["epsilon"]) - 1e-9
    ):
        return "a point below the claimed curve"
    if found.kind in ("inequality", "profile", "information", "shape", "irregular"):
        shown = {"left_value", "right_value"}
        if found.kind == "profile" and (
            abs(witness["epsilon"] - original["epsilon"]) > 1e-9
            or not math.isclose(
                witness["delta"] - witness["claimed"], original["delta"] - original["claimed"], rel_tol=1e-3
            )
        ):
            return "another delta, or another epsilon"
        for key in set(original) - shown:
            if found.kind == "inequality" and witness.get(key) != original[key]:
                return f"{key} is not that of the step that fails"
        if found.kind == "irregular" and (witness["subject"], witness["reason"]) != (
            original["subject"],
            original["reason"],
        ):
            return "another subject or reason"
    return None


def _allowed(witness: Witness, epsilon: float) -> float:
    return float(GUARANTEES[witness["predicate"]](**witness["parameters"]).curve()(epsilon))


def _spread(k: float, n: float, l: float, m: float, epsilon: float, delta: float) -> float:  # noqa: E741
    """Log of the likelihood of counts over the largest that P <= e^epsilon Q + delta leaves."""
    p, q = k / n, l / m
    if p <= math.exp(epsilon) * q + delta:
        return 0.0

    def log(r: Any) -> Any:
        s = np.clip(math.exp(min(epsilon, 700)) * r + delta, 1e-300, 1 - 1e-16)
        return stats.binom.logpmf(k, n, s) + stats.binom.logpmf(l, m, r)

    rates = np.linspace(1e-12, 1, 20_001) ** 2
    return float(stats.binom.logpmf(k, n, p) + stats.binom.logpmf(l, m, q) - np.max(log(rates)))


def _needed(level: float) -> float:
    z = max(stats.norm.isf(min(level, 0.499)), 0.0)
    return float(0.5 * z * z - 0.5)


def _event(w: Witness) -> bool:
    c = w["count"]
    return _spread(c["k"], c["n"], c["l"], c["m"], w["epsilon"], w["delta"]) > _needed(w["level"])


def _boxes(w: Witness) -> bool:
    best = 0.0
    for a, b in zip(w["k0"], w["k1"], strict=True):
        for k, n, l, m in (  # noqa: E741
            (a, w["n0"], b, w["n1"]),
            (b, w["n1"], a, w["n0"]),
            (w["n0"] - a, w["n0"], w["n1"] - b, w["n1"]),
            (w["n1"] - b, w["n1"], w["n0"] - a, w["n0"]),
        ):
            best = max(best, _spread(k, n, l, m, w["epsilon"], w["delta"]))
    return best > _needed(w["level"])


def _bets(w: Witness) -> bool:
    total = best = 0.0
    for epoch in w["epochs"]:
        if epoch["delta"] < _allowed(w, epoch["epsilon"]) - 1e-9:
            return False
        ratio, fortunes = math.exp(epoch["epsilon"]), []
        for bet in epoch["bets"]:
            fee, logs, count = epoch["delta"] * (max(bet["plus"]) + max(bet["minus"])), 0.0, 0
            for one, zero, times in bet["pairs"]:
                pay = (
                    bet["plus"][one]
                    - ratio * bet["plus"][zero]
                    + bet["minus"][zero]
                    - ratio * bet["minus"][one]
                    - fee
                )
                if pay <= -1 or times < 0:
                    return False
                logs, count = logs + times * math.log1p(pay), count + times
            fortunes.append((logs, count))
        if len({count for _, count in fortunes}) != 1 or min(epoch["weights"]) < 0:
            return False
        kept = [logs for logs, _ in fortunes] + [0.0]
        kept = kept if len(kept) == len(epoch["weights"]) else []
        if not kept or abs(sum(epoch["weights"]) - 1) > 1e-6:
            return False
        top = max(kept)
        # The last weight is money that is kept aside.
        total += top + math.log(
            sum(v * math.exp(x - top) for v, x in zip(epoch["weights"], kept, strict=True))
        )
        best = max(best, total)
    return best >= -math.log(w["alpha"]) - 1e-6


def _binomial(w: Witness) -> bool:
    k, n, p = w["successes"], w["trials"], w["probability"]
    if not 0 <= k <= n:
        return False
    if n > 10**7:  # of so many, a share that is another one is certain
        return abs(k / n - p) > 10 * math.sqrt(p * (1 - p) / n)
    x = np.arange(n + 1)
    choose = special.gammaln(n + 1) - special.gammaln(x + 1) - special.gammaln(n - x + 1)
    mass = np.exp(choose + special.xlogy(x, p) + special.xlog1py(n - x, -p))
    tail = min(float(mass[: k + 1].sum()), float(mass[k:].sum()))
    return 2 * tail * w["tests"] <= w["alpha"] * (1 + 1e-6)


def _histograms(w: Witness) -> bool:
    """Necessary: the angle between the observed shares alone exceeds what is claimed."""
    one, two = (np.asarray(c, dtype=float) for c in w["counts"])
    shares = [c / c.sum(axis=1, keepdims=True) for c in (one, two)]
    angle = np.arccos(np.clip(np.sqrt(shares[0] * shares[1]).sum(axis=1), 0, 1))
    information = (2 * angle / np.asarray(w["steps"], dtype=float)) ** 2
    claimed = np.atleast_2d(np.asarray(w["parameters"]["value"], dtype=float))
    if w["predicate"] == "FisherInformation":
        return bool(np.any(information > np.broadcast_to(np.diag(claimed), information.shape)))
    weight = np.diag(np.asarray(w["parameters"].get("weight", np.eye(len(information))), dtype=float))
    return bool(np.sum(weight / information) < claimed[0, 0])


def _sample(w: Witness) -> bool:
    if w["claimed"] < _allowed(w, w["epsilon"]) * (1 - 1e-9):
        return False
    levels, counts = (np.asarray(v, dtype=float) for v in w["levels"])
    if w["claimed"] == 0:
        return bool(np.any(levels[counts > 0] > 0))
    shares = 0.5 ** np.arange(1, 60)
    best = max(float(np.log1p(s * (levels / w["claimed"] - 1)) @ counts) for s in shares)
    return best >= -math.log(w["alpha"] / w["tests"])


def _additive(w: Witness) -> bool:
    """One part: the distance in scales from binomial bounds, under Laplace noise and a pure claim."""
    (part,) = w["parts"]
    side, t, v = (np.asarray(part[k], dtype=float) for k in ("inputs", "thresholds", "weights"))
    if (
        abs(v[side == 0].sum() - 1) > 1e-6
        or abs(v[side == 1].sum() + 1) > 1e-6
        or abs(v @ (t - t.mean())) > 1e-6 * (1 + np.abs(t - t.mean()).max()) * (1 + np.abs(v).max())
    ):
        return False
    n, k, alpha = (
        np.asarray(w["trials"], dtype=float)[side.astype(int)],
        np.asarray(part["below"], dtype=float),
        w["alpha"] / len(v),
    )
    low, high = stats.beta.ppf(alpha, k, n - k + 1), stats.beta.ppf(1 - alpha, k + 1, n - k)
    p = np.where(v > 0, low, high)
    if not np.all((p > 0) & (p < 1)):
        return False
    distance = float(v @ np.where(p < 0.5, np.log(2 * p), -np.log(2 - 2 * p)))
    return w["noise"] != "laplace" or distance > w["parameters"]["epsilon"] - 1e-6


def _inequality(w: Witness) -> bool:
    left = mp.inf if w["left"] == "oo" else number(w["left"])
    return fails(left, w["relation"], number(w["right"]))


def _formula(w: Witness) -> bool:
    at = {k: number(v) for k, v in w["at"].items()}
    return all(number(c, at) > 0 for c in w["where"]) and fails(
        number(w["left"], at), w["relation"], number(w["right"], at)
    )


def _point(w: Witness) -> bool:
    epsilon = float(number(w["epsilon"]))
    if _allowed(w, epsilon) != 0:
        return False
    loss = mp.mpf(0)
    for y, a, b in zip(w["point"], *w["centres"], strict=True):
        here, there = (number(w["density"], {"y": number(y) - number(c)}) for c in (a, b))
        if not (here > 0 and there > 0):
            return False
        loss += mp.log(here / there)
    return bool(loss > epsilon)


def _wrong_mass(w: Witness) -> bool:
    at = {"a": number(w["eigenvalues"][0]), "rho": number(w["rho"])}
    rate = number(w["rate"], at)
    return bool(rate > 0 and abs(number(w["normaliser"], at) * mp.sqrt(mp.pi / rate) - 1) > 1e-30)


def _cheaper(w: Witness) -> bool:
    other = w["competitor"]
    if other["type"] != "gaussian":
        return True
    rho, variance, gap = number(w["rho"]), number(other["variance"]), mp.mpf(0)
    for text in w["eigenvalues"]:
        at = {"a": number(text), "rho": rho}
        c, r = number(w["normaliser"], at), number(w["rate"], at)
        mass = c * mp.sqrt(mp.pi / r)
        gap += at["a"] * 2 * r * mass + rho * mass / (2 * r) - at["a"] / variance - rho * variance
    return bool(variance > 0 and gap > 0)


def _covariances(w: Witness) -> tuple[Any, Any]:
    project = np.array([[float(number(t)) for t in row] for row in w["projection"]])
    mean = np.array([float(number(t)) for t in w["released_mean"]])

    def unit(v: Any) -> Any:
        return v / np.linalg.norm(v)

    def placed(record: Any) -> Any:
        return project.T @ unit(unit(np.array([float(number(t)) for t in record])) - mean)

    rest = [placed(r) for r in w["other_records"]]
    one, two = (np.mean([np.outer(x, x) for x in (placed(r), *rest)], axis=0) for r in w["first_records"][:2])
    return one, two


def _bound(w: Witness) -> float:
    return float(number(w["bound"], {"n": 1 + len(w["other_records"]), "p": len(w["projection"][0])}))


def _distance(w: Witness) -> bool:
    one, two = _covariances(w)
    return bool(np.abs(one - two).sum() > _bound(w) * (1 - 1e-9))


def _orthant(w: Witness) -> bool:
    one, two = _covariances(w)
    epsilon = float(number(w["epsilon"]))
    return bool(np.abs(one - two).sum() / (_bound(w) / epsilon) > epsilon * (1 - 1e-9))


def _grid_entry(noise: str, parameter: float, exponent: int) -> tuple[Any, int]:
    """Masses on the whole multiples of 2^exponent between -reach and reach."""
    unit = 2.0**exponent
    reach = int(min(40 * parameter / unit, 40_000))
    k = np.arange(-reach, reach + 1)
    log = -np.abs(k) * unit / parameter if noise == "laplace" else -0.5 * (k * unit / parameter) ** 2
    mass = np.exp(log)
    return mass / mass.sum(), reach


def _losses(mass: Any, shift: int) -> list[tuple[float, float]]:
    inside = np.arange(shift, len(mass))
    keep = inside[(mass[inside] > 1e-300) & (mass[inside - shift] > 1e-300)]
    return list(zip(np.log(mass[keep] / mass[keep - shift]), mass[keep], strict=True))


def _convolved(entries: list[list[tuple[float, float]]], epsilon: float, cell: float = 2e-3) -> float:
    """delta(epsilon) of independent losses, on a grid of losses, to about a cell for each entry."""
    low, high = (sum(f(v for v, _ in e) for e in entries) for f in (min, max))
    size = int((high - low) / cell) + 2 * len(entries) + 2
    total = np.zeros(size)
    total[0], start = 1.0, 0.0
    for e in entries:
        least = min(v for v, _ in e)
        places = np.round((np.array([v for v, _ in e]) - least) / cell).astype(int)
        row = np.bincount(places, weights=[m for _, m in e], minlength=1)
        total, start = np.convolve(total, row)[:size], start + least
    loss = start + cell * np.arange(len(total))
    return float(np.sum(total * np.maximum(0, -np.expm1(np.minimum(epsilon - loss, 0)))))


def _grid(w: Witness) -> bool:
    entries = []
    for row in w["columns"]:
        mass, reach = _grid_entry(row["noise"], row["parameter"], row["exponent"])
        if row["span"] > 2 * reach:
            return True  # the two laws share next to nothing
        entries += [_losses(mass, row["span"])] * min(row["entries"], 50)
    # A grid of losses is coarse: a delta that is clearly below the claim is what it can see.
    return _convolved(entries, float(number(w["epsilon"]))) * 1.02 + 1e-9 > float(number(w["claimed"]))


def _whole(w: Witness) -> bool:
    entries = []
    for row in w["columns"]:
        parameter = float(number(row["parameter"]))
        scale = math.sqrt(parameter) if row["noise"] == "gaussian" else parameter
        if scale > 1e4 or row["span"] > 40 * scale + 40:
            return True  # masses of so many steps are not added up here
        k = np.arange(-int(40 * scale) - 40, int(40 * scale) + 41)
        log = -np.abs(k) / parameter if row["noise"] == "laplace" else -0.5 * k**2 / parameter
        entries += [_losses(np.exp(log) / np.exp(log).sum(), row["span"])] * min(row["entries"], 50)
    return _convolved(entries, float(number(w["epsilon"]))) * 1.02 + 1e-9 > float(number(w["claimed"]))


def _product(w: Witness) -> bool:
    entries = []
    for group in w["ratios"]:
        r = float(number(group["ratio"]))
        y = (np.arange(200_001) + 0.5) / 200_001
        z = np.where(y < 0.5, np.log(2 * y), -np.log(2 - 2 * y))
        loss = np.abs(z + r) - np.abs(z)
        values, counts = np.unique(np.round(loss, 4), return_counts=True)
        entries += [list(zip(values, counts / len(y), strict=True))] * min(group["entries"], 200)
    cell = max(2e-3, sum(max(v for v, _ in e) for e in entries) / 20_000)
    return _convolved(entries, float(number(w["epsilon"])), cell) * 1.2 + 1e-7 > float(number(w["claimed"]))


def _curve(w: Witness) -> bool:
    return w["rule"] == "normal curve" and number(w["numbers"]["mu"]) > 0


_TRUTHS: dict[str, Callable[[Witness], bool]] = {
    "event": _event,
    "rate boxes": _boxes,
    "bets": _bets,
    "binomial": _binomial,
    "histograms": _histograms,
    "importance sample": _sample,
    "additive noise": _additive,
    "inequality": _inequality,
    "formula": _formula,
    "privacy loss at a point": _point,
    "wrong-mass": _wrong_mass,
    "cheaper-noise": _cheaper,
    "projected-covariance": _distance,
    "laplace-orthant": _orthant,
    "grid profile": _grid,
    "whole profile": _whole,
    "product profile": _product,
    "instance": _curve,
    # What was integrated is not computed again: the numbers must be those that were found.
    "profile": lambda w: w["delta"] > w["claimed"],
    "shape": lambda w: w["claimed"] != w["information"],
    "information": lambda w: w["numerical"] != w["claimed"],
    "irregular": lambda w: "irregular" in w["reason"],
}
