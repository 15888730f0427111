"""Faults between the exact sums and the noisy ones: sensitivities, shares, laws, draws, choices."""

from __future__ import annotations

from .fault import Edit, Fault

_PARTS = "mechanisms/statistics/parts.py"
_QUANTILES = "mechanisms/statistics/chosen_quantiles.py"
_CUTS = "mechanisms/whole_noise/cuts.py"
_JOINT = "mechanisms/whole_noise/joint_choice.py"
_TABLES = "mechanisms/statistics/marginal_tables.py"
_MARGINALS = "mechanisms/statistics/marginals.py"
_WORKLOAD = "mechanisms/statistics/workload.py"
_NOISE = "mechanisms/whole_noise/noise.py"
_KIND = "audit/release/kinds/statistics.py"
_TRIALS = "audit/release/statistics/trials.py"

_NUMBERS = ("mechanisms/statistics/test_released_numbers.py", "releases/test_statistics_draws.py")
_WHOLE = ("mechanisms/test_whole_noise_draws.py", *_NUMBERS)
_DISTANCE = 'return self.measurement.distance("l2" if noise == GAUSSIAN else "l1", unit)'
_DRAWN = "noise = self.law.draw(exact.size, bits)"
_MARGINALS_DRAWN = "        return np.concatenate(drawn)[:, None]"
_DRAW = "        return self.noised(self.part.transformed(totals), bits)"

