"""OpenDP's contingency tables: the two-way marginals measured together and made consistent by Private-PGM."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np
import opendp.prelude as dp

from .command import main
from .opendp_peer import context, frame
from .scoring import from_draws
from .workloads import CATEGORIES, GROUPS, MARGINALS, read

logging.disable(logging.WARNING)
DRAWS = int(sys.argv[4]) if len(sys.argv) > 4 else 4


def asked(whole: Any, group: str) -> Any:
    """All marginals of the group in one query over exhaustive keys, each with the same weight."""
    queries = [dp.mbi.Count(statistic.by) for statistic in GROUPS[group]]
    return (
        whole.query()
        .select(*MARGINALS)
        .contingency_table(
            keys={name: list(CATEGORIES[name]) for name in MARGINALS}, algorithm=dp.mbi.Fixed(queries=queries)
        )
    )


def answers(table: Any, group: str) -> list[np.ndarray]:
    """Each marginal in the order of its cells; the null category that the table adds is left out."""
    found = []
    for statistic in GROUPS[group]:
        cells = np.asarray(table.project(statistic.by))
        inside = tuple(slice(0, len(CATEGORIES[name])) for name in statistic.by)
        found.append(cells[inside].ravel())
    return found


def errors(claim: str, group: str) -> Iterator[dict[str, Any]]:
    statistics = GROUPS[group]
    data, columns = frame(statistics), read("adult")
    drawn = [answers(asked(context(claim, data, 1), group).release(), group) for _ in range(DRAWS)]
    for i, statistic in enumerate(statistics):
        yield from_draws(statistic, columns, np.array([one[i] for one in drawn]), "drawn by the peer") | {
            "variant": "contingency table (Private-PGM)"
        }


def release(claim: str, group: str) -> None:
    answers(asked(context(claim, frame(GROUPS[group]), 1), group).release(), group)


if __name__ == "__main__":
    main("OpenDP mbi", "opendp", errors, release, ("pure", "zcdp"))
