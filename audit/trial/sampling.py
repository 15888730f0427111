"""Units of work: outcomes of a subject at its inputs, from streams that depend on nothing but seed and place."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...mechanisms.mechanism import Subject
from ...mechanisms.process import UnansweredError
from ...symbolic.errors import SpecError
from .outcomes import Kinds, Outcomes, canonical, is_plain, join, raised

_NUMBERS_PER_UNIT = 1_500_000
_LARGEST_UNIT = 25_000
_CALLS, _MANY_CALLS, _OF_EACH = 64, 128, 50  # for counting, at least: how much calls vary is seen in no fewer
_ALONE = 16  # calls for one outcome, before a release is said to fail always
_LEARNING_SHARE, _KNOWN_SHARE, _LARGEST_LEARNING = 0.25, 0.15, 200_000
_LEAST_LEARNING, _LEARNING_NUMBERS = (
    20_000,
    6_000_000,
)  # outcomes of many numbers are learnt from fewer of them


@dataclass(frozen=True)
class Schedule:
    """Sizes of the calls for learning and for counting; all calls per input together make `samples`.

    All calls have one size (but for the last): a release that starts its stream anew at each call then behaves
    alike in both parts.
    """

    learning: tuple[int, ...]
    units: tuple[int, ...]

    @classmethod
    def of(cls, samples: int, width: int, known: bool = False, letters: int = 0) -> Schedule:
        """Learning buys events, not certainty: a quarter of the sample, capped, in two calls at least.

        A `known` density says where the events are, and leaves only the choice among them.  `width` numbers and `letters`
        of text are what an outcome holds.
        """
        width += letters // 8
        most = min(_LARGEST_LEARNING, max(_LEAST_LEARNING, _LEARNING_NUMBERS // max(width, 1)))
        if known:
            most = min(most, 2 * _LARGEST_UNIT)
        learning = min(most, max(2, int(samples * (_KNOWN_SHARE if known else _LEARNING_SHARE))))
        most = min(_LARGEST_UNIT, learning // 2, max(500, _NUMBERS_PER_UNIT // max(width, 1)))
        calls = min(max(_CALLS, (samples - learning) // _OF_EACH), _MANY_CALLS)
        unit = max(1, min(most, (samples - learning) // calls))
        return cls(_split(learning, unit), _split(samples - learning, unit))


def _split(total: int, unit: int) -> tuple[int, ...]:
    return tuple(min(unit, total - start) for start in range(0, total, unit))


class Apart(ABC):
    """A subject whose calls are made in another process; `failure` is what the last exception said, "" without one."""

    name: str
    failure: str

    @abstractmethod
    def draw(self, index: Any, size: int, stream: Sequence[int], seed: int) -> Outcomes:
        """What the function `draw` gives in this process."""


def draw(
    subject: Subject | Apart, index: Any, size: int, stream: Sequence[int], seed: int, singly: bool = False
) -> Outcomes:
    """`size` outcomes at one input, `singly` one a call; an exception of the release is an outcome, interrupts are not."""
    if singly:
        return join([draw(subject, index, 1, (*stream, i), seed) for i in range(size)])
    if isinstance(subject, Apart):
        return subject.draw(index, size, stream, seed)
    rng = np.random.default_rng(np.random.SeedSequence(entropy=seed, spawn_key=tuple(stream)))
    try:
        raw = subject.sample(index, size, rng)
    except UnansweredError as error:  # a program that hangs or dies is no outcome
        raise SpecError(str(error)) from None
    except Exception as error:  # the release is foreign code: whatever it raises can tell inputs apart
        return raised(error, size)
    try:
        return canonical(raw, size)
    except (ValueError, OverflowError) as error:
        return Outcomes(np.zeros((size, 1)), Kinds.same(f"raises wrong shape ({error})", size))


def _fault(sample: Outcomes) -> str:
    """What is wrong with all outcomes of a sample: exceptions, or numbers none of which is finite; "" if one is an answer."""
    odd = [name for name in sample.kinds.counts() if not is_plain(name)]
    answered = bool(sample.plain().any()) or bool((sample.values != 0).any())
    return "" if answered or not odd else odd[0]


def probe(subject: Subject | Apart, inputs: Sequence[Any], seed: int) -> tuple[int, int]:
    """Call the release a few times at each input; the numbers of an outcome, and the letters of its structure in words.

    Raises SpecError if every call at every input fails, since then the release does not work at all; a failure on some inputs only
    is an outcome like any other.  Raises SpecError too if the release changes an input in place: later calls would
    not see the input that they are about.
    """
    before = [fingerprint(x) for x in inputs]
    samples = [draw(subject, x, 4, (2**31, i), seed) for i, x in enumerate(inputs)]
    if all(map(_fault, samples)):
        # One failure in many outcomes fails a call: a release that answers now and then is none that does not work.
        samples = [draw(subject, x, _ALONE, (2**31, i), seed, singly=True) for i, x in enumerate(inputs)]
    if [fingerprint(x) for x in inputs] != before:
        raise SpecError(f"{subject.name}: the release changes its input in place; let it work on a copy")
    faults = [_fault(s) for s in samples]
    if samples and all(faults):
        fault = faults[0]
        if fault.startswith("raises wrong shape"):
            raise SpecError(
                f"{subject.name}: the release has the wrong shape on every input: {fault[len('raises wrong shape ') :]}"
            )
        if fault.startswith("raises "):
            message = _message(subject, inputs[0], seed)
            raise SpecError(
                f"{subject.name}: the release fails on every input with {fault[len('raises ') :]}{message}; try release(data, 4, rng) by hand"
            )
        raise SpecError(
            f"{subject.name}: the release returns NaN or infinite numbers on every input ({fault}); expected finite outcomes on one input at least"
        )
    letters = [sum(map(len, s.kinds.words())) // len(s) for s in samples]
    return max((s.values.shape[1] for s in samples), default=1), max(letters, default=0)


def fails_at_times(
    subject: Subject | Apart, index: Any, calls: Sequence[Outcomes], stream: Sequence[int], seed: int
) -> bool:
    """Whether some of these calls failed as a whole, and calls for one outcome may answer: what fails is then an outcome."""
    failed = [all(name.startswith("raises ") for name in c.kinds.counts()) for c in calls if len(c) > 1]
    if any(failed) and all(failed):
        alone = draw(subject, index, _ALONE, stream, seed, singly=True)
        return not all(name.startswith("raises ") for name in alone.kinds.counts())
    return any(failed)


def _message(subject: Subject | Apart, index: Any, seed: int) -> str:
    if isinstance(subject, Apart):
        return f" ({subject.failure})" if subject.failure else ""
    try:
        subject.sample(index, 4, np.random.default_rng(seed))
    except Exception as error:
        text = str(error).splitlines()
        return f" ({text[0][:200]})" if text and text[0] else ""
    return ""


def fingerprint(value: Any) -> str:
    """The content of an input in words: equal inputs have equal fingerprints; opaque objects are told apart by identity."""
    if isinstance(value, dict):
        return (
            f"{type(value).__name__}{{"
            + ", ".join(f"{k!r}: {fingerprint(v)}" for k, v in value.items())
            + "}"
        )
    if isinstance(value, list | tuple):
        return f"{type(value).__name__}[" + ", ".join(map(fingerprint, value)) + "]"
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        digest = hashlib.blake2b(np.ascontiguousarray(value).tobytes(), digest_size=16).hexdigest()
        return f"{value.dtype.str}{value.shape} {digest}"
    if isinstance(value, np.ndarray):
        return f"object{value.shape} {fingerprint(value.tolist())}"
    if isinstance(value, np.generic | int | float | complex | str | bytes | None):
        return f"{type(value).__name__} {value!r}"
    if callable(getattr(value, "to_numpy", None)):
        return f"{type(value).__name__} {list(getattr(value, 'columns', ()))} {fingerprint(value.to_numpy())}"
    return f"{type(value).__name__} at {id(value)}"


def require_values(subject: Subject, samples: Sequence[Outcomes]) -> None:
    """Raise SpecError if no input gave a single value: a release that always fails tells nothing, and survives nothing."""
    if samples and all(map(_fault, samples)):
        raise SpecError(
            f"{subject.name}: beyond the first four calls every outcome on every input is like {next(iter(samples[0].kinds.counts()))!r}; "
            f"try release(data, {len(samples[0])}, rng) by hand"
        )


def has_density(subject: Subject, inputs: Sequence[Any], width: int) -> bool:
    """Whether the subject says how likely its outcomes are."""
    try:
        return all(subject.log_density(np.zeros((1, width)), x) is not None for x in inputs)
    except Exception:  # a density that cannot read zeros may read outcomes: it is as good as unknown here
        return False
