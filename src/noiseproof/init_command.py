"""The command `noiseproof init`: a commented spec, test, dossier, policy, model, program or query that runs as it is."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from noiseproof.console import reported_errors, say, write_new
from noiseproof.shared_options import Debug

SPEC = """\
# A noiseproof spec: what is released, and what is claimed about it.
# Run it with:  noiseproof audit THIS_FILE -o noiseproof-out
# Exit code 0: every claim held and every control was refuted.

title = "The mean radius of tumours, released once"
notes = ["Records are patients; the number of records is public."]
alpha = 0.05        # bounds the error probability of the whole audit
samples = 100_000   # calls of the release per input, learning included
seed = 0

[data]
# "sklearn:NAME" (breast_cancer, diabetes, digits, iris, wine), or a CSV or Parquet file beside this spec.
source = "sklearn:breast_cancer"
columns = ["mean radius"]
# outside = "clip"  # what to do with values outside the bounds; the default is an error

[data.bounds]
# Public bounds are DECLARED. Never read them off the data: their ends would be a release of their own.
"mean radius" = [0, 50]

[mechanism]
# `noiseproof mechanisms` lists all of them. A list of values is a sweep: one subject per value.
name = "bounded-mean"
epsilon = [0.5, 1.0]
adjacency = "replace-one"
# Your own code instead:  function = "my_module:release", called as release(data, size, rng).

# [neighbours]
# inputs = [[10.0, 20.0], [10.0, 30.0]]   # or: domain = [0, 50], adjacency = "replace-one", records = 100

[[claims]]
title = "The Laplace law is epsilon-DP"
predicate = "pure-dp"    # also: approx-dp, gaussian-dp, renyi-dp, zcdp, fisher-information, error-bound
epsilon = "epsilon"      # a number, or a formula in the mechanism's parameters such as "2*epsilon"
about = "law"            # of the law alone: can be PROVED

[[claims]]
title = "The code that releases is epsilon-DP"
predicate = "pure-dp"
epsilon = "epsilon"
about = "code"           # of the code as well: SURVIVED at best
source = "Dwork, McSherry, Nissim, Smith 2006"

[claims.scope]
adjacency = "one record replaced"
domain = "lists of 569 numbers in [0, 50]"
unit = "one record"

