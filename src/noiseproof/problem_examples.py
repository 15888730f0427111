"""Programs and queries that `noiseproof derive --example` and `init --kind` write, beside the models: each runs as it is."""

from __future__ import annotations

from noiseproof import model_examples

_PROGRAM = """\
# A program: what is minimised or maximised, over which numbers, under which relations, for which parameters.
# Derive it with:  noiseproof derive THIS_FILE
# Exit code 0: solved, and proved; 1: infeasible, unbounded or not attained, which is proved too; 4: something is unknown.
"""
_QUERY = """\
# A query: what is released of the records, and how far the answers of neighbouring data sets may be apart.
# Derive it with:  noiseproof derive THIS_FILE
# Exit code 0: the sensitivity, or a proved bound; 1: it is infinite, which is proved; 4: something is unknown.
"""

PROGRAM = (
    _PROGRAM
    + """
[program]
name = "the nearest of two shares"
# A formula in the variables and the parameters: + - * / **, and exp, log, sqrt, abs, min, max, ... (maximise = instead)
# Numbers are read as the decimals that are written: 0.1 is one tenth.
minimise = "(x - t)**2 + 2*(y - 1)**2"
# ["x", "y"] are any real numbers; a table says of each: real, nonnegative, positive, integer, nonnegative integer.
over = { x = "nonnegative", y = "real" }
# Relations: <=, >= and ==; a chain is several of them.
subject_to = [
  "x + y == 1",
  "0 <= y <= 2",
  # "norm([x, y], l2) <= 3",                  norms l1, l2, max
  # { psd = [["x", 1], [1, "y"]] },           a matrix that is positive semidefinite, by its rows
]
# function = "my_module:program"              instead of all of this: a Program that Python code returns

# One table for each name in the formulas that is no variable. What is derived holds on the whole domain.
[program.parameters.t]
domain = ["-oo", "oo"]    # between the ends, which do not belong to it

[derive]
at = { t = 0.5 }          # for the pictures
seconds = 30              # limit of each derivation

# What you claim of it can stand here too; `noiseproof audit THIS_FILE` then proves or refutes it:
#   [[claims]]
#   predicate = "minimiser"           # or "optimal-value", with value = a formula in the parameters
#   point = { x = "max(0, min(1, t/3))", y = "1 - max(0, min(1, t/3))" }
"""
)

QUERY = (
    _QUERY
    + """
[query]
name = "the sum of clipped products"
# A formula of the numbers of the records, a list of formulas, or rows of a matrix.
value = "max(-1, min(1, x*y))"
# Of how many records: the numbers of one record, with each = "sum" or "mean" over n of them;
# or of every record, as in records = [["x1", "y1"], ["x2", "y2"]] without each.
records = [["x", "y"]]
each = "sum"
n = 100
# Where a record lies: [lower, upper], as in [0, 1] or [0, "oo"], or a table with kind = "box", "ball", "simplex",
# "categorical", "table" or "intervals" (ends = [[0, 1], [0, "oo"]]).
domain = { kind = "box", low = [0, -2], high = [1, 2] }
norm = "l1"                  # l1, l2, max; of matrices frobenius, spectral, max
adjacency = "replace-one"    # or "add-or-remove", "any-two"
# named = "median"           # instead of value, records and each: one of noiseproof.queries, with
# arguments = {}             # what it takes, by its names

[derive]
seconds = 30                 # limit of the derivation
tolerance = 1e-6             # widest relative distance of the two ends

# What you claim of it can stand here too; `noiseproof audit THIS_FILE` then proves or refutes it:
#   [[claims]]
#   predicate = "sensitivity-bound"
#   value = 2
"""
)

SVM = (
    _PROGRAM
    + """
# A classifier w1*x1 + w2*x2 + b with soft margins: two points of class +1, (2, 2) and (3, 2), and two of class -1, (0, 0) and (0, -1).

[program]
name = "a soft-margin support vector machine"
minimise = "(w1**2 + w2**2)/2 + s1 + s2 + s3 + s4"
over = { w1 = "real", w2 = "real", b = "real", s1 = "nonnegative", s2 = "nonnegative", s3 = "nonnegative", s4 = "nonnegative" }
subject_to = [
  "2*w1 + 2*w2 + b >= 1 - s1",
  "3*w1 + 2*w2 + b >= 1 - s2",
  "-b >= 1 - s3",
  "-(-w2 + b) >= 1 - s4",
]
"""
)

AVERAGE = (
    _QUERY
    + """
# The average of 100 incomes, each between 0 and 50 (thousands).

[query]
name = "the average of 100 incomes"
value = "income"
records = ["income"]
each = "mean"
n = 100
domain = [0, 50]
norm = "l1"
adjacency = "replace-one"
"""
)

WATER_FILLING = (
    _PROGRAM
    + """
# A total P is split over two channels, of which the second is better by d. For which P and d is the first one used at all?

[program]
name = "water-filling over two channels"
maximise = "log(1 + p) + log(1 + d + q)"
over = { p = "nonnegative", q = "nonnegative" }
subject_to = ["p + q <= P"]

[program.parameters.P]
domain = [0, "oo"]

[program.parameters.d]
domain = [0, "oo"]

[derive]
at = { P = 3, d = 1 }
"""
)

EXAMPLES = {**model_examples.EXAMPLES, "svm": SVM, "average": AVERAGE, "water-filling": WATER_FILLING}
COMMENTED = {"model": model_examples.COMMENTED, "program": PROGRAM, "query": QUERY}
