"""diffprivlib 0.6.6, tools.histogram at epsilon = 1 when one record is REPLACED: the neighbours of its mean, sum and variance.

The counts of two bins change by one each, and each has the noise of epsilon = 1: together they cost 2.  If one record is
added or removed instead, the claim holds.  The documentation does not say which of the two is meant.
Only diffprivlib is needed (pip install diffprivlib==0.6.6 scikit-learn==1.5.2).  Arguments: outcomes per input, seed of numpy.
"""

import math
import sys

import numpy as np
from diffprivlib.tools import histogram

n = int(sys.argv[1]) if len(sys.argv) > 1 else 20_000
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
x0, x1 = [0.1] * 10 + [0.9] * 9 + [0.1], [0.1] * 10 + [0.9] * 9 + [0.9]

# The event is {count of the low bin <= 10 and count of the high bin >= 10}; the claim allows P1(event) <= e P0(event).
rng = np.random.RandomState(seed)
p0, p1 = (
    np.mean(
        [
            (lambda h: h[0] <= 10 and h[1] >= 10)(
                histogram(x, epsilon=1.0, bins=2, range=(0, 1), random_state=rng)[0]
            )
            for _ in range(n)
        ]
    )
    for x in (x0, x1)
)
slack = math.sqrt(
    math.log(2 / 1e-6) / (2 * n)
)  # Hoeffding: both rates at once, wrong with probability 1e-6 at most
print(
    f"P0 = {p0:.4f}, P1 = {p1:.4f}; epsilon is at least {math.log((p1 - slack) / (p0 + slack)):.3f}, claimed 1"
)
sys.exit(0 if p1 - slack > math.e * (p0 + slack) else 1)
