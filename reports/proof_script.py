"""A refutation as a Python file that stands alone: it evaluates the witness without noiseproof and exits with 0 if it stands.

A witness that does not stand has an exit code that Python never gives by itself: where a library is missing, or Python is too
old to read the file, Python's own code is 1, and nothing was evaluated.

Formulas are evaluated by a short evaluator of their own, in ball arithmetic, by another route than noiseproof's.  For the
other kinds the definitions on which the evaluator rests are taken out of noiseproof's source and written into the file.
The witness itself is data in every case and is never run.
"""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from ..audit.record import limits
from ..audit.record.shown_text import clean
from ..audit.standalone import NotStandAloneError, Standalone, standalone
from ..audit.trial.isolation.limited import MEMORY
from ..audit.witnesses import SECONDS

__all__ = ["NotStandAloneError", "Refutation", "render_proof_script", "scripts_of"]

FALLEN = 10  # exit code of a script whose witness does not stand
_FORMULAS = ("formula", "inequality")
_HEADER = '''"""{title}

{statement}

This file evaluates the witness again. Exit code: 0 the refutation stands, {fallen} it does not; any other says that nothing
was evaluated (1: Python broke off, since a library is missing, or it or Python has another version, or the witness is damaged).
It needs Python 3.11 or later and: {needs}.
"""

from __future__ import annotations

import json
import sys


def not_evaluated(kind, error, trace):
    """What is said where Python breaks off; the exit code is then its own, 1."""
    said = ascii(f"{{kind.__name__}}: {{error}}"[:300])[1:-1]
    print(f"NOT EVALUATED: {{said}} (what this file needs stands in its first lines)", file=sys.stderr)


if __name__ == "__main__":
    sys.excepthook = not_evaluated

'''
_MAIN = f"""

if __name__ == "__main__":
    # More than {SECONDS:g} seconds or {MEMORY / 2**30:g} GB: the operating system ends this process, and nothing was evaluated.
    limit_memory({MEMORY})
    limit_seconds({SECONDS:g})
    bounded(WITNESS)
    stands, says = evaluate(WITNESS)
    print(("stands: " if stands else "DOES NOT STAND: ") + says)
    raise SystemExit(0 if stands else {FALLEN})
"""
_FORMULA = """
import ast
import re
from fractions import Fraction

from flint import acb, arb, ctx, fmpq

NAMES = (
    "sqrt exp log sin cos tan cot sec csc asin acos atan sinh cosh tanh coth asinh acosh atanh erf erfc floor ceiling sign"
).split()
LATE = "gamma loggamma factorial binomial beta polygamma besseli besselj besselk bessely".split()
WRONG = {"=": (-1, 1), "<=": (1,), ">=": (-1,), "<": (0, 1), ">": (-1, 0)}


def real(z):
    if not z.imag.is_zero():
        raise ValueError("no real value")
    return z.real


class Balls:
    \"\"\"Rationals are exact, everything else is a ball that contains the number.\"\"\"

    functions = {name: getattr(arb, {"ceiling": "ceil", "sign": "sgn"}.get(name, name)) for name in NAMES}
    functions |= {"abs": abs, "min": lambda x, y: x.min(y), "max": lambda x, y: x.max(y)}
    functions |= {"gamma": arb.gamma, "loggamma": arb.lgamma, "factorial": lambda x: (x + 1).gamma()}
    functions |= {
        "binomial": lambda n, k: (n + 1).gamma() * (k + 1).rgamma() * (n - k + 1).rgamma(),
        "beta": lambda a, b: a.gamma() * b.gamma() * (a + b).rgamma(),
        "polygamma": lambda n, x: acb(x).polygamma(acb(n)).real,
        "besseli": lambda n, x: real(acb(x).bessel_i(acb(n))),
        "besselj": lambda n, x: real(acb(x).bessel_j(acb(n))),
        "besselk": lambda n, x: real(acb(x).bessel_k(acb(n))),
        "bessely": lambda n, x: real(acb(x).bessel_y(acb(n))),
    }
    constants = {"pi": arb.pi, "e": arb.const_e}

    def number(self, q):
        return fmpq(q.numerator, q.denominator)

    def argument(self, x):
        return arb(x)

    def power(self, x, y):
        if not abs(arb(y)) <= 64:
            raise ValueError("an exponent may be at most 64 in absolute value")
        if isinstance(y, fmpq) and y.q == 1:
            return x ** int(y.p)
        if isinstance(y, fmpq) and abs(y) == fmpq(1, 2):
            return arb(x).sqrt() if y > 0 else arb(x).rsqrt()
        return arb(x) ** arb(y)


class Symbols:
    \"\"\"Exact values, for the one thing that balls cannot say: that two numbers are equal.\"\"\"

    def __init__(self):
        import sympy

        self.number = lambda q: sympy.Rational(q.numerator, q.denominator)
        self.functions = {name: getattr(sympy, name) for name in NAMES + LATE}
        self.functions |= {"abs": sympy.Abs, "min": sympy.Min, "max": sympy.Max}
        self.constants = {"pi": lambda: sympy.pi, "e": lambda: sympy.E}

    def argument(self, x):
        return x

    def power(self, x, y):
        return x**y


def value(node, names, source, kind):
    match node:
        case ast.Constant():
            return kind.number(Fraction(ast.get_source_segment(source, node).replace("_", "")))
        case ast.Name(id=name):
            return kind.number(names[name]) if name in names else kind.constants[name.lower()]()
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return -value(x, names, source, kind)
        case ast.UnaryOp(op=ast.UAdd(), operand=x):
            return value(x, names, source, kind)
        case ast.BinOp(left=x, op=op, right=y):
            x, y = value(x, names, source, kind), value(y, names, source, kind)
            match op:
                case ast.Add():
                    return x + y
                case ast.Sub():
                    return x - y
                case ast.Mult():
                    return x * y
                case ast.Div():
                    return x / y
                case ast.Pow():
                    return kind.power(x, y)
        case ast.Call(func=ast.Name(id=name), args=inner, keywords=[]):
            first, *rest = [kind.argument(value(x, names, source, kind)) for x in inner]
            if name == "Phi":
                two = kind.argument(kind.number(Fraction(2)))
                return (1 + kind.functions["erf"](first / kind.functions["sqrt"](two))) / 2
            if name.lower() in ("min", "max"):
                for x in rest:
                    first = kind.functions[name.lower()](first, x)
                return first
            return kind.functions[name.lower()](first, *rest)
    raise ValueError(f"not a formula: {type(node).__name__}")


def read(text, at, kind):
    # `lambda` is the name of a multiplier and a word of Python.
    source = re.sub(r"\\blambda\\b", "lambd_", text.strip())
    names = {re.sub("^lambda$", "lambd_", name): Fraction(x) for name, x in at.items()}
    return value(ast.parse(source, mode="eval").body, names, source, kind)


def sign(x):
    return 0 if x == 0 else 1 if x > 0 else -1 if x < 0 else None


def evaluate(witness):
    \"\"\"Whether the relation is certainly false at the point, where every condition holds.\"\"\"
    at, relation, bits = witness.get("at", {}), witness["relation"], 80
    if witness["left"] == "oo":
        shown = arb(read(witness["right"], at, Balls()))
        return shown.is_finite() and relation in ("<", "<=", "="), f"the left side is unbounded, the right side is {shown.str(15)}"
    while True:
        ctx.prec = bits
        sides = [read(witness[side], at, Balls()) for side in ("left", "right")]
        conditions = [sign(read(text, at, Balls())) for text in witness.get("where", [])]
        found = sign(sides[0] - sides[1])
        if bits > 2560 or (found is not None and None not in conditions):
            break
        bits *= 2
    if found is None and read(witness["left"], at, Symbols()) - read(witness["right"], at, Symbols()) == 0:
        found = 0
    stands = found in WRONG[relation] and all(c == 1 for c in conditions)
    shown, point = [arb(side).str(15) for side in sides], ", ".join(f"{name} = {x}" for name, x in at.items())
    says = f"{shown[0]} {relation} {shown[1]} is {'false' if stands else 'not refuted'}"
    return stands, says + (f" at {point}" if point else "")
"""


