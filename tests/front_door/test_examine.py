"""The public verb: bad arguments stop before any work, nothing turns green without substance, one alpha for all."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import noiseproof as npf
from noiseproof import (
    ApproxDP,
    BlackBox,
    Claim,
    CosineMechanism,
    ErrorBound,
    Family,
    FisherInformation,
    GaussianDP,
    GaussianMechanism,
    LaplaceMechanism,
    Mutant,
    PureDP,
    SpecError,
    Verdict,
    examine,
)
from noiseproof.audit.record.certificate import Finding


def laplace(data: Any, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(0.0, 1.0, size=size)


def audited(
    release: Any, inputs: tuple[Any, Any] = (0.0, 1.0), samples: int = 4000, claim: Any = None
) -> Verdict:
    return examine(BlackBox(release, inputs, name="subject"), claim or PureDP(1.0), samples=samples).verdict


class Untouched:
    """A subject that must not be asked for outcomes."""

    name, summary, deterministic = "untouched", "", True

    def parameters(self) -> dict[str, Any]:
        return {}

    def sample(self, index: Any, size: int, rng: np.random.Generator) -> Any:
        raise AssertionError("work was done before the arguments were looked at")

    def log_density(self, y: Any, index: Any) -> None:
        return None

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return ((0.0, 1.0),)


def test_whatever_has_the_interface_is_a_subject() -> None:
    class Plain(Untouched):
        subject = laplace  # of its own, no search for neighbours

        def sample(self, index: Any, size: int, rng: np.random.Generator) -> Any:
            return laplace(index, size, rng)

    box = BlackBox(laplace, (0.0, 1.0), name="untouched")
    plain, known = (examine(s, PureDP(0.3), samples=2000) for s in (Plain(), box))
    assert plain.findings[0].evidence == known.findings[0].evidence


@pytest.mark.parametrize(
    "options",
    [
        {"alpha": 0.0},
        {"alpha": 1.0},
        {"alpha": float("nan")},
        {"alpha": "0.05"},
        {"alpha": True},
        {"samples": 99},
        {"samples": 1e5},
        {"samples": True},
        {"seed": -1},
        {"seed": 1.5},
        {"seed": None},
    ],
)
def test_settings_out_of_range_are_refused_before_any_work(options: dict[str, Any]) -> None:
    (key,) = options
    with pytest.raises(SpecError, match=key):
        examine(Untouched(), PureDP(1.0), **options)


@pytest.mark.parametrize(
    "claims", [["no claim"], [3], Claim(PureDP(1.0), subject="name"), [Claim(PureDP(1.0)), object()]]
)
def test_claims_that_are_none_are_refused_before_any_work(claims: Any) -> None:
    with pytest.raises(SpecError):
        examine(Untouched(), claims)


def test_a_missing_subject_is_refused() -> None:
    with pytest.raises(SpecError, match="must be a Mechanism"):
        examine(None, PureDP(1.0))


EQUAL = [
    (0.0, 0.0),
    ([1, 2], [1, 2]),
    (np.zeros(3), np.zeros(3)),
    ("a", "a"),
    ({"a": np.ones(1)}, {"a": np.ones(1)}),
    (None, None),
]


@pytest.mark.parametrize("inputs", EQUAL)
def test_equal_inputs_are_no_neighbours(inputs: tuple[Any, Any]) -> None:
    with pytest.raises(SpecError, match="equal"):
        audited(lambda d, n, r: r.laplace(size=n), inputs)


UNALIKE: list[tuple[Any, Any]] = [
    (2**53, 2**53 + 1),
    (np.array([2**53]), np.array([2**53 + 1])),
    (np.array([1 + 0j]), np.array([1 + 5j])),
    (np.array(["a"]), np.array(["b"])),
    ("a", "b"),
    (None, 0.0),
    ([1], [2]),
    (True, 2),
]


@pytest.mark.parametrize("inputs", UNALIKE)
def test_inputs_that_differ_are_never_taken_for_one(inputs: tuple[Any, Any]) -> None:
    first = inputs[0]
    assert audited(lambda d, n, r: np.full(n, float(d is first)), inputs) is Verdict.REFUTED


FAILING: dict[str, tuple[Any, str]] = {
    "NaN": (lambda d, n, r: np.full(n, np.nan), "NaN or infinite"),
    "infinite": (lambda d, n, r: np.full((n, 2), np.inf), "NaN or infinite"),
    "exception": (lambda d, n, r: 1 / 0, "ZeroDivisionError.*division by zero"),
    "shape": (lambda d, n, r: np.zeros(n + 1), "wrong shape"),
    "one number": (lambda d, n, r: 3.0, "wrong shape"),
    "nothing": (lambda d, n, r: None, "wrong shape"),
    "opaque": (lambda d, n, r: [object() for _ in range(n)], "nothing that could be compared"),
    "fails after the probe": (lambda d, n, r: np.full(n, np.nan if n > 4 else 0.0), "beyond the first four"),
}


@pytest.mark.parametrize("name", FAILING)
def test_a_release_that_fails_on_both_inputs_is_refused(name: str) -> None:
    release, message = FAILING[name]
    with pytest.raises(SpecError, match=message):
        audited(release)


@pytest.mark.parametrize("side", [0.0, 1.0])
@pytest.mark.parametrize("name", FAILING)
def test_a_failure_on_one_input_gives_the_inputs_away(name: str, side: float) -> None:
    release = FAILING[name][0]
    assert audited(lambda d, n, r: release(d, n, r) if d == side else laplace(d, n, r)) is Verdict.REFUTED


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("claim", [PureDP(1.0), FisherInformation(np.eye(2)), ErrorBound(2.0)])
@pytest.mark.parametrize(
    "odd",
    [
        lambda n, r: 1 / 0,
        lambda n, r: np.full((n, 2), np.nan),
        lambda n, r: np.zeros((n, 3)),
        lambda n, r: np.zeros((n, 1)),
    ],
)
def test_a_mechanism_that_fails_on_one_input_is_refuted_not_fatal(side: int, claim: Any, odd: Any) -> None:
    declared = LaplaceMechanism(1.0, 1.0, dimension=2)

    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        return odd(size, rng) if (data[0] > 0) == bool(side) else declared.release(data, size, rng)

    assert examine(Mutant(declared, release, "odd"), claim, samples=2000).verdict is Verdict.REFUTED


def test_a_release_that_changes_its_input_is_refused() -> None:
    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        data += 1.0
        return rng.laplace(size=(size, 2))

    with pytest.raises(SpecError, match="changes its input"):
        audited(release, (np.zeros(2), np.ones(2)))
    with pytest.raises(SpecError, match="changes its input"):
        examine(BlackBox.single(lambda d: d.append(1), ([1], [2])), PureDP(1.0), samples=200)


LEAKS: dict[str, tuple[Any, tuple[Any, Any]]] = {
    "sentinels": (lambda d, n, r: np.where(r.random(n) < 1e-3, 1e18, d + r.laplace(0, 0.01, n)), (0.0, 1.0)),
    "largest doubles": (
        lambda d, n, r: np.where(r.random(n) < 0.01, np.finfo(float).max, d + r.laplace(0, 0.01, n)),
        (0.0, 1.0),
    ),
    "far from zero": (lambda d, n, r: d + r.laplace(0, 1e-3, n), (1e15, 1e15 + 1)),
    "tiny": (lambda d, n, r: d + r.laplace(0, 1e-27, n), (0.0, 1e-25)),
    "huge whole numbers": (
        lambda d, n, r: [d + int(v) for v in r.integers(-1000, 1000, n)],
        (2**60, 2**60 + 10**6),
    ),
    "huge array": (lambda d, n, r: d + r.integers(-3, 3, n), (2**60, 2**60 + 20)),
    "mostly exceptions": (
        lambda d, n, r: [
            ValueError() if u < 0.1 or (i > 3 and u < 0.8) else d + v
            for i, (u, v) in enumerate(zip(r.random(n), r.laplace(0, 0.01, n), strict=True))
        ],
        (0.0, 1.0),
    ),
    "dtype": (lambda d, n, r: np.zeros(n, dtype=np.float32 if d else float), (0.0, 1.0)),
    "one of many columns": (
        lambda d, n, r: d + r.laplace(0, 0.05, (n, 500)),
        (np.zeros(500), np.eye(500)[7]),
    ),
    "noise that cancels": (
        lambda d, n, r: d + r.laplace(0, 1.0, (n, 1)),
        (np.zeros(2), np.array([1.0, 0.0])),
    ),
    "spread": (lambda d, n, r: r.normal(0, 1 + d, n), (0.0, 1.0)),
    "text": (lambda d, n, r: [f"{d}" for _ in range(n)], (0, 1)),
}


@pytest.mark.parametrize("name", LEAKS)
def test_leaks_of_every_shape_are_found(name: str) -> None:
    release, inputs = LEAKS[name]
    subject = BlackBox(release, inputs, name="subject", types=name == "dtype")
    assert examine(subject, PureDP(1.0), samples=4000).verdict is Verdict.REFUTED


def test_a_hundred_samples_find_what_is_plain_to_see() -> None:
    assert audited(lambda d, n, r: d + r.laplace(0, 1e-4, n), samples=100) is Verdict.REFUTED


def test_outcomes_that_never_repeat_and_that_nothing_reads_decide_nothing() -> None:
    def coded(d: int, n: int, r: np.random.Generator) -> list[str]:
        return ["".join(map(chr, 0x4E00 + r.integers(2_000, size=200))) for _ in range(n)]

    assert audited(coded, (0, 1)) is Verdict.UNDECIDED
    assert audited(lambda d, n, r: [f"{d} {v}" for v in r.random(n)], (0, 1)) is Verdict.REFUTED


def test_a_constant_survives() -> None:
    assert audited(lambda d, n, r: np.zeros(n)) is Verdict.SURVIVED


def test_a_claim_that_allows_everything_at_this_sample_size_is_undecided() -> None:
    assert audited(laplace, claim=PureDP(30.0)) is Verdict.UNDECIDED


@pytest.mark.parametrize(
    ("subject", "claim"),
    [
        (BlackBox(laplace, (0.0, 1.0)), ErrorBound(1.0)),
        (BlackBox(laplace, (0.0, 1.0)), FisherInformation(1.0)),
        (Family(lambda t, n, r: t + r.normal(size=n), None, 0.0), PureDP(1.0)),
        (npf.BoundedMean(0.0, 1.0, 10, epsilon=1.0), ErrorBound(1.0)),
        (npf.RandomisedResponse(1.0), FisherInformation(1.0)),
    ],
)
def test_claims_that_no_check_can_judge_are_undecided(subject: Any, claim: Any) -> None:
    assert examine(subject, claim, samples=200).verdict is Verdict.UNDECIDED


class SecondPairLeaks(LaplaceMechanism):
    """Declares two pairs of neighbours, the second one far apart."""

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return (np.zeros(1), np.array([0.1])), (np.zeros(1), np.array([5.0]))

    def worst_case(self) -> None:  # type: ignore[override]
        return None


def test_every_declared_pair_is_tested() -> None:
    certificate = examine(SecondPairLeaks(1.0, 1.0), PureDP(1.0), samples=4000)
    verdicts = {(e.check, e.verdict) for e in certificate.findings[0].evidence}
    assert ("likelihood ratio", Verdict.REFUTED) in verdicts
    assert ("likelihood ratio", Verdict.SURVIVED) in verdicts
    assert ("quadrature", Verdict.REFUTED) in verdicts


@pytest.mark.parametrize(
    ("claim", "verdict"), [(ApproxDP(6.0, 1e-9), Verdict.REFUTED), (ApproxDP(6.0, 1e-5), Verdict.SURVIVED)]
)
def test_a_claim_about_a_law_is_integrated_where_it_is_tight(claim: Any, verdict: Verdict) -> None:
    subject = CosineMechanism(-4.0, 4.0, sensitivity=0.01)
    assert examine(subject, Claim(claim, about="law"), samples=100).verdict is verdict


def test_a_proof_about_the_law_does_not_turn_the_code_green() -> None:
    certificate = examine(
        Mutant.noise_divided_by(GaussianMechanism(1.0, 1.0), 2.0), GaussianDP(1.0), samples=20_000
    )
    sentences = certificate.findings[0].sentences
    assert sentences["law"] is Verdict.PROVED
    assert certificate.verdict is Verdict.REFUTED
    assert certificate.exit_code == 1


def test_a_claim_about_code_is_never_better_than_survived() -> None:
    assert examine(GaussianMechanism(1.0, 1.0), GaussianDP(1.0), samples=1000).verdict is Verdict.SURVIVED
    assert (
        examine(GaussianMechanism(1.0, 1.0), Claim(GaussianDP(1.0), about="law"), samples=1000).verdict
        is Verdict.PROVED
    )


def test_a_control_about_code_falls_to_an_attack_or_not_at_all() -> None:
    declared = GaussianMechanism(1.0, 1.0)
    on_paper = examine(declared, [GaussianDP(1.0), Claim(GaussianDP(0.99), expect="falls")], samples=200)
    assert not on_paper.findings[1].as_expected
    assert on_paper.exit_code == 1
    attacked = examine(
        declared,
        [GaussianDP(1.0), Claim(GaussianDP(1.0), Mutant.noise_divided_by(declared, 4.0), expect="falls")],
        samples=5000,
    )
    assert attacked.exit_code == 0
    law = examine(
        declared,
        [Claim(GaussianDP(1.0), about="law"), Claim(GaussianDP(0.99), about="law", expect="falls")],
        samples=200,
    )
    assert law.exit_code == 0
    assert law.verdict is Verdict.PROVED


def test_exit_codes() -> None:
    box = BlackBox(laplace, (0.0, 1.0))
    assert examine(box, [], samples=200).exit_code == 5
    assert examine(box, [Claim(PureDP(0.1), expect="falls")], samples=5000).exit_code == 5
    assert examine(box, ErrorBound(1.0), samples=200).exit_code == 4
    assert examine(box, [ErrorBound(1.0), PureDP(0.2)], samples=10_000).exit_code == 1
    assert examine(box, PureDP(1.0), samples=2000).exit_code == 0


def test_one_alpha_is_shared_by_all_statistical_tests() -> None:
    box, other = BlackBox(laplace, (0.0, 1.0)), BlackBox(laplace, (0.0, 0.5))
    certificate = examine(
        box, [PureDP(1.0), Claim(PureDP(1.0), other), GaussianDP(2.0)], alpha=0.06, samples=500
    )
    errors = [e.error for f in certificate.findings for e in f.evidence]
    assert certificate.settings["alpha_per_test"] == pytest.approx(0.02)
    assert sum(errors) == pytest.approx(0.06)


def test_learning_and_counting_see_different_outcomes_and_use_the_budget() -> None:
    calls: list[tuple[float, int]] = []
    streams: list[float] = []

    def release(data: float, size: int, rng: np.random.Generator) -> Any:
        calls.append((data, size))
        out = data + rng.laplace(0.0, 1.0, size=size)
        streams.append(float(out[0] - data))
        return out

    examine(BlackBox(release, (0.0, 1.0)), [PureDP(1.0), GaussianDP(2.0)], samples=1000)
    for data in (0.0, 1.0):
        assert sum(size for x, size in calls if x == data) == 1000 + 4
    assert len(set(streams)) == len(streams)


def test_the_caller_may_watch() -> None:
    seen: list[float] = []
    examine(
        BlackBox(laplace, (0.0, 1.0)),
        PureDP(1.0),
        samples=500,
        progress=lambda fraction, text: seen.append(fraction),
    )
    assert seen == sorted(seen)
    assert seen[-1] == 1.0


def test_bits_are_judged_only_when_asked_for() -> None:
    box = BlackBox(laplace, (0.0, 1.0))
    plain, bits = (examine(box, PureDP(1.0), samples=2000, bits=b).findings[0] for b in (False, True))
    assert isinstance(plain, Finding)
    assert plain.sentences["bytes"] is None
    assert bits.sentences["bytes"] is not None


def test_equal_inputs_of_several_checks_are_drawn_once() -> None:
    sizes: list[int] = []
    declared = LaplaceMechanism(1.0, 1.0)

    def release(data: Any, size: int, rng: np.random.Generator) -> Any:
        sizes.append(size)
        return declared.release(data, size, rng)

    examine(Mutant(declared, release, "nothing"), [PureDP(1.0), ApproxDP(1.0, 1e-3)], samples=1000)
    assert sum(sizes) == 2 * (1000 + 4)
