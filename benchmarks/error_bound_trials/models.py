"""All models of the list, regular ones first."""

from __future__ import annotations

from error_bound_trials.continuous import CONTINUOUS
from error_bound_trials.counts import COUNTS
from error_bound_trials.irregular import IRREGULAR

MODELS = (*CONTINUOUS, *COUNTS, *IRREGULAR)
