"""Data collection: why the data may be used, and where else it was exposed. Only people can answer."""

from __future__ import annotations

from .question import Question

TOPIC = "Data collection"

QUESTIONS = (
    Question(
        "collection-grounds",
        TOPIC,
        "Is there a legal ground for collecting and releasing this data, and were the people told?",
        hint="Noise does not replace a legal ground.",
    ),
    Question(
        "collection-exposure",
        TOPIC,
        "Was the data protected on its way from the people to the table?",
        hint="What leaked before the release is outside of every guarantee.",
    ),
    Question(
        "collection-other-releases",
        TOPIC,
        "Is nothing published from the same data without such a guarantee?",
        hint="A guarantee speaks of this release; tables, reports or models from the same data are not covered.",
    ),
    Question(
        "collection-retention",
        TOPIC,
        "Is it settled when the raw table is deleted?",
        hint="As long as it exists it can be read, asked for or stolen.",
    ),
)
