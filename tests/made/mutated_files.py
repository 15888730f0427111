"""Foreign files, mutated: whatever stands in them, a command answers with a message, writes nothing half and runs nothing.

`python tests/made/mutated_files.py TARGET [-runs=N ...]` lets atheris choose the mutations; tests/front_door/test_fuzz.py lets Hypothesis.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from made_certificates import one_of_each
from made_policies import PERSON, TOWN, policy_text
from typer.testing import CliRunner

from noiseproof.init_command import SPEC
from noiseproof.symbolic.errors import SpecError

ANSWERS = {0, 1, 2, 4, 5}  # 3 is an internal error
WORDS = (
    b"__import__('os').system('touch pwned')",
    b"os:system",
    b"../../escape",
    b"/etc/passwd",
    b"file:///etc/passwd",
    b"{{ 7 * 7 }}",
    b"<script>alert(1)</script>",
    b"1e999",
    b"-1",
    b"nan",
    b"inf",
    b"true",
    b"null",
    b"[[",
    b"]]",
    b'"""',
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    "\u202e".encode(),
    b"9" * 400,
    b"9" * 5000,
    b"0x" + b"f" * 5000,
    b"[" * 600,
    b"10**10**10",
    b"2**9999999",
    b"\r\n",
)
_STARTS = {
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "os.posix_spawn",
    "socket.connect",
    "socket.bind",
    "pickle.find_class",
}
_CHANGES = {
    "os.remove",
    "os.rename",
    "os.mkdir",
    "os.rmdir",
    "os.symlink",
    "os.link",
    "os.chmod",
    "os.truncate",
}
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


@dataclass
class _Watch:
    """What the process may do while a case runs: nothing but write below one folder."""

    folder: str | None = None
    seen: tuple[str, ...] = ()

    def __call__(self, event: str, arguments: tuple[Any, ...]) -> None:
        if self.folder is None:
            return
        if event in _STARTS:
            self.seen += (f"{event} {arguments!r:.200}",)
        elif event in _CHANGES or (
            event == "open" and isinstance(arguments[2], int) and arguments[2] & _WRITES
        ):
            paths = [os.path.abspath(os.fsdecode(a)) for a in arguments[:2] if isinstance(a, str | bytes)]
            if event == "open":
                paths = paths[:1]
            self.seen += tuple(f"{event} {p}" for p in paths if not self._within(p))

    def _within(self, path: str) -> bool:
        return path.startswith((f"{self.folder}/", "/dev/")) or path == self.folder or "__pycache__" in path


_watch = _Watch()
sys.addaudithook(_watch)


@contextmanager
def watched(folder: Path) -> Iterator[None]:
    """AssertionError if anything is started, or written outside of the folder."""
    _watch.folder, _watch.seen = str(folder.resolve()), ()
    try:
        yield
    finally:
        _watch.folder = None
    assert _watch.seen == (), _watch.seen
    assert not any((place / "pwned").exists() for place in (folder, folder.parent, Path.cwd()))


def _command(*arguments: str) -> None:
    from noiseproof.cli import app

    result = CliRunner().invoke(app, list(arguments))
    fault = result.exception if not isinstance(result.exception, SystemExit) else None
    assert fault is None, repr(fault)
    assert result.exit_code in ANSWERS, (result.exit_code, result.output)
    assert "Traceback" not in result.output


def _spec(data: bytes, folder: Path) -> None:
    (folder / "spec.toml").write_bytes(data)
    _command("check-spec", str(folder / "spec.toml"))


def _certificate(data: bytes, folder: Path) -> None:
    path, out = folder / "certificate.json", folder / "out"
    path.write_bytes(data)
    _command("report", str(path), "-o", str(out))
    _command("diff", str(path), str(path))
    _command("replay", f"{path}#2")
    for page in out.glob("*.html"):
        assert "<script>alert" not in page.read_text(encoding="utf-8")


def _policy(data: bytes, folder: Path) -> None:
    (folder / "table.csv").write_text(TABLE, encoding="utf-8")
    _refusal_of_reading(data, folder)


def _table(data: bytes, folder: Path) -> None:
    form = "parquet" if data.startswith(b"PAR1") else "csv"
    (folder / f"table.{form}").write_bytes(data)
    assert SECRET not in _refusal_of_reading(_policy_text(form).encode(), folder)


def _refusal_of_reading(policy: bytes, folder: Path) -> str:
    """Why the table of the policy is refused; empty if it is read to its end."""
    from noiseproof.audit.release.policy import parse_policy
    from noiseproof.audit.release.tables import open_table

    try:
        for _ in open_table(parse_policy(policy, folder=folder)).batches():
            pass
    except SpecError as error:
        return str(error)
    return ""


