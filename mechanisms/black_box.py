"""Any callable under audit, its law unknown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Self

import numpy as np

from ..symbolic.arrays import Floats
from .mechanism import Subject

NOISES = ("laplace", "gaussian", "additive")


class BlackBox(Subject):
    """A mechanism of which only the code is known: a release function and two neighbouring inputs.

    `release(data, size, rng)` returns an array whose first axis is `size`, or a list of `size` outcomes of any kind,
    exceptions among them; where calls raise, outcomes are asked for one at a time. `inputs` are two neighbouring
    inputs. `log_density(y, data)`, if known, guides the attack.
    `noise` declares outcomes f(data) + w, numbers or vectors of numbers, the entries of w independent and of the same law
    on both inputs: "laplace" and "gaussian" name the law, "additive" leaves it open.
    `timing`: with `bits=True` the time of a call is audited too; `processes`: so are calls in a fork.
    `types`: the type of a number or a text is audited, which is no part of its value otherwise. `deterministic=False` says that
    a seed does not fix the outcome; `name` is printed.
    ValueError unless there are exactly two inputs or if `noise` is another word, TypeError if `release` is not callable.

    >>> subject = npf.BlackBox(lambda data, size, rng: sum(data) + rng.laplace(size=size), inputs=([1, 0, 1], [1, 1, 1]))
    >>> npf.examine(subject, npf.PureDP(0.5), samples=2_000).verdict
    Verdict.REFUTED
    """

    def __init__(
        self,
        release: Callable[..., Any],
        inputs: tuple[Any, Any],
        log_density: Callable[..., Any] | None = None,
        *,
        name: str = "",
        deterministic: bool = True,
        noise: str | None = None,
        timing: bool = False,
        processes: bool = False,
        types: bool = False,
    ) -> None:
        if not callable(release):
            raise TypeError(
                f"release must be a function release(data, size, rng), got {type(release).__name__}"
            )
        if not isinstance(inputs, tuple | list) or len(inputs) != 2:
            raise ValueError("inputs must be a pair (x0, x1) of neighbouring inputs")
        if noise is not None and noise not in NOISES:
            raise ValueError(f"noise must be one of {', '.join(map(repr, NOISES))} or None, got {noise!r}")
        self.noise, self.timing, self.processes, self.types = noise, timing, processes, types
        self.release, self.inputs, self._log_density = release, (inputs[0], inputs[1]), log_density
        self.name = name or getattr(release, "__name__", "black box")
        self.summary = "a release known by its code only"
        if noise is not None:
            law = "noise" if noise == "additive" else f"{noise.capitalize()} noise"
            self.summary += f", declared to be a query plus {law}"
        self.deterministic = deterministic

    @classmethod
    def single(cls, f: Callable[[Any], Any], inputs: tuple[Any, Any], **options: Any) -> Self:
        """f(data) -> one outcome, with randomness of its own: runs are not reproducible from the seed.

        An exception is an outcome too; interrupts are not.
        """

        def release(data: Any, size: int, rng: np.random.Generator) -> list[Any]:
            outcomes: list[Any] = []
            for _ in range(size):
                try:
                    outcomes.append(f(data))
                except Exception as error:
                    outcomes.append(error)
            return outcomes

        options.setdefault("name", getattr(f, "__name__", "black box"))
        return cls(release, inputs, deterministic=False, **options)

    @classmethod
    def process(
        cls, command: Sequence[str], inputs: tuple[Any, Any], *, seconds: float = 60.0, **options: Any
    ) -> Self:
        """A release answered by a program of its own, in whatever environment or language: see `process.Process`.

        `command` is a list of words, `seconds` the limit of one call.  `deterministic=True` if the program obeys the
        seed that it is sent.  Raises ValueError if the program does not exist or an input cannot be sent to it.
        """
        from .process import Process, sendable

        release = Process(command, seconds)
        for x in inputs if isinstance(inputs, tuple | list) else ():
            sendable(x)
        options.setdefault("name", release.__name__)
        options.setdefault("deterministic", False)
        return cls(release, inputs, **options)

    def parameters(self) -> dict[str, Any]:
        return {} if self.noise is None else {"noise": self.noise}

    def sample(self, index: Any, size: int, rng: np.random.Generator) -> Any:
        return self.release(index, size, rng)

    def log_density(self, y: Floats, index: Any) -> Floats | None:
        return (
            None
            if self._log_density is None
            else np.asarray(self._log_density(y, index), dtype=float).reshape(len(y))
        )

    def neighbours(self) -> tuple[tuple[Any, Any], ...]:
        return (self.inputs,)