# A control is false on purpose: if it is not refuted, the attack lacks power.
[[controls]]
title = "too little noise"
predicate = "pure-dp"
epsilon = "epsilon"
where = { epsilon = 1.0 }
noise_factor = "auto"    # the noise is divided by this factor; or a number > 1
"""


TEST = '''\
"""A release audited in every build: pytest THIS_FILE."""

import noiseproof as npf


def release(data, size, rng):
    """`size` noisy counts of the ones in `data`. Replace it by your own: from my_library import release."""
    return sum(data) + rng.laplace(scale=1.0, size=size)


# Two neighbouring inputs and the scope of the claim. npf.search_neighbours finds the worst pair.
SUBJECT = npf.BlackBox(release, inputs=([1, 0, 1], [1, 1, 1]), name="the noisy count")
SCOPE = npf.Scope(adjacency="one record replaced", domain="three bits")


def test_the_release_is_private(noiseproof):
    noiseproof.holds(SUBJECT, npf.Claim(npf.PureDP(1.0), scope=SCOPE), samples=20_000)


def test_the_attack_has_power(noiseproof):
    """False on purpose: the release spends more than 0.7."""
    noiseproof.falls(SUBJECT, npf.PureDP(0.7), samples=20_000)
'''

DOSSIER = '''\
"""Statements under audit, each beside its twin: noiseproof papers THIS_FILE."""

import sympy as sp

from noiseproof.audit.dossier import Dossier, Statement
from noiseproof.audit.dossier.formula import Formula

DOSSIER = Dossier("{name}", "One statement about noise")

L = sp.Symbol("L", positive=True)


# A claim is a function of its disputed value: the printed one, and that of the twin, a counter-claim with the opposite verdict.
@DOSSIER.disputed("cosine-information", "Information of the cosine noise", printed=sp.Integer(5), twin=sp.Integer(4))
def cosine_information(factor):
    """Left: what is printed. Right: the integral of (density')^2/density, taken here."""
    w = sp.Symbol("w", real=True)
    density = 2 / L * sp.cos(sp.pi * w / L) ** 2
    derived = sp.integrate(sp.simplify(sp.diff(density, w) ** 2 / density), (w, -L / 2, L / 2))
    return Statement(f"It is {factor} pi^2/L^2.", Formula(factor * sp.pi**2 / L**2, "=", derived))
'''


POLICY = """\
# A policy: which table, what may be released of it, and what must hold. The table beside it is synthetic: 500 invented people.
#   noiseproof calibrate THIS_FILE            finds the noise, without the table
#   noiseproof release THIS_FILE -o release   audits it, then draws
# Your own table: noiseproof policy init TABLE

title = "Ages and weekly hours with Laplace noise"
columns = [
  # Bounds are DECLARED: round numbers that anyone could write down without the table.
  { name = "age", kind = "integer", role = "private", low = 0, high = 100, unit = "year" },
  { name = "hours", kind = "integer", role = "private", low = 0, high = 80, unit = "h" },
  { name = "member", kind = "label", role = "public", categories = ["no", "yes"] },
  { name = "city", role = "drop" },
]

[table]
path = "people.csv"
unit_of_privacy = "record"
rows_public = true

[mechanism]
kind = "laplace"
calibrate = true          # the scales follow from limits.epsilon

[limits]
epsilon = 6.0             # of one record: releasing a table row by row costs much

[audit]
samples = 20_000
alpha = 0.001             # bounds the chance that a sound release is refused

[ledger]
path = "people.ledger"
table_id = "people"
create = true             # the first release makes it; later ones are charged to it
budget = { epsilon = 12.0 }
"""


def made_up_table() -> str:
    """The table of the policy."""
    import random

    draw = random.Random(1994)
    lines = ["age,hours,member,city"]
    for _ in range(500):
        age, hours = min(int(17 + draw.gammavariate(2.2, 10)), 99), min(max(int(draw.gauss(38, 11)), 1), 79)
        lines.append(f"{age},{hours},{draw.choice(('no', 'yes'))},{draw.choice(('north', 'south'))}")
    return "\n".join(lines) + "\n"


def init(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="[PATH]",
            help="A spec NAME.toml, a test test_NAME.py, a dossier NAME.py, model.toml, program.toml, query.toml, or policy.toml with a table.",
        ),
    ] = Path("noiseproof.toml"),
    kind: Annotated[
        str | None,
        typer.Option(
            metavar="spec|test|dossier|policy|model|program|query",
            help="What to write.  [default: by the file name]",
        ),
    ] = None,
    debug: Debug = False,
) -> None:
    """Gate a build: write a pytest file; also specs, policies, models."""
    with reported_errors(debug):
        path = _named(path, kind)
        text, command = _start(path, kind)
        table = {path.parent / "people.csv": made_up_table()} if text is POLICY else {}
        write_new({path: text, **table})
        say(f"wrote {path}; run it with: {command} {shlex.quote(str(path))}")


# What can be asked for, and the file that it is written to where none is named.
KINDS = {
    "spec": "noiseproof.toml",
    "test": "test_privacy.py",
    "dossier": "theorem.py",
    "policy": "policy.toml",
    "model": "model.toml",
    "program": "program.toml",
    "query": "query.toml",
}


def _named(path: Path, kind: str | None) -> Path:
    """The file to write: in a folder, or where none was named, one whose name says what is in it."""
    from noiseproof.symbolic.errors import SpecError, nearest_name

    if kind is not None and kind not in KINDS:
        raise SpecError(f"unknown kind {kind[:40]!r}; {nearest_name(kind, KINDS)}", key="--kind")
    usual = KINDS[kind or "spec"]
    if path.is_dir():
        return path / usual
    path = Path(usual) if kind is not None and path == Path(KINDS["spec"]) else path
    wanted = Path(usual).suffix
    if kind is not None and path.suffix != wanted:
        raise SpecError(f"a {kind} is a {wanted} file, such as {usual}", file=str(path))
    if kind == "policy" and path.name != usual:
        raise SpecError(f"a policy is called {usual} here, beside its table", file=str(path))
    if kind == "test" and not path.stem.startswith("test_"):
        raise SpecError(f"pytest collects files named test_*.py, such as {usual}", file=str(path))
    return path


def _start(path: Path, kind: str | None = None) -> tuple[str, str]:
    """What a file of this name begins as, and the command that runs it."""
    from noiseproof.problem_examples import COMMENTED
    from noiseproof.symbolic.errors import SpecError

    for stated, text in COMMENTED.items():
        if kind == stated or (kind is None and path.name == KINDS[stated]):
            return text, "noiseproof derive"
    if path.name == "policy.toml" and kind in (None, "policy"):
        return POLICY, "noiseproof calibrate"
    if path.suffix != ".py":
        return SPEC, "noiseproof audit"
    if path.stem.startswith("test_") and kind in (None, "test"):
        return TEST, "pytest"
    if not path.stem.isidentifier():
        raise SpecError("a dossier is named like a module, such as theorem.py", file=str(path))
    return DOSSIER.replace("{name}", path.stem), "noiseproof papers"