def _ledger(data: bytes, folder: Path) -> None:
    (folder / "ledger.jsonl").write_bytes(data)
    for verb in ("show", "check"):
        _command("ledger", verb, str(folder / "ledger.jsonl"))


def _sealed(data: bytes, folder: Path) -> None:
    """The first byte chooses the file of a sealed folder that is replaced by the others."""
    from noiseproof.audit.release.verify import attest

    release = folder / "release"
    release.mkdir(exist_ok=True)
    for name, content in _release_files().items():
        (release / name).write_bytes(content)
    if not (release / "attestation.json").exists():
        attest(release)
    names = ("attestation.json", "certificate.json", "release.json")
    (release / names[data[0] % 3 if data else 0]).write_bytes(data[1:])
    _command("verify", str(release))


SECRET = "7431.25"
TABLE = "age,weight,town,id\n41,70.5,Oslo,7\n12,40,Rome,8\n" + f"99,{SECRET},Oslo,8\n"


def _policy_text(form: str = "csv") -> str:
    from made_policies import AGE, KEY, WEIGHT

    return policy_text((AGE, WEIGHT, TOWN, KEY), table={"path": f"table.{form}", **PERSON})


def _parquet() -> bytes:
    import io

    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"age": [41, 12], "weight": [70.5, 40.0], "town": ["Oslo", "Rome"], "id": ["7", "8"]}
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def _ledger_bytes() -> bytes:
    from noiseproof.audit.release.ledger import Cost, Ledger

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.jsonl"
        ledger = Ledger.create(path, "table", Cost(epsilon=3.0, unit="record"))
        ledger.settle(ledger.reserve(Cost(epsilon=1.0, unit="record"), "a release"))
        ledger.reserve(Cost(epsilon=0.5, unit="record"), "another")
        return path.read_bytes()


def _release_files() -> dict[str, bytes]:
    return {
        "certificate.json": one_of_each().to_json().encode(),
        "release.json": json.dumps({"schema": "noiseproof-release-1", "title": "t", "files": []}).encode(),
        "data.csv": b"age\n41\n",
    }


def _sealed_seed() -> bytes:
    from noiseproof.audit.release.verify import attest

    with tempfile.TemporaryDirectory() as folder:
        for name, content in _release_files().items():
            (Path(folder) / name).write_bytes(content)
        attest(Path(folder))
        return b"\x00" + (Path(folder) / "attestation.json").read_bytes()


@dataclass(frozen=True)
class Target:
    """What reads a foreign file, and files that it accepts, from which mutations start."""

    run: Callable[[bytes, Path], None]
    seeds: Callable[[], tuple[bytes, ...]]


TARGETS = {
    "spec": Target(_spec, lambda: (SPEC.encode(),)),
    "certificate": Target(_certificate, lambda: (one_of_each().to_json().encode(),)),
    "policy": Target(_policy, lambda: (_policy_text().encode(), policy_text().encode())),
    "table": Target(_table, lambda: (TABLE.encode(), _parquet())),
    "ledger": Target(_ledger, lambda: (_ledger_bytes(),)),
    "sealed": Target(
        _sealed,
        lambda: (
            _sealed_seed(),
            b"\x01" + _release_files()["certificate.json"],
            b"\x02" + _release_files()["release.json"],
        ),
    ),
}


def case(target: Target, data: bytes) -> None:
    """One mutated file in a folder of its own, watched."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "inner"
        folder.mkdir()
        with watched(folder):
            target.run(data, folder)
        assert [p.name for p in Path(place).iterdir()] == ["inner"]


def main() -> None:
    """Mutations by atheris, which follows what the code does with them."""
    import atheris

    target = TARGETS[sys.argv.pop(1)]
    for seed in target.seeds():
        case(target, seed)  # what is imported late is imported now
    atheris.instrument_all()
    with tempfile.TemporaryDirectory() as corpus:
        for i, seed in enumerate(target.seeds()):
            (Path(corpus) / str(i)).write_bytes(seed)
        words = Path(corpus).with_suffix(".words")
        escaped = ("".join(f"\\x{b:02x}" for b in word[:60]) for word in WORDS)
        words.write_text("".join(f'"{word}"\n' for word in escaped), encoding="ascii")
        atheris.Setup(
            [*sys.argv, f"-dict={words}", "-max_len=20000", "-timeout=60", corpus],
            lambda data: case(target, data),
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()
