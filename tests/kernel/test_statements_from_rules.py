"""False statements made from the rules themselves: a hypothesis dropped, a variable captured, a domain emptied, a declaration broken.

Each family is a proof that the kernel accepts, and the same with one thing taken away that makes it false, undefined or about nothing;
both are dressed: other names, a multiple of both sides, another variable, a rule around it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from noiseproof.symbolic.proof.kernel.proof import ACCEPTED, Checked, check
from noiseproof.symbolic.proof.proofs.printed import printed

Row = dict[str, Any]
Proof = list[Row]
Family = Callable[[Random], tuple[Proof, list[Proof]]]
SIGN, PD = {"by": "sign"}, "positive definite"
_PARTS = re.compile(" (<=|>=|=|<|>) ")


def term(text: str) -> Any:
    """The expression of the kernel; capitals are matrices, and so are c and d after `Trace(`."""
    letters = set("ABVW") | (set("cd") if "Trace" in text else set())
    return printed(text.replace("'", "_transpose"), letters)


def row(said: str, by: str = "ring", **more: Any) -> Row:
    """A step in text; `of` says the signs of variables, `given` hypotheses and `hints` the rule."""
    left, relation, right = _PARTS.split(said)
    found = {"left": term(left), "relation": relation, "right": term(right), "by": by}
    return but(found, **more)


def but(one: Row, *keys: str, **more: Any) -> Row:
    """The step without some of its keys, and with others."""
    if "of" in more:
        more["for"] = {name: words.split() for name, words in more.pop("of").items()}
    if "given" in more:
        parts = [_PARTS.split(g) for g in more["given"]]
        more["given"] = [[term(a), relation, term(b)] for a, relation, b in parts]
    if "traces" in more:
        more["traces"] = [[term(t), term(str(v))] for t, v in more["traces"].items()]
    if "hints" in more:
        more["with"] = more.pop("hints")
    return {k: v for k, v in one.items() if k not in keys} | more


def climbs(start: Any) -> Row:
    return {"variable": "n", "from": start, "base": SIGN, "step": SIGN}


# --- induction: what is known of the letters has the variable in it ---------------------------------------------------


def captured_traces(rng: Random) -> tuple[Proof, list[Proof]]:
    """(n - s) (n - t - 1 + c) >= 0 for t = n + c: its step holds where t is said of the variable of the step."""
    c, s, e, f = rng.randint(0, 5), rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 9)
    word, kind = rng.choice([("Trace(1)", "symmetric"), ("Trace(A'*A)", "general")])
    more = {"letters": {"A": kind}, "traces": {word: f"n + {c}"}, "given": [f"n >= {s}"]}
    more |= {"at": {"n": s + rng.randint(1, 3)}, "of": {"n": "positive integer"}}
    wrong = row(f"{f}*(n - {s})**{e}*(n + {c - 1} - {word}) >= 0", "induction", hints=climbs(s), **more)
    told = but(wrong, by="sign", hints={"lemmas": [but(wrong, "for", "given", "at", "letters", "traces")]})
    return [row(f"{word} >= {s}", "sign", **more)], [[wrong], [told]]


def captured_rules(rng: Random) -> tuple[Proof, list[Proof]]:
    """The same where W'W = n + c, and the trace of W'W B tells it."""
    c, t = rng.randint(0, 4), rng.randint(1, 5)
    more = {"letters": {"W": "general", "B": "general"}, "of": {"n": "positive integer"}, "at": {"n": 1}}
    more |= {"rules": [[["W'", "W"], ["+", "n", c]]], "traces": {"Trace(B)": t}}
    more |= {"matrices": {"W": [[1]] * (c + 1), "B": [[t]]}}
    wrong = row(f"(n - 1)*({t}*(n + {c - 1}) - Trace(W'*W*B)) >= 0", "induction", hints=climbs(1), **more)
    return [row(f"Trace(W'*W*B) = {t}*(n + {c})", **more)], [[wrong]]


def bad_induction(rng: Random) -> tuple[Proof, list[Proof]]:
    """n^2 >= a n from n = a on; wrong from below, on the reals, or from a start that moves along."""
    a = rng.randint(3, 9)
    more = {"of": {"n": "positive integer"}, "given": [f"n >= {a}"], "at": {"n": a}}
    good = row(f"n**2 >= {a}*n", "induction", hints=climbs(a), **more)
    return [good], [
        [but(good, "given", "at")],
        [but(good, given=[f"n >= {a - 1}"], at={"n": a - 1})],
        [but(good, "given", "at", of={"n": "positive"})],
        [row(f"n >= {2 * a}", "induction", hints=climbs(["+", "n", 0]), **more)],
        [but(good, right=["*", a + 1, "n"])],
    ]


# --- matrices ---------------------------------------------------------------------------------------------------------


def singular(rng: Random) -> tuple[Proof, list[Proof]]:
    """Roots and inverses of what is symmetric and no more."""
    e, f = rng.randint(1, 3), rng.randint(1, 3)
    several = [
        f"Trace((A**{2 * e})**(1/{2 * e})) = Trace(A)",
        f"Trace(({'*'.join('A' * 2 * e)})**(1/{2 * e})*B) = Trace(A*B)",
        f"Trace(A**{f}*A**(-{f})) = Trace(1)",
        f"Trace(A**(-{f})*B*A**{f}) = Trace(B)",
        "Trace(sqrt(A)*B*sqrt(A)) = Trace(A*B)",
        "Trace(sqrt(A*A)) = Trace(A)",
    ]
    good = row(rng.choice(several), letters={"A": PD, "B": "symmetric"})
    wrong = but(good, letters={"A": rng.choice(["symmetric", "general"]), "B": "symmetric"})
    below, zero = (
        {"traces": {"Trace(A)": k}, "at": {}, "matrices": {"A": [[k]], "B": [[1]]}} for k in (-1, 0)
    )
    return [good], [[wrong], *([but(one, **more)] for one in (good, wrong) for more in (below, zero))]


def sizes(rng: Random) -> tuple[Proof, list[Proof]]:
    """Identities of two sizes, powers of columns, shapes that do not fit."""
    e, n = rng.randint(1, 3), rng.randint(2, 4)
    kinds, general = {"A": "symmetric", "B": "symmetric"}, {"W": "general", "V": "general"}
    more = {"rules": [[["W", "W'"], 1], [["V", "V'"], 1]]}
    two = row(f"Trace(A**{e}*W*W'*A**(-{e})) = Trace(B**{e}*V*V'*B**(-{e}))", **more)
    columns = {"c": "column", "d": "column", "A": "general"}
    eye = [[int(i == j) for j in range(n)] for i in range(n)]
    shapes = {"A": eye, "c": [[1]] * n, "d": [[1]] * n}
    known = {"letters": columns, "at": {}, "traces": {"Trace(c'*c)": n}, "matrices": shapes}
    ruled = {"letters": columns, "rules": [[["c", "d'"], n]]}
    return [row("Trace(A*W*W') = Trace(A)", letters={**kinds, **general}, **more)], [
        [but(two, letters={**kinds, **general})],
        [but(two, letters={"A": PD, "B": PD, **general})],
        [row("Trace(c**0*A) = Trace(A)", letters=columns)],
        [row("Trace(c'*d + A) = Trace(c'*d) + Trace(A)", **known)],
        [row("Trace(A*c'*d) = Trace(c'*d*A)", **known)],
        [row("0 = 0", traces={"Trace(c'*c)": 1}, **ruled)],
        [row(f"Trace(c*d'*A) = {n}*Trace(A)", **ruled)],
    ]


def no_such_matrices(rng: Random) -> tuple[Proof, list[Proof]]:
    """Traces and rules that no matrices of the declared kinds have."""
    k, kinds = rng.randint(1, 5), {"A": "general", "B": "general"}
    inner = {"Trace(A'*A)": k, "Trace(A'*B)": 0, "Trace(B'*B)": 1}
    good = row(f"Trace(A'*(A + B)) = {k}", letters=kinds, traces=inner, at={})
    nothing = row("0 = 0", letters=kinds, at={})
    return [good], [
        [but(good, letters={"A": PD, "B": PD})],
        [but(good, letters={"A": "general", "B": "column"})],
        [but(nothing, traces={"Trace(A'*A)": -k})],
        [but(nothing, traces={"Trace(A'*A)": k, "Trace(A*A')": k + 1})],
        [but(nothing, traces={**inner, "Trace(A'*B)": k + 1})],
        [but(nothing, rules=[[["A'", "A"], -k]])],
        [but(nothing, rules=[[["A'", "A"], 1], [["A'", "B"], 0]])],
        [but(nothing, rules=[[["A'", "A"], k]], matrices={"A": [[k + 1]], "B": [[1]]})],
        [but(nothing, letters={"A": "symmetric"}, traces={"Trace(1)": f"{2 * k + 1}/2"})],
    ]


# --- variables that are bound, instances, emptied domains -------------------------------------------------------------


def swapped(data: Any, name: str, new: Any) -> Any:
    """Terms for a name by the words alone, whatever binds it."""
    return new if data == name else [swapped(d, name, new) for d in data] if isinstance(data, list) else data


def used(lemma: Row, name: str, new: Any, rules: list[Row], **signs: str) -> Row:
    """The step that says a lemma of a term."""
    hints = {"instances": [{"of": 1, "put": {name: new}, "given": rules}]}
    said = {side: swapped(lemma[side], name, new) for side in ("left", "right")}
    return but({"relation": lemma["relation"], "by": "sign"}, of=signs, hints=hints, **said)


def captured_bound(rng: Random) -> tuple[Proof, list[Proof]]:
    """A lemma with a bound variable, of which an instance puts that name for a free one."""
    a, e = rng.randint(1, 6), rng.randint(1, 3)
    said, bound = rng.choice(
        [
            (f"Integral({a}*x + y, (x, 0, 1)) = {a}/2 + y", "x"),
            (f"Sum(k + y, (k, 1, {e + 1})) = {(e + 1) * (e + 2) // 2} + {e + 1}*y", "k"),
        ]
    )
    lemma = row(said, of={"y": "real"})
    if bound == "x":
        lemma["with"] = {"integrals": [[lemma["left"], term(f"{a}/2*x**2 + x*y")]]}
    good = [lemma, used(lemma, "y", ["+", "w", a], [], w="real")]
    return good, [[lemma, used(lemma, "y", t, [], **{bound: "real"})] for t in (bound, ["*", 2, bound])]


def broken_declaration(rng: Random) -> tuple[Proof, list[Proof]]:
    """A lemma about what is whole, positive or above a number, of terms that are not."""
    a = rng.randint(1, 5)
    lemma, fit, unfit, words, rules = rng.choice(
        [
            (row("cos(pi*x)**2 = 1", of={"x": "integer"}), a, ["/", "y", a + 1], "positive integer", 0),
            (row("sqrt(x**2) = x", of={"x": "positive"}), a, ["-", a, "y"], "positive", 0),
            (
                row(f"x > {a}", "sign", of={"x": "real"}, given=[f"x > {a + 1}"], at={"x": a + 2}),
                a + 2,
                ["/", "y", a + 1],
                "positive",
                1,
            ),
        ]
    )
    more = ["+", "y", fit]
    return [lemma, used(lemma, "x", more, [SIGN] * rules, y=words)], [
        [lemma, used(lemma, "x", unfit, [SIGN] * rules, y=words)],
        [lemma, used(lemma, "x", more, [SIGN] * rules, y="real")],
        [lemma, used(lemma, "x", more, [SIGN] * (1 - rules), y=words)],
        [lemma, used(lemma, "x", "y", [SIGN] * rules, y="real")],
    ]


def emptied(rng: Random) -> tuple[Proof, list[Proof]]:
    """Hypotheses that nothing obeys, or of which no instance is given."""
    a = rng.randint(1, 9)
    good = row(f"x*x > {a * a}", "sign", of={"x": "positive"}, given=[f"x > {a}"], at={"x": a + 1})
    good["with"] = {"as": term(f"(x - {a})**2 + {2 * a}*(x - {a})")}
    nothing = row(f"{a} = 0", "sign", of={"x": "real"}, at={"x": 1})
    return [good], [
        [but(good, "at")],
        [but(good, at={"x": a})],
        [but(good, at={"x": -a - 1})],
        *([but(nothing, given=[g])] for g in (f"{a} = 0", f"x**2 = -{a}", "Derivative(x, x) = 0")),
        [but(nothing, given=["x = 0", f"x = {a}"], at={"x": 0})],
        [but(nothing, given=["2*x = 1"], of={"x": "integer"}, at={"x": ["/", 1, 2]})],
        [but(nothing, given=["log(x) <= 0", f"{a} <= 0"])],
    ]


# --- rules on numbers: one hypothesis or one sign less ----------------------------------------------------------------


def signs(rng: Random) -> tuple[Proof, list[Proof]]:
    """Laws that need a sign, without it."""
    e, a = rng.randint(2, 6), rng.randint(1, 7)
    said, by, word, weaker = rng.choice(
        [
            (f"log(x**{e}) = {e}*log(x)", "ring", "positive", ["real", "nonnegative"]),
            ("sqrt(x**2) = x", "ring", "nonnegative", ["real", "nonpositive"]),
            ("Abs(x) = -x", "ring", "nonpositive", ["real", "positive", "nonzero"]),
            (f"{a}*x/x = {a}", "ring", "nonzero", ["real", "nonnegative"]),
            (f"x*(x + {a}) > 0", "sign", "positive", ["real", "negative", "nonnegative"]),
            ("x*x > 0", "sign", "nonzero", ["real", "nonnegative"]),
            ("exp(log(x)) = x", "ring", "positive", ["real", "nonnegative"]),
            ("gamma(x + 1)/gamma(x) = x", "ring", "positive", ["real", "nonzero"]),
        ]
    )
    good = row(said, by, of={"x": word})
    return [good], [[but(good, of={"x": w})] for w in weaker]


def ways(rng: Random) -> tuple[Proof, list[Proof]]:
    """Monotone, ends, cases and absolute with a part left out or a point moved."""
    a, b, real = rng.randint(1, 5), rng.randint(1, 5), {"of": {"x": "real"}}
    up = {"variable": "x", "from": a, "side": "above", "slope": {"is": term("3*x**2"), "by": "sign"}}
    rises = row(f"x**3 >= {a**3}", "monotone", hints=up, given=[f"x >= {a}"], at={"x": a}, **real)
    each = {"of": ["max", "x", "y"], "each": [SIGN, SIGN]}
    largest = row("Max(x, y) >= (x + y)/2", "cases", hints=each, of={"x": "real", "y": "real"})
    size = row(f"Abs(x) <= {b}", "absolute", given=[f"x <= {b}", f"x >= -{b}"], at={"x": 0}, **real)
    ends = {"variable": "x", "low": 0, "high": b, "bend": SIGN, "at": SIGN}
    chord = row(f"x**2 <= {b}*x", "ends", hints=ends, given=["x >= 0", f"x <= {b}"], at={"x": 0}, **real)
    return [rng.choice([rises, largest, size, chord])], [
        [but(rises, "given", "at")],
        [but(rises, given=[f"x >= {a - 1}"], at={"x": a - 1})],
        [but(rises, right=a**3 + 1)],
        [but(rises, relation="<=")],
        [but(rises, right=term("x**3"), relation=">", hints=up | {"from": "x"})],
        [but(largest, hints=each | {"each": [SIGN]})],
        [but(largest, left=["min", "x", "y"], hints=each | {"of": ["min", "x", "y"]})],
        [but(largest, relation=">")],
        [but(size, given=[f"x <= {b}"])],
        [but(size, relation="<")],
        [but(chord, given=["x >= 0"])],
        [but(chord, relation=">=")],
        [but(chord, given=["x >= -1", f"x <= {b}"], at={"x": -1})],
    ]


def laws(rng: Random) -> tuple[Proof, list[Proof]]:
    """Integrals and sums whose law, antiderivative or order of ends is not there."""
    a, n = rng.randint(2, 6), rng.randint(1, 4)
    gamma = row(f"Integral(x**{n}*exp(-b*x), (x, 0, oo)) > 0", "sign", of={"b": "positive"})
    law = {"law": "gamma", "a": n + 1, "b": "b", "r": 1, "times": 1}
    gamma["with"] = {"integrals": [[gamma["left"], law]]}
    summed = row("Sum(k, (k, 1, m)) = m*(m + 1)/2", of={"m": "nonnegative integer"})
    summed["with"] = {"sums": [[summed["left"], term("(k - 1)*k/2")]]}

    def integral(said: str, primitive: str) -> Proof:
        one = row(said)
        return [but(one, hints={"integrals": [[one["left"], term(primitive)]]})]

    return [rng.choice([gamma, summed])], [
        [but(gamma, of={"b": "real"})],
        [but(gamma, of={"b": "nonnegative"})],
        [but(gamma, relation="<")],
        [but(summed, of={"m": "integer"})],
        [but(summed, of={"m": "nonnegative"})],
        integral("Integral(1/x**2, (x, -1, 1)) = -2", "-1/x"),
        integral(f"Integral(-x/Abs(x), (x, -1, {a})) = {1 - a}", "-Abs(x)"),
        integral(f"Integral(1/x, (x, -{a}, -1)) = log({a})", "log(x)"),
    ]


FAMILIES: tuple[Family, ...] = (captured_traces, captured_rules, bad_induction, singular, sizes)
FAMILIES += (no_such_matrices, captured_bound, broken_declaration, emptied, signs, ways, laws)


# --- dressed ----------------------------------------------------------------------------------------------------------


def dressed(proof: Proof, rng: Random) -> Proof:
    """Nothing that makes what is false true."""
    last = dict(proof[-1])
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
    names = {n: f"{n}{rng.randint(0, 10**6)}" for n in rng.sample("xynABWVcdkm", 5)}
    return [_renamed(r, names) for r in (*proof[:-1], last)]


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
            break
    return true, accepted, faults


def test_no_false_statement_from_the_rules_is_accepted() -> None:
    true, accepted, faults = tried(600, 1)
    assert not faults, faults[0]
    assert len(true) == len(FAMILIES)
    assert accepted == true, {n: (accepted[n], true[n]) for n in true if accepted[n] < true[n]}


@pytest.mark.long
def test_none_of_twenty_thousand_is_accepted() -> None:
    true, accepted, faults = tried(20_000, 2)
    print(f"{true.total():,} true, {accepted.total():,} accepted; 20,000 false, {len(faults)} accepted")
    assert not faults, faults[0]
    assert accepted == true
