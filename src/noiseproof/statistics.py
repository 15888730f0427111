"""Statistics released from Python: the same policy, trial and folder as with a file, for a frame that is in memory."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from inspect import signature
from pathlib import Path
from typing import Any

from noiseproof.audit.release.numbers_frame import StatisticsTable, read_statistics
from noiseproof.audit.release.plan import plan
from noiseproof.audit.release.policy.models import PolicyModel
from noiseproof.audit.release.policy.reading import Policy, policy_of
from noiseproof.symbolic.errors import SpecError, came, nearest_name

_FILE = "npf.Statistics"


class Statistics:
    """A release of statistics: columns with declared domains, statistics, and limits on all of them together.

    `columns` maps names to their declaration, keys as in a policy (kind, low, high, categories, missing, undeclared; "drop"
    leaves a column out); `statistics` is a list of mappings (name, measure, column, by, where, weight, error, size, ...), or
    maps names to them. `limits` has rho, or epsilon (with delta, for "gaussian" noise). `person` and `rows_per_person` make the
    unit of privacy a person; `adjacency` is "add-or-remove" or "replace-one"; `title` is printed, paths are relative to
    `folder`. Further tables of a policy (ledger, audit, output, derived, signing) are keywords. SpecError, with the key, for
    what cannot be meant. Printed: deviations and intervals in the units of the columns.

    >>> people = npf.Statistics(
    ...     {"age": {"kind": "integer", "low": 0, "high": 120, "missing": "skip"}},
    ...     {"mean age": {"measure": "mean", "column": "age", "size": 500}},
    ...     limits={"epsilon": 1.0},
    ...     noise="laplace",
    ... )
    >>> print(people)
    mean age (mean, 1 number, 100.0% of the budget): deviation about 0.5167 in a group of 500, interval about +-2.121 with probability 0.95 at least
    """

    def __init__(
        self,
        columns: Mapping[str, Mapping[str, Any] | str],
        statistics: Mapping[str, Mapping[str, Any]] | Sequence[Mapping[str, Any]],
        *,
        limits: Mapping[str, float],
        noise: str = "gaussian",
        adjacency: str = "add-or-remove",
        person: str | None = None,
        rows_per_person: int | None = None,
        title: str = "Statistics",
        folder: str | Path = ".",
        **more: Any,
    ) -> None:
        if not isinstance(columns, Mapping):
            raise SpecError(f"expected columns as {{name: declaration}}, got {came(columns)}", key="columns")
        table: dict[str, Any] = {"path": "table.parquet"}
        if person is not None:
            table |= {"unit_of_privacy": "person", "person_key": person}
        table |= {"rows_per_person": rows_per_person}
        table |= dict(more.pop("table", {}))
        data = {
            "title": title,
            "table": {k: v for k, v in table.items() if v is not None},
            "columns": [_column(name, given) for name, given in columns.items()],
            "mechanism": {"kind": "statistics", "noise": noise, "adjacency": adjacency},
            "statistics": _listed(statistics),
            "limits": dict(limits),
            **more,
        }
        known = {*signature(type(self)).parameters, *PolicyModel.model_fields} - {"more"}
        for name in more.keys() - known:
            raise SpecError(f"unknown argument; {nearest_name(name, known)}", key=name, file=_FILE)
        try:
            made = policy_of(data, _FILE)
        except SpecError as error:
            raise SpecError(_in_python(error.message), key=error.key, file=error.file) from None
        text = json.dumps(made.public_data(), sort_keys=True)
        self.policy = Policy(
            made.model, made.file, Path(folder), f"sha256:{sha256(text.encode()).hexdigest()}"
        )

    def predict_utility(self) -> list[str]:
        """One line for each statistic: its noise, its interval and its share of the budget; no table is looked at."""
        from noiseproof.audit.release.kinds.statistics import StatisticsKind
        from noiseproof.audit.release.statistics.predicted_utility import predict_utility

        kind = plan(self.policy).kind
        assert isinstance(kind, StatisticsKind)
        return [one.line() for one in predict_utility(self.policy, kind.workload)]

    def split(self) -> list[str]:
        """How the budget was split: the program, its conditions of Karush, Kuhn and Tucker, its multipliers in words."""
        from noiseproof.audit.release.kinds.statistics import StatisticsKind

        kind = plan(self.policy).kind
        assert isinstance(kind, StatisticsKind)
        return list(kind.workload.split.lines())

    def release(self, table: Any, directory: str | Path, **options: Any) -> StatisticsTable:
        """Audit, charge, draw and write the folder, which must not exist; what comes back are the published numbers.

        `table` is a file, a folder of Parquet files, or a table of pandas, polars, pyarrow or DuckDB.  `options` are those of a
        release: progress, workers, salt, cluster.  PolicyNotMetError, and nothing is written or charged, if the audit refuses it.
        """
        from noiseproof.audit.release import release
        from noiseproof.release_command import pages

        release(self.policy, directory, table=table, pages=pages, **options)
        return read_statistics(directory)

    def __repr__(self) -> str:
        names = ", ".join(one.name for one in self.policy.model.statistics[:6])
        return f"<Statistics {self.policy.title!r}: {names}>"

    def __str__(self) -> str:
        return "\n".join(self.predict_utility())


def _in_python(said: str) -> str:
    """What is said in TOML to who writes a policy."""
    return re.sub(r"{ (\w+) = (.*?) }", r'{"\1": \2}', re.sub(r"\[\[(\w+)\]\]", r"\1", said))


def _column(name: str, given: Mapping[str, Any] | str) -> dict[str, Any]:
    if given == "drop":
        return {"name": name, "role": "drop"}
    if not isinstance(given, Mapping):
        raise SpecError(
            f'expected a declaration such as {{"kind": "integer", "low": 0, "high": 120, "missing": "skip"}}, or "drop", got {came(given)}',
            key=f"columns.{name}",
        )
    return {"role": "private", **given, "name": name}


def _listed(given: Any) -> list[dict[str, Any]]:
    if isinstance(given, Mapping):
        return [{**dict(one), "name": name} for name, one in given.items()]
    return [dict(one) for one in given]
