"""False statements made from the rules themselves: a hypothesis dropped, a variable captured, a domain emptied, a declaration broken.

Each family is a proof that the kernel accepts, and the same with one thing taken away that makes it false, undefined or about nothing;
both are dressed: other names, a summand on both sides, more hypotheses, a rule around it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, Checked, check

Row = dict[str, Any]
Proof = list[Row]
Family = Callable[[Random], tuple[Proof, list[Proof]]]
A, AT, B, C, CT, D = ["mat", "A"], ["mat'", "A"], ["mat", "B"], ["mat", "c"], ["mat'", "c"], ["mat", "d"]
W, WT, V, VT = ["mat", "W"], ["mat'", "W"], ["mat", "V"], ["mat'", "V"]
ONE = ["tr", 1]


def tr(*word: Any) -> Any:
    return ["tr", word[0] if len(word) == 1 else ["*", *word]]


def row(left: Any, relation: str, right: Any, by: str = "ring", **more: Any) -> Row:
    return {"left": left, "relation": relation, "right": right, "by": by, **more}


def but(one: Row, *keys: str, **more: Any) -> Row:
    """The row without some of its keys, and with others."""
    return {k: v for k, v in one.items() if k not in keys} | more


def climbs(name: str, start: Any, base: str = "sign", later: str = "sign") -> Row:
    return {"variable": name, "from": start, "base": {"by": base}, "step": {"by": later}}


# --- induction: what is known of the letters has the variable in it ---------------------------------------------------


def captured_traces(rng: Random) -> tuple[Proof, list[Proof]]:
    """(n - s) (n - t - 1 + c) >= 0 for t = n + c: its step holds where t is said of the variable of the step."""
    c, s, e = rng.randint(0, 5), rng.randint(1, 4), rng.randint(1, 3)
    value, word, letters, at = _valued(rng, c, s)
    left = ["*", rng.randint(1, 9), ["^", ["-", "n", s], e], ["-", ["+", "n", c - 1], word]]
    facts = {"letters": letters, "at": at, "for": {"n": ["positive", "integer"]}, "given": [["n", ">=", s]]}
    wrong = row(left, ">=", 0, "induction", traces=[[word, value]], **facts)
    wrong |= {"with": climbs("n", s)}
    lemma = {"left": wrong["left"], "relation": ">=", "right": 0, "by": "induction", "with": climbs("n", s)}
    told = but(wrong, "by", "with") | {"by": "sign", "with": {"lemmas": [lemma]}}
    fixed = [[word, ["+", "n", c]]]
    good = row(word, ">=", s, "sign", **{**facts, "traces": fixed})
    return [good], [[wrong], [told]]


def _valued(rng: Random, c: int, s: int) -> tuple[Any, Any, Row, Row]:
    value = ["+", "n", c]
    if rng.random() < 0.5:
        return value, ONE, {"A": "symmetric"}, {"n": s + rng.randint(1, 3)}
    return value, tr(AT, A), {"A": "general"}, {"n": s + rng.randint(1, 3)}


def captured_rules(rng: Random) -> tuple[Proof, list[Proof]]:
    """The same where W'W = n + c, and the trace of W'W B tells it."""
    c, t = rng.randint(0, 4), rng.randint(1, 5)
    word = tr(WT, W, B)
    facts = {
        "letters": {"W": "general", "B": "general"},
        "for": {"n": ["positive", "integer"]},
        "at": {"n": 1},
    }
    facts |= {"rules": [[["W'", "W"], ["+", "n", c]]], "traces": [[tr(B), t]]}
    facts |= {"matrices": {"W": [[1]] * (c + 1), "B": [[t]]}}
    left = ["*", ["-", "n", 1], ["-", ["*", t, ["+", "n", c - 1]], word]]
    good = row(word, "=", ["*", t, ["+", "n", c]], **facts)
    return [good], [[row(left, ">=", 0, "induction", **facts, **{"with": climbs("n", 1)})]]


def bad_induction(rng: Random) -> tuple[Proof, list[Proof]]:
    """n^2 >= a n from n = a on; wrong from below, on the reals, or from a start that moves along."""
    a = rng.randint(3, 9)
    facts = {"for": {"n": ["positive", "integer"]}, "given": [["n", ">=", a]], "at": {"n": a}}
    good = row(["^", "n", 2], ">=", ["*", a, "n"], "induction", **facts, **{"with": climbs("n", a)})
    return [good], [
        [but(good, "given", "at")],
        [but(good, given=[["n", ">=", a - 1]], at={"n": a - 1})],
        [but(good, "given", "at") | {"for": {"n": ["positive"]}}],
        [row("n", ">=", 2 * a, "induction", **facts, **{"with": climbs("n", ["+", "n", 0])})],
        [but(good, right=["*", a + 1, "n"])],
    ]


# --- matrices ---------------------------------------------------------------------------------------------------------


def singular(rng: Random) -> tuple[Proof, list[Proof]]:
    """Roots and inverses of what is symmetric and no more."""
    e, f = rng.randint(1, 3), rng.choice([1, 2, 3])
    half, back = ["/", 1, 2 * e], ["^", A, -f]
    two = ["^", A, 2 * e] if rng.random() < 0.5 else ["*", *[A] * (2 * e)]
    left, right = rng.choice(
        [
            (tr(["^", two, half]), tr(A)),
            (tr(["^", two, half], B), tr(A, B)),
            (tr(["^", A, f], back), ONE),
            (tr(back, B, ["^", A, f]), tr(B)),
            (tr(["sqrt", A], B, ["sqrt", A]), tr(A, B)),
            (tr(["sqrt", ["^", A, 2]], ["sqrt", ["^", A, 2]]), tr(["^", A, 2])),
        ][: 6 if e == 1 else 4]
    )
    kinds = {"A": "positive definite", "B": "symmetric"}
    good = row(left, "=", right, letters=kinds)
    wrong = but(good, letters={"A": rng.choice(["symmetric", "general"]), "B": "symmetric"})
    below = {"traces": [[tr(A), -1]], "at": {}, "matrices": {"A": [[-1]], "B": [[1]]}}
    zero = {"traces": [[tr(A), 0]], "at": {}, "matrices": {"A": [[0]], "B": [[1]]}}
    return [good], [[wrong], [wrong | below], [wrong | zero], [good | below], [good | zero]]


def sizes(rng: Random) -> tuple[Proof, list[Proof]]:
    """Identities of two sizes, powers of columns, shapes that do not fit."""
    kinds = {"A": "symmetric", "B": "symmetric", "W": "general", "V": "general"}
    rules = {"rules": [[["W", "W'"], 1], [["V", "V'"], 1]]}
    definite = {**kinds, "A": "positive definite", "B": "positive definite"}
    e, n = rng.randint(1, 3), rng.randint(2, 4)
    one, two = (tr(["^", m, e], x, y, ["^", m, -e]) for m, x, y in ((A, W, WT), (B, V, VT)))
    good = row(tr(A, W, WT), "=", tr(A), letters=kinds, **rules)
    columns = {"c": "column", "d": "column", "A": "general"}
    eye = [[int(i == j) for j in range(n)] for i in range(n)]
    shapes = {"A": eye, "c": [[1]] * n, "d": [[1]] * n}
    facts = {"letters": columns, "at": {}, "traces": [[tr(CT, C), n]], "matrices": shapes}
    return [good], [
        [row(one, "=", two, letters=kinds, **rules)],
        [row(one, "=", two, letters=definite, **rules)],
        [row(tr(["^", C, 0], A), "=", tr(A), letters=columns)],
        [row(tr(["+", ["*", CT, D], A]), "=", ["+", tr(CT, D), tr(A)], **facts)],
        [row(tr(A, CT, D), "=", tr(CT, D, A), **facts)],
        [
            row(
                0,
                "=",
                0,
                letters={"c": "column", "d": "column"},
                rules=[[["c", "d'"], n]],
                traces=[[tr(CT, C), 1]],
            )
        ],
        [row(tr(C, ["mat'", "d"], A), "=", ["*", n, tr(A)], letters=columns, rules=[[["c", "d'"], n]])],
    ]


def no_such_matrices(rng: Random) -> tuple[Proof, list[Proof]]:
    """Traces and rules that no matrices of the declared kinds have."""
    k = rng.randint(1, 5)
    kinds, at = {"A": "general", "B": "general"}, {"at": {}}
    inner = [[tr(AT, A), k], [tr(AT, B), 0], [tr(["mat'", "B"], B), 1]]
    good = row(tr(AT, ["+", A, B]), "=", k, letters=kinds, traces=inner, **at)
    definite = {"A": "positive definite", "B": "positive definite"}
    mixed = {"A": "general", "B": "column"}
    anything = row(0, "=", 0, letters=kinds, **at)
    return [good], [
        [but(good, letters=definite)],
        [but(good, letters=mixed)],
        [anything | {"traces": [[tr(AT, A), -k]]}],
        [anything | {"traces": [[tr(AT, A), k], [tr(A, AT), k + 1]]}],
        [anything | {"traces": [[tr(AT, A), 1], [tr(AT, B), k + 1], [tr(["mat'", "B"], B), 1]]}],
        [anything | {"rules": [[["A'", "A"], -k]]}],
        [anything | {"rules": [[["A'", "A"], 1], [["A'", "B"], 0]]}],
        [anything | {"rules": [[["A'", "A"], k]], "matrices": {"A": [[k + 1]], "B": [[1]]}}],
        [row(0, "=", 0, letters={"A": "symmetric"}, traces=[[ONE, ["/", 2 * k + 1, 2]]], **at)],
    ]


# --- variables that are bound, instances, emptied domains -------------------------------------------------------------


def captured_bound(rng: Random) -> tuple[Proof, list[Proof]]:
    """A lemma with a bound variable, of which an instance puts that name for a free one."""
    a, e = rng.randint(1, 6), rng.randint(1, 3)
    term, value, more = rng.choice(
        [
            (["int", ["+", ["*", a, "x"], "y"], "x", 0, 1], ["+", ["/", a, 2], "y"], "x"),
            (["sum", ["+", "k", "y"], "k", 1, e + 1], ["+", (e + 1) * (e + 2) // 2, ["*", e + 1, "y"]], "k"),
            (["diff", ["*", a, "y", "z"], "z", 1], ["*", a, "y"], "z"),
        ]
    )
    primitive = ["+", ["*", ["/", a, 2], ["^", "x", 2]], ["*", "x", "y"]]
    hints = {"integrals": [[term, primitive]]} if more == "x" else {}
    free = {"y": ["real"]} | ({"z": ["real"]} if more == "z" else {})
    lemma = row(term, "=", value, **{"for": free, "with": hints})

    def put(t: Any, new: Any) -> Any:
        return new if t == "y" else [put(s, new) for s in t] if isinstance(t, list) else t

    def used(new: Any, said: str) -> Row:
        terms = {"y": new} | ({"z": "z"} if more == "z" else {})
        of = {"of": 1, "put": terms, "given": []}
        left = put(term, new)
        return row(
            left,
            "=",
            put(value, new),
            "sign",
            **{"for": {said: ["real"], "z": ["real"]}, "with": {"instances": [of]}},
        )

    good = [lemma, used(["+", "w", a], "w")] if more != "z" else [lemma]
    return good, [[lemma, used(more, more)], [lemma, used(["*", 2, more], more)]]


def broken_declaration(rng: Random) -> tuple[Proof, list[Proof]]:
    """A lemma about what is whole, positive and above a number, of terms that are not."""
    a = rng.randint(1, 5)
    lemma = row(["^", ["cos", ["*", ["const", "pi"], "n"]], 2], "=", 1, **{"for": {"n": ["integer"]}})
    root = row(["sqrt", ["^", "x", 2]], "=", "x", **{"for": {"x": ["positive"]}})
    above = row(
        "x", ">", a, "sign", **{"for": {"x": ["real"]}, "given": [["x", ">", a + 1]], "at": {"x": a + 2}}
    )
    pick = rng.choice(["whole", "sign", "hypothesis"])
    first = {"whole": lemma, "sign": root, "hypothesis": above}[pick]
    name = "n" if pick == "whole" else "x"

    def use(term: Any, words: list[str], rules: list[Row]) -> Row:
        swap = lambda t: term if t == name else [swap(s) for s in t] if isinstance(t, list) else t  # noqa: E731
        of = {"of": 1, "put": {name: term}, "given": rules}
        said = {"for": {"y": words}, "with": {"instances": [of]}}
        return row(swap(first["left"]), first["relation"], swap(first["right"]), "sign", **said)

    rule = [{"by": "sign"}] if pick == "hypothesis" else []
    fit = {"whole": ["+", "y", a], "sign": ["+", "y", a], "hypothesis": ["+", "y", a + 2]}[pick]
    words = ["positive", "integer"] if pick == "whole" else ["positive"]
    return [first, use(fit, words, rule)], [
        [first, use(["/", "y", a + 1], words, rule) if pick != "sign" else use(["-", a, "y"], words, rule)],
        [first, use(fit, ["real"], rule)],
        [first, use(fit, words, [*rule, {"by": "sign"}][: len(rule) ^ 1])],
        [first, use("y", ["real"], rule)],
    ]


def emptied(rng: Random) -> tuple[Proof, list[Proof]]:
    """Hypotheses that nothing obeys, or of which no instance is given."""
    a = rng.randint(1, 9)
    good = row(
        ["*", "x", "x"],
        ">",
        a * a,
        "sign",
        **{"for": {"x": ["positive"]}, "given": [["x", ">", a]], "at": {"x": a + 1}},
    )
    good["with"] = {"as": ["+", ["^", ["-", "x", a], 2], ["*", 2 * a, ["-", "x", a]]]}
    nothing = row(a, "=", 0, "sign", **{"for": {"x": ["real"]}})
    return [good], [
        [but(good, "at")],
        [but(good, at={"x": a})],
        [but(good, at={"x": -a - 1})],
        [nothing | {"given": [["x", "=", 0], ["x", "=", a]], "at": {"x": 0}}],
        [nothing | {"given": [[a, "=", 0]], "at": {"x": 1}}],
        [nothing | {"given": [[["^", "x", 2], "=", -a]], "at": {"x": a}}],
        [nothing | {"for": {"x": ["integer"]}, "given": [[["*", 2, "x"], "=", 1]], "at": {"x": ["/", 1, 2]}}],
        [nothing | {"given": [[["log", "x"], "<=", 0], [a, "<=", 0]], "at": {"x": 1}}],
        [nothing | {"given": [[["diff", "x", "x", 1], "=", 0]], "at": {"x": 1}}],
    ]


# --- rules on numbers: one hypothesis or one sign less ----------------------------------------------------------------


def signs(rng: Random) -> tuple[Proof, list[Proof]]:
    """Laws that need a sign, without it."""
    e, a = rng.randint(2, 6), rng.randint(1, 7)
    left, relation, right, by, word, weaker = rng.choice(
        [
            (
                ["log", ["^", "x", e]],
                "=",
                ["*", e, ["log", "x"]],
                "ring",
                "positive",
                ["real", "nonnegative"],
            ),
            (["sqrt", ["^", "x", 2]], "=", "x", "ring", "nonnegative", ["real", "nonpositive"]),
            (["abs", "x"], "=", ["-", "x"], "ring", "nonpositive", ["real", "positive", "nonzero"]),
            (["/", ["*", a, "x"], "x"], "=", a, "ring", "nonzero", ["real", "nonnegative"]),
            (["*", "x", ["+", "x", a]], ">", 0, "sign", "positive", ["real", "negative", "nonnegative"]),
            (["*", "x", "x"], ">", 0, "sign", "nonzero", ["real", "nonnegative"]),
            (["exp", ["log", "x"]], "=", "x", "ring", "positive", ["real", "nonnegative"]),
            (
                ["/", ["gamma", ["+", "x", 1]], ["gamma", "x"]],
                "=",
                "x",
                "ring",
                "positive",
                ["real", "nonzero"],
            ),
            (["+", "x", ["/", 1, "x"]], ">=", 2, "squared", "positive", ["real", "nonzero"]),
        ]
    )
    good = row(left, relation, right, by, **{"for": {"x": [word]}})
    if by == "squared":
        good |= {"by": "sign", "with": {"as": ["/", ["^", ["-", "x", 1], 2], "x"]}}
    return [good], [[but(good, **{"for": {"x": [w]}})] for w in weaker]


def ways(rng: Random) -> tuple[Proof, list[Proof]]:
    """Monotone, ends, cases, absolute and chain with a part left out or a point moved."""
    a, b = rng.randint(1, 5), rng.randint(1, 5)
    facts = {"for": {"x": ["real"]}, "given": [["x", ">=", a]], "at": {"x": a}}
    rises = row(["^", "x", 3], ">=", a**3, "monotone", **facts)
    rises["with"] = {
        "variable": "x",
        "from": a,
        "side": "above",
        "slope": {"is": ["*", 3, ["^", "x", 2]], "by": "sign"},
    }
    largest = row(
        ["max", "x", "y"], ">=", ["/", ["+", "x", "y"], 2], "cases", **{"for": {"x": ["real"], "y": ["real"]}}
    )
    largest["with"] = {"of": ["max", "x", "y"], "each": [{"by": "sign"}, {"by": "sign"}]}
    size = row(["abs", "x"], "<=", b, "absolute", **{"for": {"x": ["real"]}})
    size |= {"given": [["x", "<=", b], ["x", ">=", -b]], "at": {"x": 0}}
    between = {"given": [["x", ">=", 0], ["x", "<=", b]], "at": {"x": 0}, "for": {"x": ["real"]}}
    chord = row(["^", "x", 2], "<=", ["*", b, "x"], "ends", **between)
    chord["with"] = {"variable": "x", "low": 0, "high": b, "bend": {"by": "sign"}, "at": {"by": "sign"}}
    return [rng.choice([rises, largest, size, chord])], [
        [but(rises, "given", "at")],
        [but(rises, given=[["x", ">=", a - 1]], at={"x": a - 1})],
        [but(rises, right=a**3 + 1)],
        [but(rises, relation="<=")],
        [but(rises, right=["^", "x", 3], relation=">", **{"with": rises["with"] | {"from": "x"}})],
        [but(largest, **{"with": largest["with"] | {"each": [{"by": "sign"}]}})],
        [but(largest, left=["min", "x", "y"], **{"with": largest["with"] | {"of": ["min", "x", "y"]}})],
        [but(largest, relation=">")],
        [but(size, given=[["x", "<=", b]])],
        [but(size, relation="<")],
        [but(chord, given=[["x", ">=", 0]])],
        [but(chord, relation=">=")],
        [but(chord, given=[["x", ">=", -1], ["x", "<=", b]], at={"x": -1})],
    ]


def laws(rng: Random) -> tuple[Proof, list[Proof]]:
    """Integrals and sums whose law, antiderivative or order of ends is not there."""
    a, n = rng.randint(2, 6), rng.randint(1, 4)
    power = ["int", ["*", ["^", "x", n], ["exp", ["-", ["*", "b", "x"]]]], "x", 0, ["const", "oo"]]
    law = {"law": "gamma", "a": n + 1, "b": "b", "r": 1, "times": 1}
    gamma = row(power, ">", 0, "sign", **{"for": {"b": ["positive"]}, "with": {"integrals": [[power, law]]}})
    pole = ["int", ["/", 1, ["^", "x", 2]], "x", -1, 1]
    reciprocal = row(pole, "=", -2, **{"with": {"integrals": [[pole, ["-", ["/", 1, "x"]]]]}})
    total = ["sum", "k", "k", 1, "m"]
    half = ["/", ["*", ["-", "k", 1], "k"], 2]
    summed = row(
        total, "=", ["/", ["*", "m", ["+", "m", 1]], 2], **{"for": {"m": ["nonnegative", "integer"]}}
    )
    summed["with"] = {"sums": [[total, half]]}
    jump = ["int", ["/", ["-", "x"], ["abs", "x"]], "x", -1, a]
    step = ["int", ["^", "x", -1], "x", -a, -1]
    return [rng.choice([gamma, summed])], [
        [but(gamma, **{"for": {"b": ["real"]}})],
        [but(gamma, **{"for": {"b": ["nonnegative"]}})],
        [but(gamma, relation="<")],
        [reciprocal],
        [but(summed, **{"for": {"m": ["integer"]}})],
        [but(summed, **{"for": {"m": ["nonnegative"]}})],
        [row(jump, "=", 1 - a, **{"with": {"integrals": [[jump, ["-", ["abs", "x"]]]]}})],
        [row(step, "=", ["log", a], **{"with": {"integrals": [[step, ["log", "x"]]]}})],
    ]


FAMILIES: tuple[Family, ...] = (
    captured_traces,
    captured_rules,
    bad_induction,
    singular,
    sizes,
    no_such_matrices,
    captured_bound,
    broken_declaration,
    emptied,
    signs,
    ways,
    laws,
)


# --- dressed ----------------------------------------------------------------------------------------------------------


def dressed(proof: Proof, rng: Random) -> Proof:
    """Other names, a multiple, hypotheses about another variable: nothing that makes what is false true."""
    found = [dict(r) for r in proof]
    last = found[-1]
    if rng.random() < 0.5:
        free = {"free one": rng.choice([["positive"], ["nonzero", "integer"], ["real"]])}
        last["for"] = {**last.get("for", {}), **free}
        if "at" in last:
            last["at"] = {**last["at"], "free one": 1}
    if last["by"] in ("ring", "sign") and "as" not in last.get("with", {}) and rng.random() < 0.5:
        c = rng.randint(2, 99)
        last["left"], last["right"] = ["*", c, last["left"]], ["*", c, last["right"]]
    if last["by"] == "ring" and rng.random() < 0.4:
        link = {"relation": last["relation"], "to": last["right"], "by": "ring", "with": last.get("with", {})}
        last |= {"by": "chain", "with": {"links": [link]}}
    names = {
        n: f"{n}{rng.randint(0, 10**6)}"
        for n in rng.sample(["x", "y", "n", "A", "B", "W", "V", "c", "d", "k", "m"], 5)
    }
    return [_renamed(r, names) for r in found]


def _renamed(data: Any, names: dict[str, str]) -> Any:
    if isinstance(data, dict):
        return {names.get(k, k): _renamed(v, names) for k, v in data.items()}
    if isinstance(data, list):
        return [_renamed(v, names) for v in data]
    bare = data.removesuffix("'") if isinstance(data, str) else data
    return names[bare] + data[len(bare) :] if bare in names else data


def answered(proof: Proof) -> Checked:
    return check(
        {"schema": "noiseproof-proof-1", "claim": "made", "steps": proof, "conclusion": [len(proof)]}
    )


def statements(seed: int) -> Iterator[tuple[str, Proof, bool]]:
    """Without end: the family, the proof, and whether it is the true one."""
    rng = Random(seed)
    while True:
        family = rng.choice(FAMILIES)
        good, wrong = family(rng)
        yield family.__name__, dressed(good, rng), True
        for one in wrong:
            yield family.__name__, dressed(one, rng), False


def tried(count: int, seed: int) -> tuple[Counter[str], Counter[str], list[tuple[str, Proof]]]:
    """By family the true ones and how many of them are accepted; the false ones that are."""
    true, accepted, faults, false = Counter[str](), Counter[str](), [], 0
    for name, proof, good in statements(seed):
        done = answered(proof)
        if good:
            true[name] += 1
            accepted[name] += done.complete
        else:
            false += 1
            if done.answers[-1].word == ACCEPTED:
                faults.append((name, proof))
        if false >= count:
            return true, accepted, faults
    raise AssertionError


def test_no_false_statement_from_the_rules_is_accepted() -> None:
    true, accepted, faults = tried(600, 1)
    assert not faults, faults[0]
    assert set(true) == {f.__name__ for f in FAMILIES}
    assert accepted == true, {n: (accepted[n], true[n]) for n in true if accepted[n] < true[n]}


@pytest.mark.long
def test_none_of_twenty_thousand_is_accepted() -> None:
    true, accepted, faults = tried(20_000, 2)
    print(
        f"{true.total():,} true ones, {accepted.total():,} of them accepted; 20,000 false ones, {len(faults)} accepted"
    )
    assert not faults, faults[0]
    assert accepted == true
