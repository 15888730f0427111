"""What is known of an estimation problem before anything is derived: the law, explicit estimators, and their exact risks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from mpmath import mpf

Adversary = Literal["unbiased", "biased", "anyone"]
Number = Callable[..., mpf]


@dataclass(frozen=True)
class Estimator:
    """An estimator, whom it stands for, and its exact risk as a formula of the parameters (of nothing for `anyone`).

    Its value is `rule(s)` at the statistic s, whose density (mass, if `counts`) is `law(s, parameters)` from `low` to `high`:
    from these three the check finds the risk a second time.  Risks of vectors are matrices.
    """

    name: str
    adversary: Adversary
    risk: Callable[..., mpf | list[list[mpf]]]
    source: str
    rule: Number | None = None
    law: Number | None = None
    low: Number = lambda **_: mpf(0)
    high: Number = lambda **_: mpf("inf")
    counts: bool = False


@dataclass(frozen=True)
class Model:
    """So many independent observations of a law of `y`; `estimands` and `bias` are formulas of the parameters.

    `truth` is the first estimand for mpmath.  `priors`: parameter -> (density in the parameter's name, its two ends).
    """

    name: str
    density: str
    support: tuple[int | str, int | str]
    parameters: dict[str, str]
    estimands: tuple[str, ...]
    truth: Number
    at: dict[str, str]
    observations: int
    estimators: tuple[Estimator, ...]
    priors: dict[str, tuple[str, tuple[int | str, int | str]]]
    discrete: bool = False
    bias: tuple[str, ...] = ()
    vector: str = ""
