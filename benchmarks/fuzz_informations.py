"""Random densities of a grammar: is a closed form of `npf.fisher_information` ever wrong, or called regular where it is not?

python benchmarks/fuzz_informations.py [--cases 200] [--seed 23] [--seconds 10] [--minutes 60]

Each case runs in a process of its own, which is ended where it does not keep its limit of seconds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import Connection

import mpmath as mp
import numpy as np
import sympy as sp
from fuzzing.information_truth import information, moved_apart
from fuzzing.random_laws import RandomLaw, random_law

import noiseproof as npf
from noiseproof.symbolic.proof.truth import Truth

_CLOSE, _STEP = 1e-9, sp.Rational(1, 1000)
_SLACK = 5.0  # seconds over the limit that are no fault


def asked(one: RandomLaw, rng: np.random.Generator, seconds: float) -> tuple[str, list[str]]:
    """The word for the answer, and what is wrong with it."""
    try:
        law = one.law()
    except ValueError as refusal:
        unknown = "not decided" in str(refusal)
        return "refused", [] if unknown else [f"a law is refused: {refusal}"]
    except Exception as crash:
        return "crashed", [f"from_density: {type(crash).__name__}: {crash}"]
    start = time.perf_counter()
    try:
        found = npf.fisher_information(law, one.parameters)
    except Exception as crash:
        return "crashed", [f"fisher_information: {type(crash).__name__}: {crash}"]
    took = time.perf_counter() - start
    faults = [f"took {took:.0f} s of {seconds:g}"] if took > seconds + _SLACK else []
    faults += [*_wrong_words(one, found.regular), *_wrong_values(one, found, rng)]
    if found.value is not None and found.derivation.check() is Truth.FAILS:
        faults.append("a step of the derivation fails")
    word = "closed" if found.value is not None else "open"
    return f"{word}, {found.regular.name}", faults


def _wrong_words(one: RandomLaw, regular: Truth) -> Iterator[str]:
    if regular is Truth.HOLDS and one.irregular:
        yield f"called regular, and {one.moving} moves"
    if regular is Truth.HOLDS and one.kinked:
        yield "called regular for all parameters, and one enters through a kink"
    if regular is Truth.FAILS and not one.irregular and not one.kinked:
        yield "called irregular, and it is regular"


def _wrong_values(
    one: RandomLaw, found: npf.FisherInformationMatrix, rng: np.random.Generator
) -> Iterator[str]:
    if found.value is None or one.irregular:
        return
    for at in (dict(one.at), one.another(rng)):
        truth = information(one, at)
        if truth is None:
            continue
        told = sp.N(found.value.subs(at), 25)
        for i in range(truth.rows):
            for j in range(i + 1):
                size = 1 + abs(truth[i, j])
                if not told[i, j].is_number or abs(mp.mpmathify(told[i, j]) - truth[i, j]) > _CLOSE * size:
                    yield f"entry {i}, {j} at {at} is {found.value[i, j]} = {told[i, j]}, expected {mp.nstr(truth[i, j], 15)}"
        if found.regular is Truth.HOLDS and not one.discrete:
            near = moved_apart(one, at, one.parameters[0], _STEP)
            if abs(near - truth[0, 0]) > 0.2 * truth[0, 0] + 1e-3:
                yield f"at {at} distances of laws give {mp.nstr(near, 6)}, slopes {mp.nstr(truth[0, 0], 6)}"


def _run(pipe: Connection, seed: tuple[int, int], seconds: float) -> None:
    rng = np.random.default_rng(seed)
    pipe.send(asked(random_law(rng), rng, seconds))


def case(seed: tuple[int, int], seconds: float) -> tuple[str, list[str]]:
    """One case in a process of its own."""
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(target=_run, args=(there, seed, seconds))
    process.start()
    there.close()
    answered = here.poll(12 * seconds)
    try:
        return here.recv() if answered else ("hung", [f"no answer after {12 * seconds:g} s"])
    except EOFError:
        return "crashed", ["the process ended without an answer"]
    finally:
        process.kill()
        process.join()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=23)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--minutes", type=float, default=60.0)
    given = parser.parse_args()
    sys.set_int_max_str_digits(0)  # exact powers of fractions are long
    start, words, faults, done = time.perf_counter(), Counter[str](), 0, 0
    for k in range(given.first, given.first + given.cases):
        if time.perf_counter() - start > 60 * given.minutes:
            break
        word, wrong = case((given.seed, k), given.seconds)
        words[word], faults, done = words[word] + 1, faults + len(wrong), done + 1
        for what in wrong:
            print(f"- {k}: {random_law(np.random.default_rng((given.seed, k))).said}: {what}", flush=True)
    print(", ".join(f"{count} {word}" for word, count in sorted(words.items())))
    print(f"{done} cases, seed {given.seed}, {time.perf_counter() - start:.0f} s; faults: {faults}")
    raise SystemExit(bool(faults))


if __name__ == "__main__":
    main()
