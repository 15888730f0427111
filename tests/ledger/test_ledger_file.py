"""The file of a ledger: cut off, edited, swapped, rewound, on a full disk, and with foreign bytes in every place."""

from __future__ import annotations

import errno
import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from noiseproof import SpecError
from noiseproof.audit.release.ledger import Cost, Ledger, adopt, locked_file
from noiseproof.audit.release.ledger import ledger as ledger_module
from noiseproof.audit.release.ledger.chain import START, canonical, read_chain, sealed
from noiseproof.symbolic.errors import counted

TENTH = Cost.pure(0.1)
EVERY_BYTE = pytest.mark.parametrize("step", [31, pytest.param(1, marks=pytest.mark.long)])


def made(path: Path, entries: int = 3) -> Ledger:
    """A ledger with some entries, the first one settled."""
    ledger = Ledger.create(path, "adult", Cost.pure(1.0))
    for k in range(entries):
        ledger.reserve(TENTH, f"release {k}")
    if entries:
        ledger.settle(1)
    return ledger


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "adult.jsonl"


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process leaves behind does not depend on fsync; the processes are tested with it."""
    monkeypatch.setattr(locked_file.os, "fsync", lambda _: None)


def head(path: Path) -> Path:
    return path.with_name(path.name + ".head")


def test_every_changed_byte_is_seen(path: Path) -> None:
    made(path)
    whole, known = path.read_bytes(), locked_file.read_head(path)
    for place in range(len(whole)):
        changed = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        with pytest.raises(SpecError, match=r"line \d|not a ledger header"):
            read_chain(changed, known, "adult.jsonl")
    assert read_chain(whole, known, "adult.jsonl").torn == b""


def test_every_truncation_is_seen(path: Path) -> None:
    made(path)
    whole, known = path.read_bytes(), locked_file.read_head(path)
    for length in range(len(whole)):
        with pytest.raises(SpecError, match=r"was cut off|not a ledger header"):
            read_chain(whole[:length], known, "adult.jsonl")


def _lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda x: [x[0], x[1].replace(b"0.1", b"0.0"), *x[2:]], "line 1 was edited"),
        (lambda x: [*x[:3], x[3].replace(b"release 2", b"release 9"), *x[4:]], "line 3 was edited"),
        (lambda x: [*x[:4], x[4].replace(b"settle", b"setTle")], "line 4 was edited"),
        (lambda x: [x[0], *x[2:], b"x" * len(x[1])], r"line 1 does not follow .* a line was removed"),
        (lambda x: [x[0], x[2], x[1], *x[3:]], "line 1 does not follow .* exchanged"),
        (lambda x: [*x[:2], x[1], *x[2:]], "line 2 does not follow .* inserted"),
        (lambda x: [*x[:4]], r"was cut off: 5 lines \([\d,]+ bytes\) expected, [\d,]+ bytes? left"),
        (lambda x: [x[0], b"{}\n", *x[1:]], "line 1 was edited"),
        (lambda x: [x[0], b"[" * 100_000 + b"\n", *x[1:]], "line 1 was edited"),
        (lambda x: [x[0].replace(b"1.0", b"9.0"), *x[1:]], "first line is not a ledger header"),
        (lambda x: [x[0].replace(b":", b": ", 1), *x[1:]], "first line is not a ledger header"),
        (lambda _: [], "first line"),
    ],
)
def test_a_change_is_named(path: Path, change: Callable[[list[bytes]], list[bytes]], words: str) -> None:
    ledger = made(path)
    path.write_bytes(b"".join(change(_lines(path))))
    before = path.read_bytes()
    for use in (lambda: Ledger.open(path), ledger.spent, lambda: ledger.reserve(TENTH, "on top")):
        with pytest.raises(SpecError, match=words):
            use()
    assert path.read_bytes() == before, "nothing is added to a ledger that is not whole"


def _sealed(contents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    lines: list[dict[str, Any]] = []
    for content in contents:
        rest = {k: v for k, v in content.items() if k not in ("line", "previous", "hash")}
        lines.append(sealed(rest, len(lines), lines[-1]["hash"] if lines else START))
    return lines


def test_a_ledger_that_was_written_anew_is_seen(path: Path) -> None:
    """Someone recomputes every hash: the head beside it, and every release, know better."""
    ledger = made(path)
    record = ledger.record(2)
    contents = [json.loads(line) for line in _lines(path)]
    contents[2]["what"] = "something else"
    path.write_bytes(b"".join(canonical(line) + b"\n" for line in _sealed(contents)))
    with pytest.raises(SpecError, match=r"line 4 of the ledger is not the one whose hash stands in .*head"):
        Ledger.open(path)
    head(path).unlink()
    with pytest.raises(SpecError, match="the head of this ledger is missing"):
        Ledger.open(path)
    with pytest.raises(SpecError, match="no line has the hash"):
        adopt(path, record["head"])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"charge": {"epsilon": "0.05"}}, "line 2 cannot stand in a ledger: its cost comes to"),
        (
            {"cost": {"epsilon": 0.95, "unit": "record", "adjacency": "replace-one"}},
            "line 2 cannot .* does not allow",
        ),
        ({"cost": {"epsilon": -1}}, "line 2 cannot .* epsilon must be"),
        ({"cost": {"epsilon": 1e400}}, "line 2"),
        ({"cost": None}, "line 2 cannot .* expected a cost"),
        ({"cost": {"reason": "none", "unit": "record"}}, "line 2 cannot .* no finite cost"),
        ({"cost": {"epsilon": 0.1, "renyi": 5}}, "line 2 cannot .* renyi must be a list"),
        ({"cost": {"epsilon": 0.1, "fisher_information": [{"about": 1}]}}, "line 2 cannot"),
        ({"cost": {"epsilon": 0.1, "unit": ["record"]}}, "line 2 cannot"),
        ({"kind": "refund"}, "line 2 cannot .* kind 'refund'"),
        ({"kind": ["reserve"]}, "line 2 cannot"),
        ({"kind": "open"}, "line 2 cannot"),
        ({"what": 5}, "line 2 cannot .* what is released"),
        ({"at": None}, "line 2 cannot .* the time"),
        ({"extra": 1}, "line 2 cannot .* keys"),
    ],
)
def test_lines_with_good_hashes_that_break_the_rules_are_named(
    path: Path, change: dict[str, Any], words: str
) -> None:
    ledger = made(path)
    contents = [json.loads(line) for line in _lines(path)]
    contents[2] |= change
    if change.get("cost", {}) == {"epsilon": 1e400}:
        contents[2]["cost"]["epsilon"] = 10**400
    lines = _sealed(contents)
    data = b"".join(canonical(line) + b"\n" for line in lines)
    path.write_bytes(data)
    head(path).write_bytes(
        canonical(
            {"ledger": lines[0]["id"], "lines": len(lines), "bytes": len(data), "hash": lines[-1]["hash"]}
        )
        + b"\n"
    )
    with pytest.raises(SpecError, match=words):
        Ledger.open(path)
    with pytest.raises(SpecError, match=r"was replaced since it was opened|line 2"):
        ledger.spent()


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_foreign_first_lines_and_heads_are_one_message(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("fuzz")
    path = folder / "a.jsonl"
    values = st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
        max_leaves=6,
    )
    kind = data.draw(st.sampled_from(["bytes", "head", "first", "budget"]))
    if kind == "bytes":
        path.write_bytes(data.draw(st.binary(max_size=300)))
    else:
        made(path, 1)
        if kind == "head":
            head(path).write_bytes(
                data.draw(st.binary(max_size=80) | values.map(lambda v: json.dumps(v).encode()))
            )
        else:
            first = json.loads(_lines(path)[0])
            target = first["budget"] if kind == "budget" else first
            target[data.draw(st.sampled_from([*target, "x"]))] = data.draw(
                values.filter(lambda v: json.dumps(v).find("N") < 0 and json.dumps(v).find("I") < 0)
            )
            line = _sealed([first])[0]
            path.write_bytes(canonical(line) + b"\n")
            known = locked_file.Head(str(line.get("id")), 1, path.stat().st_size, line["hash"])
            locked_file.write_head(path, known)
    with suppress(SpecError):
        Ledger.open(path).export()


def _appended(path: Path) -> tuple[bytes, bytes, bytes]:
    """A ledger's bytes, those that the next entry adds, and the head before it."""
    ledger = made(path)
    before, known = path.read_bytes(), head(path).read_bytes()
    ledger.reserve(TENTH, "release 3")
    return before, path.read_bytes()[len(before) :], known


