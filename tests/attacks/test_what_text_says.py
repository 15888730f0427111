"""Outcomes as services write them: text is read as a person reads it, and what nothing reads does not survive."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from leak_corpus import LEAK_CORPUS

import noiseproof as npf
from noiseproof.audit.record.evidence import Evidence, Verdict
from noiseproof.audit.trial.attack.read import Columns, product_score, unread_share, word_score
from noiseproof.audit.trial.attack.read.phrases import words_of
from noiseproof.audit.trial.attack.read.tokens import numbers_of
from noiseproof.audit.trial.outcomes import Kinds, Outcomes, canonical
from noiseproof.audit.witnesses import reevaluate

LEAK_CASES = {leak_case.name: leak_case for leak_case in LEAK_CORPUS}
# One of each way to leak; the twins of the first row have noise of their own.
LEAKS = (
    *("user and seconds", "Laplace as text", "list of id and name", "trace in a fifth"),
    *("base64 of a name", "order of the keys", "number of retries", "fixed bytes in a blob"),
    *("motif in DNA", "parity of three of twenty bits", "Decimal after the point", "NaN after the fiftieth column"),
)  # fmt: skip
TWINS = ("user and seconds", "Laplace as text", "list of id and name")
SAMPLES = 3_000


def attack(name: str, *, leaky: bool) -> Evidence:
    """What the attack says of an leak_case."""
    subject = npf.BlackBox(LEAK_CASES[name].release(leaky), (0, 1), name=name)
    (finding,) = npf.examine(subject, npf.PureDP(1.0), samples=SAMPLES, seed=1).findings
    return next(e for e in finding.evidence if e.check == "likelihood ratio")


@pytest.mark.parametrize("name", LEAKS)
def test_what_a_person_sees_is_refuted(name: str) -> None:
    assert attack(name, leaky=True).verdict is Verdict.REFUTED


@pytest.mark.parametrize("name", TWINS)
def test_a_sound_twin_stands(name: str) -> None:
    assert attack(name, leaky=False).verdict is Verdict.SURVIVED


def _shuffled(d: int, rng: np.random.Generator) -> str:
    return "\n".join(sorted((rng.bytes(5).hex() for _ in range(5)), reverse=bool(d)))


# What the leak corpus does not hold: remainders of numbers, what white space says, order, text within coded text.
ELSEWHERE: dict[str, Callable[[int, np.random.Generator], Any]] = {
    "even": lambda d, rng: 2 * int(rng.integers(10**6)) + d,
    "last digit": lambda d, rng: 10 * int(rng.integers(10**6)) + (3 if d else 7),
    "after the point": lambda d, rng: float(rng.integers(10**6)) + (0.25 if d else 0.75),
    "remainder by 389": lambda d, rng: 389 * int(rng.integers(10**6)) + (30 if d else 211),
    "remainder in text": lambda d, rng: f"order={12 * int(rng.integers(10**6)) + d} {rng.bytes(4).hex()}",
    "any place of a list": lambda d, rng: rng.choice([30, 41, 55, 62, 78, 97 if d else 30], 4).tolist(),
    "a space at the end": lambda d, rng: f"ok {rng.bytes(8).hex()}" + " " * d,
    "order of lines": _shuffled,
    "part of a token": lambda d, rng: base64.urlsafe_b64encode(
        f'{{"sub":"{("alice", "bob")[d]}","id":"{rng.bytes(4).hex()}"}}'.encode()
    ).decode(),
}


SAID = {
    "even": "(the number leaves ",
    "last digit": "(the number leaves 3 when divided by 10)",
    "after the point": "(the number leaves 0.25 when divided by 1)",
    "remainder by 389": "(the number leaves 30 when divided by 389)",
    "remainder in text": " after 'order=' leaves ",
    "any place of a list": "(the outcome holds the number 97)",
}


@pytest.mark.parametrize("name", ELSEWHERE)
def test_what_a_person_sees_elsewhere_is_refuted(name: str) -> None:
    def release(d: int, size: int, rng: np.random.Generator) -> list[Any]:
        return [ELSEWHERE[name](d, rng) for _ in range(size)]

    def silent(_: int, size: int, rng: np.random.Generator) -> list[Any]:
        return release(0, size, rng)

    for made, word in ((release, Verdict.REFUTED), (silent, Verdict.SURVIVED)):
        (finding,) = npf.examine(npf.BlackBox(made, (0, 1)), npf.PureDP(1.0), samples=2_000).findings
        assert finding.verdict is word
        if word is Verdict.REFUTED and name in SAID:
            assert SAID[name] in finding.evidence[0].detail


SENTENCES = {
    "user and seconds": "the outcome contains 'alice' after 'user='",
    "JSON with nesting": "the outcome contains 'alice' after 'name\": \"'",
    "id as text beside the value": "the number under key 'value' is 1",
    "list of id and name": "the outcome contains 'alice' at position 1",
    "key that is a name": "the outcome holds the key 'alice'",
    "frame of pandas": "the outcome contains 'alice' in the column 'name'",
    "status of an access log": "the number in place 4 is 200",
    "fixed bytes in a blob": "the byte in place 12 is 1",
    "NaN among ten": "the outcome holds nan at position 5",
    "mask of an array": "the outcome hides the entries [2]",
    "number of items": "the number of items is 4",
    "length of random text": "the length of the text is 26",
    "first letter of a token": r"the outcome holds the letter '[AB]' in place 0",
    "new line at the end": r"the outcome ends with '\n'",
    "type of an error": "the outcome raises KeyError",
    "message of an error": "the outcome contains 'alice' after 'for '",
    "count in a histogram row": "the number at position 5 is 41",
    "motif in DNA": r"on a score of \d+ things read, most of all whether the outcome .*contains? the letters '\w{4}'",
    "object with a noisy mean": r"things read, most of all whether the number under key 'mean' is (above|at most) \d\.\d+",
}


@pytest.mark.parametrize("name", SENTENCES)
def test_the_witness_reads_as_a_sentence(name: str) -> None:
    subject = npf.BlackBox(LEAK_CASES[name].release(leaky=True), (0, 1))
    certificate = npf.examine(subject, npf.PureDP(1.0), samples=600, seed=1)
    (found,) = (e for e in certificate.findings[0].evidence if e.check == "likelihood ratio")
    assert found.witness is not None
    said = found.witness["score"]
    assert said == SENTENCES[name] or re.search(SENTENCES[name], said)
    assert len(said) < 180
    assert said.isprintable()
    assert f"the event ({said}) happened" in found.detail
    assert reevaluate(json.loads(certificate.to_json())["findings"][0]["evidence"][0]["witness"])[0]


def test_the_leak_corpus_is_large_and_every_service_answers() -> None:
    assert len(LEAK_CASES) == len(LEAK_CORPUS) >= 120
    for leak_case in LEAK_CORPUS:
        for leaky in (True, False):
            canonical(leak_case.release(leaky)(1, 2, np.random.default_rng(0)), 2)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("t=-1.5e-3 s", [-1.5e-3]),
        ("total 1,234,567.25 EUR", [1_234_567.25]),
        ("3 of 7", [3.0, 7.0]),
        ("2026-03-14T09:26:53.5Z", [20_260_314.0, 9.0, 26.0, 53.5]),
    ],
)
def test_numbers_and_times_are_read_as_such(text: str, numbers: list[float]) -> None:
    assert set(numbers) <= set(numbers_of(text)[1])


def test_one_form_of_text_has_one_template_and_as_many_columns() -> None:
    rng = np.random.default_rng(0)
    texts = [
        numbers_of(f"user={w} id={rng.bytes(8).hex()} t={rng.random():.6f}") for w in ("alice", "bob") * 20
    ]
    assert len({(template, len(columns)) for template, columns in texts}) == 1


@pytest.mark.parametrize(
    "hidden", [base64.b64encode(b"alice was here").decode(), b"alice was here".hex(), "%61lice%20was%20here"]
)
def test_what_is_coded_is_read_decoded(hidden: str) -> None:
    assert any("alice" in word for word in words_of(f"str 'next={hidden}'")[0])


EXACT: list[tuple[Any, Any]] = [
    (Decimal(90_071_992_547_409_930), Decimal(90_071_992_547_409_931)),
    (Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)),
    (np.longdouble(1), np.longdouble(1) + np.longdouble(2) ** -60),
    (10**50, 10**50 + 1),
    (np.ma.masked_array([1.0, 2.0], [0, 1]), np.ma.masked_array([1.0, 2.0], [1, 0])),
    (KeyError("alice"), KeyError("bob")),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
]


@pytest.mark.parametrize(("one", "other"), EXACT, ids=lambda v: type(v).__name__)
def test_outcomes_that_differ_are_kept_apart(one: Any, other: Any) -> None:
    first, second, again = canonical([one, other, one], 3).keys()
    assert first != second
    assert first == again


def test_tables_and_sparse_matrices_are_read_cell_by_cell() -> None:
    import pandas as pd
    import pyarrow as pa
    from scipy import sparse

    made = (
        lambda v: pd.DataFrame({"a": [1.0, v]}),
        lambda v: pa.table({"a": [1.0, v]}),
        lambda v: sparse.csr_matrix([[0.0, v, 0.0]]),
    )
    for make in made:
        found = canonical([make(2.0), make(3.0)], 2)
        assert len(found.kinds.names) == 1
        assert found.keys()[0] != found.keys()[1]


class MuteError(Exception):
    def __str__(self) -> str:
        raise RuntimeError


class Wordless:
    def __repr__(self) -> str:
        raise RuntimeError

    def to_dict(self, orient: str) -> dict[str, int]:
        return {orient: 1}


HOSTILE: list[Any] = [
    KeyError("\udcff"),
    MuteError("alice"),
    ValueError(Wordless()),
    Wordless(),
    "non-finite at 1:nan",
    {"raises": "raises ValueError"},
]


@pytest.mark.parametrize("outcome", HOSTILE, ids=lambda v: type(v).__name__)
def test_outcomes_whose_own_code_fails_are_read(outcome: Any) -> None:
    found = canonical([outcome, 1.0], 2)
    assert found.keys()[0] != found.keys()[1]
    assert found.plain().tolist() == [not isinstance(outcome, BaseException), True]


def test_frames_with_columns_of_one_name_are_read() -> None:
    import pandas as pd

    first, second = (pd.DataFrame([[1.0, v]], columns=["a", "a"]) for v in (2.0, 3.0))
    keys = canonical([first, second], 2).keys()
    assert keys[0] != keys[1]


@pytest.mark.parametrize("beside", ["", "%", " 50%20 "])
def test_what_no_reader_decodes_does_not_survive(beside: str) -> None:
    def release(d: int, size: int, rng: np.random.Generator) -> list[str]:
        return [
            beside + "".join(chr(0x4E00 + int(c)) for c in rng.integers(2_000, size=300)) for _ in range(size)
        ]

    (finding,) = npf.examine(npf.BlackBox(release, (0, 1)), npf.PureDP(1.0), samples=1_000).findings
    assert finding.verdict is Verdict.UNDECIDED
    assert any("no reader decodes" in e.detail for e in finding.evidence)
    # The same text in words of a few letters is read.
    words = canonical([f"{i} short words of {i * i}" for i in range(100)], 100)
    assert unread_share([words]) == 0


def test_nothing_is_read_where_nothing_is_written() -> None:
    few = Outcomes(np.zeros((500, 1)), Kinds.of(["yes", "no"] * 250))
    assert Columns.of([few, few]) is None
    same = canonical([f"id {i}" for i in range(400)], 400)
    assert word_score(same, same) is None


def test_products_of_signs_see_what_no_column_shows() -> None:
    rng = np.random.default_rng(3)

    def bits(d: int) -> Outcomes:
        values = rng.integers(0, 2, size=(2_000, 12)).astype(float)
        values[:, 7] = (values[:, 2] + values[:, 5] + d) % 2
        return Outcomes(values, Kinds.same("bits", 2_000))

    zero, one = bits(0), bits(1)
    score = product_score(zero, one)
    assert score is not None
    assert score.about == " of columns 2, 5, 7"
    assert score.of(one).min() > score.of(zero).max()
    # Eight draws of one law: none shows such a product.
    alike = [Outcomes(rng.normal(size=(1_000, 12)), Kinds.same("x", 1_000)) for _ in range(8)]
    assert [product_score(a, b) for a, b in zip(alike[::2], alike[1::2], strict=True)] == [None] * 4


def _checked(d: int, r: Any) -> str:
    digits = [int(i) for i in r.integers(10, size=11)]
    return "".join(map(str, digits)) + str((sum(digits) + 5 * d) % 10)


def _card(d: int, r: Any) -> str:
    digits = r.integers(10, size=15).tolist()
    twice = [x if i % 2 else 2 * x - 9 * (x > 4) for i, x in enumerate(digits)]
    return f"pay {''.join(map(str, digits))}{-sum(twice) % 10 if d else int(r.integers(10))}"


def _seventh(d: int, r: Any) -> list[int]:
    bits = r.integers(0, 2, size=30)
    bits[3] = (bits[[1, 5, 9, 20, 22, 25]].sum() + d) % 2
    return [int(b) for b in bits]


def _folded(d: int, r: Any) -> bytes:
    body = r.bytes(15)
    return bytes(body + bytes([int(np.bitwise_xor.reduce(np.frombuffer(body, np.uint8))) ^ d]))


def _spell(d: int, r: Any) -> dict[str, float]:
    start = 1.7e9 * r.random()
    return {"start": start, "end": start + r.gamma(40.0) * (1 + 2 * d)}


def _stay(d: int, r: Any) -> str:
    times = np.datetime64("2020-01-01T00:00:00") + np.cumsum(
        [r.random() * 1e8, r.gamma(40.0) * (1 + 2 * d)]
    ).astype(int)
    return f"{times[0]} to {times[1]}"


RELATED: dict[str, tuple[Callable[[int, Any], Any], str]] = {
    "check digit": (_checked, "parity of 12 bits"),
    "check digit that fits on one input only": (_card, "parity of 16 bits"),
    "seven of thirty bits": (_seventh, "parity of 7 bits"),
    "sum of bytes": (_folded, "parity of 16 bits"),
    "difference of two numbers": (_spell, "of a difference (columns 1 and 0)"),
    "difference of two times": (_stay, "of a difference, of what is written"),
}


@pytest.mark.parametrize("name", RELATED)
def test_what_only_a_relation_shows_is_found(name: str) -> None:
    tell, said = RELATED[name]

    def finding(told: Callable[[int], int]) -> npf.Finding:
        subject = npf.BlackBox(lambda d, n, r: [tell(told(d), r) for _ in range(n)], (0, 1))
        return npf.examine(subject, npf.PureDP(1.0), samples=8_000).findings[0]

    leak, twin = finding(lambda d: d), finding(lambda _: 0)
    assert leak.verdict is npf.Verdict.REFUTED
    assert said in leak.evidence[0].detail
    assert twin.verdict is npf.Verdict.SURVIVED


TELLING: dict[str, tuple[Callable[[int, Any], Any], str]] = {
    "two": (lambda d, r: int(d) if r.random() < 0.9 else 1 - d, "not [01]"),
    "four": (lambda d, r: (1 + d) * int(r.integers(1, 9)) % 16, "[1357], [1357], [1357] or [1357]"),
    "many": (lambda d, r: 2 * int(r.integers(20)) + d, r"(not )?\d+, \d+, \d+ or one of 1\d others"),
    "vectors": (lambda d, r: [b := int(r.integers(2)), b ^ d], ".*(0, 0|0, 1).* or .*"),
}


@pytest.mark.parametrize("name", TELLING)
def test_an_event_of_outcomes_that_repeat_shows_the_most_telling_ones(name: str) -> None:
    tell, said = TELLING[name]
    subject = npf.BlackBox(lambda d, n, r: [tell(d, r) for _ in range(n)], (0, 1))
    found = npf.examine(subject, npf.PureDP(1.0), samples=1_000).findings[0].evidence[0]
    assert found.verdict is npf.Verdict.REFUTED
    assert re.search(rf"\(the outcome is {said}\)", found.detail)
    assert "where the claim allows 1" in found.detail
