"""Templates see only harmless text: everything is escaped, and hidden characters are shown."""

from __future__ import annotations

import os
from pathlib import Path
from types import CodeType
from typing import Any

from jinja2 import BytecodeCache, Environment, FileSystemLoader, StrictUndefined, UndefinedError
from jinja2.bccache import Bucket
from markupsafe import Markup

from ..audit.record.evidence import Resolution
from ..audit.record.kernel_steps import kernel_sentence
from ..audit.record.shown_text import clean
from ..audit.record.weakest import half_noise, record_in_clear
from . import figures, kernel_words, mathml, text, words

_FIGURE_BUDGET = 1_200_000
_TEMPLATES = Path(__file__).parent / "templates"


class FigureBook:
    """Draws the figures of one page, each with its own id, until the page would grow too large."""

    def __init__(self) -> None:
        self._count = 0
        self._characters = 0

    def __call__(self, series: dict[str, Any]) -> dict[str, Any]:
        self._count += 1
        identifier = f"figure-{self._count}"
        drawing = figures.draw(series, identifier) if self._characters < _FIGURE_BUDGET else ""
        self._characters += len(drawing)
        return {
            "id": identifier,
            "number": self._count,
            "svg": Markup(drawing),
            "legend": figures.legend(series),
            "hidden": figures.hidden_values(series),
            "tables": [(line, figures.table(line)) for line in series["lines"]],
        }


class _Compiled(BytecodeCache):
    """Templates that this process has compiled: each page has an environment of its own."""

    def __init__(self) -> None:
        self._codes: dict[tuple[str, str], CodeType | None] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._codes.get((bucket.key, bucket.checksum))

    def dump_bytecode(self, bucket: Bucket) -> None:
        self._codes[bucket.key, bucket.checksum] = bucket.code


_COMPILED = _Compiled()


def page(template: str, **context: Any) -> str:
    """Render `template`; a certificate that lacks a key raises a ValueError that names it."""
    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalise,
        bytecode_cache=_COMPILED,
    )
    environment.filters.update(
        number=text.number,
        capital=text.capital,
        prose=text.prose,
        value=text.value_text,
        json=text.json_text,
        verdict=words.verdict_word,
        dossier_verdict=words.dossier_word,
        truth=words.truth_word,
        rule=kernel_words.rule,
        steps=kernel_words.steps,
        kernel_sentence=kernel_sentence,
        outcome=words.outcome,
        settled=words.settled,
        detail=words.detail,
        twin=words.twin_word,
        expression=lambda value: Markup(mathml.expression(value)),
        condition=lambda value: Markup(" and ".join(map(mathml.expression, value.split(" and ")))),
        interval=text.interval,
        half_noise=lambda found: half_noise(Resolution(**found)),
        record_in_clear=lambda found: record_in_clear(Resolution(**found)),
    )
    environment.globals.update(
        figure=FigureBook(),
        shared=kernel_words.StepBook(),
        equation=lambda step: Markup(mathml.relation(step["left"], step["relation"], step["right"])),
        kinds=words.KINDS,
    )
    try:
        return environment.get_template(template).render(**context)
    except (UndefinedError, KeyError) as error:
        raise ValueError(
            f"cannot draw the page: {error}. Expected the keys of the published schema; "
            "check the file against noiseproof.reports.certificate_schema() or dossier_schema()"
        ) from error


def write(html: str, path: str | os.PathLike[str]) -> Path:
    """Write the page whole or not at all; returns its path."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    partial.write_text(html, encoding="utf-8")
    os.replace(partial, target)
    return target


def _finalise(value: Any) -> Any:
    if not isinstance(value, str) or isinstance(value, Markup):
        return value
    return clean(value).replace(" × 10", "\u00a0×\u00a010")  # one number stays on one line
