"""The forty-five textbook families, in the order of the tables that are printed of them."""

from __future__ import annotations

from derivation_trials.discrete_and_vector import DISCRETE_AND_VECTOR
from derivation_trials.family import Family
from derivation_trials.one_parameter import ONE_PARAMETER
from derivation_trials.several_parameters import SEVERAL_PARAMETERS

FAMILIES: tuple[Family, ...] = ONE_PARAMETER + SEVERAL_PARAMETERS + DISCRETE_AND_VECTOR
