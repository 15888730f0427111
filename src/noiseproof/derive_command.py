"""`noiseproof derive`: what a user's own model tells about its parameters, step by step, with its page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseproof.console import check_folder, reported_errors, say, say_styled, write_all, write_new
from noiseproof.shared_options import Debug, Quiet

if TYPE_CHECKING:
    from noiseproof.audit.trial.spec.model_file import ModelFile

_FILES = {"json": "derivation.json", "html": "index.html"}
_STYLES = {"holds": "green", "fails": "bold red", "unknown": "bold yellow", "cited": "dim"}
_HEADLINES = {
    "derived": "bold green",
    "enclosed": "bold cyan",
    "bounded": "bold green",
    "irregular": "bold red",
    "unknown": "bold yellow",
    "nothing": "bold",
}


def derive(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODEL|MODULE:NAME]",
            help="A TOML model, or a Law or JointLaw in Python; with --example, the file to write.",
        ),
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of derivation.json and index.html.")
    ] = Path("noiseproof-derivation"),
    example: Annotated[
        str | None,
        typer.Option(
            metavar="gaussian|exponential|rounded|regression",
            help="Write this model to MODEL, or show it, instead of deriving one.",
        ),
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE", help="A value of a parameter, for numbers and figures; repeat it."
        ),
    ] = None,
    information: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A parameter to inform about; repeat it.  [default: all]"),
    ] = None,
    observations: Annotated[
        int | None, typer.Option(min=1, help="Independent observations of the law.")
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Limit of each derivation.  [default: 30]")] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", "-f", metavar="|".join(_FILES), help="Repeat it.  [default: both]"),
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Derive the Fisher information of a model of your own, and show every step.

    Exit code: 0 derived and checked, 1 irregular: there is no information, 2 bad usage or model, 3 internal error,
    4 something is unknown, 5 nothing to derive.  An irregular family with an error bound that was asked for and derived is 0.
    """
    with reported_errors(debug):
        from noiseproof.symbolic.errors import SpecError

        if example is not None:
            _write_example(example, target)
            return
        if target is None:
            raise SpecError("expected a model: a TOML file (--example gaussian writes one), or module:name")
        if seconds is not None and not 0 < seconds <= 86_400:
            raise SpecError(
                f"expected a number of seconds between 0 and 86,400, got {seconds}", key="--seconds"
            )
        kinds = _formats(formats)
        check_folder(output)
        from noiseproof.audit.record.plain import json_text
        from noiseproof.audit.studies.model.derived import derive as derive_model
        from noiseproof.reports.derivation_page import render_derivation

        model = _model(target)
        record = derive_model(
            model,
            at=_values(at or []),
            information=[n for text in information for n in text.split(",")] if information else None,
            observations=observations,
            seconds=seconds,
            command=_command(target, at, information, observations, seconds),
        )
        text = json_text(record)
        files = {"json": text} if "json" in kinds else {}
        if "html" in kinds:
            files["html"] = render_derivation(json.loads(text))
        write_all({output / _FILES[kind]: content for kind, content in files.items()}, keep=_kept(target))
        if not quiet:
            _print(record)
            if "html" in kinds:
                say(f"page: {output / _FILES['html']}")
        raise typer.Exit(record["exit_code"])


def _write_example(name: str, target: str | None) -> None:
    import shlex

    from noiseproof.model_examples import EXAMPLES
    from noiseproof.symbolic.errors import SpecError, nearest_name

    if name not in EXAMPLES:
        raise SpecError(f"no example {name!r}; {nearest_name(name, EXAMPLES)}", key="--example")
    if target is None:
        say(*EXAMPLES[name].splitlines())
        say(f"run it with: noiseproof derive {name}.toml, once it is in this file", err=True)
        return
    write_new({Path(target): EXAMPLES[name]})
    say(f"wrote {target}; run it with: noiseproof derive {shlex.quote(target)}")


def _model(target: str) -> ModelFile:
    from noiseproof.audit.trial.spec.function import is_function_name
    from noiseproof.audit.trial.spec.model_file import load_model, model_of

    if is_function_name(target) and not Path(target).exists():
        return model_of(target)
    return load_model(target)


def _kept(target: str) -> tuple[Path, ...]:
    return (Path(target),) if Path(target).is_file() else ()


