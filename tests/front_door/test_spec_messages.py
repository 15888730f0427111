"""What a user can get wrong: functions that do not fit, keys, numbers, neighbours; one clear message each."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from noiseproof.audit.record.reading.toml_file import LONGEST
from noiseproof.audit.trial.spec import parse_spec
from noiseproof.audit.trial.spec.build import Job, build, build_from_function
from noiseproof.mechanisms import BlackBox
from noiseproof.symbolic.errors import SpecError

LAPLACE = '[mechanism]\nname = "laplace"\nepsilon = 1\nsensitivity = 1\n'
CLAIM = '[[claims]]\npredicate = "pure-dp"\nepsilon = "epsilon"\n'
WINE = '[data]\nsource = "sklearn:wine"\ncolumns = ["proline"]\nbounds = [0, 2000]\n'


def job(text: str, **settings: Any) -> Job:
    return build(parse_spec(text.encode(), file="s.toml"), **settings)


def message(text: str) -> str:
    with pytest.raises(SpecError) as caught:
        job(text)
    assert str(caught.value).startswith("s.toml: ")
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- functions of the user -------------------------------------------------------------------------------------

USER = """
import numpy as np
from noiseproof.mechanisms import BlackBox
from noiseproof.symbolic.claim import Claim
from noiseproof.symbolic.privacy.guarantees import PureDP

def release(data, size, rng, scale=1.0):
    return np.sum(data) + rng.laplace(0, scale, size)

def one(data):
    return 0.0

