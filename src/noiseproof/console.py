"""What the command says: a message and an exit code for an error, a bar for long work, lines for a result."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from noiseproof.audit.record.certificate import Certificate

BAD_INPUT, INTERNAL, INTERRUPTED = 2, 3, 130
_HANGUP = getattr(signal, "SIGHUP", None)  # Windows has none
asked_command: ContextVar[str] = ContextVar("asked_command", default="")  # of the one that runs
_LONGEST = 4_000  # characters of a line: what a file brings may be a megabyte


def say(*lines: str, err: bool = False) -> None:
    """Print lines; whatever stands in them, none ends early, steers the terminal or commands the runner of a build."""
    from noiseproof.audit.record.shown_text import one_line

    # Named, since typer writes UTF-8 to a stream that says ASCII and is not named, rich what the stream says.
    stream = sys.stderr if err else sys.stdout
    for line in lines:
        typer.echo(one_line(line if len(line) <= _LONGEST else f"{line[:_LONGEST]} ..."), file=stream)


def wide_console(least: int = 1) -> Console:
    """Standard output, never narrower than asked: rich cuts what does not fit, where a terminal would only break the line."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    console.width = max(console.width, least)
    return console


def say_styled(*lines: Text) -> None:
    """The same of lines with colours, which a terminal shows and a pipe does not."""
    from noiseproof.audit.record.shown_text import one_line

    console = wide_console()
    for line in lines:
        line.truncate(_LONGEST)
        line.plain = one_line(line.plain)
        console.print(line)


def say_data(value: Any, indent: int | None = 1) -> None:
    """Print plain data as JSON in which every character of a text that is not ASCII is escaped."""
    typer.echo(json.dumps(value, indent=indent))


class _EndedPython(BaseException):
    """Code under audit asked the system to end this process or to put another in its place."""


@contextmanager
def _python_goes_on() -> Iterator[None]:
    """Turn os._exit and os.exec* of this process into an error; those of its children do what they did."""
    here, names = os.getpid(), ("_exit", "execv", "execve")
    kept = {name: getattr(os, name) for name in names}

    def refused(name: str) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            if os.getpid() == here:
                raise _EndedPython(f"os.{name}")
            return kept[name](*arguments, **named)

        return call

    for name in names:
        setattr(os, name, refused(name))
    try:
        yield
    finally:
        for name in names:
            setattr(os, name, kept[name])


class _TerminatedError(KeyboardInterrupt):
    """The system or a user asked this process to end; what it holds half-written is taken away on the way out."""


def say_interrupted(error: KeyboardInterrupt, left: str) -> NoReturn:
    """End the command with what is left behind: 130 after Ctrl-C, 128 and the number of the signal after others."""
    ended = isinstance(error, _TerminatedError)
    say(f"{'terminated' if ended else 'interrupted'}: {left}", err=True)
    raise typer.Exit(128 + error.args[0] if ended else INTERRUPTED) from None


