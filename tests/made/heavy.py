"""Libraries that take long to import: `noiseproof --help` and the pytest plugin must not wait for them."""

HEAVY = (
    "sympy",
    "numpy",
    "scipy",
    "flint",
    "sklearn",
    "pandas",
    "matplotlib",
    "statsmodels",
    "pyarrow",
    "pydantic",
)
