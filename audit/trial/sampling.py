"""Units of work: outcomes of a subject at its inputs, from streams that depend on nothing but seed and place."""

from __future__ import annotations

import contextlib
import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...mechanisms.mechanism import Subject
from ...mechanisms.process import UnansweredError
from ...symbolic.errors import SpecError
from .outcomes import Kinds, Outcomes, canonical, exception, finite, raised, rows
from .structure import types

_NUMBERS_PER_UNIT = 1_500_000
_LARGEST_UNIT = 25_000
_CALLS, _MANY_CALLS, _OF_EACH = 64, 128, 50  # for counting, at least: how much calls vary is seen in no fewer
_ALONE = 16  # outcomes that are asked for one at a time, before a release is said to fail always
_LEARNING_SHARE, _KNOWN_SHARE, _LARGEST_LEARNING = 0.25, 0.15, 200_000
_LEAST_LEARNING, _LEARNING_NUMBERS = (
    20_000,
    6_000_000,
)  # outcomes of many numbers are learnt from fewer of them
_RANDOM = re.compile(r"0x[0-9a-fA-F]+|[0-9a-fA-F]*\d[0-9a-fA-F]*")  # addresses, numbers, ids
_SHAPE = "raises wrong shape"


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


class Recording(Subject):
    """A subject's sampler that remembers the first exception, what it said, or its name, and the types of the first outcomes."""

    def __init__(self, subject: Subject) -> None:
        self._sample, self.types, self.failure, self.seen = subject.sample, subject.types, "", ""

    def sample(self, index: Any, size: int, rng: np.random.Generator) -> Any:
        try:
            raw = self._sample(index, size, rng)
        except Exception as error:
            self.failure = self.failure or first_line(error) or type(error).__name__
            raise
        with contextlib.suppress(ValueError):
            self.seen = " or ".join(sorted({types(outcome) for outcome in rows(raw, size)[:2]}))
        return raw


def first_line(error: BaseException) -> str:
    """The first line of what an exception says, whose own code may fail."""
    with contextlib.suppress(Exception):
        return next(iter(str(error).splitlines()), "")[:200]
    return ""


class Apart(ABC):
    """A subject whose calls are made in another process; `failure` and `seen` are those of its `Recording` in the last draw."""

    name: str
    failure: str
    seen: str

    @abstractmethod
    def draw(self, index: Any, size: int, stream: Sequence[int], seed: int, single: bool = False) -> Outcomes:
        """What the function `draw` gives in this process."""


@np.errstate(all="ignore")
def draw(
    subject: Subject | Apart, index: Any, size: int, stream: Sequence[int], seed: int, single: bool = False
) -> Outcomes:
    """`size` outcomes at one input; an exception of the release is an outcome, interrupts and warnings are not.

    A call that fails as a whole says nothing about how many of its outcomes fail: with `single` they are asked for one at a time.
    """
    if isinstance(subject, Apart):
        return subject.draw(index, size, stream, seed, single)
    generator = np.random.default_rng(np.random.SeedSequence(entropy=seed, spawn_key=tuple(stream)))
    if single:
        return _one_by_one(subject, index, size, generator)
    try:
        raw = subject.sample(index, size, generator)
    except UnansweredError as error:  # a program that hangs or dies is no outcome
        raise SpecError(str(error)) from None
    except Exception as error:  # the release is foreign code: whatever it raises can tell inputs apart
        return raised(error, size)
    return _read(raw, size, subject.types)


def _one_by_one(subject: Subject, index: Any, size: int, rng: np.random.Generator) -> Outcomes:
    """The outcomes of `size` calls for one each, exceptions among them."""
    outcomes: list[Any] = []
    misshapen = 0
    for _ in range(size):
        try:
            raw = subject.sample(index, 1, rng)
        except UnansweredError as error:
            raise SpecError(str(error)) from None
        except Exception as error:
            outcomes.append(error)
            continue
        try:
            outcomes.extend(rows(raw, 1))
        except ValueError as error:
            misshapen += 1
            outcomes.append(error)
    return _misshapen(outcomes[-1], size) if misshapen == size else _read(outcomes, size, subject.types)


def _read(raw: Any, size: int, typed: bool) -> Outcomes:
    try:
        return canonical(raw, size, typed)
    except (ValueError, OverflowError) as error:
        return _misshapen(error, size)


def _misshapen(error: Exception, size: int) -> Outcomes:
    return Outcomes(np.zeros((size, 1)), Kinds.same(f"{_SHAPE} ({error})", size))


def answers(*samples: Outcomes) -> bool:
    """Whether a single outcome is a value: no exception, and not the one row of NaN and infinities that there is."""
    if any(s.values.any() or any(finite(k, s.values.shape[1]) for k in s.kinds.counts()) for s in samples):
        return True
    # Where NaN and infinities stand may be all that a release tells.
    return len({name for s in samples for name in s.kinds.counts() if not exception(name)}) > 1


