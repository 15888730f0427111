"""Points in the plane as inline SVG: records and classifiers of an experiment, coloured by the page."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from .axes import BOTTOM, HEIGHT, LEFT, RIGHT, TOP, WIDTH, Axis, frame, text

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
    x_axis = Axis([v for g in plot["groups"] for v in g[1]], LEFT, WIDTH - RIGHT)
    y_axis = Axis([v for g in plot["groups"] for v in g[2]], HEIGHT - BOTTOM, TOP)
    names = [group[0] for group in plot["groups"]]
    body = [
        frame(plot, x_axis, y_axis),
        f'<clipPath id="{identifier}-clip"><rect x="{LEFT:g}" y="{TOP:g}" '
        f'width="{WIDTH - LEFT - RIGHT:g}" height="{HEIGHT - TOP - BOTTOM:g}"/></clipPath><g clip-path="url(#{identifier}-clip)">',
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
    title = f'<title id="{identifier}-title">{text(plot["title"])}</title>'
    description = f'<desc id="{identifier}-description">{text(described)}. Lines are classifiers.</desc>'
    svg = (
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" class="plot" '
        f'aria-labelledby="{identifier}-title {identifier}-description">{title}{description}{"".join(body)}</g></svg>'
    )
    legend = [
        {"name": name, "variable": _MARKS[k][0], "path": _MARKS[k][1].format(x="17", y="6")}
        for k, name in enumerate(names)
    ]
    return {"svg": Markup(svg), "legend": legend}
