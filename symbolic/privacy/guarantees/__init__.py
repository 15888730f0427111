"""Privacy guarantees: each is one class, which knows all that is asked of a guarantee."""

from __future__ import annotations

from ...proof.reading import READING
from .gaussian import GaussianDP
from .guarantee import GUARANTEES, Curve, Guarantee, at_most, by_key, loosened, positive, register
from .pure_and_approximate import ApproxDP, PureDP
from .renyi import RenyiDP, ZeroConcentratedDP

# In the order in which specs and messages list them.
for _kind in (PureDP, ApproxDP, GaussianDP, RenyiDP, ZeroConcentratedDP):
    register(_kind)
