"""Data collection: why the data may be used, and where else it was exposed. Only people can answer."""

from __future__ import annotations

from .question import about

TOPIC = "Data collection"

QUESTIONS = about(
    TOPIC,
    (
        "collection-grounds",
        "Is there a legal basis for collecting and releasing this data, and were the people informed?",
        "Noise does not replace a legal basis.",
    ),
    (
        "collection-exposure",
        "Was the data protected on its way from the people to the table?",
        "No guarantee covers what leaked before the release.",
    ),
    (
        "collection-other-releases",
        "Is nothing else published from the same data without a guarantee?",
        "The guarantee covers this release only, not other tables, reports or models from the same data.",
    ),
    (
        "collection-retention",
        "Is it settled when the raw table is deleted?",
        "While it exists it can be read, requested or stolen.",
    ),
)
