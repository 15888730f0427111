"""Waivers let a known failure pass for a while, in the open; whatever is wrong with one is an error."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from made_certificates import certificate, finding, one_of_each

from noiseproof.audit.trial.gate.fingerprints import claim_fingerprints
from noiseproof.audit.trial.gate.waivers import Waiver, exit_code, load_waivers, refuse_expired, waived
from noiseproof.symbolic.errors import SpecError

DAY = datetime.date(2030, 5, 1)
FINDINGS = one_of_each().to_dict()["findings"]
GOOD = '[[waivers]]\nclaim = "x"\nowner = "Ann"\nreason = "why"\nexpires = 2030-05-01\n'


def waiver(claim: str) -> Waiver:
    return Waiver(claim, "Ann", "why", DAY)


def test_a_claim_is_named_by_title_or_fingerprint() -> None:
    name = claim_fingerprints(FINDINGS)[1]
    assert waived([waiver(name)], FINDINGS) == {2: waiver(name)}
    title = FINDINGS[1]["title"]
    assert waived([waiver(title)], FINDINGS) == {2: waiver(title)}
    # A claim that passes needs none.
    assert waived([waiver(claim_fingerprints(FINDINGS)[0])], FINDINGS) == {}


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ("nothing", "matches no claim"),
        ("1-differentially private", r"matches 4 claims: name one by its fingerprint"),
        (claim_fingerprints(FINDINGS)[4], "is for a control"),
    ],
)
def test_a_waiver_that_fits_badly_is_an_error(claim: str, message: str) -> None:
    with pytest.raises(SpecError, match=message):
        waived([waiver(claim)], FINDINGS)


def test_a_waiver_ends_after_its_day() -> None:
    refuse_expired([waiver("x")], DAY)
    with pytest.raises(SpecError, match=r"'x' \(owner: Ann\) expired on 2030-05-01"):
        refuse_expired([waiver("x")], DAY + datetime.timedelta(days=1))


def test_exit_codes_without_what_is_waived() -> None:
    bad, open_, good = finding(1, "REFUTED"), finding(2, "UNDECIDED", epsilon=2), finding(3, epsilon=3)
    control = finding(4, "SURVIVED", epsilon=4, expect="falls")
    for findings, skipped, code in [
        ((bad, good), set(), 1),
        ((bad, good), {1}, 0),
        ((bad, open_, good), {1}, 4),
        ((bad, open_, good), {1, 2}, 0),
        ((bad, open_, good), {2}, 1),
        ((bad, good, control), {1}, 1),
    ]:
        assert exit_code(certificate(*findings).to_dict(), skipped) == code


BAD = {
    "no such file": None,
    "not valid TOML": "waivers = [",
    "nested too deeply, or a number too long": "waivers = 1" + "0" * 5000,
    r"waivers\[0\].claim: expected numbers below 1.8e308": GOOD.replace('"x"', "0x" + "f" * 6000),
    "unknown key; expected only": "[[waiver]]\nclaim = 'x'\n",
    r"waivers\[0\].expires: this key is missing": GOOD.replace("expires = 2030-05-01\n", ""),
    r"waivers\[0\].expires: expected a date": GOOD.replace("2030-05-01", '"2030-05-01"'),
    r"waivers\[0\].expires: expected a date .*datetime": GOOD.replace("2030-05-01", "2030-05-01T10:00:00"),
    r"waivers\[0\].owner: expected text": GOOD.replace('"Ann"', '" "'),
    r"waivers\[0\].reasons: unknown key; did you mean 'reason'": GOOD.replace("reason", "reasons"),
    "expected an array of tables": "waivers = 3\n",
}


@pytest.mark.parametrize("message", BAD)
def test_unusable_files_are_one_message(tmp_path: Path, message: str) -> None:
    file, text = tmp_path / "w.toml", BAD[message]
    if text is not None:
        file.write_text(text)
    with pytest.raises(SpecError, match=message):
        load_waivers(file)


def test_a_file_of_waivers(tmp_path: Path) -> None:
    file = tmp_path / "w.toml"
    file.write_text(GOOD)
    (found,) = load_waivers(file)
    assert found == waiver("x")
    assert found.words() == "waived by Ann until 2030-05-01: why"
    file.write_text("")
    assert load_waivers(file) == ()
