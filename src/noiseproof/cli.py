"""The command line; heavy modules are imported inside the commands so that `--help` answers at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from noiseproof.answer_command import answer
from noiseproof.calibrate_command import calibrate
from noiseproof.certificate_file import read_certificate
from noiseproof.check_spec_command import check_spec
from noiseproof.console import check_folder, print_summary, progress_bar, reported_errors, say, write_all
from noiseproof.derive_command import derive
from noiseproof.diff_command import diff
from noiseproof.experiment_command import experiment
from noiseproof.export_command import export
from noiseproof.help_sections import Sections
from noiseproof.init_command import init
from noiseproof.ledger_command import ledger
from noiseproof.output_options import Cache, Formats, Outputs, Waivers, artifact_of, drawn
from noiseproof.plan_table import guarantee_of, print_plans
from noiseproof.policy_command import policy
from noiseproof.release_command import release
from noiseproof.repeat_command import repeat_command
from noiseproof.scale_options import CheckpointFolder, Cluster, Fresh, Workers, kept_units
from noiseproof.shared_options import Debug, Quiet
from noiseproof.streams import streams_that_take_all
from noiseproof.verify_command import keygen, seal, verify

if TYPE_CHECKING:
    from noiseproof.audit.trial.spec.build import Job

app = typer.Typer(
    name="noiseproof",
    cls=Sections,
    help="Verifies and audits privacy claims: symbolic proof, exact computation and attack in one certificate.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


def main() -> None:
    """The console script `noiseproof`."""
    with streams_that_take_all():
        app()


def _show_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"noiseproof {version('noiseproof')}")
        raise typer.Exit


@app.callback()
def _root(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    from noiseproof.console import asked_command

    asked_command.set(context.invoked_subcommand or "")


@app.command()
def audit(
    target: Annotated[
        str, typer.Argument(metavar="SPEC|MODULE:FUNCTION", help="A spec, or a function that returns claims.")
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of JSON and page.")] = Path(
        "noiseproof-out"
    ),
    samples: Annotated[int | None, typer.Option(min=1, help="Calls per input, learning included.")] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of all randomness.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Bounds the chance to refute any true claim.")] = None,
    bits: Annotated[
        bool | None, typer.Option("--bits/--no-bits", help="Audit the bytes written as well.")
    ] = None,
    sequential: Annotated[
        bool | None,
        typer.Option("--sequential/--no-sequential", help="Test sequentially; stop once a claim is refuted."),
    ] = None,
    seconds: Annotated[float | None, typer.Option(help="Budget of time; implies --sequential.")] = None,
    call_seconds: Annotated[float | None, typer.Option(help="Time limit of one call.")] = None,
    workers: Workers = 1,
    cluster: Cluster = None,
    checkpoint: CheckpointFolder = None,
    fresh: Fresh = False,
    formats: Formats = None,
    waivers: Waivers = None,
    cache: Cache = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Audit code: test its claims by proof, computation and attack.

    A run that was stopped resumes. Exit code: 0 as expected, 1 a claim is refuted or a control is not, 2 bad usage or
    spec, 3 internal error, 4 something is undecided, 5 nothing to check, 130 interrupted, 143 terminated.
    """
    with reported_errors(debug):
        from noiseproof.symbolic.errors import SpecError

        if alpha is not None and not 0 < alpha < 1:
            raise SpecError(f"expected a number in (0, 1), got {alpha}", key="--alpha")
        check_folder(output)
        outputs = Outputs.of(formats, waivers, cache)
        for name, value in (("--seconds", seconds), ("--call-seconds", call_seconds)):
            if value is not None and not value > 0:
                raise SpecError(f"expected a number of seconds > 0, got {value}", key=name)
        given = {
            "samples": samples,
            "seed": seed,
            "alpha": alpha,
            "bits": bits,
            "sequential": sequential,
            "seconds": seconds,
            "call_seconds": call_seconds,
        }
        job = _job(target, {k: v for k, v in given.items() if v is not None})
        outputs.check(job.claims)
        command = repeat_command(target, given)
        scale = {"workers": workers, "cluster": cluster}
        with kept_units(checkpoint, output, fresh) as folder:
            with progress_bar(quiet) as bar:
                certificate = outputs.certificate(
                    job, target, lambda: _examine(job, command, bar, {**scale, "checkpoint": folder})
                )
            certificate, waived, code = outputs.apply(certificate)
            text = certificate.to_json()
            files = drawn(text, outputs.formats, waived, artifact_of(target), job.lines)
            write_all({output / name: content for name, content in files.items()})
        if not quiet:
            print_summary(certificate, output, page="html" in outputs.formats)
            for number, words in waived.items():
                say(f"finding {number} {words}")
        raise typer.Exit(code)


