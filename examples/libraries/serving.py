"""The other side of `BlackBox.process`: answers questions, one line of JSON each.  Python alone, noiseproof is not needed.

A script hands `serve` its releases by name and is started as `python script.py name`:
    {"id": 1, "size": 3, "seed": 5209, "input": [0, 1, 1]}   ->   {"id": 1, "outcomes": [2.5, 1.0, 3.25]}
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib import metadata
from typing import Any


def require(package: str, *versions: str) -> None:
    """End with status 2 and a sentence unless one of these versions of the package is installed here."""
    try:
        found = metadata.version(package)
    except metadata.PackageNotFoundError:
        found = ""
    if found not in versions:
        what = f"has {package} {found}" if found else f"has no {package}"
        audited = " or ".join(versions)
        print(
            f"this environment {what}, the audit is about {package} {audited}: pip install {package}=={versions[0]}",
            file=sys.stderr,
        )
        raise SystemExit(2)


def serve(releases: dict[str, Callable[[Any], Any]]) -> None:
    """Answer with outcomes of the release that the command line names; `release(data)` gives one outcome."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name == "--check":  # the library is here
        return
    if name not in releases:
        print(f"expected the name of a release, one of {', '.join(releases)}; got {name!r}", file=sys.stderr)
        raise SystemExit(2)
    release = releases[name]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # a library that prints must not print into an answer
    for line in sys.stdin:
        question = json.loads(line)
        outcomes: list[Any] = []
        raised: dict[str, str] = {}
        for place in range(question["size"]):
            try:
                outcomes.append(release(question["input"]))
            except Exception as error:  # an exception is an outcome like any other
                outcomes.append(None)
                raised[str(place)] = type(error).__name__
        answer = {"id": question["id"], "outcomes": outcomes} | ({"raised": raised} if raised else {})
        print(json.dumps(answer, default=lambda value: value.tolist()), file=answers, flush=True)  # of numpy
