"""Ledgers with mistyped names and budgets, and ledgers that were edited, moved or cut."""

from __future__ import annotations

from .use import Use

_CREATE = "noiseproof ledger create n.ledger --table t --unit record"


def _on(name: str, line: str, *edits: tuple[str, str, str], fine: bool = False) -> Use:
    return Use(name, f"noiseproof ledger {line}", ("ledger",), edits=edits, fine=fine)


LEDGERS = [
    Use("a ledger of nothing", _CREATE),
    Use("a negative budget", f"{_CREATE} --epsilon -1"),
    Use("a budget of nan", f"{_CREATE} --epsilon nan"),
    Use("an endless budget", f"{_CREATE} --epsilon inf"),
    Use("a budget in words", f"{_CREATE} --epsilon much"),
    Use("delta alone", f"{_CREATE} --delta 1e-6"),
    Use("delta of two", f"{_CREATE} --epsilon 1 --delta 2"),
    Use("epsilon and rho", f"{_CREATE} --epsilon 1 --rho 1"),
    Use("an order without its budget", f"{_CREATE} --order 2"),
    Use("an order of one", f"{_CREATE} --order 1=1"),
    Use("an order in words", f"{_CREATE} --order two=1"),
    Use("information without its unit", f"{_CREATE} --information age=1"),
    Use("information in words", f"{_CREATE} --information age=much/year"),
    Use("an unknown unit", f"{_CREATE} --epsilon 1".replace("record", "patient")),
    Use("an unknown adjacency", f"{_CREATE} --epsilon 1 --adjacency replace"),
    Use("an empty name", f"{_CREATE} --epsilon 1".replace("--table t", "--table ''")),
    Use("a ledger in a folder that is not there", f"{_CREATE} --epsilon 1".replace("n.led", "a/b/n.led")),
    Use("a ledger in the place of a folder", f"{_CREATE} --epsilon 1".replace("n.ledger", ".")),
    _on("a ledger over a ledger", "create t.ledger --table t --unit record --epsilon 30"),
    _on("a ledger that is not there", "show x.ledger"),
    _on("a folder for a ledger", "show ."),
    _on("a ledger of another table", "show t.ledger --table people"),
    _on("a larger budget by hand", "show t.ledger", ("t.ledger", "3", "30")),
    _on("an empty ledger", "show e.ledger"),
    _on("a head that was edited", "check t.ledger", ("t.ledger.head", "a", "b")),
    _on("an export of a ledger that is not there", "export x.ledger"),
    _on("settle an entry that is not there", "settle t.ledger 7"),
    _on("settle a word", "settle t.ledger seven"),
    _on("settle nothing", "settle t.ledger"),
    _on("withdraw an entry that is not there", "withdraw t.ledger 1"),
    _on("adopt a ledger that was not moved", "adopt t.ledger"),
    _on("adopt a ledger that is not there", "adopt x.ledger"),
    _on("a mistyped command", "creat t.ledger"),
    Use(
        "a ledger of no bytes", "noiseproof ledger show t.ledger", files={"t.ledger": "", "t.ledger.head": ""}
    ),
    Use("a picture for a ledger", "noiseproof ledger show t.ledger", files={"t.ledger": b"\x89PNG\xff\n"}),
    Use(
        "a ledger whose last line is cut",
        "noiseproof ledger show people.ledger",
        ("released",),
        edits=(("people.ledger", "}\n", "}"),),
    ),
    Use("an old ledger", "noiseproof ledger show table.ledger", ("old",), fine=True),
    Use(
        "an old ledger without its head",
        "noiseproof ledger check table.ledger",
        ("old",),
        edits=(("table.ledger.head", "1", "2"),),
    ),
    Use("withdraw what was spent", "noiseproof ledger withdraw people.ledger 1", ("released",)),
    Use("settle what was settled", "noiseproof ledger settle people.ledger 1", ("released",), fine=True),
]
