"""Trust model: who sees the raw table, who holds salt and keys. Only people can answer."""

from __future__ import annotations

from .question import about

TOPIC = "Trust model"

QUESTIONS = about(
    TOPIC,
    (
        "trust-curator",
        "May everyone who can read the raw table do so?",
        "The noise is added by whoever holds the table: the guarantee is no protection against them.",
    ),
    (
        "trust-access",
        "Is access to the raw table, the salt, the signing key and the ledger limited and recorded?",
        "Whoever has the salt can test guesses of the table against its digest.",
    ),
    (
        "trust-recipients",
        "Do those who receive the release know what the guarantee does and does not say?",
        "The data card and this page are written for them.",
    ),
)
