"""Certificates whose words do not follow from what they hold are refused by every reader, whatever was edited together."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from made_certificates import one_of_each
from typer.testing import CliRunner

import noiseproof as npf
from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.known_checks import CHECKS
from noiseproof.audit.trial.checks import BIT_CHECKS
from noiseproof.audit.trial.checks import CHECKS as BOUND
from noiseproof.audit.trial.checks.vacuous import Vacuous
from noiseproof.cli import app


@cache
def _text() -> str:
    laplace = npf.LaplaceMechanism(1.0, 1.0)
    law = {"about": "law"}
    claims: list[Any] = [
        npf.PureDP(1.0),
        npf.PureDP(0.4),
        npf.Claim(npf.PureDP(1.0), **law),
        npf.Claim(npf.PureDP(0.5), **law),
        npf.Claim(npf.ApproxDP(0.9, 0.2), **law),
    ]
    return npf.examine(laplace, claims, samples=2000).to_json()


def honest() -> Any:
    """One claim that survives, one that is refuted, and proofs."""
    return json.loads(_text())


def evidence(data: Any, finding: int, check: str) -> Any:
    return next(e for e in data["findings"][finding]["evidence"] if e["check"] == check)


def turned(data: Any, finding: int, word: str, *, witness: bool) -> None:
    """A refutation rewritten as a pass, with every verdict that follows."""
    found = data["findings"][finding]
    for one in found["evidence"]:
        if one["verdict"] == "REFUTED":
            one["verdict"] = "PROVED" if one["kind"] == "proof" else "SURVIVED"
            one["witness"] = one["witness"] if witness else None
            for step in one["derivation"]:
                step["truth"] = "cited" if step["truth"] == "cited" else "holds"
    found["sentences"] = {s: v and (word if s != "law" else "PROVED") for s, v in found["sentences"].items()}
    found.update(verdict=word, as_expected=True)
    data["findings"] = [found]
    data.update(verdict=word, exit_code=0)


def proof(data: Any, *steps: tuple[str, str, str, str]) -> None:
    names = ("left", "relation", "right", "truth")
    evidence(data, 2, "derivation")["derivation"] = [
        {**dict(zip(names, step, strict=True)), "reason": "because"} for step in steps
    ]


def bytes_without_bits(data: Any) -> None:
    data["settings"]["bits"] = False
    found = data["findings"][0]
    found["evidence"].append(
        {**evidence(data, 0, "likelihood ratio"), "check": "bit patterns", "sentence": "bytes"}
    )
    found["sentences"]["bytes"] = "SURVIVED"


def named(name: str) -> Callable[[Any], None]:
    def change(data: Any) -> None:
        found = data["findings"][0]
        for place in (found["claim"], *(e["claim"] for e in found["evidence"])):
            place["predicate"] = name

    return change


def other_number(data: Any) -> None:
    """The proof of one claim under another, told in all of its words."""
    found = data["findings"][2]
    for place in (found["claim"], *(e["claim"] for e in found["evidence"])):
        place["parameters"] = {"epsilon": 0.75}
    text = json.dumps(found).replace("1-differentially private", "0.75-differentially private")
    data["findings"][2] = json.loads(text)


def lr(**changed: Any) -> Callable[[Any], None]:
    return lambda d: evidence(d, 0, "likelihood ratio").update(changed)


def told(**changed: Any) -> Callable[[Any], None]:
    return lambda d: evidence(d, 0, "likelihood ratio")["measured"].update(changed)


def beside(**changed: Any) -> Callable[[Any], None]:
    """One more piece of evidence, like the attack but for this."""

    def change(data: Any) -> None:
        data["findings"][0]["evidence"].append(
            {**evidence(data, 0, "likelihood ratio"), "error": 0.0, **changed}
        )

    return change


def of_error(data: Any) -> None:
    """The attack on a guarantee beside the claim of an error bound."""
    found = data["findings"][0]
    for place in (found["claim"], *(e["claim"] for e in found["evidence"])):
        place.update(predicate="ErrorBound", parameters=npf.ErrorBound(1.0).parameters())


def twice_bounded(data: Any) -> None:
    evidence(data, 0, "likelihood ratio")["bounds"] *= 2


def odd_share(data: Any) -> None:
    """Less for each test than alpha over their number."""
    for one in (data["settings"], *(e for f in data["findings"] for e in f["evidence"])):
        key = "error" if "error" in one else "alpha_per_test"
        one[key] *= 0.93


def less_than_survived(data: Any) -> None:
    """What the fit survived, told as undecided beside a refutation."""
    evidence(data, 1, "fit")["verdict"] = data["findings"][1]["sentences"]["fit"] = "UNDECIDED"


def row(**changed: Any) -> Callable[[Any], None]:
    return lambda d: evidence(d, 0, "likelihood ratio")["bounds"][0].update(changed)


FORGED: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a refutation told as a survival": (
        lambda d: turned(d, 1, "SURVIVED", witness=True),
        "a witness that refutes",
    ),
    "and its witness taken away": (
        lambda d: turned(d, 1, "SURVIVED", witness=False),
        "was certified where 0.4 is claimed",
    ),
    "a refuted law told as proved": (
        lambda d: turned(d, 3, "PROVED", witness=False),
        "is said to hold and is false",
    ),
    "more certified than claimed": (row(certified=1.5), "was certified where 1 is claimed"),
    "less claimed than is": (row(claimed=7.0), "which is not the claim's"),
    "other bounds than were measured": (row(certified=0.01), "its bounds are not those that it measured"),
    "other numbers than its bounds": (told(found=0.01), "its bounds are not those that it measured"),
    "another number than the claim's": (told(claimed=2.0), "which is not the claim's"),
    "a reason beside a survival": (lr(reason="no event was tested"), "do not say what was tried"),
    "a survival of no outcome": (told(samples=[0, 0]), "do not say what was tried"),
    "a survival of no event": (told(count=[]), "its numbers are not those of this check"),
    "a fit that its p-value refutes": (
        lambda d: evidence(d, 0, "fit")["measured"].update(p=1e-9),
        "what it measured breaks the claim",
    ),
    "an integral beyond the claim": (
        lambda d: evidence(d, 0, "quadrature")["measured"].update(excess=0.01),
        "what it measured breaks the claim",
    ),
    "a number of another name": (told(certain=0.5), "this key is unknown"),
    "a number of another type": (told(learnt="300"), "measured.learnt"),
    "a sentence of its own": (lr(detail="proved by hand"), "this key is unknown"),
    "more certified than was within reach": (row(certified=0.9, attainable=0.8), "was within reach"),
    "two bounds at one delta": (twice_bounded, "do not ascend"),
    "an epsilon for an error bound": (of_error, "the claim is no privacy guarantee"),
    "an attack that did nothing": (
        lr(measured={}, bounds=[], series=[], resolution=None),
        "do not say what was tried",
    ),
    "the bounds of another check": (
        lambda d: evidence(d, 0, "fit").update(bounds=evidence(d, 0, "likelihood ratio")["bounds"]),
        "which this check does not make",
    ),
    "an attack without bounds": (lr(bounds=[]), "no bound says"),
    "an attack without error": (lr(error=0.0), "without an error probability"),
    "a witness of another check": (
        lambda d: evidence(d, 1, "derivation").update(witness=evidence(d, 1, "likelihood ratio")["witness"]),
        "of a kind that it does not find, 'event'",
    ),
    "a witness of no kind": (
        lambda d: evidence(d, 1, "derivation")["witness"].update(kind=["event"]),
        "names its evaluator",
    ),
    "an attack of more samples": (lambda d: d["settings"].update(samples=10**6), "speaks of 2,000 outcomes"),
    "an attack of fewer samples": (lambda d: d["settings"].update(samples=1999), "speaks of 2,000 outcomes"),
    "an attack of no samples": (lambda d: d["settings"].update(samples=0), "fewer than any audit takes"),
    "an attack that proves": (
        lambda d: (beside(verdict="PROVED")(d), d["findings"][0]["sentences"].update(code="PROVED")),
        "proves nothing",
    ),
    "a check that is none": (lr(check="oracle"), "it is no check of an audit"),
    "a check of another sentence": (beside(sentence="law"), "it says no such thing"),
    "repeated calls that support": (beside(check="repeated calls", sentence="bytes"), "says no such thing"),
    "alpha that is not shared": (lambda d: d["settings"].update(alpha=0.01), "beyond the alpha"),
    "an alpha of more tests than were made": (
        lambda d: d["settings"].update(alpha=2 * d["settings"]["alpha"]),
        "is not that of 4 tests",
    ),
    "a share that is no whole part": (odd_share, "is not that of 4 tests"),
    "a share that is none": (lambda d: d["settings"].update(alpha_per_test=0.5), "is not the share"),
    "a proof of one cited step": (lambda d: proof(d, ("", "", "", "cited")), "every step is cited"),
    "a proof by a false step": (lambda d: proof(d, ("2", "<=", "1", "holds")), "is false: 2 <= 1"),
    "a proof by a false number": (lambda d: proof(d, ("sqrt(5)", "<=", "1", "holds")), "is false"),
    "a proof of something else": (
        lambda d: proof(d, ("1", "<=", "2", "holds")),
        "compares with what is claimed",
    ),
    "a proof of another relation": (
        lambda d: proof(d, ("1", "=", "1", "holds")),
        "compares with what is claimed",
    ),
    "a proof without end": (
        lambda d: proof(d, *[("1", "<=", "1", "holds")] * 20_001),
        "longer than any proof",
    ),
    "a proof of nothing": (lambda d: proof(d, ("", "", "", "holds")), "says nothing"),
    "a proof without steps": (lambda d: proof(d), "without a derivation"),
    "a step that fails": (lambda d: proof(d, ("x", "<=", "1", "fails")), "a step does not hold"),
    "a step that holds": (lambda d: proof(d, ("1", "<=", "2", "fails")), "said to fail and is true"),
    "an error of what is exact": (
        lambda d: evidence(d, 2, "derivation").update(error=0.01),
        "of what is exact",
    ),
    "the proof of another number": (other_number, "compares with what is claimed"),
    "bytes without bits": (bytes_without_bits, "did not look at bits"),
    "a predicate in other letters": (named("PureDp"), "no predicate 'PureDp'"),
    "a predicate with a hidden letter": (named("PureDP\u200b"), "no predicate"),
    "a number that is none": (
        lambda d: d["findings"][0]["claim"]["parameters"].update(epsilon="nan"),
        "the claim is none",
    ),
    "a truth for a number": (
        lambda d: d["findings"][0]["claim"]["parameters"].update(epsilon=True),
        "the claim is",
    ),
    "alpha above one": (lambda d: d["settings"].update(alpha=2), "settings.alpha"),
    "a subject from elsewhere": (
        lambda d: d["findings"][0].update(subject="another"),
        "is none of the certificate",
    ),
    "a law that is asked as code": (
        lambda d: d["findings"][0]["claim"].update(about="law"),
        "asks about the law",
    ),
    "a refuted law told as code": (
        lambda d: d["findings"][3]["claim"].update(about="code"),
        "asks about the code",
    ),
    "code that nobody asks any more": (
        lambda d: d["findings"][1]["sentences"].update(code=None),
        "asks about the code",
    ),
    "a survival told as undecided": (less_than_survived, "its resolution is that of a survival"),
    "a witness that was cut": (
        lambda d: evidence(d, 1, "derivation")["witness"].pop("left"),
        "its witness was cut or edited",
    ),
    "a claimed number within the steps of its table": (row(claimed=1.001), "which is not the claim's"),
    "a sentence that nobody asks any more": (
        lambda d: d["findings"][1]["sentences"].update(law=None),
        "it does not speak of law",
    ),
    "a number that cannot be evaluated": (
        lambda d: evidence(d, 1, "derivation")["witness"].update(left="1e99999999999"),
        "a number is too large",
    ),
}


@pytest.mark.parametrize("how", FORGED)
def test_what_does_not_follow_is_refused(how: str) -> None:
    data = honest()
    change, message = FORGED[how]
    change(data)
    with pytest.raises(ValueError, match=r".") as refused:
        Certificate.from_json(json.dumps(data))
    said = "\n".join(getattr(refused.value, "faults", [str(refused.value)]))
    assert message in said, said


def test_an_information_is_proved_entry_by_entry() -> None:
    claim = npf.Claim(npf.FisherInformation([[1.0, 0.0], [0.0, 4.0]]), about="law")
    noise = npf.GaussianMechanism(covariance=[[1.0, 0.0], [0.0, 0.25]])
    data = npf.examine(noise, claim, samples=100).to_dict()
    steps = evidence(data, 0, "derivation")["derivation"]
    steps.remove(next(s for s in steps if s["right"] == "1/250000000000"))
    with pytest.raises(ValueError, match="compares with what is claimed"):
        Certificate.from_data(data)


def test_laws_without_code_are_read_beside_code_of_the_same_name() -> None:
    law = npf.Family(None, lambda y, theta: -np.square(y - theta) / 2 - np.log(2 * np.pi) / 2, 0.0)
    code = npf.Family(lambda theta, size, rng: rng.normal(theta, 1.0, size), None, 0.0)
    claims = [npf.Claim(npf.FisherInformation([[1.0]]), one) for one in (law, code)]
    text = npf.examine(law, claims, samples=100).to_json()
    asked = [finding["sentences"]["code"] for finding in json.loads(text)["findings"]]
    assert asked[0] is None
    assert asked[1] is not None
    assert Certificate.from_json(text).to_json() == text


def test_every_command_refuses_what_python_refuses(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(one_of_each().to_json())
    data = one_of_each().to_dict()
    data["findings"][1]["evidence"][0]["error"] = 0.005
    bad.write_text(json.dumps(data))
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "certificate.json").write_text(bad.read_text())
    out = str(tmp_path / "out")
    for words in (
        ("report", str(bad), "-o", f"{out}.html"),
        ("export", str(bad), "-o", out),
        ("replay", f"{bad}#2"),
        ("diff", str(good), str(bad)),
        ("diff", str(bad), str(good)),
        ("seal", str(folder)),
    ):
        done = CliRunner().invoke(app, list(words))
        assert done.exit_code == 2, done.output
        assert "is not the share of one test" in done.output
        if words[0] != "seal":
            assert CliRunner().invoke(app, [w.replace("bad", "good") for w in words]).exit_code != 2
    assert [p.name for p in tmp_path.glob("out/*.tex")] == ["good.tex"]


def test_a_page_is_not_written_over_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text(one_of_each().to_json())
    (tmp_path / "link.html").symlink_to(path)
    (tmp_path / "x.html").hardlink_to(path)
    for words in (("-o", str(path)), ("-o", str(tmp_path / "link.html")), ()):
        done = CliRunner().invoke(app, ["report", str(path), *words])
        assert (done.exit_code, "would be written over" in done.output) == (2, True)
    assert path.read_text() == one_of_each().to_json()
    # The LaTeX of x.tex would have its name.
    tex = tmp_path / "x.tex"
    tex.write_text(one_of_each().to_json())
    assert CliRunner().invoke(app, ["export", str(tex), "-o", str(tmp_path)]).exit_code == 2


def test_the_table_of_checks_is_that_of_the_checks() -> None:
    for check in (*BOUND, *BIT_CHECKS, Vacuous):
        known = CHECKS[check.name]
        assert (known.kind, known.sentence) == (check.kind, check.sentence)
    sequential = CHECKS["sequential likelihood ratio"]
    assert (sequential.kind, sequential.sentence) == ("attack", "code")
