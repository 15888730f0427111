"""What the code of a release reaches: its functions, their globals, defaults and closures, and so on through modules and classes.

Code of the user and values are taken by content, installed distributions by their version, noiseproof and the standard library not at all: other digests cover them.
What has no content that could be compared is named (`unseen`).
"""

from __future__ import annotations

import dis
import functools
import hashlib
import importlib
import re
import sys
import sysconfig
import weakref
from collections.abc import Iterable
from functools import cached_property, partial
from importlib import metadata
from pathlib import Path
from types import (
    BuiltinFunctionType,
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MemberDescriptorType,
    MethodDescriptorType,
    MethodType,
    ModuleType,
    WrapperDescriptorType,
)
from typing import Any

import numpy as np

from ....mechanisms.process import Process

_PACKAGE = __name__.split(".")[0]
_PLAIN = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    bytearray,
    type(None),
    type(...),
    type(NotImplemented),
    range,
    slice,
)
# They move with every call: what they do to outcomes, `deterministic` says.
_COINS = (np.random.Generator, np.random.RandomState, np.random.BitGenerator, np.random.SeedSequence)
_NAMED = (GetSetDescriptorType, MemberDescriptorType, MethodDescriptorType, WrapperDescriptorType)
_STATELESS = ("_thread.lock", "_thread.RLock", "random.Random", "random.SystemRandom")
_OUTSIDE = re.compile(
    "open|exec|eval|compile|__import__|import_module|environ|getenv|read_[a-z]+|from_?file|memmap|loadtxt|genfromtxt|urlopen|run_path|"
    "popen|Popen|check_output|CDLL|load_module|globals|getenvb"
)
_STDLIB = tuple(Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib"))
_SKIPPED = (
    "__dict__",
    "__weakref__",
    "__doc__",
    "__module__",
    "__annotations__",
    "__slots__",
    "__builtins__",
)


class Reached:
    """`parts` by the file, or the subject, that holds them; `versions` of distributions; `modules` of the user.

    `unseen` names what has no content, `outside` what code may read or run beside what it names.
    """

    def __init__(self, subjects: Iterable[Any] = ()) -> None:
        self.parts: dict[str, hashlib.blake2b] = {}
        self.modules: dict[str, Path] = {}
        self.versions: dict[str, str] = {}
        self.unseen: dict[str, None] = {}
        self.outside: dict[str, None] = {}
        self._seen: dict[int, tuple[int, Any]] = {}  # what is held here keeps its address
        for subject in subjects:
            self._subject(subject, f"{subject.name} (function)")

    @property
    def digests(self) -> dict[str, str]:
        """One for each part."""
        return {key: part.hexdigest() for key, part in self.parts.items()}

    def _subject(self, thing: Any, key: str) -> None:
        """The code in an object of noiseproof: its own fields are told by parameters and inputs; any other object is taken whole."""
        thing = getattr(thing, "__self__", thing) if isinstance(thing, MethodType) else thing
        if isinstance(thing, list | tuple | dict):
            for one in list(thing.values() if isinstance(thing, dict) else thing)[:100]:
                self._subject(one, key)
        elif not _is_ours(type(thing).__module__):
            if callable(thing) and not _is_ours(getattr(thing, "__module__", None) or ""):
                self.visit(thing, key)
        elif id(thing) not in self._seen:
            self._seen[id(thing)] = len(self._seen), thing
            if isinstance(thing, Process):
                self._program(thing)
            self._subject(dict(getattr(thing, "__dict__", {})), key)

    def _program(self, program: Process) -> None:
        """Of another program the files that its command names; what these load is not known."""
        for word in program.command[len(program.command) > 1 :]:
            if (named := Path(word)).is_file():
                self._put(named.name, named.read_bytes())
        self.outside[f"what the program {program.__name__} loads"] = None

    def visit(self, thing: Any, key: str) -> None:
        """Take `thing` and all that it reaches into the part `key`, or those of the files that define it."""
        try:
            self._visit(thing, key)
        except RecursionError:
            self.unseen[f"{type(thing).__name__} in {key}, which is nested too deeply"] = None

    def _put(self, key: str, *words: object) -> None:
        part = self.parts.setdefault(key, hashlib.blake2b(digest_size=16))
        for word in words:
            content = word if isinstance(word, bytes) else str(word).encode("utf-8", "surrogatepass")
            part.update(len(content).to_bytes(8, "big") + content)

    def _visit(self, thing: Any, key: str) -> None:
        kind = type(thing)
        if kind in _PLAIN or isinstance(thing, np.generic):
            return self._put(key, kind.__name__, repr(thing))
        if id(thing) in self._seen:
            return self._put(key, "again", self._seen[id(thing)][0])
        self._seen[id(thing)] = len(self._seen), thing
        name = f"{kind.__module__}.{kind.__qualname__}"
        if isinstance(thing, ModuleType):
            self._module(thing)
        elif isinstance(thing, FunctionType):
            self._function(thing, key)
        elif isinstance(thing, CodeType):
            self._code(thing, key)
        elif isinstance(thing, type):
            self._class(thing, key)
        elif isinstance(thing, MethodType):
            self._all(key, "method", thing.__func__, thing.__self__)
        elif isinstance(thing, partial):
            self._all(key, "partial", thing.func, thing.args, thing.keywords)
        elif isinstance(thing, staticmethod | classmethod | functools._lru_cache_wrapper):
            self._all(key, name, thing.__wrapped__)
        elif isinstance(thing, property):
            self._all(key, name, thing.fget, thing.fset, thing.fdel)
        elif isinstance(thing, cached_property):
            self._all(key, name, thing.func)
        elif isinstance(thing, BuiltinFunctionType):
            owner = thing.__self__
            self._all(key, f"{thing.__module__}.{thing.__qualname__}", *([] if owner is None else [owner]))
        elif isinstance(thing, _NAMED):
            self._put(key, name, thing.__qualname__)
        elif isinstance(thing, (*_COINS, weakref.ref)) or name in _STATELESS:
            self._put(key, name)
        elif isinstance(thing, np.ndarray) and thing.dtype.kind != "O":
            self._put(key, thing.dtype.str, thing.shape, np.ascontiguousarray(thing).tobytes())
        elif isinstance(thing, np.ndarray):
            self._all(key, f"objects {thing.shape}", *thing.ravel().tolist())
        elif kind in (set, frozenset):
            self._put(key, name, *sorted(_alone(one) for one in thing))
        elif kind in (list, tuple):
            self._all(key, f"{name} {len(thing)}", *thing)
        elif kind is dict:
            self._all(key, f"{name} {len(thing)}", *(one for pair in list(thing.items()) for one in pair))
        else:
            self._instance(thing, key, name)
        return None

    def _all(self, key: str, name: str, *things: Any) -> None:
        self._put(key, name)
        for one in things:
            self._visit(one, key)

    def _function(self, function: FunctionType, key: str) -> None:
        # What a wrapper says of its module may be another's; a notebook has none with a file.
        name = str(function.__globals__.get("__name__"))
        home = sys.modules.get(name)
        home = home if home is not None and vars(home) is function.__globals__ else None
        if self._is_known(name, home):
            return self._put(key, name, function.__qualname__)
        own = self._module(home) or key
        cells = [c.cell_contents for c in function.__closure__ or () if _filled(c)]
        self._all(own, function.__qualname__, function.__defaults__, function.__kwdefaults__, cells)
        self._visit(function.__code__, own)
        return self._named(function.__code__, function.__globals__, own)

    def _code(self, code: CodeType, key: str) -> None:
        """Instructions, names and constants: not where the function stands, nor how its variables are called."""
        self._put(key, code.co_code, code.co_names, code.co_exceptiontable, code.co_flags, code.co_argcount)
        self._put(key, code.co_kwonlyargcount, code.co_posonlyargcount)
        self._all(key, "constants", *code.co_consts)

    def _named(self, code: CodeType, known: dict[str, Any], key: str) -> None:
        """The globals that the code and those inside of it name, and the modules that they import while they run."""
        codes, names = [code], dict[str, None]()
        for one in codes:
            codes += [c for c in one.co_consts if isinstance(c, CodeType)]
            names |= dict.fromkeys(one.co_names)
            for module in _imports(one, known):
                self._imported(module, names, key)
        for name in names:
            if name in known:
                self._put(key, name)
                self._visit(known[name], key)
                self._attributes(known[name], names, key)
            if _OUTSIDE.fullmatch(name):
                self.outside[f"what {key} reads or runs by {name}"] = None

    def _attributes(self, module: Any, names: Iterable[str], key: str) -> None:
        """What the names may say of a module of the user."""
        if isinstance(module, ModuleType) and not self._is_known(module.__name__, module):
            for name in names:
                if name in vars(module) and name not in _SKIPPED:
                    self._put(key, module.__name__, name)
                    inner = vars(module)[name]
                    fresh = id(inner) not in self._seen
                    self._visit(inner, key)
                    if fresh:
                        self._attributes(inner, names, key)

    def _imported(self, name: str, names: Iterable[str], key: str) -> None:
        top = name.partition(".")[0]
        if top in sys.stdlib_module_names or _is_ours(top):
            return
        try:
            module = importlib.import_module(name)
        except Exception as error:  # as the release would find it
            self.unseen[f"the module {name} ({type(error).__name__})"] = None
            return
        self._visit(module, key)
        self._attributes(module, names, key)

    def _class(self, kind: type, key: str) -> None:
        home = sys.modules.get(kind.__module__)
        if self._is_known(kind.__module__, home):
            return self._put(key, kind.__module__, kind.__qualname__)
        own = self._module(home) or key
        self._all(own, kind.__qualname__, *kind.__bases__)
        for name, value in list(vars(kind).items()):
            if name not in _SKIPPED and not name.startswith("_abc_"):
                self._put(own, name)
                self._visit(value, own)
        return None

    def _instance(self, thing: Any, key: str, name: str) -> None:
        kind = type(thing)
        self._visit(kind, key)
        name = f"{name} {getattr(thing, '__qualname__', '')}".rstrip()
        held = getattr(thing, "__dict__", None)
        mine = not self._is_known(kind.__module__, sys.modules.get(kind.__module__))
        made = None
        if not mine or held is None:
            try:
                made = thing.__reduce_ex__(4)
            except Exception:  # what cannot be copied says why in many ways
                if held is None:
                    self.unseen[f"the {name} in {key}"] = None
        if made is not None:
            parts = made if isinstance(made, tuple) else (made,)
            flat = [list(p) if hasattr(p, "__next__") else _stable(kind, p) for p in parts]
            return self._all(key, name, *flat)
        inside = (
            dict(thing) if isinstance(thing, dict) else list(thing) if isinstance(thing, list | tuple) else 0
        )
        return self._all(key, name, _stable(kind, held), inside)

    def _is_known(self, name: str | None, module: ModuleType | None) -> bool:
        """Whether the version of noiseproof, of Python or of a distribution stands for a module; the latter is taken down."""
        top = (name or "").partition(".")[0]
        if top in ("builtins", _PACKAGE):
            return True
        path = _path_of(module)
        if path is None:
            return name != "__main__" and top in sys.stdlib_module_names
        if not {"site-packages", "dist-packages"} & set(path.parts):
            return any(path.is_relative_to(folder) for folder in _STDLIB)
        found = _distributions().get(top, ())
        self.versions |= {one: metadata.version(one) for one in found}
        return bool(found)

    def _module(self, module: ModuleType | None) -> str:
        """The part of the file of a module of the user, whose content is taken once; empty where there is none."""
        if module is None or self._is_known(module.__name__, module):
            return ""
        path = _path_of(module)
        if path is None:
            return ""
        if id(path_key := sys.intern(str(path))) not in self._seen:
            self._seen[id(path_key)] = len(self._seen), path_key
            self._put(path.name, path.read_bytes())
            self.modules[module.__name__] = path
        return path.name


def _imports(code: CodeType, known: dict[str, Any]) -> list[str]:
    """The modules that the instructions import, by their full names."""
    found, levels = [], [0, 0]
    for one in dis.get_instructions(code):
        if one.opname == "IMPORT_NAME":
            level = levels[-2] if isinstance(levels[-2], int) else 0
            home = str(known.get("__package__") or "").split(".")
            base = home[: len(home) - level + 1] if level else []
            found.append(".".join([*base, *([one.argval] if one.argval else [])]))
        levels.append(one.argval if one.opname == "LOAD_CONST" else 0)
    return found


def _stable(kind: type, held: Any) -> Any:
    """A state without what is computed from it when it is first asked for."""
    if isinstance(held, dict):
        return {k: v for k, v in held.items() if not isinstance(getattr(kind, str(k), None), cached_property)}
    return held


def content_digest(value: Any) -> str | None:
    """16 hexadecimal digits of what `value` holds, the same in every process; None where that cannot be compared."""
    one = Reached()
    one.visit(value, "")
    return None if one.unseen else hashlib.sha256(one.digests.get("", "").encode()).hexdigest()[:16]


def _alone(thing: Any) -> str:
    one = Reached()
    one.visit(thing, "")
    return "".join(one.digests.values())


def _path_of(module: ModuleType | None) -> Path | None:
    path = getattr(module, "__file__", None)
    found = Path(path).resolve() if isinstance(path, str) else None
    return found if found is not None and found.is_file() else None


def _is_ours(name: str) -> bool:
    return name.partition(".")[0] == _PACKAGE


def _filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


@functools.cache
def _distributions() -> dict[str, list[str]]:
    return {name: sorted(set(found)) for name, found in metadata.packages_distributions().items()}
