"""The experiments of Farokhi (2020), each one function of a `Run`: seeds, standard errors, checkpoints, JSON out."""

from .illustration import illustration
from .real_data import adult_experiment, breast_cancer_experiment, lending_club_experiment
from .result import Experiment, ExperimentResult, Run

EXPERIMENTS: dict[str, Experiment] = {
    "illustration": illustration,
    "breast-cancer": breast_cancer_experiment,
    "adult": adult_experiment,
    "lending-club": lending_club_experiment,
}

__all__ = ["EXPERIMENTS", "Experiment", "ExperimentResult", "Run"]
