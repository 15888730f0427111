"""The command: exit codes, one clear message per error, nothing half-written, help at once."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from made_certificates import one_of_each
from typer.testing import CliRunner

from noiseproof import cli
from noiseproof.console import write_all

LAPLACE = '[mechanism]\nname = "laplace"\nepsilon = 1\nsensitivity = 1\n'
LAW = '[[claims]]\npredicate = "pure-dp"\nepsilon = {}\nabout = "law"\n'
GOOD = LAPLACE + LAW.format(1)

RELEASES = """
import numpy as np
from noiseproof.mechanisms import BlackBox
from noiseproof.symbolic.privacy.guarantees import PureDP

def nan(data, size, rng): return np.full(size, np.nan)
def infinite(data, size, rng): return np.full(size, np.inf)
def raises(data, size, rng): raise RuntimeError("out of order")
def short(data, size, rng): return np.zeros(size + 1)
def scalar(data, size, rng): return 0.0
def nan_on_one(data, size, rng): return np.full(size, np.nan) if data else rng.laplace(size=size)
def nothing(): return BlackBox(nan, (0.0, 1.0)), []
def interrupted(): raise KeyboardInterrupt
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "releases.py").write_text(RELEASES)
    (tmp_path / "good.toml").write_text(GOOD)
    yield tmp_path
    sys.modules.pop("releases", None)


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli.app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def audit(folder: Path, text: str, *options: str) -> tuple[int, str, str]:
    (folder / "s.toml").write_text(text)
    return run("audit", "s.toml", *options)


def test_audit_writes_certificate_and_page(folder: Path) -> None:
    code, out, err = run("audit", "good.toml", "-o", "out", "--samples", "200", "--seed", "4")
    assert (code, err) == (0, "")
    assert sorted(p.name for p in (folder / "out").iterdir()) == ["certificate.json", "index.html"]
    certificate = json.loads((folder / "out" / "certificate.json").read_text())
    assert certificate["settings"]["samples"] == 200
    assert certificate["provenance"]["command"] == "noiseproof audit good.toml --samples 200 --seed 4"
    assert certificate["provenance"]["spec_digest"].startswith("sha256:")
    assert out.splitlines()[-1] == f"page: {Path('out') / 'index.html'}"
    assert "PROVED" in out
    assert "\x1b" not in out


def test_the_same_spec_and_seed_give_the_same_bytes_but_for_timings(folder: Path) -> None:
    texts = []
    for name in ("a", "b"):
        run("audit", "good.toml", "-o", name, "-q")
        certificate = json.loads((folder / name / "certificate.json").read_text())
        certificate.pop("timings")
        texts.append(json.dumps(certificate))
    assert texts[0] == texts[1]


CONTROL = '[[controls]]\npredicate = "pure-dp"\nepsilon = {}\nabout = "law"\n'
EXITS = [
    ("claims hold, control falls", GOOD + CONTROL.format(0.99), 0),
    ("claim refuted", LAPLACE + LAW.format(0.99), 1),
    ("control stands", GOOD + CONTROL.format(1), 1),
    ("nothing to check", LAPLACE, 5),
    ("controls only", LAPLACE + CONTROL.format(0.5), 5),
]


@pytest.mark.parametrize(("text", "code"), [e[1:] for e in EXITS], ids=[e[0] for e in EXITS])
def test_exit_codes_of_audit(folder: Path, text: str, code: int) -> None:
    found, _, err = audit(folder, text)
    assert (found, err) == (code, "")


def test_nothing_to_check_from_a_function(folder: Path) -> None:
    assert run("audit", "releases:nothing")[0] == 5


