"""What services write beside the secret: ids, times, addresses, words, amounts; all independent of it."""

from __future__ import annotations

import numpy as np

Rng = np.random.Generator

PEOPLE = ("bob", "alice")
CITIES = ("Leeds", "Turin", "Porto", "Gdansk", "Lyon", "Graz", "Malmo", "Bergen")
PATHS = ("/home", "/search", "/cart", "/api/v2/items", "/login", "/help", "/static/app.js")
WORDS = (
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "haven",
    "inlet",
    "jetty",
    "knoll",
    "larch",
    "maple",
    "north",
    "ocean",
    "pearl",
    "quartz",
    "ridge",
    "stone",
    "thorn",
    "umber",
    "vale",
    "water",
    "yarrow",
    "zephyr",
    "acorn",
    "brook",
    "cliff",
    "dune",
    "eagle",
)
AGENTS = ("Mozilla/5.0 (X11; Linux)", "curl/8.5.0", "okhttp/4.12", "Safari/605.1.15")


def who(told: float) -> str:
    """The person of a bit."""
    return PEOPLE[int(told)]


def pick(options: tuple[str, ...], rng: Rng) -> str:
    """One of several, each as likely."""
    return options[int(rng.integers(len(options)))]


def number(rng: Rng, below: int = 10**6) -> int:
    """A whole number."""
    return int(rng.integers(below))


def uuid(rng: Rng) -> str:
    """A random UUID."""
    h = rng.bytes(16).hex()
    return f"{h[:8]}-{h[8:12]}-4{h[13:16]}-a{h[17:20]}-{h[20:]}"


def hexes(rng: Rng, digits: int = 16) -> str:
    """So many random hexadecimal digits."""
    return rng.bytes((digits + 1) // 2).hex()[:digits]


def clock(rng: Rng, places: int = 6) -> str:
    """A time of one day, to so many places of a second."""
    t = float(rng.random()) * 86_400
    return f"2026-03-14T{int(t // 3600):02d}:{int(t // 60 % 60):02d}:{t % 60:0{3 + places}.{places}f}Z"


def address(rng: Rng) -> str:
    """An IPv4 address."""
    return ".".join(str(int(b)) for b in rng.integers(1, 255, 4))


def prose(rng: Rng, words: int) -> str:
    """Random words."""
    return " ".join(WORDS[int(i)] for i in rng.integers(len(WORDS), size=words))


def amount(rng: Rng) -> str:
    """An amount of money with thousands."""
    return f"{float(rng.gamma(2.0, 900.0)):,.2f}"
