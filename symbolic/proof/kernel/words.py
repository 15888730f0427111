"""Traces of products of matrices of every size: words of letters, the same up to rotation and transposition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

from .atoms import NONNEGATIVE, Atom, Sign
from .context import SYMMETRIC, Context
from .language import Rejected, Term
from .polynomials import Exponent, plain
from .quotients import Quotient, number, plus, product

Letter = tuple[str, bool, Exponent]  # name, transposed, exponent (1 but for symmetric letters)
Word = tuple[Letter, ...]
Words = dict[Word, Quotient]
Form = Callable[[Term, Context], Quotient]
_MOST_WORDS = 4_000


def trace(term: Term, context: Context, form: Form) -> Quotient:
    """The trace of a sum of words, as a polynomial in traces of single words; those that `context.traces` names have its values.

    Where the trace of an identity stands alone, all matrices are symmetric and of its size.
    """
    found = number(0)
    for word, coefficient in _words(term, context, form).items():
        if word or coefficient.numerator:
            found = plus(found, product(coefficient, _of_word(word, context)))
    return found


def _words(term: Term, context: Context, form: Form) -> Words:
    """The term as a sum of words with coefficients; a scalar counts as a multiple of the identity."""
    op = term[0]
    if op in ("mat", "mat'"):
        return {(_letter(term[1], op == "mat'", 1, context),): number(1)}
    if not has_letters(term):
        return {(): form(term, context)}
    if op == "+":
        return _sum(_words(a, context, form) for a in term[1:])
    if op == "-":
        sides = [_words(a, context, form) for a in term[1:]]
        last = {w: product(c, number(-1)) for w, c in sides[-1].items()}
        return _sum([*sides[:-1], last])
    if op == "*":
        found: Words = {(): number(1)}
        for a in term[1:]:
            found = _product(found, _words(a, context, form), context)
        return found
    if op == "/" and not has_letters(term[2]):
        below = form(("/", ("num", 1), term[2]), context)
        return {w: product(c, below) for w, c in _words(term[1], context, form).items()}
    if op in ("^", "sqrt"):
        return _power(term, context, form)
    raise Rejected(f"{op} of a matrix")


def has_letters(term: Any) -> bool:
    """Whether a matrix occurs outside of a trace."""
    return (
        isinstance(term, tuple)
        and bool(term)
        and (term[0] in ("mat", "mat'") or (term[0] != "tr" and any(map(has_letters, term[1:]))))
    )


def has_traces(term: Any) -> bool:
    """Whether a trace occurs."""
    return isinstance(term, tuple) and bool(term) and (term[0] == "tr" or any(map(has_traces, term[1:])))


def _letter(name: str, transposed: bool, exponent: Exponent, context: Context) -> Letter:
    kind = context.letters.get(name)
    if kind is None:
        raise Rejected(f"the matrix {name} is not declared")
    return (name, transposed and kind not in SYMMETRIC, exponent)


def _power(term: Term, context: Context, form: Form) -> Words:
    e = Fraction(1, 2) if term[0] == "sqrt" else form(term[2], context).number
    if e is None:
        raise Rejected("an exponent of a matrix that is no number")
    base = _words(term[1], context, form)
    if len(base) == 1 and len(next(iter(base))) == 1:
        (((letter, transposed, was),), coefficient), *_ = base.items()
        kind = context.letters.get(letter)
        if kind in SYMMETRIC and coefficient.number == 1:
            if kind == "symmetric" and (e.denominator != 1 or e <= 0):
                raise Rejected(
                    "a power, not whole and positive, of a matrix that is not declared positive definite"
                )
            return {(_letter(letter, transposed, plain(was * e), context),) if e else (): number(1)}
    if e.denominator != 1 or not 0 < e <= 8:
        raise Rejected("a power of a sum of matrices")
    found: Words = {(): number(1)}
    for _ in range(int(e)):
        found = _product(found, base, context)
    return found


def _sum(several: Any) -> Words:
    found: Words = {}
    for words in several:
        for word, c in words.items():
            found[word] = plus(found[word], c) if word in found else c
    return found


def _product(one: Words, two: Words, context: Context) -> Words:
    if len(one) * len(two) > _MOST_WORDS:
        raise Rejected("a product of too many words")
    return _sum([{_joined(v, w, context): product(c, d)} for v, c in one.items() for w, d in two.items()])


def _joined(one: Word, two: Word, context: Context) -> Word:
    """One word after the other; neighbouring powers of a symmetric letter become one."""
    if one and two and one[-1][:2] == two[0][:2] and context.letters[one[-1][0]] in SYMMETRIC:
        e = plain(one[-1][2] + two[0][2])
        return _joined(one[:-1], ((*one[-1][:2], e), *two[1:]) if e else two[1:], context)
    return one + two


def _of_word(word: Word, context: Context) -> Quotient:
    """The trace of a word, after the rules, a product of traces where columns cut it."""
    coefficient = number(1)
    changed = True
    while changed:
        word, factor, changed = _rewritten(word, context)
        coefficient = product(coefficient, factor)
    if not coefficient.numerator:
        return coefficient
    if not word and not set(context.letters.values()) <= SYMMETRIC:
        raise Rejected("the trace of an identity whose size is not said: not all matrices are symmetric")
    found = coefficient
    for piece in _pieces(word, context):
        found = product(found, _atom(piece, context))
    return found


def _rewritten(word: Word, context: Context) -> tuple[Word, Quotient, bool]:
    """By the first rule for neighbours on the circle, whose ends have met."""
    word = _closed(word, context)
    plain_names = tuple(n + ("'" if t else "") if e == 1 else "" for n, t, e in word)
    for i in range(len(word)):
        turned = plain_names[i:] + plain_names[:i]
        for rule, value in context.rules.items():
            # The trace of the identity is its size, which the word does not say: a whole word is left as it is.
            if len(rule) < len(word) and turned[: len(rule)] == rule:
                return _joined((word[i:] + word[:i])[len(rule) :], (), context), value, True
            if len(rule) == len(word) and turned == rule and not value.numerator:
                return (), value, True
    return word, number(1), False


def _pieces(word: Word, context: Context) -> Iterator[Word]:
    """From each row to the next column: numbers, whose product the trace is."""
    kinds = ["row" if t else "column" if context.letters.get(n) == "column" else "" for n, t, _ in word]
    kinds = [
        k if context.letters.get(n) == "column" else "" for k, (n, _, _) in zip(kinds, word, strict=True)
    ]
    if not any(kinds):
        yield word
        return
    starts = [i for i, k in enumerate(kinds) if k == "row"]
    if len(starts) != kinds.count("column") or any(kinds[(i - 1) % len(word)] != "column" for i in starts):
        raise Rejected("columns and rows do not alternate")
    for i, start in enumerate(starts):
        end = starts[(i + 1) % len(starts)]
        turned = word[start:] + word[:start]
        yield turned[: (end - start) % len(word) or len(word)]


def _atom(word: Word, context: Context) -> Quotient:
    """The trace of a word with nothing left to do: the first of its rotations and those of its transpose."""
    turned = _transposed(word, context)
    several = [w[i:] + w[:i] for w in (word, turned) for i in range(max(len(w), 1))]
    chosen = min(several, key=repr)
    number_ = context.atoms.number("tr", chosen, Atom("tr", chosen, _sign(chosen, context)))
    return context.traces.get(number_) or context.atoms.one(number_)


def _closed(word: Word, context: Context) -> Word:
    """Ends that are powers of one symmetric letter meet around the circle."""
    while len(word) > 1 and word[0][:2] == word[-1][:2] and context.letters[word[0][0]] in SYMMETRIC:
        e = plain(word[0][2] + word[-1][2])
        word = ((*word[0][:2], e), *word[1:-1]) if e else word[1:-1]
    return word


def _transposed(word: Word, context: Context) -> Word:
    return tuple((n, not t and context.letters[n] not in SYMMETRIC, e) for n, t, e in reversed(word))


def _sign(word: Word, context: Context) -> Sign:
    """tr(A A') is not negative."""
    half = len(word) // 2
    several = (word[i:] + word[:i] for i in range(len(word)))
    if word and len(word) % 2 == 0 and any(w[half:] == _transposed(w[:half], context) for w in several):
        return NONNEGATIVE
    return None
