"""The loss of Pathak and Raj (2010) with its printed signs."""

from __future__ import annotations

import numpy as np

from noiseproof.symbolic.arrays import Floats


def printed_loss(lead: Floats, width: float) -> Floats:
    """Equation 6 with its printed signs (the condition of its middle piece read as in the appendix).

    The lead is t = x'(Phi_c - Phi_y) x as above; the paper's pieces are 0 for t > h, (h + t)^2/(4h) for |t| <= h and t below:
    not continuous at h and falling without bound as a record is classified worse.
    """
    middle = (width + lead) ** 2 / (4 * width)
    return np.asarray(np.where(lead > width, 0.0, np.where(lead < -width, lead, middle)))
