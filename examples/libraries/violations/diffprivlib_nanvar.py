"""diffprivlib 0.6.6, tools.nanvar at epsilon = 1: two data sets of thirty records that differ in one; 28 records are NaN.

The noise is scaled for thirty records, but the variance is taken over the records that are not NaN: here over two.
Only diffprivlib is needed (pip install diffprivlib==0.6.6 scikit-learn==1.5.2).  Arguments: outcomes per input, seed of numpy.
"""

import math
import sys

import numpy as np
from diffprivlib.tools import nanvar

n = int(sys.argv[1]) if len(sys.argv) > 1 else 4_000
seed = int(sys.argv[2]) if len(sys.argv) > 2 else 0
x0, x1 = np.array([0.0, 0.0] + [np.nan] * 28), np.array([0.0, 1.0] + [np.nan] * 28)

# The event is {outcome > 1/8}; the claim allows P1(event) <= e P0(event).
rng = np.random.RandomState(seed)
p0, p1 = (
    np.mean([nanvar(x, epsilon=1.0, bounds=(0, 1), random_state=rng) > 0.125 for _ in range(n)])
    for x in (x0, x1)
)
slack = math.sqrt(
    math.log(2 / 1e-6) / (2 * n)
)  # Hoeffding: both rates at once, wrong with probability 1e-6 at most
print(
    f"P0 = {p0:.4f}, P1 = {p1:.4f}; epsilon is at least {math.log((p1 - slack) / (p0 + slack)):.3f}, claimed 1"
)
sys.exit(0 if p1 - slack > math.e * (p0 + slack) else 1)
