"""The experiments of the papers, each one function of a `Run`: seeds, standard errors, checkpoints, JSON out."""

from .illustration import illustration
from .real_data import adult_experiment, breast_cancer_experiment, lending_club_experiment
from .result import Experiment, ExperimentResult, Run
from .ron_gauss import ron_gauss_adult, ron_gauss_breast_cancer, ron_gauss_diabetes, ron_gauss_digits

EXPERIMENTS: dict[str, Experiment] = {
    "illustration": illustration,
    "breast-cancer": breast_cancer_experiment,
    "adult": adult_experiment,
    "lending-club": lending_club_experiment,
    "ron-gauss-breast-cancer": ron_gauss_breast_cancer,
    "ron-gauss-digits": ron_gauss_digits,
    "ron-gauss-diabetes": ron_gauss_diabetes,
    "ron-gauss-adult": ron_gauss_adult,
}

__all__ = ["EXPERIMENTS", "Experiment", "ExperimentResult", "Run"]