box = BlackBox(release, (0.0, 1.0))
def pair(): return box, PureDP(1.0)
def several(): return box, [PureDP(1.0), Claim(PureDP(2.0))]
def listed(): return [Claim(PureDP(1.0), box)]
def nothing(): return box, []
def orphan(): return [Claim(PureDP(1.0))]
def wrong(): return 3
def bad(): return box, PureDP(0)
constant = 3
"""


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    (tmp_path / "user_code.py").write_text(USER)
    (tmp_path / "failing_code.py").write_text("raise RuntimeError('at import')")
    (tmp_path / "needy_code.py").write_text("import not_installed_anywhere")
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    for name in ("user_code", "failing_code", "needy_code"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize(("name", "count"), [("pair", 1), ("several", 2), ("listed", 1), ("nothing", 0)])
def test_a_function_returns_subject_and_claims(user: Path, name: str, count: int) -> None:
    found = build_from_function(f"user_code:{name}", samples=5)
    assert len(found.claims) == count
    assert all(isinstance(c.subject, BlackBox) for c in found.claims)
    assert found.settings.samples == 5


FUNCTION_ERRORS = [
    ("user_code:orphan", "without a subject"),
    ("user_code:wrong", "returned int"),
    ("user_code:bad", "raised ValueError: epsilon"),
    ("user_code:severl", "did you mean 'several'?"),
    ("user_code:constant", "is of type int, expected a function"),
    ("user_cod:pair", "no module 'user_cod'"),
    ("failing_code:f", "importing failing_code failed: RuntimeError: at import"),
    ("needy_code:f", "No module named 'not_installed_anywhere'"),
    ("user_code", 'expected "module:function"'),
    ("os;x:f", 'expected "module:function"'),
]


@pytest.mark.parametrize(("name", "part"), FUNCTION_ERRORS, ids=[f[0] for f in FUNCTION_ERRORS])
def test_a_function_that_does_not_fit_is_explained(user: Path, name: str, part: str) -> None:
    with pytest.raises(SpecError) as caught:
        build_from_function(name)
    assert part in str(caught.value)


RELEASE = '[mechanism]\nfunction = "user_code:release"\nscale = 2.0\n'


def test_a_release_function_runs_on_derived_neighbours(user: Path) -> None:
    text = RELEASE + '[neighbours]\ndomain = [0, 1]\nadjacency = "replace-one"\nrecords = 3\n'
    claim = job(text + '[[claims]]\npredicate = "pure-dp"\nepsilon = "1/scale"\n').claims[0]
    one, two = claim.subject.neighbours()[0]
    assert (one.tolist(), two.tolist()) == ([0, 0, 0], [1, 0, 0])
    assert claim.subject.sample(two, 4, np.random.default_rng(0)).shape == (4,)
    assert claim.predicate.parameters()["epsilon"] == 0.5
    single = job(
        '[mechanism]\nfunction = "user_code:one"\ncall = "single"\n[neighbours]\ninputs = [0, 1]\n'
        + CLAIM.replace('"epsilon"', "1")
    )
    assert single.claims[0].subject.sample(0, 3, np.random.default_rng(0)) == [0.0, 0.0, 0.0]


def test_the_time_and_the_processes_of_a_function_go_on_trial_if_the_spec_says_so(user: Path) -> None:
    text = (
        "bits = true\n" + RELEASE + "{}[neighbours]\ninputs = [[0], [1]]\n" + CLAIM.replace('"epsilon"', "1")
    )
    for line, asked in (
        ("", (False, False)),
        ("timing = true\n", (True, False)),
        ("processes = true\n", (False, True)),
    ):
        subject = job(text.format(line)).claims[0].subject
        assert (subject.timing, subject.processes, subject.noise) == (*asked, None)
    assert job(text.format('declared_noise = "gaussian"\n')).claims[0].subject.noise == "gaussian"


def test_real_data_give_the_neighbours_of_a_function(user: Path) -> None:
    claim = CLAIM.replace('"epsilon"', "1")
    text = WINE + RELEASE + '[neighbours]\nadjacency = "{}"\n' + claim
    one, two = job(text.format("replace-one")).claims[0].subject.neighbours()[0]
    assert one.shape == two.shape == (178, 1)
    assert np.sum(one != two) == 1
    assert (one[0, 0], two[0, 0]) == (0, 2000)
    one, two = job(text.format("add-or-remove")).claims[0].subject.neighbours()[0]
    assert (len(one), len(two)) == (178, 179)
    one, two = job(text.format("any-two")).claims[0].subject.neighbours()[0]
    assert (one.tolist(), two.tolist()) == ([0], [2000])


# --- messages --------------------------------------------------------------------------------------------------

BOX = '[mechanism]\nfunction = "user_code:release"\n'
MESSAGES = [
    ("x = 1\n" + LAPLACE, ["x: unknown key", "alpha, bits, call_seconds, claims"]),
    ("sample = 3\n" + LAPLACE, ["sample: unknown key; did you mean 'samples'?"]),
    ("alpha = 2\n" + LAPLACE, ["alpha: expected a number < 1.0, got 2"]),
    ("samples = 1.5\n" + LAPLACE, ["samples: expected a whole number, got 1.5"]),
    ("seed = -1\n" + LAPLACE, ["seed: expected a number >= 0, got -1"]),
    ("bits = 1\n" + LAPLACE, ["bits: expected true or false, got 1"]),
    ("title = 'x'", ["mechanism: this key is missing"]),
    ("x = ", ["not valid TOML", "end of document"]),
    (
        "samples = 1" + "0" * 5000 + "\n" + LAPLACE,
        ["not valid TOML: nested too deeply, or a number too long"],
    ),
    (
        "alpha = 0x" + "f" * 6000 + "\n" + LAPLACE,
        ["alpha: expected numbers below 1.8e308 in size, got one of 309 or more digits"],
    ),
    (
        LAPLACE.replace("epsilon = 1\n", "epsilon = " + "9" * 400 + "\n"),
        ["mechanism.epsilon: expected numbers below 1.8e308"],
    ),
    (
        LAPLACE + CLAIM + 'where = { a = [1, { "b c" = -' + "9" * 400 + " }] }\n",
        ['claims[0].where.a[1]."b c": expected numbers below 1.8e308'],
    ),
    ("#" * (LONGEST + 1), ["longer than 5,000,000 bytes: expected a TOML spec"]),
    ("mechanism = 3", ["mechanism: expected a table, got 3"]),
    ("title = { a = 1 }\n" + LAPLACE, ["title: expected text in quotes, got a table"]),
    (LAPLACE + CLAIM + "int = 1\n", ["claims[0].int: unknown key"]),
    (
        LAPLACE + CLAIM + "where = { epsilon = {} }\n",
        ["claims[0].where.epsilon: expected restricts the claim to some values", "got a table"],
    ),
    ("[mechanism]\n", ["mechanism: expected exactly one of name"]),
    (
        '[mechanism]\nname = "laplas"\n',
        ["mechanism.name: unknown mechanism 'laplas'; did you mean 'laplace'?"],
    ),
    ('[mechanism]\nname = "laplace"\n', ["laplace needs epsilon, sensitivity"]),
    (
        LAPLACE + "sensitivty = 1\n",
        ["mechanism.sensitivty: unknown parameter of laplace; did you mean 'sensitivity'?"],
    ),
    (LAPLACE.replace("= 1\n", "= -1\n"), ["mechanism: laplace: epsilon", "> 0, got -1"]),
    ('[mechanism]\nname = "laplace"\nepsilon = []\nsensitivity = 1\n', ["mechanism.epsilon: an empty list"]),
    (
        '[mechanism]\nname = "laplace"\nepsilon = { sweeps = [1] }\nsensitivity = 1\n',
        ["mechanism.epsilon: expected a value or"],
    ),
    (
        '[mechanism]\nname = "laplace"\nepsilon = [' + "1," * 101 + "]\nsensitivity = 1\n",
        ["more than 100 combinations"],
    ),
    (
        '[mechanism]\nname = "laplace"\nepsilon = "1/x"\nsensitivity = 1\n',
        ["mechanism.epsilon: in the formula '1/x'", "'x'"],
    ),
    ('[mechanism]\nname = "optimal-gaussian"\nlambda = 1\n', ["optimal-gaussian needs domain"]),
    ('[mechanism]\nname = "optimal-gaussian"\nlambd = 1\n', ["did you mean 'lambda'?"]),
    (
        LAPLACE + '[[claims]]\npredicate = "aprox-dp"\n',
        ["claims[0]: unknown predicate 'aprox-dp'; did you mean 'approx-dp'?"],
    ),
    (LAPLACE + "[[claims]]\nepsilon = 1\n", ['claims[0]: the key "predicate" is missing; expected one of']),
    (LAPLACE + '[[claims]]\npredicate = "pure-dp"\n', ["claims[0].epsilon: this key is missing"]),
    (
        LAPLACE + '[[claims]]\npredicate = "approx-dp"\nepsilon = 1\ndelt = 0\n',
        ["claims[0].delt: unknown key; did you mean 'delta'?"],
    ),
    (
        LAPLACE + '[[claims]]\npredicate = "pure-dp"\nepsilon = true\n',
        ["claims[0].epsilon: expected a number, or a formula", "got true"],
    ),
    (
        LAPLACE + '[[claims]]\npredicate = "pure-dp"\nepsilon = 0\n',
        ["claims[0].epsilon: epsilon must be a finite number > 0, got 0"],
    ),
    (LAPLACE + '[[claims]]\npredicate = "pure-dp"\nepsilon = -1\n', ["> 0, got -1"]),
    (LAPLACE + '[[claims]]\npredicate = "pure-dp"\nepsilon = nan\n', ["claims[0].epsilon: expected"]),
    (
        LAPLACE + '[[claims]]\npredicate = "approx-dp"\nepsilon = 1\ndelta = 1\n',
        ["claims[0].delta: delta must lie in [0, 1), got 1"],
    ),
    (
        LAPLACE + '[[claims]]\npredicate = "pure-dp"\nepsilon = "epsilo"\n',
        ["claims[0].epsilon: in the formula 'epsilo' at character 1", "'epsilon'"],
    ),
    (LAPLACE + '[[claims]]\npredicate = "pure-dp"\nepsilon = "9**9**9"\n', ["an exponent may be at most 64"]),
    (
        LAPLACE + '[[claims]]\npredicate = "pure-dp"\nepsilon = "__import__(\'os\')"\n',
        ["unknown function '__import__'"],
    ),
    (LAPLACE + CLAIM + 'about = "laws"\n', ["claims[0].about: expected 'law' or 'code', got 'laws'"]),
    (
        LAPLACE + CLAIM + 'scope = { domian = "" }\n',
        ["claims[0].scope.domian: unknown key; did you mean 'domain'?"],
    ),
    (
        LAPLACE + CLAIM + "noise_factor = 2\n",
        ["claims[0].noise_factor: unknown key; noise_factor belongs to [[controls]]"],
    ),
    (
        LAPLACE + CLAIM + "where = { epsilo = 1 }\n",
        ["claims[0].where: no parameter 'epsilo'", "did you mean 'epsilon'?"],
    ),
    (LAPLACE + CLAIM + "where = { epsilon = 7 }\n", ["claims[0].where.epsilon: epsilon is never 7"]),
    (
        LAPLACE + CLAIM.replace("claims", "controls") + "noise_factor = 1\n",
        ["controls[0].noise_factor: expected a number > 1"],
    ),
    (
        LAPLACE + CLAIM.replace("claims", "controls") + 'noise_factor = "often"\n',
        ["controls[0].noise_factor: expected a number > 1", "got 'often'"],
    ),
    (
        LAPLACE + '[[claims]]\npredicate = "error-bound"\nvalue = 1\nadversary = "minimax"\n',
        ['claims[0]: adversary="minimax" needs domain'],
    ),
    (
        LAPLACE + '[[claims]]\npredicate = "error-bound"\nvalue = 1\nweight = [[1, 2], [3]]\n',
        ["claims[0].weight: expected rows of equal length"],
    ),
    (
        LAPLACE + '[[claims]]\npredicate = "error-bound"\nvalue = 1\nweight = [-1]\n',
        ["claims[0].weight: weight must be positive definite"],
    ),
    (LAPLACE + '[[claims]]\npredicate = "fisher-information"\nvalue = [[1, 2], [3, 4]]\n', ["symmetric"]),
    ('[data]\nsource = "sklearn:wine"\n' + LAPLACE, ["data.bounds: this key is missing: public bounds"]),
    (
        '[data]\nsource = "sklearn:wine"\nbounds = [0, 1]\n' + LAPLACE,
        ['data.bounds."', "178 of 178 rows lie outside"],
    ),
    (
        '[data]\nsource = "sklearn:wine"\nbounds = { a = [1, "x"] }\n' + LAPLACE,
        ["data.bounds.a[1]: expected a finite number, got 'x'"],
    ),
    (
        '[data]\nsource = "nothing.csv"\nbounds = [0, 1]\n' + LAPLACE,
        ["data.source: no such file: nothing.csv"],
    ),
    (
        '[data]\nsource = "sklearn:wine"\nbounds = [0, 2000]\n[mechanism]\nname = "bounded-mean"\nepsilon = 1\n',
        ["bounded-mean answers about one column, got 13"],
    ),
    (LAPLACE + "[neighbours]\ninputs = [1]\n", ["neighbours.inputs: expected at least 2 entries"]),
    (
        LAPLACE + "[neighbours]\ninputs = [[0], [0]]\n" + CLAIM,
        ["neighbours.inputs: the two inputs are equal"],
    ),
    (
        LAPLACE + "[neighbours]\ninputs = [[0], [2]]\n" + CLAIM,
        ["neighbours.inputs: not neighbours: 2 apart, the sensitivity is 1"],
    ),
    (
        LAPLACE + "[neighbours]\ninputs = [[0, 1], [2, 3]]\n" + CLAIM,
        ["neighbours.inputs[0]: laplace expects an input of 1 numbers"],
    ),
    (
        LAPLACE + '[neighbours]\nadjacency = "replace"\n',
        ["neighbours.adjacency: expected 'any-two', 'replace-one' or 'add-or-remove'"],
    ),
    (
        LAPLACE + '[neighbours]\nadjacency = "replace-one"\n',
        ["neighbours.adjacency: laplace does not know the relation"],
    ),
    (LAPLACE + "[neighbours]\ndomain = [0, 1]\n", ["neighbours.domain: laplace takes no domain"]),
    (BOX, ["neighbours: a function needs [neighbours]"]),
    (BOX + "[neighbours]\n", ["neighbours: expected `inputs = [x0, x1]`, or `adjacency`"]),
    (
        BOX + '[neighbours]\nadjacency = "any-two"\n',
        ["neighbours: adjacency needs the set of possible records"],
    ),
    (
        BOX + '[neighbours]\nadjacency = "replace-one"\ndomain = [0, 1]\n',
        ["neighbours.records: replace-one needs the number"],
    ),
    (
        BOX + f'[neighbours]\nadjacency = "replace-one"\ndomain = [0, 1]\nrecords = {10**20}\n',
        ["neighbours.records: 100,000,000,000,000,000,000 records do not fit into memory"],
    ),
    (
        BOX + '[neighbours]\nadjacency = "any-two"\ndomain = [1, 0]\n',
        ["neighbours.domain: expected [lower, upper]"],
    ),
    (
        BOX + "[neighbours]\ndomain = [0, 1]\ninputs = [0, 2]\n",
        ["neighbours.inputs[1]: this input lies outside"],
    ),
    (
        BOX + '[neighbours]\nadjacency = "replace-one"\ninputs = [[0, 1], [1, 0]]\n',
        ["not neighbours: replace-one allows one differing record, got 2"],
    ),
    (
        BOX + '[neighbours]\nadjacency = "replace-one"\ninputs = [[0], [1, 0]]\n',
        ["not neighbours: replace-one needs two data sets of the same size"],
    ),
    (
        BOX + '[neighbours]\nadjacency = "add-or-remove"\ninputs = [[0, 1], [1, 2, 3]]\n',
        ["not neighbours: add-or-remove needs"],
    ),
    (BOX + "[neighbours]\ninputs = [nan, 1.0]\n", ["neighbours: inputs must be finite"]),
    (
        "bits = true\n" + LAPLACE.replace("[mechanism]\n", "[mechanism]\ntiming = true\n"),
        ["mechanism.timing: this key goes with `function` only"],
    ),
    (
        BOX + "timing = true\n[neighbours]\ninputs = [0, 1]\n",
        ["mechanism.timing: calls are audited with the bytes only: set bits = true"],
    ),
    (
        "bits = true\n"
        + BOX
        + 'processes = true\n[neighbours]\ndomain = [0, 1]\nadjacency = "replace-one"\nrecords = 3\nsearch = true\n',
        ["mechanism.processes: this key goes with given inputs"],
    ),
    (
        '[mechanism]\nfunction = "user_code:releas"\n[neighbours]\ninputs = [0, 1]\n',
        ["mechanism.function: user_code has no function 'releas'; did you mean 'release'?"],
    ),
    (
        BOX + "k = 1\n[neighbours]\ninputs = [0, 1]\n",
        ["mechanism.function: user_code:release cannot be called as f(data, size, rng, k)"],
    ),
    (
        BOX
        + "[neighbours]\ninputs = [0, 1]\n"
        + CLAIM.replace("claims", "controls").replace('"epsilon"', "1")
        + "noise_factor = 2\n",
        ["controls[0].noise_factor: a function has no noise to divide"],
    ),
]


@pytest.mark.parametrize(("text", "parts"), MESSAGES, ids=[m[1][0][:60] for m in MESSAGES])
def test_messages_name_file_key_and_what_was_expected(user: Path, text: str, parts: list[str]) -> None:
    said = message(text)
    assert [part for part in parts if part not in said] == [], said


def test_what_else_is_to_be_corrected_is_counted_once() -> None:
    """A key in a union fails in each of its branches, and its table with it: that is one slip."""
    data = '[data]\nsource = "sklearn:wine"\nbounds = { a = [1, "x"] }\n'
    assert message(data + LAPLACE) == "s.toml: data.bounds.a[1]: expected a finite number, got 'x'"
    assert message("seed = -1\n" + data + LAPLACE) == (
        "s.toml: data.bounds.a[1]: expected a finite number, got 'x' (also to correct: seed)"
    )
