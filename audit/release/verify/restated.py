"""Whether a manifest and its pages say what follows from the policy and the mechanism in them: computed and drawn again."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError, counted
from ...record.certificate_check import CERTIFICATE, DAMAGED
from ...record.checked import Checked
from ...record.reading.strict_json import MAX_BYTES
from ...record.seal.folder import FolderError, entries, read_file
from ...record.table_file import open_source
from ...trial.isolation.limited import NoAnswerError, limited
from ..kinds import KINDS
from . import restating
from .manifest_check import MANIFEST
from .numbers_check import check_numbers

Pages = Callable[[dict[str, Any] | None, dict[str, Any], list[dict[str, Any]]], Mapping[str, str]]
SECONDS = 60.0
_READING = 1e-9  # the last digits of a logarithm are those of a library
_FOLLOWS = (
    "title",
    "mechanism",
    "guarantees",
    "adjacency",
    "unit_of_privacy",
    "costs",
    "error_bounds",
    "utility",
    "does_not_mean",
    "answers",
)
_CLAIM = ("predicate", "parameters", "about", "expect")
# Of a plot, what moves with the last digits of a curve: coordinates, and names that are digests of them.
_POINTS = re.compile(
    r'( (?:d|x|y|width|height|transform)=")(?:rotate|[MLCz\d\s.,()-])*(?=")|(figure-\d+-[mp])[0-9a-f]{10}'
)
_PLACE = re.compile(
    r',\s*"physicalLocation": \{\s*"artifactLocation": \{\s*"uri": "[\w./%~-]*"\s*\},\s*"region": \{\s*"startLine": \d+\s*\}\s*\}'
)
_OF_A_RELEASE = re.compile(r"data[.-].*|parameters\.json|numbers\.csv", re.IGNORECASE)


def check_restated(
    directory: Path,
    manifest: Mapping[str, Any] | None,
    certificate: Mapping[str, Any],
    pages: Pages,
    *,
    same_code: bool,
    vouched: bool,
) -> list[Checked]:
    """Numbers must agree whatever made them; words and pages only where the same code runs here.

    Elsewhere other words are open, unless someone who is trusted has `vouched` for the folder by a signature.
    Without a manifest the folder is that of an audit, and nothing of a release may lie in it.
    """
    draw = partial(_pages, directory, pages=pages, same_code=same_code, vouched=vouched)
    if manifest is None:
        return [*_orphans(directory), *draw(None, dict(certificate), [])]
    parameters = manifest["mechanism"].get("parameters")
    if not isinstance(parameters, dict):
        return [Checked("statements", "fails", "mechanism.parameters: expected an object", MANIFEST)]
    answer = restated(manifest)
    if "fault" in answer:
        return [Checked("statements", "fails", answer["fault"], MANIFEST)]
    if "open" in answer:
        return [Checked("statements", "open", answer["open"], MANIFEST)]
    stated = {**answer["stated"], "costs": _costs(answer["stated"]["costs"], manifest["costs"])}
    mine = {key: manifest[key] for key in _FOLLOWS}
    settled = {key: value for key, value in parameters.items() if key not in answer["facts"]}
    mine["mechanism"] = {**mine["mechanism"], "parameters": settled}
    numbers: list[str] = []
    words: list[str] = []
    for place, is_number in (
        *(found for key in _FOLLOWS for found in _differences(stated[key], mine[key], key)),
        *_unaccounted(manifest, answer["stated"]["costs"]),
    ):
        (numbers if is_number else words).append(place)
    if numbers:
        return [Checked("statements", "fails", _said(numbers), MANIFEST)]
    untried = _untried(answer, certificate)
    if untried:
        return [Checked("statements", "fails", untried, CERTIFICATE)]
    if answer["misfits"]:
        return [Checked("statements", "fails", "; ".join(answer["misfits"]), MANIFEST)]
    if words:
        found = [_other_words("statements", _said(words), MANIFEST, same_code, vouched)]
    else:
        found = [Checked("statements", "holds", "follow from the policy in it", MANIFEST)]
    found.append(_data(directory, answer["data"]))
    found += check_numbers(directory, manifest, answer["data"]["name"])
    if any(one.state == "fails" for one in found):
        return found
    return found + list(draw(dict(manifest), dict(certificate), answer["figures"]))


def _orphans(directory: Path) -> Iterator[Checked]:
    for name in entries(directory)[0]:
        if _OF_A_RELEASE.fullmatch(name):
            said = f"is a file of a release, and there is no {MANIFEST}: without its manifest a folder is no release"
            yield Checked("manifest", "fails", said, name)


def _costs(stated: Mapping[str, Any], found: Any) -> dict[str, Any]:
    """What the costs of a release must be: versions before this one stated those of Gaussian noise in rho alone."""
    rho_alone = isinstance(found, Mapping) and "rho" in found and "approximate" not in found
    return {key: value for key, value in stated.items() if key != "approximate" or not rho_alone}


def restated(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What follows from the policy in a manifest, or why nothing does, as `restating.answered` says it."""
    chosen = {name for kind in KINDS.values() for name in kind.chosen}
    parameters = manifest["mechanism"]["parameters"]
    question = {
        "policy": manifest["policy"],
        "parameters": {key: value for key, value in parameters.items() if key in chosen},
        "rows": manifest["table"]["rows"],
        "facts": {name: parameters.get(name) for kind in KINDS.values() for name in kind.facts},
    }
    return _answer(json.dumps(question, sort_keys=True))


