"""Digests of what a release reaches: whatever holds a constant, wherever it stands, a change of it is seen, and nothing else is."""

from __future__ import annotations

import importlib
import random
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

import noiseproof as npf
from noiseproof.audit.trial.schedule.reached import Reached
from noiseproof.cli import app

# Each holder of a constant: what stands above the release, in a library, and what the release calls.
HOLDERS: dict[str, tuple[str, str, str]] = {
    "a number": ("C{i} = {c}\n", "", "C{i}"),
    "a dict": ("C{i} = {{'scale': [{c}]}}\n", "", "C{i}['scale'][0]"),
    "an array": ("C{i} = np.array([{c}, 1.0])\n", "", "C{i}[0]"),
    "a helper": ("def h{i}():\n    return {c}\n", "", "h{i}()"),
    "a default": ("def h{i}(c={c}):\n    return c\n", "", "h{i}()"),
    "a keyword": ("def h{i}(*, c={c}):\n    return c\n", "", "h{i}()"),
    "a closure": ("def m{i}(c):\n    return lambda: c\nh{i} = m{i}({c})\n", "", "h{i}()"),
    "a helper's helper": (
        "C{i} = {c}\ndef g{i}():\n    return C{i}\ndef h{i}():\n    return g{i}()\n",
        "",
        "h{i}()",
    ),
    "an attribute of a class": ("class K{i}:\n    c = {c}\n", "", "K{i}.c"),
    "a method": ("class K{i}:\n    def c(self):\n        return {c}\n", "", "K{i}().c()"),
    "a base class": ("class B{i}:\n    c = {c}\nclass K{i}(B{i}):\n    pass\n", "", "K{i}.c"),
    "a property": ("class K{i}:\n    @property\n    def c(self):\n        return {c}\n", "", "K{i}().c"),
    "an object": (
        "class K{i}:\n    def __init__(self, c):\n        self.c = c\nk{i} = K{i}({c})\n",
        "",
        "k{i}.c",
    ),
    "slots": ("class K{i}:\n    __slots__ = ('c',)\nk{i} = K{i}()\nk{i}.c = {c}\n", "", "k{i}.c"),
    "a partial": ("import functools\nh{i} = functools.partial(max, {c})\n", "", "h{i}(0.0)"),
    "a cached function": ("import functools\n@functools.cache\ndef h{i}():\n    return {c}\n", "", "h{i}()"),
    "a table of functions": ("T{i} = {{'f': lambda: {c}}}\n", "", "T{i}['f']()"),
    "a constant of a library": ("import {m}\n", "C{i} = {c}\n", "{m}.C{i}"),
    "a function of a library": ("from {m} import h{i}\n", "def h{i}():\n    return {c}\n", "h{i}()"),
    "a library's own import": (
        "import {m}\n",
        "import {m}_two\ndef h{i}():\n    return {m}_two.C{i}\n",
        "{m}.h{i}()",
    ),
    "a library imported in a call": (
        "def h{i}():\n    import {m}\n    return {m}.C{i}\n",
        "C{i} = {c}\n",
        "h{i}()",
    ),
}


def made(place: Path, number: int, holders: list[str], constants: list[float], notebook: bool) -> Any:
    """A release that uses each constant where its holder has it; the library lies in a folder of its own on the path."""
    lib, name = f"lib_{number}", f"service_{number}"
    above, library, calls = "import numpy as np\n", "", []
    two = "".join(f"C{i} = {c}\n" for i, c in enumerate(constants))
    for i, (holder, c) in enumerate(zip(holders, constants, strict=True)):
        top, inner, call = (text.format(i=i, c=c, m=lib) for text in HOLDERS[holder])
        above, library, calls = above + top, library + inner, [*calls, call]
    (place / "libs").mkdir(exist_ok=True)
    (place / "libs" / f"{lib}.py").write_text(library)
    used = "a library's own import" in holders
    (place / "libs" / f"{lib}_two.py").write_text(two if used else "")
    text = (
        f"{above}def release(x, size, rng):\n    return x + rng.laplace(size=size) * ({' + '.join(calls)})\n"
    )
    for module in (lib, f"{lib}_two", name):
        sys.modules.pop(module, None)
    importlib.invalidate_caches()
    if notebook:
        cells: dict[str, Any] = {"__name__": "__main__"}
        exec(compile(text, "<cell>", "exec"), cells)
        return cells["release"]
    (place / "libs" / f"{name}.py").write_text(text)
    for path in (place / "libs").rglob("*.pyc"):
        path.unlink()
    return importlib.import_module(name).release


