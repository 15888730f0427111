"""Tables that are not as declared, releases over releases, answers and ledgers that were made with other policies."""

from __future__ import annotations

from .case import Case
from .kits import TABLE

RELEASE = "noiseproof release policy.toml -o release"


def _table(name: str, text: str | bytes, fine: bool = False) -> Case:
    return Case(name, RELEASE, ("policy",), {"people.csv": text}, fine=fine)


def _again(name: str, old: str, new: str, fine: bool = False) -> Case:
    return Case(name, f"{RELEASE}-2", ("released",), edits=(("policy.toml", old, new),), fine=fine)


def _answers(name: str, text: str | bytes, fine: bool = False) -> Case:
    return Case(name, "noiseproof answer release a.toml", ("released",), {"a.toml": text}, fine=fine)


TABLES = [
    _table("an empty table", ""),
    _table("a header and no rows", "age,town\n"),
    _table("rows and no header", TABLE.split("\n", 1)[1]),
    _table("one row", "age,town\n20,north\n", fine=True),
    _table("a word in a column of numbers", TABLE + "old,north\n"),
    _table("nan in a column of numbers", TABLE + "nan,north\n"),
    _table("infinity in a column of numbers", TABLE + "inf,north\n"),
    _table("an empty cell", TABLE + ",north\n"),
    _table("a number above its bound, which is moved to it", TABLE + "400,north\n", fine=True),
    _table("half a year in a column of whole ones", TABLE + "20.5,north\n"),
    _table("a decimal comma", TABLE + '"20,5",north\n'),
    _table("a row that is too long", TABLE + "20,north,3\n"),
    _table("a row that is too short", TABLE + "20\n"),
    _table(
        "a column more than declared", TABLE.replace("town\n", "town,x\n").replace("north\n", "north,1\n")
    ),
    _table("a column less than declared", TABLE.replace(",town", "").replace(",north", "")),
    _table("semicolons between the cells", TABLE.replace(",", ";")),
    _table("tabs between the cells", TABLE.replace(",", "\t")),
    _table("Latin-1 in a column that is dropped", (TABLE + "20,Bodø\n").encode("latin-1"), fine=True),
    _table("UTF-16", TABLE.encode("utf-16")),
    _table("a byte order mark", "\ufeff" + TABLE, fine=True),
    _table("line ends of Windows", TABLE.replace("\n", "\r\n"), fine=True),
    _table("a zero byte in a column that is dropped", TABLE + "20,nor\x00th\n", fine=True),
    _table("a quote that never ends in the last cell", TABLE + '20,"north\n', fine=True),
    _table("a quote that never ends in the middle", TABLE.replace("25,north", '25,"north')),
    _table("a picture for a table", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
    _table(
        "a cell of two megabytes in a column that is dropped", TABLE + f"20,{'x' * 2_000_000}\n", fine=True
    ),
    _table("a number of 5,000 digits", TABLE + f"{'9' * 5_000},north\n"),
    _table("a huge table with a word in its last row", TABLE + "20,north\n" * 150_000 + "old,north\n"),
    _table("a thousand columns that nobody declared", ",".join(f"c{k}" for k in range(1_000)) + "\n"),
    Case("a false Parquet", f"{RELEASE} --table t.parquet", ("policy",), {"t.parquet": TABLE}),
    Case("a false gzip", f"{RELEASE} --table t.csv.gz", ("policy",), {"t.csv.gz": TABLE}),
    Case("a spreadsheet", f"{RELEASE} --table t.xlsx", ("policy",), {"t.xlsx": b"PK\x03\x04"}),
    Case("another table that is not there", f"{RELEASE} --table none.csv", ("policy",)),
]

RELEASES = [
    Case("no output", "noiseproof release policy.toml", ("policy",)),
    Case("a policy that is not there", "noiseproof release policies.toml -o release", ("policy",)),
    Case("the same release again", RELEASE, ("released",)),
    Case("a release into its own folder", "noiseproof release policy.toml -o .", ("policy",)),
    Case("a release over the table", "noiseproof release policy.toml -o people.csv", ("policy",)),
    Case("a release below a file", "noiseproof release policy.toml -o people.csv/out", ("policy",)),
    Case(
        "a release below a folder that is not there", "noiseproof release policy.toml -o a/b/c", ("policy",)
    ),
    Case("the table as salt", f"{RELEASE} --salt people.csv", ("policy",)),
    Case("a salt in a folder that is not there", f"{RELEASE} --salt a/b/salt", ("policy",)),
    Case("an empty salt", RELEASE, ("policy",), {"noiseproof.salt": ""}),
    Case("no workers", f"{RELEASE} --workers 0", ("policy",)),
    Case("a ledger that is no ledger", RELEASE, ("policy",), {"people.ledger": "spent: 3\n"}),
    Case(
        "a ledger without its head",
        RELEASE,
        ("policy", "released"),
        before=(),
        edits=(("people.ledger.head", "", ""),),
    ),
    _again("a second release within the budget", "scale = 50.0", "scale = 50.0", fine=True),
    _again("a second release with a larger budget", "epsilon = 12.0", "epsilon = 120.0"),
    _again("a second release with a smaller budget", "epsilon = 12.0", "epsilon = 5.0"),
    _again("a second release with a budget of rho", "{ epsilon = 12.0 }", "{ rho = 12.0 }"),
    _again("a second release under another name", 'table_id = "people"', 'table_id = "patients"'),
    _again("a second release of another unit", '"record"', '"person"'),
    _again("a second release without its ledger", "[ledger]", "[legder]"),
    _again(
        "a second release above what is left",
        "scale = 50.0\n[limits]\nepsilon = 6.0",
        "scale = 8.0\n[limits]\nepsilon = 20.0",
    ),
    Case("a third release, its key mistyped", f"{RELEASE}-2 --worker 1", ("released",)),
    _answers("an empty answer", ""),
    _answers("answers without their table", 'purpose = "x"\n'),
    _answers("answers to no question", '[answers]\nnonsense = "yes"\n'),
    _answers("answers as numbers", "[answers]\nnonsense = 1\n"),
    _answers("answers as a list", "answers = [1]\n"),
    _answers("answers that are no TOML", "yes\n"),
    _answers("answers of a picture", b"\x89PNG\xff"),
    Case("answers that are not there", "noiseproof answer release b.toml", ("released",)),
    Case(
        "answers to a folder that is not there",
        "noiseproof answer relaese release.answers.toml",
        ("released",),
    ),
    Case("answers to an audit", "noiseproof answer out spec.toml", ("audited",)),
    Case(
        "answers to an edited release",
        "noiseproof answer release release.answers.toml",
        ("released",),
        edits=(("release/data-card.md", "\n", "\n\n"),),
    ),
    Case(
        "answers with a key that is not there",
        "noiseproof answer release release.answers.toml --key k.pem",
        ("released",),
    ),
]
