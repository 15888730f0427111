"""The subjects of a spec: a mechanism by name or a user's function, one for each value of a sweep."""

from __future__ import annotations

import inspect
import itertools
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from ....mechanisms import MECHANISMS
from ....mechanisms.black_box import BlackBox
from ....mechanisms.mechanism import Mechanism
from ....mechanisms.mutant import Mutant
from ....mechanisms.queries import BoundedQuery
from ....symbolic.domains.adjacency import named
from ....symbolic.errors import SpecError, nearest_name
from ....symbolic.predicates import Predicate
from ....symbolic.proof.expressions import ExpressionError, parse
from ..neighbours.evolution import Progress
from ..neighbours.result import SearchResult
from .controls import automatic_factor
from .data import Dataset
from .function import load_function
from .models import MechanismSpec, NeighboursSpec, SpecModel
from .neighbours import domain_of, inputs_of, search_of
from .stated_subject import is_stated, stated_subject

MAX_SUBJECTS = 100
# "lambda" is the paper's symbol but no Python identifier.
ALIASES = {"lambda": "lam"}


@dataclass(frozen=True, eq=False)
class Candidate:
    """One point of the sweep: the parameters as written, and the way to its subject."""

    values: Mapping[str, Any]
    swept: tuple[str, ...]
    mechanism: Mechanism | None
    make: Callable[[float, str], Any]
    search: Callable[[], SearchResult] | None = None

    def subject(self, factor: float = 1.0, about: str = "code") -> Any:
        """The subject, the noise of its law or of its code alone divided by `factor`; cached."""
        return self.make(factor, about)

    def factor(self, given: Any, predicate: Predicate, about: str, samples: int, alpha: float) -> float:
        """The factor of a control, from a number > 1 or "auto"."""
        if self.mechanism is None:
            raise SpecError(
                "a function has no noise to divide: state a claim that is false, without noise_factor",
                key="noise_factor",
            )
        if given != "auto":
            if not (math.isfinite(given) and given > 1):
                raise SpecError(f'expected a number > 1 or "auto", got {given!r}', key="noise_factor")
            return float(given)
        try:
            return automatic_factor(self.mechanism, predicate, about, samples, alpha)
        except TypeError as error:
            raise SpecError(str(error), key="noise_factor") from None

    def names(self, table: Dataset | None) -> dict[str, Any]:
        """What a formula may refer to: the numbers among the parameters, and the size of the data."""
        names: dict[str, Any] = {}
        if table is not None:
            names["records"], names["columns"] = table.values.shape
        if self.mechanism is not None:
            names |= {
                k: v
                for k, v in self.mechanism.parameters().items()
                if _is_number(v) and k not in ALIASES.values()
            }
        return names | {k: v for k, v in self.values.items() if _is_number(v)}

    def label(self) -> str:
        """The swept parameters in words."""
        return ", ".join(f"{k} = {_text(self.values[k])}" for k in self.swept)


def candidates(
    model: SpecModel,
    table: Dataset | None,
    folder: Path,
    *,
    seed: int = 0,
    samples: int = 100_000,
    progress: Progress | None = None,
) -> tuple[Candidate, ...]:
    """One candidate for each combination of the swept values, in the order of the file.

    `seed`, `samples` (by default as many calls as the audit's) and `progress` are those of a search for neighbours,
    which runs when the subject or the result is first asked for.
    """
    if model.derive is not None and not is_stated(model):
        raise SpecError(
            "this says what is derived of a law, and there is no [model], [program] or [query]: leave it out",
            key="derive",
        )
    if is_stated(model):
        return (Candidate({}, (), None, partial(_always, stated_subject(model, folder))),)
    if model.code is not None:
        raise SpecError("this table goes with [model] only", key="code")
    spec = model.mechanism
    if spec is None:
        raise SpecError(
            'this key is missing: expected [mechanism] with name = "laplace" or function = "module:function", or [model] with a law, [program], [query]',
            key="mechanism",
        )
    if (spec.name is None) == (spec.function is None):
        raise SpecError(
            'expected exactly one of name = "laplace" and function = "module:function"', key="mechanism"
        )
    if spec.name is not None:
        return _named(spec, model.neighbours, table)
    return _user(spec, model.neighbours, table, folder, seed, samples, progress)