def told(release: Any) -> dict[str, str]:
    """The digests of a black box that was made anew."""
    return Reached([npf.BlackBox(release, (0.0, 1.0), name="service")]).digests


def fuzz(place: Path, cases: int, seed: int) -> list[str]:
    """What was changed and not seen, or seen and not changed."""
    rng, wrong = random.Random(seed), []
    sys.path.insert(0, str(place / "libs"))
    sys.dont_write_bytecode, kept = True, sys.dont_write_bytecode
    try:
        for case in range(cases):
            first = list(HOLDERS)[case % len(HOLDERS)]
            holders = [first, *rng.choices(list(HOLDERS), k=rng.randrange(3))]
            constants = [round(rng.uniform(0.5, 2.0), 3) for _ in holders]
            notebook = rng.random() < 0.5
            before, again = (told(made(place, case, holders, constants, notebook)) for _ in range(2))
            after = told(made(place, case, holders, [constants[0] / 10, *constants[1:]], notebook))
            if before != again or before == after:
                wrong.append(
                    f"{'notebook' if notebook else 'file'}: {first}, {'moves' if before != again else 'unseen'}"
                )
    finally:
        sys.path.remove(str(place / "libs"))
        sys.dont_write_bytecode = kept
    return wrong


def test_whatever_holds_a_constant_a_change_of_it_is_seen(tmp_path: Path) -> None:
    assert fuzz(tmp_path, 2 * len(HOLDERS), seed=43) == []


@pytest.mark.long
def test_two_thousand_changed_constants(tmp_path: Path) -> None:
    assert fuzz(tmp_path, 2_000, seed=44) == []


def test_a_checkpoint_of_a_notebook_is_not_gone_on_from_with_another_global(tmp_path: Path) -> None:
    for c, refused in ((1.0, False), (1.0, False), (0.1, True)):
        release = made(tmp_path, 1, ["a number"], [c], notebook=True)
        box = npf.BlackBox(release, (0.0, 1.0), name="cell")
        if refused:
            with pytest.raises(npf.SpecError, match=r"the code of the release \(cell \(function\)\)"):
                npf.examine(box, npf.PureDP(1.0), samples=2_000, checkpoint=tmp_path / "kept")
        else:
            npf.examine(box, npf.PureDP(1.0), samples=2_000, checkpoint=tmp_path / "kept")


def test_what_cannot_be_compared_is_no_ground_to_go_on_from(tmp_path: Path) -> None:
    held = (i for i in range(3))

    def release(x: float, size: int, rng: np.random.Generator) -> Any:
        return x + rng.laplace(size=size) + 0 * (held is None)

    box = npf.BlackBox(release, (0.0, 1.0), name="cell")
    npf.examine(box, npf.PureDP(1.0), samples=2_000, checkpoint=tmp_path / "kept")
    with pytest.raises(npf.SpecError, match=r"cannot be told: the builtins.generator"):
        npf.examine(box, npf.PureDP(1.0), samples=2_000, checkpoint=tmp_path / "kept")


def test_coins_and_locks_that_move_are_no_change() -> None:
    import threading

    rng, lock = np.random.default_rng(1), threading.Lock()

    def release(x: float, size: int, _: np.random.Generator) -> Any:
        with lock:
            return x + rng.laplace(size=size)

    before = told(release)
    release(0.0, 5, rng)
    assert told(release) == before


def test_the_command_keeps_nothing_for_a_library_that_changed_outside_of_the_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "work").mkdir()
    (tmp_path / "lib").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.syspath_prepend(tmp_path / "lib")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    body = (
        "import noiseproof as npf\ndef release(x, size, rng):\n    return x + rng.laplace(size=size) * {c}\n"
        "def claims():\n    return npf.BlackBox(release, (0.0, 1.0)), npf.PureDP(2.0)\n"
    )
    codes = []
    for c, reads in (("1.0", ""), ("1.0", ""), ("0.1", ""), ("1.0", "float(open('c').read())")):
        (tmp_path / "lib" / "outer_release.py").write_text(body.format(c=reads or c))
        (tmp_path / "work" / "c").write_text(c)
        sys.modules.pop("outer_release", None)
        words = ["audit", "outer_release:claims", "--samples", "3000", "--cache", "kept", "-o", "out"]
        done = CliRunner().invoke(app, words)
        codes.append(
            (
                done.exit_code,
                "nothing has changed" in done.output,
                "is not used: it does not cover" in done.output,
            )
        )
    assert codes == [(0, False, False), (0, True, False), (1, False, False), (0, False, True)]
