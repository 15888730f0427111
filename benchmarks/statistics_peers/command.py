"""The one command line of all drivers: `python -m benchmarks.statistics_peers.NAME errors|release CLAIM GROUP`.

"all" for the claim, or for claim and group, asks for the errors of every one in one process.
"""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .workloads import CLAIMS, GROUPS


def main(
    peer: str,
    package: str,
    errors: Callable[[str, str], Iterable[dict[str, Any]]],
    release: Callable[[str, str], Any],
    claims: tuple[str, ...] = tuple(CLAIMS),
) -> None:
    """Print JSON lines: errors of each statistic of the group, or seconds and memory of one release of it."""
    what, claim, group = sys.argv[1:4]
    about = {"peer": peer, "version": version(package), "claim": claim, "group": group}
    if what == "errors":
        for one, name in asked(claim, group, claims):
            for found in errors(one, name):
                about |= {"claim": one, "group": name, "variant": "as documented"}
                print(json.dumps(about | found), flush=True)
        return
    began, used = time.perf_counter(), processor_seconds()
    release(claim, group)
    seconds, used = time.perf_counter() - began, processor_seconds() - used
    measured = {"seconds": seconds, "processor_seconds": used, "memory_mib": memory_mib()}
    print(json.dumps(about | measured), flush=True)


def asked(claim: str, group: str, claims: tuple[str, ...]) -> list[tuple[str, str]]:
    """The claim and group named, or every pair for "all": the small claims are for quantiles only."""
    if claim != "all":
        return [(claim, group)]
    return [
        (one, name)
        for one in claims
        for name in ([group] if group != "all" else GROUPS)
        if not one.endswith("-small") or GROUPS[name][0].kind == "quantile"
    ]


def processor_seconds() -> float:
    """Time on processors of this process, its threads, and of those that it started and that still run."""
    return time.process_time() + sum(_processor(pid) for pid in _descendants(str(os.getpid())))


def _processor(pid: str) -> float:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    # User and system time of the process and of its children that have ended, in ticks.
    return sum(int(field) for field in fields[11:15]) / os.sysconf("SC_CLK_TCK")


def memory_mib() -> float:
    """Peak resident memory of this process and of those that it started and that still run (a JVM)."""
    own = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return own + sum(_peak(pid) for pid in _descendants(str(os.getpid())))


def _descendants(pid: str) -> list[str]:
    found: list[str] = []
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += [child, *_descendants(child)]
    return found


def _peak(pid: str) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))