def _lengths(total: int, step: int) -> list[int]:
    return sorted({*range(0, total, step), 1, total - 2, total - 1, total})


@EVERY_BYTE
def test_an_append_that_is_killed_after_any_byte_is_survived(path: Path, step: int) -> None:
    before, added, known = _appended(path)
    for length in _lengths(len(added), step):
        path.write_bytes(before + added[:length])
        head(path).write_bytes(known)
        ledger = Ledger.open(path)
        whole = length >= len(added) - 1
        assert ledger.spent() == {"epsilon": Fraction(4 if whole else 3, 10)}
        torn = 0 < length < len(added) - 1
        assert bool(ledger.check()) is torn
        if torn:
            assert f"ends with {counted(length, 'byte')} of a line that was cut off" in ledger.check()[0]
        ledger.reserve(TENTH, "after the crash")
        again = Ledger.open(path)
        assert again.spent() == {"epsilon": Fraction(5 if whole else 4, 10)}
        if torn:
            assert f"sets aside {length} bytes" in again.check()[0]
            assert added[:length] in path.read_bytes(), "what was cut off is kept"
        again.settle(next(n for n, e in again.book().entries.items() if e.what == "after the crash"))


@EVERY_BYTE
def test_a_second_crash_while_the_first_is_set_aside_is_survived(path: Path, step: int) -> None:
    before, added, known = _appended(path)
    path.write_bytes(before + added[:100])
    head(path).write_bytes(known)
    Ledger.open(path).reserve(TENTH, "after the crash")
    second = path.read_bytes()[len(before) + 100 :]
    lines = [n + 1 for n, byte in enumerate(second) if byte == 10]
    for length in sorted({*_lengths(len(second), step), *lines, *(n - 1 for n in lines)}):
        path.write_bytes(before + added[:100] + second[:length])
        head(path).write_bytes(known)
        ledger = Ledger.open(path)
        spent = ledger.spent()["epsilon"]
        assert spent in (Fraction(3, 10), Fraction(4, 10))
        ledger.reserve(TENTH, "after the second crash")
        again = Ledger.open(path)
        assert again.spent()["epsilon"] == spent + Fraction(1, 10)
        assert any("sets aside" in remark for remark in again.check())


