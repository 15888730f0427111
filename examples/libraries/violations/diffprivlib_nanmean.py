"""diffprivlib 0.6.6, tools.nanmean at epsilon = 1: two data sets of ten records that differ in one; nine records are NaN.

The noise is scaled to (upper - lower)/10, but the mean is taken over the records that are not NaN: here over one.
Only diffprivlib is needed (pip install diffprivlib==0.6.6 scikit-learn==1.5.2).  Arguments: outcomes per input, seed of numpy.
"""

import math
import sys

import numpy as np
from diffprivlib.tools import nanmean

n = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
x0, x1 = np.array([0.0] + [np.nan] * 9), np.array([1.0] + [np.nan] * 9)

# The event is {outcome > 1/2}; the claim allows P1(event) <= e P0(event).
rng = np.random.RandomState(seed)
p0, p1 = (
    np.mean([nanmean(x, epsilon=1.0, bounds=(0, 1), random_state=rng) > 0.5 for _ in range(n)])
    for x in (x0, x1)
)
slack = math.sqrt(
    math.log(2 / 1e-6) / (2 * n)
)  # Hoeffding: both rates at once, wrong with probability 1e-6 at most
print(
    f"P0 = {p0:.4f}, P1 = {p1:.4f}; epsilon is at least {math.log((p1 - slack) / (p0 + slack)):.3f}, claimed 1"
)
sys.exit(0 if p1 - slack > math.e * (p0 + slack) else 1)
