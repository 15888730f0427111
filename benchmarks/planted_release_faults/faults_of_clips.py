"""Faults of ends of clipping that are drawn first: not clipped to, not charged, not noisy."""

from __future__ import annotations

from .fault import Edit, Fault

_ENDS = "mechanisms/statistics/chosen_ends.py"
_WORKLOAD = "mechanisms/statistics/workload.py"

_TESTS = ("mechanisms/statistics/test_chosen_ends.py", "releases/test_statistics_clips.py")
_DRAWN = "drawn[part] = drawer, drawer.at(drawn).draw(totals[part.measurement], bits)"
_EXACT = """if isinstance(part, ChosenEnds):
                upto = totals[part.measurement][:, 0].cumsum()
                ranks = [upto[-1] * a // part.levels.denominator for a in part.levels.places]
                drawn[part] = drawer, upto.searchsorted(ranks)[None, :].clip(0, len(upto) - 1)
                continue
            """
_USUAL = ("usual pay",)

FAULTS = (
    Fault(
        "clip to drawn ends forgotten",
        "between drawn ends numbers are summed as if they were not clipped to them",
        (
            Edit(
                _ENDS,
                "    first, last = places\n    low, high = edges[first], edges[last + 1]\n",
                "    low, high = edges[places[0]], edges[places[1] + 1]\n    first, last = 0, len(edges) - 2\n",
            ),
        ),
        _TESTS,
        _USUAL,
    ),
    Fault(
        "raw numbers between drawn ends",
        "how far a number reaches into its interval is not clipped: beyond declared ends it is summed as it is",
        (
            Edit(_ENDS, "(np.clip(values, low, high) - low)", "(np.clip(values, -1e12, 1e12) - low)"),
            Edit(
                _ENDS,
                "return np.asarray(np.clip(np.rint(inside * _FINE), 0, _FINE), dtype=np.int64)",
                "return np.asarray(np.clip(np.rint(inside * _FINE), -1e9, 1e9), dtype=np.int64)",
            ),
        ),
        _TESTS,
        _USUAL,
    ),
    Fault(
        "noise for half of the range between drawn ends",
        "sums between drawn ends have the noise of half of their sensitivity",
        (
            Edit(
                _ENDS,
                "return self.outer.distance(self.norm(noise), unit)",
                'return self.outer.distance(self.norm(noise), unit) / (4 if noise == "gaussian" else 2)',
            ),
        ),
        _TESTS,
        _USUAL,
    ),
    Fault(
        "drawn ends not charged",
        "the cost of the release leaves out what choosing ends costs",
        (
            Edit(
                _WORKLOAD,
                "return sum((d.cost for d in self.drawers.values()), Fraction(0))",
                "return sum((d.cost for p, d in self.drawers.items() if p not in self.first), Fraction(0))",
            ),
        ),
        _TESTS,
        _USUAL,
    ),
    Fault(
        "drawn ends paid twice",
        "the whole budget is split, as if choosing ends had cost nothing",
        (
            Edit(
                _WORKLOAD,
                "return self.budget * (1 - sum((part.share for part in self.first), Fraction(0)))",
                "return self.budget",
            ),
        ),
        _TESTS,
        _USUAL,
    ),
    Fault(
        "ends read off the table",
        "the ends are the quantiles of the table, without noise",
        (Edit(_WORKLOAD, _DRAWN, _EXACT + _DRAWN),),
        _TESTS,
        _USUAL,
    ),
)
