"""Pages: one file, nothing from outside, every text escaped, readable in both colour schemes."""

import copy
import json
import os
import re
import runpy
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from drawn_pages import HOSTILE, Outline, poisoned

import noiseproof as npf
from noiseproof.console import print_summary
from noiseproof.reports import (
    certificate_schema,
    dossier_schema,
    render_certificate,
    render_dossier,
    render_dossier_index,
    write_certificate_page,
    write_dossier_pages,
)
from noiseproof.reports.calibration_page import render_calibration
from noiseproof.reports.page import leading_finding
from noiseproof.reports.words import (
    DOSSIER_VERDICTS,
    TRUTHS,
    VERDICTS,
    dossier_word,
    truth_word,
    verdict_word,
)

GOLDEN = Path(__file__).parent / "golden"
SAMPLE = runpy.run_path(str(GOLDEN / "sample.py"))
DOSSIER: dict[str, Any] = json.loads((GOLDEN / "dossier.json").read_text(encoding="utf-8"))
TEMPLATES = Path(__file__).parents[2] / "reports" / "templates"


def certificate() -> dict[str, Any]:
    return copy.deepcopy(SAMPLE["certificate"]())


def pages() -> dict[str, str]:
    return {
        "certificate": render_certificate(certificate()),
        "dossier": render_dossier(DOSSIER),
        "index": render_dossier_index([DOSSIER]),
    }


@pytest.fixture(scope="module")
def rendered() -> dict[str, str]:
    return pages()


def test_the_weakest_resolution_stands_below_the_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    found = npf.examine(npf.LaplaceMechanism(1.0, 1.0), npf.PureDP(1.0), samples=2_000)
    data = found.to_dict()
    print_summary(found, Path("out"))
    said = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("resolution"))
    yes = "half the noise would have been found; the least that would is the noise scaled by 1/1."
    assert said.startswith(f"resolution: {yes}")
    hero = render_certificate(data).split("</header>")[0]
    assert f'<p class="meaning">R{said[1:]}.</p>' in hero
    for finding in data["findings"]:
        for one in finding["evidence"]:
            one["resolution"] = None
    assert "esolution: would" not in render_certificate(data)


# What a drawing needs to know, and what else is one of a few words.
DRAWN = {"schema", "role", "x_scale", "y_scale"}
WORDS = DRAWN | {"verdict", "kind", "truth", "about", "expect", "relation"}


@pytest.mark.parametrize("name", ["certificate", "dossier"])
def test_golden(name: str, rendered: dict[str, str]) -> None:
    # Drawings and the style sheet are looked at elsewhere; the first depends on the version of matplotlib.
    page = re.sub(r"<style>.*?</style>", "<style/>", rendered[name], flags=re.S)
    page = re.sub(r'<svg viewBox="[^"]*" role="img".*?</svg>', "<svg/>", page, flags=re.S)
    page = "\n".join(line.rstrip() for line in page.splitlines() if line.strip()) + "\n"
    golden = GOLDEN / f"{name}.html"
    if os.environ.get("NOISEPROOF_REGENERATE"):
        golden.write_text(page, encoding="utf-8")
    assert page == golden.read_text(encoding="utf-8"), (
        "look at the difference, then set NOISEPROOF_REGENERATE=1"
    )


def test_rendering_twice_gives_the_same_bytes(rendered: dict[str, str]) -> None:
    assert pages() == rendered


def test_samples_satisfy_their_schemas() -> None:
    jsonschema.Draft202012Validator.check_schema(certificate_schema())
    jsonschema.Draft202012Validator.check_schema(dossier_schema())
    jsonschema.validate(certificate(), certificate_schema(), jsonschema.Draft202012Validator)
    jsonschema.validate(DOSSIER, dossier_schema(), jsonschema.Draft202012Validator)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("verdict",), "SAFE"),
        (("exit_code",), 6),
        (("extra",), 1),
        (("settings", "alpha"), 0),
        (("findings", 1, "verdict"), "PROVED"),
        (("findings", 0, "evidence", 0, "error"), 1.5),
        (("findings", 0, "evidence", 0, "derivation", 0, "truth"), True),
        (("findings", 0, "sentences", "bytes"), ""),
        (("provenance", "spec_digest"), "no digest"),
    ],
)
def test_schema_catches_mistakes(path: tuple[Any, ...], value: Any) -> None:
    data = certificate()
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(data, certificate_schema(), jsonschema.Draft202012Validator)


