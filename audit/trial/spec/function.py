"""Functions named by a user as "module:function": the only way in which a spec runs code."""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from ....symbolic.claim import Claim
from ....symbolic.errors import SpecError, nearest_name
from ....symbolic.predicates import Predicate

_NAME = re.compile(r"[^\W\d]\w*(\.[^\W\d]\w*)*:[^\W\d]\w*")


def is_function_name(text: str) -> bool:
    """Whether `text` has the form package.module:function."""
    return bool(_NAME.fullmatch(text))


def load_function(name: str, folders: Sequence[Path] = ()) -> Callable[..., Any]:
    """The function `module:function`, searched in the current directory, then in `folders`."""
    function = load_named(name, folders)
    if not callable(function):
        raise SpecError(f"{name} is of type {type(function).__name__}, expected a function")
    return function  # type: ignore[no-any-return]


def load_named(name: str, folders: Sequence[Path] = (), *, what: str = "function") -> Any:
    """What `module:name` is, searched in the current directory, then in `folders`."""
    if not is_function_name(name):
        raise SpecError(f'expected "module:function" such as "my_release:publish", got {name!r}')
    module_name, function_name = name.split(":")
    with _search_path([Path.cwd(), *folders]):
        try:
            module = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name is not None and (
                module_name == error.name or module_name.startswith(f"{error.name}.")
            ):
                raise SpecError(
                    f"no module {error.name!r}: expected {module_name.replace('.', '/')}.py in the current "
                    "directory, beside the spec or installed"
                ) from error
            raise SpecError(f"importing {module_name} failed: {error}") from error
        except Exception as error:
            raise SpecError(f"importing {module_name} failed: {type(error).__name__}: {error}") from error
    function = getattr(module, function_name, None)
    if function is None:
        # What a module hides is not offered; all that a lazy package shows is, looked up already or not.
        functions = [n for n in dir(module) if not n.startswith("_")]
        if what == "function" and not hasattr(module, "__getattr__"):
            functions = [n for n in functions if callable(getattr(module, n, None))] or functions
        raise SpecError(
            f"{module_name} has no {what} {function_name!r}; {nearest_name(function_name, functions)}"
        )
    return function


def line_of(name: str, function: Callable[..., Any]) -> int:
    """The line on which the function begins in the file of its module; 1 if it comes from elsewhere."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code.co_firstlineno if code is not None and function.__module__ == name.split(":")[0] else 1


@contextmanager
def _search_path(folders: Sequence[Path]) -> Iterator[None]:
    added = [str(folder.resolve()) for folder in folders]
    sys.path[:0] = added
    importlib.invalidate_caches()
    try:
        yield
    finally:
        for folder in added:
            if folder in sys.path:
                sys.path.remove(folder)


def _needed(function: Callable[..., Any]) -> list[str]:
    """The arguments that a call without any would lack; none where Python cannot say."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    spread = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
    return [p.name for p in parameters if p.default is p.empty and p.kind not in spread]


def claims_of(name: str, function: Callable[[], Any]) -> tuple[Claim, ...]:
    """The claims that a function without arguments returns, each with its subject."""
    wanted = "expected (subject, claims) or a list of Claim with subjects"
    needed = _needed(function)
    if needed:
        raise SpecError(
            f"{name} needs the argument{'s' * (len(needed) > 1)} {', '.join(needed)}, and is called without any: {wanted} from a "
            f'function without arguments; a release is named in a spec, [mechanism] function = "{name}" (`noiseproof init`)'
        )
    try:
        result = function()
    except Exception as error:
        raise SpecError(f"{name}() raised {type(error).__name__}: {error}") from error
    subject = None
    if isinstance(result, tuple) and len(result) == 2 and not isinstance(result[0], Claim):
        subject, result = result
    found = list(result) if isinstance(result, list | tuple) else [result]
    claims: list[Claim] = []
    for i, entry in enumerate(found):
        if isinstance(entry, Predicate):
            entry = Claim(entry)
        if not isinstance(entry, Claim):
            raise SpecError(f"{name}() returned {type(entry).__name__} as claim {i}: {wanted}")
        claim = entry.of(subject)
        if claim.subject is None:
            raise SpecError(f"{name}() returned claim {i} without a subject: {wanted}")
        claims.append(claim)
    return tuple(claims)
