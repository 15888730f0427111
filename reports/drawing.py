"""How a role in a figure is told apart: by colour, by dashes and by marker, never by colour alone."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Look:
    """`sentinel` is drawn, then replaced by the CSS variable, so that figures follow the colour scheme."""

    variable: str
    sentinel: str
    dashes: tuple[float, ...]
    markers: str
    width: float
    meaning: str


LOOKS: dict[str, Look] = {
    "claimed": Look("--line-claimed", "#010101", (), " ", 2.2, "solid"),
    "law": Look("--line-law", "#020202", (6, 2, 1.5, 2), " ", 1.8, "dash-dotted"),
    "bound": Look("--line-bound", "#030303", (5, 2.5), "sDPX", 1.6, "dashed"),
    "measured": Look("--line-measured", "#040404", (), "ovd8", 1.2, "thin"),
    "attack": Look("--line-attack", "#050505", (1.2, 1.8), "^<>*", 1.8, "dotted"),
}
FRAME_SENTINELS: dict[str, str] = {
    "#060606": "--figure-text",
    "#070707": "--figure-grid",
    "#080808": "--figure-ground",
}
MARKER_WORDS = {
    "s": "squares",
    "D": "diamonds",
    "P": "plus signs",
    "X": "crosses",
    "o": "circles",
    "v": "triangles down",
    "d": "thin diamonds",
    "8": "octagons",
    "^": "triangles up",
    "<": "triangles left",
    ">": "triangles right",
    "*": "stars",
    " ": "no marks",
}
# The same markers around (17, 6), for the legend.
SWATCHES = {
    "s": "M13.6 2.6h6.8v6.8h-6.8z",
    "D": "M17 1.6l4.4 4.4l-4.4 4.4l-4.4 -4.4z",
    "P": "M16 2h2v3h3v2h-3v3h-2v-3h-3v-2h3z",
    "X": "M13.5 3.5l1 -1l2.5 2.5l2.5 -2.5l1 1l-2.5 2.5l2.5 2.5l-1 1l-2.5 -2.5l-2.5 2.5l-1 -1l2.5 -2.5z",
    "o": "M13.4 6a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0 -7.2 0z",
    "v": "M13.2 3h7.6l-3.8 6.6z",
    "d": "M17 1.4l2.8 4.6l-2.8 4.6l-2.8 -4.6z",
    "8": "M15.5 2.4h3l2.1 2.1v3l-2.1 2.1h-3l-2.1 -2.1v-3z",
    "^": "M13.2 9h7.6l-3.8 -6.6z",
    "<": "M20 2.2v7.6l-6.6 -3.8z",
    ">": "M14 2.2v7.6l6.6 -3.8z",
    "*": "M17 1.5l1.2 3.1l3.3 .2l-2.6 2.1l.9 3.2l-2.8 -1.8l-2.8 1.8l.9 -3.2l-2.6 -2.1l3.3 -.2z",
    " ": "",
}


def marker(role: str, occurrence: int) -> str:
    """The marker of the line that is the `occurrence`-th of its role in a figure."""
    return LOOKS[role].markers[occurrence % len(LOOKS[role].markers)]