def _unaccounted(manifest: Mapping[str, Any], costs: Mapping[str, Any]) -> Iterator[tuple[str, bool]]:
    """Each place where the number of records or the ledger's entry is not as the policy and its costs ask for.

    Other code may have let the ledger have another budget: version 0.1.0 did.
    """
    policy, entry = manifest["policy"], manifest["ledger"]
    if policy["table"].get("rows_public", False) is (manifest["table"]["rows"] is None):
        yield "table.rows", True
    asked = policy.get("ledger")
    if (asked is None) is not (entry is None):
        yield "ledger", True
    if asked is None or entry is None:
        return
    if entry["table_id"] != asked["table_id"]:
        yield "ledger.table_id", True
    own = {f"fisher_information:{one['about']}": one["value"] for one in costs.get("fisher_information", ())}
    own |= {name: costs[name] for name in ("epsilon", "rho") if name in costs}
    own |= dict(zip(("epsilon", "delta"), costs.get("approximate", ()), strict=False))
    for name, spent in entry["spent"].items():
        if spent < own.get(name, 0.0) * (1 - _READING):
            yield f"ledger.spent.{ascii(name)[1:-1][:60]}", True
    for name, limit in _budget(asked.get("budget") or {}, costs):
        if name not in entry["spent"] or not _close(entry["spent"][name] + entry["remaining"][name], limit):
            yield f"ledger.remaining.{ascii(name)[1:-1][:60]}", False


