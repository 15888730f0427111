"""Specs, plans and papers."""

from __future__ import annotations

from .case import Case
from .kits import SPEC

_MODULE = """
import os
import numpy as np
from noiseproof import BlackBox, PureDP
def nothing(): return None
def number(): return 3
def raises(): raise RuntimeError("out of order")
def leaves(): raise SystemExit(0)
def claims(): return BlackBox(release, (0, 1)), [PureDP(1.0)]
def release(data, size, rng): return rng.laplace(data, 1.0, size)
def words(data, size, rng): return "yes"
def short(data, size, rng): return np.zeros(3)
def fails(data, size, rng): raise KeyError("age")
def ends(data, size, rng): raise GeneratorExit
def exits(data, size, rng): os._exit(0)
def becomes(data, size, rng): os.execvp("true", ["true"])
def few(data): return 1.0
number_not_function = 3
"""


def _spec(name: str, old: str, new: str, fine: bool = False, command: str = "audit", more: str = "") -> Case:
    return Case(
        name, f"noiseproof {command} spec.toml{more}", ("spec",), edits=(("spec.toml", old, new),), fine=fine
    )


def _text(name: str, text: str | bytes) -> Case:
    return Case(name, "noiseproof audit spec.toml", files={"spec.toml": text})


def _line(name: str, line: str, fine: bool = False) -> Case:
    return Case(name, f"noiseproof {line}", ("spec",), fine=fine)


def _box(name: str, function: str, inputs: str = "[0.0, 1.0]") -> Case:
    text = (
        f'samples = 400\n[mechanism]\nfunction = "{function}"\n[neighbours]\ninputs = {inputs}\n'
        '[[claims]]\npredicate = "pure-dp"\nepsilon = 1\n'
    )
    return Case(name, "noiseproof audit spec.toml", files={"spec.toml": text, "mine.py": _MODULE})


def _module(name: str, target: str) -> Case:
    return Case(name, f"noiseproof audit {target}", files={"mine.py": _MODULE, "broken.py": "def f(:\n"})


