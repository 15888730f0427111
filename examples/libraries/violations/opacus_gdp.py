"""Opacus 1.6, the formula behind GaussianAccountant ("gdp"): one step at noise 1 and sampling rate 0.01, delta = 1e-5.

The true profile of the Poisson-sampled Gaussian is known in closed form: at the accountant's epsilon delta is larger.
Opacus itself warns that this accountant is experimental and can underestimate.  Nothing is sampled.
Only opacus, numpy and scipy are needed (pip install --no-deps opacus==1.6.0), torch is not.
"""

import importlib.util
import math
import sys
from pathlib import Path

from scipy.stats import norm

folder = Path(importlib.util.find_spec("opacus").submodule_search_locations[0])
spec = importlib.util.spec_from_file_location("gdp", folder / "accountants" / "analysis" / "gdp.py")
gdp = importlib.util.module_from_spec(spec)
spec.loader.exec_module(gdp)  # the file alone: the package would import torch

q, sigma, delta = 0.01, 1.0, 1e-5
epsilon = gdp.compute_eps_poisson(steps=1, noise_multiplier=sigma, sample_rate=q, delta=delta)

# x0: N(0, sigma^2); x1: (1 - q) N(0, sigma^2) + q N(1, sigma^2).  The event is {y > t}, where the density of x1 over that of
# x0 exceeds e^epsilon; the claim allows P1(event) <= e^epsilon P0(event) + delta.
t = sigma**2 * math.log((math.exp(epsilon) - 1 + q) / q) + 0.5
p0, p1 = norm.sf(t / sigma), (1 - q) * norm.sf(t / sigma) + q * norm.sf((t - 1) / sigma)
print(
    f"epsilon = {epsilon:.6f} is claimed at delta = {delta}; the event y > {t:.4f} needs delta >= {p1 - math.exp(epsilon) * p0:.3e}"
)
sys.exit(0 if p1 - math.exp(epsilon) * p0 > 1.01 * delta else 1)
