"""The mechanisms that can release a table.  A new one is a file here and a name in the list below."""

from .compression import CompressionKind
from .constrained import ConstrainedKind
from .gaussian import GaussianKind
from .kind import Drawn, Kind
from .laplace import LaplaceKind
from .null_space import NullSpaceKind
from .optimal import OptimalKind
from .ron_gauss import RonGaussKind
from .statistics import StatisticsKind

KINDS: dict[str, type[Kind]] = {
    kind.name: kind
    for kind in (
        LaplaceKind,
        GaussianKind,
        OptimalKind,
        ConstrainedKind,
        NullSpaceKind,
        RonGaussKind,
        CompressionKind,
        StatisticsKind,
    )
}

__all__ = ["KINDS", "Drawn", "Kind"]
