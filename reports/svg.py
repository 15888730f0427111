"""Matplotlib's SVG document becomes an element that lives in a page: local ids, page colours, no metadata."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from ..audit.record.shown_text import clean

_NAMESPACE = re.compile(r"^\{[^}]*\}")
_LONG_DECIMAL = re.compile(r"-?\d+\.\d{2,}")
_COORDINATES = ("d", "x", "y", "width", "height", "points", "transform")
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline_svg(document: str, identifier: str, colours: dict[str, str], title: str, description: str) -> str:
    """The drawing of `document`; `colours` maps each sentinel colour to the CSS variable that replaces it."""
    root = ElementTree.fromstring(document)
    for parent in list(root.iter()):
        for child in list(parent):
            if _plain(str(child.tag)) in ("metadata", "style"):
                parent.remove(child)
    used = _references(root)
    for element in root.iter():
        _localise(element, identifier, used, colours)
    root.attrib = {"viewBox": root.attrib["viewBox"], "role": "img", "class": "plot"}
    root.attrib["aria-labelledby"] = f"{identifier}-title {identifier}-description"
    for position, (tag, text) in enumerate((("title", title), ("desc", description))):
        name = ElementTree.Element(
            tag, {"id": f"{identifier}-{'title' if tag == 'title' else 'description'}"}
        )
        name.text = clean(text)
        root.insert(position, name)
    return re.sub(r">\s+<", "><", ElementTree.tostring(root, encoding="unicode"))


def _plain(name: str) -> str:
    return _NAMESPACE.sub("", name)


def _references(root: ElementTree.Element) -> set[str]:
    """The ids that something points to; all others are noise."""
    found: set[str] = set()
    for element in root.iter():
        for name, value in element.attrib.items():
            if _plain(name) == "href" and value.startswith("#"):
                found.add(value[1:])
            found.update(_REFERENCE.findall(value))
    return found


def _localise(element: ElementTree.Element, identifier: str, used: set[str], colours: dict[str, str]) -> None:
    element.tag = _plain(str(element.tag))
    attributes: dict[str, str] = {}
    for long_name, value in element.attrib.items():
        name = _plain(long_name)
        if name == "id":
            if value in used:
                attributes["id"] = f"{identifier}-{value}"
        elif name == "href":
            if value.startswith("#"):
                attributes["href"] = f"#{identifier}-{value[1:]}"
        elif name == "style":
            attributes["style"] = _style(value, colours)
        elif name in _COORDINATES:
            attributes[name] = _LONG_DECIMAL.sub(
                lambda match: f"{float(match.group()):.2f}".rstrip("0").rstrip("."), value
            )
        else:
            attributes[name] = value
        if name in attributes:
            attributes[name] = _REFERENCE.sub(rf"url(#{identifier}-\1)", attributes[name])
    element.attrib = attributes


def _style(value: str, colours: dict[str, str]) -> str:
    for sentinel, variable in colours.items():
        value = value.replace(sentinel, f"var({variable})")
    return re.sub(r"font-family: [^;]*;?\s*", "", value)
