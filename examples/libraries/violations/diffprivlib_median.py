"""diffprivlib 0.6.6, tools.median at epsilon = 1: two data sets of 2980 records that differ in one.

All weights of the exponential mechanism underflow to zero on one of the two, which then raises RuntimeError at every
call; on the other it never does.  The event "the call raises" has probability 1 and 0: no epsilon allows that.
Only diffprivlib is needed (pip install diffprivlib==0.6.6 scikit-learn==1.5.2).  Argument: calls per input.
"""

import sys

import numpy as np
from diffprivlib.tools import median

n = int(sys.argv[1]) if len(sys.argv) > 1 else 200
x0, x1 = np.zeros(2980), np.append(0.5, np.zeros(2979))


def raises(x):
    """Whether the call ends with an exception."""
    try:
        median(x, epsilon=1.0, bounds=(0, 1))
    except RuntimeError:
        return True
    return False


# The event is {RuntimeError}; the claim allows P1(event) <= e P0(event).
k0, k1 = (sum(raises(x) for _ in range(n)) for x in (x0, x1))
print(f"RuntimeError in {k0} of {n} calls on x0 and in {k1} of {n} calls on x1; claimed epsilon 1")
# Were P1 <= e P0, then P0 >= 1/(2e) or P1 <= 1/2: none of n and all of n then has a chance of at most (1 - 1/(2e))^n.
sys.exit(0 if k0 == 0 and k1 == n and (1 - 1 / (2 * np.e)) ** n < 1e-6 else 1)
