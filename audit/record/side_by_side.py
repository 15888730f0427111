"""The number that is claimed beside the one that the evidence supports, as far as there are both."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from math import inf, isfinite
from typing import Any, NamedTuple

from ...symbolic.predicates import ErrorBound, FisherInformation, Predicate
from ...symbolic.privacy.guarantees import Guarantee
from .claim_match import predicate_of
from .derivation_match import compares, number_in, stated_formula
from .reading.certificate_form import Measured

# They measure two numbers, one of which is the claim's.
_MEASURE = ("quadrature", "rare events of the law", "information")


class Compared(NamedTuple):
    """One quantity as it is claimed and as one check found it in the law, the code or its bytes."""

    quantity: str
    claimed: str
    found: str
    check: str
    about: str

    @property
    def of(self) -> str:
        """What the two numbers are of, and who found the second."""
        return f"{self.quantity} ({self.check}, {self.about})"


class _Numbers(NamedTuple):
    """The two numbers before they are worded; `side` is that of what was found."""

    quantity: str
    claimed: float
    found: float
    side: str


def side_by_side(finding: Mapping[str, Any]) -> list[Compared]:
    """The rows of a finding, given as plain data; none of a control, of a claim that is not known here only its epsilons."""
    if finding["claim"].get("expect") == "falls":
        return []
    try:
        predicate = predicate_of(finding["claim"])
    except ValueError:
        predicate = None
    rows: dict[tuple[str, str], Compared] = {}
    for one in finding["evidence"]:
        for numbers in _numbers(one, predicate):
            if not isfinite(numbers.claimed) or (numbers.found == inf and numbers.side == "at most"):
                continue
            claimed = f"{numbers.claimed:.6g}"
            if not isinstance(predicate, FisherInformation):
                claimed = f"{'at least' if isinstance(predicate, ErrorBound) else 'at most'} {claimed}"
            found = "unbounded" if numbers.found == inf else f"{numbers.side} {numbers.found:.6g}".strip()
            row = Compared(numbers.quantity, claimed, found, one["check"], one["sentence"])
            rows.setdefault((row.quantity, row.about), row)
    return list(rows.values())


def numbered(findings: Iterable[Mapping[str, Any]]) -> list[tuple[int, Compared]]:
    """The rows of all findings, with their numbers."""
    return [(finding["id"], row) for finding in findings for row in side_by_side(finding)]


def certified(one: Mapping[str, Any], predicate: Predicate | None) -> tuple[float, float, float] | None:
    """(delta, claimed, certified) where the certified epsilon of evidence says most: at the claim's own delta, or anywhere on a curve."""
    point = predicate.point() if isinstance(predicate, Guarantee) else None
    bounds = [
        tuple(number_in(row[key]) for key in ("delta", "claimed", "certified")) for row in one["bounds"]
    ]
    # An infinite claim is a word in plain data, and no number.
    told = [row for row in bounds if all(map(isfinite, row))]
    own = [row for row in told if point is not None and row[0] == point[1]]
    least = min(own or told, key=lambda row: (row[1] - row[2], row[0]), default=None)
    return None if least is None else (least[0], least[1], least[2])


def _numbers(one: Mapping[str, Any], predicate: Predicate | None) -> Iterator[_Numbers]:
    bound = certified(one, predicate)
    if bound is not None:
        yield _Numbers(f"epsilon at delta = {bound[0]:g}", *bound[1:], "at least")
    if predicate is None or stated_formula(predicate) is not None:
        return
    if one["check"] == "derivation":
        yield from _derived(one, predicate)
    elif one["check"] in _MEASURE:
        yield from _measured(one, predicate)
    witness = one["witness"] or {}
    if witness.get("kind") == "profile":
        at = f"delta at epsilon = {number_in(witness['epsilon']):.6g}"
        yield _Numbers(at, number_in(witness["claimed"]), number_in(witness["delta"]), "at least")
    if witness.get("kind") == "information" and isinstance(witness["numerical"], list):
        pairs = zip(witness["claimed"], witness["numerical"], strict=True)
        entries = [(number_in(c[i]), number_in(f[i])) for i, (c, f) in enumerate(pairs)]
        worst = max(range(len(entries)), key=lambda i: abs(entries[i][1] - entries[i][0]))
        yield _Numbers(f"information of entry {worst + 1}", *entries[worst], "")


def _derived(one: Mapping[str, Any], predicate: Predicate) -> Iterator[_Numbers]:
    """The sides of the comparison that decided: what was attained if it fails, what bounds all if it holds."""
    settled = {"PROVED": "holds", "REFUTED": "fails"}.get(one["verdict"])
    if isinstance(predicate, FisherInformation):
        value = float(predicate.matrix()[0, 0])
        if settled == "holds":
            yield _Numbers("information of entry 1", value, value, "")
        return
    upper = (settled == "holds") is not isinstance(predicate, ErrorBound)
    for step in reversed(one["derivation"]):
        if step["truth"] != settled or not step["right"]:
            continue
        left, right = number_in(step["left"]), number_in(step["right"])
        stated = None
        if isinstance(predicate, Guarantee):
            stated = predicate.stated_by(left, right)
        elif isinstance(predicate, ErrorBound) and compares(step, predicate):
            stated = _error(predicate), predicate.value, left
        if stated is not None and left == left:
            yield _Numbers(*stated, "at most" if upper else "at least")
            return


def _measured(one: Mapping[str, Any], predicate: Predicate) -> Iterator[_Numbers]:
    """The two numbers that a survival or a refutation measured."""
    m = Measured.model_validate(one["measured"])
    if m.found is None or m.claimed is None:
        return
    if isinstance(predicate, ErrorBound):
        # Code with more information than was found has a lower Cramer-Rao bound, whatever an estimator attains.
        what = "" if one["sentence"] == "law" else "Cramer-Rao bound on the "
        side = "at most" if what else "at least"
        quantity = f"{what}{_error(predicate)}{what and ' of unbiased estimators'}"
        yield _Numbers(quantity, m.claimed, m.found, side)
    elif m.entry is not None:
        yield _Numbers(f"information of entry {m.entry}", m.claimed, m.found, "at least")
    elif m.epsilon is not None:
        yield _Numbers(f"delta at epsilon = {m.epsilon:.4g}", m.claimed, m.found, "at least")


def _error(predicate: ErrorBound) -> str:
    return f"{'' if predicate.weight is None else 'weighted '}mean squared error"