def _budget(stated: Mapping[str, Any], costs: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """The amounts that the policy says the ledger was made with, by their names in it."""
    yield from ((name, stated[name]) for name in ("epsilon", "delta", "rho") if name in stated)
    information = stated.get("information")
    for about in (one["about"] for one in costs.get("fisher_information", ())):
        limit = information
        if isinstance(information, Mapping):  # by column: an entry of a one-hot one is called COLUMN=CATEGORY
            limit = next((v for c, v in information.items() if f"{about}=".startswith(f"{c}=")), None)
        if limit is not None:
            yield f"fisher_information:{about}", limit


def _untried(answer: Mapping[str, Any], certificate: Mapping[str, Any]) -> str:
    """What the policy has audited and the certificate has not; empty if there is nothing."""
    for key, value in answer["settings"].items():
        if certificate["settings"].get(key) != value:
            return f"the policy is audited with {key} = {value}, this audit had another"
    for trial in answer["trials"]:
        claim, subject = trial["claim"], trial["subject"]
        if not any(
            finding["subject"] == subject["name"] and _same(claim, finding["claim"], _CLAIM)
            for finding in certificate["findings"]
        ) or not any(_same(subject, one, ("name", "parameters")) for one in certificate["subjects"]):
            said = "a control" if claim["expect"] == "falls" else "a claim"
            return f"it is the audit of another configuration: {said} of the policy's was not audited ({claim['predicate']})"
    return ""


def _data(directory: Path, expected: Mapping[str, Any]) -> Checked:
    name, columns, rows = expected["name"], expected["columns"], expected["rows"]
    try:
        source = open_source(directory / name, "csv" if name.endswith(".csv") else "parquet")
        count = source.count()
    except SpecError as error:
        return Checked("data", "fails", error.message, name)
    if list(source.names) != columns:
        return Checked("data", "fails", "its columns are not those that the policy releases", name)
    if rows is not None and count != rows:
        return Checked("data", "fails", f"it has {counted(count, 'row')}, and the release says {rows}", name)
    return Checked("data", "holds", "its columns and rows are those of the release", name)


def _same(expected: Mapping[str, Any], found: Mapping[str, Any], keys: tuple[str, ...]) -> bool:
    return not any(_differences({k: expected[k] for k in keys}, {k: found.get(k) for k in keys}, ""))


def _pages(
    directory: Path,
    manifest: dict[str, Any] | None,
    certificate: dict[str, Any],
    figures: list[dict[str, Any]],
    pages: Pages,
    same_code: bool,
    vouched: bool,
) -> Iterator[Checked]:
    try:
        drawn = pages(manifest, certificate, figures)
    except DAMAGED as error:
        yield Checked("pages", "fails", f"cannot be drawn from what lies beside them: {error}")
        return
    source = "manifest and certificate give" if manifest else "the certificate gives"
    for name, text in drawn.items():
        if not os.path.lexists(directory / name):
            continue
        try:
            written = read_file(directory, name, MAX_BYTES)
        except FolderError as error:
            yield Checked("page", "fails", f"cannot be read: {error}", name)
            continue
        if written == text.encode():
            yield Checked("page", "holds", f"is what {source} when it is drawn again", name)
        elif _without_drawings(written.decode(errors="replace")) == _without_drawings(text):
            left = "the places that it names" if name.endswith(".sarif") else "its curves"
            said = f"says what {source} when it is drawn again; {left} were not compared"
            yield Checked("page", "holds", said, name)
        else:
            said = f"is not what {source} when it is drawn again"
            yield _other_words("page", said, name, same_code, vouched)


def _without_drawings(page: str) -> str:
    """A page without the coordinates in its plots: in far tails a curve is rounding, whose digits are those of a machine.

    Nor with the lines of a spec in SARIF, which no certificate holds.
    """
    parts = (part.partition(' class="plot" ') for part in _PLACE.sub("", page).split("</svg>"))
    return "</svg>".join(before + mark + _POINTS.sub(r"\1\2", plot) for before, mark, plot in parts)


def _other_words(what: str, said: str, file: str, same_code: bool, vouched: bool) -> Checked:
    if same_code:
        return Checked(what, "fails", said, file)
    if vouched:
        return Checked(what, "holds", f"{said}, but made by other code, and signed", file)
    return Checked(
        what,
        "open",
        f"{said}, and made by other code: ask for a signature, or verify with that version",
        file,
    )


def _said(places: list[str]) -> str:
    more = f" and {len(places) - 3} more" if len(places) > 3 else ""
    return f"{', '.join(places[:3])}{more}: not what the policy in it gives"


def _differences(expected: Any, found: Any, place: str) -> Iterator[tuple[str, bool]]:
    """Each place that differs, and whether the difference is more than one of words."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in {**expected, **found}:
            if key in expected and key in found:
                yield from _differences(expected[key], found[key], f"{place}.{ascii(key)[1:-1][:60]}")
            else:
                yield f"{place}.{ascii(key)[1:-1][:60]}", True
    elif isinstance(expected, list) and isinstance(found, list):
        if len(expected) != len(found):
            yield place, not all(isinstance(one, str) for one in [*expected, *found])
            return
        for i, (one, other) in enumerate(zip(expected, found, strict=True)):
            yield from _differences(one, other, f"{place}[{i}]")
    elif isinstance(expected, str) and isinstance(found, str):
        if expected != found:
            # A key of a guarantee or a law is no sentence.
            yield place, place.endswith((".kind", ".law")) or " " not in expected
    elif not _close(expected, found):
        yield place, True


def _close(expected: Any, found: Any) -> bool:
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (expected, found))
    if not numbers:
        return type(expected) is type(found) and bool(expected == found)
    try:
        return math.isclose(expected, found, rel_tol=_READING, abs_tol=0.0)
    except OverflowError:
        return False


@lru_cache(maxsize=8)
def _answer(question: str) -> dict[str, Any]:
    """What is computed again from the policy, within its share of time and memory."""
    try:
        return limited(restating.answered, json.loads(question), SECONDS)
    except NoAnswerError as error:
        return {"open": f"cannot be computed again: {error}"}
