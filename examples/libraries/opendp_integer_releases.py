"""OpenDP's Laplace noise on integers at scale 3, one outcome per call: python opendp_integer_releases.py laplace.

0.14.1 adds less noise than it claims (opendp/opendp#2638); 0.14.2 does not.
"""

from __future__ import annotations

from serving import require, serve

require("opendp", "0.14.1", "0.14.2")

import opendp.prelude as dp  # noqa: E402

dp.enable_features("contrib")
serve({"laplace": dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=3.0)})
