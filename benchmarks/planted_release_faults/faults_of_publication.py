"""Faults after the draw, and around it: what is published, what is charged, what is said when it goes wrong."""

from __future__ import annotations

from .fault import Edit, Fault

_KIND = "audit/release/kinds/statistics.py"
_RELEASING = "audit/release/releasing.py"
_BOOKING = "audit/release/booking.py"
_READING = "audit/release/statistics/reading.py"

_FOLDER = ("releases/test_whole_folder.py", "releases/test_statistics_draws.py")
_LEDGER = (
    "releases/test_statistics_draws.py",
    "ledger/test_interrupted_releases.py",
    "releases/test_release_booking.py",
)
_ROWS = "        rows = [record_of(self.workload, s, figure) for s, figure in self.workload.figures(drawn)]\n"
_DRAW = "        drawn = self.workload.draw(totals, bits)\n"
_FACTS = 'lambda: {"results": rows[:SHOWN]}'
_EXACT = "        exact = next(iter(totals.values()))[:, 0]\n"
_CHARGE = "charge = None if booking is None else charged(booking)\n"
_WRITTEN = "records = rows if drawn.records is None else drawn.records\n"


def _after(more: str) -> tuple[Edit, ...]:
    """Something done to the rows that are published, which knows the exact counts of the first statistic."""
    return (Edit(_KIND, _ROWS, _ROWS + _EXACT + more),)


FAULTS = (
    Fault(
        "groups discovered",
        "groups without a record are not published",
        _after("        rows = [r for i, r in enumerate(rows) if i >= len(exact) or exact[i] > 0]\n"),
        _FOLDER,
    ),
    Fault(
        "order by exact counts",
        "the largest groups come first",
        _after("        rows[: len(exact)] = [rows[i] for i in exact.argsort(kind='stable')]\n"),
        _FOLDER,
    ),
    Fault(
        "suppression by exact counts",
        "small groups are marked by their exact count",
        _after(
            "        rows[: len(exact)] = [{**r, 'suppressed': bool(n < 90)} for r, n in zip(rows, exact)]\n"
        ),
        _FOLDER,
    ),
    Fault(
        "interval by exact counts",
        "the interval of a count is the noisy count and the exact one",
        _after(
            "        rows[: len(exact)] = [{**r, 'low': min(float(n), r['value']), 'high': max(float(n), r['value'])}"
            " for r, n in zip(rows, exact)]\n"
        ),
        _FOLDER,
    ),
    Fault(
        "number of records in the manifest",
        "the number of records, which is private, stands in the manifest",
        (
            Edit(
                _KIND,
                _FACTS,
                'lambda: {"results": [{**rows[0], "of": int(next(iter(totals.values())).sum())}, *rows[1:SHOWN]]}',
            ),
        ),
        _FOLDER,
    ),
    Fault(
        "size of the file",
        "the size of the released file depends on the exact counts",
        _after("        rows[0] = {**rows[0], 'noise': rows[0]['noise'] + ' ' * int(exact[0] % 97)}\n"),
        _FOLDER,
    ),
    Fault(
        "drawn again until it looks right",
        "noise is drawn again until no count is far from the exact one, at no charge",
        (
            Edit(
                _KIND,
                _DRAW,
                "        part, drawn = self.workload.parts[0], self.workload.draw(totals, bits)\n"
                "        while abs(drawn[part][1] - totals[part.measurement]).max() > 1:\n    " + _DRAW,
            ),
        ),
        _FOLDER,
    ),
    Fault(
        "a second try that is not charged",
        "where writing fails the release is drawn again under one charge",
        (
            Edit(
                _RELEASING,
                "                rows = write_table(data, planned.kind.schema, drawn.batches, policy.model.output)\n",
                "                try:\n"
                "                    rows = write_table(data, planned.kind.schema, drawn.batches, policy.model.output)\n"
                "                except Exception:\n"
                "                    data.unlink(missing_ok=True)\n"
                "                    with draw(bits) as drawn:\n"
                "                        rows = write_table(data, planned.kind.schema, drawn.batches, policy.model.output)\n",
            ),
        ),
        _LEDGER,
    ),
    Fault(
        "charged after writing",
        "the ledger is charged once the file is written",
        (
            Edit(_RELEASING, "            " + _CHARGE, ""),
            Edit(
                _RELEASING,
                "                " + _WRITTEN,
                "                " + _WRITTEN + "            " + _CHARGE,
            ),
        ),
        _LEDGER,
    ),
    Fault(
        "not charged",
        "the ledger is asked whether the cost fits, and nothing is entered",
        (Edit(_RELEASING, _CHARGE, "charge = None\n"),),
        _LEDGER,
    ),
    Fault(
        "charged half",
        "half of the cost is entered in the ledger",
        (
            Edit(
                _KIND, "return Cost.pure(self.spent, **common)", "return Cost.pure(self.spent / 2, **common)"
            ),
            Edit(
                _KIND,
                "return Cost.zcdp(self.spent, approximate=approximate, **common)",
                "return Cost.zcdp(self.spent / 2, approximate=approximate, **common)",
            ),
        ),
        _LEDGER,
    ),
    Fault(
        "charge given back",
        "the entry is reserved and never settled",
        (Edit(_BOOKING, "    ledger.settle(number)\n", ""),),
        _LEDGER,
    ),
    Fault(
        "released whatever the trial says",
        "the findings of the trial are not looked at",
        (
            Edit(
                _RELEASING,
                "    if reasons:\n        raise PolicyNotMetError(*reasons)\n    charge",
                "    charge",
            ),
        ),
        ("releases/test_release_run.py", "releases/test_statistics_draws.py"),
    ),
    Fault(
        "a number in a message",
        "the message about a record that is refused says how many there are",
        (
            Edit(
                "audit/release/tables/screening.py",
                "column {column.name!r}, record {record}: {what}",
                "column {column.name!r}, record {record}, {bad.sum()} of {len(bad)}: {what}",
            ),
        ),
        ("releases/test_statistics_sums.py", "releases/test_whole_folder.py"),
    ),
)