def test_bytes_after_the_end_do_not_hide_an_edited_line(path: Path) -> None:
    made(path)
    path.write_bytes(path.read_bytes() + b'{"torn')
    assert "cut off" in Ledger.open(path).check()[0]
    data = path.read_bytes()
    path.write_bytes(data.replace(b"release 1", b"release 7"))
    with pytest.raises(SpecError, match="line 2 was edited"):
        Ledger.open(path)


def test_two_ledgers_whose_files_were_exchanged(path: Path, tmp_path: Path) -> None:
    made(path)
    other = tmp_path / "lending.jsonl"
    Ledger.create(other, "lending", Cost.pure(1.0)).reserve(TENTH, "a release")
    kept = path.read_bytes()
    shutil.copy(other, path)
    with pytest.raises(SpecError, match="this is another ledger than the one whose head"):
        Ledger.open(path, "adult")
    shutil.copy(head(other), head(path))
    with pytest.raises(SpecError, match="expected the ledger of table 'adult', this one is of 'lending'"):
        Ledger.open(path, "adult")
    path.write_bytes(kept)
    with pytest.raises(SpecError, match="this is another ledger than the one whose head"):
        Ledger.open(path, "adult")


def test_an_older_copy_is_seen_by_whoever_has_the_ledger_open_and_by_its_releases(path: Path) -> None:
    made(path)
    copies = path.read_bytes(), head(path).read_bytes()
    ledger = Ledger.open(path)
    number = ledger.reserve(TENTH, "forgotten")
    record = ledger.record(number)
    path.write_bytes(copies[0])
    head(path).write_bytes(copies[1])
    with pytest.raises(SpecError, match="was replaced since it was opened"):
        ledger.reserve(TENTH, "on an old copy")
    restored = Ledger.open(path)
    with pytest.raises(SpecError, match="which this ledger does not have"):
        restored.confirm(record)
    with pytest.raises(SpecError, match="no line has the hash"):
        restored.confirm_head(record["head"])


