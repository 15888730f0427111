"""Digests of what an audit depends on: the code of noiseproof, the code of a release, claims and inputs."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from ....mechanisms.black_box import BlackBox
from ....mechanisms.process import Process
from ....symbolic.claim import Claim
from ...record.finding import claim_record
from ...record.plain import plain
from ..sampling import fingerprint

_LAYERS = ("symbolic", "mechanisms", "audit")
_PACKAGE = __name__.split(".")[0]
_DEEPEST = 6


def digest(*parts: object) -> str:
    """A digest of texts and bytes."""
    h = hashlib.blake2b(digest_size=16)
    for part in parts:
        content = part if isinstance(part, bytes) else str(part).encode()
        h.update(len(content).to_bytes(8, "big") + content)
    return h.hexdigest()


@cache
def engine_digest() -> str:
    """The code of the layers that a certificate depends on."""
    parts: list[object] = []
    for layer in _LAYERS:
        for folder in sys.modules[f"{_PACKAGE}.{layer}"].__path__:
            for path in sorted(Path(folder).rglob("*.py")):
                parts += [path.relative_to(folder).as_posix(), path.read_bytes()]
    return digest(*parts)


def claims_digest(claims: Sequence[Claim]) -> str:
    """What is claimed of which subject, its parameters and the inputs it is tested on."""
    parts: list[object] = []
    for claim in claims:
        subject = claim.subject
        inputs = [fingerprint(x) for pair in subject.neighbours() for x in pair]
        parts += [
            claim_record(claim),
            claim.title,
            type(subject).__qualname__,
            subject.name,
            plain(subject.parameters()),
        ]
        # Opaque objects are told apart by address, which another process does not know.
        parts += [re.sub(r" at \d+", "", text) for text in inputs]
    return digest(*parts)


def release_digests(subjects: Iterable[Any]) -> dict[str, str]:
    """The user's code behind the subjects, by name of the file, or of the function where there is none."""
    modules: dict[str, ModuleType] = {}
    out: dict[str, str] = {}
    for subject in subjects:
        loose: list[object] = []
        for thing in _reached(subject):
            module = sys.modules.get(getattr(thing, "__module__", None) or "")
            if module is not None and file_of(module) is not None:
                modules.setdefault(module.__name__, module)
            if isinstance(thing, FunctionType):
                # Values that a function has closed over are part of it, and stand in no file.
                loose += _code(thing.__code__) if module is None or file_of(module) is None else []
                loose += [
                    re.sub(r" at \d+", "", fingerprint(v)) for v in _closed_over(thing) if not callable(v)
                ]
        if loose:
            out[f"{subject.name} (function)"] = digest(out.get(f"{subject.name} (function)", ""), *loose)
        release = subject.release if isinstance(subject, BlackBox) else None
        for word in release.command[len(release.command) > 1 :] if isinstance(release, Process) else ():
            # Of another program the files that its command names are known; what these import is not.
            if (named := Path(word)).is_file():
                out[named.name] = digest(out.get(named.name, ""), named.read_bytes())
    for module in _with_neighbours(modules):
        path = file_of(module)
        assert path is not None
        out[path.name] = digest(out.get(path.name, ""), path.read_bytes())
    return out


def folders_of(subject: Any) -> tuple[str, ...]:
    """The folders from which the modules behind a subject are imported."""
    found: dict[str, None] = {}
    for thing in _reached(subject):
        module = sys.modules.get(getattr(thing, "__module__", None) or "")
        path = None if module is None else file_of(module)
        if module is None or path is None or module.__name__ == "__main__":
            continue
        depth = module.__name__.count(".") + (path.name == "__init__.py")
        if depth < len(path.parents):
            found.setdefault(str(path.parents[depth]))
    return tuple(found)


def file_of(module: ModuleType) -> Path | None:
    """The source of a user's module; None for modules of noiseproof, installed packages and notebooks."""
    name, path = module.__name__, getattr(module, "__file__", None)
    if name.split(".")[0] in (_PACKAGE, *sys.stdlib_module_names) or not path or not path.endswith(".py"):
        return None
    found = Path(path).absolute()
    if {"site-packages", "dist-packages"} & set(found.parts) or not found.is_file():
        return None
    return found


def _reached(thing: Any, depth: int = 0, seen: set[int] | None = None) -> Iterator[Any]:
    """The functions and classes that a subject consists of."""
    seen = set() if seen is None else seen
    if depth > _DEEPEST or id(thing) in seen:
        return
    seen.add(id(thing))
    inside: list[Any] = []
    if isinstance(thing, FunctionType):
        yield thing
        inside = [*_closed_over(thing), getattr(thing, "__wrapped__", None)]
    elif isinstance(thing, MethodType):
        inside = [thing.__func__, thing.__self__]
    elif isinstance(thing, partial):
        inside = [thing.func, *thing.args, *thing.keywords.values()]
    elif isinstance(thing, type):
        yield thing
    elif isinstance(thing, list | tuple) and len(thing) <= 100:
        inside = list(thing)
    elif type(thing).__module__ not in ("builtins", "numpy") and hasattr(thing, "__dict__"):
        inside = [type(thing), *vars(thing).values()]
    for part in inside:
        yield from _reached(part, depth + 1, seen)


def _closed_over(function: FunctionType) -> list[Any]:
    cells = function.__closure__ or ()
    held = [c.cell_contents for c in cells if _filled(c)]
    return [*held, *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


def _code(code: CodeType) -> list[object]:
    """The content of a function without a file: instructions, names and constants."""
    parts: list[object] = [code.co_code, code.co_names]
    for constant in code.co_consts:
        parts += _code(constant) if isinstance(constant, CodeType) else [repr(constant)]
    return parts


def _with_neighbours(modules: dict[str, ModuleType]) -> list[ModuleType]:
    """Modules, and those beside them whose names they use."""
    found, waiting = dict(modules), list(modules.values())
    while waiting:
        module = waiting.pop()
        home = file_of(module)
        for value in list(vars(module).values()):
            name = value.__name__ if isinstance(value, ModuleType) else getattr(value, "__module__", None)
            other = sys.modules.get(name) if isinstance(name, str) else None
            path = None if other is None else file_of(other)
            if home is None or path is None or other is None or other.__name__ in found:
                continue
            if path.is_relative_to(home.parent):
                found[other.__name__] = other
                waiting.append(other)
    return [found[name] for name in sorted(found)]
