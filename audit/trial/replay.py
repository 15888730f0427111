"""The witnesses of certificates, evaluated again from their data alone."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import sympy as sp
from scipy import special

from ...symbolic.errors import counted
from ...symbolic.information.claimed_length import length_above
from ...symbolic.predicates import ErrorBound, FisherInformation
from ...symbolic.privacy.guarantees import GUARANTEES, READING
from ...symbolic.proof.enclosure import compare, enclose
from ...symbolic.proof.expressions import parse
from ...symbolic.proof.truth import Truth
from ...symbolic.stated_formula import read_entry
from ..record.plain import chance
from ..record.terms import Terms
from ..record.witness import Witness, register
from ..record.witness import reevaluate as reevaluate
from . import function_witness, optimum_witnesses
from . import witness_forms as forms
from .attack.additive import shifted_noise
from .attack.angle import angle_lower_bounds
from .attack.betting import payoffs
from .attack.event_bound import EventCount, EventTest
from .attack.events import BOXES_SHARE, MAIN_SHARE
from .attack.path import PathCount
from .attack.rate_boxes import RateBoxes
from .checks import profile_witness, rare_events
from .checks.information import error_reachable
from .checks.path_information import allowed_information
from .checks.quadrature import _AGREES, _BEYOND

# Importing the module that defines an evaluator registers its kind.
HOMES = (function_witness, optimum_witnesses, profile_witness, rare_events, shifted_noise)


@register("inequality", forms.InequalityForm)
def inequality(witness: Witness) -> tuple[bool, str]:
    """A comparison of two exact constants that certainly fails."""
    relation, right = witness["relation"], parse(witness["right"], characters=20_000)
    shown = enclose(right).str(15)
    if witness["left"] == "oo":
        return relation in ("<", "<=", "="), f"the left side is unbounded, the right side is {shown}"
    left = parse(witness["left"], characters=20_000)
    truth = compare(left, relation, right)
    word = {Truth.FAILS: "is certainly false", Truth.HOLDS: "holds", Truth.UNKNOWN: "is not decided"}[truth]
    return truth is Truth.FAILS, f"{enclose(left).str(15)} {relation} {shown} {word}"


@register("formula at a point", forms.FormulaForm)
def formula(witness: Witness) -> tuple[bool, str]:
    """A derived formula and a claimed one at a point where they certainly differ, or the claimed bound exceeds an error."""
    at = {name: parse(value) for name, value in witness["at"].items()}
    found, said = (enclose(read_entry(witness[side], at)) for side in ("derived", "claimed"))
    place = ", ".join(f"{name} = {value}" for name, value in witness["at"].items())
    shown = f"at {place or 'every point'}: derived {found.str(15)}, claimed {said.str(15)}"
    if not (found.is_finite() and said.is_finite()):
        return False, f"{shown}: no numbers"
    if witness["relation"] == "=":
        apart = abs(found - said) > abs(found).max(abs(said)) * enclose(READING)
    else:
        apart = found < said * (1 - enclose(READING))
    return bool(apart), shown


_TOLD = 200  # letters of what an event says
_MOST = 10**10  # outcomes: beyond, a test would only take time
_IMPOSSIBLE = "an event is counted more often than there are outcomes, or there are none, or more than an audit can draw"
_LEVEL = "the level of the test exceeds the error that is stated"


@register("event", forms.EventForm, forms.spends(level=MAIN_SHARE))
def event(witness: Witness) -> tuple[bool, str]:
    """Counts of one event that no pair of laws under the claimed (epsilon, delta) makes likely."""
    count = EventCount(**{name: int(witness["count"][name]) for name in ("k", "n", "l", "m")})
    if not (0 <= count.k <= count.n > 0 and 0 <= count.l <= count.m > 0 and max(count.n, count.m) <= _MOST):
        return False, _IMPOSSIBLE
    if not _claimed(witness):
        return False, "the point lies below the claimed curve"
    level, epsilon = float(witness["level"]), float(witness["epsilon"])
    if not 0 < level <= float(witness["alpha"]):
        return False, _LEVEL
    told = f" ({str(witness['score'])[:_TOLD]})" if witness.get("score") else ""
    test = EventTest(count, float(witness["delta"]), level)
    p_value, q_input = test.p_value(epsilon), 1 - int(witness["p_is_input"])
    return test.refutes(epsilon, test.lower_bound()), (
        f"the event{told} happened {count.k:,} times in {count.n:,} on input {witness['p_is_input']} and {count.l:,} times in "
        f"{count.m:,} on input {q_input}; p-value {chance(p_value)}, level {level:.3g}"
    )


@register("rate boxes", forms.BoxesForm, forms.spends(level=BOXES_SHARE))
def rate_boxes(witness: Witness) -> tuple[bool, str]:
    """Exact boxes around the rates of several events, one of which certainly exceeds the claimed curve."""
    k0, k1 = (np.asarray(witness[name], dtype=float) for name in ("k0", "k1"))
    n0, n1 = float(witness["n0"]), float(witness["n1"])
    if (
        not (1 <= n0 <= _MOST and 1 <= n1 <= _MOST)
        or not len(k0) == len(k1) > 0
        or np.any((k0 < 0) | (k0 > n0) | (k1 < 0) | (k1 > n1))
    ):
        return False, _IMPOSSIBLE
    if not _claimed(witness):
        return False, "the point lies below the claimed curve"
    level, epsilon, delta = (float(witness[name]) for name in ("level", "epsilon", "delta"))
    if not 0 < level <= float(witness["alpha"]):
        return False, _LEVEL
    boxes = RateBoxes.of(k0, n0, k1, n1, level)
    reached, (place, rest, on) = float(boxes.delta(epsilon)[0]), boxes.sharpest(epsilon)
    inside = [n - k[place] if rest else k[place] for k, n in ((k0, n0), (k1, n1))]
    told, sizes = _said(witness.get("events"), place), (n0, n1)
    return (
        reached > delta,
        f"the event{told} happened {inside[on]:,.0f} times in {sizes[on]:,.0f} on input {on} and {inside[1 - on]:,.0f} times in "
        f"{sizes[1 - on]:,.0f} on input {1 - on}; the lower confidence bound on delta({epsilon:.6g}) is {reached:.6g}, claimed at most {delta:.6g}",
    )


def _said(events: object, place: int) -> str:
    """What a witness says of one of its events, in parentheses; of scores the threshold too."""
    row = events[place] if isinstance(events, list) and place < len(events) else None
    if not isinstance(row, dict) or not isinstance(row.get("score"), str):
        return ""
    return f" ({row['score'][:_TOLD]})"


@register("bets", forms.BetsForm, forms.ALL)
def bets(witness: Witness) -> tuple[bool, str]:
    """Bets against a claim, settled again from the pairs that were counted in each epoch."""
    total, best, pairs = 0.0, 0.0, 0
    for epoch in witness["epochs"]:
        weights = np.asarray(epoch["weights"], dtype=float)
        if abs(float(weights.sum()) - 1) > 1e-9 or np.any(weights < 0):
            return False, "the weights of an epoch are no average"
        if not _claimed({**witness, "epsilon": epoch["epsilon"], "delta": epoch["delta"]}):
            return False, "an epoch bets against less than the claimed curve"
        each, sizes = [0.0], set()
        for bet in epoch["bets"]:
            plus, minus = (np.asarray(bet[name], dtype=float) for name in ("plus", "minus"))
            table = np.asarray(bet["pairs"], dtype=float).reshape(-1, 3)
            one, zero = table[:, 0].astype(int), table[:, 1].astype(int)
            if min(plus.min(), minus.min(), table.min(initial=0)) < 0:
                return False, "a stake, a level or a count is negative"
            if plus.shape != minus.shape:
                return False, "stakes in both directions are on other levels"
            payoff = payoffs(plus, minus, float(epoch["epsilon"]), float(epoch["delta"]))
            if payoff.min() <= -1:
                return False, "a bet stakes more than its capital"
            each.insert(-1, float(table[:, 2] @ np.log1p(payoff[one, zero])))
            sizes.add(int(table[:, 2].sum()))
        if len(sizes) != 1 or len(each) != len(weights):
            return False, "the bets of an epoch do not settle the same pairs"
        total += float(special.logsumexp(each, b=weights))
        best, pairs = max(best, total), pairs + sizes.pop()
    stands = best >= -np.log(float(witness["alpha"])) - 1e-9
    told = f"; {str(witness['told'])[: 2 * _TOLD]}" if witness.get("told") else ""
    return bool(stands), (
        f"{counted(pairs, 'pair')} in {counted(len(witness['epochs']), 'epoch')} multiplied the capital by 10^{best / np.log(10):.2f}; "
        f"1/alpha is {1 / float(witness['alpha']):.4g}{told}"
    )


def _claimed(witness: Witness) -> bool:
    """Whether the point of the witness allows at least what the claim allows."""
    guarantee = GUARANTEES.get(witness["predicate"])
    if guarantee is None:
        raise ValueError(f"what {str(witness['predicate'])[:40]!r} allows is not known here")
    curve = guarantee(**witness["parameters"]).curve()
    return float(witness["delta"]) >= float(curve(float(witness["epsilon"]))) - 1e-12


@register("binomial", forms.BinomialForm, forms.tests_stated)
def binomial(witness: Witness) -> tuple[bool, str]:
    """A count that is too unlikely under the declared law."""
    k, n, p = witness["successes"], witness["trials"], witness["probability"]
    if k > n:
        return False, _IMPOSSIBLE
    at_least = float(special.bdtrc(k - 1, n, p)) if k else 1.0
    value = min(1.0, 2 * min(float(special.bdtr(k, n, p)), at_least))
    stands = value * witness["tests"] <= witness["alpha"]
    return (
        bool(stands),
        f"{witness['what']}: {k:,} of {n:,} where the law says {p:.6g}; p {chance(value)}, shared over {witness['tests']} tests",
    )


@register("histograms", forms.HistogramsForm, forms.ALL)
def histograms(witness: Witness) -> tuple[bool, str]:
    """Histograms at two parameters that lie further apart than the claimed information allows."""
    counts, prior = np.asarray(witness["counts"], dtype=float), np.asarray(witness["prior"], dtype=float)
    steps = np.asarray(witness["steps"], dtype=float)
    if counts.shape != prior.shape or counts.shape[1] != len(steps):
        return False, "the histograms and the steps between the parameters do not belong together"
    angle = angle_lower_bounds(counts[0], counts[1], prior[0], prior[1], float(witness["alpha"]) / len(steps))
    information = (2 * angle / steps) ** 2
    claimed = witness["parameters"]
    if witness["predicate"] == "FisherInformation":
        allowed = np.broadcast_to(
            np.diag(np.atleast_2d(np.asarray(claimed["value"], dtype=float))), information.shape
        )
        worst = int(np.argmax(information - allowed))
        return bool(
            np.any(information > allowed)
        ), f"information of entry {worst + 1} at least {information[worst]:.6g}, claimed {allowed[worst]:.6g}"
    weight = (
        np.ones(len(steps))
        if "weight" not in claimed
        else np.diag(np.asarray(claimed["weight"], dtype=float))
    )
    reachable = error_reachable(information, weight)
    return (
        reachable < claimed["value"],
        f"from the outcomes, the Cramer-Rao bound of the code is at most {reachable:.6g}, claimed at least {claimed['value']:.6g}",
    )


@register("information along a path", forms.PathForm, forms.ALL)
def path(witness: Witness) -> tuple[bool, str]:
    """Outcomes along a path of parameters that move further than the claimed information allows."""
    predicate = {"FisherInformation": FisherInformation, "ErrorBound": ErrorBound}[witness["predicate"]](
        **witness["parameters"]
    )
    values, places = np.asarray(witness["values"], dtype=float), [float(x) for x in witness["places"]]
    if predicate.formula is None or len(values) != len(places) or sorted(places) != places:
        return False, "the claim is no formula, or the parameters and the cells do not belong together"
    names = [n for n, _ in predicate.formula.domains]
    known = predicate.formula.own_symbols
    order = list(predicate.formula.of or names)
    symbols = [known.get(n) or sp.Symbol(n, real=True) for n in order]
    if witness["parameter"] not in order or len(order) != len(witness["theta"]):
        return False, "the parameter that moves is none of the claim"
    place = order.index(witness["parameter"])
    domain = predicate.formula.domain(symbols).floats(order[place])
    if not domain[0] < places[0] < places[-1] < domain[1]:
        return False, "the path leaves the domain of the claim"
    allowed = allowed_information(predicate, symbols, place, witness["theta"])
    lengths = np.array([length_above(allowed, symbols[place], a, b) for a, b in pairwise(places)])
    count = PathCount(
        float(witness["outcomes"]), witness["total"], witness["squares"], float(values.max(axis=1).sum())
    )
    found = count.least_ratio(lengths, float(witness["deviation"]), float(witness["alpha"]))
    return found > 1 + 1e-9, (
        f"{witness['parameter']} from {places[0]:.6g} to {places[-1]:.6g}: at least {found:.4g} of the information that is claimed, "
        "and the claim allows 1"
    )


def _profile_said(witness: Witness, terms: Terms) -> str | None:
    m = terms.evidence.measured
    return forms.measured((m.excess, witness["delta"] - witness["claimed"]), (m.epsilon, witness["epsilon"]))


@register("profile", forms.ProfileForm, _profile_said)
def profile(witness: Witness) -> tuple[bool, str]:
    """A numerically integrated delta above the claimed one by more than the stated error, and that of the integrals."""
    excess = witness["delta"] - witness["claimed"]
    return excess > max(witness["absolute_error"], _BEYOND / 10), (
        f"delta({witness['epsilon']:g}) = {witness['delta']:.9g}, claimed at most {witness['claimed']:.9g}"
    )


def _relative_gap(witness: Witness) -> float:
    found, claimed = (np.asarray(witness[k], dtype=float) for k in ("numerical", "claimed"))
    if found.shape != claimed.shape:
        raise ValueError(f"expected matrices of one shape, got {found.shape} and {claimed.shape}")
    return float(np.abs(found - claimed).max() / max(float(np.abs(found).max()), 1e-300))


def _information_said(witness: Witness, terms: Terms) -> str | None:
    m = terms.evidence.measured
    if not isinstance(witness["numerical"], list):  # of large matrices the traces are compared
        return forms.measured((m.found, witness["numerical"]))
    return forms.measured((m.gap, _relative_gap(witness)))


@register("information", forms.InformationForm, _information_said)
def information(witness: Witness) -> tuple[bool, str]:
    """A numerically integrated information that differs from the claimed one by more than the stated error."""
    gap = _relative_gap(witness)
    return gap > max(witness["relative_error"], _AGREES), f"relative difference {gap:.3g}"


def _shape_said(witness: Witness, terms: Terms) -> str | None:
    shape = terms.evidence.measured.shape
    return None if witness["information"] == shape else f"the evidence beside it measured the shape {shape}"


@register("shape", forms.ShapeForm, _shape_said)
def shape(witness: Witness) -> tuple[bool, str]:
    """A matrix of the wrong size."""
    return witness["claimed"] != witness["information"], (
        f"claimed {witness['claimed']}, the information is {witness['information']}"
    )


def _irregular_said(witness: Witness, terms: Terms) -> str | None:
    if terms.claim["predicate"] != "FisherInformation":
        return "a family without information breaks claims about its information only"
    if witness["subject"] != terms.subject:
        return f"it is about another subject ({witness['subject'][:80]})"
    if "speeds" in witness:
        return forms.measured(*zip(terms.evidence.measured.speeds, witness["speeds"], strict=True))
    same = witness["reason"] == terms.evidence.reason
    return None if same else "the evidence beside it gives another reason"


@register("irregular", forms.IrregularForm, _irregular_said)
def irregular(witness: Witness) -> tuple[bool, str]:
    """A family without Fisher information: the reason names the place where its density breaks, for a reader to check."""
    speeds = witness.get("speeds")
    if bool(speeds) is bool(witness.get("reason")):
        return False, "expected either speeds or a reason"
    if speeds:
        growing = all(b > 1.02 * a for a, b in zip(speeds[1::2], speeds[3::2], strict=False))
        return (
            growing,
            f"the Hellinger speed grows as the step shrinks: {', '.join(f'{v:.4g}' for v in speeds)}",
        )
    return True, f"{witness['subject']}: {witness['reason']}"