def test_a_lost_head_is_made_again_on_the_word_of_a_release(path: Path) -> None:
    ledger = made(path)
    known = ledger.record(3)["head"]
    with pytest.raises(SpecError, match="nothing to adopt"):
        adopt(path, known)
    head(path).unlink()
    with pytest.raises(SpecError, match="head of this ledger is missing"):
        ledger.reserve(TENTH, "without a head")
    path.write_bytes(path.read_bytes()[:-1])
    adopt(path, known)
    assert "made again by someone who knew the hash" in Ledger.open(path).check()[0]
    assert ledger.reserve(TENTH, "goes on") == 6


def test_a_damaged_head_is_named(path: Path) -> None:
    made(path)
    for content in (b"", b"{}", b"[]\n", head(path).read_bytes() + b" ", b"[" * 100_000):
        head(path).write_bytes(content)
        with pytest.raises(SpecError, match="this head of a ledger is damaged"):
            Ledger.open(path)
    head(path).unlink()
    os.mkfifo(head(path))
    with pytest.raises(SpecError, match="this head of a ledger is damaged"):
        Ledger.open(path)
    head(path).unlink()
    head(path).symlink_to(path)
    with pytest.raises(SpecError, match="cannot read"):
        Ledger.open(path)


def test_a_clock_that_goes_backwards_is_remarked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = made(path, 1)
    monkeypatch.setattr(ledger_module, "_now", lambda: "1999-12-31T23:59:59+00:00")
    number = ledger.reserve(TENTH, "in the past")
    (remark,) = ledger.check()
    assert "1999-12-31T23:59:59+00:00, before an earlier one" in remark
    assert "the order of the lines" in remark
    assert list(ledger.book().entries) == [1, number]


@pytest.mark.parametrize("failing", ["write", "fsync", "replace"])
def test_a_full_disk_leaves_the_ledger_as_it_was(
    path: Path, failing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = made(path)
    before, known = path.read_bytes(), head(path).read_bytes()
    real = os.write

    def half(descriptor: int, content: Any) -> int:
        if len(content) < 20:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return real(descriptor, bytes(content)[: len(content) // 2])

    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as broken:
        broken.setattr(locked_file.os, failing, half if failing == "write" else full)
        with pytest.raises(SpecError, match="nothing was entered: No space left"):
            ledger.reserve(TENTH, "too much")
    assert (path.read_bytes(), head(path).read_bytes()) == (before, known)
    assert not list(path.parent.glob(".*"))
    assert ledger.reserve(TENTH, "with space again") == 5


def test_what_is_no_plain_file_is_refused(path: Path, tmp_path: Path) -> None:
    made(path)
    link, pipe = tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(path)
    os.mkfifo(pipe)
    with pytest.raises(SpecError, match="a link, expected the ledger itself"):
        Ledger.open(link)
    for other in (pipe, tmp_path):
        with pytest.raises(SpecError, match="no plain file"):
            Ledger.open(other)
    with pytest.raises(SpecError, match="No such file"):
        Ledger.open(tmp_path / "missing")
    with pytest.raises(SpecError, match="cannot be made here"):
        Ledger.create(tmp_path / "no" / "folder.jsonl", "adult", Cost.pure(1.0))


def test_a_lock_that_is_never_given_back_is_a_message(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fcntl

    ledger = made(path)
    monkeypatch.setattr(locked_file, "_WAIT", 0.05)
    with path.open("rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        with pytest.raises(SpecError, match=r"another process has held the ledger for 0\.05 s"):
            ledger.reserve(TENTH, "waits")
    assert ledger.reserve(TENTH, "goes on") == 5
