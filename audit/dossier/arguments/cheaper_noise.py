"""A noise that is claimed optimal is refuted by a cheaper one; the comparison is exact or enclosed."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import sympy as sp
from flint import arb

from ....symbolic.programs.least_cost_noise import EIGENVALUE, RHO, GaussianNoise, family_cost
from ....symbolic.proof.enclosure import enclose
from ....symbolic.proof.exact_matrices import diagonal, identity_of, is_semidefinite, matrix_of, trace
from ....symbolic.proof.exact_numbers import ball, quotient
from ....symbolic.proof.expressions import parse
from ...record.witness import Witness, register


def cheaper_noise(
    noise: GaussianNoise, eigenvalues: Sequence[Fraction], rho: Fraction, competitor: dict[str, Any]
) -> Witness:
    """The data that say: at these eigenvalues of A and this rho, the competitor costs less than `noise`.

    Competitors: {"type": "gaussian", "variance"}; {"type": "covariance", "rotation", "matrix"}, columns
    of the rotation as eigenvectors of A; {"type": "family", "name", "shape"}; {"type": "constant answer",
    "radius", "variance"}: x in [-radius, radius] weighted uniformly, answered by a normal variable around 0,
    whatever x is.
    """
    return {"kind": "cheaper-noise", **_instance(noise, eigenvalues, rho), "competitor": competitor}


def wrong_mass(noise: GaussianNoise, eigenvalue: Fraction, rho: Fraction) -> Witness:
    """The data that say: at this eigenvalue and this rho the density does not integrate to one."""
    return {"kind": "wrong-mass", **_instance(noise, [eigenvalue], rho)}


def _instance(noise: GaussianNoise, eigenvalues: Sequence[Fraction], rho: Fraction) -> Witness:
    return {
        "eigenvalues": [str(a) for a in eigenvalues],
        "rho": str(rho),
        "density": "normaliser * exp(-rate * w**2) for each eigenvalue a",
        "normaliser": sp.sstr(noise.normaliser),
        "rate": sp.sstr(noise.rate),
    }


@register("cheaper-noise")
def evaluate_cheaper(witness: Witness) -> tuple[bool, str]:
    """Whether the competitor certainly costs less than the noise of the witness."""
    ours, theirs = claimed_cost(witness), competitor_cost(witness)
    relation = ">" if ours > theirs else "<" if ours < theirs else "not separated from"
    return bool(
        ours > theirs
    ), f"cost {ours.str(12)} {relation} {theirs.str(12)} ({witness['competitor']['type']})"


@register("wrong-mass")
def evaluate_mass(witness: Witness) -> tuple[bool, str]:
    """Whether the density of the witness certainly has a mass other than one."""
    mass = _noise(witness, Fraction(witness["eigenvalues"][0])).mass()
    ball = enclose(mass)
    return not ball.overlaps(arb(1)), f"mass {ball.str(12)}, expected 1"


def claimed_cost(witness: Witness) -> arb:
    """Tr(A K) + rho Tr(V) of the noise in the witness, summed over the eigenvalues of A."""
    total, rho = arb(0), Fraction(witness["rho"])
    for text in witness["eigenvalues"]:
        a = Fraction(text)
        total += enclose(_noise(witness, a).cost(), {EIGENVALUE: sp.Rational(a), RHO: sp.Rational(rho)})
    return total


def competitor_cost(witness: Witness) -> arb:
    """The same cost of the competitor."""
    values = [Fraction(text) for text in witness["eigenvalues"]]
    rho, competitor = Fraction(witness["rho"]), witness["competitor"]
    match competitor["type"]:
        case "gaussian":
            variance = Fraction(competitor["variance"])
            if variance <= 0:
                raise ValueError(f"a variance is positive, got {variance}")
            return ball(sum((a / variance + rho * variance for a in values), Fraction(0)))
        case "covariance":
            return _covariance_cost(competitor, values, rho)
        case "family":
            shape = Fraction(competitor["shape"])
            return sum((family_cost(competitor["name"], shape, a, rho) for a in values), arb(0))
        case "constant answer":
            if values != [1]:
                raise ValueError(
                    "a constant answer is compared for one query f(x) = x: expected the eigenvalue 1"
                )
            # The law of the answer does not depend on x: no information, only the mean of x^2 and the spread.
            return ball(rho * (Fraction(competitor["radius"]) ** 2 / 3 + Fraction(competitor["variance"])))
    raise ValueError(
        f"unknown type of competitor {competitor['type']!r}: expected one of those in cheaper_noise"
    )


def _covariance_cost(competitor: dict[str, Any], values: list[Fraction], rho: Fraction) -> arb:
    turn, matrix = matrix_of(competitor["rotation"]), matrix_of(competitor["matrix"])
    size = len(values)
    if (
        turn * turn.transpose() != identity_of(size)
        or matrix != matrix.transpose()
        or not is_semidefinite(matrix, strictly=True)
    ):
        raise ValueError("expected an orthogonal rotation and a symmetric positive definite matrix")
    information = turn * diagonal(values) * turn.transpose() * matrix.inv()
    return arb(trace(information) + quotient(rho) * trace(matrix))


def _noise(witness: Witness, eigenvalue: Fraction) -> GaussianNoise:
    names = {"a": sp.Rational(eigenvalue), "rho": sp.Rational(Fraction(witness["rho"]))}
    return GaussianNoise(parse(witness["normaliser"], names), parse(witness["rate"], names))
