"""Sabotage of proofs as dossiers have them: none that is false at a point is accepted, and the trial sees it if one is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from kernel_trials import file_trial, sabotage_trial
from kernel_trials.collected import entries, unique
from kernel_trials.sabotage import hints, statements
from kernel_trials.sabotage_trial import Tally, one, table
from proof_steps import INFINITY, accepted, over, step, traced

from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, Answer

EACH, LEAST, LEAST_FALSE = 2, 400, 200
HALF_LINE, TAIL = over(["exp", ["-", "r"]], "r", "t", INFINITY, ["-", ["exp", ["-", "r"]]])
INTERVAL, MEAN = over(["-", 1, "v"], "v", 0, 1, ["-", "v", ["/", ["^", "v", 2], 2]])
OF_G, ALONG = traced("c'", "c"), {"variable": "x", "from": 0, "side": "above"}
PROOFS = {
    "a quotient": step(
        ["/", 1, ["*", "q", ["/", 2, "u"]]],
        ">=",
        ["/", "u", ["*", 2, "q"]],
        "sign",
        variables={"q": ["positive"], "u": ["positive"]},
    ),
    "a square": step(
        ["-", ["*", 2, "r"], ["+", 1, ["^", "r", 2]]],
        "<=",
        0,
        "sign",
        variables={"r": ["positive"]},
        hints={"as": ["-", ["^", ["-", "r", 1], 2]]},
    ),
    "a derivative": step(
        ["diff", ["/", ["^", ["-", "h", "s"], 2], ["*", 4, "h"]], "s", 2],
        "=",
        ["/", 1, ["*", 2, "h"]],
        variables={"h": ["positive"], "s": ["real"]},
    ),
    "a sum": step(
        ["sum", ["*", "b", "c"], "c", 1, "n"],
        "=",
        ["/", ["*", "b", "n", ["+", "n", 1]], 2],
        variables={"b": ["real"], "n": ["positive", "integer"]},
        hints={"sums": [[["sum", ["*", "b", "c"], "c", 1, "n"], ["/", ["*", "b", "c", ["-", "c", 1]], 2]]]},
    ),
    "matrices": step(
        traced("F'", "F", "X"),
        "=",
        traced("X"),
        rules=[[["F'", "F"], 1]],
        matrices={"F": [[1], [0]], "X": [[5]]},
        letters={"F": "general", "X": "general"},
        at={},
    ),
    "a trace": step(
        ["/", OF_G, "g"],
        "=",
        1,
        traces=[[OF_G, "g"]],
        letters={"c": "column"},
        variables={"g": ["positive"]},
        at={"g": 1},
    ),
    "a half-line": step(HALF_LINE, "=", ["exp", ["-", "t"]], variables={"t": ["positive"]}, hints=TAIL),
    "an interval": step(INTERVAL, "=", ["/", 1, 2], hints=MEAN),
    "a hypothesis": step(
        ["exp", ["-", ["^", ["sqrt", ["log", ["/", 1, "d"]]], 2]]],
        "=",
        "d",
        variables={"d": ["positive"]},
        given=[["d", "<", 1]],
        at={"d": ["/", 1, 3]},
    ),
    "a slope": step(
        ["exp", "x"],
        ">=",
        1,
        "monotone",
        variables={"x": ["nonnegative"]},
        hints={**ALONG, "slope": {"is": ["exp", "x"]}},
    ),
    "an absolute value": step(
        ["abs", ["*", 2, "x"]],
        "<=",
        ["+", 1, ["^", "x", 2]],
        "absolute",
        variables={"x": ["real"]},
        hints={
            "above": {"by": "sign", "with": {"as": ["-", ["^", ["-", "x", 1], 2]]}},
            "below": {"by": "sign", "with": {"as": ["-", ["^", ["+", "x", 1], 2]]}},
        },
    ),
    "a chain": step(
        ["+", "x", 1],
        "<",
        ["+", ["exp", "x"], 1],
        "chain",
        variables={"x": ["real"]},
        hints={
            "links": [{"relation": "<=", "to": ["exp", "x"]}, {"relation": "<", "to": ["+", 1, ["exp", "x"]]}]
        },
    ),
    "a box": step(
        ["*", "x", ["-", 1, "x"]],
        "<",
        ["/", 1, 3],
        "box",
        variables={"x": ["real"]},
        given=[["x", ">=", 0], ["x", "<=", 1]],
        at={"x": 0},
        hints={"box": {"x": [0, 1]}},
    ),
    "the largest": step(
        ["max", 0, ["/", "x", "p"]], ">=", 0, "sign", variables={"x": ["real"], "p": ["positive"]}
    ),
    "whole turns": step(
        ["sin", ["*", 2, ["const", "pi"], "n"]], "=", 0, variables={"n": ["positive", "integer"]}
    ),
}


def entry(name: str) -> dict[str, Any]:
    others = [p for n, p in PROOFS.items() if n != name]
    return {"source": "these", "proof": PROOFS[name], "others": others[:2], "twins": []}


@pytest.mark.parametrize("name", PROOFS)
def test_no_sabotage_that_is_false_is_accepted(name: str) -> None:
    assert accepted(PROOFS[name])
    tally = Tally()
    one(entry(name), 1, tally, EACH)
    assert (tally.originals, tally.faults, tally.crashes, tally.to_look_at) == (1, [], [], [])
    assert sum(n for k, n in tally.counts.items() if "|false|rejected" in k) >= 4


def test_there_are_enough_of_every_kind() -> None:
    made = [
        (kind, m) for name in PROOFS for kind, m in (*statements(PROOFS[name], []), *hints(PROOFS[name], []))
    ]
    assert len(made) >= LEAST
    assert {k.split(",")[0] for k, _ in made} >= {
        "sign",
        "constant",
        "bound",
        "operation",
        "variable",
        "order",
        "relation",
        "sides exchanged",
        "declared sign weakened",
        "integer dropped",
        "hypothesis dropped",
        "rule dropped",
        "trace dropped",
        "rule exchanged",
        "hint changed",
        "links turned round",
    }


def test_a_kernel_that_accepts_everything_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sabotage_trial, "answer", lambda _: Answer(ACCEPTED))
    tally = Tally()
    for name in PROOFS:
        one(entry(name), 1, tally, 1)
    assert len(tally.faults) >= 60
    assert "| all |" in table(tally)

    def broken(_: Any) -> Answer:
        raise KeyError("x")

    monkeypatch.setattr(sabotage_trial, "answer", broken)
    tally = Tally()
    one(entry("a square"), 1, tally)
    assert tally.crashes


# --- files ------------------------------------------------------------------------------------------------------------

ROWS = [
    {
        "left": "Integral(exp(-r), (r, t, oo))",
        "relation": "=",
        "right": "exp(-t)",
        "proof": PROOFS["a half-line"],
    },
    {"left": "Integral(1 - v, (v, 0, 1))", "relation": "=", "right": "1/2", "proof": PROOFS["an interval"]},
    {
        "left": "Derivative((h - s)**2/(4*h), (s, 2))",
        "relation": "=",
        "right": "1/(2*h)",
        "proof": PROOFS["a derivative"],
    },
    {"left": "Trace(F_transpose*F*X)", "relation": "=", "right": "Trace(X)", "proof": PROOFS["matrices"]},
    {"left": "2*r - (1 + r**2)", "relation": "<=", "right": "0", "proof": PROOFS["a square"]},
]


def written(folder: Path) -> Path:
    rows = [r | {"truth": "holds", "reason": f"step {i}"} for i, r in enumerate(ROWS)]
    twin = [r | {"left": r["left"].replace("r", "r + 1"), "truth": "fails", "proof": None} for r in rows]
    finding = {
        "evidence": [
            {"check": "derivation", "derivation": rows},
            {"check": "derivation [twin]", "derivation": twin},
        ]
    }
    (folder / "dossier.json").write_text(json.dumps({"findings": [finding]}), encoding="utf-8")
    return folder


def test_what_is_put_together_wrongly_in_a_file_is_seen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tally = file_trial.of_files(written(tmp_path), 1)
    assert (tally.faults, tally.not_clean) == ([], [])
    assert tally.counts["as it stands|clean"] == len(ROWS)
    assert sum(n for k, n in tally.counts.items() if k.endswith("|seen")) >= 60
    assert tally.counts["proof of another step|seen"] == len(ROWS) * (len(ROWS) - 1)
    monkeypatch.setattr(file_trial, "strays", lambda _: False)
    assert len(file_trial.of_files(written(tmp_path), 1).faults) >= 40
    assert "missed" in file_trial.table(tally)


def test_proofs_are_collected_once_with_what_their_twins_say() -> None:
    rows = [r | {"truth": "holds", "reason": "one"} for r in (ROWS[4], ROWS[4], ROWS[1])]
    twin = [ROWS[4] | {"right": "-1", "truth": "fails", "reason": "one"}]
    found = unique(entries("a paper", rows, twin))
    assert len(found) == 2
    square = next(e for e in found if e["proof"] == PROOFS["a square"])
    assert square["twins"] == [
        {"left": ["-", ["*", 2, "r"], ["+", 1, ["^", "r", 2]]], "right": ["-", 1], "relation": "<="}
    ]
    assert (
        square["others"] == [PROOFS["a square"], PROOFS["an interval"]]
        or PROOFS["an interval"] in square["others"]
    )
