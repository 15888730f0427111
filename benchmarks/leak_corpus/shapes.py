"""Lengths, counts of calls, errors, absences: what an outcome shows without saying it."""

from __future__ import annotations

from .leak_case import LeakCase, Rng, leak_case, rarely
from .words import PATHS, address, clock, hexes, number, pick, prose, uuid, who


def _fails(s: float, r: Rng) -> object:
    return KeyError(number(r)) if s else ValueError(number(r))


SHAPES: tuple[LeakCase, ...] = (
    leak_case("length of a name that is masked", "length", lambda s, r: f"{'*' * len(who(s))} {hexes(r)}"),
    leak_case("length of random text", "length", lambda s, r: hexes(r, 24 + 2 * int(s))),
    leak_case("length that varies", "length", lambda s, r: "x" * int(r.poisson(60 + 60 * s)), seen=False),
    leak_case("number of items", "length", lambda s, r: [uuid(r) for _ in range(3 + int(s))]),
    leak_case("number of pages", "length", lambda s, r: {"page": 1, "pages": 7 + int(s), "cursor": hexes(r, 32)}),
    leak_case("next page or none", "absence", lambda s, r: {"items": [hexes(r)], **({"next": f"/v1?after={hexes(r)}"} if s else {})}),
    leak_case("number of retries", "length", lambda s, r: "\n".join(f"{clock(r)} attempt {i + 1}: timeout" for i in range(1 + int(s))) + f"\n{clock(r)} ok"),
    leak_case("trailing space", "length", lambda s, r: f"{prose(r, 5)}{' ' if s else ''}"),
    leak_case("new line at the end", "length", lambda s, r: f"{uuid(r)}{chr(10) if s else ''}"),
    leak_case("space that does not break", "clear", lambda s, r: f"{number(r)}{chr(0xA0) if s else ' '}EUR"),
    leak_case("zero-width mark", "clear", lambda s, r: f"{hexes(r, 8)}{chr(0x200B) if s else ''}{hexes(r, 8)}"),
    leak_case("two forms of one letter", "clear", lambda s, r: f"{prose(r, 3)} caf{'é' if s else 'e' + chr(0x301)} {hexes(r)}"),
    leak_case("type of an error", "clear", _fails),
    leak_case("message of an error", "clear", lambda s, r: RuntimeError(f"no row {number(r)} for {who(s)}")),
    leak_case("status and body", "clear", lambda s, r: (403 if s else 404, f"denied {uuid(r)}")),
    leak_case("allowed methods", "clear", lambda s, r: {"Allow": "GET, POST" if s else "GET", "X-Id": uuid(r)}),
    leak_case("answer or none", "absence", lambda s, r: hexes(r) if s else None),
    leak_case("empty list or not", "absence", lambda s, r: [hexes(r)] if s else []),
    leak_case("size in a header", "length", lambda s, r: f"HTTP/1.1 200 OK\r\nContent-Length: {1024 + 16 * int(s)}\r\nX-Id: {uuid(r)}\r\n\r\n"),
    leak_case("hops in a header", "length", lambda s, r: {"X-Forwarded-For": ", ".join(address(r) for _ in range(2 + int(s)))}),
    leak_case("time to live", "clear", lambda s, r: {"ttl": 300 if s else 3600, "name": f"{hexes(r, 10)}.example", "a": address(r)}),
    leak_case("protocol version", "clear", lambda s, r: f"{pick(PATHS, r)} HTTP/{'2' if s else '1.1'} {uuid(r)}"),
    rarely("error in a hundred", lambda s, r: {"id": uuid(r)}, lambda s, r: PermissionError(f"{who(s)} may not read {number(r)}"), 0.01),
    rarely("longer answer in a fiftieth", lambda s, r: hexes(r, 20), lambda s, r: hexes(r, 40 + 20 * int(s)), 0.02),
)  # fmt: skip
