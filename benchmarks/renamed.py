"""Old public names and what they are called now: `python benchmarks/renamed.py` prints the table, and fails on a leftover."""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
_TOPS = ("audit", "benchmarks", "docs", "examples", "mechanisms", "reports", "src", "symbolic", "tests")
_TEXT = {".css", ".html", ".json", ".md", ".py", ".svg", ".toml", ".txt", ".yml"}
LIST = "docs/renamed.json"
RENAMED: dict[str, dict[str, str]] = json.loads((ROOT / LIST).read_text(encoding="utf-8"))
_WORDS = ("BROKEN", "Reference", "proof_of", "released_numbers")  # leftovers only as names of the package


def patterns() -> dict[str, str]:
    """Old name -> the expression that finds it."""
    found = {old: Path(old).stem for old in RENAMED["files"]}
    for kind in (
        "names",
        "keys",
        "options",
        "values",
    ):  # `seconds` of "arguments" is still the name of others
        found |= {old: old.rsplit(".", 1)[-1] for old in RENAMED[kind]}
    return {k: rf"\b{'(npf|noiseproof)[.]' * (k in _WORDS)}{re.escape(v)}\b" for k, v in found.items()}


def leftovers(root: Path = ROOT) -> list[str]:
    """FILE:LINE of each old name; the change log, this list and the test of words may name them."""
    old, found = re.compile("|".join(patterns().values())), []
    paths = [*root.glob("*"), *(p for top in _TOPS for p in (root / top).rglob("*"))]
    for path in sorted(p for p in paths if p.suffix in _TEXT):
        name = path.relative_to(root).as_posix()
        if name not in ("CHANGELOG.md", LIST, "tests/structure/test_words.py"):
            lines = enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
            found += [f"{name}:{number}" for number, line in lines if old.search(line)]
    return found


if __name__ == "__main__":
    rows = [(kind, *row) for kind, named in RENAMED.items() for row in named.items()]
    print(*(f"{kind:<8} {old:<30} {new}" for kind, old, new in rows), *(found := leftovers()), sep="\n")
    raise SystemExit(bool(found))