AUDITS = [
    _spec("a letter too many in a key", "samples = 400", "samplse = 400"),
    _spec("a key in the wrong table", "sensitivity = 1", "sensitivity = 1\nsamples = 100"),
    _spec("a mechanism's name is mistyped", '"laplace"', '"laplase"'),
    _spec("a mechanism's name in capitals", '"laplace"', '"LAPLACE"'),
    _spec("a guarantee's name is mistyped", '"pure-dp"', '"pure_dp"'),
    _spec("an unknown sentence", '"law"', '"theory"'),
    _spec("epsilon as a word", "epsilon = 1\nabout", 'epsilon = "one"\nabout'),
    _spec("epsilon as a list", "epsilon = 1\nabout", "epsilon = [1]\nabout"),
    _spec("epsilon as true", "epsilon = 1\nabout", "epsilon = true\nabout"),
    _spec("epsilon is negative", "epsilon = 1\nabout", "epsilon = -1\nabout"),
    _spec("epsilon is nan", "epsilon = 1\nabout", "epsilon = nan\nabout"),
    _spec("epsilon is infinite", "epsilon = 1\nabout", "epsilon = inf\nabout"),
    _spec("epsilon as code", "epsilon = 1\nabout", 'epsilon = "__import__(\\"os\\").getcwd()"\nabout'),
    _spec("epsilon divides by zero", "epsilon = 1\nabout", 'epsilon = "1/0"\nabout'),
    _spec("epsilon is a tower of powers", "epsilon = 1\nabout", 'epsilon = "9**9**9**9"\nabout'),
    _spec("the mechanism's epsilon is zero", "epsilon = 1\nsens", "epsilon = 0\nsens"),
    _spec("the sensitivity is a word", "sensitivity = 1", 'sensitivity = "high"'),
    _spec("a parameter is missing", "sensitivity = 1\n", ""),
    _spec("a parameter of another mechanism", "sensitivity = 1", "covariance = 1"),
    _spec("samples with a point", "samples = 400", "samples = 400.5"),
    _spec("samples as a text", "samples = 400", 'samples = "400"'),
    _spec("no samples", "samples = 400", "samples = 0"),
    _spec("samples above any memory", "samples = 400", "samples = 10000000000000000000000000"),
    _spec("a negative seed", "seed = 1", "seed = -1"),
    _spec("claims as one table", "[[claims]]", "[claims]"),
    _spec("claims without a predicate", 'predicate = "pure-dp"\n', ""),
    _spec("a decimal comma", "epsilon = 1\nabout", "epsilon = 0,5\nabout"),
    _spec("curly quotes", '"laplace"', "“laplace”"),
    _spec("no claims at all", SPEC[SPEC.index("[[claims]]") :], ""),
    _spec("a check of a mistyped spec", "samples = 400", "samplse = 400", command="check-spec"),
    _spec("a plan for a mistyped spec", "samples = 400", "samplse = 400", command="plan"),
    _spec("an alpha above one", "seed = 1", "seed = 1\nalpha = 5"),
    _spec("data without bounds", "[mechanism]", '[data]\nsource = "patients.csv"\n[mechanism]'),
    _spec(
        "data from a web address without bounds",
        "[mechanism]",
        '[data]\nsource = "https://a.org/x.csv"\n[mechanism]',
    ),
    _text("an empty spec", ""),
    _text("a spec of blanks", " \n\t\n"),
    _text("JSON as a spec", '{"mechanism": "laplace"}'),
    _text("YAML as a spec", "mechanism:\n  name: laplace\n"),
    _text("a picture as a spec", b"\x89PNG\r\n\x1a\n\x00\x00"),
    _text("a spec in UTF-16", SPEC.encode("utf-16")),
    Case(
        "a spec with a byte order mark",
        "noiseproof audit spec.toml",
        files={"spec.toml": "\ufeff" + SPEC},
        fine=True,
    ),
    _text("a spec of two megabytes", "# " + "x" * 2_000_000),
    _text("a spec of a thousand brackets", "x = " + "[" * 5_000),
    _line("a file that is not there", "audit spce.toml"),
    _line("a folder for a spec", "audit ."),
    _line("an empty name", "audit ''"),
    _line("no spec", "audit"),
    _line("two specs", "audit spec.toml spec.toml"),
    _line("an option that is not there", "audit spec.toml --sample 100"),
    _line("an option without its value", "audit spec.toml --samples"),
    _line("samples in words", "audit spec.toml --samples many"),
    _line("samples in thousands", "audit spec.toml --samples 100k"),
    _line("alpha of a percent", "audit spec.toml --alpha 5%"),
    _line("alpha is nan", "audit spec.toml --alpha nan"),
    _line("no time", "audit spec.toml --seconds 0"),
    _line("time is nan", "audit spec.toml --seconds nan"),
    _line("endless time", "audit spec.toml --seconds inf", fine=True),
    _line("a huge seed", "audit spec.toml --seed 99999999999999999999999999", fine=True),
    _line("a format that is not there", "audit spec.toml --format pdf"),
    _line("a file as output", "audit spec.toml -o spec.toml"),
    _line("output below a file", "audit spec.toml -o spec.toml/out"),
    _line("output below a device", "audit spec.toml -o /dev/null/out"),
    _line("output with a name of 300 letters", f"audit spec.toml -o {'x' * 300}"),
    _line("an empty output", "audit spec.toml -o ''", fine=True),
    _line("minus one worker", "audit spec.toml --workers -1"),
    _line("waivers that are not there", "audit spec.toml --waivers none.toml"),
    _line("a cluster that is not there", "audit spec.toml --cluster nowhere"),
    _line("a command that is not there", "adit spec.toml"),
    _line("a checkpoint in a file", "audit spec.toml --checkpoint spec.toml"),
    _module("a module that is not there", "yours:claims"),
    _module("a function that is not there", "mine:claim"),
    _module("a number for a function", "mine:number_not_function"),
    _module("a function that returns nothing", "mine:nothing"),
    _module("a function that returns a number", "mine:number"),
    _module("a function that raises", "mine:raises"),
    _module("a function that ends Python", "mine:leaves"),
    _module("a module that is no Python", "broken:f"),
    _module("a Python file for a spec", "mine.py"),
    _box("a release that answers words", "mine:words"),
    _box("a release of the wrong length", "mine:short"),
    _box("a release that raises", "mine:fails"),
    _box("a release that ends Python", "mine:ends"),
    _box("a release that ends the process", "mine:exits"),
    _box("a release that becomes another program", "mine:becomes"),
    _box("a release with one argument", "mine:few"),
    _box("a release that is a number", "mine:number_not_function"),
    _box("one neighbour", "mine:release", "[0.0]"),
    _box("three neighbours", "mine:release", "[0.0, 1.0, 2.0]"),
    _box("no neighbours", "mine:release", "[]"),
    Case("init over a spec", "noiseproof init spec.toml", ("spec",)),
    Case("init below a folder that is not there", "noiseproof init a/b/spec.toml"),
    Case("a file with a name of 300 letters", f"noiseproof init {'x' * 300}"),
    Case("init of a dossier with a hyphen", "noiseproof init my-theorem.py"),
    Case("init of a policy over a table", "noiseproof init policy.toml", files={"people.csv": "a\n1\n"}),
    _line("a plan of nothing", "plan"),
    _line("a plan of two things", "plan spec.toml --epsilon 1"),
    _line("a plan for a negative epsilon", "plan --epsilon -1"),
    _line("a plan for epsilon nan", "plan --epsilon nan"),
    _line("a plan with delta alone", "plan --delta 1e-5"),
    _line("a plan with delta two", "plan --epsilon 1 --delta 2"),
    _line("a plan at resolution one", "plan --epsilon 1 --resolution 1"),
    _line("a plan at a nan resolution", "plan --epsilon 1 --resolution nan"),
    _line("a plan of power two", "plan --epsilon 1 --power 2"),
    _line("a plan of no samples", "plan --epsilon 1 --samples 0"),
    _line("a plan for a huge epsilon", "plan --epsilon 1e300", fine=True),
    _line("a plan of mu and rho", "plan --mu 1 --rho 1"),
    _line("papers of nobody", "papers farokhi2091"),
    _line("papers of a spec", "papers spec.toml"),
    Case("a dossier without DOSSIER", "noiseproof papers mine.py", files={"mine.py": _MODULE}),
    Case("a dossier that is no Python", "noiseproof papers broken.py", files={"broken.py": "def f(:\n"}),
    Case("a dossier whose DOSSIER is a list", "noiseproof papers d.py", files={"d.py": "DOSSIER = []\n"}),
    Case("a dossier that ends Python", "noiseproof papers d.py", files={"d.py": "raise SystemExit(5)\n"}),
    Case("an experiment that is not there", "noiseproof experiment breast-canser"),
    Case("an experiment without its data", "noiseproof experiment adult --data nowhere"),
    Case("an experiment of one repeat", "noiseproof experiment illustration --simulations 1"),
    Case("experiment data that are not there", "noiseproof experiment adult --terms bund --data ."),
    Case("experiment budgets in words", "noiseproof experiment ron-gauss-adult --epsilons small --data ."),
]
