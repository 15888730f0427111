"""Estimators of a parameter from a block of outcomes: maximum likelihood by statsmodels, and means of unbiased statistics."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from ....symbolic.arrays import Floats

LogDensity = Callable[[Floats, float], Floats]
_ROUNDS = 200


def maximum_likelihood(log_density: LogDensity, start: float, outcomes: Floats) -> float:
    """The parameter with the largest likelihood of these outcomes (n,), sought from `start`; NaN where the search fails.

    statsmodels' GenericLikelihoodModel needs no derivative and no name of the family: what an adversary has at hand.
    """
    from statsmodels.base.model import GenericLikelihoodModel

    class Likelihood(GenericLikelihoodModel):  # type: ignore[misc]
        def loglikeobs(self, params: Floats) -> Floats:
            with np.errstate(all="ignore"):
                value = np.asarray(log_density(outcomes, float(np.ravel(params)[0])), dtype=float)
            return np.where(np.isfinite(value), value, -1e10).reshape(len(outcomes))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = Likelihood(outcomes, np.ones((len(outcomes), 1)))
            fitted = model.fit(start_params=[start], method="nm", disp=0, maxiter=_ROUNDS, skip_hessian=True)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return float("nan")
    return float(np.ravel(fitted.params)[0])
