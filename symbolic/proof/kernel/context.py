"""What is known in one step: variables with their signs, hypotheses, and the sign of a quotient that follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from .atoms import (
    NEGATIVE,
    NONNEGATIVE,
    NONPOSITIVE,
    NONZERO,
    POSITIVE,
    ZERO,
    Atom,
    Atoms,
    Sign,
    opposite,
    product_sign,
    sum_sign,
)
from .bounds import known_bounds
from .dependence import quotient_depends, variables
from .enclosures import is_constant, keeps_sign, sign_over
from .language import Rejected, Statement, Term
from .polynomials import Polynomial, add, multiply
from .quotients import Quotient, lowest, plus, scaled

WORDS: dict[str, Sign] = {
    "real": None,
    "positive": POSITIVE,
    "nonnegative": NONNEGATIVE,
    "negative": NEGATIVE,
    "nonpositive": NONPOSITIVE,
    "nonzero": NONZERO,
}
SYMMETRIC = frozenset({"symmetric", "positive definite"})
LETTERS = SYMMETRIC | {"general", "column"}
_DEPTH = 2
_MOST_BOXES = 64
_MOST_SQUARED = 3
_WEAK = {POSITIVE: NONNEGATIVE, NEGATIVE: NONPOSITIVE}


@dataclass(frozen=True)
class Declared:
    """A real variable: its sign, and whether it is a whole number; `since` tells another variable of the name from the one before."""

    sign: Sign = None
    whole: bool = False
    since: int = 0


@dataclass(frozen=True)
class Sequent:
    """What a step says: for all values of the variables for which all of `given` hold, `said` is defined and holds."""

    variables: dict[str, Declared]
    given: tuple[Statement, ...]
    said: Statement


@dataclass(frozen=True)
class Context:
    """The variables of a step, and what its hypotheses say: each of `facts` has the sign beside it.

    `rules` and `traces` are hypotheses on matrices; `values` are those of integrals and sums that were found from antiderivatives;
    `earlier` are the steps before, by their numbers, that are accepted or cited.
    """

    variables: dict[str, Declared]
    facts: tuple[tuple[Quotient, Sign], ...] = ()
    letters: dict[str, str] = field(default_factory=dict)
    rules: dict[tuple[str, ...], Quotient] = field(default_factory=dict)
    traces: dict[int, Quotient] = field(default_factory=dict)
    values: dict[Term, Quotient] = field(default_factory=dict)
    earlier: Mapping[int, Sequent] = field(default_factory=dict)
    atoms: Atoms = field(default_factory=Atoms)
    depth: int = 0

    def variable(self, name: str) -> Quotient:
        """A variable; Rejected if it was not declared."""
        return self.atoms.one(self.variable_number(name))

    def variable_number(self, name: str) -> int:
        """The number of its atom."""
        if name not in self.variables:
            raise Rejected(f"the variable {name} is not declared")
        declared = self.variables[name]
        # Another declaration of the same name is another atom: bound variables have names of their own.
        return self.atoms.number("var", (name, declared), Atom("var", name, declared.sign))

    def constant(self, name: str) -> int:
        """The number of the atom of pi or of Euler's constant."""
        return self.atoms.number("const", name, Atom("const", name, POSITIVE))

    def bound(
        self, kind: str, low: Any, high: Any, closed: tuple[bool, bool] = (False, False)
    ) -> tuple[Context, str]:
        """The context inside a sum ("sum") or an integral ("int") with these ends (quotients, or 1 and -1 for oo and -oo), and its variable.

        `closed` says which ends of an integral belong to the range.
        """
        ends = [e if isinstance(e, int) else e.key for e in (low, high)]
        name = f"#{self.depth} {kind} {closed} {self.atoms.number('range', (self.depth, kind, *ends), Atom('range', None))}"
        strict = [kind == "int" and not belongs for belongs in closed]
        if (
            kind == "sum"
            and isinstance(high, Quotient)
            and not self.is_positive(plus(plus(high, low, -1), Quotient({(): Fraction(1)})))
        ):
            # A sum without terms: "at most the upper end" would contradict "at least the lower one".
            high = 1
        facts, sign = list(self.facts), None
        signs = [None if isinstance(e, int) else self.sign(e) for e in (low, high)]
        if signs[0] in (POSITIVE, NONNEGATIVE, ZERO):
            sign = POSITIVE if strict[0] or signs[0] == POSITIVE else NONNEGATIVE
        elif signs[1] in (NEGATIVE, NONPOSITIVE, ZERO):
            sign = NEGATIVE if strict[1] or signs[1] == NEGATIVE else NONPOSITIVE
        inner = replace(
            self, variables={**self.variables, name: Declared(sign, kind == "sum")}, depth=self.depth + 1
        )
        x = inner.variable(name)
        for end, factor, open_ in ((low, 1, strict[0]), (high, -1, strict[1])):
            if not isinstance(end, int):
                gap = plus(x, end, -1)
                facts.append((scaled(gap, factor), POSITIVE if open_ else NONNEGATIVE))
        return replace(inner, facts=tuple(facts)), name

    # --- signs ------------------------------------------------------------------------------------------------------

    def sign(self, q: Quotient, depth: int = _DEPTH) -> Sign:
        """The sign of q for all admissible values, where q is defined; None where it is not known."""
        if not q.numerator:
            return ZERO
        below = self._denominator(q, depth)
        if below is None:
            return None
        above = self.atoms.polynomial_sign(q.numerator)
        if above is None:
            above = self._shifted(q.numerator)
        if above is None and is_constant(q, self.atoms):
            above = sign_over(Quotient(q.numerator), self.atoms, {})
        if above is None and depth:
            above = self._by_facts(Quotient(q.numerator), depth)
        if above in (NONNEGATIVE, NONPOSITIVE) and depth and self.facts:
            # A sum of squares is not 0 where a hypothesis says so: both are true, the strict one says more.
            strict = self._by_facts(Quotient(q.numerator), 1)
            above = strict if strict in (POSITIVE, NEGATIVE) else above
        found = product_sign(above, below)
        if found is None and depth and q.denominator:
            found = self._by_facts(q, depth)
        if found is None and depth == _DEPTH and self.facts:
            found = self._over_the_box(q) or self._by_its_square(q)
        return found

    def _by_its_square(self, q: Quotient) -> Sign:
        """What has a square above 0 is not 0."""
        small = len(q.numerator) <= _MOST_SQUARED
        square = self.sign(lowest(Quotient(multiply(q.numerator, q.numerator))), 1) if small else None
        return NONZERO if square == POSITIVE else None

    def _denominator(self, q: Quotient, depth: int) -> Sign:
        found: Sign = POSITIVE
        for factor, power in q.denominator.items():
            # Where q is defined no factor is 0.
            one = POSITIVE if power % 2 == 0 else self._strict(self.sign(Quotient(dict(factor)), depth))
            found = product_sign(found, one)
        return found

    @staticmethod
    def _strict(sign: Sign) -> Sign:
        return {NONNEGATIVE: POSITIVE, NONPOSITIVE: NEGATIVE}.get(sign, sign) if sign else sign

    def _shifted(self, a: Polynomial) -> Sign:
        """Whole positive numbers are 1 more than others that are not negative."""
        found = a
        for number in {n for m in a for n, _ in m}:
            declared = self._declared(number)
            if declared and declared.whole and declared.sign == POSITIVE:
                found = self._moved(found, number, self.atoms.known[number].data)
        return self.atoms.polynomial_sign(found) if found is not a else None

    def _moved(self, a: Polynomial, number: int, name: str) -> Polynomial:
        powers = [e for m in a for n, e in m if n == number]
        if any(not isinstance(e, int) or not 0 < e <= 12 for e in powers):
            return a
        new = self.atoms.number("from one", name, Atom("from one", name, NONNEGATIVE))
        one_more: Polynomial = {(): Fraction(1), ((new, 1),): Fraction(1)}
        found: Polynomial = {}
        for m, c in a.items():
            term: Polynomial = {tuple(p for p in m if p[0] != number): c}
            for _ in range(next((int(e) for n, e in m if n == number), 0)):
                term = multiply(term, one_more)
            found = add(found, term)
        return found

    def _by_facts(self, q: Quotient, depth: int) -> Sign:
        """q less a positive multiple of what a hypothesis says to be positive (or not negative) has a sign."""
        for side in (1, -1):
            wanted = scaled(q, side)
            for fact, sign in (*self.facts, *known_bounds(q, self.atoms, lambda p: self.sign(p, 0))):
                for known, says in ((fact, sign), (scaled(fact, -1), opposite(sign))):
                    if says not in (POSITIVE, NONNEGATIVE, ZERO):
                        continue
                    found = self._beyond(wanted, known, says, depth)
                    if found is not None:
                        return found if side == 1 else opposite(found)
        return None

    def _beyond(self, wanted: Quotient, known: Quotient, says: Sign, depth: int) -> Sign:
        for c in _multiples(wanted.numerator, known.numerator):
            rest = self.sign(lowest(plus(wanted, known, -c)), depth - 1)
            if rest in (POSITIVE, NONNEGATIVE, ZERO):
                return sum_sign([says, rest])
        return None

    def _over_the_box(self, q: Quotient) -> Sign:
        """A strict sign by enclosures, where hypotheses bound every variable from both sides by numbers."""
        box = {n: self.interval(n) for n in variables(q, self.atoms)} if self.facts else {}
        known = {n: (a, b) for n, (a, b) in box.items() if a is not None and b is not None and a < b}
        if not known or len(known) < len(box):
            return None
        try:
            return keeps_sign(q, self.atoms, known, most=_MOST_BOXES)
        except Rejected:
            return None

    def interval(self, number: int) -> tuple[Fraction | None, Fraction | None]:
        """The ends between which hypotheses and its declared sign keep a variable; None where there is none."""
        sign = self.atoms.known[number].sign
        lows = [Fraction(0)] if sign in (POSITIVE, NONNEGATIVE) else []
        highs = [Fraction(0)] if sign in (NEGATIVE, NONPOSITIVE) else []
        for q, says in self.facts:
            c = q.numerator.get(((number, 1),))
            if c is None or q.denominator or not q.numerator.keys() <= {(), ((number, 1),)}:
                continue
            end = -q.numerator.get((), Fraction(0)) / c
            # c (x - end) has the sign.
            for at_least, which in ((POSITIVE, lows), (NEGATIVE, highs)):
                if product_sign(POSITIVE if c > 0 else NEGATIVE, says) in (at_least, _WEAK[at_least], ZERO):
                    which.append(end)
        return max(lows, default=None), min(highs, default=None)

    def is_whole(self, q: Quotient) -> bool:
        """Whether q is a polynomial with whole coefficients in variables that are whole numbers."""
        return not q.denominator and all(
            c.denominator == 1 and all(self._is_whole_power(n, e) for n, e in m)
            for m, c in q.numerator.items()
        )

    def _is_whole_power(self, number: int, e: Any) -> bool:
        declared = self._declared(number)
        return declared is not None and declared.whole and isinstance(e, int) and e > 0

    def _declared(self, number: int) -> Declared | None:
        """What is declared of a variable; None for other atoms, and for a variable whose name is another's now."""
        atom = self.atoms.known[number]
        known = atom.kind == "var" and atom.data in self.variables
        return self.variables[atom.data] if known and self.variable_number(atom.data) == number else None

    def is_positive(self, q: Quotient) -> bool:
        return self.sign(q) == POSITIVE

    def is_nonnegative(self, q: Quotient) -> bool:
        return self.sign(q) in (POSITIVE, NONNEGATIVE, ZERO)

    def is_nonzero(self, q: Quotient) -> bool:
        return self.sign(q) in (POSITIVE, NEGATIVE, NONZERO)


def _multiples(wanted: Polynomial, known: Polynomial) -> list[Fraction]:
    """Positive factors with which a term of the one is that of the other."""
    found = {wanted[m] / c for m, c in known.items() if m in wanted}
    return sorted(c for c in found if c > 0)[:6]


def anew(context: Context, name: str, declared: Declared) -> Context:
    """The context for another variable of this name: nothing is known of it, and what depends on the one before keeps depending on that.

    Of the hypotheses those survive that do not have the variable; rules and traces stay what they are, with their values for the one
    before, and values of integrals and sums, which are found by their names, are gone.
    """
    index = context.variable_number(name)
    # As many atoms as there are now there never were before.
    declared = replace(declared, since=len(context.atoms.known))
    return replace(
        context,
        variables={**context.variables, name: declared},
        facts=tuple(f for f in context.facts if not quotient_depends(f[0], index, context.atoms)),
        values={},
    )
