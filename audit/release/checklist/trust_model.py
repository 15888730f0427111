"""Trust model: who sees the raw table, who holds salt and keys. Only people can answer."""

from __future__ import annotations

from .question import about

TOPIC = "Trust model"

QUESTIONS = about(
    TOPIC,
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
)
