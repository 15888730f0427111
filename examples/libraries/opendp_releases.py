"""Releases of OpenDP 0.16, one outcome per call: python opendp_releases.py NAME."""

from __future__ import annotations

from serving import require, serve

require("opendp", "0.16.0")

import opendp.prelude as dp  # noqa: E402

dp.enable_features("contrib")
NUMBER, WHOLE = dp.atom_domain(T=float, nan=False), dp.atom_domain(T=int)
BETWEEN = dp.absolute_distance(T=float)
UNSIZED = (dp.vector_domain(NUMBER), dp.symmetric_distance())
SIZED = (dp.vector_domain(NUMBER, size=4), dp.symmetric_distance())
LABELS = (dp.vector_domain(WHOLE), dp.symmetric_distance())
clamped = dp.t.then_clamp((0.0, 1.0))
max_of = dp.m.make_noisy_max(dp.vector_domain(WHOLE), dp.linf_distance(T=int), dp.max_divergence(), scale=2.0)
serve(
    {
        "laplace": dp.m.make_laplace(NUMBER, BETWEEN, scale=1.0),
        "gaussian": dp.m.make_gaussian(NUMBER, BETWEEN, scale=1.0),
        "geometric": dp.m.make_geometric(WHOLE, dp.absolute_distance(T=int), scale=1.0),
        "randomised-response": dp.m.make_randomized_response(["a", "b", "c"], prob=0.6),
        "noisy-max": max_of,
        "sum": UNSIZED >> clamped >> dp.t.then_sum() >> dp.m.then_laplace(scale=1.0),
        "mean": SIZED >> clamped >> dp.t.then_mean() >> dp.m.then_laplace(scale=0.25),
        "variance": SIZED >> clamped >> dp.t.then_variance() >> dp.m.then_laplace(scale=0.25),
        "count": LABELS >> dp.t.then_count() >> dp.m.then_laplace(scale=1.0),
        "histogram": LABELS
        >> dp.t.then_count_by_categories(categories=[0, 1, 2])
        >> dp.m.then_laplace(scale=1.0),
        "quantile": dp.m.make_private_quantile(
            *LABELS, dp.max_divergence(), candidates=[0, 1, 2, 3], alpha=0.5, scale=1.0
        ),
    }
)
