"""What is known of the Fisher information of a model: the matrix, why there is none, the conditions, and balls at a point."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import sympy as sp
from flint import arb, arb_mat
from numpy.typing import NDArray

from ..laws.differentiability import Place
from ..laws.form import meaning
from ..laws.joint import JointLaw
from ..laws.law import Law, admitted, by_name, simplified
from ..laws.lawful_at import require_law_at, require_semidefinite
from ..proof.apart import UnfinishedError, apart, net_of
from ..proof.derivation import Derivation, Step
from ..proof.enclosure import NotEnclosableError, enclose, is_zero, sign
from ..proof.exact_matrices import exact_inverse
from ..proof.truth import Truth
from .conditions import Condition
from .processed import Rest, censored, noisy, rounded, truncated

TOLERANCE = 1e-8
Balls = list[list[arb]]
Encloser = Callable[[Mapping[sp.Symbol, sp.Expr], float], Balls]
SCHUR = "the information left of parameters where others are unknown is the Schur complement (Lehmann and Casella 1998, 6.2)"


@dataclass(frozen=True)
class FisherInformationMatrix:
    """The Fisher information matrix of a law about its parameters.

    `value` is exact (k x k, in the parameters), None where no route found a closed form or there is none: `reason` says why.
    `conditions` are those of a regular family, each proved, refuted or open; `regular` is HOLDS where all are proved, as the
    Cramer-Rao bound needs. `routes` are those that gave the value. Without a closed form `enclose` still answers at a point.

    >>> y, theta = sp.Symbol("y"), sp.Symbol("theta", positive=True)
    >>> uniform = npf.fisher_information(npf.Law.from_density(1 / theta, y, (0, theta)), theta)
    >>> uniform.value is None, uniform.regular.name  # the support moves with the parameter
    (True, 'FAILS')
    """

    law: Law | JointLaw
    parameters: tuple[sp.Symbol, ...]
    value: sp.ImmutableMatrix | None
    regular: Truth
    reason: str
    routes: tuple[str, ...]
    derivation: Derivation = field(repr=False)
    conditions: tuple[Condition, ...] = field(default=(), repr=False)
    encloser: Encloser | None = field(default=None, compare=False, repr=False)
    asked: frozenset[sp.Symbol] = field(default=frozenset(), repr=False)
    observations: int = field(default=1, repr=False)
    stopped: bool = field(default=False, repr=False)  # a route was stopped at the limit on processor time
    origin: Mapping[sp.Symbol, sp.Expr] = field(default_factory=dict, repr=False)  # old parameters in the new
    processed: str = field(
        default="", repr=False
    )  # what was done that may not come before another processing

    @property
    def scalar(self) -> sp.Expr:
        """The information about one parameter."""
        if self.value is None or self.value.shape != (1, 1):
            raise ValueError(self.reason if self.value is None else f"{self.value.shape} is not one number")
        return self.value[0, 0]

    def at(self, values: Mapping[Any, Any]) -> NDArray[np.float64]:
        """The matrix in numbers, shape (k, k)."""
        return np.array([[float(b.mid()) for b in row] for row in self.enclose(values)])

    def enclose(self, at: Mapping[Any, Any], tolerance: float = TOLERANCE, *, effort: float = 1.0) -> Balls:
        """Balls that contain the entries at these values of the parameters, none wider than the tolerance; also without a closed form.

        ValueError for a parameter without a value, for an irregular family, and where the tolerance was not reached.
        """
        if isinstance(tolerance, bool) or not isinstance(tolerance, int | float) or not 0 < tolerance < 1e300:
            raise ValueError(f"tolerance must be a number above 0, got {tolerance!r}")
        fixed = self._fixed(at)
        balls = None if self.value is None else self._of_formula(fixed, tolerance)
        if balls is None:
            with net_of(effort):
                balls = self._by_encloser(fixed, tolerance)
        require_semidefinite(balls, fixed)
        return balls

    def _of_formula(self, fixed: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls | None:
        """Balls by the closed form; None where it has no value, such as 0/0 where one thing is divided by another that vanishes with it."""
        assert self.value is not None
        for bits in (160, 640, 2560):
            try:
                balls = [[enclose(e.subs(fixed), bits=bits) for e in row] for row in self.value.tolist()]
            except (NotEnclosableError, ArithmeticError):
                return None
            if all(b.is_finite() and float(b.rad()) <= tolerance for row in balls for b in row):
                return balls
        return None

    def _by_encloser(self, fixed: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
        """Balls by integrals or sums at the point."""
        said = f"at {', '.join(f'{s} = {v}' for s, v in fixed.items())}" if fixed else "here"
        formula = "" if self.value is None else f"the formula of the information has no value {said}, and "
        encloser = self.encloser
        if encloser is None:
            what = self.reason if self.value is None else f"{formula}no other way to it is known"
            raise ValueError(f"nothing to enclose: {what}")
        try:
            balls = apart(lambda: encloser(fixed, tolerance), "the enclosure")
        except UnfinishedError as stuck:
            raise ValueError(f"{formula}unknown: {stuck}") from None
        except (NotEnclosableError, ArithmeticError) as trouble:
            raise ValueError(
                f"{formula}the information could not be enclosed to {tolerance:g}: {trouble}"
            ) from None
        if any(not b.is_finite() or float(b.rad()) > tolerance for row in balls for b in row):
            raise ValueError(f"{formula}the information could not be enclosed to {tolerance:g} {said}")
        return balls

    def _fixed(self, at: Mapping[Any, Any]) -> dict[sp.Symbol, sp.Expr]:
        """Exact values of all that is needed; ValueError for a stranger, one that is missing, one outside of its domain."""
        if not isinstance(at, Mapping):
            raise ValueError(f'values are given as {{"scale": 2}}, got {at!r}')
        needed = set(self.asked) if self.value is None else self.value.free_symbols
        fixed = admitted(_named(at, needed | self.law.free_symbols | set(self.parameters), self.law.notes))
        self._inside(fixed)
        if missing := sorted(str(s) for s in needed - set(fixed)):
            raise ValueError(f"a value is needed for {', '.join(missing)}")
        before = {p: f.subs(fixed) for p, f in self.origin.items() if not f.subs(fixed).free_symbols}
        if before:
            self._inside(admitted(before))
        require_law_at(self.law, {**fixed, **before})
        return fixed

    def _inside(self, fixed: Mapping[sp.Symbol, sp.Expr]) -> None:
        """ValueError for a parameter outside of its domain."""
        for symbol, lower, upper in self.law.domains:
            ends = lower.subs(fixed), upper.subs(fixed)
            if symbol in fixed and any(
                sign(g) in (0, -1) for g in (fixed[symbol] - ends[0], ends[1] - fixed[symbol]) if g.is_finite
            ):
                raise ValueError(
                    f"{symbol} = {fixed[symbol]} lies outside of its domain ({ends[0]}, {ends[1]})"
                )

    def n(self, observations: int) -> FisherInformationMatrix:
        """The information in so many independent observations."""
        if isinstance(observations, bool) or not isinstance(observations, int) or observations < 1:
            raise ValueError(f"observations must be a whole number of at least 1, got {observations!r}")
        value, inner = None if self.value is None else self.value * observations, self.encloser
        before = self.reason.removesuffix(_times(self.observations))
        reason = before + _times(self.observations * observations)

        def encloser(at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
            assert inner is not None
            return [[b * observations for b in row] for row in inner(at, tolerance / observations)]

        return replace(
            self,
            value=value,
            reason=reason,
            encloser=None if inner is None else encloser,
            observations=self.observations * observations,
        )

    def of(
        self, functions: Mapping[sp.Symbol, sp.Expr], parameters: Sequence[sp.Symbol]
    ) -> FisherInformationMatrix:
        """The information about other parameters, of which the old ones are `functions`: J' I J."""
        parameters = [parameters] if isinstance(parameters, sp.Symbol) else list(parameters)
        if wrong := [p for p in parameters if not isinstance(p, sp.Symbol)]:
            raise TypeError(f"parameters are sympy symbols, the new ones, got {wrong[0]!r}")
        known_symbols = [*parameters, *(s for s in self.law.free_symbols if s not in self.parameters)]
        named = {getattr(p, "name", p): sp.sympify(f) for p, f in functions.items()}
        functions = {p: by_name(named[p.name], known_symbols) for p in self.parameters if p.name in named}
        absent = [str(p) for p in self.parameters if p not in functions]
        if absent:
            raise ValueError(f"functions must say what {', '.join(absent)} is in the new parameters")
        if self.value is None and self.encloser is None:
            raise ValueError(f"nothing to transform: {self.reason}")
        moved = sp.Matrix([functions[p] for p in self.parameters])
        jacobian = moved.jacobian(sp.Matrix(list(parameters)))
        value = None
        if self.value is not None:
            inner = self.value.subs(dict(functions), simultaneous=True)
            value = sp.ImmutableMatrix((jacobian.T * inner * jacobian).applyfunc(simplified))
        known = self.encloser

        def encloser(at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
            assert known is not None
            old = {p: functions[p].subs(at) for p in self.parameters}
            slopes = jacobian.subs(at)
            size = max(1.0, float(max(abs(s) for s in slopes)))
            balls = known({**at, **old}, tolerance / (4 * size**2 * len(slopes)))
            return _sandwiched(balls, slopes)

        doubt = self._doubt_of(functions, parameters)
        return replace(
            self,
            parameters=tuple(parameters),
            value=value,
            reason=f"{self.reason}; chain rule{doubt and f'; {doubt}'}",
            regular=Truth.UNKNOWN if doubt and self.regular is Truth.HOLDS else self.regular,
            origin={
                **{p: f.subs(dict(functions)) for p, f in self.origin.items()},
                **{p: functions[p] for p in self.parameters},
            },
            processed=self.processed or "a change of parameters",
            derivation=replace(self.derivation, conclusion=f"{self.derivation.conclusion}; chain rule"),
            encloser=None if known is None else encloser,
            asked=(self.asked - set(self.parameters)).union(
                *(sp.sympify(f).free_symbols for f in moved), parameters
            ),
        )

    def _doubt_of(self, functions: Mapping[sp.Symbol, sp.Expr], parameters: Sequence[sp.Symbol]) -> str:
        """Why a change of parameters is not proved to be smooth and to stay where the law is one; "" where it is."""
        domains = {s: (lower, upper) for s, lower, upper in self.law.domains}
        for p in self.parameters:
            f = sp.sympify(functions[p])
            try:
                place = Place.of([q for q in parameters if f.has(q)], {})
                place.form(f)
            except ValueError as doubt:
                return str(doubt)
            wanted = {
                k
                for k, v in p.assumptions0.items()
                if v and k in ("real", "positive", "negative", "nonnegative")
            }
            ends = [
                g for e, s in zip(domains.get(p, ()), (1, -1), strict=False) if (g := s * (f - e)).is_finite
            ]
            if any(getattr(f, f"is_{k}") is not True for k in wanted) or any(
                sp.factor(g).is_positive is not True for g in ends
            ):
                return f"that {p} = {f} stays where {p} may be is not proved"
        return ""

    def without(self, *nuisance: Any) -> FisherInformationMatrix:
        """What is left about the other parameters where these are unknown: the Schur complement I_aa - I_ab I_bb^-1 I_ba."""
        known = {p.name: p for p in self.parameters}
        names = [getattr(p, "name", p) for p in nuisance]
        if strange := [str(n) for n in names if n not in known]:
            raise ValueError(f"{', '.join(strange)}: no parameter; expected some of {', '.join(known)}")
        left = [i for i, p in enumerate(self.parameters) if p.name not in names]
        gone = [i for i, p in enumerate(self.parameters) if p.name in names]
        if not left or not gone:
            raise ValueError(f"name one or several of {', '.join(known)}, and not all of them, got {names}")
        value, steps = None, list(self.derivation.steps)
        if self.value is not None:
            whole = sp.Matrix(self.value)
            block = whole.extract(gone, gone)
            if is_zero(block.det()) is not Truth.FAILS:
                raise ValueError(
                    f"the information about {', '.join(names)} may be singular: nothing is known to be left"
                )
            inverse = exact_inverse(block)
            cross = whole.extract(left, gone)
            value = sp.ImmutableMatrix(
                (whole.extract(left, left) - cross * inverse * cross.T).applyfunc(simplified)
            )
            both = (block * inverse - sp.eye(len(gone))).applyfunc(sp.simplify)
            total = sp.Add(*(e**2 for e in both))
            steps.append(
                Step(total, "=", sp.Integer(0), "the block of the unknown parameters times its inverse")
            )
        inner = self.encloser

        def encloser(at: Mapping[sp.Symbol, sp.Expr], tolerance: float) -> Balls:
            assert inner is not None
            balls = inner(at, tolerance / 1e4)

            def part(rows: Sequence[int], columns: Sequence[int]) -> arb_mat:
                return arb_mat([[balls[i][j] for j in columns] for i in rows])

            try:
                rest = part(left, left) - part(left, gone) * part(gone, gone).inv() * part(gone, left)
            except ZeroDivisionError:
                raise NotEnclosableError("the block of the unknown parameters may be singular") from None
            return [[rest[i, j] for j in range(len(left))] for i in range(len(left))]

        derivation = Derivation(
            f"{self.derivation.conclusion}; others unknown", tuple(steps), (*self.derivation.lemmas, SCHUR)
        )
        return replace(
            self,
            parameters=tuple(self.parameters[i] for i in left),
            value=value,
            reason=f"{self.reason}; {', '.join(names)} unknown",
            processed=self.processed or "leaving parameters unknown",
            derivation=derivation,
            encloser=None if inner is None else encloser,
        )

    def censored(self, lower: Any = None, upper: Any = None) -> FisherInformationMatrix:
        """What is left where of outcomes below `lower` and above `upper` only that is seen."""
        return self._after(censored(self._one_law("censoring"), self.parameters, lower, upper))

    def truncated(self, lower: Any = None, upper: Any = None) -> FisherInformationMatrix:
        """What an outcome tells that is drawn again until it lies between `lower` and `upper`."""
        return self._after(truncated(self._one_law("truncation"), self.parameters, lower, upper))

    def rounded(self, step: Any = 1, offset: Any = 0) -> FisherInformationMatrix:
        """What is left where an outcome is given as the nearest of the numbers offset + k step."""
        return self._after(rounded(self._one_law("rounding"), self.parameters, step, offset))

    def noisy(self, noise: Law) -> FisherInformationMatrix:
        """What is left where independent noise is added to the outcome."""
        return self._after(noisy(self._one_law("noise"), self.parameters, noise))

    def _one_law(self, what: str) -> Law:
        if self.processed:
            raise ValueError(
                f"{what} after {self.processed} is not known: ask {what} of the information of the law itself, first of all"
            )
        if not isinstance(self.law, Law) or isinstance(self.law, JointLaw):
            raise ValueError(f"{what} is known of numbers only, and {self.law.name} is a law of vectors")
        if self.law.discrete:
            raise ValueError(f"{what} is known of laws with densities only, and {self.law.name} is discrete")
        if set(self.parameters) - self.law.free_symbols:
            raise ValueError(f"{what} comes before a change of parameters: ask the law itself first")
        return self.law

    def _after(self, rest: Rest) -> FisherInformationMatrix:
        """The answer for an outcome that was processed, from what is known of the whole one."""
        what = Condition(rest.what, Truth.HOLDS, rest.lemma)
        reason = f"{rest.what} of {self.law.name}"
        before = self.reason.removesuffix(_times(self.observations))
        if self.regular is Truth.FAILS:
            return replace(
                self,
                value=None,
                regular=Truth.UNKNOWN,
                reason=f"{reason}: before it {before}, and what is left is not derived",
                routes=(),
                encloser=None,
                conditions=(),
                derivation=Derivation(reason, ()),
            )
        lemmas = tuple(dict.fromkeys((*self.derivation.lemmas, rest.lemma)))
        found = replace(
            self,
            value=rest.value,
            reason=f"{reason}: {before}"
            if rest.value is not None
            else f"{reason}: no closed form was found, enclose answers",
            routes=(rest.what,) if rest.value is not None else (),
            encloser=rest.encloser,
            conditions=(*self.conditions, what),
            derivation=Derivation(
                f"the Fisher information that is left after {rest.what}", rest.steps, lemmas
            ),
            observations=1,
            processed=rest.what,
        )
        return found.n(self.observations) if self.observations > 1 else found

    def _repr_latex_(self) -> str:
        if self.value is None:
            return self.reason
        entry = sp.latex(self.value[0, 0]) if self.value.shape == (1, 1) else sp.latex(self.value)
        return f"${entry}$"


def _times(observations: int) -> str:
    return f"; {observations:,} independent observations" if observations > 1 else ""


def _sandwiched(balls: Balls, slopes: sp.Matrix) -> Balls:
    outer = arb_mat([[enclose(e) for e in row] for row in slopes.tolist()])
    whole = outer.transpose() * arb_mat(balls) * outer
    k = slopes.shape[1]
    return [[whole[i, j] for j in range(k)] for i in range(k)]


def _named(at: Mapping[Any, Any], symbols: set[sp.Symbol], notes: Sequence[str]) -> dict[sp.Symbol, Any]:
    """The values by symbol, of symbols or their names; ValueError for a name that is none of them."""
    known = {s.name: s for s in symbols}
    names = {getattr(s, "name", s): v for s, v in at.items()}
    if strange := sorted(str(n) for n in names if n not in known):
        expected = ", ".join(sorted(known)) + meaning(strange, notes)
        raise ValueError(f"{', '.join(strange)}: no parameter; expected {expected}")
    return {known[name]: value for name, value in names.items()}
