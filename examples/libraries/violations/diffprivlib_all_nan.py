"""diffprivlib 0.6.6, tools.nanmean and nanvar at epsilon = 1: ten records that are NaN; in the other data set, one of them is 0.

The outcome is NaN at every call on the first and at none on the second.  Only diffprivlib is needed
(pip install diffprivlib==0.6.6 scikit-learn==1.5.2).  Argument: calls per input.
"""

import sys

import numpy as np
from diffprivlib.tools import nanmean, nanvar

n = int(sys.argv[1]) if len(sys.argv) > 1 else 200
x0, x1 = np.full(10, np.nan), np.append(0.0, np.full(9, np.nan))

stands = True
for tool in (nanmean, nanvar):
    # The event is {outcome is NaN}; the claim allows P0(event) <= e P1(event).
    k0, k1 = (sum(bool(np.isnan(tool(x, epsilon=1.0, bounds=(0, 1)))) for _ in range(n)) for x in (x0, x1))
    print(
        f"{tool.__name__}: NaN in {k0} of {n} calls on x0 and in {k1} of {n} calls on x1; claimed epsilon 1"
    )
    # Either P0 <= 1/2 or P1 >= 1/(2e): all of n and none of n then has a chance of at most (1 - 1/(2e))^n.
    stands &= k0 == n and k1 == 0 and (1 - 1 / (2 * np.e)) ** n < 1e-6
sys.exit(0 if stands else 1)