def test_dossier_schema_wants_a_condition_and_a_twin() -> None:
    for field in ("condition", "twin"):
        data = copy.deepcopy(DOSSIER)
        data["findings"][2][field] = None
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(data, dossier_schema(), jsonschema.Draft202012Validator)


@pytest.mark.parametrize("fixed", [WORDS, DRAWN], ids=["words kept", "words too"])
def test_everything_is_escaped(fixed: set[str]) -> None:
    dossier = poisoned(DOSSIER, fixed)
    linked = {**dossier, "key": DOSSIER["key"]}
    for page in (
        render_certificate(poisoned(certificate(), fixed)),
        render_dossier(dossier),
        render_dossier_index([dossier, linked]),
    ):
        outline = Outline(page)
        assert not {tag for tag, _ in outline.elements} & {"script", "iframe", "object", "img", "form"}
        assert not [a for _, attributes in outline.elements for a in attributes if a.startswith("on")]
        assert "{{ 7 * 7 }}" in outline.text()
        assert "\u202e" not in page
        assert "\x00" not in page
        assert "alert(" in outline.text()


def test_a_calibration_says_whether_the_limits_are_met_and_hostile_text_stays_text() -> None:
    column = {
        "name": "age",
        "unit": "years",
        "low": 17,
        "high": 90,
        "noise": {"law": "laplace"},
        "exponent": -4,
    }
    line = {"name": "error", "role": "law", "x": [0.1, 1.0], "y": [4.0, 1.0], "low": None, "high": None}
    series = {
        "figure": "calibration",
        "title": "Error",
        "x_label": "epsilon",
        "y_label": "error",
        "x_scale": "log",
        "y_scale": "linear",
        "lines": [line],
    }
    record = {
        "schema": "noiseproof-calibration-1",
        "title": "A table",
        "mechanism": {"kind": "laplace"},
        "columns": [column],
        "guarantees": [{"sentence": "1-differentially private"}],
        "unmet": [],
        "series": [series],
        "error_bounds": [{"said": "age: an error of at least 1.4 years", "against": "every adversary"}],
    }
    met, unmet = render_calibration(record), render_calibration({**record, "unmet": ["epsilon is 2"]})
    assert 'class="hero tone-neutral"' in met
    assert "The limits are met." in met
    assert 'class="hero tone-refuted"' in unmet
    assert "The policy is not met." in unmet
    assert "epsilon is 2" in unmet
    page = render_calibration(poisoned({**record, "unmet": ["epsilon is 2"]}, DRAWN))
    assert "script" not in {tag for tag, _ in Outline(page).elements}
    assert "alert(" in Outline(page).text()
    assert not re.search("[\u202e\u200f\x00]", page)
    with pytest.raises(ValueError, match="noiseproof-calibration-1"):
        render_calibration({"schema": "other"})


def test_bounds_are_a_table_with_what_its_columns_mean(rendered: dict[str, str]) -> None:
    outline = Outline(rendered["certificate"])
    text = outline.text()
    for words in (
        "claimed the most that the claim allows",
        "certified the release leaks at least this",
        "if they hid nothing",
    ):
        assert words in text
    assert "0.0001 ∞ 2.259 9.812" in text
    assert sum(attributes.get("class") == "fit bounds" for _, attributes in outline.elements) == 1
    labels = [
        a["aria-label"]
        for _, a in outline.elements
        if (a.get("aria-label") or "").startswith("Epsilon at each delta")
    ]
    assert labels == ["Epsilon at each delta, evidence 3 of finding 2"]


