"""What each peer offers beside noise, read in its documentation and source, and tried where the cell says so."""

from __future__ import annotations

PEERS = ("OpenDP", "Tumult Analytics", "diffprivlib", "PipelineDP", "python-dp")

# In the order of PEERS.
FEATURES: dict[str, tuple[str, str, str, str, str]] = {
    "vector noise for disjoint cells at one cost": (
        "yes: `group_by(...).agg`",
        "yes: `groupby(KeySet)`",
        "yes for histograms; other statistics by hand",
        "yes: partitions",
        "no: one object a cell, composed by the user",
    ),
    "declared categories": (
        "yes: `with_keys`, missing ones get noise (tried)",
        "yes: `KeySet`",
        "bins only",
        "yes: `public_partitions`",
        "by hand",
    ),
    "strategies for overlapping marginals": (
        "yes: contingency tables (fixed, AIM, MST), made consistent by Private-PGM",
        "no (a separate package)",
        "no",
        "no",
        "no",
    ),
    "several quantiles at once": (
        "several in one query, each paid; trees by its lower-level functions",
        "no: one level a query",
        "a list, epsilon split evenly",
        "yes: one quantile tree for all levels",
        "yes: a quantile tree by hand",
    ),
    "bound per person, enforced": (
        "yes: identifier, truncation at random, first, last or sorted",
        "yes: `AddRowsWithID` with truncation",
        "no",
        "yes: sampling per privacy id",
        "no: sensitivities are declared",
    ),
    "budget split": (
        "even or by weights",
        "by hand, a budget a query",
        "by hand",
        "even or by weights",
        "by hand",
    ),
    "budget split by targets, with a certificate": ("no", "no", "no", "no", "no"),
    "utility before spending": (
        "yes: `summarize(alpha)`: law, scale, accuracy",
        "scale only, in a private method (`_noise_info`)",
        "no",
        "standard deviation with the result; an analysis tool that reads the private data",
        "no: `noise_confidence_interval` raises TypeError in 1.1.5 (tried)",
    ),
    "intervals with the numbers": (
        "accuracy of counts and sums; parts of a mean apart",
        "no",
        "no",
        "standard deviation of counts and sums",
        "no",
    ),
    "suppression": (
        "threshold for undeclared keys",
        "`suppress` drops rows by noisy value",
        "no",
        "threshold for undeclared partitions",
        "partition selection",
    ),
    "proof of sensitivity": (
        "written proofs of its functions; a map evaluated for each query",
        "stability functions in exact arithmetic",
        "no",
        "no",
        "no",
    ),
    "an audit of the release beforehand": ("no", "no", "no", "no", "no"),
    "page to sign": ("no", "no", "no", "a report in text (`ExplainComputationReport`)", "no"),
    "ledger": (
        "in memory: `remaining_privacy_loss`",
        "in memory: `remaining_privacy_budget`",
        "in memory: `BudgetAccountant`",
        "in memory, one pipeline",
        "no",
    ),
    "a NaN in a summed column (tried)": (
        "replaced by the middle of the bounds, silently",
        "dropped first, said in the documentation",
        "the result is NaN: one record is seen",
        "the mean is NaN: one record is seen",
        "ignored, silently",
    ),
    "public or private number of rows": (
        "both: `Margin(invariant=...)`",
        "private",
        "public: sensitivity is range/n, sums clamped to n times the bounds",
        "private",
        "private",
    ),
    "zCDP": ("yes", "yes", "no", "no (epsilon and delta)", "no"),
    "noise never from floats": (
        "yes",
        "yes",
        "no: floating point, with care for its last bits",
        "Google's library: on a grid of powers of two",
        "as PipelineDP",
    ),
    "JSON-stat": ("no", "no", "no", "no", "no"),
    "beyond memory": ("Polars lazy frames", "Spark", "no: arrays", "Beam or Spark", "entries one by one"),
}
