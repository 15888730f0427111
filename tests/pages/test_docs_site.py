"""The documentation site is built strictly: a link that leads nowhere, a page that nothing leads to, a docstring that warns."""

from __future__ import annotations

import copy
import importlib
import json
from html import escape
from pathlib import Path
from typing import Any

import pytest

from noiseproof.audit.dossier import Dossier

pytest.importorskip("sphinx", reason="the site is built with noiseproof[docs]")
pytest.importorskip("myst_parser", reason="the site is built with noiseproof[docs]")

# The parser of Markdown still uses an interface that Sphinx will remove; a version without it will not install.
pytestmark = pytest.mark.filterwarnings("ignore:.*myst_parser.*is deprecated")

ROOT = Path(__file__).resolve().parents[2]
DOSSIER = json.loads((ROOT / "tests" / "pages" / "golden" / "dossier.json").read_text(encoding="utf-8"))
HAZARDS = """States |x| <= 1, *args, a_ and `code_`, ``double`` and a lone ` too.

.. a comment? no
:field: not one
    indented on purpose

- an item of |a| entries
  that goes on
- another_

Text:
    neither a definition
  nor aligned
1. numbered
* starred

    | a table |
    x = y

>>> 1 + 1
2
"""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The module that builds the site."""
    monkeypatch.syspath_prepend(str(ROOT / "docs" / "site"))
    return importlib.import_module("build_site")


def small(site: Any, folder: Path, pages: dict[str, str]) -> int:
    """A site of these pages, built with the settings of the real one."""
    for name, text in pages.items():
        (folder / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "source" / name).write_text(text, encoding="utf-8")
    return int(site.sphinx(folder / "source", folder, "dummy"))


def test_the_site_has_no_warning(site: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    # The docstrings take longest to read; two tests below look at them, and the whole site is built in `.ci/run`.
    site.assemble(tmp_path / "source", {DOSSIER["key"]: DOSSIER}, docstrings=False)
    failed = site.sphinx(tmp_path / "source", tmp_path, "dummy")
    assert (failed, capfd.readouterr().err) == (0, "")


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("[there](nowhere.md)", "nowhere.md"),
        ("[there](other.md#no-such-heading)", "no-such-heading"),
        ("[there](#no-such-heading)", "no-such-heading"),
        ("![drawn](nowhere.svg)", "image file not readable"),
        ("```{eval-rst}\n.. autoclass:: noiseproof.NoSuchThing\n```", "NoSuchThing"),
        ("```{no-such-directive}\n```", "no-such-directive"),
    ],
)
def test_a_fault_is_seen(
    page: str, fault: str, site: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    pages = {"index.md": f"# Site\n\n{page}\n\n```{{toctree}}\nother\n```\n", "other.md": "# Other\n"}
    assert small(site, tmp_path, pages) == 1
    assert fault in capfd.readouterr().err


def test_a_page_that_nothing_leads_to_is_seen(
    site: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert small(site, tmp_path, {"index.md": "# Site\n", "alone.md": "# Alone\n"}) == 1
    assert "alone.md" in capfd.readouterr().err


def test_docstrings_in_plain_english_give_no_warning(site: Any) -> None:
    from docutils.core import publish_string
    from plain_docstrings import to_rest

    text = "\n".join(to_rest(HAZARDS.splitlines()))
    settings = {"halt_level": 1, "report_level": 1, "output_encoding": "unicode"}
    shown = publish_string(text, writer="html5", settings_overrides=settings)
    for piece in (
        "|x| &lt;= 1, *args, a_ and",
        ">code_</",
        ".. a comment? no",
        ":field: not one",
        "another_",
    ):
        assert piece in shown
    assert shown.count("<li>") == 4
    assert "<dl" not in shown


@pytest.mark.long
def test_every_docstring_of_the_package_gives_no_warning(site: Any) -> None:
    import ast

    from docutils.core import publish_doctree
    from plain_docstrings import to_rest

    texts = []
    for layer in ("symbolic", "mechanisms", "audit", "reports", "src/noiseproof"):
        for path in sorted((ROOT / layer).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                    texts.append(ast.get_docstring(node) or "")
    assert len(texts) > 500
    rest = "\n".join(line for text in texts for line in to_rest(text.splitlines()))
    publish_doctree(rest, settings_overrides={"halt_level": 1, "report_level": 1})


def test_every_public_name_stands_on_one_page(site: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    reference = importlib.import_module("reference_pages")
    title, purpose, names = reference.FRONT_DOOR["planning"]
    assert "noiseproof.examine" in reference.pages()["examining.md"]
    assert "noiseproof audit" in reference.pages()["commands.md"]
    for wrong in (names[1:], [*names, "examine"]):
        monkeypatch.setitem(reference.FRONT_DOOR, "planning", (title, purpose, wrong))
        with pytest.raises(ValueError, match="every public name stands on one page"):
            reference.pages()


def test_theorems_are_those_of_the_dossier(site: Any) -> None:
    theory = importlib.import_module("theory_pages")
    page = theory.theorems(DOSSIER)
    refuted, proved, conditional = DOSSIER["findings"]
    corrected, _, rest = page.partition("## True under a condition that is not printed")
    assert "### Corollary 6" in corrected
    assert "Sigma = (C C^T)^{1/2} / sqrt(rho)" in corrected
    assert "Holds instead (proved)" in corrected
    assert escape(proved["statement"]) in rest
    assert escape(conditional["condition"]) in rest
    turned = copy.deepcopy(DOSSIER)
    turned["findings"][0]["verdict"] = "proved"
    assert "## Corrected" not in theory.theorems(turned)
    assert refuted["title"] in theory.theorems(turned).partition("## True as printed")[2]


def test_a_hostile_dossier_is_only_text(site: Any, tmp_path: Path) -> None:
    theory = importlib.import_module("theory_pages")
    hostile = copy.deepcopy(DOSSIER)
    script = "<script>alert(1)</script>"
    finding = hostile["findings"][0]
    finding.update(
        statement=f"{script}\n```\n{script}\n````\n# not a heading",
        title=f"{script} [link](javascript:alert(1)) `code` *x* \n# second",
        witness={"kind": script, "numbers": [script, "\n```\n"]},
        correction=f"</blockquote>{script}",
    )
    pages = {"index.md": "# Paper\n" + theory.theorems(hostile)}
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "index.md").write_text(pages["index.md"], encoding="utf-8")
    assert site.sphinx(tmp_path / "source", tmp_path) == 0
    shown = (tmp_path / "html" / "index.html").read_text(encoding="utf-8")
    assert script not in shown
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in shown
    assert 'href="javascript' not in shown
    assert shown.count("<h1") == 1
    assert "not a heading" in shown


def test_dossiers_that_do_not_hold_are_not_published(
    site: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    theory = importlib.import_module("theory_pages")
    shelf = importlib.import_module("noiseproof.audit.papers")
    monkeypatch.setattr(shelf, "papers", lambda: [Dossier("farokhi2019", "One paper")])
    with pytest.raises(SystemExit, match="noiseproof papers -o"):
        theory.dossiers(tmp_path, tmp_path)
    stuck = copy.deepcopy(DOSSIER)
    stuck["findings"] = [stuck["findings"][0]]
    stuck["findings"][0]["evidence"] = []
    stuck["findings"][0]["twin"] |= {"verdict": "refuted"}
    (tmp_path / "farokhi2019.json").write_text(json.dumps(stuck))
    with pytest.raises(SystemExit, match="nothing is published"):
        theory.dossiers(tmp_path, tmp_path)


def test_what_is_loaded_from_elsewhere_is_seen(site: Any, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="https://example.org">fine</a><script src="https://example.org/x.js"></script>'
        '<link rel="stylesheet" href="//example.org/y.css"><img alt="" src="z.png">'
    )
    (tmp_path / "b.css").write_text(
        '@import "https://example.org/f.css"; a { background: url(https://example.org/g.png) }'
    )
    found = site.loaded_from_elsewhere(tmp_path)
    assert [line.partition(": ")[2].rpartition("/")[2] for line in found] == [
        "x.js",
        "y.css",
        "f.css",
        "g.png",
    ]


@pytest.mark.long
def test_the_whole_site(site: Any, tmp_path: Path) -> None:
    assert site.main(["-o", str(tmp_path)]) == 0
    pages = {path.relative_to(tmp_path / "html").as_posix() for path in (tmp_path / "html").rglob("*.html")}
    assert {"index.html", "tutorials/gate.html", "theory/pathak2010.html", "reference/claims.html"} <= pages
    assert "It breaks at" in (tmp_path / "html" / "theory" / "farokhi2019.html").read_text(encoding="utf-8")
