"""Cited lemmas tried in numbers: a lemma that cannot be proved here can at least be seen to fail nowhere near at hand."""
