"""The estimators of RON-Gauss: conventions of scikit-learn, what is kept, the mixture's accounting, and every bad input."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from ron_gauss_records import ADDED, LABELS, RNG, X, Y
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from noiseproof.mechanisms.ron_gauss import RonGauss, RonGaussMixture, RonGaussSupervised, on_sphere


def models() -> list[tuple[Any, Any]]:
    return [
        (RonGauss(3, 0.5, 2.0, random_state=5), None),
        (RonGaussSupervised(3, 0.5, 2.0, 1.0, random_state=5), Y),
        (RonGaussMixture(3, 0.5, 2.0, ["high", "low"], epsilon_size=1.0, random_state=5), LABELS),
    ]


every = pytest.mark.parametrize(("model", "y"), models(), ids=["unsupervised", "supervised", "mixture"])


# --- estimators


@every
def test_estimators_follow_the_conventions(model: Any, y: Any) -> None:
    fresh = clone(model)
    assert fresh.get_params() == model.get_params()
    assert fresh.set_params(n_components=2).n_components == 2
    with pytest.raises(NotFittedError):
        fresh.sample(3)
    with pytest.raises(NotFittedError):
        fresh.released()
    before = X.copy()
    assert fresh.fit(X, y) is fresh
    assert np.array_equal(X, before)
    assert fresh.n_features_in_ == 6
    with pytest.raises(ValueError, match="size must be a whole number"):
        fresh.sample(0)


@every
def test_nothing_of_the_records_is_kept(model: Any, y: Any) -> None:
    fitted = clone(model).fit(X, y)
    for name, value in vars(fitted).items():
        assert len(X) not in np.shape(value), name
    text = json.dumps(fitted.released(), allow_nan=False)
    assert "components" in json.loads(text)
    # The sampling stream is no child of the one that drew the noise.
    assert fitted._stream.bit_generator.seed_seq.entropy != 5
    withheld = clone(model).set_params(public_projection=False).fit(X, y)
    assert not hasattr(withheld, "components_")
    assert "components" not in withheld.released()
    assert withheld.epsilon_ == fitted.epsilon_
    refitted = clone(model).fit(X, y).set_params(public_projection=False).fit(X, y)
    assert not hasattr(refitted, "components_")


@every
def test_a_number_repeats_the_fit_and_a_generator_goes_on(model: Any, y: Any) -> None:
    one, two = (clone(model).fit(X, y) for _ in range(2))
    assert one.released() == two.released()
    assert np.array_equal(np.asarray(one.sample(5)[0]), np.asarray(two.sample(5)[0]))
    assert not np.array_equal(np.asarray(one.sample(5)[0]), np.asarray(one.sample(5)[0]))
    rng = RNG(3)
    moving = clone(model).set_params(random_state=rng)
    assert moving.fit(X, y).released() != moving.fit(X, y).released()
    assert clone(model).set_params(random_state=None).fit(X, y).released() != one.released()
    assert np.array_equal(
        np.asarray(one.sample(5, random_state=1)[0]), np.asarray(two.sample(5, random_state=1)[0])
    )


def test_shapes_of_samples() -> None:
    assert RonGauss(3, 1.0, 1.0).fit(X).sample(7).shape == (7, 3)
    rows, labels = RonGaussSupervised(3, 1.0, 1.0, 1.0, return_mean=True).fit(X, Y).sample(7)
    assert (rows.shape, labels.shape) == ((7, 3), (7,))
    assert RonGauss(6, 1.0, 1.0, projection="qr of uniform").fit(X).sample(1).shape == (1, 6)


def test_scikit_learn_is_loaded_with_the_estimators_only() -> None:
    code = "import sys, noiseproof.mechanisms.ron_gauss; print('sklearn' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


# --- the mixture


def test_the_mixture_scales_noise_to_two_classes_that_move() -> None:
    private = RonGaussMixture(3, 0.5, 2.0, ["low", "high"], epsilon_size=0.25).fit(X, LABELS)
    assert private.scales_ == pytest.approx(
        {"mean": 2 * 6**0.5 / 0.5, "covariance": 4 / 2.0, "size": 2 / 0.25}
    )
    assert private.epsilon_ == 2.75
    added = clone(private).set_params(adjacency="add-or-remove").fit(X, LABELS)
    assert added.scales_ == pytest.approx({k: v / 2 for k, v in private.scales_.items()})
    assert added.epsilon_ == 2.75
    public = RonGaussMixture(3, 0.5, 2.0, "public", public_labels=True).fit(X, LABELS)
    assert public.scales_ == pytest.approx(
        {"mean": 2 * 6**0.5 / 0.5, "covariance": 33**0.5 / 2 / 2.0, "size": None}
    )
    assert public.epsilon_ == 2.5
    assert public.sizes_.tolist() == [int((c == LABELS).sum()) for c in public.classes_]


def entries(w: np.ndarray) -> np.ndarray:
    return np.outer(w, w)[np.triu_indices(len(w))]


def test_a_replaced_record_moves_all_classes_together_by_what_the_scales_allow() -> None:
    # Sensitivities read off the fitted scales, against records that leave one class and join another.
    p, budgets = 3, {"mean": 0.5, "covariance": 2.0, "size": 0.25}
    fitted = RonGaussMixture(p, 0.5, 2.0, ["low", "high"], epsilon_size=0.25).fit(X, LABELS)
    allowed = {k: fitted.scales_[k] * e for k, e in budgets.items()}
    rng, largest = RNG(12), dict.fromkeys(budgets, 0.0)
    for _ in range(500):
        u, v = on_sphere(np.sign(rng.normal(size=(2, 6))) + rng.choice([0.0, 1.0]) * rng.normal(size=(2, 6)))
        f, g = on_sphere(np.sign(rng.normal(size=(2, p))) + rng.choice([0.0, 1.0]) * rng.normal(size=(2, p)))
        moved = {
            "mean": np.abs(u).sum() + np.abs(v).sum(),
            "size": 2.0,
            "covariance": np.abs(entries(f)).sum() + np.abs(entries(g)).sum(),
        }
        largest = {k: max(largest[k], float(m)) for k, m in moved.items()}
        # The same class: the record is replaced within it.
        assert np.abs(entries(f) - entries(g)).sum() <= allowed["covariance"] + 1e-12
    assert largest == pytest.approx(allowed)


def test_classes_without_records_are_released_like_any_other() -> None:
    fitted = RonGaussMixture(2, 1.0, 1.0, ["high", "low", "none"], epsilon_size=1.0, random_state=1).fit(
        X, LABELS
    )
    assert fitted.means_.shape == (3, 6)
    assert fitted.sizes_[2] >= 1.0
    rows, labels = fitted.sample({"none": 4, "low": 2})
    assert rows.shape == (6, 2)
    assert sorted(labels.tolist()) == ["low", "low", "none", "none", "none", "none"]


def test_the_mixture_returns_each_class_around_its_own_mean() -> None:
    fitted = RonGaussMixture(2, 1e6, 1e6, "public", epsilon_size=1e6, random_state=1).fit(X, LABELS)
    rows, labels = fitted.sample(40_000)
    assert np.mean(labels == "high") == pytest.approx(np.mean(LABELS == "high"), abs=0.02)
    for c, label in enumerate(fitted.classes_):
        assert rows[labels == label].mean(axis=0) == pytest.approx(
            fitted.means_[c] @ fitted.components_, abs=0.04
        )
        assert np.cov(rows[labels == label].T) == pytest.approx(fitted.covariances_[c], abs=0.04)


# --- bad input


def changed(place: tuple[int, int], value: float) -> np.ndarray:
    rows = X.copy()
    rows[place] = value
    return rows


ZERO = X.copy()
ZERO[[4, 9]] = 0.0


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (ZERO, "record 4 of X is zero"),
        (changed((3, 2), np.nan), "record 3 holds NaN"),
        (changed((5, 0), np.inf), "record 5"),
        (X[:1], "at least 2 records, got 1"),
        (X[:0], "at least 2"),
        (X[0], "shape"),
        (X[:, :0], "shape"),
        (X[None], "shape"),
        ([["a", "b"], ["c", "d"]], "numbers"),
        (X[:, :2], "p must be at most m"),
    ],
)
@every
def test_bad_records_are_refused_before_any_noise_is_drawn(
    model: Any, y: Any, rows: Any, message: str
) -> None:
    rng = RNG(0)
    before = rng.bit_generator.state
    labels = y if y is None else y[: len(rows)]
    with pytest.raises(ValueError, match=message):
        clone(model).set_params(random_state=rng).fit(rows, labels)
    assert rng.bit_generator.state == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_components": 0}, "n_components"),
        ({"n_components": 1.5}, "n_components"),
        ({"epsilon_mean": 0.0}, "epsilon_mean"),
        ({"epsilon_mean": "1"}, "epsilon_mean must be a number"),
        ({"epsilon_covariance": None}, "say how much"),
        ({"epsilon_mean": True}, "must be a number"),
        ({"epsilon_mean": -1.0}, "epsilon_mean"),
        ({"epsilon_covariance": 0}, "epsilon_covariance"),
        ({"epsilon_covariance": float("nan")}, "epsilon_covariance"),
        ({"epsilon_covariance": float("inf")}, "epsilon_covariance"),
        ({"adjacency": "any"}, "adjacency must be"),
        ({"sensitivity": "tight"}, "sensitivity must be"),
        ({"projection": "haar"}, "projection must be one of"),
        ({"symmetric_noise": "yes"}, "symmetric_noise"),
        ({"return_mean": 1}, "return_mean"),
        ({"public_projection": None}, "public_projection"),
    ],
)
@every
def test_bad_options_are_refused(model: Any, y: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        clone(model).set_params(**options).fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"adjacency": "add-or-remove"}, "it cannot be public"),
        ({"public_size": False}, "epsilon_size is the budget"),
        ({"epsilon_size": 1.0}, "epsilon_size is the budget"),
        ({"public_size": 0}, "public_size must be"),
        ({**ADDED, "epsilon_size": -1.0}, "epsilon_size"),
        ({**ADDED, "sensitivity": "printed"}, "stated for replace-one"),
        ({"public_size": False, "epsilon_size": 1.0, "sensitivity": "printed"}, "stated for replace-one"),
    ],
)
def test_contradictory_options_are_refused(options: dict[str, Any], message: str) -> None:
    for model, y in models()[:2]:
        with pytest.raises(ValueError, match=message):
            model.set_params(**options).fit(X, y)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.append(Y[:-1], 1.5), "label 59 does not"),
        (np.append(-1.01, Y[1:]), "label 0 does not"),
        (Y[:-1], "one label per record"),
        (np.append(np.nan, Y[1:]), "label 0"),
        (None, "one label per record"),
        (Y[:, None], "shape"),
        (LABELS, "numbers"),
    ],
)
def test_bad_labels_are_refused(labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        RonGaussSupervised(2, 1.0, 1.0, 1.0).fit(X, labels)


def test_a_bad_bound_of_labels_is_refused() -> None:
    for bound in (0.0, -1.0, float("inf")):
        with pytest.raises(ValueError, match="label_bound"):
            RonGaussSupervised(2, 1.0, 1.0, bound).fit(X, Y)


@pytest.mark.parametrize(
    ("options", "labels", "message"),
    [
        ({"classes": ["low"]}, LABELS, "is not among the declared classes"),
        ({"classes": []}, LABELS, "distinct labels"),
        ({"classes": [[0], [1]]}, LABELS, "distinct labels"),
        ({"classes": ["low", "low"]}, LABELS, "distinct"),
        ({"classes": "low"}, LABELS, '"public"'),
        ({}, LABELS[:-1], "one per record"),
        ({"epsilon_size": None}, LABELS, "epsilon_size"),
        ({"epsilon_size": 0.0}, LABELS, "epsilon_size"),
        ({"public_labels": True}, LABELS, "epsilon_size"),
        ({"public_labels": 1}, LABELS, "public_labels"),
        (
            {"public_labels": True, "epsilon_size": None, "adjacency": "add-or-remove"},
            LABELS,
            "public_labels needs replace-one",
        ),
        (
            {"public_labels": True, "epsilon_size": None, "classes": ["low", "high", "none"]},
            LABELS,
            "class 'none' has fewer",
        ),
        ({"sensitivity": "printed"}, LABELS, "stated for replace-one"),
    ],
)
def test_bad_classes_are_refused(options: dict[str, Any], labels: Any, message: str) -> None:
    model = RonGaussMixture(2, 1.0, 1.0, ["low", "high"], epsilon_size=1.0).set_params(**options)
    with pytest.raises(ValueError, match=message):
        model.fit(X, labels)


def test_unknown_classes_are_not_sampled() -> None:
    fitted = RonGaussMixture(2, 1.0, 1.0, ["low", "high"], epsilon_size=1.0).fit(X, LABELS)
    with pytest.raises(ValueError, match="unknown class 'other'"):
        fitted.sample({"other": 2})
    with pytest.raises(ValueError, match="at least one record"):
        fitted.sample({"low": 0})
