"""Ledgers with mistyped names and budgets, and ledgers that were edited, moved or cut."""

from __future__ import annotations

from .case import Case

_CREATE = "noiseproof ledger create n.ledger --table t --unit record"


def _on(name: str, line: str, *edits: tuple[str, str, str], fine: bool = False) -> Case:
    return Case(name, f"noiseproof ledger {line}", ("ledger",), edits=edits, fine=fine)


LEDGERS = [
    Case("a ledger of nothing", _CREATE),
    Case("a negative budget", f"{_CREATE} --epsilon -1"),
    Case("a budget of nan", f"{_CREATE} --epsilon nan"),
    Case("an endless budget", f"{_CREATE} --epsilon inf"),
    Case("a budget in words", f"{_CREATE} --epsilon much"),
    Case("delta alone", f"{_CREATE} --delta 1e-6"),
    Case("delta of two", f"{_CREATE} --epsilon 1 --delta 2"),
    Case("epsilon and rho", f"{_CREATE} --epsilon 1 --rho 1"),
    Case("an order without its budget", f"{_CREATE} --order 2"),
    Case("an order of one", f"{_CREATE} --order 1=1"),
    Case("an order in words", f"{_CREATE} --order two=1"),
    Case("information without its unit", f"{_CREATE} --information age=1"),
    Case("information in words", f"{_CREATE} --information age=much/year"),
    Case("an unknown unit", f"{_CREATE} --epsilon 1".replace("record", "patient")),
    Case("an unknown adjacency", f"{_CREATE} --epsilon 1 --adjacency replace"),
    Case("an empty name", f"{_CREATE} --epsilon 1".replace("--table t", "--table ''")),
    Case("a ledger in a folder that is not there", f"{_CREATE} --epsilon 1".replace("n.led", "a/b/n.led")),
    Case("a ledger in the place of a folder", f"{_CREATE} --epsilon 1".replace("n.ledger", ".")),
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
    Case(
        "a ledger of no bytes", "noiseproof ledger show t.ledger", files={"t.ledger": "", "t.ledger.head": ""}
    ),
    Case("a picture for a ledger", "noiseproof ledger show t.ledger", files={"t.ledger": b"\x89PNG\xff\n"}),
    Case(
        "a ledger whose last line is cut",
        "noiseproof ledger show people.ledger",
        ("released",),
        edits=(("people.ledger", "}\n", "}"),),
    ),
    Case("withdraw what was spent", "noiseproof ledger withdraw people.ledger 1", ("released",)),
    Case("settle what was settled", "noiseproof ledger settle people.ledger 1", ("released",), fine=True),
]
