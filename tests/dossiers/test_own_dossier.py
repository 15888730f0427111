"""A dossier of one's own, `noiseproof papers own.py`: exit codes as documented, and what is wrong with it is one message."""

from __future__ import annotations

import json
from importlib import metadata
from pathlib import Path

import jsonschema
import pytest
from typer.testing import CliRunner

from noiseproof.audit.dossier import Dossier
from noiseproof.audit.papers import papers as opened
from noiseproof.cli import app
from noiseproof.reports.schema import dossier_schema
from noiseproof.symbolic.errors import SpecError

HEAD = """
import sympy as sp
from noiseproof.audit.dossier import Dossier, PaperClaim, Statement, asserts_nothing
from noiseproof.audit.dossier.formula import Formula
DOSSIER = Dossier("own", "Notes of my own")
x = sp.Symbol("x", positive=True)
"""
DISPUTED = """
@DOSSIER.disputed("a", "Twice", printed=sp.Integer({}), twin=sp.Integer({}))
def twice(c):
    return Statement(f"It is {{c}} x.", Formula(c * x, "=", 2 * x))
"""
VALUED = """
@DOSSIER.disputed("a", "Twice", printed="It is 2 x.", twin="It is 3 x.", at=(sp.Integer(2), sp.Integer(3)))
def twice(c):
    return Formula(c * x, "=", 2 * x)
"""
CHECKED = """
@DOSSIER.claim("a")
def one():
    return PaperClaim("t", Statement("s", 0), Statement("s", 1), checks=(lambda data, rng: {},))
"""
DEFINED = '@DOSSIER.claim("b")\ndef two():\n    return asserts_nothing("A name", "says nothing")\n'
OPEN = (
    '@DOSSIER.claim("c")\ndef three():\n    return PaperClaim("t", Statement("s", 0), undecided="no data")\n'
)

SPECIAL = """
@DOSSIER.disputed("a", "Growth", printed=sp.Integer(1), twin=sp.Rational(4, 5))
def growth(c):
    return Statement(f"gamma(x) >= {{c}}.", Formula(sp.gamma(x), ">=", c))
"""
OPEN_WITH_TWIN = """
@DOSSIER.disputed("a", "Integral", printed=sp.Integer(1), twin=sp.Integer(2))
def integral(c):
    return Statement(f"Ei(x) is {{c}}.", Formula(sp.Ei(x), "=", c))
"""

CODES = [
    ("a special function", HEAD + SPECIAL, 0, ""),
    ("an open claim with a twin", HEAD + OPEN_WITH_TWIN, 0, ""),
    ("a claim holds", HEAD + DISPUTED.format(2, 3), 0, ""),
    ("texts beside their values", HEAD + VALUED, 0, ""),
    ("a claim is refuted", HEAD + DISPUTED.format(3, 2), 0, ""),
    ("an open claim", HEAD + OPEN, 0, ""),
    ("a twin that does not flip", HEAD + DISPUTED.format(3, 4), 1, "own/a: the twin came out refuted"),
    ("no claims", HEAD, 5, "own: nothing to check: no claim in it has a check"),
    ("definitions only", HEAD + DEFINED, 5, "own: nothing to check"),
]


def papers(folder: Path, text: str, *options: str) -> tuple[int, str]:
    (folder / "own.py").write_text(text)
    done = CliRunner().invoke(app, ["papers", "own.py", "-o", "out", *(options or ("--workers", "1"))])
    return done.exit_code, done.stderr


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("text", "code", "said"), [c[1:] for c in CODES], ids=[c[0] for c in CODES])
def test_exit_codes_are_as_documented(folder: Path, text: str, code: int, said: str) -> None:
    found, err = papers(folder, text)
    assert (found, err.startswith(said), bool(err)) == (code, True, bool(said)), err
    assert sorted(p.name for p in (folder / "out").iterdir()) == ["index.html", "own.html", "own.json"]


def test_the_twin_that_is_given_is_run_and_named(folder: Path) -> None:
    found = {}
    for name, text in (("refuted", SPECIAL), ("undecided", OPEN_WITH_TWIN)):
        papers(folder, HEAD + text.replace("{{c}}", "{c}"))
        record = json.loads((folder / "out" / "own.json").read_text())
        jsonschema.validate(record, dossier_schema())
        (found[name],) = record["findings"]
        assert found[name]["verdict"] == name
        assert (
            "none" not in (folder / "out" / "own.html").read_text().split("<tbody>")[1].split("</tbody>")[0]
        )
    assert found["refuted"]["twin"]["verdict"] == "survived"
    assert found["undecided"]["twin"]["statement"] == "Ei(x) is 2."


