"""What others wrote is read in one way only, and what it writes as a number is evaluated in bounded time."""

from __future__ import annotations

import pytest

from noiseproof.audit.record.reading.strict_json import read_strict
from noiseproof.symbolic.proof.written_constant import certainty, enclosed


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        (b"[" * 200_000 + b"]" * 200_000, "deep"),
        (b"[" * 66 + b"]" * 66, "nested more than 64 deep"),
        (b"[" + b"[]," * 600_000 + b"0]", "more than 500,000 lists"),
        (b'{"a": 1, "a": 2}', "'a' stands twice"),
        (b"[1e400]", "outside the range of double precision"),
        (b"[" + b"9" * 400 + b"]", "too large for a double"),
        (b"[NaN]", "NaN is not a number"),
        (b'"' + b"x" * (17 * 2**20) + b'"', "more than 16,777,216 bytes"),
    ],
    ids=["endless depth", "depth", "parts", "keys", "exponent", "digits", "NaN", "size"],
)
def test_what_two_readers_could_read_differently_is_not_read(raw: bytes, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_strict(raw)


def test_written_constants_are_enclosed_in_bounded_time() -> None:
    for text in (
        "10**10**10",
        "exp(exp(exp(10)))",
        "**".join(["9"] * 60),
        "(" * 5000 + "1",
        "1e99999999999",
        "9" * 6000,
    ):
        assert enclosed(text) is None
    assert certainty("2", "<=", "1") is False
    assert certainty("sqrt(2)**2 + 1/10**30", "=", "2") is False
    assert certainty("1/3", "<", "1") is True
    assert certainty("sqrt(2)**2", "=", "2") is None
    assert certainty("x", "<=", "1") is None
