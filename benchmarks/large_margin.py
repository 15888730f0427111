"""Private large-margin classification: how often the printed version exists, what gives it away, what the private one is worth.

usage: python benchmarks/large_margin.py [--repeats 20]
"""

from __future__ import annotations

import argparse
import time
from fractions import Fraction

import numpy as np
from margin_trials.existence import WITHOUT_PRICE, definite, existence
from margin_trials.noise_tail import printed_tail, quantile, union_tail
from margin_trials.perturbed import PrintedPerturbation, printed_noise
from margin_trials.private_loss import WithoutJacobian, largest_loss
from margin_trials.public_data import public_data
from margin_trials.reachability import distinguish
from margin_trials.risk import printed_excess, private_excess
from numpy.typing import NDArray
from result import benchmark, table

import noiseproof as npf
from noiseproof.audit.studies.large_margin.private_attack import PrintedScale, worst_neighbours
from noiseproof.mechanisms.large_margin import (
    Huber,
    LargeMarginGaussian,
    Objective,
    PrivateLargeMarginGaussian,
    audit_subject,
)
from noiseproof.mechanisms.large_margin.conic import conic_solution
from noiseproof.mechanisms.large_margin.first_order import first_order_solution

Sample = tuple[NDArray[np.float64], NDArray[np.int64]]
ALPHA = 0.05
NOISES = 5_000  # per split, of which up to two that leave a minimiser are used
EPSILONS = (0.5, 1.0, 2.0, 5.0, 10.0)


def existence_rows(draws: int) -> list[str]:
    """P[a minimiser exists] for d features; columns are epsilon lambda."""
    out = []
    for d in (1, 2, 3, 4, 8):
        limit = f"{float(WITHOUT_PRICE[d]):.4f}" if d in WITHOUT_PRICE else ""
        cells = [existence(d, 1.0, price, draws) for price in (0.1, 1.0, 10.0, 100.0, 1e4)]
        out.append(
            f"| {d} | {limit} | "
            + " | ".join(f"{c.rate:.4f} [{c.low:.4f}, {c.high:.4f}]" for c in cells)
            + " |"
        )
    return out


def distinguisher_rows(outputs: int) -> list[str]:
    """Outputs that a neighbour cannot have, among noises that leave a minimiser, lambda = 0.1."""
    rng = np.random.default_rng(0)
    x = rng.uniform(-0.7, 0.7, (20, 2))
    y = (x[:, 0] > 0).astype(int)
    pairs = {
        "n = 2, d = 1, a record moves": (
            (np.array([[0.5], [-0.5]]), np.array([0, 1])),
            (np.array([[0.25], [-0.5]]), np.array([0, 1])),
        ),
        "n = 20, d = 2, a label changes": ((x, y), (x, np.append(1 - y[:1], y[1:]))),
    }
    out = []
    for name, pair in pairs.items():
        for epsilon in EPSILONS:
            f = distinguish(*pair, 2, epsilon, price=0.1, outputs=outputs)
            out.append(
                f"| {name} | {epsilon:g} | {f.told}/{f.outputs} | {f.mistaken}/{f.outputs} | {f.low:.3f} | {f.high:.4f} | "
                f"{max(0.0, f.loss):.2f} | {f.residual:.0e} |"
            )
    return out


def engine_rows(samples: int) -> list[str]:
    """The private variant and two with too little noise, claimed epsilon = 1, worst neighbours."""
    out = []
    kinds = (
        (PrivateLargeMarginGaussian, "derived"),
        (WithoutJacobian, "no Jacobian term"),
        (PrintedScale, "printed: sensitivity 2"),
    )
    for classes, d, n in ((2, 1, 2), (2, 2, 20), (3, 1, 20)):
        for method in ("objective", "output"):
            for kind, name in kinds:
                if method == "output" and kind is WithoutJacobian:
                    continue
                options = {"ridge": 8.0 * classes, "margin": 1.5} if method == "output" else {}
                model = kind(1.0, range(classes), method=method, **options)
                pair = worst_neighbours(classes, n, d)
                found = npf.examine(
                    audit_subject(model, *pair), [npf.PureDP(1.0), npf.PureDP(0.5)], samples=samples
                )
                words = [f.verdict.name for f in found.findings]
                certified = max(
                    e.bounds[0]["certified"] for f in found.findings for e in f.evidence if e.bounds
                )
                out.append(
                    f"| {method} | {name} | {classes} | {d} | {n} | {words[0]} | {words[1]} | {certified:.3f} | "
                    f"{largest_loss(model, pair, 1_000):.6f} |"
                )
    return out


