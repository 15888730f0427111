"""Where in a spec its claims stand: TOML is read without lines, and an alert has to point to one."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...record.reading.toml_file import without_texts


def entry_lines(raw: bytes, **counts: int) -> dict[str, int]:
    """The line of each entry of the named arrays of tables, under "name[i]"; 1 where another way of writing hides it."""
    text = without_texts(raw.decode("utf-8-sig"))
    found: dict[str, int] = {}
    for name, count in counts.items():
        places = list(_headers(text, name)) or list(_inline(text, name))
        lines = [text.count("\n", 0, place) + 1 for place in places]
        found |= {f"{name}[{i}]": lines[i] if len(lines) == count else 1 for i in range(count)}
    return found


def _headers(text: str, name: str) -> Iterator[int]:
    """Where the headers [[name]] stand."""
    for header in re.finditer(rf"^[ \t]*\[\[[ \t]*{name}[ \t]*\]\]", text, re.M):
        yield header.start()


def _inline(text: str, name: str) -> Iterator[int]:
    """Where the tables in name = [...] begin."""
    begin = re.search(rf"^[ \t]*{name}[ \t]*=[ \t]*\[", text, re.M)
    depth = 0
    for bracket in re.compile(r"[\[\]{}]").finditer(text, begin.end() if begin else len(text)):
        if bracket[0] in "]}":
            depth -= 1
            if depth < 0:
                return
            continue
        if depth == 0:
            yield bracket.start()
        depth += 1
