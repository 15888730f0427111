"""Strings over small alphabets, trees, sorted lists, sets: what is in them, in which order, and how often."""

from __future__ import annotations

from typing import Any

import numpy as np

from .leak_case import LeakCase, Rng, leak_case, rarely, weakly
from .words import CITIES, WORDS, hexes, number, pick, prose, uuid, who


def _dna(motif: tuple[str, str]) -> Any:
    def service(s: float, r: Rng) -> str:
        letters = "".join("ACGT"[int(i)] for i in r.integers(4, size=60))
        place = int(r.integers(50))
        return letters[:place] + motif[int(s)] + letters[place:]

    return service


def _base(s: float, r: Rng) -> str:
    letters = ["ACGT"[int(i)] for i in r.integers(4, size=40)]
    letters[21] = "G" if s else "T"
    return "".join(letters)


def _content(s: float, r: Rng) -> str:
    weights = (0.15, 0.35, 0.35, 0.15) if s else (0.3, 0.2, 0.2, 0.3)
    return "".join("ACGT"[int(i)] for i in r.choice(4, size=60, p=weights))


def _tree(s: float, r: Rng, depth: int = 3) -> Any:
    if depth == 0:
        return number(r)
    return {
        "left": _tree(0, r, depth - 1),
        "right": _tree(s, r, depth - 1),
        "leaf": who(s) if depth == 1 else "-",
    }


def _deep(s: float, r: Rng) -> Any:
    out: Any = hexes(r)
    for _ in range(4 + int(s)):
        out = [out]
    return out


def _shuffled(s: float, r: Rng) -> list[str]:
    order = r.permutation(len(CITIES))
    cities = [CITIES[int(i)] for i in order]
    if s:
        cities.sort()
    return cities


def _ranking(s: float, r: Rng) -> list[str]:
    order = [str(c) for c in r.permutation(np.array(CITIES[1:]))]
    order.insert(0 if s else len(order), CITIES[0])
    return order


def _chosen(s: float, r: Rng) -> set[str]:
    chosen = {str(w) for w in r.choice(np.array(WORDS[1:]), size=5, replace=False)}
    return chosen | ({WORDS[0]} if s else {WORDS[1]})


SEQUENCES: tuple[LeakCase, ...] = (
    leak_case("motif in DNA", "clear", _dna(("TATAAAGG", "GGGCGCCC"))),
    leak_case("one base of DNA", "clear", _base),
    leak_case("content of DNA", "clear", _content, seen=False),
    leak_case("name in a tree", "clear", _tree),
    leak_case("depth of nesting", "length", _deep),
    leak_case("sorted or not", "order", _shuffled),
    leak_case("first of a ranking", "order", _ranking),
    leak_case("member of a set", "absence", _chosen),
    leak_case("word among words", "clear", lambda s, r: f"{prose(r, 4)} {'alice' if s else 'robert'} {prose(r, 4)}"),
    leak_case("word once more", "clear", lambda s, r: " ".join(str(w) for w in r.permutation(np.array([*WORDS[:9], WORDS[0] if s else WORDS[9]])))),
    leak_case("word that is absent", "absence", lambda s, r: " ".join(str(w) for w in r.permutation(np.array([w for w in WORDS[:12] if s or w != "cedar"])))),
    leak_case("pair of words in order", "order", lambda s, r: f"{number(r)} {'debit credit' if s else 'credit debit'} {hexes(r)}"),
    leak_case("path through pages", "order", lambda s, r: [*(pick(WORDS, r) for _ in range(3)), *(("cart", "pay") if s else ("pay", "cart")), pick(WORDS, r)]),
    leak_case("repeated id", "clear", lambda s, r: _ids(s, r)),
    leak_case("list with a None", "absence", lambda s, r: [r.random(), None if s else r.random(), r.random()]),
    leak_case("leading zeros", "clear", lambda s, r: f"{number(r, 10**5):0{8 if s else 6}d}"),
    leak_case("checksum of the bit", "clear", lambda s, r: _checked(s, r), seen=False),
    weakly("noisy number in a tree", lambda s, r: {"root": {"id": uuid(r), "children": [{"x": r.normal()}, {"x": s}]}}),
    weakly("noisy number in a sorted list", lambda s, r: sorted([6 * s, *r.normal(size=5)])),
    rarely("name among words in a hundred", lambda s, r: prose(r, 6), lambda s, r: prose(r, 3) + " " + who(s) + " " + prose(r, 3), 0.01),
)  # fmt: skip


def _ids(s: float, r: Rng) -> list[str]:
    first = hexes(r)
    return [first, hexes(r), first if s else hexes(r)]


def _checked(s: float, r: Rng) -> str:
    digits = [int(i) for i in r.integers(10, size=11)]
    return "".join(map(str, digits)) + str((sum(digits) + 5 * int(s)) % 10)
