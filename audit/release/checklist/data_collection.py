"""Data collection: why the data may be used, and where else it was exposed. Only people can answer."""

from __future__ import annotations

from .question import about

TOPIC = "Data collection"

QUESTIONS = about(
    TOPIC,
    (
        "collection-grounds",
        "Is there a legal ground for collecting and releasing this data, and were the people told?",
        "Noise does not replace a legal ground.",
    ),
    (
        "collection-exposure",
        "Was the data protected on its way from the people to the table?",
        "What leaked before the release is outside of every guarantee.",
    ),
    (
        "collection-other-releases",
        "Is nothing published from the same data without such a guarantee?",
        "A guarantee speaks of this release; tables, reports or models from the same data are not covered.",
    ),
    (
        "collection-retention",
        "Is it settled when the raw table is deleted?",
        "As long as it exists it can be read, asked for or stolen.",
    ),
)