def _formats(given: list[str] | None) -> tuple[str, ...]:
    from noiseproof.symbolic.errors import SpecError, nearest_name

    names = tuple(dict.fromkeys(n.strip() for text in given or _FILES for n in text.split(",")))
    for name in names:
        if name not in _FILES:
            raise SpecError(f"unknown format {name!r}; {nearest_name(name, _FILES)}", key="--format")
    return names


def _values(given: list[str]) -> dict[str, str]:
    """NAME=VALUE, several of them also between commas."""
    from noiseproof.symbolic.errors import SpecError

    found: dict[str, str] = {}
    for text in (part for one in given for part in one.split(",")):
        name, sign, value = (part.strip() for part in text.partition("="))
        if not (name and sign and value):
            raise SpecError(f"expected NAME=VALUE such as scale=2, got {text!r}", key="--at")
        if name in found:
            raise SpecError(f"{name} has two values, {found[name]} and {value}: give one", key="--at")
        found[name] = value
    return found


def _command(target: str, at: Any, information: Any, observations: Any, seconds: Any) -> str:
    """The command that does this again."""
    import shlex

    parts = ["noiseproof", "derive", target]
    parts += [part for one in at or () for part in ("--at", one)]
    parts += [part for one in information or () for part in ("--information", one)]
    parts += ["--observations", str(observations)] if observations is not None else []
    parts += ["--seconds", f"{seconds:g}"] if seconds is not None else []
    return shlex.join(parts)


def _print(record: dict[str, Any]) -> None:
    """The derivation as lines: the law, the steps with their truths, the value, the numbers, the word."""
    from rich.text import Text

    say(record["title"])
    for row in record["model"]["formulas"]:
        say(f"  {row['left']} = {row['right']}{'   for ' + row['where'] if row['where'] else ''}")
    found = record["information"]
    if found is not None:
        _print_steps(found["derivation"])
        _print_information(record, found)
    line = Text("outcome: ")
    line.append(record["outcome"].upper(), style=_HEADLINES[record["outcome"]])
    say_styled(line)


def _print_steps(rows: list[dict[str, str]]) -> None:
    from rich.text import Text

    number = 0
    for row in rows:
        cited = row["truth"] == "cited"
        number += not cited
        line = Text("     " if cited else f"{number:>3}  ")
        line.append(f"{row['truth']:<8}", style=_STYLES.get(row["truth"], ""))
        line.append(row["reason"] if cited else f"{row['left']} {row['relation']} {row['right']}")
        if not cited:
            line.append(f"   ({row['reason']})", style="dim")
        say_styled(line)


def _print_information(record: dict[str, Any], found: dict[str, Any]) -> None:
    from rich.text import Text

    names, count = found["parameters"], record["asked"]["observations"]
    many = f" in {count:,} independent observations" if count > 1 else ""
    say(f"information about {', '.join(names)}{many}:")
    _print_entries(record, found, names)
    line = Text("regular: ")
    line.append(found["regular"], style=_STYLES.get(found["regular"], ""))
    line.append(f"; {found['reason']}")
    say_styled(line)
    for one in found["conditions"]:
        line = Text("     ")
        line.append(f"{one['truth']:<8}", style=_STYLES.get(one["truth"], ""))
        line.append(f"{one['name']}: {one['reason']}")
        say_styled(line)
    if found["routes"]:
        say(f"routes: {', '.join(found['routes'])}")
    for rest in record["left"]:
        say(f"left after {rest['after']}:")
        if rest["information"] is None:
            say(f"  unknown; {rest['reason']}")
        else:
            _print_entries(record, rest["information"], names)
    for bound in record["bounds"]:
        say(f"bound: {bound['sentence']}")
        _print_entries(record, bound, record["asked"]["estimand"])


def _print_entries(record: dict[str, Any], found: dict[str, Any], names: list[str]) -> None:
    """The lower triangle of a matrix: its formulas, and what they are in numbers."""
    from noiseproof.reports.text import interval

    at = ", ".join(f"{k} = {v}" for k, v in record["asked"]["at"].items())
    for i, one in enumerate(names):
        for j, other in enumerate(names[: i + 1]):
            place = f"  {one}, {other}: " if len(names) > 1 else "  "
            parts = [] if found["value"] is None else [found["value"][i][j]]
            if found["numbers"] is not None:
                parts.append(
                    f"{interval(found['numbers'][i][j])} at {at}" if at else interval(found["numbers"][i][j])
                )
            if parts:
                say(place + "   that is ".join(parts))
    if found["value"] is None and found["numbers"] is None:
        say("  none" + (f"; {found['no_numbers']}" if found["no_numbers"] else ""))