BOX = '[mechanism]\nfunction = "releases:{}"\n[neighbours]\ninputs = [0.0, 1.0]\n'
BOX += '[[claims]]\npredicate = "pure-dp"\nepsilon = 1\n'
DATA = '[data]\nsource = "{}"\nbounds = [0, 1]\n'
BAD: list[tuple[str, str, list[str]]] = [
    ("NaN on both inputs", BOX.format("nan"), ["NaN"]),
    ("infinite on both inputs", BOX.format("infinite"), ["infinite"]),
    ("exception on both inputs", BOX.format("raises"), ["RuntimeError", "out of order"]),
    ("too many outcomes", BOX.format("short"), ["shape"]),
    ("one outcome", BOX.format("scalar"), ["shape"]),
    ("empty data", DATA.format("empty.csv") + GOOD, ["s.toml: data.source", "holds no record"]),
    ("epsilon 0", LAPLACE + LAW.format(0), ["claims[0].epsilon", "> 0, got 0"]),
    ("epsilon < 0", LAPLACE + LAW.format(-1), ["> 0, got -1"]),
    (
        "delta 1",
        LAPLACE + LAW.format("1\ndelta = 1").replace("pure", "approx"),
        ["claims[0].delta", "[0, 1)"],
    ),
    (
        "not neighbours",
        BOX.format("nan").replace("= [0.0, 1.0]", "= [1.0, 1.0]"),
        ["neighbours.inputs", "equal"],
    ),
    (
        "two records differ",
        BOX.format("nan").replace(
            "inputs = [0.0, 1.0]", 'inputs = [[0, 0], [1, 1]]\nadjacency = "replace-one"'
        ),
        ["not neighbours"],
    ),
    ("unknown key", "sample = 3\n" + GOOD, ["s.toml: sample: unknown key; did you mean 'samples'?"]),
    ("no TOML", "title =", ["not valid TOML"]),
    ("few samples", "samples = 5\n" + GOOD, ["samples: expected a number >= 100"]),
]


