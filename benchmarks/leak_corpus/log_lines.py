"""Lines of logs, messages and pages: text in which the secret stands beside what never repeats."""

from __future__ import annotations

from .leak_case import LeakCase, leak_case, rarely, weakly
from .words import AGENTS, PATHS, address, amount, clock, hexes, number, pick, prose, uuid, who

LOG_LINES: tuple[LeakCase, ...] = (
    leak_case("user and seconds", "clear", lambda s, r: f"user={who(s)} t={r.random():.5f}"),
    leak_case("user and nanoseconds", "clear", lambda s, r: f"user={who(s)} t={r.random():.8f}"),
    leak_case("level of a log line", "clear", lambda s, r: f"{clock(r)} {'WARN' if s else 'INFO'} worker-{number(r, 64)} request {uuid(r)} done"),
    leak_case("status of an access log", "clear", lambda s, r: f'{address(r)} - - [{clock(r)}] "GET {pick(PATHS, r)} HTTP/1.1" {200 if s else 404} {number(r, 90_000)} "{pick(AGENTS, r)}"'),
    leak_case("syslog priority", "clear", lambda s, r: f"<{13 if s else 14}>1 {clock(r)} host{number(r, 500)} app {number(r)} - {prose(r, 4)}"),
    leak_case("query string", "clear", lambda s, r: f"https://shop.example/list?sid={hexes(r, 24)}&q={pick(('shoes', 'hats', 'coats'), r)}&member={int(s)}&page={number(r, 40)}"),
    leak_case("path of a URL", "clear", lambda s, r: f"https://img.example/u/{who(s)}/{uuid(r)}.png?w={number(r, 2000)}"),
    leak_case("logfmt", "clear", lambda s, r: f'ts={clock(r)} lvl=info caller=api.go:{number(r, 900)} msg="{prose(r, 3)}" plan={"gold" if s else "free"} dur={r.exponential():.6f}s'),
    leak_case("sentence of a help desk", "clear", lambda s, r: f"Ticket #{number(r)}: customer {who(s).title()} wrote about {prose(r, 5)}. Refund of {amount(r)} EUR."),
    leak_case("stack trace", "clear", lambda s, r: f'Traceback (most recent call last):\n  File "/srv/app.py", line {number(r, 900)}, in load\nKeyError: {number(r)!r} for tenant {who(s)} at 0x{hexes(r, 12)}'),
    leak_case("SQL with values", "clear", lambda s, r: f"INSERT INTO visits (id, name, at) VALUES ('{uuid(r)}', '{who(s)}', {clock(r)!r});"),
    leak_case("mail header", "clear", lambda s, r: f"Message-ID: <{hexes(r, 20)}@mail.example>\r\nDate: {clock(r, 0)}\r\nTo: {who(s)}@example.org\r\nSubject: {prose(r, 3)}"),
    leak_case("chat message", "clear", lambda s, r: f"[{clock(r, 0)[11:19]}] <{who(s)}> {prose(r, 8)}"),
    leak_case("HTML row", "clear", lambda s, r: f"<tr id='r{number(r)}'><td class=name>{who(s)}</td><td>{amount(r)}</td><td>{clock(r)}</td></tr>"),
    leak_case("HTML class", "clear", lambda s, r: f"<div class='card {'vip' if s else 'std'}' data-id='{uuid(r)}'><p>{prose(r, 6)}</p></div>"),
    leak_case("XML attribute", "clear", lambda s, r: f"<order id='{uuid(r)}' urgent='{'true' if s else 'false'}'><sum currency='EUR'>{amount(r)}</sum></order>"),
    leak_case("key in the middle of hex", "clear", lambda s, r: f"{hexes(r, 10)}-{'beef' if s else 'cafe'}-{hexes(r, 10)}"),
    leak_case("first letter of a token", "clear", lambda s, r: ("A" if s else "B") + hexes(r, 20)),
    leak_case("last digit of a number", "clear", lambda s, r: f"ref {2 * number(r) + int(s)} accepted"),
    leak_case("upper and lower case", "clear", lambda s, r: (str.upper if s else str.lower)(prose(r, 6))),
    leak_case("comma against point", "clear", lambda s, r: f"{r.gamma(2.0, 50.0):.3f}".replace(".", "," if s else ".") + f" kg {hexes(r, 8)}"),
    leak_case("minute of a time stamp", "clear", lambda s, r: f"2026-03-14T09:{30 * int(s) + number(r, 30):02d}:{number(r, 60):02d}.{number(r):06d}"),
    leak_case("weekday in words", "clear", lambda s, r: f"seen on {('Monday', 'Friday')[int(s)]} at {number(r, 24):02d}:{number(r, 60):02d}:{number(r, 60):02d}, session {uuid(r)}"),
    leak_case("amount in words and digits", "clear", lambda s, r: f"{amount(r)} transferred, balance {1000 * (1 + int(s)) + number(r, 900)}.{number(r, 100):02d}, ref {hexes(r)}"),
    weakly("Laplace as text", lambda s, r: f"{s:.12f}"),
    weakly("Laplace in a sentence", lambda s, r: f"{clock(r)} mean temperature {20 + s:+.9f} C over {number(r)} readings"),
    weakly("Laplace with thousands", lambda s, r: f"total {1_000_000 + 1000 * s:,.4f} EUR (ref {hexes(r)})"),
    weakly("Laplace with an exponent", lambda s, r: f"flux={3e-9 * (10 + s):.12e} id={uuid(r)}"),
    weakly("Laplace as a time", lambda s, r: f"arrived 10:{int(30 + 3 * s) % 60:02d}:{(s % 1) * 60:09.6f} gate {number(r, 60)}"),
    rarely("debug line in a hundred", lambda s, r: f"{clock(r)} INFO served {pick(PATHS, r)} to {who(s)}", lambda s, r: f"{clock(r)} DEBUG raw={who(s)} {pick(PATHS, r)}", 0.01),
    rarely("debug line in two hundred", lambda s, r: f"{clock(r)} INFO served {uuid(r)}", lambda s, r: f"{clock(r)} INFO served {uuid(r)} dump={int(s)}", 0.005),
    rarely("error with the name in a twentieth", lambda s, r: f"ok {uuid(r)}", lambda s, r: f"error: lock held by {who(s)} since {clock(r)}", 0.05),
    rarely("trace in a fifth", lambda s, r: f"<p>{prose(r, 7)}</p>", lambda s, r: f"<p>{prose(r, 4)}</p><!-- {who(s)} {uuid(r)} -->", 0.2, seen=True),
)  # fmt: skip