def render_proof_script(witness: dict[str, Any], title: str = "", statement: str = "") -> str:
    """The script of one witness; NotStandAloneError says why there is none for its kind."""
    kind = witness.get("kind")
    if kind in _FORMULAS:
        found = Standalone(_FORMULA.lstrip("\n"), ("python-flint", "sympy"))
    else:
        found = standalone(witness)
    try:
        limits.bounded(witness)
    except ValueError as error:
        raise NotStandAloneError(f"{str(kind)[:40]}: {error}") from None
    guard = inspect.getsource(limits).partition("from __future__ import annotations\n\n")[2]
    header = _HEADER.format(
        title=_line(title or "A refutation."),
        statement=_line(statement),
        needs=", ".join(found.needs) or "nothing else",
        fallen=FALLEN,
    )
    data = json.dumps(witness, sort_keys=True)
    return f"{header}{found.source}\n\n\n{guard}\n\nWITNESS = json.loads(\n    {data!r}\n)\n{_MAIN}"


@dataclass(frozen=True)
class Refutation:
    """A witness with the finding it belongs to, and the name of the file that its script gets."""

    file: str
    finding: str
    witness: dict[str, Any]
    title: str
    statement: str


def scripts_of(data: dict[str, Any]) -> Iterator[Refutation]:
    """The refutations of a dossier or a certificate: those of its findings, not those of twins."""
    dossier = data.get("schema") == "noiseproof-dossier-1"
    taken: set[str] = set()
    for finding in data["findings"]:
        if dossier:
            found, statement = [finding["witness"]] if finding["witness"] else [], finding["statement"]
        else:
            found = [e["witness"] for e in finding["evidence"] if e["verdict"] == "REFUTED" and e["witness"]]
            statement = finding["claim"]["sentence"]
        key = str(finding["id"]).split("/", 1)[-1] if dossier else f"finding-{finding['id']}"
        stem = re.sub(r"[^A-Za-z0-9-]+", "_", key)[:80] or "_"
        for witness in found:
            name = next(n for i in count(1) if (n := stem if i == 1 else f"{stem}-{i}").lower() not in taken)
            taken.add(name.lower())
            yield Refutation(f"{name}.py", str(finding["id"]), witness, str(finding["title"]), str(statement))


def _line(text: str) -> str:
    """Text for a docstring: one line that cannot end it."""
    return " ".join(clean(text).split()).replace("\\", "/").replace('"', "'")
