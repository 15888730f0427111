"""What is asked of every version whose facts are frozen: mechanisms with claims, policies of every kind, seeded slips."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np

WORDS = (
    b"1e999",
    b"-1",
    b"nan",
    b"true",
    b"[[",
    b"]]",
    b'"""',
    b"\xff",
    b"0",
    b'"x"',
    b"{}",
    b"9" * 400,
    b"=",
    b"\n",
)
COLUMNS = """
[[columns]]
name = "age"
kind = "number"
role = "private"
low = 0
high = 100
unit = "year"
[[columns]]
name = "hours"
kind = "integer"
role = "private"
low = 0
high = 80
unit = "h"
"""
LABELS = {
    "public": '[[columns]]\nname = "y"\nkind = "label"\nrole = "public"\ncategories = ["no", "yes"]\n',
    "private": '[[columns]]\nname = "y"\nkind = "label"\nrole = "private"\ncategories = ["no", "yes"]\n',
    "drop": '[[columns]]\nname = "y"\nrole = "drop"\n',
}
# mechanism, limits, role of the label, samples, bits
KINDS = {
    "laplace": ('kind = "laplace"\ncalibrate = true', "epsilon = 2.0", "public", 3000, True),
    "gaussian": ('kind = "gaussian"\ndeviation = 300.0', "epsilon = 2.0\ndelta = 1e-4", "public", 3000, True),
    "optimal": ('kind = "optimal"\nhalf_width = 30.0', "error = 50.0", "public", 3000, True),
    "constrained": (
        'kind = "constrained"\nhalf_width = { age = 25, hours = 20 }\ncells = 8',
        "error = 50.0",
        "public",
        3000,
        True,
    ),
    "null-space": ('kind = "null-space"\nvariance = 0.5', "unbiased_error = 50.0", "public", 3000, False),
    "ron-gauss": (
        'kind = "ron-gauss"\ncomponents = 2\ncalibrate = true',
        "epsilon = 2.0",
        "private",
        3000,
        True,
    ),
    "compression": (
        'kind = "compression"\nrows = 3\ncovariance = [[0.33, 0.0], [0.0, 0.33]]\ndelta_max = 0.05',
        "epsilon = 6.0",
        "drop",
        10_000,
        False,
    ),
}


def subjects() -> Iterator[tuple[str, Any, list[Any]]]:
    """An example of every mechanism with true and false claims, and every planted fault."""
    import noiseproof as npf

    box = ([0.0, -1.0], [1.0, 1.0])
    claims = [
        npf.PureDP(1.0),
        npf.GaussianDP(1.0),
        npf.ApproxDP(1.0, 1e-3),
        npf.ZeroConcentratedDP(0.5),
        npf.RenyiDP(4.0, 2.0),
        npf.ErrorBound(1.0),
        npf.FisherInformation(1.0),
        npf.Claim(npf.PureDP(0.4), expect="falls"),
        npf.Claim(npf.GaussianDP(0.2), about="law", expect="falls"),
    ]
    made = {
        "laplace": npf.LaplaceMechanism(1.0, 1.0),
        "laplace-vector": npf.LaplaceMechanism(0.5, 1.0, dimension=3),
        "gaussian": npf.GaussianMechanism(2.0, 1.0),
        "gaussian-covariance": npf.GaussianMechanism(covariance=[[2.0, 0.5], [0.5, 1.0]]),
        "optimal-gaussian": npf.OptimalGaussian(2.0, box),
        "optimal-weighted": npf.OptimalGaussian(2.0, box, weight=[[2.0, 0.5], [0.5, 1.0]]),
        "cosine": npf.CosineMechanism(-1.0, 3.0, sensitivity=0.5),
        "response": npf.RandomisedResponse(1.0, 3),
        "mean": npf.BoundedMean(-1.0, 2.0, 7, epsilon=0.5),
        "sum": npf.BoundedSum(-3.0, 2.0, sigma=2.0, adjacency="replace-one"),
        "linear": npf.LinearQuery([1.0, -3.0, 0.5], -1.0, 1.0, epsilon=1.0),
        "covariance": npf.LaplaceCovariance.needed(3, 4, 1.0),
        "covariance-printed": npf.LaplaceCovariance.printed(4, 5, 1.0),
        "trajectory": npf.TrajectoryNoise([[1.0, 1.0], [0.0, 1.0]], [[1.0, 0.0]], 3, 2.0, box, beyond=0.1),
        "black-box": npf.BlackBox(_noisy_sum, (0.0, 1.0)),
    }
    yield from ((f"mechanism-{name}", subject, claims) for name, subject in made.items())
    yield "mechanism-trajectory-privacy", made["trajectory"], claims[:5]
    yield "mechanism-linear-error", made["linear"], [npf.ErrorBound(1.0, weight=np.eye(3))]
    for number, fault in enumerate(npf.BROKEN_MECHANISMS):
        yield f"broken-{number:02d}", fault.subject, [fault.claim]


def _noisy_sum(data: float, size: int, rng: np.random.Generator) -> Any:
    return data + rng.laplace(size=size)


def slip(text: bytes, rng: random.Random) -> bytes:
    lines = text.split(b"\n")
    at = rng.randrange(len(lines))
    match rng.randrange(5):
        case 0:
            del lines[at]
        case 1:
            lines.insert(at, lines[rng.randrange(len(lines))])
        case 2:
            key, _, _ = lines[at].partition(b"=")
            lines[at] = key + b"= " + rng.choice(WORDS)
        case 3:
            line = lines[at]
            cut = rng.randrange(len(line) + 1)
            lines[at] = line[:cut] + rng.choice(WORDS) + line[cut + 1 :]
        case _:
            line = lines[at]
            cut = rng.randrange(len(line) + 1)
            lines[at] = line[: max(cut - 1, 0)] + line[cut:]
    return b"\n".join(lines)
