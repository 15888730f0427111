"""Conic programs handed to clarabel: min x'Px/2 + q'x with b - Ax in a product of cones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..arrays import Floats


def solve(
    linear: Floats,
    matrix: Any,
    bound: Floats,
    *,
    zero: int = 0,
    nonnegative: int = 0,
    lorentz: Sequence[int] = (),
    semidefinite: Sequence[int] = (),
    quadratic: Any = None,
    tolerance: float | None = None,
    threads: int | None = None,
) -> Any:
    """clarabel's last point, whatever its status: no promise about its quality.

    The rows of A belong to the cones in the order of the arguments: numbers of rows, sizes of Lorentz cones, orders of
    positive semidefinite matrices, whose triangles are weighted with `Triangle.roots`.
    """
    import clarabel
    from scipy import sparse

    cones = [clarabel.ZeroConeT(zero)] if zero else []
    cones += [clarabel.NonnegativeConeT(nonnegative)] if nonnegative else []
    cones += [clarabel.SecondOrderConeT(size) for size in lorentz]
    cones += [clarabel.PSDTriangleConeT(order) for order in semidefinite]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    if threads is not None:
        settings.max_threads = threads
    if tolerance is not None:
        settings.tol_gap_rel = settings.tol_gap_abs = settings.tol_feas = tolerance
    nothing = sparse.csc_matrix((len(linear), len(linear)))
    cost = nothing if quadratic is None else quadratic.tocsc()
    return clarabel.DefaultSolver(cost, linear, matrix.tocsc(), bound, cones, settings).solve()


def solved(linear: Floats, matrix: Any, bound: Floats, **cones: Any) -> Any:
    """The optimum to the tolerance asked for, as `solve` finds it on one thread; ArithmeticError if clarabel gives up."""
    try:
        found = solve(linear, matrix, bound, threads=1, **cones)
    except BaseException as error:
        # A failed eigenvalue decomposition is a panic, which is no Exception.
        if type(error).__name__ != "PanicException":
            raise
        raise ArithmeticError(f"clarabel broke down: {error}") from None
    if str(found.status) not in ("Solved", "AlmostSolved"):
        raise ArithmeticError(f"clarabel stopped with status {found.status} after {found.iterations} steps")
    return found