@pytest.mark.parametrize(("text", "parts"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_input_gives_one_message_and_leaves_everything_as_it_was(
    folder: Path, text: str, parts: list[str]
) -> None:
    (folder / "empty.csv").write_text("x\n")
    (folder / "old").mkdir()
    (folder / "old" / "certificate.json").write_text("older")
    for output in ("new", "old"):
        code, out, err = audit(folder, text, "-o", output, "--samples", "500")
        if "samples" in text.split("\n", 1)[0]:
            code, out, err = audit(folder, text, "-o", output)
        assert (code, out) == (2, "")
        assert err.startswith("error: ")
        assert err.count("\n") == 1
        assert [part for part in parts if part not in err] == [], err
    assert not (folder / "new").exists()
    assert [p.name for p in (folder / "old").iterdir()] == ["certificate.json"]
    assert (folder / "old" / "certificate.json").read_text() == "older"


def test_a_failure_on_one_input_only_is_an_outcome(folder: Path) -> None:
    code, _, err = audit(folder, BOX.format("nan_on_one"), "--samples", "2000")
    assert (code, err) == (1, "")


USAGE = [
    (["audit", "no.toml"], "no such file"),
    (["audit", "releases:no"], "has no function"),
    (["audit", "noiseproof:examin"], "did you mean 'examine'? expected one of: AddOrRemove, "),
    (["audit", "noiseproof:examine"], "needs the arguments subject, claims, and is called without any"),
    (["verify", "."], "no attestation.json, release.json or certificate.json"),
    (["audit", "good.toml", "--alpha", "2"], "--alpha: expected a number in (0, 1), got 2.0"),
    (["audit", "good.toml", "-o", "good.toml"], "expected a folder, got a file"),
    (["report", "no.json"], "no such file"),
    (["report", "good.toml"], "not JSON"),
    (["report", "other.json"], "noiseproof-certificate-1"),
    (["report", "cut.json"], "incomplete or damaged at title: this key is missing"),
    (["replay", "out.json"], "expected CERTIFICATE.json#N"),
    (["replay", "whole.json#9"], "no finding 9; expected one of 1, 2, 3, 4, 5"),
    (["papers", "farokhi2091"], "farokhi2091"),
    (["init", "good.toml"], "not overwritten"),
]


@pytest.mark.parametrize(("arguments", "part"), USAGE, ids=[" ".join(u[0]) for u in USAGE])
def test_bad_usage_gives_exit_code_2(folder: Path, arguments: list[str], part: str) -> None:
    (folder / "other.json").write_text('{"schema": "other"}')
    (folder / "whole.json").write_text(one_of_each().to_json())
    (folder / "cut.json").write_text('{"schema": "noiseproof-certificate-1", "findings": []}')
    before = sorted(p.name for p in folder.iterdir() if p.name != "__pycache__")
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert part in err
    assert sorted(p.name for p in folder.iterdir() if p.name != "__pycache__") == before


@pytest.mark.parametrize(
    ("typed", "offered"),
    [("re", {"release", "report", "replay"}), ("ledger cr", {"create"}), ("plan --rh", {"--rho"})],
)
def test_a_shell_completes_commands_and_options(typed: str, offered: set[str]) -> None:
    words = {"COMP_WORDS": f"noiseproof {typed}", "COMP_CWORD": str(len(typed.split()))}
    done = CliRunner().invoke(
        cli.app, [], prog_name="noiseproof", env={"_NOISEPROOF_COMPLETE": "complete_bash", **words}
    )
    assert set(done.stdout.split()) == offered


@pytest.mark.parametrize(
    "arguments", [["audit"], ["audit", "x", "--sample", "3"], ["audi"], ["audit", "x", "--seed", "-1"]]
)
def test_options_that_do_not_exist_give_exit_code_2(folder: Path, arguments: list[str]) -> None:
    code, _, err = run(*arguments)
    assert code == 2
    assert err


def test_an_internal_error_is_short_unless_debugged(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any, **__: Any) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(cli, "_examine", broken)
    code, _, err = run("audit", "good.toml", "-o", "out")
    assert (code, err.count("\n")) == (3, 1)
    assert "internal error: ZeroDivisionError: a bug" in err
    assert "Traceback" in run("audit", "good.toml", "--debug")[2]
    assert not (folder / "out").exists()


def test_an_interrupt_is_clean(folder: Path) -> None:
    code, out, err = run("audit", "releases:interrupted", "-o", "out")
    assert (code, out, err) == (130, "", "interrupted: nothing was written\n")
    assert not (folder / "out").exists()


def test_several_files_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    from noiseproof.symbolic.errors import SpecError

    (tmp_path / "a").write_text("older")
    (tmp_path / "file").write_text("")
    with pytest.raises(SpecError, match="cannot write"):
        write_all({tmp_path / "a": "newer", tmp_path / "file" / "b": "newer"})
    assert (tmp_path / "a").read_text() == "older"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "file"]


def test_report_draws_the_page_again(folder: Path) -> None:
    run("audit", "good.toml", "-o", "out", "-q")
    assert run("report", "out/certificate.json")[0] == 0
    assert run("report", "out/certificate.json", "-o", "elsewhere/page.html", "-q") == (0, "", "")
    # A browser shows what has no suffix as text.
    assert run("report", "out/certificate.json", "-o", "page")[:2] == (0, "page: page.html\n")
    pages = [
        folder / "page.html",
        folder / "out" / "index.html",
        folder / "out" / "certificate.html",
        folder / "elsewhere" / "page.html",
    ]
    assert len({p.read_text() for p in pages}) == 1


def test_replay_evaluates_the_witnesses_of_a_finding(folder: Path) -> None:
    data = one_of_each().to_dict()
    data["settings"]["alpha"] = 0.06
    standing = data["findings"][3]["evidence"]
    standing.append(json.loads(json.dumps(standing[0])))
    standing[1]["witness"]["count"]["k"] = 20
    (folder / "c.json").write_text(json.dumps(data))
    said = "likelihood ratio: refutation confirmed: the event happened 900 times in 1,000 on input 1 and 10 times in 1,000 on input 0"
    code, out, err = run("replay", "c.json#2")
    assert (code, out.startswith(said), out.count("\n"), err) == (0, True, 1, "")
    code, out, _ = run("replay", "c.json#4")
    assert code == 1
    assert [line.split(":")[1] for line in out.splitlines()] == [" refutation confirmed", " DOES NOT STAND"]
    code, _, err = run("replay", "c.json#3")
    assert code == 2
    assert "finding 3 has no witness: only refutations carry one; findings with a witness: 2, 4" in err


@pytest.mark.parametrize(
    ("old", "arguments"), [('"epsilon": 1.0', ["replay", "c.json#2"]), ('"error": 0.0', ["report", "c.json"])]
)
def test_numbers_beyond_doubles_in_a_certificate_are_a_message(
    folder: Path, old: str, arguments: list[str]
) -> None:
    text = one_of_each().to_json()
    assert old in text
    (folder / "c.json").write_text(text.replace(old, old[: old.index(":") + 1] + "9" * 400))
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert "too large" in err


def test_init_knows_what_a_file_is_to_be_by_its_name(folder: Path) -> None:
    assert not any(run("init", name)[0] for name in ("policy.toml", "test_mine.py", "mine.py", "a spec"))
    assert {p.name for p in folder.iterdir()} >= {"people.csv", "policy.toml", "test_mine.py", "mine.py"}
    (folder / "policy.toml").unlink()
    for refused in ("policy.toml", "mine.py", "my-theorem.py"):
        code, _, err = run("init", refused)
        assert (code, err.count("\n")) == (2, 1)
    assert not (folder / "policy.toml").exists()


def test_init_writes_a_spec_that_runs(folder: Path) -> None:
    assert run("init")[0] == 0
    code, out, err = run("audit", "noiseproof.toml", "--samples", "20000")
    assert (code, err) == (0, "")
    assert out.count("PROVED") == 2
    assert out.count("refuted as expected") == 1
    assert run("init", ".")[0] == 2


def test_papers_exits_with_1_if_a_twin_did_not_flip(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from noiseproof.audit import dossier

    claim = dossier.PaperClaim("t", dossier.Statement("s", 0), undecided="no data")
    made = dossier.run(dossier.Dossier("k", "T", {"k/a": lambda: claim}))
    monkeypatch.setattr("noiseproof.audit.papers.run_dossiers", lambda keys, **_: [made])
    for said, code in (([], 0), (["k/a: the twin came out survived"], 1)):
        monkeypatch.setattr(dossier, "faults", lambda dossiers, said=said: said)
        found, out, err = run("papers", "k", "-o", "out")
        assert (found, err) == (code, "".join(f"{line}\n" for line in said))
        assert sorted(p.name for p in (folder / "out").iterdir()) == ["index.html", "k.html", "k.json"]
        assert out.splitlines()[-1] == f"page: {Path('out') / 'index.html'}"


def test_mechanisms_lists_names_as_a_spec_writes_them() -> None:
    code, out, _ = run("mechanisms")
    assert code == 0
    assert "optimal-gaussian" in out
    assert "parameters: lambda, domain" in out


def cpu_of_children() -> float:
    used = os.times()
    return used.children_user + used.children_system


def test_help_answers_at_once() -> None:
    # Seconds of CPU: those of the wall clock are the machine's load as well.
    times = []
    for _ in range(3):
        started = cpu_of_children()
        done = subprocess.run(
            [sys.executable, "-m", "noiseproof", "--help"],
            capture_output=True,
            text=True,
            check=True,
            timeout=30,
        )
        times.append(cpu_of_children() - started)
    assert all(word in done.stdout for word in ("audit", "report", "replay", "papers", "mechanisms", "init"))
    assert min(times) < 0.5


def test_help_imports_nothing_heavy() -> None:
    code = "import sys, noiseproof.cli; print([m for m in ('sympy', 'numpy', 'pydantic', 'scipy') if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("extra", "coloured"), [({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)]
)
def test_no_color_is_respected(
    folder: Path, monkeypatch: pytest.MonkeyPatch, extra: dict[str, str], coloured: bool
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in {**extra, "TERM": "xterm-256color"}.items():
        monkeypatch.setenv(name, value)
    code, out, _ = run("audit", "good.toml")
    assert code == 0
    assert ("\x1b[3" in out or "\x1b[1;3" in out) is coloured
