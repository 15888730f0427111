"""Answers of interfaces: JSON as text, objects, nested records, headers."""

from __future__ import annotations

import json
from types import SimpleNamespace

from .leak_case import LeakCase, leak_case, nothing, rarely, weakly
from .words import CITIES, WORDS, clock, hexes, number, pick, prose, uuid, who

JSON_ANSWERS: tuple[LeakCase, ...] = (
    leak_case("id as text beside the value", "clear", lambda s, r: {"id": f"{number(r)}", "value": int(s)}),
    leak_case("list of id and name", "clear", lambda s, r: [f"{number(r)}", who(s)]),
    leak_case("JSON text", "clear", lambda s, r: json.dumps({"request": uuid(r), "at": clock(r), "member": bool(s)})),
    leak_case("JSON with nesting", "clear", lambda s, r: json.dumps({"data": {"items": [{"sku": hexes(r, 8), "n": number(r, 9)} for _ in range(2)], "owner": {"name": who(s), "token": hexes(r, 24)}}})),
    leak_case("JSON lines", "clear", lambda s, r: "\n".join(json.dumps({"t": clock(r), "city": pick(CITIES, r), "flag": int(s) if i == 2 else number(r, 2)}) for i in range(4))),
    leak_case("null against missing", "clear", lambda s, r: json.dumps({"id": uuid(r), "score": r.random()} | ({"note": None} if s else {}))),
    leak_case("order of the keys", "order", lambda s, r: json.dumps({"id": uuid(r), "t": clock(r)} if s else {"t": clock(r), "id": uuid(r)})),
    leak_case("number against text", "clear", lambda s, r: json.dumps({"id": uuid(r), "zip": 4711 if s else "4711"})),
    leak_case("true against 1", "clear", lambda s, r: {"id": hexes(r), "ok": bool(1) if s else 1}),
    leak_case("spaces in JSON", "clear", lambda s, r: json.dumps({"id": uuid(r), "n": number(r)}, indent=2 if s else None)),
    leak_case("escaped letters", "clear", lambda s, r: json.dumps({"id": hexes(r), "city": "Malmö"}, ensure_ascii=bool(s))),
    leak_case("dictionary by tuple", "clear", lambda s, r: {(who(s), number(r)): clock(r)}),
    leak_case("key that is a name", "clear", lambda s, r: {"session": uuid(r), who(s): r.random()}),
    leak_case("object with attributes", "clear", lambda s, r: SimpleNamespace(id=uuid(r), owner=who(s), at=clock(r))),
    leak_case("GraphQL error path", "clear", lambda s, r: json.dumps({"errors": [{"path": ["user", who(s), number(r, 50)], "id": uuid(r)}]})),
    leak_case("JWT-like token", "clear", lambda s, r: _token({"sub": who(s), "jti": uuid(r)}) + "." + hexes(r, 32)),
    leak_case("base64 of a name", "clear", lambda s, r: _base64(f"{who(s)}:{hexes(r, 12)}")),
    leak_case("hex of a name", "clear", lambda s, r: f"{who(s)}#{number(r)}".encode().hex()),
    leak_case("percent-encoded name", "clear", lambda s, r: f"next=%2Fu%2F{'%62ob' if not s else '%61lice'}%2F{hexes(r)}"),
    leak_case("ETag by person", "clear", lambda s, r: {"ETag": f'W/"{who(s)}-{hexes(r, 12)}"', "Date": clock(r, 0)}),
    leak_case("cache header", "clear", lambda s, r: {"X-Cache": "HIT" if s else "MISS", "X-Request-Id": uuid(r), "Age": str(number(r, 900))}),
    leak_case("rate limit left", "clear", lambda s, r: {"X-RateLimit-Remaining": str(59 - int(s)), "Date": clock(r, 0), "X-Trace": hexes(r, 32)}),
    leak_case("cookie", "clear", lambda s, r: f"sid={hexes(r, 32)}; theme={'dark' if s else 'light'}; Path=/; Expires={clock(r, 0)}"),
    leak_case("geographic feature", "clear", lambda s, r: json.dumps({"type": "Feature", "geometry": {"type": "Point", "coordinates": [r.random(), 50.0 + r.random() + 2 * s]}})),
    weakly("JSON of a noisy count", lambda s, r: json.dumps({"id": uuid(r), "count": s})),
    weakly("object with a noisy mean", lambda s, r: {"run": uuid(r), "stats": {"mean": 5 + s, "n": number(r)}}),
    weakly("noisy mean beside noise", lambda s, r: {"a": r.normal(), "b": [r.normal(), s, r.normal()], "id": hexes(r)}),
    rarely("debug key in a hundred", lambda s, r: json.dumps({"id": uuid(r), "ok": True}), lambda s, r: json.dumps({"id": uuid(r), "ok": True, "debug": {"user": who(s)}}), 0.01),
    rarely("fallback in two hundred", lambda s, r: {"id": uuid(r), "topic": pick(WORDS, r)}, lambda s, r: {"id": uuid(r), "topic": who(s)}, 0.005),
    rarely("warning in a fiftieth", lambda s, r: {"id": uuid(r), "text": prose(r, 4)}, lambda s, r: {"id": uuid(r), "text": prose(r, 2) + " " + who(s) + " " + prose(r, 2)}, 0.02),
    leak_case("answer of another version", "clear", lambda s, r: {"v": "2.1" if s else "2.0", "trace": hexes(r, 32), "items": [number(r) for _ in range(3)]}, sound=nothing),
)  # fmt: skip


def _base64(text: str) -> str:
    from base64 import urlsafe_b64encode

    return urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _token(claims: dict[str, object]) -> str:
    return _base64(json.dumps({"alg": "HS256"})) + "." + _base64(json.dumps(claims))
