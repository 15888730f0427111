"""Claims about the information of code that others wrote: 30 families, true claims and claims 10 % off on either side, many seeds.

    cd benchmarks && python information_claims.py run --rows rows.jsonl           # resumable: finished rows are kept
    cd benchmarks && python information_claims.py run --rows rows.jsonl --seeds 3 # the first few
    cd benchmarks && python information_claims.py table --rows rows.jsonl         # the Markdown page

Code alone is 1e5 outcomes at each of nine parameters.  A claim that is too high is audited with few seeds: outcomes
bound information from below only, so that it can be left open or, wrongly, supported, and never refuted without a density.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path
from statistics import median
from typing import Any

from information_trials.families import TRIALS, Trial
from scipy import stats

import noiseproof as npf

SAMPLES, SEEDS, OF_HIGH = 100_000, 40, 5
CLAIMS = {"true": "1", "too low": "0.9", "too high": "1.1"}


def claim_of(trial: Trial, factor: str) -> npf.FisherInformation:
    return npf.FisherInformation(f"{factor}*({trial.information})", of="t", domains={"t": trial.domain})


def code_alone(trial: Trial, claim: str, seed: int) -> dict[str, Any]:
    start = time.perf_counter()
    family = npf.Family(trial.sample, None, trial.theta, name=trial.name)
    certificate = npf.examine(family, claim_of(trial, CLAIMS[claim]), samples=SAMPLES, seed=seed)
    (evidence,) = certificate.findings[0].evidence
    found = evidence.measured.found or 0.0
    factor = None if evidence.resolution is None else evidence.resolution.value
    return {
        "verdict": evidence.verdict.name,
        "found": found,
        "resolution": factor,
        "seconds": round(time.perf_counter() - start, 2),
    }


def with_density(trial: Trial, claim: str) -> dict[str, Any]:
    """What scipy's density in numbers says at theta, of the law and not of the code."""
    family = npf.Family(trial.sample, trial.log_density, trial.theta, name=trial.name)
    certificate = npf.examine(family, claim_of(trial, CLAIMS[claim]), samples=1_000)
    evidence = next(e for e in certificate.findings[0].evidence if e.check == "quadrature")
    return {"verdict": evidence.verdict.name}


def jobs(seeds: int) -> list[tuple[str, str, int]]:
    """Family, claim and seed; -1 stands for the density in numbers."""
    rows = [(t.name, c, -1) for t in TRIALS if t.log_density for c in CLAIMS]
    for seed in range(seeds):
        for trial in TRIALS:
            rows += [(trial.name, c, seed) for c in CLAIMS if c != "too high" or seed < OF_HIGH]
    return rows


def read(path: Path) -> dict[tuple[str, str, int], dict[str, Any]]:
    rows = (
        [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()] if path.exists() else []
    )
    return {(r["family"], r["claim"], r["seed"]): r for r in rows}


def run(path: Path, seeds: int) -> None:
    warnings.simplefilter("ignore")
    done, trials, start = read(path), {t.name: t for t in TRIALS}, time.perf_counter()
    todo = [job for job in jobs(seeds) if job not in done]
    for k, (name, claim, seed) in enumerate(todo, 1):
        found = with_density(trials[name], claim) if seed < 0 else code_alone(trials[name], claim, seed)
        with path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({"family": name, "claim": claim, "seed": seed, **found}) + "\n")
        if k % 20 == 0 or k == len(todo):
            print(f"{k} of {len(todo)}, {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)


def table(path: Path) -> str:
    rows = read(path)
    by: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for (name, claim, seed), row in rows.items():
        if seed >= 0:
            by[name, claim].append(row)
    lines, alarms, audits, refuted = [], 0, 0, 0
    for trial in TRIALS:
        true, low, high = (by[trial.name, claim] for claim in CLAIMS)
        fell = sum(r["verdict"] == "REFUTED" for r in low)
        alarms += sum(r["verdict"] == "REFUTED" for r in true)
        audits += len(true)
        refuted += bool(low) and fell >= 0.95 * len(low)
        factors = [r["resolution"] for r in true if r["resolution"] is not None]
        law = [rows.get((trial.name, claim, -1), {}).get("verdict", "none") for claim in CLAIMS]
        lines.append(
            f"| {trial.name} | {trial.by} | `{trial.information}` | {trial.theta:g} | "
            f"{sum(r['verdict'] == 'REFUTED' for r in true)} of {len(true)} | {fell} of {len(low)} | "
            f"{sum(r['verdict'] == 'SURVIVED' for r in high)} of {len(high)} | "
            f"{median(r['found'] for r in true):.3f} | {f'{median(factors):.3f}' if factors else 'open'} | "
            f"{' / '.join(w.lower() for w in law)} |"
        )
    interval = stats.binomtest(alarms, max(audits, 1)).proportion_ci(0.95)
    seconds = [r["seconds"] for (_, _, seed), r in rows.items() if seed >= 0]
    head = [
        f"False alarms: {alarms} of {audits:,} true claims (exact 95 % interval {interval.low:.4f} to {interval.high:.4f}, alpha 0.05). "
        f"Claims 10 % too low, refuted in at least 95 % of the seeds: {refuted} of {len(TRIALS)} families. "
        f"Seconds per audit: median {median(seconds):.1f}, largest {max(seconds):.1f}.",
        "",
        "| family, parameter t | sampled by | information | t | true: refuted | too low: refuted | too high: supported | found | resolution | density: true / low / high |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    return "\n".join([*head, *lines])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("what", choices=["run", "table"])
    parser.add_argument("--rows", type=Path, default=Path("information_claims.jsonl"))
    parser.add_argument("--seeds", type=int, default=SEEDS)
    given = parser.parse_args()
    if given.what == "run":
        run(given.rows, given.seeds)
    print(table(given.rows))


if __name__ == "__main__":
    main()
