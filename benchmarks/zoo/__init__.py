"""The benchmark zoo: mechanisms that auditors are measured on, each with one fixed pair of inputs and its exact loss."""

from .covariance import RON_GAUSS_COV
from .entry import ZooEntry
from .gaussian import GAUSSIANS
from .geometric import TRUNC_GEOMETRIC
from .histogram import NOISY_HISTOGRAM
from .laplace import LAPLACES
from .noisy_max import REPORT_NOISY_MAX
from .rappor import ONE_TIME_RAPPOR
from .sparse_values import SPARSE_VALUES
from .sparse_vector import SPARSE_VECTORS

ZOO: tuple[ZooEntry, ...] = (
    *LAPLACES,
    *GAUSSIANS,
    REPORT_NOISY_MAX,
    NOISY_HISTOGRAM,
    *sorted((*SPARSE_VECTORS, SPARSE_VALUES), key=lambda entry: entry.name),
    ONE_TIME_RAPPOR,
    TRUNC_GEOMETRIC,
    RON_GAUSS_COV,
)

__all__ = ["ZOO", "ZooEntry"]
