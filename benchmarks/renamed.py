"""Old public names and what they are called now: `python benchmarks/renamed.py` prints the table, and fails on a leftover."""

import json
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[1]
LIST = "docs/renamed.json"
RENAMED: dict[str, dict[str, str]] = json.loads((ROOT / LIST).read_text(encoding="utf-8"))
_WORDS = ("BROKEN", "Reference", "proof_of", "released_numbers")  # leftovers only as names of the package


def patterns() -> dict[str, str]:
    """Old name -> the expression that finds it."""
    found = {old: Path(old).stem for old in RENAMED["files"]}
    for kind in ("names", "keys", "options"):
        found |= {old: old.rsplit(".", 1)[-1] for old in RENAMED[kind]}
    return {k: rf"\b{'(npf|noiseproof)[.]' * (k in _WORDS)}{re.escape(v)}\b" for k, v in found.items()}


def leftovers() -> list[str]:
    """FILE:LINE of each old name in a tracked file; the change log, this list and the word list may name them."""
    kept = (":!CHANGELOG.md", f":!{LIST}", ":!tests/structure/test_words.py")
    command = ["git", "grep", "-nIE", "|".join(patterns().values()), "--", *kept]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    return [":".join(line.split(":", 2)[:2]) for line in lines]


if __name__ == "__main__":
    rows = [(kind, *row) for kind, named in RENAMED.items() for row in named.items()]
    print(*(f"{kind:<8} {old:<30} {new}" for kind, old, new in rows), *(found := leftovers()), sep="\n")
    raise SystemExit(bool(found))
