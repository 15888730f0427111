"""The witness against a claimed minimiser of a functional: both functions are integrated again, or the claimed one breaks a condition."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

import sympy as sp
from flint import arb
from pydantic import Field

from ...symbolic.programs.functional.integrals import diverges, integral_ball
from ...symbolic.programs.functional.positive_inside import between
from ...symbolic.programs.functional.stated_functional import StatedFunctional
from ...symbolic.proof.enclosure import enclose, sign
from ...symbolic.proof.expressions import parse
from ...symbolic.stated_formula import read_entry
from ..record.reading.certificate_form import Form as Part
from ..record.witness import Witness, register
from ..record.witness_form import OfClaim, Text

_PROBES = 16
Names = Mapping[str, sp.Expr]


class Row(Part):
    """An integrand in x, u and its slope, and what it integrates to."""

    integrand: Text
    value: Text


class FunctionalRecord(Part):
    """A functional to be minimised, in formulas of `x`, `u` and `slope`, which are names."""

    integrand: Text
    x: Text
    u: Text
    slope: Text
    low: Text
    high: Text
    constraints: Annotated[list[Row], Field(max_length=20)]
    boundary: Annotated[list[Annotated[list[Text], Field(min_length=2, max_length=2)]], Field(max_length=2)]
    positive: bool
    density: bool


class BetterFunctionForm(OfClaim):
    """A function with less than the claimed one at a point of the parameters; without one, the claimed one keeps not all conditions."""

    predicate: Literal["Minimiser"]
    functional: FunctionalRecord
    at: dict[str, Text]
    better: str


def functional_record(f: StatedFunctional) -> dict[str, Any]:
    """A functional as texts that can be read again."""
    slope = sp.Symbol(f"slope_of_{f.u.name}", real=True)

    def text(e: sp.Expr) -> str:
        return str(sp.sstr(e.xreplace({f.slope: slope})))

    return {
        "integrand": text(f.integrand),
        "x": f.x.name,
        "u": f.u.name,
        "slope": slope.name,
        "low": sp.sstr(f.low),
        "high": sp.sstr(f.high),
        "constraints": [{"integrand": text(c.integrand), "value": sp.sstr(c.value)} for c in f.constraints],
        "boundary": [[sp.sstr(end), sp.sstr(value)] for end, value in f.boundary],
        "positive": f.positive,
        "density": f.density,
    }


@register("better function", BetterFunctionForm)
def better_function(witness: Witness) -> tuple[bool, str]:
    """The better function keeps the conditions as far as balls tell and has certainly less; or the claimed one certainly breaks one."""
    work = _Functional(
        witness["functional"], {n: parse(t, characters=4_000) for n, t in witness["at"].items()}
    )
    claimed = work.read(str(witness["parameters"]["point"]))
    if not witness["better"]:
        broken = work.broken(claimed)
        return bool(broken), f"the claimed function {broken or 'is not seen to break a condition'}"
    better = work.read(witness["better"])
    broken = work.broken(better)
    if broken:
        return False, f"the better function {broken}"
    density = claimed if work.density else None
    values = [work.integral(work.integrand, function, density) for function in (claimed, better)]
    if values[0] is None or values[1] is None:
        return False, "a value of the functional is not enclosed"
    shown = f"the claimed function has {values[0].str(15)}, the better one {values[1].str(15)}, of what is minimised"
    return bool(values[1] < values[0]), shown


class _Functional:
    """The functional of a record at numbers for its parameters."""

    def __init__(self, record: Mapping[str, Any], at: Names) -> None:
        self.x = sp.Symbol(record["x"], real=True)
        self.u, self.slope = (sp.Symbol(record[name], real=True) for name in ("u", "slope"))
        self.names = {**at, record["x"]: self.x, record["u"]: self.u, record["slope"]: self.slope}
        self.density, self.positive = record["density"], record["positive"]
        self.low, self.high = (self._end(record[name]) for name in ("low", "high"))
        self.integrand = self.read(record["integrand"])
        self.rows = [(self.read(row["integrand"]), self.read(row["value"])) for row in record["constraints"]]
        self.boundary = [(self.read(end), self.read(value)) for end, value in record["boundary"]]

    def read(self, text: str) -> sp.Expr:
        return read_entry(text, self.names)

    def _end(self, text: str) -> sp.Expr:
        return {"oo": sp.oo, "-oo": -sp.oo}.get(text) or self.read(text)

    def along(self, e: sp.Expr, function: sp.Expr) -> sp.Expr:
        return e.subs({self.slope: sp.diff(function, self.x), self.u: function}, simultaneous=True)

    def integral(self, e: sp.Expr, function: sp.Expr, density: sp.Expr | None) -> arb | None:
        return integral_ball(sp.simplify(self.along(e, function)), self.x, self.low, self.high, density)

    def broken(self, function: sp.Expr) -> str:
        """A condition that the function certainly breaks, in words; empty if none is seen."""
        for end, value in self.boundary:
            side = "+" if end == self.low else "-"
            if sign(sp.limit(function, self.x, end, side) - value) in (1, -1):
                return f"has another value at {end}"
        if self.positive:
            for k in range(1, _PROBES):
                place = between(self.low, self.high, sp.Rational(k, _PROBES))
                if sign(sp.sympify(function.subs(self.x, place))) == -1:
                    return f"is negative at {place}"
        for integrand, value in self.rows:
            ball = self.integral(integrand, function, None)
            if ball is not None and not ball.overlaps(enclose(value)):
                return f"integrates {integrand} to {ball.str(10)} and not to {value}"
        end = diverges(self.along(self.integrand, function), self.x, self.low, self.high)
        return "" if end is None else f"has an infinite value, from its integrand near {end}"
