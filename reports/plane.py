"""Pictures in the plane as inline SVG: numbered regions, lines, marked points, coloured by the page."""

from __future__ import annotations

import math
from typing import Any

from markupsafe import Markup

from .axes import BOTTOM, LEFT, RIGHT, TOP, Axis, frame, label, text

WIDTH, HEIGHT = 430.0, 320.0  # of a phone, so that the names of axes can be read there
# Areas are told apart by colour, by the density of their hatching and by the number that stands in them.
_FILLS = (
    ("--line-claimed", 0.16),
    ("--line-bound", 0.20),
    ("--line-law", 0.20),
    ("--line-attack", 0.18),
    ("--line-measured", 0.22),
)
_LINES = ("--line-claimed", "--line-bound", "--line-law", "--line-measured", "--line-attack")
_DASHES = ("", "7 3", "2 3", "9 3 2 3", "12 4")
_DOT = "M{x} {y}m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z"


def plane(plot: dict[str, Any], identifier: str) -> dict[str, Any]:
    """The drawing of one Plane of a record, and its legend."""
    x_axis = Axis(plot["x"], LEFT, WIDTH - RIGHT, 0.0)
    y_axis = Axis(plot["y"], HEIGHT - BOTTOM, TOP, 0.0)
    numbered = len(plot["areas"]) > 1
    body = [
        _area(area, k, x_axis, y_axis, f"{k + 1}" if numbered else "") for k, area in enumerate(plot["areas"])
    ]
    names = list(dict.fromkeys(c["name"] for c in plot["curves"] if not c["marks"]))
    levels = len(names) > len(_LINES)
    for curve in plot["curves"]:
        if not curve["marks"]:
            k = 0 if levels else names.index(curve["name"])
            body.append(_line(curve, k, levels, x_axis, y_axis))
    dots = "".join(_dots(curve, x_axis, y_axis) for curve in plot["curves"] if curve["marks"])
    clip = (
        f'<clipPath id="{identifier}-clip"><rect x="{LEFT:g}" y="{TOP:g}" width="{WIDTH - LEFT - RIGHT:g}" '
        f'height="{HEIGHT - TOP - BOTTOM:g}"/></clipPath>'
    )
    svg = (
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" class="plot" '
        f'aria-labelledby="{identifier}-title {identifier}-description">'
        f'<title id="{identifier}-title">{text(plot["title"])}</title>'
        f'<desc id="{identifier}-description">{text(describe(plot))}</desc>'
        f'{frame(plot, x_axis, y_axis)}{clip}<g clip-path="url(#{identifier}-clip)">{"".join(body)}</g>{dots}</svg>'
    )
    return {"svg": Markup(svg), "legend": _legend(plot, names, levels)}


def describe(plot: dict[str, Any]) -> str:
    """What a picture shows, for those who do not see it."""
    areas = "; ".join(f"{k}: {a['name']}" for k, a in enumerate(plot["areas"], 1))
    curves = "; ".join(dict.fromkeys(c["name"] for c in plot["curves"]))
    parts = [f"{plot['y_label']} against {plot['x_label']}"]
    parts += [f"Regions: {areas}"] if areas else []
    parts += [f"Lines and points: {curves}"] if curves else []
    return ". ".join(parts) + "."


def _area(area: dict[str, Any], k: int, x_axis: Axis, y_axis: Axis, number: str) -> str:
    variable, opacity = _FILLS[k % len(_FILLS)]
    path = "".join(
        "M" + "L".join(f"{x_axis(a):.1f} {y_axis(b):.1f}" for a, b in ring) + "Z"
        for ring in area["rings"]
        if ring
    )
    drawn = (
        f'<path d="{path}" fill-rule="evenodd" style="fill: var({variable}); stroke: var({variable})" '
        f'fill-opacity="{opacity:g}" stroke-width="1.2" stroke-opacity="0.7"/>'
    )
    rings = [ring for ring in area["rings"] if ring]
    if not number or not rings:
        return drawn
    x, y = _middle(max(rings, key=lambda ring: abs(_signed(ring))), x_axis, y_axis)
    return drawn + label(x, y + 4, number, "middle", ' font-weight="700"')


def _signed(ring: list[list[float]]) -> float:
    """Twice the area inside of a ring."""
    return sum(a[0] * b[1] - b[0] * a[1] for a, b in zip(ring, [*ring[1:], ring[0]], strict=True))


def _middle(ring: list[list[float]], x_axis: Axis, y_axis: Axis) -> tuple[float, float]:
    """The centre of mass of a ring; the mean of its corners where it has no width."""
    twice = _signed(ring)
    pairs = list(zip(ring, [*ring[1:], ring[0]], strict=True))
    if math.isclose(twice, 0.0, abs_tol=1e-300):
        x, y = (sum(p[i] for p in ring) / len(ring) for i in (0, 1))
    else:
        weights = [a[0] * b[1] - b[0] * a[1] for a, b in pairs]
        x, y = (
            sum(w * (a[i] + b[i]) for w, (a, b) in zip(weights, pairs, strict=True)) / (3 * twice)
            for i in (0, 1)
        )
    return x_axis(x), y_axis(y)


def _line(curve: dict[str, Any], k: int, levels: bool, x_axis: Axis, y_axis: Axis) -> str:
    points = " ".join(f"{x_axis(a):.1f},{y_axis(b):.1f}" for a, b in zip(curve["x"], curve["y"], strict=True))
    dashes = f' stroke-dasharray="{_DASHES[k]}"' if _DASHES[k] and not levels else ""
    return (
        f'<polyline points="{points}" fill="none" style="stroke: var({_LINES[k]})" '
        f'stroke-width="{1.2 if levels else 2}"{dashes}/>'
    )


def _dots(curve: dict[str, Any], x_axis: Axis, y_axis: Axis) -> str:
    path = "".join(
        _DOT.format(x=f"{x_axis(a):.1f}", y=f"{y_axis(b):.1f}")
        for a, b in zip(curve["x"], curve["y"], strict=True)
    )
    return f'<path d="{path}" style="fill: var(--line-attack); stroke: var(--figure-ground)" stroke-width="1.5"/>'


def _legend(plot: dict[str, Any], names: list[str], levels: bool) -> list[dict[str, str]]:
    numbered = len(plot["areas"]) > 1
    entries = [
        {
            "name": f"{k + 1}: {area['name']}" if numbered else area["name"],
            "variable": _FILLS[k % len(_FILLS)][0],
            "kind": "area",
            "dashes": "",
        }
        for k, area in enumerate(plot["areas"])
    ]
    if levels:
        entries.append(
            {"name": plot["note"] or "level lines", "variable": _LINES[0], "kind": "line", "dashes": ""}
        )
    else:
        entries += [
            {"name": name, "variable": _LINES[k], "kind": "line", "dashes": _DASHES[k]}
            for k, name in enumerate(names)
        ]
    marked = dict.fromkeys(c["name"] for c in plot["curves"] if c["marks"])
    return entries + [{"name": n, "variable": "--line-attack", "kind": "dot", "dashes": ""} for n in marked]
