"""Run every driver in its own environment: `python -m benchmarks.statistics_peers.run ENVIRONMENTS RESULT.json [PEER ...]`.

ENVIRONMENTS holds one virtual environment a peer; RESULT.json is read again if it is there, so that a run can go on.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from .workloads import GROUPS

# Driver: its environment.
PEERS = {
    "diffprivlib_peer": "diffprivlib",
    "pydp_peer": "pydp",
    "pipelinedp_peer": "pipelinedp",
    "opendp_peer": "opendp",
    "tumult_peer": "tumult",
    "opendp_mbi_peer": "opendp_mbi",
}


def jobs(driver: str) -> list[tuple[str, str, str]]:
    """What the driver is asked: one process a release, for its seconds and memory, and one for all errors."""
    alone = driver == "opendp_mbi_peer"
    groups = ["marginals"] if alone else list(GROUPS)
    return [
        ("errors", "all", "marginals" if alone else "all"),
        *(("release", "pure", group) for group in groups),
    ]


def run(driver: str, job: tuple[str, str, str], environments: Path) -> list[dict[str, Any]]:
    python = environments / PEERS[driver] / "bin" / "python"
    done = subprocess.run(
        [str(python), "-m", f"benchmarks.statistics_peers.{driver}", *job],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [line[line.index("{") :] for line in done.stdout.splitlines() if '{"peer"' in line]
    if done.returncode or not lines:
        last = (done.stderr.strip().splitlines() or ["nothing printed"])[-1]
        return [{"peer": driver, "claim": job[1], "group": job[2], "fails": last[:300]}]
    return [json.loads(line) for line in lines]


def main() -> None:
    environments, result = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    found: dict[str, Any] = json.loads(result.read_text()) if result.exists() else {}
    for driver in sys.argv[3:] or list(PEERS):
        for job in jobs(driver):
            key = " ".join((driver, *job))
            if key in found and not any("fails" in row and "statistic" not in row for row in found[key]):
                continue
            found[key] = run(driver, job, environments)
            result.write_text(json.dumps(found, indent=1) + "\n")
            print(key, "fails" if "fails" in found[key][0] else "done", flush=True)


if __name__ == "__main__":
    main()
