"""z3 and cvc5 on steps that the kernel accepts: `python -m benchmarks.kernel_smt FOLDER` with the files of `noiseproof export --smt`.

Both come with the extra `smt`; each has a process and ten seconds for a step.  `sat` would be a disagreement and is named.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path

_SECONDS = 10


def by_z3(text: str) -> str:
    """unsat, sat or unknown."""
    import z3

    solver = z3.SolverFor("QF_NRA")
    solver.from_string(text)
    return str(solver.check())


def by_cvc5(text: str) -> str:
    """unsat, sat or unknown."""
    import cvc5

    solver = cvc5.Solver()
    parser = cvc5.InputParser(solver)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "step")
    symbols, found = parser.getSymbolManager(), "unknown"
    while not (command := parser.nextCommand()).isNull():
        said = str(command.invoke(solver, symbols)).strip()
        found = said or found
    return found if found in ("sat", "unsat") else "unknown"


SOLVERS = {"z3": by_z3, "cvc5": by_cvc5}


def asked(name: str, text: str) -> str:
    """The answer of a process of its own: a solver that does not come back is stopped."""
    command = [sys.executable, "-m", "benchmarks.kernel_smt", "--one", name]
    try:
        done = subprocess.run(
            command, input=text, capture_output=True, text=True, timeout=_SECONDS, check=True
        )
    except subprocess.TimeoutExpired:
        return "unknown"
    return done.stdout.strip()


def main(folders: list[str]) -> int:
    """Counts the answers; 1 where a solver says sat."""
    texts = {p: p.read_text(encoding="utf-8") for f in folders for p in sorted(Path(f).rglob("*.smt2"))}
    different = dict.fromkeys(texts.values())
    print(f"{len(texts)} steps, {len(different)} different ones")
    code = 0
    for name in SOLVERS:
        answers = {text: asked(name, text) for text in different}
        print(name, dict(Counter(answers[t] for t in texts.values())))
        for path, text in texts.items():
            if answers[text] == "sat":
                code = 1
                print(f"  sat: {path}")
    return code


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        print(SOLVERS[sys.argv[2]](sys.stdin.read()))
    else:
        sys.exit(main(sys.argv[1:]))
