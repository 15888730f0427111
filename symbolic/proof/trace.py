"""Identities between traces of matrix products hold for all dimensions once their words agree up to rotation.

A word is a product of noncommuting letters: general matrices, symmetric matrices (fractional powers allowed,
read as powers of a positive definite matrix) and column vectors.  The trace of a word does not change under
cyclic rotation and transposition, and a word with vectors in it falls apart into scalars.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import sympy as sp

from .derivation import MatrixFacts, Step
from .enclosure import is_zero
from .truth import Truth

Word = tuple[tuple["Letter", sp.Rational], ...]
Sum = list[tuple[sp.Expr, Word]]
Rules = Mapping[tuple["Letter", ...], sp.Expr]

_MARK = "_transpose"


class Letter(sp.Symbol):  # type: ignore[misc]
    """A real matrix; its transpose is a letter of its own, marked by the suffix _transpose."""

    def __new__(cls, name: str) -> Letter:
        letter: Letter = super().__new__(cls, name, commutative=False)
        return letter

    @property
    def T(self) -> Letter:  # noqa: N802
        """The transpose."""
        name = self.name.removesuffix(_MARK) if self.name.endswith(_MARK) else self.name + _MARK
        return type(self)(name)


class Symmetric(Letter):
    """A symmetric matrix, positive definite where it carries a negative or fractional power."""

    @property
    def T(self) -> Letter:  # noqa: N802
        return self


class Column(Letter):
    """A column vector; its transpose is a row."""

    @property
    def is_row(self) -> bool:
        return bool(self.name.endswith(_MARK))


class Trace(sp.Function):  # type: ignore[misc]
    """The trace of a sum of words, kept as written until `normal` is asked for."""

    nargs = 1
    is_commutative = True
    is_real = True


def transpose(expression: sp.Expr) -> sp.Expr:
    """The transpose: words reversed, letters transposed, scalars untouched."""
    return sp.Add(*(c * _product((letter.T, e) for letter, e in reversed(w)) for c, w in _words(expression)))


def gram(expression: sp.Expr) -> sp.Expr:
    """Trace(M' M), the squared Frobenius norm of `expression`: never negative."""
    return Trace(transpose(expression) * expression)


def normal(
    expression: sp.Expr, rules: Rules | None = None, values: Mapping[sp.Expr, sp.Expr] | None = None
) -> sp.Expr:
    """The polynomial in canonical traces that a scalar expression stands for.

    `rules` rewrites neighbouring letters, for example {(W.T, W): 1}; `values` names traces by scalars.
    """
    atoms = sp.sympify(expression, strict=True).atoms(Trace)
    result = sp.expand(expression.xreplace({t: _normal_trace(t.args[0], rules or {}) for t in atoms}))
    if values:
        named = {normal(t, rules): v for t, v in values.items()}
        result = sp.expand(result.xreplace(named))
    return result


def identity(
    left: sp.Expr,
    right: sp.Expr,
    reason: str,
    rules: Rules | None = None,
    values: Mapping[sp.Expr, sp.Expr] | None = None,
    instance: Mapping[Letter, sp.Matrix] | None = None,
) -> Step:
    """A derivation step that says left = right for matrices of every dimension.

    `instance` gives matrices that obey the rules, at which a wrong identity shows; without it every letter is
    a number there, which only letters that occur in no rule allow.
    """

    def decide(a: sp.Expr, b: sp.Expr) -> Truth:
        difference = normal(sp.sympify(a) - sp.sympify(b), rules, values)
        if difference == 0:
            return Truth.HOLDS
        if rules and instance is None:
            return Truth.UNKNOWN
        return Truth.FAILS if is_zero(_instance(difference, instance or {})) is Truth.FAILS else Truth.UNKNOWN

    return Step(
        left, "=", right, reason, how=decide, matrices=MatrixFacts(rules or {}, values or {}, instance)
    )


def cauchy_schwarz(square: sp.Expr, reason: str) -> Step:
    """|d|^2 - <e, d>^2/|e|^2 is a square, for all columns d and e with |e|^2 = `square`."""
    d, e = Column("d"), Column("e")
    return identity(
        gram(d - e * e.T * d / square),
        Trace(d.T * d) - Trace(e.T * d) ** 2 / square,
        reason,
        values={Trace(e.T * e): square},
    )


def contraction(reason: str) -> Step:
    """|x|^2 - |W'x|^2 is a square, for all W with W'W = I."""
    w, x = Letter("W"), Column("x")
    return identity(
        Trace(x.T * x) - gram(w.T * x),
        gram(x - w * w.T * x),
        reason,
        rules={(w.T, w): sp.Integer(1)},
        instance={w: sp.Matrix([3, 4]) / 5, x: sp.Matrix([1, 2])},
    )


def _product(factors: Iterable[tuple[Letter, sp.Rational]]) -> sp.Expr:
    return sp.Mul(*(letter**exponent for letter, exponent in factors))


def _words(expression: sp.Expr) -> Sum:
    """The expression as a sum of scalar times word."""
    if isinstance(expression, Letter):
        return [(sp.Integer(1), ((expression, sp.Integer(1)),))]
    if expression.is_commutative:
        return [(expression, ())]
    if isinstance(expression, sp.Add):
        return [term for part in expression.args for term in _words(part)]
    if isinstance(expression, sp.Mul):
        total: Sum = [(sp.Integer(1), ())]
        for part in expression.args:
            total = [(c * d, v + w) for c, v in total for d, w in _words(part)]
        return total
    if isinstance(expression, sp.Pow) and expression.exp.is_Rational:
        return _power(expression.base, expression.exp)
    raise ValueError(f"expected sums and products of letters with rational powers, got {expression}")


def _power(base: sp.Expr, exponent: sp.Rational) -> Sum:
    if isinstance(base, Letter):
        if not exponent.is_Integer and not isinstance(base, Symmetric):
            raise ValueError(f"a fractional power needs a symmetric letter: declare {base} as Symmetric")
        return [(sp.Integer(1), ((base, exponent),))]
    if exponent.is_Integer and exponent > 0:
        return _words(sp.Mul(*([sp.expand(base)] * int(exponent)), evaluate=False))
    raise ValueError(f"expected a positive integer power of a sum or product, got {base}**{exponent}")


def _merge(word: Word) -> Word:
    """Neighbouring powers of one letter joined, zero powers dropped."""
    merged: list[tuple[Letter, sp.Rational]] = []
    for letter, exponent in word:
        if merged and merged[-1][0] == letter and not isinstance(letter, Column):
            exponent += merged.pop()[1]
        if exponent != 0:
            merged.append((letter, exponent))
    return tuple(merged)


def _rotations(word: Word) -> list[Word]:
    return [word[i:] + word[:i] for i in range(max(1, len(word)))]


def _normal_trace(argument: sp.Expr, rules: Rules) -> sp.Expr:
    return sp.Add(*(c * _cyclic(w, rules) for c, w in _words(argument)))


def _cyclic(word: Word, rules: Rules) -> sp.Expr:
    """The trace of one word, written canonically."""
    word = _settle(word)
    for rotated in _rotations(word):
        for pattern, value in rules.items():
            head = rotated[: len(pattern)]
            if len(head) == len(pattern) and head == tuple((letter, sp.Integer(1)) for letter in pattern):
                rest = rotated[len(pattern) :]
                return sp.Add(*(c * _cyclic(w + rest, rules) for c, w in _words(sp.sympify(value))))
    rows = [i for i, (letter, _) in enumerate(word) if isinstance(letter, Column) and letter.is_row]
    if not rows:
        return Trace(_product(min(_rotations(word) + _rotations(_flip(word)), key=_key)))
    word = word[rows[0] :] + word[: rows[0]]
    starts = [i for i, (letter, _) in enumerate(word) if isinstance(letter, Column) and letter.is_row]
    scalars = []
    for start, end in zip(starts, [*starts[1:], len(word)], strict=True):
        segment = word[start:end]
        scalars.append(Trace(_product(min(segment, _flip(segment), key=_key))))
    return sp.Mul(*scalars)


def _settle(word: Word) -> Word:
    """Merged inside and across the ends, as the cyclic word allows."""
    word = _merge(word)
    while len(word) > 1 and word[0][0] == word[-1][0] and not isinstance(word[0][0], Column):
        word = _merge(word[-1:] + word[:-1])
    return word


def _flip(word: Word) -> Word:
    return tuple((letter.T, exponent) for letter, exponent in reversed(word))


def _key(word: Iterable[tuple[Letter, sp.Rational]]) -> list[tuple[str, str]]:
    return [(letter.name, str(exponent)) for letter, exponent in word]


def _instance(expression: sp.Expr, given: Mapping[Letter, sp.Matrix]) -> sp.Expr:
    """The expression at the matrices given; every other letter is 1 x 1, a square of its own."""
    names = sorted({_bare(letter) for letter in expression.atoms(Letter)} - {_bare(x) for x in given})
    matrices = {name: sp.Matrix([[(i + 2) ** 2]]) for i, name in enumerate(names)}
    matrices |= {_bare(letter): matrix for letter, matrix in given.items()}
    return sp.expand(expression.replace(Trace, lambda words: _trace_at(words, matrices)))


def _bare(letter: Letter) -> str:
    return str(letter.name.removesuffix(_MARK))


def _trace_at(words: sp.Expr, matrices: Mapping[str, sp.Matrix]) -> sp.Expr:
    total = sp.Integer(0)
    for coefficient, word in _words(words):
        product = None
        for letter, exponent in word:
            factor = matrices[_bare(letter)]
            factor = factor.T if letter.name.endswith(_MARK) else factor
            factor = factor if exponent == 1 else sp.Matrix([[factor[0, 0] ** exponent]])
            product = factor if product is None else product * factor
        total += coefficient * (1 if product is None else product.trace())
    return total
