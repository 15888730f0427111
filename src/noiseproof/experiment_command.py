"""`noiseproof experiment`: one experiment of a paper, its JSON and its page; a stopped run goes on where it was."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from noiseproof.console import check_folder, progress_bar, reported_errors, say, write_all
from noiseproof.shared_options import Debug, Quiet


def experiment(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="illustration, breast-cancer, adult, lending-club, ron-gauss-breast-cancer, ron-gauss-digits, "
            "ron-gauss-diabetes or ron-gauss-adult.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Folder of JSON, page and checkpoints.")
    ] = Path("noiseproof-experiments"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of all randomness.")] = 0,
    simulations: Annotated[
        int | None, typer.Option(min=2, help="Repeats.  [default: 100; ron-gauss: 10 to 60]")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Processes; the numbers do not depend on it.")] = 1,
    data: Annotated[Path | None, typer.Option(help="Data set, or its folder.")] = None,
    download: Annotated[bool, typer.Option("--download", help="Fetch the public data set.")] = False,
    scaling: Annotated[
        str | None,
        typer.Option(
            help="raw, standardised or unit-box (adult, lending-club, ron-gauss-adult, -breast-cancer)."
        ),
    ] = None,
    terms: Annotated[str | None, typer.Option(help="Noises: bound,variance,epsilon.")] = None,
    components: Annotated[str | None, typer.Option(help="Dimensions p of ron-gauss: 2,5,10.")] = None,
    epsilons: Annotated[str | None, typer.Option(help="Budgets of ron-gauss: 0.1,1,10.")] = None,
    records: Annotated[int | None, typer.Option(min=20, help="Use the first records only.")] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Run one experiment of a paper; a stopped run resumes.

    Exit code: 0 the page was written, 2 bad usage or data, 3 internal error.
    """
    with reported_errors(debug):
        from noiseproof.audit.record.plain import json_text
        from noiseproof.audit.studies.experiments import EXPERIMENTS, OPTIONS, Run
        from noiseproof.reports.experiment_page import render_experiment
        from noiseproof.symbolic.errors import SpecError, nearest_name

        if name not in EXPERIMENTS:
            raise SpecError(f"no experiment {name!r}; {nearest_name(name, EXPERIMENTS)}")
        check_folder(output)
        given: dict[str, Any] = {
            "scaling": scaling,
            "records": records,
            "terms": terms.split(",") if terms else None,
            "components": _numbers(components, int, "--components"),
            "epsilons": _numbers(epsilons, float, "--epsilons"),
        }
        options = {key: value for key, value in given.items() if value is not None}
        asked = [*options, *(["data"] if data else []), *(["download"] if download else [])]
        for option in asked:
            if option not in OPTIONS[name]:
                takes = ", ".join(f"--{key}" for key in sorted(OPTIONS[name])) or "none of these"
                raise SpecError(
                    f"the experiment {name} does not take it and would ignore it (it takes {takes}): leave it out",
                    key=f"--{option}",
                )
        started = time.perf_counter()
        with progress_bar(quiet) as bar:
            run = Run(seed, simulations, workers, output, data, download, bar, options)
            found = EXPERIMENTS[name](run).record(time.perf_counter() - started)
        # The time includes the repeats of this run only, not those of the checkpoint.
        found["timings"] = {"total_seconds": round(time.perf_counter() - started, 3)}
        text = json_text(found)
        page = output / f"{name}.html"
        write_all({output / f"{name}.json": text, page: render_experiment(json.loads(text))})
        if not quiet:
            for fact in found["facts"]:
                error = "" if fact["standard_error"] is None else f" ± {fact['standard_error']:.2g}"
                value = f"{fact['value']:.6g}" if isinstance(fact["value"], float) else fact["value"]
                printed = f"  (printed: {fact['printed']})" if fact["printed"] else ""
                say(f"{fact['label']}: {value}{error}{printed}")
            say(f"page: {page}")


def _numbers(text: str | None, kind: type[int] | type[float], option: str) -> tuple[float, ...] | None:
    """Comma-separated numbers; None stays None."""
    from noiseproof.symbolic.errors import SpecError

    if text is None:
        return None
    try:
        return tuple(kind(part) for part in text.split(","))
    except ValueError:
        raise SpecError(f"expected numbers between commas, got {text!r}", key=option) from None
