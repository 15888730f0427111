"""Large-margin multiclass Gaussian classification (Pathak, Raj 2010): plain, perturbed as printed, and private."""

from .classifier import LargeMarginGaussian
from .epsilon import PrivacyTerms, gradient_sensitivity
from .huber import Huber
from .objective import Objective
from .private import PrivateLargeMarginGaussian, audit_subject
from .solution import Solution
