"""How close projections of records are to normal: distances, moment tests, and the conditions of the projection theorem."""

from .bounded_lipschitz import Interval, between_samples, few_atoms_bound, to_normal_on_line, witnessed
from .dimension import EffectAtDimension, effect_of_dimension
from .gaussianity import Gaussianity, gaussianity
from .line_distances import kolmogorov_to_normal, sliced, wasserstein_to_normal
from .mardia import MardiaTest, mardia, mardia_test
from .range_of_p import largest_p, meckes_bound
from .regularity import Regularity, regularity

__all__ = [
    "EffectAtDimension",
    "Gaussianity",
    "Interval",
    "MardiaTest",
    "Regularity",
    "between_samples",
    "effect_of_dimension",
    "few_atoms_bound",
    "gaussianity",
    "kolmogorov_to_normal",
    "largest_p",
    "mardia",
    "mardia_test",
    "meckes_bound",
    "regularity",
    "sliced",
    "to_normal_on_line",
    "wasserstein_to_normal",
    "witnessed",
]
