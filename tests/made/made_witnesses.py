"""A witness of a formula, and text from a stranger."""

from __future__ import annotations

HOSTILE = "\\input{/etc/passwd} $x$ %c #1 &_^~{}\\write18{id} ^^5cend ?` -- ``q'' \x07 \u202e <b> é ł ≤ 中 \\end{document}"
FORMULA = {
    "kind": "formula",
    "left": "s**2*v + x**2*(1 - s)**2",
    "relation": ">=",
    "right": "v",
    "where": ["1 - s"],
    "at": {"s": "1/7", "v": "9", "x": "-1/2"},
}
