"""The one exception for everything a user can get wrong in a spec, its data or its user functions."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class SpecError(ValueError):
    """The error for everything a user can get wrong in a spec, its data, its functions or an argument; a ValueError.

    It says where (`file` and `key`, a dotted path; "" if unknown), the `message` what was expected and what came. Commands exit with 2.

    >>> str(npf.SpecError("expected a number > 0, got -1", key="limits.epsilon", file="policy.toml"))
    'policy.toml: limits.epsilon: expected a number > 0, got -1'
    """

    def __init__(self, message: str, *, key: str = "", file: str = "") -> None:
        self.message, self.key, self.file = message, key, file
        super().__init__(": ".join(part for part in (file, key, message) if part))

    def within(self, *, file: str = "", key: str = "") -> SpecError:
        """The same error with the file and the outer key path filled in where they are still unknown."""
        path = ".".join(part for part in (key, self.key) if part)
        return SpecError(self.message, key=path, file=self.file or file)


def came(value: object) -> str:
    """What somebody gave in the place of something else, as a message calls it."""
    name = getattr(value, "__name__", "")
    return f"the class {name}: call it, {name}(...)" if isinstance(value, type) else type(value).__name__


def nearest_name(word: str, allowed: Iterable[str]) -> str:
    """The tail of a message about an unknown name: the nearest allowed one, then all of them."""
    names = sorted(allowed)
    folded = {name.lower().replace("_", "-"): name for name in names}
    close = difflib.get_close_matches(word.lower().replace("_", "-"), list(folded), n=1, cutoff=0.55)
    hint = f"did you mean {folded[close[0]]!r}? " if close else ""
    shown = names if len(names) <= 40 else [*names[:40], "..."]
    return f"{hint}expected one of: {', '.join(shown) if shown else 'no name is allowed here'}"


def counted(number: int, thing: str) -> str:
    """A number of things as it is read aloud: 1 entry, 2 entries, 20,000 bytes."""
    many = f"{thing[:-1]}ies" if thing.endswith("ry") else f"{thing}s"
    return f"{number:,} {thing if number == 1 else many}"
