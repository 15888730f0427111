"""The axes of a picture that is written as SVG: numbers to coordinates, round ticks, a grid, names."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from markupsafe import escape

from ..audit.record.shown_text import clean
from .text import number

WIDTH, HEIGHT = 560.0, 380.0
LEFT, RIGHT, TOP, BOTTOM = 62.0, 12.0, 10.0, 46.0


class Axis:
    """Numbers to coordinates, with a margin and round ticks."""

    def __init__(self, values: Sequence[float], start: float, end: float, share: float = 0.04) -> None:
        finite = [v for v in values if math.isfinite(v)] or [0.0, 1.0]
        low, high = min(finite), max(finite)
        margin = share * (high - low) or 1.0 * (share > 0 or high == low)
        self.low, self.high, self.start, self.end = low - margin, high + margin, start, end

    def __call__(self, value: float) -> float:
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    def ticks(self) -> list[float]:
        raw = (self.high - self.low) / 6
        power = 10 ** math.floor(math.log10(raw))
        step = next(power * m for m in (1, 2, 5, 10) if power * m >= raw)
        first = math.ceil(self.low / step)
        return [round(step * k, 12) for k in range(first, math.floor(self.high / step) + 1)]


def frame(plot: dict[str, Any], x_axis: Axis, y_axis: Axis) -> str:
    """Grid, ticks and the names of the axes."""
    parts = []
    left, right, bottom, top = x_axis.start, x_axis.end, y_axis.start, y_axis.end
    style = 'style="stroke: var(--figure-grid)"'
    for tick in x_axis.ticks():
        at = x_axis(tick)
        parts.append(f'<path d="M{at:.1f} {bottom:g}V{top:g}" {style} stroke-width="0.7"/>')
        parts.append(label(at, bottom + 16, number(tick), "middle"))
    for tick in y_axis.ticks():
        at = y_axis(tick)
        parts.append(f'<path d="M{left:g} {at:.1f}H{right:g}" {style} stroke-width="0.7"/>')
        parts.append(label(left - 8, at + 4, number(tick), "end"))
    parts.append(label((left + right) / 2, bottom + BOTTOM - 8, plot["x_label"], "middle"))
    middle = (top + bottom) / 2
    parts.append(label(14, middle, plot["y_label"], "middle", f' transform="rotate(-90 14 {middle:g})"'))
    return "".join(parts)


def label(x: float, y: float, words: str, anchor: str, more: str = "") -> str:
    """A text of the drawing, escaped."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" font-size="12" style="fill: var(--figure-text)"{more}>'
        f"{text(words)}</text>"
    )


def text(words: str) -> str:
    """Words without hidden characters, escaped."""
    return str(escape(clean(words)))
