"""`noiseproof answer`: what only people know is filled in after a release, which is sealed again; nothing is drawn, nothing is charged."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from made_policies import made_policy
from sealed_release import Sealed, seal
from typer.testing import CliRunner

from noiseproof.audit.record.seal.folder import BUNDLE
from noiseproof.audit.release import answering
from noiseproof.audit.release.tables import outcome_folder
from noiseproof.audit.release.verify import attest
from noiseproof.cli import app
from noiseproof.release_command import pages
from noiseproof.symbolic.errors import SpecError

WHY = "two data stewards, access reviewed on 3 March"


def call(*words: str | Path) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["answer", *map(str, words)])
    return done.exit_code, done.output


def written(place: Path, **answers: str) -> Path:
    path = place / "answers.toml"
    lines = [f"{key.replace('_', '-')} = {json.dumps(said)}" for key, said in answers.items()]
    path.write_text("\n".join(["[answers]", *lines]))
    return path


def full(*_: object, **__: object) -> None:
    raise OSError(28, "")


def contents(place: Path) -> dict[str, Any]:
    return {str(p.relative_to(place)): p.is_file() and p.read_bytes() for p in place.rglob("*")}


def test_answers_are_filled_in_and_the_folder_is_sealed_again(
    sealed: Sealed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = sealed.json("release.json")
    untouched = {name: (sealed.folder / name).read_bytes() for name in ("data.csv", "certificate.json")}
    given = written(tmp_path, trust_curator=f"yes: {WHY}", utility_bias="", side_time="yes: no clock")
    code, said = call(sealed.folder, given, "--key", sealed.key)
    assert code == 0, said
    assert "answered: trust-curator" in said
    assert "utility-bias" in said.partition("not answered")[2]
    after = sealed.json("release.json")
    stated = {"trust-curator": f"yes: {WHY}", "side-time": "yes: no clock"}
    assert after == {**before, "policy": {**before["policy"], "answers": stated}, "answers": stated}
    assert untouched == {name: (sealed.folder / name).read_bytes() for name in untouched}
    assert WHY in (sealed.folder / "index.html").read_text(encoding="utf-8")
    assert sealed.faults(pages=pages) == []
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith((".", "release"))) == ["release"]

    more = written(
        tmp_path, trust_curator="no: the review was of another table", utility_bias="yes: looked at"
    )
    # A disk without hard links.
    monkeypatch.setattr("os.link", full)
    code, said = call(sealed.folder, more, "--key", sealed.key)
    assert (code, sealed.json("release.json")["answers"]) == (
        0,
        stated | tomllib.loads(more.read_text())["answers"],
    )
    assert "trust-curator (was: yes)" in said
    assert "no stays a no" in said
    # A second person may sign a folder that says no: it is as it was.
    seal(sealed.folder, sealed.other, pages=pages)
    assert len(sealed.json("attestation.json")["signatures"]) == 2


def test_verify_counts_what_nobody_answered_or_knows_and_warns_of_a_private_key(
    sealed: Sealed, tmp_path: Path
) -> None:
    given = written(tmp_path, side_time="not known: the operator left", unit_rows="not applicable: machines")
    assert call(sealed.folder, given, "--key", sealed.key)[0] == 0
    done = CliRunner().invoke(app, ["verify", str(sealed.folder), "--key", str(sealed.key)])
    assert done.exit_code == 0, done.output
    assert "not yet answered by the signer; 1 not known to the signer; none not met" in done.output
    assert re.search(
        r"of 35 items \d+ met by evidence; (\d+ not applicable; )?1 answered by the signer; ", done.output
    )
    assert "is a private key. Verify with the public one" in done.output
    assert "not applicable - machines" in (sealed.folder / "index.html").read_text(encoding="utf-8")


def test_a_no_to_what_a_check_settled_is_not_said_to_count(sealed: Sealed, tmp_path: Path) -> None:
    code, said = call(
        sealed.folder, written(tmp_path, unit_agrees="no: rows are visits"), "--key", sealed.key
    )
    assert (code, "no stays a no" in said, sealed.faults(pages=pages)) == (0, False, [])


def test_without_a_file_the_questions_are_printed(sealed: Sealed) -> None:
    code, said = call(sealed.folder)
    assert code == 0
    assert {"trust-curator", "implementation-randomness", "side-time"} <= set(tomllib.loads(said)["answers"])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('[answers]\ntrust-curater = "yes: so"', "no item 'trust-curater': did you mean 'trust-curator'"),
        ('trust-curator = "yes: so"', "answers"),
        ("[answers]\ntrust-curator = true", "answers.trust-curator"),
        ('[answers]\ntrust-curator = "yes"', "with the reason in words"),
        ('[answers]\ntrust-curator = ""', "no question is answered"),
        ("", "answers"),
        ("[answers", "not valid TOML"),
    ],
)
def test_what_is_no_answer_is_said_and_nothing_is_written(
    sealed: Sealed, tmp_path: Path, text: str, said: str
) -> None:
    (tmp_path / "answers.toml").write_text(text)
    before = contents(tmp_path)
    code, output = call(sealed.folder, tmp_path / "answers.toml", "--key", sealed.key)
    assert (code, said in output) == (2, True), output
    assert contents(tmp_path) == before


def test_what_is_not_as_it_was_sealed_gets_no_answers(
    sealed: Sealed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = written(tmp_path, trust_curator=f"yes: {WHY}")
    with monkeypatch.context() as inside:
        inside.chdir(sealed.folder)
        code, said = call(".", given, "--key", sealed.key)
        assert (code, "run this from outside of it" in said) == (2, True)
    code, said = call(sealed.folder, given)
    assert (code, "is signed" in said, "--key" in said) == (2, True, True)
    inside = sealed.folder / "key"
    inside.write_bytes(sealed.key.read_bytes())
    assert "lies in the folder that is given away" in call(sealed.folder, given, "--key", inside)[1]
    inside.unlink()
    assert call(tmp_path / "other", given)[0] == 2
    assert call(sealed.folder, tmp_path / "other.toml", "--key", sealed.key)[0] == 2
    (sealed.folder / "data.csv").write_text("age\n")
    code, said = call(sealed.folder, given, "--key", sealed.key)
    assert (code, "not as it was then" in said) == (2, True)
    (sealed.folder / "attestation.json").unlink()
    assert "seal` writes that" in call(sealed.folder, given, "--key", sealed.key)[1]
    attest(sealed.folder)
    (sealed.folder / BUNDLE).touch()
    with pytest.raises(SpecError, match="is signed"):
        answering._require_unsigned(sealed.folder)


def test_an_end_in_the_middle_leaves_the_folder_as_it_was(
    sealed: Sealed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = contents(tmp_path)
    monkeypatch.setattr(answering, "attest", full)
    with pytest.raises(SpecError, match="nothing was written"):
        answering.answer(sealed.folder, {"trust-curator": f"yes: {WHY}"}, sealed.key, pages=pages)
    assert contents(tmp_path) == before


def test_where_folders_cannot_change_names_at_once_they_do_so_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(outcome_folder, "_EXCHANGE", -1)
    (tmp_path / "out").mkdir(0o750)
    (tmp_path / "out" / "old").touch()
    with outcome_folder.whole_or_nothing(tmp_path / "out", over=True) as folder:
        (folder / "new").touch()
    assert set(contents(tmp_path)) == {"out", "out/new"}
    assert (tmp_path / "out").stat().st_mode & 0o777 == 0o750


def test_an_empty_answer_in_a_policy_is_a_question_that_waits(tmp_path: Path) -> None:
    policy = made_policy(tmp_path, answers={"trust-curator": " ", "utility-bias": "yes: looked at"})
    assert policy.public_data()["answers"] == {"utility-bias": "yes: looked at"}
