"""The two inputs under audit: given, derived from a domain and an adjacency, or searched for; checked to be neighbours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from ....mechanisms.mechanism import Subject
from ....symbolic.domains.adjacency import Size, named
from ....symbolic.domains.box import Box
from ....symbolic.domains.domain import Domain
from ....symbolic.errors import SpecError, nearest_name
from ..memory import require_inputs, require_samples
from ..neighbours.declaration import adjacency_from, domain_from
from ..neighbours.evolution import Progress
from ..neighbours.patterns import patterns
from ..neighbours.result import SearchResult
from ..neighbours.search import FEWEST, SAMPLES, search_neighbours
from ..neighbours.space import PairSpace
from .data import Dataset, FloatArray
from .models import NeighboursSpec

KEY = "neighbours"
_SEARCH_KEYS = ("samples", "pairs", "delta")
_NO_PAIR = 'expected `inputs = [x0, x1]`, or `adjacency` = "any-two", "replace-one" or "add-or-remove"'
_NO_DOMAIN = "adjacency needs the set of possible records: give `domain = [lower, upper]` or [data]"


def inputs_of(spec: NeighboursSpec, table: Dataset | None) -> tuple[Any, Any]:
    """The pair (x0, x1) that a `[neighbours]` table describes."""
    if _is_rich(spec):
        return _rich_inputs(spec, table)
    box = domain_of(spec, table)
    if spec.inputs is not None:
        pair = _plain(spec.inputs[0]), _plain(spec.inputs[1])
        check_neighbours(pair, spec.adjacency, box)
        return pair
    if spec.adjacency is None:
        raise SpecError(_NO_PAIR, key=KEY)
    if box is None:
        raise SpecError(_NO_DOMAIN, key=KEY)
    low, high = box
    relation = named(spec.adjacency)
    if not relation.of_datasets:
        return low, high
    records = _records(spec, table)
    if table is None:
        require_inputs(records * np.size(low), f"{records:,} records", f"{KEY}.records")
    base = table.values.copy() if table is not None else np.repeat(np.asarray(low)[None], records, axis=0)
    if relation.resizes:
        return base, np.concatenate([base, np.asarray(high)[None]])
    base[0] = low
    other = base.copy()
    other[0] = high
    return base, other


def search_of(
    spec: NeighboursSpec, table: Dataset | None, seed: int, samples: int
) -> Callable[[Subject, Progress | None], SearchResult]:
    """The search that a `[neighbours]` table asks for; everything that can be wrong with it is said before it runs."""
    settings = {} if isinstance(spec.search, bool) else dict(spec.search)
    for name in settings:
        if name not in _SEARCH_KEYS:
            raise SpecError(f"unknown key; {nearest_name(name, _SEARCH_KEYS)}", key=f"{KEY}.search.{name}")
    calls = settings.get("samples", max(FEWEST, min(samples, SAMPLES)))
    pairs, delta = settings.get("pairs", 1), settings.get("delta", 0.0)
    for name, value, least in (("samples", calls, FEWEST), ("pairs", pairs, 1)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise SpecError(f"expected a whole number >= {least}, got {value!r}", key=f"{KEY}.search.{name}")
    require_samples(calls, f"{KEY}.search.samples")
    if isinstance(delta, bool) or not isinstance(delta, int | float) or not 0 <= delta < 1:
        raise SpecError(f"expected a number in [0, 1), got {delta!r}", key=f"{KEY}.search.delta")
    space, size = _space(spec, table)
    start = [] if spec.inputs is None else [_rich_inputs(spec, table)]

    def run(subject: Subject, progress: Progress | None) -> SearchResult:
        return search_neighbours(
            subject,
            space.domain,
            space.adjacency,
            size=size,
            samples=calls,
            seed=seed,
            pairs=pairs,
            delta=delta,
            start=start,
            progress=progress,
        )

    return run


def domain_of(spec: NeighboursSpec | None, table: Dataset | None) -> tuple[Any, Any] | None:
    """(lower, upper) of one record: declared here, else the bounds of the data; floats or arrays (d,)."""
    if spec is None or spec.domain is None:
        return table.domain if table is not None else None
    if isinstance(spec.domain, dict):
        domain = domain_from(spec.domain, f"{KEY}.domain")
        if not isinstance(domain, Box):
            raise SpecError("expected a box here: [lower, upper]", key=f"{KEY}.domain")
        return (domain.ends[0].item(), domain.ends[1].item()) if domain.scalar else domain.ends
    low, high = (_plain(v) for v in spec.domain)
    if np.shape(low) != np.shape(high) or not np.all(np.asarray(low) < np.asarray(high)):
        raise SpecError(
            "expected [lower, upper] of equal length with lower < upper everywhere", key=f"{KEY}.domain"
        )
    return low, high


def check_neighbours(pair: tuple[Any, Any], adjacency: str | None, box: tuple[Any, Any] | None) -> None:
    """Raise SpecError if the two inputs are equal, outside the domain or not related by the adjacency."""
    one, two = pair
    key = f"{KEY}.inputs"
    if np.shape(one) == np.shape(two) and np.all(np.asarray(one) == np.asarray(two)):
        raise SpecError("the two inputs are equal: expected neighbours that differ", key=key)
    if box is not None:
        for i, x in enumerate(pair):
            _check_inside(x, box, f"{key}[{i}]")
    relation = None if adjacency is None else named(adjacency)
    if relation is None or not relation.of_datasets:
        return
    if not relation.resizes:
        if np.ndim(one) == 0 or np.shape(one) != np.shape(two):
            raise SpecError(
                f"not neighbours: replace-one needs two data sets of the same size, got shapes "
                f"{np.shape(one)} and {np.shape(two)}",
                key=key,
            )
        changed = int(np.sum(np.any(_rows(one) != _rows(two), axis=1)))
        if changed != 1:
            raise SpecError(
                f"not neighbours: replace-one allows one differing record, got {changed}", key=key
            )
    else:
        less, more = sorted((Counter(map(bytes, _rows(x))) for x in pair), key=lambda c: c.total())
        if more.total() - less.total() != 1 or less - more:
            raise SpecError(
                "not neighbours: add-or-remove needs one data set to be the other plus one record", key=key
            )


def _is_rich(spec: NeighboursSpec) -> bool:
    """Whether the table says more than two numbers or vectors and a relation between data sets of them."""
    return isinstance(spec.domain, dict) or any(
        name in spec.model_fields_set for name in ("person", "per_person", "apart", "norm")
    )


def _space(spec: NeighboursSpec, table: Dataset | None) -> tuple[PairSpace, Size]:
    """The pairs that the table admits."""
    if spec.adjacency is None:
        raise SpecError(
            'expected "any-two", "replace-one" or "add-or-remove": which inputs are neighbours?',
            key=f"{KEY}.adjacency",
        )
    domain: Domain
    if spec.domain is not None:
        domain = domain_from(spec.domain, f"{KEY}.domain")
    elif table is not None:
        domain = Box(*table.domain)
    else:
        raise SpecError(_NO_DOMAIN, key=KEY)
    apart = None if spec.apart is None else float(spec.apart)
    try:
        relation = adjacency_from(
            spec.adjacency, person=spec.person, per_person=spec.per_person, apart=apart, norm=spec.norm
        )
        if "norm" in spec.model_fields_set and spec.apart is None:
            raise SpecError("this key goes with `apart`, the largest distance", key="norm")
        size = _size(spec, table) if relation.of_datasets else None
        return PairSpace.of(domain, relation, size), size
    except SpecError as error:
        raise error.within(key=KEY) from None


def _size(spec: NeighboursSpec, table: Dataset | None) -> Size:
    size = (
        (spec.records[0], spec.records[1])
        if isinstance(spec.records, list) and table is None
        else _records(spec, table)
    )
    if table is None:
        most = int(np.max(np.asarray(size, dtype=object)))
        require_inputs(most, f"{most:,} records", "records")
    return size


def _records(spec: NeighboursSpec, table: Dataset | None) -> int:
    if table is not None and spec.records is not None:
        raise SpecError(
            f"the data set the number of records ({len(table.values)}); remove this key", key=f"{KEY}.records"
        )
    if table is not None:
        return len(table.values)
    if spec.records is None:
        raise SpecError(f"{spec.adjacency} needs the number of records of a data set", key=f"{KEY}.records")
    if isinstance(spec.records, list):
        raise SpecError("[smallest, largest] is for a search: expected one number here", key=f"{KEY}.records")
    return spec.records


def _rich_inputs(spec: NeighboursSpec, table: Dataset | None) -> tuple[Any, Any]:
    """The given inputs as data sets or records of the domain, or the pattern that comes first."""
    space, _ = _space(spec, table)
    if spec.inputs is None:
        (candidate,) = patterns(space, np.random.default_rng(0), 1)
        return space.inputs(candidate)
    inputs = tuple(_as_input(x, space, f"{KEY}.inputs[{i}]") for i, x in enumerate(spec.inputs))
    if not space.admits(*inputs):
        raise SpecError(f"not neighbours: expected {space.sentence()}", key=f"{KEY}.inputs")
    return inputs[0], inputs[1]


def _as_input(x: Any, space: PairSpace, key: str) -> Any:
    domain = space.domain
    try:
        records = domain.rows(x) if space.adjacency.of_datasets else [x]
        outside = next((r for r in records if not domain.contains(r)), None)
    except (ValueError, TypeError) as error:
        raise SpecError(f"not an input of this domain: {error}", key=key) from None
    if outside is not None:
        raise SpecError(f"{outside!r} is no possible record: expected {domain.describe()}", key=key)
    if space.adjacency.of_datasets:
        return domain.dataset(records)
    return np.array(x, dtype=float) if isinstance(x, list) else x


def _rows(data: Any) -> FloatArray:
    array = np.asarray(data, dtype=float)
    return np.ascontiguousarray(array.reshape(array.shape[0] if array.ndim else 1, -1)) + 0.0


def _check_inside(x: Any, box: tuple[Any, Any], key: str) -> None:
    try:
        inside = bool(np.all((np.asarray(x) >= box[0]) & (np.asarray(x) <= box[1])))
    except (ValueError, TypeError):
        raise SpecError(
            f"an input of shape {np.shape(x)} does not fit records of shape {np.shape(box[0])}", key=key
        ) from None
    if not inside:
        raise SpecError("this input lies outside the declared domain: it is not a possible value", key=key)


def _plain(value: Any) -> Any:
    """Numbers stay numbers, rectangular lists of numbers become arrays, anything else stays as it is."""
    if isinstance(value, float) and not np.isfinite(value):
        raise SpecError("inputs must be finite numbers", key=KEY)
    if isinstance(value, list):
        try:
            array = np.array(value, dtype=float)
        except (ValueError, TypeError):
            return value
        if not np.all(np.isfinite(array)):
            raise SpecError("inputs must be finite numbers", key=KEY)
        return array
    return value
