"""`noiseproof derive`: what follows from a user's own law, program, functional or query, step by step, with its page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseproof.console import check_folder, reported_errors, say, write_all, write_new
from noiseproof.derivation_lines import print_derivation
from noiseproof.problem_examples import EXAMPLES
from noiseproof.shared_options import Debug, Quiet

if TYPE_CHECKING:
    from noiseproof.audit.trial.spec.stated_file import Stated

_FILES = {"json": "derivation.json", "html": "index.html"}


def derive(
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE|MODULE:NAME]",
            help="A model, program or query in TOML, or a Law, Program, Functional or DatasetQuery in Python; "
            "with --example, the file to write.",
        ),
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of JSON and page.")] = Path(
        "noiseproof-derivation"
    ),
    example: Annotated[
        str | None, typer.Option(metavar="|".join(EXAMPLES), help="Write this example to FILE, or print it.")
    ] = None,
    at: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Value of a parameter, for figures; repeatable."),
    ] = None,
    information: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Parameter of a law; repeatable.  [default: all]")
    ] = None,
    observations: Annotated[int | None, typer.Option(min=1, help="Observations of a law.")] = None,
    norm: Annotated[
        str | None, typer.Option(metavar="l1|l2|max|frobenius|spectral", help="Norm of a query in Python.")
    ] = None,
    adjacency: Annotated[
        str | None,
        typer.Option(metavar="replace-one|add-or-remove|any-two", help="Neighbours of a query in Python."),
    ] = None,
    effort: Annotated[
        float | None, typer.Option(help="Work of each derivation: 2 is twice the usual.  [default: 1]")
    ] = None,
    formats: Annotated[
        list[str] | None,
        typer.Option("--format", "-f", metavar="|".join(_FILES), help="Repeatable.  [default: both]"),
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Derive Fisher information, optimality conditions, sensitivity.

    Of a law: its Fisher information. Of a program: the minimiser by cases, KKT conditions, qualifications, convexity, the
    dual. Of a query: its sensitivity and the pair that attains it.

    Exit code: 0 derived and checked, 1 shown not to exist (irregular; infeasible, unbounded, not attained; infinite),
    2 bad usage or file, 3 internal error, 4 something is unknown, 5 nothing to derive.  An irregular family is 0
    if the requested error bound was derived.
    """
    with reported_errors(debug):
        from noiseproof.symbolic.errors import SpecError

        if example is not None:
            _write_example(example, target)
            return
        if target is None:
            raise SpecError(
                "expected a model, a program or a query: a TOML file (--example gaussian, svm or average writes one), or module:name"
            )
        if effort is not None and not 0.001 <= effort <= 1000:
            raise SpecError(f"expected a number from 0.001 to 1000, got {effort}", key="--effort")
        kinds = _formats(formats)
        check_folder(output)
        from noiseproof.audit.record.plain import json_text

        stated = _stated(target, norm, adjacency)
        record = _record(stated, target, at, information, observations, effort, norm, adjacency)
        text = json_text(record)
        files = {"json": text} if "json" in kinds else {}
        if "html" in kinds:
            from noiseproof.reports.derivation_page import render_derivation

            files["html"] = render_derivation(json.loads(text))
        write_all({output / _FILES[kind]: content for kind, content in files.items()}, keep=_kept(target))
        if not quiet:
            print_derivation(record)
            if "html" in kinds:
                say(f"page: {output / _FILES['html']}")
        raise typer.Exit(record["exit_code"])


def _record(
    stated: Stated,
    target: str,
    at: list[str] | None,
    information: list[str] | None,
    observations: int | None,
    effort: float | None,
    norm: str | None,
    adjacency: str | None,
) -> dict[str, Any]:
    """What is derived; SpecError for an option that says nothing about what was stated."""
    from noiseproof.audit.studies.problems.derived import derive_stated
    from noiseproof.audit.trial.spec.model_file import ModelFile
    from noiseproof.audit.trial.spec.program_file import ProgramFile
    from noiseproof.symbolic.errors import SpecError

    of_law = isinstance(stated, ModelFile)
    for option, given, fits in (
        ("--at", at, of_law or isinstance(stated, ProgramFile)),
        ("--information", information, of_law),
        ("--observations", observations, of_law),
    ):
        if given is not None and given != [] and not fits:
            raise SpecError("this option says nothing about what is derived here: leave it out", key=option)
    return derive_stated(
        stated,
        at=_values(at or []),
        information=[n for text in information for n in text.split(",")] if information else None,
        observations=observations,
        effort=effort,
        command=_command(target, at, information, observations, effort, norm, adjacency),
    )


def _write_example(name: str, target: str | None) -> None:
    import shlex

    from noiseproof.symbolic.errors import SpecError, nearest_name

    if name not in EXAMPLES:
        raise SpecError(f"no example {name!r}; {nearest_name(name, EXAMPLES)}", key="--example")
    if target is None:
        say(*EXAMPLES[name].splitlines())
        say(f"run it with: noiseproof derive {name}.toml, once it is in this file", err=True)
        return
    write_new({Path(target): EXAMPLES[name]})
    say(f"wrote {target}; run it with: noiseproof derive {shlex.quote(target)}")


def _stated(target: str, norm: str | None, adjacency: str | None) -> Stated:
    from noiseproof.audit.trial.spec.function import is_function_name
    from noiseproof.audit.trial.spec.stated_file import load_stated, stated_of
    from noiseproof.symbolic.errors import SpecError

    if is_function_name(target) and not Path(target).exists():
        return stated_of(target, norm, adjacency)
    for option, given in (("--norm", norm), ("--adjacency", adjacency)):
        if given is not None:
            raise SpecError(
                "this option goes with a query in Python; a file says it under [query]", key=option
            )
    return load_stated(target)


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


def _command(
    target: str, at: Any, information: Any, observations: Any, effort: Any, norm: Any, adjacency: Any
) -> str:
    """The command that does this again."""
    import shlex

    parts = ["noiseproof", "derive", target]
    parts += [part for one in at or () for part in ("--at", one)]
    parts += [part for one in information or () for part in ("--information", one)]
    parts += ["--observations", str(observations)] if observations is not None else []
    parts += ["--effort", f"{effort:g}"] if effort is not None else []
    parts += ["--norm", norm] if norm is not None else []
    parts += ["--adjacency", adjacency] if adjacency is not None else []
    return shlex.join(parts)
