"""Large-margin multiclass Gaussian classification (Pathak, Raj 2010): plain, perturbed as printed, and private."""

from .classifier import LargeMarginGaussian
from .epsilon import PrivacyTerms, gradient_sensitivity
from .huber import Huber, printed_loss
from .objective import Objective
from .perturbed import Minimiser, PrintedPerturbation, minimiser_exists, printed_noise
from .private import PrivateLargeMarginGaussian, audit_subject
from .solution import Solution

__all__ = [
    "Huber",
    "LargeMarginGaussian",
    "Minimiser",
    "Objective",
    "PrintedPerturbation",
    "PrivacyTerms",
    "PrivateLargeMarginGaussian",
    "Solution",
    "audit_subject",
    "gradient_sensitivity",
    "minimiser_exists",
    "printed_loss",
    "printed_noise",
]
