"""A release from policy to folder: every mechanism, what it writes, and that nothing of it depends on the private table."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from made_release import certificate
from pre_release_cases import CASES, ROWS, Case, write_table
from sealed_release import verify
from shared_artefacts import Shelf

from noiseproof.audit.record.certificate import Certificate
from noiseproof.audit.record.evidence import Verdict
from noiseproof.audit.release import Manifest, release
from noiseproof.audit.release.kinds import KINDS
from noiseproof.audit.release.not_met import PolicyNotMetError
from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.policy.mechanism_models import ROW_WISE
from noiseproof.audit.release.releasing import Released
from noiseproof.audit.release.tables import has_digest, kept_salt, open_table
from noiseproof.audit.release.trial import audited, failed
from noiseproof.mechanisms.grid_noise import secure_bits
from noiseproof.release_command import pages
from noiseproof.symbolic.errors import SpecError

FILES = ["attestation.json", "certificate.json", "data.parquet", "release.json"]
PAGES = ["data-card.md", "index.html", "parameters.json"]
# The audits of the others take longer.
QUICK = [name for name in CASES if name not in ("laplace", "gaussian", "ron-gauss")]
PAGED = "optimal"  # drawing takes longer than releasing: one with pages is enough here


@pytest.fixture(scope="module")
def released(shelf: Shelf) -> dict[str, Released]:
    """One release of each mechanism from the same small table."""
    folder = shelf.place("released", lambda place: (write_table(place), kept_salt(place / "salt")))

    def done(name: str, case: Case) -> Released:
        drawn = pages if name == PAGED else None
        return release(case.policy(folder), folder / name, salt=folder / "salt", pages=drawn)

    return shelf.all({name: partial(done, name, case) for name, case in CASES.items()})


def test_every_mechanism_has_a_case() -> None:
    assert set(CASES) == set(KINDS)


@pytest.mark.parametrize("name", QUICK)
def test_a_release_is_whole_and_what_was_audited(released: dict[str, Released], name: str) -> None:
    done = released[name]
    assert sorted(p.name for p in done.directory.iterdir()) == sorted(
        [*FILES, *(PAGES if name == PAGED else ())]
    )
    text = (done.directory / "release.json").read_text()
    assert Manifest.from_dict(json.loads(text)).to_json() == text
    certificate = Certificate.from_json((done.directory / "certificate.json").read_text())
    assert certificate.exit_code == 0
    assert certificate.verdict >= Verdict.SURVIVED
    assert any(f.is_control for f in certificate.findings)
    assert done.manifest.mechanism["parameters"]["random_source"].startswith("ChaCha20")
    found = {c.what: c for c in verify(done.directory) if not c.what.startswith("checklist")}
    assert not [c for c in found.values() if c.state == "fails"]


def test_a_row_wise_release_keeps_rows_public_columns_and_nothing_else(released: dict[str, Released]) -> None:
    for name, done in released.items():
        data = pq.read_table(done.directory / "data.parquet")
        if name in ROW_WISE:
            assert data.num_rows == ROWS == done.manifest.rows
            assert data.column_names == ["age", "hours", "y"]
            labels = [
                line.rsplit(",")[-1] for line in (done.directory.parent / "table.csv").read_text().split()[1:]
            ]
            assert data["y"].to_pylist() == labels
        else:
            assert "age" not in data.column_names or data.num_rows == 3
        assert all(np.isfinite(data[f.name]).all() for f in data.schema if pa.types.is_floating(f.type))


def test_noise_is_on_its_grid_and_of_its_size(released: dict[str, Released]) -> None:
    for name in ("optimal",):
        done = released[name]
        data = pq.read_table(done.directory / "data.parquet")
        raw = np.loadtxt(done.directory.parent / "table.csv", delimiter=",", skiprows=1, usecols=(0, 1))
        for j, column in enumerate(done.manifest.columns):
            noisy = data[column.name].to_numpy()
            assert column.exponent is not None
            steps = np.ldexp(noisy, -column.exponent)
            assert (steps == np.rint(steps)).all()
            spread = column.noise["standard_deviation"]
            assert np.std(noisy - raw[:, j]) == pytest.approx(spread, rel=0.35)


def test_constrained_noise_stays_in_the_domain(released: dict[str, Released]) -> None:
    data = pq.read_table(released["constrained"].directory / "data.parquet")
    for column, high in (("age", 100), ("hours", 80)):
        values = data[column].to_numpy()
        assert values.min() >= 0
        assert values.max() <= high


def test_null_space_noise_leaves_the_model_and_says_that_it_protects_nothing_else(
    released: dict[str, Released],
) -> None:
    from noiseproof.mechanisms.learning.svm import solve_svm

    done = released["null-space"]
    data = pq.read_table(done.directory / "data.parquet")
    raw = np.loadtxt(done.directory.parent / "table.csv", delimiter=",", skiprows=1, usecols=(0, 1))
    noisy = np.column_stack([data["age"].to_numpy(), data["hours"].to_numpy()])
    y = np.where(np.array(data["y"].to_pylist()) == "yes", 1.0, -1.0)
    half = np.array([50.0, 40.0])
    one, two = (solve_svm(x / half - 1, y, rho=0.01, theta=1.0) for x in (raw, noisy))
    assert two.alpha == pytest.approx(one.alpha, abs=1e-5)
    assert np.abs(noisy - raw).max() > 5
    assert [g.kind for g in done.manifest.guarantees] == ["none"]
    assert "reason" in done.manifest.costs
    assert any("Omega x" in s for s in done.manifest.does_not_mean)
    # No figure of the table without noise: what is printed is the limit of the policy.
    assert [b.bound for b in done.manifest.error_bounds] == [50.0]
    assert done.manifest.error_bounds[0].against.startswith("unbiased adversaries")


def test_a_bound_that_binds_the_unbiased_alone_is_no_bound_against_everyone(tmp_path: Path) -> None:
    kept = {"unbiased_error": 50.0}
    for limits in ({"error": 50.0}, {"error": {"age": 1.0, "hours": 1.0}}, {"error": 1e-9, **kept}):
        reasons = plan(CASES["null-space"].policy(tmp_path, limits=limits)).unmet
        assert any("limits.error is about every adversary" in reason for reason in reasons)
    assert plan(CASES["null-space"].policy(tmp_path, limits=kept)).unmet == ()
    with pytest.raises(SpecError, match=r"limits\.unbiased_error: bounds unbiased adversaries alone"):
        CASES["optimal"].policy(tmp_path, limits=kept)


def test_a_limit_on_the_unbiased_that_the_table_breaks_leaves_nothing(tmp_path: Path) -> None:
    write_table(tmp_path)
    with pytest.raises(PolicyNotMetError, match=r"an error below limits\.unbiased_error"):
        release(CASES["null-space"].policy(tmp_path, limits={"unbiased_error": 1e5}), tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_a_law_that_is_settled_has_its_subject_in_the_certificate(tmp_path: Path) -> None:
    # Its code is run by none of the claims: what is attacked where a record is added is another subject.
    case = CASES["ron-gauss"]
    mechanism = {**case.mechanism, "adjacency": "add-or-remove", "records": 50}
    parts: dict[str, Any] = {"mechanism": mechanism, "table": {"rows_public": False}}
    policy = case.policy(tmp_path, **parts, audit={"samples": 100, "bits": False})
    certificate = audited(plan(policy))
    assert Certificate.from_json(certificate.to_json()).to_dict() == certificate.to_dict()
    assert {f.subject for f in certificate.findings} == {s["name"] for s in certificate.subjects}


def test_digests_of_one_table_have_nothing_in_common(released: dict[str, Released]) -> None:
    place = next(iter(released.values())).directory.parent
    stated = [str(done.manifest.salted_digest) for done in released.values()]
    assert len({part for digest in stated for part in digest.split(":")[1:]}) == 2 * len(stated)
    assert all(has_digest(place / "table.csv", kept_salt(place / "salt"), digest) for digest in stated)
    (place / "other.csv").write_text("age\n")
    assert not has_digest(place / "other.csv", kept_salt(place / "salt"), stated[0])


def test_what_a_mechanism_does_not_have_is_said(released: dict[str, Released]) -> None:
    assert "no epsilon is finite" in json.dumps(released["optimal"].manifest.to_dict()["guarantees"])
    assert "protected set" in released["compression"].manifest.guarantees[0].sentence
    assert "protected set" in released["compression"].manifest.adjacency
    for name in ("optimal", "constrained", "null-space"):
        said = " ".join(released[name].manifest.does_not_mean)
        assert "public columns (y) are released as they are" in said


def test_synthetic_records_have_the_noisy_second_moments(tmp_path: Path) -> None:
    write_table(tmp_path)
    case = CASES["ron-gauss"]
    mechanism = {
        "kind": "ron-gauss",
        "components": 2,
        "epsilon_mean": 50.0,
        "epsilon_covariance": 50.0,
        "records": 40_000,
    }
    policy = case.policy(tmp_path, mechanism=mechanism, limits={"epsilon": 100.0})
    kind = plan(policy).kind
    with kind.draw(open_table(policy), secure_bits()) as drawn:
        batches = [np.column_stack([c.to_numpy() for c in batch.columns]) for batch in drawn.batches]
    assert kind.schema.names == ["component_1", "component_2", "y"]
    assert drawn.records == ROWS
    records = np.concatenate(batches)
    assert len(records) == 40_000
    assert records.T @ records / len(records) == pytest.approx(
        np.array(drawn.facts()["noisy_second_moments"]), abs=0.03
    )


def test_certificate_and_manifest_do_not_depend_on_the_private_table(
    released: dict[str, Released], tmp_path: Path
) -> None:
    write_table(tmp_path, seed=7, ages=(0.0, 50.0))
    done = released["optimal"]
    other = release(CASES["optimal"].policy(tmp_path), tmp_path / "out", salt=tmp_path / "salt")

    def public(one: Released) -> tuple[Any, Any]:
        certificate, manifest = one.certificate.to_dict(), one.manifest.to_dict()
        del certificate["timings"], manifest["files"], manifest["table"]["salted_digest"]
        return certificate, manifest

    assert public(done) == public(other)
    assert done.manifest.salted_digest != other.manifest.salted_digest


def test_two_releases_of_one_table_draw_anew(tmp_path: Path) -> None:
    write_table(tmp_path)
    policy = CASES["constrained"].policy(tmp_path)
    one, two = (
        pq.read_table(release(policy, tmp_path / n).directory / "data.parquet") for n in ("one", "two")
    )
    assert one["age"] != two["age"]
    assert one["y"] == two["y"]


def test_a_fault_in_the_code_that_releases_stops_the_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from noiseproof.mechanisms.grid_noise import GridRelease

    true = GridRelease.apply_column
    write_table(tmp_path)

    def half(self: GridRelease, column: int, values: Any, bits: Any) -> Any:
        exact = np.asarray(values, dtype=float)
        return exact + (true(self, column, exact, bits) - exact) / 2

    monkeypatch.setattr(GridRelease, "apply_column", half)
    with pytest.raises(PolicyNotMetError, match="REFUTED"):
        release(CASES["optimal"].policy(tmp_path), tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_a_refusal_names_the_check_of_the_weakest_sentence() -> None:
    finding = Certificate.from_data(certificate()).findings[0]
    open_law, open_bytes = (
        replace(e, check=e.check + " that is open", verdict=Verdict.UNDECIDED, resolution=None, reason="why")
        for e in (finding.evidence[0], next(e for e in finding.evidence if e.sentence == "bytes"))
    )
    others = tuple(e for e in finding.evidence if e.sentence != "bytes")
    made = replace(finding, evidence=(open_law, *others, open_bytes))
    (said,) = failed(Certificate("t", (), {"alpha": 0.05}, (made,), (), {}, {}))
    assert f"({open_bytes.check}: why)" in said


def test_a_full_disk_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import errno

    from noiseproof.audit.release import releasing

    write_table(tmp_path)

    def full(path: Path, text: str) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(releasing, "_write", full)
    with pytest.raises(SpecError, match="nothing was written: No space left"):
        release(CASES["constrained"].policy(tmp_path), tmp_path / "out")
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]


def test_a_folder_that_exists_is_refused_before_the_audit(tmp_path: Path) -> None:
    write_table(tmp_path)
    (tmp_path / "out").mkdir()
    with pytest.raises(SpecError, match="never written over"):
        release(CASES["laplace"].policy(tmp_path), tmp_path / "out")


def test_a_folder_that_cannot_be_made_is_refused_before_the_audit(tmp_path: Path) -> None:
    write_table(tmp_path)
    with pytest.raises(SpecError, match="does not exist"):
        release(CASES["laplace"].policy(tmp_path), tmp_path / "nowhere" / "out")


def test_csv_a_signature_and_persons(tmp_path: Path) -> None:
    from made_policies import made_policy
    from pre_release_cases import AGE, LABEL

    from noiseproof.audit.release.verify import make_key

    _, public = make_key(tmp_path / "key.pem")
    rows = [f"p{i // 2},{20 + i % 60},{'yes' if i % 3 else 'no'}" for i in range(100)]
    (tmp_path / "table.csv").write_text("\n".join(["id,age,y", *rows]) + "\n")
    case = CASES["constrained"]
    policy = made_policy(
        tmp_path,
        [{"name": "id", "role": "drop"}, AGE, LABEL],
        {"unit_of_privacy": "person", "person_key": "id", "rows_per_person": 2},
        {"kind": "constrained", "half_width": 25.0, "cells": 8},
        {"error": 50.0},
        audit={"samples": case.samples},
        output={"format": "csv"},
        signing={"key": "key.pem"},
    )
    done = release(policy, tmp_path / "out")
    lines = (tmp_path / "out" / "data.csv").read_text().splitlines()
    assert lines[0] == '"age","y"'
    assert len(lines) == 101
    assert done.manifest.unit_of_privacy == "person"
    assert "at most 2" in done.manifest.adjacency
    signature = next(f for f in verify(tmp_path / "out", public) if f.what == "signature")
    assert signature.state == "holds"
    assert "key.pem" not in (tmp_path / "out" / "release.json").read_text()


def test_an_unusable_record_leaves_nothing_and_is_not_quoted(tmp_path: Path) -> None:
    path = write_table(tmp_path)
    path.write_text(path.read_text() + "secret,1,yes\n")
    with pytest.raises(SpecError) as error:
        release(CASES["constrained"].policy(tmp_path), tmp_path / "out")
    assert "secret" not in str(error.value)
    assert [p.name for p in tmp_path.iterdir()] == ["table.csv"]