def theorem_rows(seeds: int) -> list[str]:
    """Theorem 2 for records 1/2 and -1/2 of two classes, epsilon = 1, delta = 0.05, and the private variant's own bound on Iris."""
    x, y = np.array([[0.5], [-0.5]]), np.array([0, 1])
    out = []
    for price in (0.1, 1.0, 10.0, 1e3, 1e5):
        e = printed_excess((x, y), 2, 1.0, price, 0.05, seeds=seeds)
        out.append(
            f"| theorem 2, lambda = {price:g} | {e.bound:.4g} | {e.excess.mean():.4g} | {e.excess.max():.4g} | {e.above}/{len(e.excess)} | "
            f"[{e.low:.3f}, {e.high:.3f}] |"
        )
    train = public_data("iris").split(0)[0]
    for method in ("objective", "output"):
        for epsilon in (1.0, 5.0):
            model = PrivateLargeMarginGaussian(epsilon, range(3), method=method)
            e = private_excess(model, train, Fraction(1, 20), seeds=10 * seeds)
            out.append(
                f"| private, {method}, Iris, epsilon = {epsilon:g} | {e.bound:.4g} | {e.excess.mean():.4g} | {e.excess.max():.4g} | "
                f"{e.above}/{len(e.excess)} | [{e.low:.3f}, {e.high:.3f}] |"
            )
    return out


def tail_rows() -> list[str]:
    """Exact probabilities beyond the printed and the union bound; the three bounds in units of 2/epsilon."""
    out = []
    for d in (1, 2, 4, 8):
        for delta in (Fraction(9, 10), Fraction(1, 2), Fraction(1, 10), Fraction(1, 100)):
            n = (d + 1) ** 2
            cells = (
                f"{float(printed_tail(d, delta)):.3g}",
                f"{float(union_tail(d, delta)):.3g}",
                f"{n * np.log(d / float(delta)):.4g}",
                f"{n * np.log(n / float(delta)):.4g}",
                f"{float(quantile(n, delta)):.4g}",
            )
            word = "fails" if float(printed_tail(d, delta)) > float(delta) else "holds"
            out.append(f"| {d} | {float(delta):g} | {word} | {' | '.join(cells)} |")
    return out


def score(model: LargeMarginGaussian | PrivateLargeMarginGaussian, test: Sample) -> float:
    """Test accuracy."""
    return float(model.score(*test))


def printed_scores(train: Sample, test: Sample, classes: int, epsilon: float, seed: int) -> list[float]:
    """Accuracies of the first two noises that leave a minimiser, if there are any."""
    d = train[0].shape[1]
    noise = printed_noise(d, epsilon, NOISES, np.random.default_rng(seed))
    found = []
    for b in noise[definite(noise, 0.1)][:2]:
        rule = LargeMarginGaussian()
        rule.phi_ = PrintedPerturbation(0.1, margin=1.0).minimise(*train, b, range(classes)).phi
        rule.classes_, rule.n_features_in_ = np.arange(classes), d
        found.append(score(rule, test))
    return found


def mean_error(values: list[float]) -> str:
    """Mean with standard error."""
    if len(values) < 2:
        return "none" if not values else f"{values[0]:.3f} (one)"
    return f"{np.mean(values):.3f} ({np.std(values, ddof=1) / np.sqrt(len(values)):.3f})"


