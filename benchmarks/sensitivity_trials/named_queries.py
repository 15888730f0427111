"""Queries by structure as a user of `npf.queries` writes them."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp
from sympy.parsing.sympy_parser import parse_expr

from noiseproof import queries
from sensitivity_trials.query import Query

LETTERS = "abcdefgh"


def named(query: Query) -> Any:
    """The query of that `structure` and those `options`."""
    given = query.options
    if query.per == "risk":
        return minimiser(query)
    known = {name: sp.Symbol(name, real=True) for name in (*query.records[0], *given.get("at", ()))}
    match query.structure:
        case "clipped mean":
            return queries.clipped_mean(Fraction(given["low"]), Fraction(given["high"]))
        case "clipped sum":
            return queries.clipped_sum(Fraction(given["low"]), Fraction(given["high"]))
        case "count":
            condition = parse_expr(given["condition"], local_dict=known)
            return queries.count(condition, [known[name] for name in query.records[0]])
        case "histogram":
            return queries.histogram([Fraction(e) for e in given["edges"]])
        case "order statistic":
            return queries.order_statistic(given["rank"])
        case "median":
            return queries.median()
        case "quantile":
            return queries.quantile(Fraction(given["q"]), method=given["method"])
        case "trimmed mean":
            return queries.trimmed_mean(given["trim"])
        case "argmax":
            return queries.argmax(list(LETTERS[: given["categories"]]), output=given.get("output", "index"))
        case "top-k":
            return queries.top_k(
                list(LETTERS[: given["categories"]]), given["k"], output=given.get("output", "counts")
            )
        case "clipped gradient":
            loss = parse_expr(given["loss"], local_dict=known)
            at = {known[name]: Fraction(v) for name, v in given["at"].items()}
            records = [known[name] for name in query.records[0]]
            return queries.clipped_gradient(
                loss, at, records, Fraction(given["clip"]), mean=given.get("mean", True)
            )
        case "gram":
            return queries.gram()
        case "covariance" | "variance" | "standard deviation":
            write = getattr(queries, query.structure.replace(" ", "_"))
            return write(divisor="n-1" if given.get("ddof") else "n")
    raise ValueError(f"unknown structure {query.structure!r}")


def minimiser(query: Query) -> Any:
    """Where the mean of the loss and the ridge term is least."""
    symbols = {name: sp.Symbol(name, real=True) for name in (*query.records[0], *query.over)}
    over, record = ([symbols[name] for name in some] for some in (query.over, query.records[0]))
    ridge = sp.Rational(query.ridge) * sum(v**2 for v in over) / 2
    return queries.risk_minimiser(parse_expr(query.expression[0], local_dict=symbols), over, record, ridge)
