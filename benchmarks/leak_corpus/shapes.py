"""Lengths, counts of calls, errors, absences: what an outcome shows without saying it."""

from __future__ import annotations

from .exhibit import Exhibit, Rng, exhibit, rarely
from .words import PATHS, address, clock, hexes, number, pick, prose, uuid, who


def _fails(s: float, r: Rng) -> object:
    return KeyError(number(r)) if s else ValueError(number(r))


SHAPES: tuple[Exhibit, ...] = (
    exhibit("length of a name that is masked", "length", lambda s, r: f"{'*' * len(who(s))} {hexes(r)}"),
    exhibit("length of random text", "length", lambda s, r: hexes(r, 24 + 2 * int(s))),
    exhibit("length that varies", "length", lambda s, r: "x" * int(r.poisson(60 + 60 * s)), seen=False),
    exhibit("number of items", "length", lambda s, r: [uuid(r) for _ in range(3 + int(s))]),
    exhibit("number of pages", "length", lambda s, r: {"page": 1, "pages": 7 + int(s), "cursor": hexes(r, 32)}),
    exhibit("next page or none", "absence", lambda s, r: {"items": [hexes(r)], **({"next": f"/v1?after={hexes(r)}"} if s else {})}),
    exhibit("number of retries", "length", lambda s, r: "\n".join(f"{clock(r)} attempt {i + 1}: timeout" for i in range(1 + int(s))) + f"\n{clock(r)} ok"),
    exhibit("trailing space", "length", lambda s, r: f"{prose(r, 5)}{' ' if s else ''}"),
    exhibit("new line at the end", "length", lambda s, r: f"{uuid(r)}{chr(10) if s else ''}"),
    exhibit("space that does not break", "clear", lambda s, r: f"{number(r)}{chr(0xA0) if s else ' '}EUR"),
    exhibit("zero-width mark", "clear", lambda s, r: f"{hexes(r, 8)}{chr(0x200B) if s else ''}{hexes(r, 8)}"),
    exhibit("two forms of one letter", "clear", lambda s, r: f"{prose(r, 3)} caf{'é' if s else 'e' + chr(0x301)} {hexes(r)}"),
    exhibit("type of an error", "clear", _fails),
    exhibit("message of an error", "clear", lambda s, r: RuntimeError(f"no row {number(r)} for {who(s)}")),
    exhibit("status and body", "clear", lambda s, r: (403 if s else 404, f"denied {uuid(r)}")),
    exhibit("allowed methods", "clear", lambda s, r: {"Allow": "GET, POST" if s else "GET", "X-Id": uuid(r)}),
    exhibit("answer or none", "absence", lambda s, r: hexes(r) if s else None),
    exhibit("empty list or not", "absence", lambda s, r: [hexes(r)] if s else []),
    exhibit("size in a header", "length", lambda s, r: f"HTTP/1.1 200 OK\r\nContent-Length: {1024 + 16 * int(s)}\r\nX-Id: {uuid(r)}\r\n\r\n"),
    exhibit("hops in a header", "length", lambda s, r: {"X-Forwarded-For": ", ".join(address(r) for _ in range(2 + int(s)))}),
    exhibit("time to live", "clear", lambda s, r: {"ttl": 300 if s else 3600, "name": f"{hexes(r, 10)}.example", "a": address(r)}),
    exhibit("protocol version", "clear", lambda s, r: f"{pick(PATHS, r)} HTTP/{'2' if s else '1.1'} {uuid(r)}"),
    rarely("error in a hundred", lambda s, r: {"id": uuid(r)}, lambda s, r: PermissionError(f"{who(s)} may not read {number(r)}"), 0.01),
    rarely("longer answer in a fiftieth", lambda s, r: hexes(r, 20), lambda s, r: hexes(r, 40 + 20 * int(s)), 0.02),
)  # fmt: skip
