"""Information and usefulness computed again from the noise that the manifest declares: figures that need no table."""

from __future__ import annotations

import math

from ...record.reading.by_path import Record, as_number
from .item import Answer, met, not_applicable, not_met, unsettled
from .question import Case

# The parameter of each law of the manifest.
SIZES = {"laplace": "scale", "gaussian": "deviation", "cosine": "half_width"}
# The Fisher information of each continuous law about its place is this number over the square of its parameter.
_INFORMATION = {"laplace": 1.0, "gaussian": 1.0, "cosine": math.pi**2}
_READING = 1e-6
_KNOWN = ("basis", "mean-squared-error", "relative-error", "root_mean_squared_noise", "mean_absolute_noise")


def information_follows(case: Case) -> Answer:
    place = case.manifest.where("costs.fisher_information")
    if not case.manifest.get("costs.fisher_information"):
        return not_applicable("no Fisher information is stated", case.manifest.where("costs"))
    columns = {c.text("name"): c for c in case.manifest.records("mechanism.columns")}
    for stated in case.manifest.records("costs.fisher_information"):
        about, value = stated.text("about"), stated.number("value")
        expected = _information(columns[about]) if about in columns else None
        if expected is None:
            return unsettled(
                f"the information about {about!r} follows from no distribution that is known here",
                stated.place,
            )
        if value < expected * (1 - 1e-12):
            said = f"{value:.6g} is stated about {about!r}, its noise gives {expected:.6g}"
            return not_met(
                f"less information is stated than is given away: {said}", stated.place, columns[about].place
            )
    return met("what is stated is no less than the information of the declared distributions", place)


def _information(column: Record) -> float | None:
    """Per squared unit of the column; None for a law without a formula here."""
    law = str(column.get("noise.law"))
    size = as_number(column.get(f"noise.{SIZES.get(law)}"))
    return None if size is None or size <= 0 else _INFORMATION[law] / size**2


def utility_is_no_leak(case: Case) -> Answer:
    utility, place = case.manifest.value("utility"), case.manifest.where("utility")
    if utility == "withheld":
        return met("utility figures are withheld", place)
    record = case.manifest.record("utility")
    if as_number(record.get("cost.epsilon")) is not None or as_number(record.get("cost.rho")) is not None:
        return met("the utility figures have a privacy cost of their own", record.where("cost"))
    strange = [name for name in record.data if name not in _KNOWN]
    if strange:
        return unsettled(
            f"{strange[0]!r} may have been computed from the table: no check can derive it from the noise",
            place,
        )
    wrong = _unlike_the_noise(record, case.manifest.records("mechanism.columns"))
    if wrong:
        return not_met(
            f"{wrong} is not what the declared noise gives, so it may reveal something about the table", place
        )
    return met("each figure follows from the declared noise and bounds alone", place)


def _unlike_the_noise(utility: Record, columns: tuple[Record, ...]) -> str:
    """The first figure that the noise of the columns does not explain."""
    spread = {c.text("name"): c.number("noise.standard_deviation") for c in columns}
    width = {c.text("name"): c.number("high") - c.number("low") for c in columns}
    whole = {
        "mean-squared-error": math.fsum(s**2 for s in spread.values()),
        "relative-error": max((s / width[name] for name, s in spread.items()), default=0.0),
    }
    for name, expected in whole.items():
        if name in utility.data and not math.isclose(utility.number(name), expected, rel_tol=_READING):
            return name
    for name in ("root_mean_squared_noise", "mean_absolute_noise"):
        for column in utility.record(name).data if name in utility.data else ():
            value = as_number(utility.record(name).data[column])
            root = spread.get(column)
            exact = name == "root_mean_squared_noise"
            fits = (
                value is not None
                and root is not None
                and (
                    math.isclose(value, root, rel_tol=_READING)
                    if exact
                    else 0 < value <= root * (1 + _READING)
                )
            )
            if not fits:
                return f"{name} of {column!r}"
    return ""
