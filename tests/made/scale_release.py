"""Releases and claims for the tests of executors and checkpoints: cheap, and slow enough to be stopped half-way."""

from __future__ import annotations

import json
import os
import signal
import time
from typing import Any

import numpy as np

import noiseproof as npf

SAMPLES = 4_000


def pause() -> None:
    """Wait as long as the environment says, which is no part of the release."""
    time.sleep(float(os.environ.get("SCALE_PAUSE", "0")))


def noisy(x: float, size: int, rng: np.random.Generator) -> Any:
    """A number with Laplace noise."""
    pause()
    return x + rng.laplace(size=size)


def answers(x: int, size: int, rng: np.random.Generator) -> Any:
    """Randomised response, in words."""
    pause()
    truth = rng.random(size) < 0.7
    return [("yes" if bool(x) == bool(t) else "no") for t in truth]


def several() -> list[npf.Claim]:
    """Claims that hold, fall and share a subject, with an exact check among them."""
    box = npf.BlackBox(noisy, (0.0, 1.0))
    words = npf.BlackBox(answers, (0, 1))
    return [
        npf.Claim(npf.PureDP(1.0), box),
        npf.Claim(npf.PureDP(0.4), box, expect="falls"),
        npf.Claim(npf.PureDP(1.0), words),
        npf.Claim(npf.PureDP(1.0), npf.RandomisedResponse(epsilon=1.0)),
    ]


def one() -> list[npf.Claim]:
    """One claim of one release."""
    return [npf.Claim(npf.PureDP(1.0), npf.BlackBox(noisy, (0.0, 1.0)))]


def deadly() -> list[npf.Claim]:
    """A release that kills its process once, when the file SCALE_DEADLY does not exist and a worker has it."""

    def release(x: float, size: int, rng: np.random.Generator) -> Any:
        mark, home = os.environ["SCALE_DEADLY"], os.environ["SCALE_HOME"]
        if size > 100 and os.getpid() != int(home) and not os.path.exists(mark):
            with open(mark, "w", encoding="utf-8"):
                pass
            os.kill(os.getpid(), signal.SIGKILL)
        return x + rng.laplace(size=size)

    return [npf.Claim(npf.PureDP(1.0), npf.BlackBox(release, (0.0, 1.0)))]


def hanging() -> list[npf.Claim]:
    """A release that returns when it is tried, and never again."""

    def release(x: float, size: int, rng: np.random.Generator) -> Any:
        time.sleep(0 if size <= 4 else 1_000)
        return x + rng.laplace(size=size)

    return [npf.Claim(npf.PureDP(1.0), npf.BlackBox(release, (0.0, 1.0)))]


def audit(**settings: Any) -> str:
    """The certificate of `several`, as text without timings."""
    return text_of(npf.examine(None, several(), samples=SAMPLES, **settings))


def text_of(certificate: npf.Certificate) -> str:
    """The JSON of a certificate without its timings."""
    data = certificate.to_dict()
    data.pop("timings")
    return json.dumps(data)