FAULTY = [
    ("x = 1\n", "must define DOSSIER = Dossier(key, title), got NoneType"),
    ("DOSSIER = 3\n", "must define DOSSIER = Dossier(key, title), got int"),
    ("x = 1\ndef (", "own.py: cannot be imported: line 2: SyntaxError: invalid syntax"),
    ("\n1 / 0\n", "own.py: cannot be imported: line 2: ZeroDivisionError: division by zero"),
    ("def f():\n    1 / 0\nf()\n", "cannot be imported: line 2: ZeroDivisionError"),
    ('\nexec("(")\n', "cannot be imported: line 2: SyntaxError"),
    ("raise MemoryError\n", "more memory is needed than there is"),
    ("import no_such_module\n", "cannot be imported: line 1: ModuleNotFoundError: No module named"),
    ("raise SystemExit(0)\n", "cannot be imported: line 1: SystemExit: 0"),
    (HEAD + DEFINED * 2, "ValueError: own/b is registered twice"),
    (HEAD.replace('"own"', "3"), "a dossier's key names a file"),
    (HEAD.replace('"own"', '"../own"'), "a dossier's key names a file"),
    (HEAD.replace('"own"', '"Index"'), "a dossier's key names a file"),
    (HEAD.replace('"Notes of my own"', "3"), "a dossier's title must be text, got 3"),
    (HEAD + DEFINED.replace("return asserts_nothing", "x[0]; return"), "own/b: line 9: TypeError: 'Symbol'"),
    (HEAD + DEFINED.replace("asserts_nothing", "max"), "own/b: TypeError: expected a PaperClaim, got str"),
    (
        HEAD + DISPUTED.format(2, 3).replace("Statement(f", "(f"),
        "own/a: TypeError: expected a Statement, got",
    ),
    (HEAD + DISPUTED.format(2, 3).replace("twice(c)", "twice()"), "own/a: TypeError: twice() takes 0"),
    (
        HEAD + VALUED.replace(", sp.Integer(3)", ","),
        "own/a: at gives a value for each text, of printed, twin; got 1",
    ),
    (HEAD + VALUED.replace('"It is 3 x."', "3"), "own/a: at gives a value for each text"),
    (
        HEAD + VALUED.replace("return F", "return Statement('', 0) or F"),
        "own/a: TypeError: expected the data alone, got Statement",
    ),
    (HEAD + CHECKED, "own/a: TypeError: a check gives Evidence, '<lambda>' gave dict"),
    (HEAD + CHECKED.replace("{}", "1 / 0"), "own/a: line 10: ZeroDivisionError: division by zero"),
]


@pytest.mark.parametrize(("text", "said"), FAULTY, ids=[said for _, said in FAULTY])
def test_a_faulty_dossier_is_one_message_and_writes_nothing(folder: Path, text: str, said: str) -> None:
    code, err = papers(folder, text)
    assert (code, err.startswith("error: "), err.count("\n")) == (2, True, 1), err
    assert said in err
    assert [p.name for p in folder.iterdir() if p.name != "__pycache__"] == ["own.py"]


def test_another_process_says_the_same(folder: Path) -> None:
    text, said = FAULTY[-1]
    code, err = papers(folder, text, "--workers", "2")
    assert (code, said in err) == (2, True), err


def test_a_plug_in_is_no_fault_and_no_dossier_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    points = [metadata.EntryPoint(name, "no_such:D", "") for name in ("mine", "zhou2009")]
    monkeypatch.setattr(metadata, "entry_points", lambda **_: points)
    with pytest.raises(SpecError, match=r"no_such:D: cannot be imported: ModuleNotFoundError"):
        opened(["mine"])
    assert opened(["zhou2009"])[0].key == "zhou2009"


def test_a_fault_of_the_package_stays_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from noiseproof.audit.papers import zhou2009

    broken = Dossier("zhou2009", "T", {"zhou2009/a": lambda: 1 / 0})  # type: ignore[dict-item,return-value]
    monkeypatch.setattr(zhou2009, "DOSSIER", broken)
    done = CliRunner().invoke(app, ["papers", "zhou2009", "-o", "out", "--workers", "1"])
    assert (done.exit_code, "internal error: ZeroDivisionError" in done.stderr) == (3, True)
