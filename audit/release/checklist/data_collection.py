"""Data collection: why the data may be used, and where else it was exposed. Only people can answer."""

from __future__ import annotations

from .question import about

TOPIC = "Data collection"

QUESTIONS = about(
    TOPIC,
    (
        "collection-grounds",
        "Is there a legal basis for collecting this data and for this release?",
        "Noise does not replace a legal basis.",
    ),
    (
        "collection-informed",
        "Have the people been informed, or does an exemption apply?",
        "Name the notice, or the exemption, such as Article 14(5)(b) GDPR: both are a yes.",
    ),
    (
        "collection-exposure",
        "Was the data protected on its way from the people to the table?",
        "No guarantee covers what leaked before the release.",
    ),
    (
        "collection-other-releases",
        "Have all other publications from the same data been checked and taken into account?",
        "The guarantee covers this release only, not other tables, reports or models from the same data. List them, or say that there are "
        "none: both are a yes.",
    ),
    (
        "collection-retention",
        "Is it settled when the raw table is deleted?",
        "While it exists it can be read, requested or stolen.",
    ),
)
