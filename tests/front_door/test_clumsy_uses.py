"""What people do by mistake: a part of `benchmarks/clumsy_uses`, that its judge can say both words, and faults that it found."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path

import pytest
from checkout import ROOT
from clumsy_uses.catalogue import GROUPS
from clumsy_uses.judging import faults
from clumsy_uses.running import outcome_of
from clumsy_uses.use import APART, PYTHON, Outcome, Use

import noiseproof as npf
from noiseproof.audit.trial.planning.plan import plan_all

USES = [use for group in GROUPS.values() for use in group]
# Whatever needs a release or a paper beforehand takes seconds; the runner does those.
QUICK = [
    use for use in USES if use.how != APART and not use.fine and not {"released", "papers"} & {*use.kits}
]
REFUSED = Outcome(2, "", "error: x.toml: expected a number\n", {"x.toml": "1"}, {"x.toml": "1"})


@pytest.mark.parametrize("use", QUICK[::10], ids=lambda use: use.name)
def test_a_clumsy_use_is_told_what_to_do(use: Use) -> None:
    assert list(faults(use, outcome_of(use))) == []


def test_there_are_two_hundred_with_a_name_each() -> None:
    assert len(USES) >= 200
    assert len({(title, use.name) for title, group in GROUPS.items() for use in group}) == len(USES)


@pytest.mark.parametrize(
    ("outcome", "found"),
    [
        (REFUSED, []),
        (replace(REFUSED, code=3), ["exit code 3"]),
        (replace(REFUSED, code=0), ["accepted"]),
        (replace(REFUSED, err="error: no\n"), ["no word of what to do"]),
        (replace(REFUSED, err="Traceback (most recent call last)\nerror: give one\n"), ["a traceback"]),
        (replace(REFUSED, err="RuntimeWarning: overflow\nerror: give one\n"), ["a warning of Python"]),
        (replace(REFUSED, after={"x.toml": "2", "y": "1"}), ["left y", "changed x.toml"]),
        (replace(REFUSED, code=1, after={"x.toml": "1", ".y.7.partial": ""}), ["left half-written: .y.7.partial"]),
    ],
)  # fmt: skip
def test_the_judge_sees_a_planted_fault(outcome: Outcome, found: list[str]) -> None:
    assert list(faults(Use("planted", "noiseproof audit x.toml"), outcome)) == found


_ENDS = "def release(data, size, rng): raise GeneratorExit\ndef claims(): raise SystemExit(0)\n"
_SPEC = (
    'samples = 400\n[mechanism]\nfunction = "mine:release"\n[neighbours]\ninputs = [0.0, 1.0]\n'
    '[[claims]]\npredicate = "pure-dp"\nepsilon = 1\n'
)
_LONG = "x" * 300
FOUND = [
    (Use("code that ends Python", "noiseproof audit mine:claims", files={"mine.py": _ENDS}), "ended Python"),
    (
        Use("a release that does", "noiseproof audit s.toml", files={"mine.py": _ENDS, "s.toml": _SPEC}),
        "ended Python",
    ),
    (Use("a long output", f"noiseproof audit spec.toml -o {_LONG}", ("spec",)), "File name too long"),
    (Use("a long file", f"noiseproof init {_LONG}"), "File name too long"),
    (
        Use("a ledger in a folder", "noiseproof ledger create . --table t --unit record --epsilon 1"),
        "expected the name of a file",
    ),
    (
        Use("a folder that is gone", "mkdir x; cd x; rmdir ../x; noiseproof audit ../s.toml", how=APART),
        "the current folder is gone",
    ),
    (
        Use(
            "no output wanted", "noiseproof export out/certificate.json --no-latex --no-scripts", ("audited",)
        ),
        "--no-latex",
    ),
    (Use("UTF-16", "noiseproof audit s.toml", files={"s.toml": _SPEC.encode("utf-16")}), "save it as UTF-8"),
    (
        Use(
            "a seal of what cannot be read",
            "noiseproof seal out",
            ("audited",),
            before=("chmod 000 out/index.html",),
            how=APART,
            plain_user=True,
        ),
        "every file that is sealed must be readable",
    ),
    (Use("a box of texts", "npf.Box(['a'], ['b'])", how=PYTHON), "expected numbers"),
    (Use("a matrix of text", "npf.GaussianMechanism(covariance='eye')", how=PYTHON), "a square matrix of"),
    (
        Use("a ragged one", "npf.GaussianMechanism(covariance=[[1, 0], [0]])", how=PYTHON),
        "a square matrix of",
    ),
]


@pytest.mark.parametrize(("use", "said"), FOUND, ids=lambda x: x.name if isinstance(x, Use) else "")
def test_what_was_found_is_refused_in_words(use: Use, said: str) -> None:
    outcome = outcome_of(use)
    assert (outcome.code, said in outcome.message, outcome.after) == (2, True, outcome.before), outcome


def test_a_full_disk_leaves_no_empty_checkpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("noiseproof.audit.trial.schedule.checkpoint._write", full)
    text = _SPEC.replace("mine:release", "mine:noise")
    code = "def noise(data, size, rng): return rng.laplace(data, 1.0, size)\n"
    use = Use("full", "noiseproof audit s.toml", files={"mine.py": code, "s.toml": text})
    assert list(faults(use, outcome_of(use))) == []


@pytest.mark.parametrize("name", ["policy.toml", "spec.toml"])
def test_init_on_a_full_disk_leaves_nothing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    def full(path: Path, text: str, **_: object) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    outcome = outcome_of(Use("full", f"noiseproof init {name}"))
    said = f"error: {name}: cannot write: No space left on device"
    assert (outcome.message, outcome.code, outcome.after) == (said, 2, {})


def test_a_plan_for_a_huge_epsilon_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plan_all([npf.Claim(npf.PureDP(1e300))], samples=400)


def test_the_page_has_a_row_for_each_use_and_none_with_a_fault() -> None:
    page = (ROOT / "docs" / "clumsy-uses.md").read_text(encoding="utf-8")
    rows = [
        line
        for line in page.splitlines()
        if line.startswith("| ") and not line.startswith(("| use |", "| ---"))
    ]
    assert [row.split(": `")[0].removeprefix("| ") for row in rows] == [use.name for use in USES]
    assert " 0 of them with a fault" in page
