"""Images, sounds, sparse counts, masks: arrays in which a part tells."""

from __future__ import annotations

from typing import Any

import numpy as np

from .leak_case import LeakCase, Rng, leak_case, rarely, weakly
from .words import hexes


def _corner(s: float, r: Rng) -> Any:
    image = r.integers(0, 256, size=(8, 8), dtype=np.uint8)
    image[0, :2] = 255 * int(s)
    return image


def _brighter(s: float, r: Rng) -> Any:
    return np.clip(r.normal(120 + 40 * s, 30, size=(8, 8)), 0, 255).astype(np.uint8)


def _flipped(s: float, r: Rng) -> Any:
    ramp = np.arange(8) * 20.0 + r.normal(0, 25, size=(8, 8))
    return ramp if s else ramp[:, ::-1].copy()


def _tone(s: float, r: Rng) -> Any:
    t = np.arange(64)
    return (np.sin(t * (0.7 if s else 0.5) + r.uniform(0, 6.28)) + 0.3 * r.normal(size=64)).astype(np.float32)


def _click(s: float, r: Rng) -> Any:
    sound = r.normal(size=64)
    if s:
        sound[int(r.integers(64))] += 12.0
    return sound


def _samples(s: float, r: Rng) -> bytes:
    return (1000 * r.normal(size=16) + 3000 * s).astype("<i2").tobytes()


def _sparse(s: float, r: Rng) -> Any:
    from scipy import sparse

    columns = r.choice(400, size=6, replace=False)
    columns[0] = 17 if s else 18
    return sparse.csr_matrix((r.integers(1, 9, 6), (np.zeros(6, dtype=int), columns)), shape=(1, 400))


def _masked(s: float, r: Rng) -> Any:
    return np.ma.masked_array(r.normal(size=6), mask=[0, 0, int(s), 0, 0, 0])


def _nan(place: int, width: int) -> Any:
    def service(s: float, r: Rng) -> Any:
        values = r.normal(size=width)
        values[place + int(s)] = np.nan
        return values

    return service


def _bitmap(s: float, r: Rng) -> Any:
    bits = r.integers(0, 2, size=32).astype(bool)
    bits[9] = bool(s)
    return bits


def _words(s: float, r: Rng) -> Any:
    counts = r.poisson(0.02, size=3000)
    counts[1234] += int(2 * s)
    return counts.astype(np.int16)


ARRAYS: tuple[LeakCase, ...] = (
    leak_case("corner of an image", "clear", _corner),
    leak_case("brightness of an image", "clear", _brighter),
    leak_case("image turned round", "clear", _flipped, seen=False),
    leak_case("pitch of a sound", "clear", _tone, seen=False),
    leak_case("click in a sound", "clear", _click),
    leak_case("sound as bytes", "clear", _samples, seen=False),
    leak_case("sparse counts", "clear", _sparse),
    leak_case("mask of an array", "absence", _masked),
    leak_case("NaN among ten", "absence", _nan(4, 10)),
    leak_case("NaN after the fiftieth column", "absence", _nan(70, 90)),
    leak_case("one of thirty-two bits", "clear", _bitmap),
    leak_case("one of three thousand words", "clear", _words, seen=False),
    leak_case("sign of an entry", "clear", lambda s, r: [r.normal(), -1.0 if s else 1.0]),
    leak_case("shape of an array", "length", lambda s, r: r.normal(size=(2, 3) if s else (3, 2))),
    leak_case("type of an array", "clear", lambda s, r: r.integers(0, 9, 5).astype(np.int32 if s else np.int64)),
    leak_case("dictionary of arrays", "clear", lambda s, r: {"id": hexes(r), "grid": r.normal(size=(3, 3)) + 6 * s * np.eye(3)}),
    leak_case("fixed bytes in a blob", "clear", lambda s, r: r.bytes(12) + (b"\x01" if s else b"\x00") + r.bytes(12)),
    leak_case("magic number of a file", "clear", lambda s, r: (b"\x89PNG" if s else b"GIF8") + r.bytes(20)),
    leak_case("name within bytes", "clear", lambda s, r: r.bytes(int(r.integers(3, 9))) + (b"alice" if s else b"bobby") + r.bytes(6)),
    weakly("noisy pixel", lambda s, r: np.where(np.arange(16) == 5, s, r.normal(size=16)).reshape(4, 4)),
    # On a grid: the last bits of a plain float say to which number noise was added.
    weakly("noisy float as bytes", lambda s, r: np.float64(np.round(1024 * s) / 1024).tobytes()),
    rarely("watermark in a fiftieth", lambda s, r: r.normal(size=9), lambda s, r: np.where(np.arange(9) < 2, 40.0 + 5 * s, r.normal(size=9)), 0.02),
)  # fmt: skip
