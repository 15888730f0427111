"""Series become inline SVG: the same bytes each time, colours from the page, a name for screen readers."""

from __future__ import annotations

import io
import json
import math
from collections import Counter
from functools import lru_cache
from typing import Any

from ..audit.record.shown_text import clean
from .drawing import FRAME_SENTINELS, LOOKS, MARKER_WORDS, SWATCHES, marker
from .svg import inline_svg
from .text import superscript

TABLE_ROWS = 41
_INK, _GRID, _GROUND = FRAME_SENTINELS
_SIZE = (5.6, 3.4)


def draw(series: dict[str, Any], identifier: str) -> str:
    """One Series of a certificate as an <svg> element whose ids all start with `identifier`."""
    colours = {look.sentinel: look.variable for look in LOOKS.values()} | FRAME_SENTINELS
    return inline_svg(_drawn(json.dumps(series)), identifier, colours, series["title"], describe(series))


# A release is drawn when it is made and again when it is verified.
@lru_cache(32)
def _drawn(text: str) -> str:
    series = json.loads(text)
    import matplotlib.style
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    settings = {
        "svg.fonttype": "none",
        "svg.hashsalt": "noiseproof",
        "text.parse_math": False,
        "font.family": "DejaVu Sans",
        "font.size": 11,
        "path.simplify": True,
    }
    with matplotlib.style.context(["default", settings], after_reset=True):
        figure = Figure(figsize=_SIZE, layout="constrained")
        FigureCanvasSVG(figure)
        _plot(figure.add_subplot(), series)
        sink = io.StringIO()
        figure.savefig(
            sink, format="svg", transparent=True, metadata={"Date": None, "Creator": None, "Format": None}
        )
    return sink.getvalue()


def _plot(axes: Any, series: dict[str, Any]) -> None:
    _frame(axes, series)
    logarithmic = series["x_scale"] == "log", series["y_scale"] == "log"
    bands = []
    occurrences: Counter[str] = Counter()
    for line in series["lines"]:
        role = line["role"]
        look = LOOKS[role]
        x, y = _finite(line["x"], logarithmic[0]), _finite(line["y"], logarithmic[1])
        mark = marker(role, occurrences[role])
        occurrences[role] += 1
        lone = sum(math.isfinite(a) and math.isfinite(b) for a, b in zip(x, y, strict=True)) == 1
        axes.plot(
            x,
            y,
            color=look.sentinel,
            linewidth=look.width,
            linestyle=(0, look.dashes) if look.dashes else "-",
            marker="o" if lone and mark == " " else mark,
            markersize=4.5,
            markevery=max(1, len(x) // 12),
            markerfacecolor=_GROUND if role == "measured" else look.sentinel,
            markeredgecolor=look.sentinel,
            solid_capstyle="round",
            zorder=3 if role in ("measured", "attack") else 2.5,
        )
        if line["low"] is not None and line["high"] is not None:
            bands.append((look.sentinel, x, line["low"], line["high"], lone))
            axes.update_datalim(
                [(a, b) for end in ("low", "high") for a, b in _points(x, line[end], logarithmic[1])]
            )
    axes.autoscale_view()
    _tick(axes, logarithmic)
    limits = axes.get_ylim()
    for colour, x, low, high, lone in bands:
        bottom, top = _clip(low, limits), _clip(high, limits)
        if lone:
            axes.vlines(x, bottom, top, color=colour, linewidth=1.2, zorder=2)
        else:
            axes.fill_between(x, bottom, top, color=colour, alpha=0.16, linewidth=0, zorder=1.5)
    axes.set_ylim(limits)


def _frame(axes: Any, series: dict[str, Any]) -> None:
    axes.set_xscale(series["x_scale"])
    axes.set_yscale(series["y_scale"])
    axes.set_xlabel(clean(series["x_label"])[:80], color=_INK)
    axes.set_ylabel(clean(series["y_label"])[:80], color=_INK)
    axes.margins(x=0.02, y=0.06)
    axes.grid(visible=True, which="major", color=_GRID, linewidth=0.7)
    axes.minorticks_off()
    axes.tick_params(colors=_INK, length=0, labelcolor=_INK)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(_GRID)


def _tick(axes: Any, logarithmic: tuple[bool, bool]) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

    for axis, is_log in zip((axes.xaxis, axes.yaxis), logarithmic, strict=True):
        if is_log:
            axis.set_major_locator(LogLocator(numticks=7))
            axis.set_major_formatter(FuncFormatter(_power_of_ten))
        else:
            axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
            axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.6g}".replace("-", "−")))