def test_bounds_of_strangers_are_escaped_and_those_of_dossiers_shown() -> None:
    row = {"delta": 0.0, "claimed": "inf", "certified": 0.25, "attainable": "-inf"}
    data, dossier = certificate(), copy.deepcopy(DOSSIER)
    dossier["findings"][0]["evidence"][0]["bounds"] = [row]
    assert "0 ∞ 0.25 −∞" in Outline(render_dossier(dossier)).text()
    dossier["findings"][0]["evidence"][0]["check"] = HOSTILE
    data["findings"][0]["evidence"][0]["bounds"] = [dict.fromkeys(row, HOSTILE)]
    for page in (render_certificate(data), render_dossier(dossier)):
        assert "<script" not in page
        assert "alert(" in Outline(page).text()


def test_nothing_comes_from_outside(rendered: dict[str, str]) -> None:
    for page in rendered.values():
        for tag, attributes in Outline(page).elements:
            for name in ("src", "href", "xlink:href", "srcset", "action", "poster", "data"):
                target = attributes.get(name)
                local = target is None or target.startswith("#") or target == "data:," or tag == "a"
                assert local, f"<{tag} {name}={target}>"
        assert not [u for u in re.findall(r"url\(([^)]*)\)", page) if not u.startswith("#")]
        assert not re.search(r"https?:|@import|@font-face", page)
        assert "default-src 'none'" in page
        assert len(page.encode()) < 2_000_000


def test_a_large_certificate_stays_small() -> None:
    data = certificate()
    many = [x / 1000 for x in range(2000)]
    line = {"name": "n", "role": "law", "x": many, "y": [x * x for x in many], "low": None, "high": None}
    data["findings"][0]["evidence"][1]["series"][0]["lines"] = [line] * 4
    data["findings"] = [{**f, "id": 4 * k + f["id"]} for k in range(20) for f in data["findings"]]
    data["findings"][0]["evidence"][0]["witness"] = {"x": many * 20}
    page = render_certificate(data)
    assert len(page.encode()) < 2_000_000
    assert "41 of 2000 points" in page
    assert "cut here" in page


def test_headings_are_in_order_and_ids_unique(rendered: dict[str, str]) -> None:
    for page in rendered.values():
        outline = Outline(page)
        assert outline.headings[0] == 1
        assert outline.headings.count(1) == 1
        assert all(
            after <= before + 1 for before, after in zip(outline.headings, outline.headings[1:], strict=False)
        )
        ids = [attributes["id"] for _, attributes in outline.elements if "id" in attributes]
        assert len(ids) == len(set(ids))
        for _, attributes in outline.elements:
            for name in ("aria-labelledby", "href"):
                for target in (attributes.get(name) or "").split():
                    known = (
                        target.removeprefix("#") in ids if name != "href" or target.startswith("#") else True
                    )
                    assert known, f"{name}={target}"
        assert outline.elements[0] == ("html", {"lang": "en"})
        tables = sum(tag == "table" for tag, _ in outline.elements)
        assert tables == sum(tag == "caption" for tag, _ in outline.elements)
        assert all("scope" in attributes for tag, attributes in outline.elements if tag == "th")


def test_the_first_screen_says_what_matters(rendered: dict[str, str]) -> None:
    text = Outline(rendered["certificate"]).text()
    first_screen = text[: text.index("What a pass does not mean")]
    for needed in (
        "Undecided",
        "Exit code 4",
        "control: refuted as expected",
        "noiseproof audit examples/breast_cancer.toml",
        "in the folder of this page: noiseproof replay certificate.json#3",
    ):
        assert needed in first_screen
    for page in rendered.values():
        assert not re.search(r"\bsafe\b|certified private", Outline(page).text(), re.I)


def test_a_control_that_stands_is_no_pass() -> None:
    data = certificate() | {"verdict": "SURVIVED", "exit_code": 1}
    data["findings"][2] |= {"verdict": "SURVIVED", "as_expected": False}
    page = render_certificate(data)
    assert "carry no weight" in page
    assert 'class="hero tone-refuted"' in page
    assert "control: not refuted, no power shown" in page
    # Only a control that fell is drawn as nothing to look at.
    assert '<article class="finding tone-refuted" id="finding-3"' in page
    assert '<article class="finding tone-neutral" id="finding-3"' in render_certificate(certificate())