def _job(target: str, settings: dict[str, Any]) -> Job:
    from noiseproof.audit.trial.gate.project_settings import project_settings
    from noiseproof.audit.trial.spec import load_spec
    from noiseproof.audit.trial.spec.build import build, build_from_function
    from noiseproof.audit.trial.spec.function import is_function_name

    project = project_settings(Path.cwd()).audit
    if is_function_name(target) and not Path(target).exists():
        return build_from_function(target, **{**project, **settings})
    spec = load_spec(target)
    unset = {k: v for k, v in project.items() if k not in spec.model.model_fields_set}
    return build(spec, **{**unset, **settings})


def _examine(
    job: Job, command: str, progress: Callable[[float, str], None] | None, scale: dict[str, Any]
) -> Any:
    from noiseproof.audit.trial.examine import examine

    settings = job.settings
    return examine(
        None,
        list(job.claims),
        alpha=settings.alpha,
        samples=settings.samples,
        seed=settings.seed,
        bits=settings.bits,
        sequential=settings.sequential,
        seconds=settings.seconds,
        call_seconds=settings.call_seconds,
        title=job.title,
        notes=job.notes,
        provenance={"spec_digest": job.spec_digest, "data_digest": job.data_digest, "command": command},
        progress=progress,
        **scale,
    )


@app.command()
def plan(
    target: Annotated[
        str | None,
        typer.Argument(metavar="[SPEC|MODULE:FUNCTION]", help="As for `audit`; or claim in numbers."),
    ] = None,
    resolution: Annotated[
        float | None, typer.Option(help="Factor by which the noise is too small.  [default: 1.05]")
    ] = None,
    samples: Annotated[int | None, typer.Option(help="Calls per input; computes the resolution.")] = None,
    epsilon: Annotated[float | None, typer.Option(help="Claim: epsilon, with --delta.")] = None,
    delta: Annotated[float | None, typer.Option(help="Goes with --epsilon.")] = None,
    mu: Annotated[float | None, typer.Option(help="Claim: mu-Gaussian privacy.")] = None,
    rho: Annotated[float | None, typer.Option(help="Claim: rho-zero-concentrated.")] = None,
    alpha: Annotated[float | None, typer.Option(help="Bounds the chance to refute any true claim.")] = None,
    power: Annotated[float, typer.Option(help="Probability of detecting the violation.")] = 0.95,
    debug: Debug = False,
) -> None:
    """Compute the sample size that a resolution needs, or the reverse.

    Exit code: 0 there is an answer for some claim, 2 bad usage or spec, 5 no claim that can be planned.
    """
    with reported_errors(debug):
        from noiseproof.audit.trial.planning.plan import plan_all
        from noiseproof.symbolic.claim import Claim
        from noiseproof.symbolic.errors import SpecError

        if resolution is not None and samples is not None:
            raise SpecError("give one of --resolution and --samples: the other one is the answer")
        if samples is None:
            resolution = 1.05 if resolution is None else resolution
        guarantee = guarantee_of(epsilon, delta, mu, rho)
        if (guarantee is None) == (target is None):
            raise SpecError(
                "expected either a spec, or a claim in numbers: --epsilon (and --delta), --mu or --rho"
            )
        if alpha is not None and not 0 < alpha < 1:
            raise SpecError(f"expected a number in (0, 1), got {alpha}", key="--alpha")
        level: dict[str, Any] = {} if alpha is None else {"alpha": alpha}
        if guarantee is not None:
            plans, skipped = plan_all(
                [Claim(guarantee)], resolution=resolution, samples=samples, power=power, **level
            )
            print_plans(plans, skipped)
            return
        job = _job(target or "", level)
        settings = job.settings
        plans, skipped = plan_all(
            job.claims,
            resolution=resolution,
            samples=samples,
            alpha=settings.alpha,
            power=power,
            bits=settings.bits,
        )
        print_plans(plans, skipped, sequential=settings.sequential or settings.seconds is not None)
        raise typer.Exit(0 if plans else 5)