def _named(
    spec: MechanismSpec, neighbours: NeighboursSpec | None, table: Dataset | None
) -> tuple[Candidate, ...]:
    name = spec.name or ""
    if name not in MECHANISMS:
        raise SpecError(f"unknown mechanism {name!r}; {nearest_name(name, MECHANISMS)}", key="mechanism.name")
    for key in _OF_FUNCTIONS:
        if key in spec.model_fields_set:
            raise SpecError("this key goes with `function` only", key=f"mechanism.{key}")
    kind = MECHANISMS[name]
    accepted = inspect.signature(kind).parameters
    shown = {next((a for a, p in ALIASES.items() if p == key), key): key for key in accepted}
    for key in spec.parameters:
        if key not in shown and key not in accepted:
            raise SpecError(
                f"unknown parameter of {name}; {nearest_name(key, shown)}", key=f"mechanism.{key}"
            )
    arrays = {key for key, python in shown.items() if _is_array(accepted[python])}
    formulas = {
        key
        for key, python in shown.items()
        if re.search(r"\b(float|int|ArrayLike)\b", str(accepted[python].annotation))
    }
    given = _from_context(kind, accepted, neighbours, table)
    for key in given.keys() & {ALIASES.get(k, k) for k in spec.parameters}:
        if key in ("adjacency", "domain") and neighbours is not None:
            raise SpecError(f"{key} is given in [neighbours] as well: keep one", key=f"mechanism.{key}")
    points = []
    for values, swept in _sweep(spec.parameters, arrays):
        values = _read_formulas(values, formulas, table)
        arguments = given | {ALIASES.get(k, k): v for k, v in values.items()}
        missing = [
            k
            for k, p in shown.items()
            if accepted[p].default is inspect.Parameter.empty and p not in arguments
        ]
        if missing:
            raise SpecError(
                f"{name} needs {', '.join(missing)}; its parameters are {', '.join(shown)}", key="mechanism"
            )
        try:
            mechanism = kind(**arguments)
        except (ValueError, TypeError) as error:
            raise SpecError(f"{name}: {error}", key="mechanism") from error
        candidate = Candidate(
            values, swept, mechanism, cache(partial(_with_noise, mechanism, neighbours, table))
        )
        if swept:
            mechanism.name = f"{mechanism.name} ({candidate.label()})"
        points.append(candidate)
    return tuple(points)


def _from_context(
    kind: type[Mechanism],
    accepted: Mapping[str, Any],
    neighbours: NeighboursSpec | None,
    table: Dataset | None,
) -> dict[str, Any]:
    """Constructor arguments that data and neighbours settle: the domain, the records, the relation."""
    given: dict[str, Any] = {}
    box = domain_of(neighbours, table)
    if box is not None and "domain" in accepted:
        given["domain"] = box
    if table is not None and "records" in accepted:
        given["records"] = table.values
    if box is not None and issubclass(kind, BoundedQuery):
        if np.size(box[0]) != 1:
            raise SpecError(
                f"{kind.name} answers about one column, got {np.size(box[0])}", key="data.columns"
            )
        given["lower"], given["upper"] = (float(np.ravel(v)[0]) for v in box)
        if table is not None and "count" in accepted:
            given["count"] = len(table.values)
    if neighbours is None:
        return given
    if neighbours.search is not False:
        raise SpecError(
            "a search goes with `function` only: a mechanism brings its worst neighbours",
            key="neighbours.search",
        )
    if neighbours.domain is not None and "domain" not in given and "lower" not in given:
        raise SpecError(
            f"{kind.name} takes no domain: its neighbours follow from its parameters", key="neighbours.domain"
        )
    if neighbours.inputs is None and neighbours.adjacency is not None:
        records = named(neighbours.adjacency).of_datasets
        if "adjacency" in accepted and records:
            given["adjacency"] = neighbours.adjacency
        elif not ("domain" in accepted and not records):
            raise SpecError(
                f"{kind.name} does not know the relation {neighbours.adjacency!r}; leave it out (the "
                "mechanism brings its neighbours) or give inputs = [x0, x1]",
                key="neighbours.adjacency",
            )
    if neighbours.records is not None:
        raise SpecError("this key goes with `function` only", key="neighbours.records")
    return given


def _with_noise(
    mechanism: Mechanism, neighbours: NeighboursSpec | None, table: Dataset | None, factor: float, about: str
) -> Any:
    """The mechanism, or its release on the two inputs that the spec insists on.

    A control about code keeps the declared law: else a proof would find the fault and the attack would idle.
    """
    changed = mechanism
    if factor != 1.0:
        try:
            changed = (
                mechanism.with_noise_divided_by(factor)
                if about == "law"
                else Mutant.noise_divided_by(mechanism, factor)
            )
        except TypeError as error:
            raise SpecError(str(error), key="noise_factor") from None
    if neighbours is None or neighbours.inputs is None:
        return changed
    inputs = inputs_of(neighbours, table)
    for i, x in enumerate(inputs):
        try:
            mechanism.law(x)
        except (ValueError, TypeError) as error:
            raise SpecError(str(error), key=f"neighbours.inputs[{i}]") from None
    _check_distance(mechanism, inputs)
    shown = ", ".join(f"{k} = {v}" for k, v in mechanism.parameters().items() if _is_number(v))
    return BlackBox(changed.release, inputs, changed.log_density, name=f"{changed.name} ({shown})")


_OF_FUNCTIONS = ("call", "declared_noise", "timing", "processes", "types")
_NORMS: dict[str, float] = {"laplace": 1, "gaussian": 2, "cosine-squared": np.inf}


