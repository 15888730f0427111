"""What is asked of an engine about a random program, and whether the answer is wrong: the only module that knows both."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import islice
from typing import Any

import numpy as np
import sympy as sp

from program_trials import numbers
from program_trials.numbers import Numeric
from program_trials.points import TINY, Judged
from program_trials.program import Program
from program_trials.random_case import Case, Truth
from program_trials.smooth import smooth
from program_trials.stated import stated

Answer = dict[str, Any]
_TRUTHS = {"HOLDS": "PROVED", "FAILS": "REFUTED", "UNKNOWN": "UNDECIDED"}


def subject(program: Program) -> tuple[Any, str | None]:
    """The program as the engine has it, or what it says against the statement."""
    try:
        return stated(program), None
    except ValueError as error:
        return None, f"refused: {str(error)[:60]}"


def ask(engine: Any, question: str, point: Any, tolerance: Any, seconds: float) -> Answer:
    try:
        if question == "convexity":
            return _convexity(engine, seconds)
        if question == "qualification":
            return _qualification(engine, point)
        if question == "dual":
            return _dual(engine, seconds)
        if question == "solution":
            return _solution(engine, seconds)
        return _certificate(engine.certify(point, tolerance=tolerance))
    except Exception as error:  # Whatever escapes is an answer too, and shown.
        return {"word": f"{type(error).__name__}", "said": str(error)}


def _certificate(found: Any) -> Answer:
    return {
        "word": found.verdict,
        "lower": found.lower,
        "better": None if found.better is None else list(found.better.values()),
        "at": found.point,
        "said": f"{found.method}: {found.reason}",
    }


def _convexity(engine: Any, seconds: float) -> Answer:
    found = engine.convexity()
    return {"word": _TRUTHS[found.program.truth.name], "said": str(found.program)}


def _qualification(engine: Any, point: Any) -> Answer:
    """The word is that on the whole of them: PROVED if one holds, REFUTED if all three fail."""
    conditions = engine.kkt()
    facts = {"slater": conditions.slater, "licq": conditions.licq(point), "mfcq": conditions.mfcq(point)}
    each = {n: _TRUTHS[f.truth.name] for n, f in facts.items()}
    word = (
        "PROVED"
        if "PROVED" in each.values()
        else "REFUTED"
        if set(each.values()) == {"REFUTED"}
        else "UNDECIDED"
    )
    return {"word": word, "each": each, "said": str(each)}


def _dual(engine: Any, seconds: float) -> Answer:
    """Values of the dual function at random multipliers that meet the constraints of the dual."""
    found = engine.dual()
    if found.function is None:
        return {"word": "UNDECIDED", "said": found.reason}
    if found.function == -sp.oo:
        return {"word": "no dual", "said": found.reason}
    if not found.multipliers:
        return {"word": "PROVED", "values": [found.function], "said": str(found)}
    return {"word": "PROVED", "values": list(islice(_values(found), 30)), "said": str(found)}


def _values(found: Any) -> Any:
    rng = random.Random(7)
    relations = [c for c in found.constraints if isinstance(c, sp.Basic)]
    if len(relations) < len(found.constraints):
        return
    equations = [c.lhs - c.rhs for c in relations if isinstance(c, sp.Eq)]
    solved = sp.solve(equations, list(found.multipliers), dict=True) if equations else [{}]
    for _ in range(200):
        at = {m: sp.Rational(rng.randint(0 if rng.random() < 0.7 else -20, 20), 4) for m in found.multipliers}
        for m, e in (solved[0] if solved else {}).items():
            at[m] = e.subs(at)
        if all(
            c.subs(at) == sp.true or (isinstance(c, sp.Eq) and sp.simplify((c.lhs - c.rhs).subs(at)) == 0)
            for c in relations
        ):
            yield sp.N(found.function.subs(at), 30)


def _solution(engine: Any, seconds: float) -> Answer:
    found = engine.solve()
    return {
        "word": "UNDECIDED" if found.status == "unknown" else found.status,
        "value": found.value,
        "points": [list(m.values()) for m in found.minimisers],
        "lower": None if found.certificate is None else found.certificate.lower,
        "said": str(found),
    }


def judge(case: Case, judged: Judged, question: str, point: Any, tolerance: Any, answer: Answer) -> str:
    """The empty text if nothing is wrong, else what is."""
    word, truth = answer["word"], case.truth
    if question == "convexity":
        return (
            ""
            if truth.convex is None or word not in ("PROVED", "REFUTED") or (word == "PROVED") == truth.convex
            else f"convex: {truth.convex}"
        )
    if question == "qualification":
        return _wrong_qualification(case, point, answer)
    if question == "dual":
        return _wrong_dual(case, answer)
    if question == "solution":
        return _wrong_solution(case, judged, answer)
    if question == "minimiser" and word == "REFUTED":
        return "a minimiser is refuted"
    if question in ("worse point", "point outside") and word == "PROVED":
        return f"{question} is proved; value {judged.value(point)}, minimum {truth.value}"
    if answer.get("lower") is not None and _above(answer["lower"], truth):
        return f"lower bound {answer['lower']} above the minimum {truth.value}"
    if word == "REFUTED" and answer.get("better") is not None:
        return _wrong_better(judged, point, tolerance, answer["better"])
    return ""


def _above(bound: Any, truth: Any) -> bool:
    if truth.status == "infeasible":
        return False
    if truth.status == "unbounded":
        return bool(bound != -sp.oo)
    exact = sp.Rational(truth.value.numerator, truth.value.denominator) if truth.exact else truth.value
    return bool(sp.N(bound - exact, 50) > max(TINY, sp.Float(truth.slack)))


def _wrong_better(judged: Judged, point: Any, tolerance: Any, better: Any) -> str:
    if not judged.feasible(better):
        return f"the better point {better} is not feasible"
    if judged.feasible(point) and not judged.value(better) < judged.value(point) - tolerance:
        return f"the better point {better} is not better"
    return ""


def _wrong_qualification(case: Case, point: Any, answer: Answer) -> str:
    """Ranks and linear programs in floats; lifted programs are left out, whose qualifications are others."""
    if "each" not in answer or "Abs" in case.program.minimise:
        return ""
    model = Numeric(smooth(case.program))
    x = np.array([float(e) for e in point])
    # The distance of near misses is 1e-6: what is active is decided in fractions.
    depth = numbers.deepest(model, np.random.default_rng(1)) if case.truth.convex else None
    true = {
        "licq": numbers.independent(model, x),
        "mfcq": numbers.mangasarian_fromovitz(model, x),
        "slater": None if depth is None or abs(depth) < 1e-5 else depth < 0,
    }
    curved = any(p.excess.diff(v).free_symbols for p in model.form.below for v in model.form.variables)
    if not curved:
        # Slater's condition asks for strictness in what is not affine: here for a feasible point only.
        true["slater"] = True
    wrong = [
        f"{n}: {word}, in truth {true[n]}"
        for n, word in answer["each"].items()
        if true[n] is not None and ((word == "PROVED" and not true[n]) or (word == "REFUTED" and true[n]))
    ]
    return "; ".join(wrong)


def _wrong_dual(case: Case, answer: Answer) -> str:
    for value in answer.get("values", ()):
        if value.is_comparable and _above(value, case.truth):
            return f"a value {value} of the dual lies above the minimum {case.truth.value}"
    return ""


def _wrong_solution(case: Case, judged: Judged, answer: Answer) -> str:
    """A proved status is the true one, and points of a proved solution are feasible and as good as was said."""
    word, truth = answer["word"], case.truth
    if word in ("infeasible", "unbounded", "not attained"):
        return "" if word == truth.status else f"{word}, in truth {truth.status}"
    if word not in ("optimal", "near"):
        return ""
    if truth.status != "optimal":
        return f"{word}, in truth {truth.status}"
    if answer["lower"] is not None and _above(answer["lower"], truth):
        return f"lower bound {answer['lower']} above the minimum {truth.value}"
    if _above(-answer["value"], Truth("optimal", -truth.value, exact=truth.exact, slack=truth.slack)):
        return f"value {answer['value']} below the minimum {truth.value}"
    if word == "optimal" and _above(answer["value"], truth):
        return f"value {answer['value']} above the minimum {truth.value}"
    off = [p for p in answer["points"][:1] if not judged.feasible(p)]
    return f"{off[0]} is not feasible" if off else ""


def false_answers(case: Case, question: str, point: Any) -> Iterator[tuple[str, Answer]]:
    """What a broken engine might say, each of them false for this program."""
    truth = case.truth
    off = Fraction(1, 1000)
    low = None if truth.status in ("infeasible", "unbounded") else sp.Rational(str(truth.value + float(off)))
    if question == "minimiser":
        yield "a minimiser refuted", {"word": "REFUTED"}
        yield "a bound above the minimum", {"word": "UNDECIDED", "lower": low}
    elif question in ("worse point", "point outside"):
        yield f"{question} proved", {"word": "PROVED"}
        if question == "worse point":
            yield "a better point that is none", {"word": "REFUTED", "better": point}
    elif question == "convexity" and truth.convex is not None:
        yield "convexity", {"word": "REFUTED" if truth.convex else "PROVED"}
    elif question == "dual" and low is not None:
        yield "a dual value above the minimum", {"word": "PROVED", "values": [low]}
    elif question == "solution":
        for status in ("infeasible", "unbounded", "not attained"):
            if status != truth.status:
                yield f"said to be {status}", {"word": status}
        if truth.status != "optimal":
            yield "said to be optimal", {"word": "optimal", "value": sp.S.Zero, "lower": None, "points": []}
            return
        for sign in (-1, 1):
            answer = {"word": "optimal", "value": low - (1 - sign) * off, "lower": None, "points": []}
            yield "a value off by 1/1000", answer
