"""Evaluates again, from plain data in exact arithmetic, that two tables' compressions differ by more than e^alpha."""

from __future__ import annotations

from flint import arb, ctx

from ....symbolic.proof.exact_matrices import exact_matrix, is_semidefinite, largest_entry
from ....symbolic.proof.exact_numbers import written_fraction
from ...record.witness import Witness, register
from .acceptance import BITS, rejection_ball, spread_ball
from .cone_box import inside
from .log_ratio import log_ratio

_LARGEST = 60  # columns
_MOST = 10**15  # records


@register("log-density ratio of compressions")
def evaluate(witness: Witness) -> tuple[bool, str]:
    """Whether |ln f'_1/f'_2| certainly exceeds alpha at some accepted output, by either output or by half of both.

    Two densities of mass one on one window: half of the sum of the two log ratios needs no normaliser.  By continuity the
    ratio exceeds alpha on a set of positive probability.
    """
    m, n, p = int(witness["rows"]), int(witness["records"]), len(witness["reference"])
    if not (1 <= p <= _LARGEST and 1 <= m <= n <= _MOST and p <= n):
        raise ValueError(
            f"expected 1 <= p <= {_LARGEST}, 1 <= m <= n and p <= n, got p = {p}, m = {m}, n = {n}"
        )
    with ctx.workprec(BITS):
        r = exact_matrix(witness["reference"])
        one, two = (exact_matrix(x) for x in witness["second_moments"])
        outputs = [exact_matrix(x) for x in witness["outputs"]]
        limit = written_fraction(witness["delta_max"])
        if any((s.nrows(), s.ncols()) != (p, p) or s != s.transpose() for s in (r, one, two)) or any(
            x.ncols() != p or x.nrows() > min(m, p) for x in outputs
        ):
            raise ValueError(
                "expected symmetric matrices of p columns, and outputs of at most m and p rows that are not zero"
            )
        if not all(is_semidefinite(s, strictly=True) for s in (r, one, two)):
            return False, "a matrix is not positive definite"
        if any(largest_entry(s - r) > limit for s in (one, two)):
            return False, "second moments lie outside the protected set"
        window = spread_ball(m, n, p) + arb(limit)
        if not all(inside(x, m, r, window) for x in outputs):
            return False, "an output is not certainly accepted"
        ratios = [log_ratio(outputs[0], m, one, two), log_ratio(outputs[1], m, two, one)]
        shown = (ratios[0] + ratios[1]) / 2
        for s, ratio in ((two, ratios[0]), (one, ratios[1])):
            # Of ln P_2 - ln P_1 the second term is >= 0 when taken away.
            rejected = rejection_ball([s[j, j] for j in range(p)], s - r, window, m)
            if rejected < 1:
                shown = shown.max(ratio + (1 - rejected).log())
        alpha = arb(written_fraction(witness["alpha"]))
        stands = bool(shown > alpha)
        return stands, (
            f"p = {p}, m = {m}, n = {n}: the log ratio reaches {shown.str(8, radius=False)}, "
            f"{'certainly above' if stands else 'not certainly above'} {float(alpha):.6g}"
        )