def _check_distance(mechanism: Mechanism, inputs: tuple[Any, Any]) -> None:
    norm = _NORMS.get(mechanism.name)
    if norm is None:
        return
    allowed = float(mechanism.parameters()["sensitivity"])
    apart = float(np.linalg.norm(np.ravel(inputs[0]) - np.ravel(inputs[1]), norm))
    if apart > allowed * (1 + 1e-12):
        raise SpecError(
            f"not neighbours: {apart:g} apart, the sensitivity is {allowed:g}", key="neighbours.inputs"
        )


def _user(
    spec: MechanismSpec,
    neighbours: NeighboursSpec | None,
    table: Dataset | None,
    folder: Path,
    seed: int,
    samples: int,
    progress: Progress | None,
) -> tuple[Candidate, ...]:
    name = spec.function or ""
    if neighbours is None:
        raise SpecError(
            "a function needs [neighbours]: inputs = [x0, x1], or a domain and an adjacency", key="neighbours"
        )
    for key in ("timing", "processes"):
        if getattr(spec, key) and neighbours.search is not False:
            raise SpecError("this key goes with given inputs, not with a search", key=f"mechanism.{key}")
    run = None if neighbours.search is False else search_of(neighbours, table, seed, samples)
    inputs = inputs_of(neighbours, table) if run is None else (None, None)
    try:
        function = load_function(name, (folder,))
    except SpecError as error:
        raise error.within(key="mechanism.function") from error.__cause__
    construct = BlackBox if spec.call == "batch" else BlackBox.single
    points = []
    for values, swept in _sweep(spec.parameters, arrays=set()):
        arguments = {ALIASES.get(k, k): v for k, v in values.items()}
        _check_call(function, spec.call, arguments, name)
        shown = ", ".join(f"{k} = {v}" for k, v in values.items())
        title = f"{name} ({shown})" if shown else name
        asked = {key: getattr(spec, key) for key in ("timing", "processes", "types")}
        noise = spec.declared_noise
        box = construct(partial(function, **arguments), inputs, name=title, noise=noise, **asked)
        if run is None:
            points.append(Candidate(values, swept, None, partial(_always, box)))
        else:
            search = cache(partial(run, box, progress))
            points.append(Candidate(values, swept, None, cache(partial(_found, search)), search))
    return tuple(points)


def _always(subject: Any, _factor: float, _about: str) -> Any:
    return subject


def _found(search: Callable[[], SearchResult], _factor: float, _about: str) -> BlackBox:
    return search().subject()


def _check_call(function: Callable[..., Any], call: str, arguments: Mapping[str, Any], name: str) -> None:
    positional = ("data", "size", "rng") if call == "batch" else ("data",)
    try:
        inspect.signature(function).bind(*positional, **arguments)
    except TypeError as error:
        extra = "".join(f", {k}" for k in arguments)
        raise SpecError(
            f"{name} cannot be called as f({', '.join(positional)}{extra}): {error}", key="mechanism.function"
        ) from None
    except ValueError:
        return  # a builtin without a signature: the first call will tell


def _sweep(parameters: Mapping[str, Any], arrays: set[str]) -> list[tuple[dict[str, Any], tuple[str, ...]]]:
    """All combinations: a list is a sweep unless the parameter is an array; { sweep = [...] } always is."""
    choices: dict[str, list[Any]] = {}
    swept = []
    for key, value in parameters.items():
        options = None
        if isinstance(value, dict):
            if set(value) != {"sweep"} or not isinstance(value["sweep"], list):
                raise SpecError("expected a value or { sweep = [...] }", key=f"mechanism.{key}")
            options = value["sweep"]
        elif isinstance(value, list) and key not in arrays:
            options = value
        if options is not None:
            if not options:
                raise SpecError(
                    "an empty list sweeps over nothing: expected at least one value", key=f"mechanism.{key}"
                )
            if any(isinstance(o, list | dict) for o in options) and key not in arrays:
                raise SpecError("expected a list of numbers", key=f"mechanism.{key}")
            swept.append(key)
        choices[key] = options if options is not None else [value]
    if math.prod(len(c) for c in choices.values()) > MAX_SUBJECTS:
        raise SpecError(f"the sweep has more than {MAX_SUBJECTS} combinations", key="mechanism")
    return [
        (dict(zip(choices, combination, strict=True)), tuple(swept))
        for combination in itertools.product(*choices.values())
    ]


def _read_formulas(values: Mapping[str, Any], formulas: set[str], table: Dataset | None) -> dict[str, Any]:
    """Texts in the place of numbers are formulas in the other numbers and in `records`, `columns`."""
    names: dict[str, Any] = {k: v for k, v in values.items() if _is_number(v)}
    if table is not None:
        names = {"records": table.values.shape[0], "columns": table.values.shape[1], **names}
    read = dict(values)
    for key, value in values.items():
        if isinstance(value, str) and key in formulas:
            try:
                exact = parse(value, names)
            except ExpressionError as error:
                raise SpecError(str(error), key=f"mechanism.{key}") from None
            read[key] = int(exact) if exact.is_Integer else float(exact)
    return read


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_array(parameter: inspect.Parameter) -> bool:
    return bool(re.search(r"ArrayLike|NDArray|tuple|Sequence|list", str(parameter.annotation)))


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