@app.command()
def report(
    certificate: Annotated[
        Path, typer.Argument(metavar="CERTIFICATE.json", help="A certificate written by `audit`.")
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            help="Page to write, .html is added to a name without a suffix; default: beside the certificate.",
        ),
    ] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Render the page of a certificate again."""
    with reported_errors(debug):
        from noiseproof.reports.page import render_certificate
        from noiseproof.symbolic.errors import SpecError

        page = render_certificate(read_certificate(certificate))
        target = output or certificate.with_suffix(".html")
        if target.is_dir():
            raise SpecError("expected a file to write, got a folder", key="--output", file=str(target))
        target = target if target.suffix else target.with_name(f"{target.name}.html")
        write_all({target: page}, keep=(certificate,))
        if not quiet:
            say(f"page: {target}")


@app.command()
def replay(
    witness: Annotated[
        str, typer.Argument(metavar="CERTIFICATE.json#N", help="A certificate and the number of a finding.")
    ],
    debug: Debug = False,
) -> None:
    """Re-evaluate the witness of a finding from the certificate alone.

    Time and memory are limited. A witness that is about another claim than its finding's, or spends more alpha than its check
    had, does not stand. Exit code: 0 every witness of the finding stands, 1 one does not, 2 there is none, 4 no answer within
    the limits.
    """
    with reported_errors(debug):
        from noiseproof.audit.record.certificate import Certificate
        from noiseproof.audit.record.terms import Terms
        from noiseproof.audit.witnesses import evaluated
        from noiseproof.symbolic.errors import SpecError

        file, _, number = witness.rpartition("#")
        if not file or not number.isascii() or not number.isdigit():
            raise SpecError(f"expected CERTIFICATE.json#N with the number of a finding, got {witness!r}")
        certificate = Certificate.from_data(read_certificate(Path(file)))
        number, known = number.lstrip("0") or "0", [str(finding.id) for finding in certificate.findings]
        if number not in known:
            raise SpecError(f"no finding {number[:40]}; expected one of {', '.join(known)}", file=file)
        found = list(Terms.all_of(certificate))
        asked = [terms for finding, terms in found if str(finding.id) == number]
        if not asked:
            with_one = ", ".join(map(str, sorted({f.id for f, _ in found})))
            raise SpecError(
                f"finding {number} has no witness: only refutations carry one; findings with a witness: {with_one or 'none'}",
                file=file,
            )
        answers = []
        for terms in asked:
            stands, says = evaluated(terms)
            answers.append(stands)
            word = {True: "refutation confirmed", False: "DOES NOT STAND", None: "NOT EVALUATED"}[stands]
            say(f"{terms.evidence.check}: {word}: {says}")
        raise typer.Exit(1 if False in answers else 4 if None in answers else 0)


@app.command()
def papers(
    keys: Annotated[
        list[str] | None, typer.Argument(metavar="[KEY]...", help="Papers, or .py files; default: all.")
    ] = None,
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the pages.")] = Path(
        "noiseproof-papers"
    ),
    seed: Annotated[int, typer.Option(min=0, help="Seed of all randomness.")] = 0,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes.  [default: one per core]")] = None,
    quiet: Quiet = False,
    debug: Debug = False,
) -> None:
    """Certify theorems: check the claims of five papers, or your own.

    A dossier is a .py file that defines DOSSIER; each check also runs on a counter-claim, the twin. Exit code: 0 each check
    separates its claim from the twin, 1 one does not, 2 bad usage, or a dossier or a claim in it raises, 3 internal error,
    5 a dossier has nothing to check, 130 interrupted, 143 terminated.
    """
    with reported_errors(debug):
        check_folder(output)
        from noiseproof.audit.dossier import faults
        from noiseproof.audit.papers import run_dossiers, usable_cores
        from noiseproof.audit.record.plain import json_text
        from noiseproof.reports.dossier_page import render_dossier, render_dossier_index

        with progress_bar(quiet) as bar:
            step = None if bar is None else lambda what, done, total: bar(done / max(total, 1), what)
            dossiers = run_dossiers(
                tuple(keys or ()), seed=seed, progress=step, workers=workers or usable_cores()
            )
        files = {f"{d['key']}.html": render_dossier(d) for d in dossiers}
        for dossier in dossiers:
            files[f"{dossier['key']}.json"] = json_text(dossier)
        files["index.html"] = render_dossier_index(dossiers)
        write_all({output / name: text for name, text in files.items()})
        if not quiet:
            for dossier in dossiers:
                counts = ", ".join(f"{count} {verdict}" for verdict, count in dossier["verdicts"].items())
                say(f"{dossier['key']}: {counts}")
            say(f"page: {output / 'index.html'}")
        found = faults(dossiers)
        for fault in found:
            say(fault, err=True)
        idle = [dossier["key"] for dossier in dossiers if not dossier["verdicts"].keys() - {"definition"}]
        for key in idle:
            say(f"{key}: nothing to check: no claim in it has a check", err=True)
        raise typer.Exit(1 if found else 5 if idle else 0)


@app.command()
def mechanisms(debug: Debug = False) -> None:
    """List the mechanisms of specs and their parameters."""
    with reported_errors(debug):
        import inspect

        from noiseproof.audit.trial.spec.subjects import ALIASES
        from noiseproof.mechanisms import MECHANISMS

        written = {python: name for name, python in ALIASES.items()}
        for name, kind in sorted(MECHANISMS.items()):
            parameters = [
                written.get(key, key) + ("" if p.default is p.empty else f" = {p.default}")
                for key, p in inspect.signature(kind).parameters.items()
            ]
            say(name, f"    {kind.summary}", f"    parameters: {', '.join(parameters)}")


app.command()(derive)
for command in (init, experiment, diff, check_spec, release, answer, calibrate, seal, verify, keygen, export):
    app.command()(command)
app.add_typer(ledger)
app.add_typer(policy)
