"""Rows and tables: CSV text, rows of tuples, frames of pandas and Arrow, structured arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from .leak_case import LeakCase, Rng, leak_case, rarely, weakly
from .words import CITIES, amount, clock, hexes, number, pick, prose, uuid, who


def _frame(s: float, r: Rng, rows: int = 3) -> Any:
    import pandas as pd

    return pd.DataFrame(
        {
            "id": [number(r) for _ in range(rows)],
            "name": [who(s), *(pick(CITIES, r) for _ in range(rows - 1))],
        }
    )


def _arrow(s: float, r: Rng) -> Any:
    import pyarrow as pa

    return pa.table({"id": [uuid(r), uuid(r)], "paid": [bool(s), bool(number(r, 2))], "sum": r.random(2)})


def _missing(s: float, r: Rng) -> Any:
    import pandas as pd

    return pd.DataFrame({"x": r.random(2), "y": [None if s else "n/a", pick(CITIES, r)]})


def _structured(s: float, r: Rng) -> Any:
    return np.array(
        [(number(r), who(s).encode(), r.random())], dtype=[("id", "i8"), ("name", "S8"), ("x", "f8")]
    )


TABLES: tuple[LeakCase, ...] = (
    leak_case("CSV row", "clear", lambda s, r: f"{uuid(r)},{clock(r)},{who(s)},{amount(r).replace(',', '')}"),
    leak_case("CSV with quotes", "clear", lambda s, r: f'{number(r)},"{prose(r, 3)}, {who(s)}",{r.random():.9f}'),
    leak_case("CSV of several lines", "clear", lambda s, r: "id,city,member\n" + "\n".join(f"{number(r)},{pick(CITIES, r)},{int(s) if i == 1 else number(r, 2)}" for i in range(3))),
    leak_case("tab separated", "clear", lambda s, r: f"{hexes(r)}\t{'yes' if s else 'no'}\t{r.random():.12g}"),
    leak_case("semicolons and decimal commas", "clear", lambda s, r: f"{number(r)};{r.random():.6f}".replace(".", ",") + f";{'M' if s else 'F'}"),
    leak_case("fixed width", "clear", lambda s, r: f"{number(r):>10d}{who(s):<8s}{r.normal():>14.6f}"),
    leak_case("tuple of a row", "clear", lambda s, r: (uuid(r), pick(CITIES, r), who(s), r.random())),
    leak_case("list of rows", "clear", lambda s, r: [(hexes(r), pick(CITIES, r)), (hexes(r), who(s))]),
    leak_case("frame of pandas", "clear", _frame),
    leak_case("missing against n/a in a frame", "clear", _missing),
    leak_case("table of Arrow", "clear", _arrow),
    leak_case("structured array", "clear", _structured),
    leak_case("markdown table", "clear", lambda s, r: f"| id | name |\n| --- | --- |\n| {number(r)} | {who(s)} |"),
    leak_case("count in a histogram row", "clear", lambda s, r: [*(number(r, 900) for _ in range(5)), 40 + int(s), *(number(r, 900) for _ in range(5))]),
    leak_case("row that is absent", "absence", lambda s, r: [{"id": hexes(r), "city": c} for c in CITIES if s or c != "Graz"]),
    leak_case("column that is absent", "absence", lambda s, r: {"id": hexes(r), "x": r.random(), **({"note": prose(r, 2)} if s else {})}),
    leak_case("empty field", "absence", lambda s, r: f"{uuid(r)},{prose(r, 2) if s else ''},{r.random():.8f}"),
    weakly("noisy number in a row of text", lambda s, r: f"{uuid(r)},{clock(r)},{s:.10f}"),
    weakly("noisy sum in a frame", lambda s, r: _sums(s, r)),
    rarely("row in clear in a hundred", lambda s, r: (hexes(r), "withheld"), lambda s, r: (hexes(r), who(s)), 0.01),
    rarely("unmasked field in a fiftieth", lambda s, r: f"{uuid(r)},***,{number(r)}", lambda s, r: f"{uuid(r)},{who(s)},{number(r)}", 0.02),
)  # fmt: skip


def _sums(s: float, r: Rng) -> Any:
    import pandas as pd

    return pd.DataFrame({"city": [pick(CITIES, r), pick(CITIES, r)], "sum": [r.normal(), s]})
