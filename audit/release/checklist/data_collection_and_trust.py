"""Trust model, data collection: who sees the raw table, why it may be used, where else it was exposed. Only people can answer."""

from __future__ import annotations

from .question import about

QUESTIONS = about(
    "Trust model",
    (
        "trust-curator",
        "Is everyone who can read the raw table authorised to?",
        "Whoever holds the table adds the noise: the guarantee does not protect against them.",
    ),
    (
        "trust-access",
        "Is access to the raw table, the salt, the signing key and the ledger limited and recorded?",
        "Anyone with the salt can test guesses of the table against its digest.",
    ),
    (
        "trust-recipients",
        "Do those who receive the release know what the guarantee does and does not say?",
        "The data card and this page are written for them.",
    ),
) + about(
    "Data collection",
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