def accuracy_rows(repeats: int) -> list[str]:
    """Test accuracy, 70 % of the records for training, a new split and noise for each repeat."""
    out = []
    for name, d in (("iris", None), ("iris", 2), ("wine", 3), ("digits", 4)):
        data = public_data(name, d)
        p = data.features.shape[1]
        few = max(3, repeats // 5) if name == "digits" else repeats
        splits = [data.split(s) for s in range(few)]
        plain = [
            score(LargeMarginGaussian(0.1, solver="first-order" if name == "digits" else "auto").fit(*a), b)
            for a, b in splits[:5]
        ]
        frequent = [float(np.mean(b[1] == np.bincount(a[1]).argmax())) for a, b in splits]
        head = f"| {name}, d = {p}, n = {len(splits[0][0][1])} | {mean_error(plain)} | {mean_error(frequent)}"
        for epsilon in EPSILONS:
            cells = []
            for method in ("objective", "output"):
                cells.append(
                    mean_error(
                        [
                            score(
                                PrivateLargeMarginGaussian(
                                    epsilon, range(data.classes), method=method, random_state=s
                                ).fit(*a),
                                b,
                            )
                            for s, (a, b) in enumerate(splits)
                        ]
                    )
                )
            scores: list[float] = []
            for s, (a, b) in enumerate(splits if name != "digits" else []):
                scores += printed_scores(a, b, data.classes, epsilon, s)
            shown = "not tried" if name == "digits" else mean_error(scores)
            out.append(f"{head} | {epsilon:g} | {cells[0]} | {cells[1]} | {shown} |")
    return out


def speed_rows() -> list[str]:
    """Conic and first-order solver: seconds and certified gap."""
    out = []
    for n, d, classes in ((150, 4, 3), (10_000, 5, 3), (100_000, 5, 3)):
        rng = np.random.default_rng(0)
        y = rng.integers(0, classes, n)
        x = rng.normal(0, 0.25, (n, d)) + rng.normal(0, 0.25, (classes, d))[y]
        x /= np.maximum(1, np.linalg.norm(x, axis=1, keepdims=True))
        for ridge in (1e-2, 0.0) if n < 100_000 else (1e-2,):
            objective = Objective.of(x, y, classes, Huber(0.5, 1.0), 0.1, ridge)
            for solve in (conic_solution, first_order_solution):
                if solve is conic_solution and n > 1_000:
                    continue
                start = time.process_time()
                found = solve(objective)
                seconds = time.process_time() - start
                out.append(
                    f"| {n:,} | {d} | {classes} | {ridge:g} | {found.solver} | {found.objective:.6f} | {found.gap:.1e} | {found.steps} | {seconds:.1f} |"
                )
    return out


def lines(arguments: argparse.Namespace) -> list[str]:
    """The page."""
    return [
        "# Large-margin classification, as printed and private",
        "",
        f"alpha = {ALPHA}. The mechanism of Pathak and Raj",
        "(2010) adds one noise matrix b, density ~ exp(-(epsilon/2)|b|), for all classes to an objective over positive semidefinite",
        "matrices. The private variant minimises the mean loss with a ridge over all symmetric matrices with one noise per class.",
        "",
        "## How often the printed objective has a minimiser",
        "",
        "It has one exactly where lambda I + b is positive definite (up to a null event), whatever the data: at most half of the time. Columns: epsilon lambda;",
        "limit: exact as epsilon lambda falls to 0. Exact intervals of 20,000 draws.",
        "",
        *table("| d | limit | 0.1 | 1 | 10 | 100 | 10,000 |", existence_rows(20_000)),
        "## Outputs that give the data set away",
        "",
        "An output obeys Phi_c (G_c - G_e) Phi_e = 0 with the gradients G of the loss, whatever the noise was; a neighbour breaks this. Counted",
        "under each data set: outputs that the second cannot have. Rates among noises that leave a minimiser (lambda = 0.1), with one-sided",
        "bounds; ln(low/high) grows without end as outputs are added, since the second count stays 0. Residual: the largest violation of",
        "own outputs, from the solver; outputs count from 1e-3.",
        "",
        *table(
            "| data | epsilon | under D | under D' | low | high | epsilon by counting | residual |",
            distinguisher_rows(80),
        ),
        "## The private variant under attack, claimed epsilon = 1",
        "",
        "Neighbours: one repeated record of length 1, one label changes; 10,000 outcomes per input. Certified: the lower confidence bound of epsilon",
        "from outcomes alone. Log ratio: the largest found pointwise, by the density; 1 would be sharp. The output method has ridge 8 C and margin 1.5,",
        "where its sensitivity is attained.",
        "",
        *table(
            "| method | noise | C | d | n | epsilon = 1 | epsilon = 0.5 | certified | log ratio |",
            engine_rows(10_000),
        ),
        "## Excess of the regularised empirical risk",
        "",
        "Printed: records 1/2 and -1/2 of two classes, epsilon = 1, delta = 0.05, noises that leave a minimiser; the infimum is 0 and not attained.",
        "Private: |b|^2/(2 n^2 ridge) (objective), (ridge + 2 C/h)/2 |b|^2 (output) at the exact 95 % quantile of |b|.",
        "",
        *table("| bound | value | mean excess | largest | above | interval of the rate |", theorem_rows(30)),
        "## The length of the noise, in units of 2/epsilon",
        "",
        "P(printed), P(union): exact probabilities of more than N log(d/delta) and N log(N/delta), N = (d + 1)^2.",
        "",
        *table(
            "| d | delta | printed | P(printed) | P(union) | printed bound | union bound | exact quantile |",
            tail_rows(),
        ),
        "## Test accuracy",
        "",
        "Records scaled to the unit ball, and projected where d is smaller, by public constants; 70 % for training. Mean (standard error) over",
        f"{arguments.repeats} splits and noises ({max(3, arguments.repeats // 5)} for digits). Most frequent: the class that is most frequent in training. Printed (lambda = 0.1, margin 1): the first two of",
        f"{NOISES:,} noises per split that leave a minimiser, if there are any; no privacy.",
        "",
        *table(
            "| data | not private | most frequent | epsilon | objective | output | printed |",
            accuracy_rows(arguments.repeats),
        ),
        "## Speed",
        "",
        "CPU seconds on one core and the certified relative gap (sum over records, lambda = 0.1).",
        "",
        *table("| n | d | C | ridge | solver | objective | gap | steps | CPU s |", speed_rows()),
    ]


if __name__ == "__main__":
    benchmark(
        __file__,
        "large-margin",
        "Private large-margin classification.",
        lines,
        repeats=(20, "splits and noises per entry of the accuracy table"),
    )
