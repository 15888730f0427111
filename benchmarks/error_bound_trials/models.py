"""All models of the list, regular ones first."""

from __future__ import annotations

from error_bound_trials.continuous import CONTINUOUS, IRREGULAR
from error_bound_trials.counts import COUNTS

MODELS = (*CONTINUOUS, *COUNTS, *IRREGULAR)
