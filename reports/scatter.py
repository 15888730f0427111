"""Points in the plane as inline SVG: records and classifiers of an experiment, coloured by the page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import Markup, escape

from ..audit.record.shown_text import clean
from .text import number

_WIDTH, _HEIGHT = 560.0, 380.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 62.0, 12.0, 10.0, 46.0
# (colour, marker, its name): told apart by colour and by shape.
_MARKS = (
    ("--line-claimed", "M{x} {y}m-2.6 0a2.6 2.6 0 1 0 5.2 0a2.6 2.6 0 1 0 -5.2 0z", "circles"),
    ("--line-attack", "M{x} {y}m-2.6 -2.6h5.2v5.2h-5.2z", "squares"),
    ("--line-bound", "M{x} {y}m0 -3.4l3.2 5.8h-6.4z", "triangles"),
    ("--line-measured", "M{x} {y}m0 -3.6l3.6 3.6l-3.6 3.6l-3.6 -3.6z", "diamonds"),
)
_DASHES = ("", "7 3", "2 3", "9 3 2 3")


def scatter(plot: dict[str, Any], identifier: str) -> dict[str, Any]:
    """The drawing of one Scatter of an experiment and its legend; groups and lines of one name share a colour."""
    if len(plot["groups"]) > len(_MARKS):
        raise ValueError(f"at most {len(_MARKS)} groups can be told apart, got {len(plot['groups'])}")
    x_axis = _Axis([v for g in plot["groups"] for v in g[1]], _LEFT, _WIDTH - _RIGHT)
    y_axis = _Axis([v for g in plot["groups"] for v in g[2]], _HEIGHT - _BOTTOM, _TOP)
    names = [group[0] for group in plot["groups"]]
    body = [
        _frame(plot, x_axis, y_axis),
        f'<clipPath id="{identifier}-clip"><rect x="{_LEFT:g}" y="{_TOP:g}" '
        f'width="{_WIDTH - _LEFT - _RIGHT:g}" height="{_HEIGHT - _TOP - _BOTTOM:g}"/></clipPath><g clip-path="url(#{identifier}-clip)">',
    ]
    # The last group lies below the others: it is the most spread out.
    for k, (_, xs, ys) in reversed(list(enumerate(plot["groups"]))):
        path = "".join(
            _MARKS[k][1].format(x=f"{x_axis(a):.1f}", y=f"{y_axis(b):.1f}")
            for a, b in zip(xs, ys, strict=True)
        )
        body.append(f'<path d="{path}" style="fill: var({_MARKS[k][0]})" fill-opacity="0.75"/>')
    for n, (name, xs, ys) in enumerate(plot["lines"]):
        k = names.index(name) if name in names else n % len(_MARKS)
        points = " ".join(f"{x_axis(a):.1f},{y_axis(b):.1f}" for a, b in zip(xs, ys, strict=True))
        dashes = f' stroke-dasharray="{_DASHES[k]}"' if _DASHES[k] else ""
        body.append(
            f'<polyline points="{points}" fill="none" style="stroke: var({_MARKS[k][0]})" stroke-width="2"{dashes}/>'
        )
    described = "; ".join(f"{name}: {_MARKS[k][2]}" for k, name in enumerate(names))
    title = f'<title id="{identifier}-title">{_text(plot["title"])}</title>'
    description = f'<desc id="{identifier}-description">{_text(described)}. Lines are classifiers.</desc>'
    svg = (
        f'<svg viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" class="plot" '
        f'aria-labelledby="{identifier}-title {identifier}-description">{title}{description}{"".join(body)}</g></svg>'
    )
    legend = [
        {"name": name, "variable": _MARKS[k][0], "path": _MARKS[k][1].format(x="17", y="6")}
        for k, name in enumerate(names)
    ]
    return {"svg": Markup(svg), "legend": legend}


class _Axis:
    """Numbers to coordinates, with a margin and round ticks."""

    def __init__(self, values: Sequence[float], start: float, end: float) -> None:
        finite = [v for v in values if math.isfinite(v)] or [0.0, 1.0]
        low, high = min(finite), max(finite)
        margin = 0.04 * (high - low) or 1.0
        self.low, self.high, self.start, self.end = low - margin, high + margin, start, end

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        raw = (self.high - self.low) / 6
        power = 10 ** math.floor(math.log10(raw))
        step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw)
        first = math.ceil(self.low / step)
        return [round(step * k, 12) for k in range(first, math.floor(self.high / step) + 1)]


def _frame(plot: dict[str, Any], x_axis: _Axis, y_axis: _Axis) -> str:
    parts = []
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    style = 'style="stroke: var(--figure-grid)"'
    for tick in x_axis.ticks():
        at = x_axis(tick)
        parts.append(f'<path d="M{at:.1f} {bottom:g}V{_TOP:g}" {style} stroke-width="0.7"/>')
        parts.append(_label(at, bottom + 16, number(tick), "middle"))
    for tick in y_axis.ticks():
        at = y_axis(tick)
        parts.append(f'<path d="M{_LEFT:g} {at:.1f}H{right:g}" {style} stroke-width="0.7"/>')
        parts.append(_label(_LEFT - 8, at + 4, number(tick), "end"))
    parts.append(_label((_LEFT + right) / 2, _HEIGHT - 8, plot["x_label"], "middle"))
    middle = (_TOP + bottom) / 2
    parts.append(_label(14, middle, plot["y_label"], "middle", f' transform="rotate(-90 14 {middle:g})"'))
    return "".join(parts)


def _label(x: float, y: float, words: str, anchor: str, more: str = "") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12" style="fill: var(--figure-text)"{more}>'
        f"{_text(words)}</text>"
    )


def _text(words: str) -> str:
    return str(escape(clean(words)))
