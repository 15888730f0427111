"""Trust model: who sees the raw table, who holds salt and keys. Only people can answer."""

from __future__ import annotations

from .question import Question

TOPIC = "Trust model"

QUESTIONS = (
    Question(
        "trust-curator",
        TOPIC,
        "May everyone who can read the raw table do so?",
        hint="The noise is added by whoever holds the table: the guarantee is no protection against them.",
    ),
    Question(
        "trust-access",
        TOPIC,
        "Is access to the raw table, the salt, the signing key and the ledger limited and recorded?",
        hint="Whoever has the salt can test guesses of the table against its digest.",
    ),
    Question(
        "trust-recipients",
        TOPIC,
        "Do those who receive the release know what the guarantee does and does not say?",
        hint="The data card and this page are written for them.",
    ),
)