def _fault(samples: Sequence[Outcomes]) -> str:
    """What is wrong with all outcomes on all inputs; "" if one is an answer, or if they fail in ways that differ.

    What differs in numbers, addresses and ids only is one way.
    """
    if not samples or answers(*samples):
        return ""
    odd = [name for s in samples for name in s.kinds.counts()]
    if all(name.startswith(_SHAPE) for name in odd):
        return odd[0]
    return odd[0] if len({_RANDOM.sub("#", name) for name in odd}) == 1 else ""


class Probed(NamedTuple):
    """The numbers of an outcome, the letters of its structure in words, whether a call failed as a whole (then outcomes are to
    be asked for one at a time), and a note where equal outcomes are of other types on another input."""

    width: int = 1
    letters: int = 0
    single: bool = False
    note: str = ""


def probe(subject: Subject | Apart, inputs: Sequence[Any], seed: int) -> Probed:
    """Call the release twice for two outcomes at each input.

    Raises SpecError if every call at every input fails alike, since then the release does not work at all; a failure on some inputs
    only, or one that tells inputs apart, is an outcome like any other.  Raises SpecError too if the release changes an input in
    place: later calls would not see the input that they are about.
    """
    before = [fingerprint(x) for x in inputs]
    samples, failures, seen = [], [], []
    for i, x in enumerate(inputs):
        for call in range(2):
            source = subject if isinstance(subject, Apart) else Recording(subject)
            samples.append(draw(source, x, 2, (2**31, i, call), seed))
            failures.append(source.failure)
            seen.append((i, source.seen, *samples[-1].kinds.counts()))
    if [fingerprint(x) for x in inputs] != before:
        raise SpecError(f"{subject.name}: the release changes its input in place; let it work on a copy")
    fault = _fault(samples)
    if fault:
        # A release that answers now and then is none that does not work.
        alone = [draw(subject, x, _ALONE, (2**31, i, 2), seed, single=True) for i, x in enumerate(inputs)]
        fault = _fault([*samples, *alone])
    if fault.startswith(_SHAPE):
        raise SpecError(
            f"{subject.name}: the release has the wrong shape on every input: {fault[len(_SHAPE) + 2 : -1]}"
        )
    if fault.startswith("raises "):
        kind, said = exception(fault)[len("raises ") :], failures[0] or fault.partition(": ")[2]
        message = f" ({said[:200]})" if said not in ("", kind) else ""
        raise SpecError(
            f"{subject.name}: the release fails on every input with {kind}{message}; try release(data, 4, rng) by hand"
        )
    if fault:
        raise SpecError(
            f"{subject.name}: every outcome on every input is the same, NaN or infinite, without a finite number ({fault}); expected finite outcomes on one input at least"
        )
    letters = [sum(map(len, s.kinds.words())) // len(s) for s in samples]
    width = max((s.values.shape[1] for s in samples), default=1)
    return Probed(width, max(letters, default=0), any(failures), _types_note(subject.name, seen))


def _types_note(name: str, seen: Sequence[tuple[Any, ...]]) -> str:
    """What to say of types that tell inputs apart where the structure of outcomes does not; `seen` holds input, types, structures."""
    told: dict[tuple[str, ...], dict[str, set[int]]] = {}
    for i, words, *kinds in seen:
        told.setdefault(tuple(kinds), {}).setdefault(words, set()).add(i)
    for by_types in told.values():
        if len(by_types) > 1 and not set.intersection(*by_types.values()):
            where = " and ".join(f"{words} on input {min(i)}" for words, i in by_types.items())
            return f"{name}: the first outcomes are {where}; equal values are equal outcomes, whatever their types, unless types=True"
    return ""


def fails_at_times(
    subject: Subject | Apart, index: Any, calls: Sequence[Outcomes], stream: Sequence[int], seed: int
) -> bool:
    """Whether some of these calls failed as a whole, and calls for one outcome may answer: what fails is then an outcome."""
    failed = [_failed(c) for c in calls if len(c) > 1]
    if failed and all(failed):
        return not _failed(draw(subject, index, _ALONE, stream, seed, single=True))
    return any(failed)


def _failed(call: Outcomes) -> bool:
    names = call.kinds.counts()
    return all(name.startswith("raises ") for name in names)


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


def require_values(subject: Subject, samples: Sequence[Outcomes], *, private: bool = False) -> None:
    """Raise SpecError if no input gave a single value and all fail alike, or if it is not privacy that is asked about: that tells nothing, and survives nothing."""
    if _fault(samples) or (not private and samples and not answers(*samples)):
        raise SpecError(
            f"{subject.name}: beyond the first four, every outcome on every input is like {next(iter(samples[0].kinds.counts()))!r}; "
            f"try release(data, {len(samples[0])}, rng) by hand"
        )


def has_density(subject: Subject, inputs: Sequence[Any], width: int) -> bool:
    """Whether the subject says how likely its outcomes are."""
    try:
        return all(subject.log_density(np.zeros((1, width)), x) is not None for x in inputs)
    except Exception:  # a density that cannot read zeros may read outcomes: it is as good as unknown here
        return False
