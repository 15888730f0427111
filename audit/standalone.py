"""The definitions on which the evaluation of a witness rests, taken out of the source into one file without noiseproof.

Starting at the evaluator, every module-level name that its code uses is followed into the module that defines it; what
comes from other libraries is imported.  The source is copied as it stands, comments and annotations included.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from typing import Any

from ..symbolic.privacy.guarantees import GUARANTEES
from ..symbolic.proof.apart import apart
from .dossier import instances
from .papers import rules
from .witnesses import evaluator_of, kinds

_PACKAGE = __name__.split(".")[0]
_DISTRIBUTIONS = {
    "flint": "python-flint",
    "sympy": "sympy",
    "mpmath": "mpmath",
    "numpy": "numpy",
    "scipy": "scipy",
}
_REGISTER = "GUARANTEES"
_DECORATORS = ("rule", "register")
# What the script of another witness of the kind never calls.
_LEFT_OUT = ("_without_optimum",)
_INNER = "<import inside of a function>"
# A script waits for its own work: it starts no process for a step.
_PLAIN = {(apart.__module__, apart.__name__): "def apart(work, step, *, here=False):\n    return work()"}
Place = tuple[str, str]


class NotStandAloneError(ValueError):
    """No script for this witness; the text says why, and what to do instead."""


@dataclass(frozen=True)
class Standalone:
    """Source that defines `evaluate(witness) -> (stands, what it says)`, and the packages that it imports."""

    source: str
    needs: tuple[str, ...]


@dataclass(frozen=True)
class _Definition:
    """A statement at the top of a module: its source and the module-level names that its code uses."""

    source: str
    uses: tuple[str, ...]


@dataclass(frozen=True)
class _Module:
    """What a module defines, and where its imported names come from: (module, name), the name "" for the module itself."""

    definitions: dict[str, _Definition]
    imported: dict[str, Place]


@dataclass
class _Collected:
    """What has been followed so far, dependencies before what uses them."""

    imports: dict[str, None] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    places: set[Place] = field(default_factory=set)
    sources: dict[Place, None] = field(default_factory=dict)
    renamed: dict[Place, str] = field(default_factory=dict)
    users: set[tuple[str, Place]] = field(default_factory=set)
    needs: set[str] = field(default_factory=set)


def standalone(witness: dict[str, Any]) -> Standalone:
    """The definitions that evaluate witnesses of this kind (and of its rule); NotStandAloneError where they cannot stand alone."""
    kind = witness.get("kind")
    if kind not in kinds():
        raise NotStandAloneError(f"unknown kind of witness {kind!r}")
    if kind == "irregular" and not witness.get("speeds"):
        raise NotStandAloneError(
            f"{kind}: the witness names a place for a reader to look at, there is nothing to compute"
        )
    if kind == "optimal value" and witness.get("found") in ("oo", "-oo"):
        raise NotStandAloneError(
            f"{kind}: that a program has no optimum is shown by solving it; use `noiseproof replay`"
        )
    if kind == "instance":
        return _of_rule(str(witness.get("rule")))
    found = _of_kind(str(kind))
    return _of_kind(str(kind), str(witness.get("predicate"))) if _REGISTER in found.source else found


@cache
def _of_kind(kind: str, guarantee: str = "") -> Standalone:
    """The evaluator, and the guarantee that it looks up in a register, by name."""
    evaluator, claimed = evaluator_of(kind), GUARANTEES.get(guarantee)
    starts, last = [(evaluator.__module__, evaluator.__name__)], f"evaluate = {evaluator.__name__}"
    if claimed is not None:
        starts.append((claimed.__module__, claimed.__name__))
        last = f"GUARANTEES[{guarantee!r}] = {claimed.__name__}\n{last}"
    return _gathered(starts, last, kind)


@cache
def _of_rule(name: str) -> Standalone:
    """The rule itself and the comparison of enclosures, without the register in which rules are looked up."""
    function = rules().get(name)
    if function is None:
        raise NotStandAloneError(f"unknown rule {name!r}")
    starts = [(function.__module__, function.__name__), (instances.__name__, "_holds")]
    return _gathered(starts, _judge(instances.__name__, function.__name__), f"instance of the rule {name!r}")


def _judge(module: str, rule: str) -> str:
    """The evaluator of instances as `evaluate`, with a call of this rule where it looks one up."""
    text = _module(module).definitions["evaluate_instance"].source
    tree = ast.parse(text)
    lines = text.splitlines()
    call = next(node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) == "compared")
    line, start, end = call.lineno - 1, call.col_offset, call.end_col_offset
    lines[line] = f'{lines[line][:start]}{rule}(witness["printed"], witness["numbers"]){lines[line][end:]}'
    first = next(node for node in ast.walk(tree) if isinstance(node, ast.arguments)).args[0]
    lines[0] = f"def evaluate({lines[0][first.col_offset :]}"
    return "\n".join(lines) + "\n"


def _gathered(starts: list[Place], last: str, what: str) -> Standalone:
    found = _Collected()
    try:
        for place in starts:
            _follow(place, found)
    except NotStandAloneError as error:
        raise NotStandAloneError(f"{what}: {error}; use `noiseproof replay`") from None
    definitions = [_renamed(source, module, found) for module, source in found.sources]
    inside = re.findall(r"^ +(?:from|import) (\w+)", "\n".join(definitions), re.MULTILINE)
    found.needs.update(_DISTRIBUTIONS[name] for name in inside if name in _DISTRIBUTIONS)
    source = "\n".join(found.imports) + "\n\n\n" + "\n\n\n".join([*definitions, last])
    return Standalone(source, tuple(sorted(found.needs)))


def _renamed(source: str, module: str, found: _Collected) -> str:
    """The source with those names replaced, its own and imported ones, that another module has taken; attributes stay."""
    for place, new in found.renamed.items():
        if place[0] == module or (module, place) in found.users:
            source = re.sub(rf"(?<![.\w]){place[1]}\b", new, source)
    return source


def _follow(place: Place, found: _Collected) -> None:
    if place in found.places:
        return
    found.places.add(place)
    module, name = place
    known = _module(module)
    definition = known.definitions.get(name)
    if definition is None:
        raise NotStandAloneError(f"{module}.{name} is not defined by one statement")
    if found.names.setdefault(name, module) != module:
        found.renamed[place] = f"{name}_{len(found.renamed) + 2}"
    if place in _PLAIN:
        found.sources[(module, _PLAIN[place])] = None
        return
    for used in definition.uses:
        if used == _INNER:
            raise NotStandAloneError(f"{module}.{name} imports inside of a function")
        if used in known.definitions and used not in _LEFT_OUT:
            _follow((module, used), found)
        elif used in known.imported:
            _import(used, known.imported[used], found, module)
    found.sources[(module, definition.source)] = None


def _import(local: str, place: Place, found: _Collected, user: str) -> None:
    module, name = place
    if module.split(".")[0] == _PACKAGE:
        if not name or f"{module}.{name}" in sys.modules or name != local:
            raise NotStandAloneError(f"{module} is used as a module, or {name} under another name")
        import_module(module)
        # A name may be passed on by the package that collects it.
        passed = _module(module).imported.get(name)
        if passed:
            return _import(local, passed, found, user)
        found.users.add((user, place))
        return _follow(place, found)
    top = module.split(".")[0]
    if top not in sys.stdlib_module_names:
        if top not in _DISTRIBUTIONS:
            raise NotStandAloneError(f"its evaluation needs {top}")
        found.needs.add(_DISTRIBUTIONS[top])
    if found.names.setdefault(local, f"import {module} {name}") != f"import {module} {name}":
        raise NotStandAloneError(f"two modules define {local}")
    plain = f"import {module}" + (f" as {local}" if local != module else "")
    found.imports[
        f"from {module} import {name}" + (f" as {local}" if local != name else "") if name else plain
    ] = None
    return None


@cache
def _module(name: str) -> _Module:
    source = inspect.getsource(sys.modules[name])
    definitions: dict[str, _Definition] = {}
    imported: dict[str, Place] = {}
    for node in ast.parse(source).body:
        if isinstance(node, ast.Import):
            for alias in node.names:
                imported[alias.asname or alias.name.split(".")[0]] = (alias.name, "")
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node, name)
            imported.update({alias.asname or alias.name: (base, alias.name) for alias in node.names})
        else:
            definition = _Definition(_source(source, node), tuple(dict.fromkeys(_uses(node))))
            definitions.update(dict.fromkeys(_defined(node), definition))
    return _Module(definitions, imported)


def _absolute(node: ast.ImportFrom, module: str) -> str:
    if not node.level:
        return node.module or ""
    package = (sys.modules[module].__package__ or "").split(".")
    base = package[: len(package) - node.level + 1]
    return ".".join([*base, *([node.module] if node.module else [])])


def _defined(node: ast.stmt) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        yield from (n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name))


def _source(source: str, node: ast.stmt) -> str:
    """The statement as it stands, without the decorators that enter it into a register."""
    text = ast.get_source_segment(source, node) or ""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        kept = [d for d in node.decorator_list if not _registers(d)]
        text = "".join(f"@{ast.get_source_segment(source, d)}\n" for d in kept) + text
    return text


def _harmless(node: ast.Import | ast.ImportFrom) -> bool:
    """Whether an import inside a function is of the standard library, or of one that a script may need."""
    names = (
        [a.name for a in node.names]
        if isinstance(node, ast.Import)
        else ["" if node.level else node.module or ""]
    )
    return all(name.split(".")[0] in {*sys.stdlib_module_names, *_DISTRIBUTIONS} for name in names)


def _called(node: ast.Call) -> str | None:
    return node.func.id if isinstance(node.func, ast.Name) else None


def _registers(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Call) and _called(decorator) in _DECORATORS


def _uses(node: ast.AST) -> Iterator[str]:
    """The names in the code of a statement; annotations are text, and an import of our own inside a function is refused."""
    if isinstance(node, ast.Import | ast.ImportFrom) and not _harmless(node):
        yield _INNER
    if isinstance(node, ast.Name) and not hasattr(builtins, node.id):
        yield node.id
    for name, child in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            # A dataclass reads this one annotation.
            if isinstance(child, ast.Subscript | ast.Name) and ast.unparse(child).startswith("ClassVar"):
                yield "ClassVar"
            continue
        for item in child if isinstance(child, list) else [child]:
            if isinstance(item, ast.AST) and not (name == "decorator_list" and _registers(item)):  # type: ignore[arg-type]
                yield from _uses(item)
