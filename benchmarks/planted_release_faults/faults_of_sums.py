"""Faults between the table and the exact sums: what counts, where, how much, and how many records of a person."""

from __future__ import annotations

from .fault import Edit, Fault

_AMOUNTS = "mechanisms/statistics/amounts.py"
_MEASUREMENT = "mechanisms/statistics/measurement.py"
_ROWS = "mechanisms/statistics/rows.py"
_SUMMING = "mechanisms/statistics/summing.py"
_STATISTIC = "mechanisms/statistics/statistic.py"
_READING = "audit/release/statistics/reading.py"
_RECORDS = "audit/release/statistics/records.py"
_BOUNDING = "audit/release/statistics/bounding.py"
_COMPILED = "audit/release/statistics/compiled.py"

_SUMS = ("mechanisms/statistics/test_sums.py", "releases/test_statistics_sums.py")
_PERSONS = ("releases/test_statistics_sums.py", "releases/test_statistics_streaming.py")

_CLIPS = (
    "clipped = np.clip(values, self.low, self.high)",
    "return np.asarray(np.clip(steps, self.least, self.most), dtype=np.int64)",
)

FAULTS = (
    Fault(
        "clip forgotten",
        "numbers are summed as they are, whatever their declared ends",
        (
            Edit(_AMOUNTS, _CLIPS[0], "clipped = np.clip(values, -1e15, 1e15)"),
            Edit(_AMOUNTS, _CLIPS[1], "return np.asarray(steps, dtype=np.int64)"),
        ),
        _SUMS,
        ("all ages",),
    ),
    Fault(
        "clip forgotten for whole numbers",
        "the short way for integer columns does not clip",
        (
            Edit(
                _AMOUNTS,
                "np.clip(np.asarray(values, dtype=np.int64), int(self.low), int(self.high))",
                "np.asarray(values, dtype=np.int64)",
            ),
        ),
        _SUMS,
        ("all ages",),
    ),
    Fault(
        "clip of one end",
        "numbers are clipped from above alone",
        (
            Edit(_AMOUNTS, _CLIPS[0], "clipped = np.minimum(np.maximum(values, -1e15), self.high)"),
            Edit(_AMOUNTS, _CLIPS[1], "return np.asarray(np.minimum(steps, self.most), dtype=np.int64)"),
        ),
        _SUMS,
        ("all ages",),
    ),
    Fault(
        "squares rounded beyond their ends",
        "the product of two amounts is rounded up, and its ends are not",
        (
            Edit(_AMOUNTS, "return -(-self._ends[1] >> self.shift)", "return self._ends[1] >> self.shift"),
            Edit(
                _AMOUNTS,
                "np.clip((product + half) >> self.shift, self.least, self.most)",
                "-(-product >> self.shift)",
            ),
        ),
        _SUMS,
        ("spread of pay",),
    ),
    Fault(
        "undeclared counted in the last cell",
        "a value that is not declared is counted as the last one that is: index -1",
        (Edit(_READING, "else -1, out)", "else len(declared) - 1, out)"),),
        _SUMS,
        ("all ages",),
    ),
    Fault(
        "place -1 is no place",
        "records without a value in a category are counted in the cell that index -1 leads to",
        (
            Edit(
                _MEASUREMENT,
                "outside = [place < 0 for place in places if rows.size and place.min() < 0]",
                "outside: list[Flags] = []",
            ),
            Edit(
                _MEASUREMENT,
                "return np.where(np.logical_or.reduce(outside), -1, out) if outside else out",
                "return np.where(np.logical_or.reduce(outside), -1, out % self.cells) if outside else out % self.cells",
            ),
        ),
        _SUMS,
        ("ages",),
    ),
    Fault(
        "missing counted as the low end",
        "a missing number counts as the declared low end in sums and means",
        (Edit(_MEASUREMENT, "inside &= ~absent", "pass"),),
        _SUMS,
        ("all ages",),
    ),
    Fault(
        "missing read as 0",
        "a number that is missing, and is to be left out, is read as 0",
        (Edit(_READING, "return out\n\n\n_ABSENT", "return np.where(absent, 0.0, out)\n\n\n_ABSENT"),),
        _SUMS,
        ("all ages",),
    ),
    Fault(
        "NaN in a bin",
        "a missing number is counted in a bin of histograms and quantiles",
        (Edit(_ROWS, "found[absent] = -1", "pass"),),
        _SUMS,
        ("ages",),
    ),
    Fault(
        "missing meets conditions",
        "a record without a number meets a condition on it",
        (
            Edit(_ROWS, "if absent is None else ~absent", "if True else ~absent"),
            Edit(_ROWS, "met &= values >= self.low", "met &= ~(values < self.low)"),
            Edit(_ROWS, "met &= values <= self.high", "met &= ~(values > self.high)"),
        ),
        _SUMS,
        ("mean pay",),
    ),
    Fault(
        "condition forgotten in the count of a mean",
        "the sum under a mean obeys its condition, the count does not",
        (Edit(_STATISTIC, "where = tuple(sorted({*self.where, *has}, key=repr))", "where = has"),),
        (*_SUMS, "mechanisms/statistics/test_released_numbers.py", "releases/test_statistics_draws.py"),
        ("mean pay",),
    ),
    Fault(
        "sums of 32 bits",
        "totals are kept in 32 bits and wrap around",
        (
            Edit(
                _MEASUREMENT,
                "return np.zeros((self.cells, len(self.amounts)), dtype=np.int64)",
                "return np.zeros((self.cells, len(self.amounts)), dtype=np.int32)",
            ),
        ),
        (*_SUMS, "releases/test_statistics_draws.py"),
        ("mean pay",),
    ),
    Fault(
        "last batch lost",
        "the sums leave out the last batch",
        (Edit(_SUMMING, "for rows in batches:", "for rows in list(batches)[:-1]:"),),
        _SUMS,
    ),
    Fault(
        "person bound forgotten",
        "all records of a person count",
        (Edit(_RECORDS, 'if self.policy.unit != "person":', "if True:"),),
        _PERSONS,
    ),
    Fault(
        "person bound one too many",
        "of a person one record more counts than is declared",
        (
            Edit(
                _RECORDS,
                "return crowded(pairs, self.policy.rows_of_unit)",
                "return crowded(pairs, self.policy.rows_of_unit + 1)",
            ),
        ),
        _PERSONS,
    ),
    Fault(
        "one too many of alike records",
        "of records that are alike one more counts than the bound",
        (
            Edit(
                _BOUNDING,
                "out[order] = rank < self._left[ordered]",
                "out[order] = rank <= self._left[ordered]",
            ),
        ),
        _PERSONS,
    ),
    Fault(
        "person bound by file order",
        "the first records of a person count",
        (
            Edit(
                _BOUNDING,
                "    out = np.full(rows.size, factors[0], dtype=np.uint64)\n",
                "    return np.arange(rows.size, dtype=np.uint64)\n    out = np.full(rows.size, factors[0], dtype=np.uint64)\n",
            ),
        ),
        _PERSONS,
    ),
    Fault(
        "place in the file hashed",
        "which records of a person count depends on where they stand, as well as on what they hold",
        (
            Edit(
                _BOUNDING,
                "out = np.full(rows.size, factors[0], dtype=np.uint64)",
                "out = mixed(np.arange(rows.size, dtype=np.uint64) * factors[0])",
            ),
        ),
        _PERSONS,
    ),
    Fault(
        "key of the hashes is known",
        "the records of a person that count are chosen by a hash that everybody can compute",
        (
            Edit(
                _RECORDS,
                "return np.frombuffer(os.urandom(8 * words), dtype=np.uint64)",
                "return np.arange(words, dtype=np.uint64)",
            ),
        ),
        _PERSONS,
    ),
    Fault(
        "records of a person ignored",
        "the sensitivity is that of one record, though several of a person count",
        (Edit(_COMPILED, "Unit(policy.rows_of_unit, ", "Unit(1, "),),
        _PERSONS,
    ),
    Fault(
        "replacement taken for addition",
        "where records are replaced, the sensitivity is that of adding one",
        (
            Edit(
                _MEASUREMENT,
                'return "add-or-remove" if self.resizes else "replace-one"',
                'return "add-or-remove"',
            ),
            Edit(_MEASUREMENT, 'change="remove" if self.resizes else "replace"', 'change="remove"'),
        ),
        _SUMS,
    ),
    Fault(
        "trial and sums of another adjacency",
        "the policy says replace, workload and trial take add-or-remove",
        (Edit(_COMPILED, 'model.adjacency == "add-or-remove", policy.unit', "True, policy.unit"),),
        (*_SUMS, "releases/test_statistics_draws.py"),
    ),
)
