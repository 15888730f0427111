"""Builds the documentation site: `python docs/site/build_site.py`; a warning is an error.

The sources are docs/*.md and the folders beside them, the docstrings of the public names, and the dossiers of the
papers.  Nothing is fetched.  The dossiers take two to three minutes; they are kept beside the site under a digest of
the package, or read from a folder that `noiseproof papers -o DIR` wrote.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
DOCS = HERE.parent
sys.path.insert(0, str(HERE))

import reference_pages  # noqa: E402
import theory_pages  # noqa: E402

# Caption -> pages in order; what stands in docs/ and in none of them goes under the last caption.
CONTENTS = {
    "Begin": ["install", "quickstart", "concepts", "workflows"],
    "Tutorials": [f"tutorials/{name}" for name in ("audit", "gate", "density", "release", "theorem")],
    "How to audit": ["how-to/audit-code", "how-to/mechanisms"],
    "How to derive": [
        f"how-to/{name}"
        for name in (
            "laws",
            "error-bounds",
            "sensitivity",
            "programs",
            "optimal-noise",
            "budget-split",
            "proofs",
        )
    ],
    "How to release": ["how-to/tables", "how-to/release-records", "how-to/release-statistics"],
    "Reference": [
        *(f"reference/{name}" for name in ("ci", "scale", "derive", "release", "ledger", "verify")),
        *(f"reference/{page}" for page in reference_pages.ORDER),
        "cli-error-cases",
    ],
    "Theory": ["theory/verdicts", "theory/attack", "theory/*[0-9]", "cited-lemmas"],
    "What it means": ["what-a-pass-does-not-mean", "compliance", "threat-model"],
    "Comparison": ["comparison", "figures"],
    "Contributing": ["architecture", "contributing/*"],
}
REST = "Changes"


def assemble(source: Path, dossiers: dict[str, dict[str, Any]], docstrings: bool = True) -> None:
    """Write into the empty folder `source` every page that Sphinx reads; the reference is bare without `docstrings`."""
    for path in DOCS.rglob("*"):
        inside = path.relative_to(DOCS)
        if path.suffix in {".md", ".svg", ".png"} and inside.parts[0] != HERE.name:
            _write(source / inside, path.read_bytes())
    _write(source / "changelog.md", (DOCS.parent / "CHANGELOG.md").read_bytes())
    for name, text in reference_pages.pages().items():
        bare = text.partition("```{eval-rst}")[0]
        _write(source / "reference" / name, (text if docstrings else bare).encode())
    for key, dossier in dossiers.items():
        page = source / "theory" / f"{key}.md"
        introduction = page.read_text(encoding="utf-8") if page.exists() else ""
        _write(page, (introduction + theory_pages.theorems(dossier)).encode())
    index = source / "index.md"
    _write(index, (index.read_text(encoding="utf-8") + _contents(source)).encode())


def _contents(source: Path) -> str:
    """The tables of contents that put every page into the menu."""
    found, placed = [], set()
    for caption, patterns in CONTENTS.items():
        pages = [page for pattern in patterns for page in _pages(source, pattern) if page not in placed]
        placed.update(pages)
        found.append(_toctree(caption, pages))
    rest = [page for page in _pages(source, "*") if page not in placed | {"index"}]
    return "\n" + "\n".join([*found, _toctree(REST, rest)])


def _pages(source: Path, pattern: str) -> list[str]:
    if "*" not in pattern:
        # A page that is missing stays in the list, so that Sphinx names it.
        return [pattern]
    return sorted(
        path.relative_to(source).with_suffix("").as_posix() for path in source.glob(f"{pattern}.md")
    )


def _toctree(caption: str, pages: list[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *pages, "```", ""])


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def sphinx(source: Path, output: Path, builder: str = "html") -> int:
    """Read every page of `source` and write the site to `output`/html; returns 0, or 1 if there was a warning."""
    from sphinx.cmd.build import main as run

    where = [str(source), str(output / "html")]
    strict = ["-W", "--keep-going", "-q", "-b", builder, "-c", str(HERE), "-d", str(output / "doctrees")]
    return int(run([*strict, *where]))


def loaded_from_elsewhere(site: Path) -> list[str]:
    """What the pages and style sheets of a site would fetch from another place when they are opened."""
    fetching = re.compile(
        r"""<(?:script|img|link|iframe|source|video|audio)\b[^>]*?(?:src|href)\s*=\s*["']?((?:\w+:)?//[^"'\s>]+)"""
        r"""|url\(\s*["']?((?:https?:)?//[^"')\s]+)|@import\s+["']((?:https?:)?//[^"']+)""",
        re.IGNORECASE,
    )
    return [
        f"{path.relative_to(site)}: {next(filter(None, found.groups()))}"
        for path in sorted(site.rglob("*"))
        if path.suffix in {".html", ".css"}
        for found in fetching.finditer(path.read_text(encoding="utf-8"))
    ]


def build(output: Path, dossiers: dict[str, dict[str, Any]]) -> int:
    """The site in `output`/html, made anew; returns 0, or 1 if anything is wrong with it."""
    for folder in ("source", "html", "doctrees"):
        shutil.rmtree(output / folder, ignore_errors=True)
    assemble(output / "source", dossiers)
    failed = sphinx(output / "source", output)
    for line in (elsewhere := loaded_from_elsewhere(output / "html")):
        print(f"loaded from elsewhere: {line}", file=sys.stderr)
    return int(bool(failed or elsewhere))


def main(arguments: list[str] | None = None) -> int:
    """The command line; the exit code is 0 only for a site without a warning."""
    parser = argparse.ArgumentParser(description="Build the documentation site; a warning is an error.")
    parser.add_argument("-o", "--output", type=Path, default=DOCS.parent / "build" / "docs")
    parser.add_argument("--dossiers", type=Path, help="folder of `noiseproof papers -o`; default: run them")
    parser.add_argument("--without-theorems", action="store_true", help="leave the lists of theorems out")
    given = parser.parse_args(arguments)
    dossiers = (
        {} if given.without_theorems else theory_pages.dossiers(given.dossiers, given.output / "dossiers")
    )
    failed = build(given.output, dossiers)
    print("the site has faults, see above" if failed else f"site: {given.output / 'html' / 'index.html'}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
