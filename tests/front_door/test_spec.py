"""Specs: what a file means, and the message for everything that a file can get wrong."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from typer.testing import CliRunner

from noiseproof.audit.trial.spec import SCHEMA, load_spec, parse_spec
from noiseproof.audit.trial.spec.build import Job, build, real
from noiseproof.audit.trial.spec.data import load_table
from noiseproof.audit.trial.spec.lines import entry_lines
from noiseproof.cli import app
from noiseproof.init_command import SPEC
from noiseproof.mechanisms import MECHANISMS, BlackBox
from noiseproof.symbolic.errors import SpecError
from noiseproof.symbolic.proof.enclosure import rational, sign
from noiseproof.symbolic.proof.expressions import parse

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.toml"))

LAPLACE = '[mechanism]\nname = "laplace"\nepsilon = 1\nsensitivity = 1\n'
CLAIM = '[[claims]]\npredicate = "pure-dp"\nepsilon = "epsilon"\n'
WINE = '[data]\nsource = "sklearn:wine"\ncolumns = ["proline"]\nbounds = [0, 2000]\n'


def job(text: str, **settings: Any) -> Job:
    return build(parse_spec(text.encode(), file="s.toml"), **settings)


def test_a_list_is_a_sweep_and_formulas_follow_it() -> None:
    found = job('[mechanism]\nname = "laplace"\nepsilon = [0.5, 2]\nsensitivity = "1/4"\n' + CLAIM)
    assert [c.predicate.parameters()["epsilon"] for c in found.claims] == [0.5, 2.0]
    assert [c.subject.epsilon for c in found.claims] == [0.5, 2.0]
    assert {c.subject.sensitivity for c in found.claims} == {0.25}


def test_claims_share_the_subject_of_their_point() -> None:
    found = job(LAPLACE + CLAIM + CLAIM)
    assert found.claims[0].subject is found.claims[1].subject


def test_two_sweeps_are_combined_and_a_sweep_may_be_explicit() -> None:
    found = job('[mechanism]\nname = "laplace"\nepsilon = [1, 2]\nsensitivity = { sweep = [3, 4] }\n' + CLAIM)
    assert [(c.subject.epsilon, c.subject.sensitivity) for c in found.claims] == [
        (1, 3),
        (1, 4),
        (2, 3),
        (2, 4),
    ]


def test_where_restricts_a_claim() -> None:
    text = '[mechanism]\nname = "laplace"\nepsilon = [1, 2, 3]\nsensitivity = 1\n'
    found = job(text + CLAIM + 'title = "T"\nwhere = { epsilon = [1, 3] }\n')
    assert [c.title for c in found.claims] == ["T (epsilon = 1)", "T (epsilon = 3)"]


def test_an_array_parameter_is_not_a_sweep() -> None:
    text = '[mechanism]\nname = "linear-query"\nweights = [1, 2, 3]\nlower = 0\nupper = 1\nepsilon = [1, 2]\n'
    assert [c.subject.count for c in job(text + CLAIM).claims] == [3, 3]


def test_data_settle_domain_records_and_bounds() -> None:
    text = '[data]\nsource = "sklearn:wine"\nbounds = [0, 2000]\nscale = "unit-box"\n'
    subject = (
        job(text + '[mechanism]\nname = "optimal-gaussian"\nlambda = 1\n' + CLAIM.replace('"epsilon"', "1"))
        .claims[0]
        .subject
    )
    assert subject.records.shape == (178, 13)
    assert subject.domain[1].tolist() == [1.0] * 13
    mean = job(WINE + '[mechanism]\nname = "bounded-mean"\nepsilon = 1\n' + CLAIM).claims[0].subject
    assert (mean.lower, mean.upper, mean.count) == (0, 2000, 178)


def test_formulas_know_the_size_of_the_data() -> None:
    found = job(WINE + LAPLACE + '[[claims]]\npredicate = "error-bound"\nvalue = "records + columns"\n')
    assert found.claims[0].predicate.parameters()["value"] == 179


def test_every_predicate_can_be_written() -> None:
    claims = {
        "PureDP": 'predicate = "pure-dp"\nepsilon = 1',
        "ApproxDP": 'predicate = "approx-dp"\nepsilon = 1\ndelta = 1e-6',
        "GaussianDP": 'predicate = "gaussian-dp"\nmu = 1',
        "RenyiDP": 'predicate = "renyi-dp"\norder = 2\nepsilon = 1',
        "ZeroConcentratedDP": 'predicate = "zcdp"\nrho = 0.5',
        "FisherInformation": 'predicate = "fisher-information"\nvalue = [[1, 0], [0, "1/3"]]',
        "ErrorBound": 'predicate = "error-bound"\nvalue = 2\nadversary = "informed"\nweight = [1, "1/2"]',
    }
    found = job(LAPLACE + "".join(f"[[claims]]\n{text}\n" for text in claims.values()))
    assert [type(c.predicate).__name__ for c in found.claims] == list(claims)
    bound = found.claims[-1].predicate
    assert np.asarray(bound.weight).tolist() == [[1, 0], [0, 0.5]]  # type: ignore[attr-defined]


def test_scope_source_and_assumptions_reach_the_claim() -> None:
    text = LAPLACE + CLAIM + 'source = "S"\nassumptions = ["A"]\nabout = "law"\nscope = { unit = "U" }\n'
    claim = job(text).claims[0]
    assert (claim.source, claim.assumptions, claim.about, claim.scope.unit) == ("S", ("A",), "law", "U")


def test_a_control_of_the_code_keeps_the_declared_law() -> None:
    control = CLAIM.replace("claims", "controls") + "noise_factor = 2\n"
    code, law = job(LAPLACE + control + control + 'about = "law"\n').claims
    assert (code.expect, law.expect) == ("falls", "falls")
    rng = np.random.default_rng
    quiet = np.abs(code.subject.release(np.zeros(1), 4000, rng(0))).mean()
    assert quiet == pytest.approx(0.5, abs=0.05)
    assert np.abs(code.subject.law(np.zeros(1)).sample(4000, rng(1))).mean() == pytest.approx(1.0, abs=0.1)
    assert np.abs(law.subject.law(np.zeros(1)).sample(4000, rng(1))).mean() == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("name", ["laplace", "gaussian"])
def test_the_automatic_factor_shrinks_as_samples_grow(name: str) -> None:
    scale = "epsilon = 1" if name == "laplace" else "sigma = 1"
    claim = 'predicate = "pure-dp"\nepsilon = 1' if name == "laplace" else 'predicate = "gaussian-dp"\nmu = 1'
    text = f'[mechanism]\nname = "{name}"\n{scale}\nsensitivity = 1\n'
    text += f'[[controls]]\n{claim}\nnoise_factor = "auto"\n'
    factors = [float(job(text, samples=n).claims[0].title.rsplit(" ", 1)[1]) for n in (3000, 30_000, 300_000)]
    assert factors == sorted(factors, reverse=True)
    assert 1.01 < factors[2] < factors[0] < 3


def test_explicit_inputs_put_the_release_on_trial_there() -> None:
    subject = job(LAPLACE + "[neighbours]\ninputs = [[0.0], [0.5]]\n" + CLAIM).claims[0].subject
    assert isinstance(subject, BlackBox)
    assert subject.neighbours()[0][1].tolist() == [0.5]
    assert subject.log_density(np.zeros((1, 1)), np.zeros(1)) is not None


def test_settings_can_be_overridden_and_digests_are_of_the_bytes() -> None:
    text = "alpha = 0.1\nseed = 3\n" + LAPLACE + CLAIM
    found = job(text, samples=700)
    assert (found.settings.alpha, found.settings.samples, found.settings.seed) == (0.1, 700, 3)
    assert found.spec_digest != job(text + "\n").spec_digest
    assert found.data_digest is None
    assert (
        job(WINE + LAPLACE + CLAIM).data_digest
        == load_table("sklearn:wine", columns=["proline"], bounds=(0, 2000)).digest
    )


def test_rounding_never_strengthens_a_claim() -> None:
    for text in ("sqrt(30)*100**(1/4)", "1/3", "exp(1)", "log(7)", "0.1"):
        exact = parse(text)
        up, down = real(text, {}, "k", 1), real(text, {}, "k", -1)
        assert sign(rational(up) - exact) in (0, 1)
        assert sign(exact - rational(down)) in (0, 1)
        assert up - down <= 4 * np.spacing(up)


def test_the_published_schema_is_in_step_with_the_models() -> None:
    published = (ROOT / "reports" / "schemas" / "spec-1.schema.json").read_text(encoding="utf-8")
    assert published == SCHEMA.text(), (
        "run: python -m noiseproof.audit.trial.spec > reports/schemas/spec-1.schema.json"
    )
    jsonschema.Draft202012Validator.check_schema(SCHEMA.data())


@pytest.mark.parametrize(
    ("package", "file"), [("audit.trial.spec", "spec-1"), ("audit.release.policy", "policy-1")]
)
def test_a_schema_is_printed_without_a_warning(package: str, file: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", "-m", f"noiseproof.{package}"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (ROOT / "reports" / "schemas" / f"{file}.schema.json").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", EXAMPLES, ids=[p.stem for p in EXAMPLES])
def test_examples_satisfy_the_schema_and_build(path: Path) -> None:
    jsonschema.Draft202012Validator(SCHEMA.data()).validate(tomllib.loads(path.read_text(encoding="utf-8")))
    found = build(load_spec(path))
    assert {c.expect for c in found.claims} == {"holds", "falls"}


@pytest.mark.parametrize(
    "text", [LAPLACE + '[[claims]]\npredicate = "pure-dp"\n', "alpha = 2\n" + LAPLACE, "x = 1\n" + LAPLACE]
)
def test_the_schema_refuses_what_the_models_refuse(text: str) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA.data()).validate(tomllib.loads(text))


def test_the_template_of_init_builds() -> None:
    found = job(SPEC)
    assert len(found.claims) == 5


def test_the_breast_cancer_example_says_what_it_must() -> None:
    found = build(load_spec(ROOT / "examples" / "breast_cancer.toml"))
    assert any("clear" in note for note in found.notes)
    bounds = [
        c.predicate.parameters()["value"]
        for c in found.claims
        if c.title.startswith("Error bound of the release")
    ]
    assert bounds == pytest.approx([3000.0, 30.0, 3.0, 0.03])
    shape = found.claims[0].subject.records.shape
    assert shape == (569, 30)
    mus = [c.predicate.parameters()["mu"] for c in found.claims if c.title.startswith("Local DP curve")]
    assert mus == pytest.approx([30**0.5 * value**0.25 for value in (1e-4, 1)])
    assert str(found.data_digest).startswith("sha256:")


def test_every_mechanism_can_be_named_with_formulas() -> None:
    for name in MECHANISMS:
        with pytest.raises(SpecError, match=f"unknown parameter of {name}"):
            job(f'[mechanism]\nname = "{name}"\nzzz = 1\n')


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    for path, part in (
        (tmp_path / "no.toml", "no such file"),
        (tmp_path, "directory"),
        ("a\0b", "cannot be read; expected a TOML spec"),
    ):
        with pytest.raises(SpecError, match=part):
            load_spec(path)
    (tmp_path / "latin.toml").write_bytes(b"title = '\xe9'")
    with pytest.raises(SpecError, match="not UTF-8"):
        load_spec(tmp_path / "latin.toml")


def test_the_command_refuses_what_python_cannot_read(tmp_path: Path) -> None:
    (tmp_path / "long.toml").write_text("samples = 1" + "0" * 5000 + "\n" + LAPLACE)
    for command, path, part in (
        ("check-spec", f"{tmp_path}/long.toml", "a number too long"),
        ("audit", f"{tmp_path}/long.toml", "a number too long"),
        ("audit", "a\0b.toml", "cannot be read; expected a TOML spec"),
        ("plan", "a\0b.toml", "cannot be read; expected a TOML spec"),
    ):
        run = CliRunner().invoke(app, [command, path])
        assert (run.exit_code, part in run.output) == (2, True), run.output


def test_bounds_may_be_whole_numbers_of_any_size() -> None:
    claim = job(
        WINE.replace("2000", str(10**20)) + '[mechanism]\nname = "bounded-mean"\nepsilon = 1\n' + CLAIM
    )
    assert claim.claims[0].subject.upper == 1e20


def test_a_byte_order_mark_is_no_obstacle() -> None:
    assert parse_spec(b"\xef\xbb\xbf" + LAPLACE.encode()).model.mechanism.name == "laplace"


def test_an_alert_points_to_an_entry_or_to_the_first_line() -> None:
    inline = b"claims = [\n {},\n {}]\ncontrols = [\n {}]\n"
    assert list(entry_lines(inline, claims=2, controls=1).values()) == [2, 3, 5]
    assert list(entry_lines(b"\n[['claims']]\n", claims=1).values()) == [1]