def _power_of_ten(value: float, _: Any = None) -> str:
    if 0.01 <= value <= 1000:
        return f"{value:g}"
    return f"10{superscript(round(math.log10(value)))}" if value > 0 else ""


def _float(value: Any) -> float:
    """A value of a certificate, where infinities are strings."""
    return math.nan if value is None else float(value)


def _finite(values: list[Any], positive: bool) -> list[float]:
    """The values, with NaN where the axis has no place for one."""
    numbers = [_float(value) for value in values]
    return [
        v if math.isfinite(v) and abs(v) < 1e300 and (v > 0 or not positive) else math.nan for v in numbers
    ]


def _points(x: list[float], y: list[Any], positive: bool) -> list[tuple[float, float]]:
    pairs = zip(x, _finite(y, positive), strict=True)
    return [(a, b) for a, b in pairs if math.isfinite(a) and math.isfinite(b)]


def _clip(values: list[Any], limits: tuple[float, float]) -> list[float]:
    """The ends of a band, cut at the edge of the figure (an infinite end goes as far as the edge)."""
    low, high = min(limits), max(limits)
    return [v if math.isnan(v) else min(max(v, low), high) for v in map(_float, values)]


def describe(series: dict[str, Any]) -> str:
    """What a figure shows, for those who do not see it."""
    occurrences: Counter[str] = Counter()
    parts = []
    for line in series["lines"]:
        look, mark = LOOKS[line["role"]], marker(line["role"], occurrences[line["role"]])
        occurrences[line["role"]] += 1
        band = ", with a shaded band" if line["low"] is not None and line["high"] is not None else ""
        parts.append(f"{line['name']} ({line['role']}: {look.meaning} line, {MARKER_WORDS[mark]}{band})")
    axes = f"{series['y_label']} against {series['x_label']}"
    return f"{series['figure']}: {axes}. Lines: {'; '.join(parts)}. The numbers are in the table below."


def legend(series: dict[str, Any]) -> list[dict[str, str]]:
    """Each line's name, role, and the ingredients of its swatch."""
    occurrences: Counter[str] = Counter()
    entries = []
    for line in series["lines"]:
        role = line["role"]
        look = LOOKS[role]
        entries.append(
            {
                "name": line["name"],
                "role": role,
                "variable": look.variable,
                "dashes": " ".join(f"{dash * look.width:g}" for dash in look.dashes),
                "width": f"{look.width:g}",
                "shape": SWATCHES[marker(role, occurrences[role])],
                "open": "yes" if role == "measured" else "",
            }
        )
        occurrences[role] += 1
    return entries


def hidden_values(series: dict[str, Any]) -> int:
    """How many points of the lines have no place on the axes (not finite, or not positive on a log axis)."""
    logarithmic = series["x_scale"] == "log", series["y_scale"] == "log"
    return sum(
        not (math.isfinite(a) and math.isfinite(b))
        for line in series["lines"]
        for a, b in zip(_finite(line["x"], logarithmic[0]), _finite(line["y"], logarithmic[1]), strict=True)
    )


def table(line: dict[str, Any]) -> dict[str, Any]:
    """The numbers of one line, thinned to a readable number of rows that keeps both ends."""
    total = len(line["x"])
    stride = max(1, math.ceil((total - 1) / (TABLE_ROWS - 1)))
    kept = sorted({*range(0, total, stride), total - 1}) if total else []
    columns = ["x", "y"] + [end for end in ("low", "high") if line[end] is not None]
    rows = [[line[column][index] for column in columns] for index in kept]
    return {"rows": rows, "columns": columns, "total": total, "shown": len(kept)}
