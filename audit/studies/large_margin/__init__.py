"""Attacks on private large-margin classification (Pathak, Raj 2010), as printed and as derived, its risk, and its noise."""

from .existence import WITHOUT_PRICE, Existence, existence
from .impossible_output import impossible_output
from .noise_tail import printed_tail, quantile, tail, union_tail
from .private_attack import PrintedScale, WithoutJacobian, largest_loss, worst_neighbours
from .public_data import PublicData, public_data
from .reachability import Distinguisher, distinguish, violation
from .risk import Excess, printed_excess, private_bound, private_excess, theorem_2, theorem_3

__all__ = [
    "WITHOUT_PRICE",
    "Distinguisher",
    "Excess",
    "Existence",
    "PrintedScale",
    "PublicData",
    "WithoutJacobian",
    "distinguish",
    "existence",
    "impossible_output",
    "largest_loss",
    "printed_excess",
    "printed_tail",
    "private_bound",
    "private_excess",
    "public_data",
    "quantile",
    "tail",
    "theorem_2",
    "theorem_3",
    "union_tail",
    "violation",
    "worst_neighbours",
]
