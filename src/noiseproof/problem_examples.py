"""Specs, tests, dossiers, policies, models, programs and queries that `noiseproof derive --example` and `init --kind` write: each runs as it is."""

from __future__ import annotations

from pathlib import Path

_TEXTS = {path.stem: path.read_text(encoding="utf-8") for path in Path(__file__).parent.glob("examples/*.t*")}
MODELS = ("gaussian", "exponential", "rounded", "regression")

EXAMPLES = {name: _TEXTS[name] for name in (*MODELS, "svm", "average", "water-filling")}
COMMENTED = {name: _TEXTS[name] for name in ("model", "program", "query")}
SPEC, TEST, DOSSIER, POLICY = (_TEXTS[name] for name in ("spec", "test", "dossier", "policy"))
