"""Learning from labelled data, exactly: support vector machines with multipliers, smooth losses, and how both move with the data."""

from .losses import LinearModelLoss, Loss, ridge
from .minimiser import Minimiser, minimise
from .svm import SOLVERS, SvmProgram, SvmSolution, solve_svm
from .svm_certificate import SvmCertificate, certify
from .svm_limit import SvmLimit, svm_limit
from .training_set import TrainingSet

__all__ = [
    "SOLVERS",
    "LinearModelLoss",
    "Loss",
    "Minimiser",
    "SvmCertificate",
    "SvmLimit",
    "SvmProgram",
    "SvmSolution",
    "TrainingSet",
    "certify",
    "minimise",
    "ridge",
    "solve_svm",
    "svm_limit",
]
