"""What a release says of itself beyond its numbers: which one it corrects, and that a large epsilon is a weak guarantee."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from made_policies import KEY, PERSON, policy_text
from made_release import certificate, changed, manifest
from typer.testing import CliRunner

from noiseproof.audit.release.checklist import checklist
from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.policy import parse_policy
from noiseproof.audit.release.statements import statements
from noiseproof.audit.release.verify.manifest_check import check_manifest
from noiseproof.cli import app
from noiseproof.reports.data_card import data_card
from noiseproof.reports.release_page import release_page
from noiseproof.symbolic.errors import SpecError

AGE = {"name": "age", "kind": "integer", "role": "private", "low": 0, "high": 99, "missing": "skip"}
COUNT = [{"name": "people", "measure": "count"}]
WARNED = "is a weak guarantee"


def text_of(limits: dict[str, Any], first: str = "") -> str:
    noise = "gaussian" if {"rho", "delta"} & set(limits) else "laplace"
    mechanism = {"kind": "statistics", "noise": noise}
    table = {"rows_public": False, **PERSON}
    return first + policy_text((AGE, KEY), table, mechanism, limits, statistics=COUNT)


def test_what_is_corrected_stands_in_manifest_page_card_and_verification(tmp_path: Path) -> None:
    policy = parse_policy(text_of({"rho": 0.1}, 'corrects = "r1 <b>"\n').encode(), folder=tmp_path)
    assert statements(plan(policy)).policy["corrects"] == "r1 <b>"
    plain = manifest()
    data = changed(plain, "policy.corrects", "r1 <b>")
    files = {"page": release_page, "card": data_card}
    for draw in files.values():
        with_it, without = (draw(one, certificate(), checklist(one, certificate())) for one in (data, plain))
        assert "orrects release" in with_it
        assert "<b>" not in with_it
        assert "orrects release" not in without
    listed = {row["name"]: SimpleNamespace(**row) for row in data["files"]}
    data["ledger"] = None
    (said,) = check_manifest(data, {**certificate(), "verdict": data["verdict"]}, listed)  # type: ignore[arg-type]
    assert "it corrects release 'r1 <b>', as its policy says" in str(said)


def test_an_empty_name_of_what_is_corrected_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SpecError, match="corrects"):
        parse_policy(text_of({"rho": 0.1}, 'corrects = ""\n').encode())


@pytest.mark.parametrize(
    ("limits", "said"),
    [
        ({"epsilon": 10.0}, "to grow by a factor of 22,026"),
        ({"epsilon": 10.0, "delta": 1e-6}, "Epsilon 10 at delta 1e-06"),
        ({"epsilon": 31.0}, "to grow by a factor of e^31"),
        ({"rho": 2.0}, "Epsilon 11.69 at delta 1e-06"),
        ({"epsilon": 4.6}, "to grow by a factor of 99. "),
        ({"epsilon": 4.59}, ""),
        ({"epsilon": 9.9, "delta": 1e-6}, ""),
        ({"rho": 0.5}, ""),
    ],
    ids=str,
)
def test_a_warning_calls_a_large_epsilon_a_weak_guarantee(
    limits: dict[str, float], said: str, tmp_path: Path
) -> None:
    policy = parse_policy(text_of(limits).encode(), folder=tmp_path)
    first = statements(plan(policy)).does_not_mean[0]
    assert (WARNED in first) == bool(said)
    assert said in first
    (tmp_path / "policy.toml").write_text(text_of(limits))
    shown = CliRunner().invoke(app, ["release", str(tmp_path / "policy.toml"), "--dry-run"])
    assert shown.exit_code == 0
    assert (WARNED in shown.output) == bool(said)


def test_the_page_opens_with_what_is_protected_of_whom_and_by_how_much() -> None:
    def text(**more: Any) -> str:
        data = manifest()
        for path, value in more.items():
            data = changed(data, path.replace("__", "."), value)
        return " ".join(release_page(data, certificate(), checklist(manifest(), certificate())).split())

    person = {"path": "x", "unit_of_privacy": "person", "rows_per_person": 3}
    page = text(unit_of_privacy="person", policy__table=person, adjacency="add-or-remove person")
    assert "all records of every person (at most 3), taken one person at a time" in page
    assert "Adding or removing all records of one person makes no published result" in page
    assert "two equally likely tables with and without one person is right at most 81.8 times" in page
    pair = [{"kind": "approximate", "epsilon": 3.0, "delta": 1e-6, "sentence": "x"}]
    page = text(guarantees=pair, costs__rho=0.125)
    assert "more than 20.09 times (e^3) more or less likely, but for a probability of" in page
    assert "is right at most 62.5 times in 100" in page  # rho says more than epsilon and delta
    page = text(guarantees=[{"kind": "none", "sentence": "nothing"}])
    assert "No guarantee of differential privacy is stated." in page
    assert "An attacker who knows everything else" not in page