def test_the_worst_finding_carries_the_verdict() -> None:
    def finding(verdict: str, as_expected: bool = True, expect: str = "holds") -> dict[str, Any]:
        return {"verdict": verdict, "as_expected": as_expected, "claim": {"expect": expect}}

    worst_first = [
        finding("REFUTED", False),
        finding("UNDECIDED", False),
        finding("SURVIVED", False, "falls"),
        finding("SURVIVED"),
        finding("PROVED"),
        finding("REFUTED", True, "falls"),
    ]
    for k, one in enumerate(worst_first):
        assert leading_finding(worst_first[k:][::-1]) is one
    assert leading_finding([]) is None


def test_green_is_for_what_was_proved_and_red_for_what_is_false() -> None:
    for table in (VERDICTS, DOSSIER_VERDICTS, TRUTHS):
        for verdict, word in table.items():
            assert word.text.lower().replace(" ", "-") == verdict.lower()
            true, false = (
                verdict.lower() in ("proved", "proved-if", "holds"),
                verdict.lower() in ("refuted", "fails"),
            )
            assert ((word.tone == "proved"), (word.tone == "refuted")) == (true, false)
            assert ((word.glyph == "tick"), (word.glyph == "cross")) == (true, false)
    for unknown in (verdict_word("SAFE"), dossier_word("safe"), truth_word("sure")):
        assert (unknown.tone, unknown.glyph) == ("neutral", "dash")


def test_a_twin_that_does_not_flip_is_named(rendered: dict[str, str]) -> None:
    text = Outline(rendered["dossier"]).text()
    assert "1 twin did not flip" in text
    assert text.index("had to come out") < text.index("Stationarity [twin]")


def test_pages_of_other_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="noiseproof-certificate-1"):
        render_certificate({"schema": "other"})
    damaged = certificate()
    del damaged["findings"][0]["caveats"]
    with pytest.raises(ValueError, match="caveats"):
        write_certificate_page(damaged, tmp_path / "page.html")
    with pytest.raises(ValueError, match="names a file"):
        write_dossier_pages([DOSSIER | {"key": "../x"}], tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_pages_are_written_whole(tmp_path: Path) -> None:
    data = certificate() | {"title": "a lone surrogate \ud800"}
    written = write_certificate_page(data, tmp_path / "new" / "index.html")
    assert "lone surrogate \ufffd" in written.read_text(encoding="utf-8")
    names = [path.name for path in write_dossier_pages([DOSSIER], tmp_path)]
    assert names == ["farokhi2019.html", "index.html"]
    empty = certificate() | {"findings": [], "exit_code": 5, "verdict": "UNDECIDED", "notes": []}
    page = render_certificate(empty)
    assert "nothing to check" in page
    assert "Nothing checked" in Outline(page).text()
    assert 'class="hero tone-neutral"' in page


def _luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_contrast(scheme: str) -> None:
    style = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    blocks = re.findall(r":root \{(.*?)\}", style, re.S)
    assert len(blocks) == 2
    light, dark = (dict(re.findall(r"(--[\w-]+): (#[0-9a-f]{6});", block)) for block in blocks)
    assert light.keys() == dark.keys()
    palette = light if scheme == "light" else dark
    tones = ("proved", "survived", "undecided", "refuted", "neutral")
    tints = [palette[f"--{tone}-tint"] for tone in tones]
    for text in ("--ink", "--muted", "--link"):
        for ground in (palette["--ground"], palette["--panel"], *tints):
            assert contrast(palette[text], ground) >= 4.5, (text, ground)
    for tone in tones:
        assert f".tone-{tone} {{ --tone: var(--{tone}); --tint: var(--{tone}-tint); }}" in style
        for ground in (palette["--ground"], palette["--panel"], palette[f"--{tone}-tint"]):
            assert contrast(palette[f"--{tone}"], ground) >= 4.5, (tone, ground)
    for tone, strongest in (("proved", "green"), ("refuted", "red")):
        channels = dict(zip(("red", "green", "blue"), bytes.fromhex(palette[f"--{tone}"][1:]), strict=True))
        assert max(channels, key=lambda name: channels[name]) == strongest, tone
    for name, colour in palette.items():
        if name.startswith("--line-"):
            assert contrast(colour, palette["--figure-ground"]) >= 3, name
