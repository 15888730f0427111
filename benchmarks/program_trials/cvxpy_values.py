"""Values by cvxpy 1.9.3, 2026-11-25, by `python -m program_trials.with_cvxpy`: status, value, seconds.

Parameters: lam = 1, t = 1/3, s = 2, P = 3.
"""

from __future__ import annotations

AT = {"lam": "1", "t": "1/3", "s": "2", "P": "3"}

VALUES: dict[str, tuple[str, float | None, float]] = {
    "linear, a vertex": ("optimal", -35.99999999857806, 0.783),
    "linear, an edge of minimisers": ("optimal", 0.9999999989007883, 0.174),
    "least norm on a plane": ("optimal", 14.000000000000004, 0.324),
    "quadratic under a line": ("optimal", -2.75, 0.322),
    "open box of largest volume": ("optimal", 0.2500000035689967, 0.344),
    "posynomial of two variables": ("optimal", 3.7797631524811712, 0.164),
    "maximum entropy with a mean": ("optimal", -0.9012347006102273, 0.401),
    "soft margin, two points a class": ("optimal", 2.888888888888889, 0.674),
    "hard margin": ("optimal", 0.5, 0.361),
    "lasso of two weights": ("optimal", -2.25, 0.264),
    "projection on a box": ("optimal", 2.0, 0.429),
    "projection on a simplex": ("optimal", 1.125, 0.351),
    "projection on an l1 ball": ("optimal", 0.125, 0.207),
    "projection on a cube in the max norm": ("optimal", 5.0, 0.237),
    "linear on a disc": ("optimal", -17.99999996223346, 0.172),
    "water-filling": ("optimal", -3.806662484389265, 0.339),
    "nearest positive semidefinite matrix": ("optimal", 0.9999999999998774, 0.441),
    "small semidefinite program": ("optimal", 8.000002837504649, 0.219),
    "Chebyshev centre of a triangle": ("optimal", -0.9999999999876606, 0.276),
    "line of least largest residual": ("optimal", 0.5000000034207668, 0.409),
    "portfolio of three assets": ("optimal", 0.7692307692307692, 0.398),
    "ridge of intercept and slope": ("optimal", 1.4000000000000004, 0.278),
    "lasso of one weight": ("optimal", 0.05555555555555555, 0.184),
    "water-filling of two channels, any power": ("optimal", -2.1972245754730544, 0.265),
    "clipping": ("optimal", 1.3877787807814457e-17, 0.185),
    "projection on a right triangle": ("optimal", 1.1111111111111107, 0.295),
    "a feasible set of one point": ("optimal", -1.255831138090461e-07, 0.148),
    "cusp": ("not DCP", None, 0.091),
    "two discs that touch": ("optimal", -1.496335568199227e-07, 0.292),
    "double well": ("not DCP", None, 0.035),
    "product on a square": ("not DCP", None, 0.117),
    "trust region, indefinite": ("not DCP", None, 0.170),
    "Rosenbrock's valley": ("not DCP", None, 0.068),
    "linear on a sphere": ("not DCP", None, 0.100),
    "knapsack, relaxed": ("optimal", -14.499999998743192, 0.403),
    "knapsack of whole things": ("optimal", -14.0, 0.467),
    "three lines without a common point": ("infeasible", None, 0.982),
    "a disc and a half plane apart": ("infeasible", None, 0.140),
    "a ray that falls": ("unbounded", None, 0.230),
    "exponential, not attained": ("optimal", 3.870164773161026e-12, 0.081),
    "reciprocal, not attained": ("optimal", 6.484954966017615e-05, 0.140),
}
