"""Functions whose written form is not name(arguments): roots, exponentials, integrals, cases, matrices.

A shape that cannot write the arguments it is given answers None, and they are written as a plain call.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from .mathml_parts import BREAK, fenced, loose, raised, row, wrap
from .notation import Binding, Piece, Walk, is_long

Shape = Callable[[Walk, list[ast.expr]], Piece | None]


def listed(walk: Walk, items: Sequence[ast.expr]) -> str:
    """The items with commas between."""
    return f"<mo>,</mo>{BREAK}".join(loose(walk(item).body) for item in items)


def power(walk: Walk, base: ast.expr, exponent: str) -> Piece:
    """`base` to an exponent that is written already; a long base carries it on its last parenthesis."""
    if is_long(base):
        return Piece(raised(walk(base).body, row(exponent)), Binding.POWER)
    return Piece(f"<msup>{row(wrap(walk(base), Binding.ATOM))}{row(exponent)}</msup>", Binding.POWER)


def _root(walk: Walk, args: list[ast.expr]) -> Piece | None:
    if len(args) == 1 and is_long(args[0]):
        return power(walk, args[0], '<mn>1</mn><mo lspace="0" rspace="0">/</mo><mn>2</mn>')
    return Piece(f"<msqrt>{walk(args[0]).body}</msqrt>", Binding.ATOM) if len(args) == 1 else None


def _exponential(walk: Walk, args: list[ast.expr]) -> Piece | None:
    """e to a power, unless the power is too tall to be read as one."""
    if (
        len(args) != 1
        or len(ast.unparse(args[0])) > 24
        or any(isinstance(n, ast.Div) for n in ast.walk(args[0]))
    ):
        return None
    return Piece(f"<msup><mi>e</mi>{row(walk(args[0]).body)}</msup>", Binding.POWER)


def _between(left: str, right: str, count: int = 1) -> Shape:
    def shape(walk: Walk, args: list[ast.expr]) -> Piece | None:
        return Piece(fenced(left, listed(walk, args), right), Binding.ATOM) if len(args) == count else None

    return shape


def _factorial(walk: Walk, args: list[ast.expr]) -> Piece | None:
    return Piece(f"{wrap(walk(args[0]), Binding.ATOM)}<mo>!</mo>", Binding.POWER) if len(args) == 1 else None


def _binomial(walk: Walk, args: list[ast.expr]) -> Piece | None:
    if len(args) != 2:
        return None
    top, bottom = (row(walk(argument).body) for argument in args)
    return Piece(fenced("(", f'<mfrac linethickness="0">{top}{bottom}</mfrac>', ")"), Binding.ATOM)


def _integral(walk: Walk, args: list[ast.expr]) -> Piece | None:
    if len(args) != 2:
        return None
    variable, bounds = _limits(walk, args[1])
    head = f"<munderover><mo>∫</mo>{bounds[0]}{bounds[1]}</munderover>" if len(bounds) == 2 else "<mo>∫</mo>"
    tail = f'<mspace width="0.17em"></mspace><mi mathvariant="normal">d</mi>{variable}'
    return Piece(head + wrap(walk(args[0]), Binding.PRODUCT) + tail, Binding.PRODUCT)


def _big_operator(sign: str) -> Shape:
    def shape(walk: Walk, args: list[ast.expr]) -> Piece | None:
        if len(args) != 2:
            return None
        variable, bounds = _limits(walk, args[1])
        if len(bounds) == 2:
            lower = row(f"{variable}<mo>=</mo>{bounds[0]}")
            head = f"<munderover><mo>{sign}</mo>{lower}{bounds[1]}</munderover>"
        else:
            head = f"<munder><mo>{sign}</mo>{row(variable)}</munder>"
        return Piece(head + wrap(walk(args[0]), Binding.PRODUCT), Binding.PRODUCT)

    return shape


def _limits(walk: Walk, node: ast.expr) -> tuple[str, list[str]]:
    """The variable and its bounds, from (variable, lower, upper) or the variable alone."""
    parts = node.elts if isinstance(node, ast.Tuple) and node.elts else [node]
    return walk(parts[0]).body, [row(walk(part).body) for part in parts[1:]]


def _derivative(walk: Walk, args: list[ast.expr]) -> Piece | None:
    if len(args) != 2:
        return None
    variable, above = args[1], "<mi>∂</mi>"
    below = row(f"<mi>∂</mi>{walk(variable).body}")
    if isinstance(variable, ast.Tuple):
        if len(variable.elts) != 2:
            return None
        base, times = (row(walk(item).body) for item in variable.elts)
        above, below = f"<msup><mi>∂</mi>{times}</msup>", row(f"<mi>∂</mi><msup>{base}{times}</msup>")
    return Piece(f"<mfrac>{row(above)}{below}</mfrac>{wrap(walk(args[0]), Binding.POWER)}", Binding.PRODUCT)


def _piecewise(walk: Walk, args: list[ast.expr]) -> Piece | None:
    rows = ""
    for case in args:
        if not isinstance(case, ast.Tuple) or len(case.elts) != 2:
            return None
        value, condition = case.elts
        otherwise = isinstance(condition, ast.Constant) and condition.value is True
        when = "<mtext>otherwise</mtext>" if otherwise else f"<mtext>if&#160;</mtext>{walk(condition).body}"
        rows += f"<mtr><mtd>{walk(value).body}</mtd><mtd>{when}</mtd></mtr>"
    return Piece(f"<mrow><mo>{{</mo><mtable>{rows}</mtable></mrow>", Binding.ATOM)


def _matrix(walk: Walk, args: list[ast.expr]) -> Piece | None:
    if len(args) != 1 or not isinstance(args[0], ast.List):
        return None
    rows = ""
    for line in args[0].elts:
        cells = line.elts if isinstance(line, ast.List) else [line]
        rows += "<mtr>" + "".join(f"<mtd>{walk(cell).body}</mtd>" for cell in cells) + "</mtr>"
    return Piece(fenced("[", f"<mtable>{rows}</mtable>", "]"), Binding.ATOM)


def _with_order(letter: str) -> Shape:
    """A function whose first argument is written as its index."""

    def shape(walk: Walk, args: list[ast.expr]) -> Piece | None:
        if len(args) != 2:
            return None
        head = f"<msub><mi>{letter}</mi>{row(walk(args[0]).body)}</msub>"
        return Piece(f"{head}<mo>\u2061</mo>{fenced('(', loose(walk(args[1]).body), ')')}", Binding.ATOM)

    return shape


SHAPES: dict[str, Shape] = {
    "sqrt": _root,
    "exp": _exponential,
    "Abs": _between("|", "|"),
    "abs": _between("|", "|"),
    "Norm": _between("‖", "‖"),
    "floor": _between("⌊", "⌋"),
    "ceiling": _between("⌈", "⌉"),
    "Interval": _between("[", "]", count=2),
    "polygamma": _with_order("ψ"),
    "besseli": _with_order("I"),
    "factorial": _factorial,
    "binomial": _binomial,
    "Integral": _integral,
    "Sum": _big_operator("∑"),
    "Product": _big_operator("∏"),
    "Derivative": _derivative,
    "Piecewise": _piecewise,
    "Matrix": _matrix,
}