@contextmanager
def _ended_in_order() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP of this process into an interruption; its children end as they did."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    here = os.getpid()

    def end(number: int, _: object) -> None:
        if os.getpid() == here:
            raise _TerminatedError(number)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    # What nohup ignores stays ignored.
    numbers = [n for n in (signal.SIGTERM, _HANGUP) if n and signal.getsignal(n) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


@contextmanager
def reported_errors(debug: bool) -> Iterator[None]:
    """Exit codes for what went wrong: 2 bad input, 3 internal, 130 interrupted, 143 terminated; one message each."""
    try:
        with _python_goes_on(), _ended_in_order():
            yield
    except KeyboardInterrupt as error:
        say_interrupted(error, "; ".join(_notes(error)) or "nothing was written")
    except Exception as error:
        if isinstance(error, typer.Exit):
            raise
        if isinstance(error, typer.Abort):
            say("error: a prompt got no answer; run again in an interactive terminal", err=True)
            raise typer.Exit(BAD_INPUT) from None
        from noiseproof.symbolic.errors import SpecError

        if debug:
            import traceback

            say(*traceback.format_exc().splitlines(), err=True)
        if isinstance(error, MemoryError):
            say(
                f"error: more memory is needed than there is ({error}): give fewer samples or records, or smaller ones",
                err=True,
            )
            raise typer.Exit(BAD_INPUT) from None
        refused = _refused_place(error) if isinstance(error, OSError) else ""
        if refused or isinstance(error, SpecError):
            say_refused(error, refused)
            raise typer.Exit(BAD_INPUT) from None
        hint = "" if debug else "; run again with --debug for the traceback, and please report it"
        said = "; ".join((f"internal error: {type(error).__name__}: {error}", *_notes(error)))
        say(f"{said}{hint}", err=True)
        raise typer.Exit(INTERNAL) from None
    except BaseException as error:
        # Only code of the user ends Python here; its exit code, 0 perhaps, would be taken for a verdict.
        what = str(error) if isinstance(error, _EndedPython) else repr(error)
        said = "; ".join((f"error: code that was called ended Python ({what})", *_notes(error)))
        say(f"{said}: expected it to return or to raise an Exception; take {what} out of it", err=True)
        raise typer.Exit(BAD_INPUT) from None


def say_refused(error: Exception, why: str = "") -> None:
    """The line of an error in what the user gave: `why` or its own words, its notes, and what the file is instead."""
    said, other, key = why or str(error), _other_kind(error), getattr(error, "key", "")
    if other and key:  # what a file of the right kind may hold there is no help
        said = f"{error.file}: {key}: not expected here"  # type: ignore[attr-defined]
    say("; ".join((f"error: {said}", *_notes(error), *other)), err=True)


def _notes(error: BaseException) -> tuple[str, ...]:
    """What was added to an error on its way here, such as what it leaves behind."""
    return tuple(getattr(error, "__notes__", ()))


def _other_kind(error: Exception) -> tuple[str, ...]:
    """What a file that was named is, if the message is about it and another command takes it."""
    from noiseproof.audit.record.reading.kinds_of_file import hint

    file, command = getattr(error, "file", ""), asked_command.get()
    words = sys.argv[1:]
    found = hint(Path(file), command, words[words.index(file) - 1]) if command and file in words else ""
    return (found,) if found else ()


def _refused_place(error: OSError) -> str:
    """What the system has against the file or folder that the user named, and what to do; nothing if there is none."""
    try:
        os.getcwd()
    except OSError:
        return "the current folder is gone: change into one that exists, and run again"
    if not isinstance(error.filename, str | os.PathLike):
        return ""
    return f"{error.filename}: {error.strerror}: name another file or folder, or make this one usable"


def check_folder(folder: Path) -> None:
    """Raise SpecError before the work, not after it, if the output cannot go there."""
    from noiseproof.audit.record.seal.folder import require_unsealed
    from noiseproof.symbolic.errors import SpecError

    require_unsealed(folder, "--output")
    existing = next(p for p in (folder, *folder.absolute().parents) if p.exists())
    if not existing.is_dir():
        raise SpecError("expected a folder, got a file", key="--output", file=str(existing))
    if not os.access(existing, os.W_OK):
        raise SpecError(
            "this folder is not writable: name another one, or make it writable",
            key="--output",
            file=str(existing),
        )


def write_all(files: Mapping[Path, str], keep: Sequence[Path] = ()) -> None:
    """Write all files or none: each first under another name, then all are renamed; what was read is never written over."""
    from noiseproof.audit.record.seal.folder import require_unsealed
    from noiseproof.symbolic.errors import SpecError

    for path in files:
        require_unsealed(path.parent, "--output")
        if any(path.exists() and source.exists() and path.samefile(source) for source in keep):
            raise SpecError(
                "this is the file that was read: it would be written over; name another one",
                key="--output",
                file=str(path),
            )
    partial = {path: path.with_name(f".{path.name}.{os.getpid()}.partial") for path in files}
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            partial[path].write_text(text, encoding="utf-8")
        for path in files:
            os.replace(partial[path], path)
    except OSError as error:
        raise SpecError(f"cannot write: {error.strerror}", file=str(path)) from error
    finally:
        for leftover in partial.values():
            # The folder itself may be what could not be made.
            with suppress(OSError):
                leftover.unlink(missing_ok=True)


def write_new(files: Mapping[Path, str], instead: str = "give another PATH") -> None:
    """Write files that do not exist yet, in folders that do: all or none.  `instead`: how another place is named."""
    from noiseproof.symbolic.errors import SpecError

    for path in files:
        if os.path.lexists(path):
            raise SpecError(f"this file exists already and is not overwritten; {instead}", file=str(path))
        if not path.parent.is_dir():
            raise SpecError(f"no such folder; make it, or {instead}", file=str(path.parent))
    write_all(files)


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Callable[[float, str], None] | None]:
    """A callback (fraction done, what is being done) that draws a bar on a terminal; None elsewhere."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    from noiseproof.audit.record.shown_text import one_line

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=1)
        yield lambda fraction, what: bar.update(task, completed=fraction, description=escape(one_line(what)))


_STYLES = {"REFUTED": "bold red", "UNDECIDED": "bold yellow", "SURVIVED": "cyan", "PROVED": "bold green"}


def print_summary(certificate: Certificate, output: Path, page: bool = True) -> None:
    """The verdict of each finding and where the page lies if there is one, as plain lines; colours on a terminal only."""
    from rich.text import Text

    from noiseproof.audit.record.caveats import alarms
    from noiseproof.audit.record.evidence import SENTENCES
    from noiseproof.audit.record.weakest import weakest_survival

    for finding in certificate.findings:
        line = Text(finding.line())
        line.stylize(_STYLES[finding.verdict.name], 5, 14)
        say_styled(line)
        if finding.verdict.name == "REFUTED" and not finding.as_expected:
            refuting = [e for e in finding.evidence if e.verdict == finding.verdict]
            say(*(f"     {e.check}: {e.detail}" for e in refuting))
        if finding.verdict.name == "UNDECIDED" and not finding.is_control:
            reasons = [
                e for e in finding.evidence if e.verdict == finding.verdict and e.sentence in finding.asked
            ]
            say(*(f"     {e.check}: {e.reason or e.detail}" for e in reasons))
            empty = set(finding.asked) - {e.sentence for e in finding.evidence}
            say(*(f"     no check could look at this: {SENTENCES[s]}" for s in finding.asked if s in empty))
        for words in alarms(finding.claim["expect"], finding.evidence):
            say_styled(Text(f"     {words}"))
    _print_side_by_side(certificate)
    overall = Text("verdict: ")
    overall.append(certificate.verdict.name, style=_STYLES[certificate.verdict.name])
    stands = ", ".join(str(f.id) for f in certificate.findings if f.is_control and not f.as_expected)
    if stands:
        overall.append(f", but control {stands} was not refuted: exit code {certificate.exit_code}")
    say_styled(overall)
    for words in weakest_survival(f.record() for f in certificate.findings):
        say_styled(Text(words))
    if page:
        say_styled(Text(f"page: {output / 'index.html'}"))


def _print_side_by_side(certificate: Certificate) -> None:
    """What is claimed beside what was certified, a line for each quantity that has both numbers."""
    from noiseproof.audit.record.side_by_side import numbered

    rows = [
        (f"{n:>3}", row.claimed, row.found, row.of)
        for n, row in numbered(f.record() for f in certificate.findings)
    ]
    if rows:
        cells = [("   ", "claimed", "certified", ""), *rows]
        wide = [max(len(row[i]) for row in cells) for i in range(3)]
        say(*("  ".join((*map(str.ljust, row, wide), row[3])).rstrip() for row in cells))
