"""The dossiers of five papers, and how all that are known are found and run: importing a paper registers its claims and rules.

A dossier lives here, in a module of the entry-point group "noiseproof.dossiers", or in a Python file whose path the user
gives; each defines DOSSIER.
"""

from __future__ import annotations

import importlib.util
import pkgutil
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib import import_module, metadata
from pathlib import Path
from typing import Any

from ...symbolic.errors import SpecError, nearest_name
from ..dossier import instances
from ..dossier.paper_claim import Dossier
from ..dossier.run import Progress, record, timed
from ..dossier.users_code import named_errors
from ..trial.schedule.local import interrupts_held
from ..trial.schedule.safe_path import loky_processes

ENTRY_POINTS = "noiseproof.dossiers"


def papers(keys: Sequence[str] = ()) -> list[Dossier]:
    """The dossiers with these keys, or at these paths ending in .py; all known ones if none is named."""
    known = _known()
    found = []
    for key in keys or sorted(known):
        if key.endswith(".py"):
            found.append(_from_file(Path(key)))
        elif key in known:
            found.append(known[key]())
        else:
            raise SpecError(f"no dossier {key!r}: {nearest_name(key, known)}; or give the path of a .py file")
    repeated = [key for key, count in Counter(dossier.key for dossier in found).items() if count > 1]
    if repeated:
        raise SpecError(f"the dossier {repeated[0]!r} is asked for twice: each writes one file, name it once")
    return found


def run_dossiers(
    keys: Sequence[str] = (), seed: int = 0, progress: Progress | None = None, workers: int = 1
) -> list[dict[str, Any]]:
    """The dossiers as JSON data; `faults` of all of them is empty exactly if the exit status is zero.

    `workers` processes share the claims: the findings are the same for any number of them.
    """
    places = tuple(map(_place, keys or sorted(_known())))
    dossiers = papers([key for key, _ in places])
    tasks = [(k, name) for k, dossier in enumerate(dossiers) for name in dossier.claims]
    found: dict[tuple[int, str], tuple[dict[str, Any], float]] = {}
    for k, name, finding, seconds in _examined(dossiers, places, tasks, seed, workers):
        found[k, name] = finding, seconds
        if progress is not None:
            progress(name, len(found), len(tasks))
    return [
        record(dossier, seed, [found[k, name] for name in dossier.claims])
        for k, dossier in enumerate(dossiers)
    ]


def rules() -> Mapping[str, instances.Rule]:
    """The rules of all papers by their names, and those registered since."""
    for name in _shipped():
        import_module(f".{name}", __name__)
    return instances.rules()


def usable_cores() -> int:
    """The cores that this process may use."""
    from joblib import cpu_count

    return int(cpu_count())


def _examined(
    dossiers: Sequence[Dossier],
    places: Sequence[tuple[str, str]],
    tasks: Sequence[tuple[int, str]],
    seed: int,
    workers: int,
) -> Iterator[tuple[int, str, dict[str, Any], float]]:
    """(dossier, claim, finding, seconds) of every task, as they are done."""
    if workers == 1:
        yield from ((k, name, *_answer(places[k][0], dossiers[k], name, seed)) for k, name in tasks)
        return
    from joblib import Parallel, delayed

    with loky_processes():
        pool = Parallel(n_jobs=workers, return_as="generator_unordered", batch_size=1, pre_dispatch="all")
        with interrupts_held():
            results = pool(delayed(_elsewhere)(places[k], k, name, seed) for k, name in tasks)
        yield from results


def _elsewhere(
    place: tuple[str, str], k: int, name: str, seed: int
) -> tuple[int, str, dict[str, Any], float]:
    return (k, name, *_answer(place[0], _opened(place), name, seed))


def _answer(place: str, dossier: Dossier, name: str, seed: int) -> tuple[dict[str, Any], float]:
    """The finding on a claim; an error in one that is not the package's own is its author's."""
    if place in _shipped():
        return timed(dossier, name, seed)
    with named_errors(place, name):
        return timed(dossier, name, seed)


def _place(key: str) -> tuple[str, str]:
    """Where another process finds the dossier, and what the file of a user holds now."""
    path = Path(key)
    if path.suffix != ".py" or not path.is_file():
        return key, ""
    return str(path.resolve()), sha256(path.read_bytes()).hexdigest()


@cache
def _opened(place: tuple[str, str]) -> Dossier:
    return papers([place[0]])[0]


def _known() -> dict[str, Callable[[], Dossier]]:
    def built(name: str) -> Callable[[], Dossier]:
        return lambda: _expect(getattr(import_module(f".{name}", __name__), "DOSSIER", None), name)

    def plugged(point: metadata.EntryPoint) -> Callable[[], Dossier]:
        def load() -> Dossier:
            with named_errors(point.value, "cannot be imported"):
                found = point.load()
            return _expect(found, point.value)

        return load

    known = {point.name: plugged(point) for point in metadata.entry_points(group=ENTRY_POINTS)}
    # What the package ships under a key is not replaced by a plug-in.
    return known | {name: built(name) for name in _shipped()}


def _shipped() -> list[str]:
    """The keys of the dossiers in the package."""
    return [module.name for module in pkgutil.iter_modules(__path__)]


def _from_file(path: Path) -> Dossier:
    if not path.is_file():
        raise SpecError(f"no file {path}: expected a Python file that defines DOSSIER")
    spec = importlib.util.spec_from_file_location(
        f"noiseproof_dossier_{re.sub(r'[^0-9A-Za-z]', '_', path.stem)}", path
    )
    if spec is None or spec.loader is None:
        raise SpecError(f"cannot import {path}: expected a Python file that defines DOSSIER")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look their module up by name while they are being defined.
    sys.modules[spec.name] = module
    with named_errors(str(path), "cannot be imported"):
        spec.loader.exec_module(module)
    return _expect(getattr(module, "DOSSIER", None), str(path))


def _expect(found: object, where: str) -> Dossier:
    if not isinstance(found, Dossier):
        raise SpecError(f"{where} must define DOSSIER = Dossier(key, title), got {type(found).__name__}")
    return found
