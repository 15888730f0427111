"""The page of planted faults: what caught each of them, and in which words."""

from __future__ import annotations

import datetime
import re
from typing import Any

from .catalogue import FAULTS

NONE = "no fault"
Kept = dict[tuple[str, str], Any]

_HEAD = """# Faults planted in the release of statistics

{made}: {faults} small changes of the text of the package, each planted alone in a copy of it. Then the copy releases a small table, once with
persons and Gaussian noise, and if that is released with records and Laplace noise, by policies with the statistics that the fault touches. A
release is **refused** if its own trial, or another look at itself before anything is drawn, finds the fault: nothing is written and nothing
is charged. Then the standing tests that are about the changed modules run on the copy until one of them fails.

**{caught} of {faults} are caught**: {trial} by the release itself, {tests} by standing tests, {both} by both. {uncaught}

A release looks at how far its sums move, at its laws and at its draws. Sums that are wrong but move no further than they may, and what is published
and charged after the draw, are held by standing tests alone: those of the sums, of the draws, of the [whole folder](reference/release.md), of interrupted releases.

Made by `python -m benchmarks.planted_release_faults --kept FILE`. Claims are tried a few at a time here, so that a refusal comes early, each
with the portion of the error probability that it has in one trial of all.
"""


def page(kept: Kept) -> str:
    """Markdown of what was found so far."""
    rows = [(f, kept.get(("release", f.name)), kept.get(("tests", f.name))) for f in FAULTS]
    done = [(f, r, t) for f, r, t in rows if r is not None and t is not None]
    trial = sum(_refused(r) for _, r, _ in done)
    tests = sum(bool(t) for _, _, t in done)
    both = sum(bool(t) and _refused(r) for _, r, t in done)
    missed = [f.name for f, r, t in done if not t and not _refused(r)]
    head = _HEAD.format(
        made=datetime.date.today().isoformat(),
        faults=len(done),
        caught=trial + tests - both,
        trial=trial,
        tests=tests,
        both=both,
        uncaught=f"Not caught: {', '.join(missed)}." if missed else "None is left.",
    )
    if broken := kept.get(("tests", NONE)):
        raise ValueError(f"tests that fail without a fault say nothing: {broken}")
    table = ["| fault | what is wrong | its own release | standing tests |", "| --- | --- | --- | --- |"]
    table += [f"| {f.name} | {f.what} | {_release(r)} | {_tests(t)} |" for f, r, t in done]
    return "\n".join([head, *table, "", *_seeds(kept)]) + "\n"


def _refused(found: list[dict[str, Any]]) -> bool:
    return found[-1]["ended"] != "released" and not found[-1]["written"]


def _release(found: list[dict[str, Any]]) -> str:
    last = found[-1]
    if last["ended"] == "released":
        return "released"
    return f"**{last['ended']}** ({last['policy']}): {_short(last['said'])}"


def _short(said: str) -> str:
    """Which claim fell, and why."""
    said = said.removeprefix("the policy is not met, and nothing was written: ").split("\n")[0]
    found = re.fullmatch(r"([^:]*): (.*): (REFUTED|UNDECIDED) \((.*)\)", said)
    if found is not None:
        said = f"{found[1]}: {found[3]} ({found[4]})"
    return _cell(said if len(said) < 200 else said[:197] + "...")


def _tests(found: list[str]) -> str:
    return "none falls" if not found else _cell(found[0].split(" - ")[0].removeprefix("tests/"))


def _cell(text: str) -> str:
    return re.sub(r"([|\\*_<>\[\]])", r"\\\1", text)


def _seeds(kept: Kept) -> list[str]:
    found = {name: rows for (kind, name), rows in kept.items() if kind == "seeds"}
    if not found:
        return []
    runs = [row for rows in found.values() for row in rows]
    wrong = [
        f"seed {name}: {_short(row['said'])}"
        for name, rows in found.items()
        for row in rows
        if row["ended"] != "released"
    ]
    claims = sum(row["claims"] for row in runs if row["ended"] == "released")
    most = 1 - 0.05 ** (1 / len(runs))
    rate = (
        f"which says that the rate is below {most:.1%} (95 % confidence)" if not wrong else "; ".join(wrong)
    )
    return [
        "## Without a fault",
        "",
        f"The policies with every measure at {len(found)} other seeds of the trial, of persons and of records in turn: {claims:,} findings, "
        f"{len(wrong)} refused, {rate}. Each trial may be wrong with probability 0.05 at most.",
        "",
    ]
