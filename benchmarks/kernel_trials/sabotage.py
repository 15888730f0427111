"""Every sabotage of one proof: of what it states, each with a name, and of the hints by which it is accepted."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from .places import Path, Term, everywhere, part_at, places, put_at

Step = dict[str, Any]
Named = tuple[str, Step]
RULES = ("ring", "sign", "squares", "box", "monotone", "absolute", "chain")
_HEADS = {
    "+": ("*",),
    "*": ("+",),
    "exp": ("sinh", "log"),
    "log": ("sqrt",),
    "sqrt": ("abs",),
    "abs": ("sign",),
    "sin": ("cos",),
    "cos": ("sin",),
    "erf": ("erfc", "atan"),
    "erfc": ("erf",),
    "gamma": ("factorial",),
    "factorial": ("gamma",),
    "max": ("min",),
    "min": ("max",),
    "floor": ("ceiling",),
    "ceiling": ("floor",),
    "tanh": ("erf",),
    "mat": ("mat'",),
    "mat'": ("mat",),
}
_RELATIONS = {
    "=": ("<", ">", "<=", ">="),
    "<=": (">=", "=", "<"),
    ">=": ("<=", "=", ">"),
    "<": (">", "=", "<="),
    ">": ("<", "=", ">="),
}
_WEAKER = {
    "positive": ("nonnegative", "nonzero", "real"),
    "negative": ("nonpositive", "nonzero", "real"),
    "nonnegative": ("real",),
    "nonpositive": ("real",),
    "nonzero": ("real",),
}
_OPENED = {"<": "<=", ">": ">="}


def statements(step: Step, others: list[Step]) -> Iterator[Named]:
    """The proof beside another theorem: one change of a side, of the relation, of what is supposed, or the conclusion of another step."""
    yield from _sides(step)
    for relation in _RELATIONS[step["relation"]]:
        yield "relation", step | {"relation": relation}
    yield "sides exchanged", step | {"left": step["right"], "right": step["left"]}
    yield from _supposed(step)
    for other in others:
        yield "another conclusion", step | {k: other[k] for k in ("left", "relation", "right")}


def _sides(step: Step) -> Iterator[Named]:
    for side in ("left", "right"):
        for at in places(step[side]):
            for name, new in _changes(step, side, at):
                changed = step | {side: put_at(step[side], at, new)}
                yield name, changed
                yield from ((f"{name}, hints follow", f) for f in _followed(step, changed))
    for leaf in _leaves(step):
        for name, new in _leaf(leaf, step):
            yield f"{name}, everywhere", {k: _all(k, v, leaf, new) for k, v in step.items()}


def _all(key: str, value: Any, leaf: Term, new: Term) -> Any:
    return value if key in ("for", "letters", "by", "relation", "matrices") else everywhere(value, leaf, new)


def _changes(step: Step, side: str, at: Path) -> Iterator[tuple[str, Term]]:
    """What may stand there instead."""
    old = part_at(step[side], at)
    if isinstance(old, int | str):
        yield from _leaf(old, step)
        return
    op, *rest = old
    if op not in ("mat", "mat'"):
        yield "sign", ["-", old]
    for head in _HEADS.get(op, ()):
        yield "operation", [head, *rest]
    if op in ("/", "^") or (op == "-" and len(rest) == 2):
        yield "operation", [op, rest[1], rest[0]]
    if op in ("+", "*") and len(rest) > 1:
        for i in range(len(rest)):
            yield "a part dropped", [op, *rest[:i], *rest[i + 1 :]]
    if op in ("int", "sum"):
        yield from _ends(old)
    if op == "diff":
        yield "order", [*old[:3], old[3] + 1]
    if op == "const":
        yield "constant", ["const", "e" if rest[0] != "e" else "pi"]


def _ends(term: Term) -> Iterator[tuple[str, Term]]:
    op, body, name, low, high = term
    one = 1 if op == "sum" or "oo" not in repr((low, high)) else 3
    yield "bound", [op, body, name, low, ["-", high, 1] if "oo" not in repr(high) else one]
    yield "bound", [op, body, name, ["+", low, 1] if "oo" not in repr(low) else -one, high]
    yield "bound", [op, body, name, high, low]


def _leaf(old: Term, step: Step) -> Iterator[tuple[str, Term]]:
    if isinstance(old, int):
        yield "constant", old + 1
        yield "constant", ["/", 101 * old, 100] if old else ["/", 1, 100]
        if old:
            yield "sign", -old
            yield "constant", 0
        return
    yield "sign", ["-", old]
    yield "constant", ["*", 2, old]
    for name in step.get("for", {}):
        if name != old:
            yield "variable", name
            break


def _leaves(step: Step) -> list[Term]:
    found: list[Term] = []
    for side in ("left", "right"):
        for at in places(step[side]):
            leaf = part_at(step[side], at)
            if isinstance(leaf, int | str) and leaf not in found:
                found.append(leaf)
    return found


def _followed(step: Step, changed: Step) -> Iterator[Step]:
    """The hints changed with the sides, so that those that only repeat what is stated still do."""
    hints = step.get("with", {})
    moved = ["-", ["-", changed["left"], changed["right"]], ["-", step["left"], step["right"]]]
    if "as" in hints and step["by"] == "sign":
        yield changed | {"with": hints | {"as": ["+", hints["as"], moved]}}
    if step["by"] == "monotone" and "is" in hints.get("slope", {}):
        slope = hints["slope"] | {"is": ["+", hints["slope"]["is"], ["diff", moved, hints["variable"], 1]]}
        yield changed | {"with": hints | {"slope": slope}}
    if hints.get("links"):
        links = [*hints["links"][:-1], hints["links"][-1] | {"to": changed["right"]}]
        yield changed | {"with": hints | {"links": links}}
    for kind in ("integrals", "sums"):
        for i, (term, *values) in enumerate(hints.get(kind, [])):
            for new in _instead(step, changed, term):
                rows = [*hints[kind][:i], [new, *values], *hints[kind][i + 1 :]]
                yield changed | {"with": hints | {kind: rows}}


def _instead(step: Step, changed: Step, term: Term) -> Iterator[Term]:
    """What the changed sides have where the step had this integral or sum."""
    for side in ("left", "right"):
        if step[side] != changed[side]:
            for at in places(step[side]):
                if part_at(step[side], at) == term:
                    try:
                        new = part_at(changed[side], at)
                    except (IndexError, TypeError):
                        continue
                    if isinstance(new, list) and new[:1] == term[:1] and new != term:
                        yield new


def _supposed(step: Step) -> Iterator[Named]:
    for name, words in step.get("for", {}).items():
        whole = [w for w in words if w == "integer"]
        for word in (w for w in words if w in _WEAKER):
            for weaker in _WEAKER[word]:
                yield "declared sign weakened", step | {"for": step["for"] | {name: [weaker, *whole]}}
        if whole:
            rest = [w for w in words if w != "integer"]
            yield "integer dropped", step | {"for": step["for"] | {name: rest or ["real"]}}
    for key, named in (
        ("given", "hypothesis dropped"),
        ("rules", "rule dropped"),
        ("traces", "trace dropped"),
    ):
        several = step.get(key, [])
        for i in range(len(several)):
            left = [*several[:i], *several[i + 1 :]]
            yield named, {k: v for k, v in step.items() if k != key} | ({key: left} if left else {})
        if len(several) > 1:
            yield f"{named}, all of them", {k: v for k, v in step.items() if k != key}
    for i, (left, relation, right) in enumerate(step.get("given", [])):
        if relation in _OPENED:
            weak = [left, _OPENED[relation], right]
            yield "hypothesis weakened", step | {"given": _with(step["given"], i, weak)}
        for moved in (["+", left, 1], ["-", left]):
            yield "hypothesis changed", step | {"given": _with(step["given"], i, [moved, relation, right])}
    for name, kind in step.get("letters", {}).items():
        for other in ("general", "symmetric", "positive definite", "column"):
            if other != kind:
                yield "matrix declared otherwise", step | {"letters": step["letters"] | {name: other}}
    for key in ("rules", "traces"):
        for i, (what, value) in enumerate(step.get(key, [])):
            yield "value of a hypothesis", step | {key: _with(step[key], i, [what, ["+", value, 1]])}


def _with(several: list[Any], i: int, new: Any) -> list[Any]:
    return [*several[:i], new, *several[i + 1 :]]


# --- hints ------------------------------------------------------------------------------------------------------------


def hints(step: Step, others: list[Step]) -> Iterator[Named]:
    """The same theorem by a proof that was spoilt: whatever the kernel says of it, it says something."""
    for rule in RULES:
        if rule != step["by"]:
            yield "rule exchanged", step | {"by": rule}
    for other in others:
        yield "proof of another step", step | {"by": other["by"], "with": other.get("with", {})}
    for key in step.get("with", {}):
        yield "hint dropped", step | {"with": {k: v for k, v in step["with"].items() if k != key}}
    for path, value in _entries(step.get("with", {})):
        for new in _spoilt(value):
            yield "hint changed", step | {"with": _replaced(step["with"], path, new)}
    links = step.get("with", {}).get("links", [])
    if len(links) > 1:
        yield "links turned round", step | {"with": step["with"] | {"links": links[::-1]}}
        for i in range(len(links)):
            yield "link dropped", step | {"with": step["with"] | {"links": [*links[:i], *links[i + 1 :]]}}


def _entries(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    several = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in several:
        if isinstance(value, int | str):
            yield (*at, key), value
        yield from _entries(value, (*at, key))


def _spoilt(value: Any) -> tuple[Any, ...]:
    if isinstance(value, int):
        return (value + 1, -value - 1, 10**30)
    if value in _HEADS:
        return _HEADS[value]
    return {"above": ("below",), "below": ("above",)}.get(value, (["-", value], "no name", 0))


def _replaced(data: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    if isinstance(data, dict):
        return data | {path[0]: _replaced(data[path[0]], path[1:], new)}
    return [_replaced(v, path[1:], new) if i == path[0] else v for i, v in enumerate(data)]


def text(step: Step) -> str:
    """A step as text that is the same for the same step."""
    return json.dumps(step, sort_keys=True)