FAULTS = (
    Fault(
        "sensitivity halved",
        "noise is made for half of the sensitivity",
        (Edit(_PARTS, _DISTANCE, f"{_DISTANCE} / (4 if noise == GAUSSIAN else 2)"),),
        _NUMBERS,
        ("towns", "all ages"),
    ),
    Fault(
        "sensitivity of a distinct count halved",
        "noise of distinct counts is made for half of the sensitivity",
        (
            Edit(
                _PARTS,
                'return self.outer.distance("l2" if noise == GAUSSIAN else "l1", unit)',
                'return self.outer.distance("l2" if noise == GAUSSIAN else "l1", unit) / 2',
            ),
        ),
        _NUMBERS,
        ("different towns",),
    ),
    Fault(
        "deviation for variance",
        "the deviation of the Gaussian noise is taken for its variance",
        (
            Edit(
                _PARTS,
                "DiscreteGaussian(demand / (2 * share))",
                "DiscreteGaussian(Fraction(float(demand / (2 * share)) ** 0.5))",
            ),
        ),
        _NUMBERS,
        ("all ages",),
    ),
    Fault(
        "law 10 % too narrow",
        "the law of the noise has 9/10 of the deviation that its share pays for",
        (
            Edit(
                _PARTS,
                "DiscreteGaussian(demand / (2 * share))",
                "DiscreteGaussian(demand * 81 / (200 * share))",
            ),
            Edit(_PARTS, "DiscreteLaplace(demand / share)", "DiscreteLaplace(demand * 9 / (10 * share))"),
        ),
        _NUMBERS,
        ("all ages",),
    ),
    Fault(
        "draws 10 % too narrow",
        "what is drawn has 9/10 of the deviation that its law says",
        (
            Edit(
                _NOISE,
                "return blocks(self.rate, self.power)",
                "return blocks(self.rate * Fraction(10, 9) ** self.power, self.power)",
            ),
        ),
        _WHOLE,
    ),
    Fault(
        "noise from floats",
        "rounded normal numbers of a generator for simulations",
        (
            Edit(
                _PARTS,
                _DRAWN,
                "noise = np.rint(np.random.default_rng().normal(0, self.law.standard_deviation(), exact.size)).astype(np.int64)",
            ),
        ),
        _NUMBERS,
        ("towns", "all ages"),
    ),
    Fault(
        "noise seeded",
        "a release draws from a fixed seed",
        (
            Edit(
                "audit/release/releasing.py",
                "bits = secure_bits()\n",
                "from ...mechanisms.grid_noise import seeded_bits\n    import numpy\n    bits = seeded_bits(numpy.random.default_rng(0))\n",
            ),
        ),
        (*_NUMBERS, "releases/test_release_run.py"),
    ),
    Fault(
        "noise kept and used again",
        "noise of one law and size is drawn once and kept",
        (
            Edit(
                _PARTS,
                _DRAWN,
                "noise = _KEPT.setdefault((self.law, exact.size), self.law.draw(exact.size, bits))",
            ),
            Edit(
                _PARTS,
                'GAUSSIAN, LAPLACE = "gaussian", "laplace"',
                'GAUSSIAN, LAPLACE = "gaussian", "laplace"\n_KEPT: dict[Any, Any] = {}',
            ),
        ),
        _NUMBERS,
    ),
    Fault(
        "one noise for all cells",
        "one number is drawn and added to every cell",
        (Edit(_PARTS, _DRAWN, "noise = np.repeat(self.law.draw(1, bits), exact.size)"),),
        _NUMBERS,
    ),
    Fault(
        "noise of one group for all groups",
        "the draw of a table of sums draws for its first cell, and adds that to all",
        (
            Edit(
                _PARTS,
                _DRAW,
                "        return np.asarray(self.part.transformed(totals) + self.law.draw(1, bits))",
            ),
        ),
        _NUMBERS,
    ),
    Fault(
        "no noise on empty cells",
        "cells without a record stay 0",
        (
            Edit(
                _PARTS,
                _DRAW,
                "        exact = self.part.transformed(totals)\n        return np.where(exact == 0, 0, self.noised(exact, bits))",
            ),
        ),
        _NUMBERS,
    ),
    Fault(
        "noise of another statistic used again",
        "parts with the same law share their noise",
        (
            Edit(
                _WORKLOAD,
                "drawer.at(drawn).draw(totals[part.measurement], bits)",
                "drawer.at(drawn).draw(totals[part.measurement], seeded_bits(np.random.default_rng(seed)))",
            ),
            Edit(
                _WORKLOAD,
                '        """Every part with noise of its own: all that is known of the table from here on."""\n',
                "        seed = int(bits(1)[0])\n",
            ),
            Edit(
                _WORKLOAD,
                "from ..grid_noise import Bits\n",
                "import numpy as np\nfrom ..grid_noise import Bits, seeded_bits\n",
            ),
        ),
        _NUMBERS,
        ("towns", "ages"),
    ),
    Fault(
        "total of marginals without noise",
        "noisy marginals are made to add up to the exact number of records",
        (
            Edit(
                _TABLES,
                _MARGINALS_DRAWN,
                "        drawn = [d + (totals.sum() - d.sum()) // d.size for d in drawn]\n"
                + _MARGINALS_DRAWN,
            ),
        ),
        ("mechanisms/statistics/test_marginals.py", *_NUMBERS),
        ("tables",),
    ),
    Fault(
        "cells of marginals without records stay 0",
        "the step that makes marginals consistent reads which cells are empty",
        (
            Edit(
                _TABLES,
                "drawer.noised(self.part.summed(totals, marginal).ravel(), bits)",
                "(lambda exact: np.where(exact == 0, 0, drawer.noised(exact, bits)))(self.part.summed(totals, marginal).ravel())",
            ),
        ),
        ("mechanisms/statistics/test_marginals.py", *_NUMBERS),
        ("tables",),
    ),
    Fault(
        "cost of marginals is the largest share",
        "the cost of several marginals is taken as that of one",
        (
            Edit(
                _TABLES,
                "return sum(self.strategy.shares.values(), Fraction(0))",
                "return max(self.strategy.shares.values())",
            ),
        ),
        ("mechanisms/statistics/test_marginals.py", *_NUMBERS),
        ("tables",),
    ),
    Fault(
        "records of a person ignored in marginals",
        "marginals get noise for one record of a person",
        (Edit(_TABLES, "rows=unit.most)", "rows=1)"),),
        ("mechanisms/statistics/test_marginals.py", *_NUMBERS),
        ("tables",),
    ),
    Fault(
        "replacement forgotten in marginals",
        "marginals get noise for records that come or go, where they are replaced",
        (Edit(_MARGINALS, '"replace-one": 2}', '"replace-one": 1}'),),
        ("mechanisms/statistics/test_marginals.py", *_NUMBERS),
        ("tables",),
    ),
    Fault(
        "quantile is the best one",
        "the choice that costs least is published",
        (
            Edit(
                _QUANTILES,
                "return JointChoice(counts, self.part.levels, self.epsilon, Fraction(self.reach)).draw(size, bits)",
                "return JointChoice(counts, self.part.levels, Fraction(10**6), Fraction(self.reach)).draw(size, bits)",
            ),
        ),
        _NUMBERS,
        ("quartiles",),
    ),
    Fault(
        "costs of quantiles move further than said",
        "the choice is made for half of how far a record moves the costs",
        (Edit(_QUANTILES, "return int(exact)", "return max(1, int(exact) // 2)"),),
        _NUMBERS,
        ("quartiles",),
    ),
    Fault(
        "costs of quantiles weighted twice",
        "a choice costs twice what its sensitivity was proved for",
        (
            Edit(
                _CUTS,
                "b, off = self.levels.denominator, self.levels.places[level] * self.records",
                "b, off = 2 * self.levels.denominator, 2 * self.levels.places[level] * self.records",
            ),
        ),
        _NUMBERS,
        ("quartiles",),
    ),
    Fault(
        "some choices of quantiles forgotten",
        "sums over choices leave out those that come from further above",
        (Edit(_JOINT, "            if two < end:\n", "            if two < end < 0:\n"),),
        ("mechanisms/test_joint_choice.py", *_NUMBERS),
        ("quartiles",),
    ),
    Fault(
        "a share is that of another gap",
        "the sensitivity of quantiles is that of other levels",
        (
            Edit(
                _QUANTILES,
                "query = gap_sums(outer, self.levels.vectors)",
                "query = gap_sums(outer, Levels((2,), 4).vectors)",
            ),
        ),
        ("mechanisms/statistics/test_joint_quantiles.py", *_NUMBERS),
        ("quartiles",),
    ),
    Fault(
        "shares add up to more than the total",
        "every part draws at one and a half times its share",
        (
            Edit(
                _WORKLOAD,
                "part: part.drawer(share, self.unit, self.noise)",
                "part: part.drawer(share * 3 / 2, self.unit, self.noise)",
            ),
        ),
        _NUMBERS,
        ("towns", "all ages"),
    ),
    Fault(
        "one part is not counted",
        "the cost of the release leaves out the first part",
        (
            Edit(
                _WORKLOAD,
                "return sum((d.cost for d in self.drawers.values()), Fraction(0))",
                "return sum((d.cost for d in list(self.drawers.values())[1:]), Fraction(0))",
            ),
        ),
        _NUMBERS,
        ("towns", "all ages"),
    ),
    Fault(
        "trial of some parts",
        "the trial looks at the first part alone",
        (
            Edit(
                _TRIALS,
                "for part in self.workload.parts for claim",
                "for part in self.workload.parts[:1] for claim",
            ),
        ),
        ("releases/test_statistics_draws.py",),
        ("towns", "all ages"),
    ),
    Fault(
        "trial of another workload",
        "what is tried has the budget of the policy, what is released has four times as much",
        (
            Edit(
                _KIND,
                "drawn = self.workload.draw(totals, bits)",
                "from dataclasses import replace\n        drawn = replace(self.workload, budget=4 * self.workload.budget).draw(totals, bits)",
            ),
        ),
        _NUMBERS,
    ),
)
