"""Policies with typing errors, wrong types and limits that contradict each other."""

from __future__ import annotations

from .case import Case
from .kits import POLICY

_AGE = '{ name = "age", kind = "integer", role = "private", low = 0, high = 100 }'


def _release(name: str, old: str, new: str) -> Case:
    return Case(
        name, "noiseproof release policy.toml -o release", ("policy",), edits=(("policy.toml", old, new),)
    )


def _column(name: str, column: str) -> Case:
    return _release(name, _AGE, column)


def _calibrate(name: str, old: str, new: str, fine: bool = False) -> Case:
    edits = (("policy.toml", old, new),)
    return Case(name, "noiseproof calibrate policy.toml -o sheet", ("policy",), edits=edits, fine=fine)


POLICIES = [
    _release("a mistyped table of the policy", "[limits]", "[limit]"),
    _release("a mistyped limit", "epsilon = 6.0", "epsilom = 6.0"),
    _release("a limit as a text", "epsilon = 6.0", 'epsilon = "6"'),
    _release("a negative limit", "epsilon = 6.0", "epsilon = -6.0"),
    _release("a limit of nan", "epsilon = 6.0", "epsilon = nan"),
    _release("a limit that the noise does not meet", "epsilon = 6.0", "epsilon = 0.1"),
    _release("no limits", "[limits]\nepsilon = 6.0\n", ""),
    _release("an unknown kind of noise", '"laplace"', '"laplacian"'),
    _release("no noise", "scale = 50.0", "scale = 0"),
    _release("negative noise", "scale = 50.0", "scale = -1"),
    _release("noise in words", "scale = 50.0", 'scale = "large"'),
    _release("both a scale and its calibration", "scale = 50.0", "scale = 50.0\ncalibrate = true"),
    _release("neither a scale nor its calibration", "scale = 50.0\n", ""),
    _release("rows_public as a text", "rows_public = true", 'rows_public = "yes"'),
    _release("an unknown unit of privacy", '"record"', '"patient"'),
    _release("persons without their key", '"record"', '"person"'),
    _release("an unknown format", '"csv"', '"xlsx"'),
    _release("a table that is not there", 'path = "people.csv"', 'path = "poeple.csv"'),
    _release("an absolute table that is not there", 'path = "people.csv"', 'path = "/nowhere/people.csv"'),
    _release("a folder for a table", 'path = "people.csv"', 'path = "."'),
    _release("no samples", "samples = 600", "samples = 0"),
    _release("alpha of five", "alpha = 0.01", "alpha = 5"),
    _release(
        "a ledger's budget below the cost", "budget = { epsilon = 12.0 }", "budget = { epsilon = 0.001 }"
    ),
    _release("a ledger's budget of nothing", "budget = { epsilon = 12.0 }", "budget = {}"),
    _release("a budget in another unit", "budget = { epsilon = 12.0 }", "budget = { rho = 1.0 }"),
    _release("a budget as a number", "budget = { epsilon = 12.0 }", "budget = 12"),
    _release("a ledger in a folder that is not there", '"people.ledger"', '"a/b/people.ledger"'),
    _release("the ledger is the table", '"people.ledger"', '"people.csv"'),
    _release("the ledger is the policy", '"people.ledger"', '"policy.toml"'),
    _release("a ledger without a table's name", 'table_id = "people"\n', ""),
    _release("no title", 'title = "People"\n', ""),
    _release("a title of a megabyte", '"People"', f'"{"x" * 1_000_000}"'),
    _column("bounds the wrong way", _AGE.replace("low = 0, high = 100", "low = 100, high = 0")),
    _column("bounds that are equal", _AGE.replace("high = 100", "high = 0")),
    _column("no bounds", _AGE.replace(", low = 0, high = 100", "")),
    _column("a bound of infinity", _AGE.replace("high = 100", "high = inf")),
    _column("a bound as a text", _AGE.replace("high = 100", 'high = "100"')),
    _column("a bound as a date", _AGE.replace("high = 100", "high = 2026-01-01")),
    Case(
        "bounds that the table leaves",
        "noiseproof release policy.toml -o release",
        ("policy",),
        edits=(("policy.toml", "high = 100", "high = 30"),),
        fine=True,
    ),
    _column("an unknown role", _AGE.replace('"private"', '"secret"')),
    _column("an unknown kind", _AGE.replace('"integer"', '"int"')),
    _column("a column that is not in the table", _AGE.replace('"age"', '"agee"')),
    _column("a column in capitals", _AGE.replace('"age"', '"Age"')),
    _column("a column twice", f"{_AGE}, {_AGE}"),
    _column("a column without a name", _AGE.replace('name = "age", ', "")),
    _column("a column as a word", '"age"'),
    _column("no private column", '{ name = "age", role = "drop" }'),
    _calibrate("a calibration of given noise", "scale = 50.0", "scale = 50.0", fine=True),
    _calibrate("a calibration without a limit", "[limits]\nepsilon = 6.0\n", ""),
    _calibrate("a calibration to zero", "epsilon = 6.0", "epsilon = 0"),
    _calibrate(
        "a calibration to 1e-300",
        "scale = 50.0\n[limits]\nepsilon = 6.0",
        "calibrate = true\n[limits]\nepsilon = 1e-300",
    ),
    _calibrate(
        "a calibration to 1e300",
        "scale = 50.0\n[limits]\nepsilon = 6.0",
        "calibrate = true\n[limits]\nepsilon = 1e300",
    ),
    Case("a calibration for no rows", "noiseproof calibrate policy.toml --rows 0", ("policy",)),
    Case("a calibration of a table", "noiseproof calibrate people.csv", ("policy",)),
    Case("a calibration into a file", "noiseproof calibrate policy.toml -o people.csv", ("policy",)),
    Case("a policy from no table", "noiseproof policy init people.cvs", ("policy",)),
    Case("a policy over a policy", "noiseproof policy init people.csv", ("policy",)),
    Case("a policy from an empty table", "noiseproof policy init t.csv", files={"t.csv": ""}),
    Case(
        "a policy from a header alone",
        "noiseproof policy init t.csv",
        files={"t.csv": "age,town\n"},
        fine=True,
    ),
    Case(
        "a policy from a picture",
        "noiseproof policy init t.csv",
        files={"t.csv": b"\x89PNG\r\n\x1a\n\x00\xff"},
    ),
    Case(
        "a policy from a false Parquet", "noiseproof policy init t.parquet", files={"t.parquet": "age\n1\n"}
    ),
    Case("a policy from a folder", "noiseproof policy init ."),
    Case("a policy from two equal columns", "noiseproof policy init t.csv", files={"t.csv": "a,a\n1,2\n"}),
    Case(
        "a policy into a folder that is not there",
        "noiseproof policy init people.csv -o a/b/p.toml",
        ("policy",),
    ),
    Case("a spec for a policy", "noiseproof release spec.toml -o release", ("spec",)),
    Case("an empty policy", "noiseproof release p.toml -o release", files={"p.toml": ""}),
    Case(
        "a policy cut in the middle", "noiseproof release p.toml -o release", files={"p.toml": POLICY[:300]}
    ),
]
