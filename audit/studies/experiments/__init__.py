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

# What each experiment can be told, beyond seed, simulations and workers.
_RON_GAUSS = frozenset({"components", "epsilons"})
_FILE = frozenset({"scaling", "records", "data", "download"})
OPTIONS: dict[str, frozenset[str]] = {
    "illustration": frozenset(),
    "breast-cancer": frozenset({"terms"}),
    "adult": _FILE | {"terms"},
    "lending-club": _FILE | {"terms"},
    "ron-gauss-breast-cancer": _RON_GAUSS | {"scaling"},
    "ron-gauss-digits": _RON_GAUSS,
    "ron-gauss-diabetes": _RON_GAUSS,
    "ron-gauss-adult": _RON_GAUSS | _FILE,
}

__all__ = ["EXPERIMENTS", "OPTIONS", "Experiment", "ExperimentResult", "Run"]
