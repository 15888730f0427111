"""Pages of the reference: one for each group of public names, each name with its docstring; one for the commands."""

from __future__ import annotations

import inspect
from importlib import import_module
from types import ModuleType
from typing import Any

import typer

# Page -> (title, what for, names of the front door on it). Every public name stands on one page: `pages` fails otherwise.
FRONT_DOOR = {
    "examining": (
        "Examining a release",
        "A subject and claims go in, a certificate comes out.",
        ["examine", "Certificate", "Finding", "Evidence", "Verdict", "SpecError"],
    ),
    "claims": (
        "Claims and guarantees",
        "What can be said of a release, and how far it is said.",
        [
            "Claim",
            "Scope",
            "Guarantee",
            "PureDP",
            "ApproxDP",
            "GaussianDP",
            "RenyiDP",
            "ZeroConcentratedDP",
            "FisherInformation",
            "ErrorBound",
            "SensitivityBound",
            "Minimiser",
            "OptimalValue",
        ],
    ),
    "models": (
        "Models of one's own",
        "A density goes in; its Fisher information comes out, derived.",
        [
            "Law",
            "JointLaw",
            "LawProperties",
            "Fact",
            "fisher_information",
            "FisherInformationMatrix",
            "error_bound",
            "best_bound",
            "EstimationBound",
            "estimator_risk",
            "EstimatorRisk",
        ],
    ),
    "sensitivities": (
        "Sensitivities",
        "How far one record moves an answer, from both sides.",
        ["sensitivity", "Sensitivity", "DatasetQuery", "queries", "EnclosedFunction"],
    ),
    "programs": (
        "Programs and functionals",
        "What is minimised under which constraints goes in; the conditions of a minimum, proofs and bounds come out.",
        [
            "Program",
            "NormCone",
            "PSD",
            "KKTConditions",
            "Convexity",
            "Dual",
            "PointCertificate",
            "Solution",
            "Derivative",
            "Functional",
        ],
    ),
    "proofs": (
        "Proofs as data",
        "A proof comes out as data, and a small checker says which of its steps it accepts.",
        ["extract_proof", "check_proof", "ProofReport", "ProofResult"],
    ),
    "mechanisms": (
        "Mechanisms",
        "Law and code side by side, neither computed from the other.",
        [
            "MECHANISMS",
            "Mechanism",
            "LaplaceMechanism",
            "GaussianMechanism",
            "OptimalGaussian",
            "CosineMechanism",
            "RandomisedResponse",
            "BoundedMean",
            "BoundedSum",
            "LinearQuery",
            "LinearSystem",
            "TrajectoryNoise",
            "LaplaceCovariance",
            "Compression",
            "ReferenceCovariance",
            "RonGauss",
            "RonGaussMixture",
            "RonGaussSupervised",
            "LargeMarginGaussian",
            "PrivateLargeMarginGaussian",
            "optimal_noise",
            "DiscreteGaussian",
            "DiscreteLaplace",
            "DiscreteNoiseMechanism",
            "ExponentialSelection",
            "ExponentialMechanism",
        ],
    ),
    "budgets": (
        "Budgets and strategies",
        "Which statistic gets which share of one budget, and which tables are measured so that all that are wanted come out best.",
        ["split_budget", "BudgetItem", "marginal_strategy", "range_strategy"],
    ),
    "subjects": (
        "Code under audit",
        "Releases that are known by their code, and faults that were planted to test the attack.",
        ["BlackBox", "Family", "Mutant", "BROKEN_MECHANISMS"],
    ),
    "neighbours": (
        "Neighbours",
        "Domains of data, what it means to be neighbours in them, and the search for the worst pair.",
        [
            "search_neighbours",
            "Box",
            "Ball",
            "Simplex",
            "Categorical",
            "Table",
            "Person",
            "ReplaceOne",
            "Distance",
            "AnyTwo",
            "AddOrRemove",
        ],
    ),
    "planning": (
        "Planning",
        "The sample size that a resolution needs, and the resolution of a sample size.",
        ["sample_size", "resolution_at", "SamplePlan"],
    ),
    "released-numbers": (
        "Released numbers",
        "The numbers of a release of statistics, as a frame for a notebook.",
        ["Statistics", "read_statistics", "StatisticsTable"],
    ),
}
# Page -> (title, what for, modules whose public names are listed).
LAYERS = {
    "symbolic": (
        "Laws and proofs",
        "The layer `noiseproof.symbolic`: exact laws, information, privacy profiles, derivations.",
        [
            "laws.law",
            "laws.catalogue",
            "laws.joint",
            "laws.vector",
            "information.fisher",
            "information.of_model",
            "information.exponential_family",
            "information.error_bounds",
            "privacy.pair",
            "predicates",
            "proof.derivation",
            "proof.enclosure",
            "proof.truth",
        ],
    ),
    "grid-noise": (
        "Noise on a grid",
        "Noise for real releases, whose law is known exactly, and error bounds for it.",
        ["mechanisms.grid_noise", "symbolic.information.grid_error"],
    ),
    "releasing": (
        "Releases, ledgers and seals",
        "From a policy to a release that can be checked by others.",
        [
            "audit.release.policy",
            "audit.release.tables",
            "audit.release",
            "audit.release.ledger",
            "audit.release.verify",
            "audit.release.checklist",
        ],
    ),
    "dossiers": (
        "Dossiers",
        "A paper as a test suite for its theorems.",
        ["audit.dossier", "audit.dossier.formula", "audit.dossier.instances"],
    ),
    "reports": (
        "Pages",
        "Certificates and dossiers as HTML; everything printed is in the JSON.",
        ["reports"],
    ),
}
ORDER = (*FRONT_DOOR, "commands", *LAYERS)


def pages() -> dict[str, str]:
    """File name -> Markdown of every page of the reference."""
    import noiseproof

    placed = [name for _, _, names in FRONT_DOOR.values() for name in names]
    if sorted(placed) != sorted(noiseproof.__all__):
        raise ValueError(
            "every public name stands on one page of the reference (FRONT_DOOR in docs/site/reference_pages.py): "
            f"missing {sorted(set(noiseproof.__all__) - set(placed))}, "
            f"unknown or repeated {sorted(n for n in set(placed) if n not in noiseproof.__all__ or placed.count(n) > 1)}"
        )
    written = {
        f"{page}.md": f"# {title}\n\n{purpose}\n\n" + _described("noiseproof", names)
        for page, (title, purpose, names) in FRONT_DOOR.items()
    }
    for page, (title, purpose, modules) in LAYERS.items():
        prefix = "noiseproof.symbolic." if page == "symbolic" else "noiseproof."
        written[f"{page}.md"] = f"# {title}\n\n{purpose}\n\n" + "\n".join(
            _module(prefix + name) for name in modules
        )
    return written | {"commands.md": _commands()}


def _described(module: str, names: list[str]) -> str:
    directives = []
    for name in names:
        value = getattr(import_module(module), name)
        if inspect.ismodule(value):
            directives += [f".. automodule:: {value.__name__}", "   :no-members:", ""]
            directives += [
                line
                for inner in value.__all__
                for line in (f".. autofunction:: {value.__name__}.{inner}", "")
            ]
        elif inspect.isclass(value):
            directives += [f".. autoclass:: {module}.{name}", "   :members:", ""]
        elif callable(value):
            directives += [f".. autofunction:: {module}.{name}", ""]
        else:
            # The docstring of a dictionary or a number is that of its type, which says nothing here.
            directives += [f".. py:data:: {module}.{name}", "", f"   {_kind(value)}.", ""]
    return "```{eval-rst}\n" + "\n".join(directives) + "```\n"


def _kind(value: Any) -> str:
    if isinstance(value, dict):
        return f"{len(value)} entries: " + ", ".join(f"``{key}``" for key in value)
    return f"A value of type ``{type(value).__name__}``"


def _module(name: str) -> str:
    module = import_module(name)
    public = getattr(module, "__all__", None) or _handed_on(module)
    facts = f"```{{eval-rst}}\n.. automodule:: {name}\n   :no-members:\n```\n"
    return f"## `{name}`\n\n{facts}\n{_described(name, list(public))}"


def _handed_on(module: ModuleType) -> list[str]:
    """The public names of a module: what it defines, and of a package what it imports from below too."""
    return [
        key
        for key, value in vars(module).items()
        if not key.startswith("_")
        and (inspect.isclass(value) or inspect.isfunction(value))
        and f"{value.__module__}.".startswith(f"{module.__name__}.")
    ]


def _commands() -> str:
    from noiseproof.cli import app

    group = typer.main.get_command(app)
    parts = ["# Commands", ""]
    for path, command in _below("noiseproof", group):
        context = typer.Context(command, info_name=path, terminal_width=88)
        parts += [f"## `{path}`", "", "```text", _help(command, context), "```", ""]
    return "\n".join(parts)


def _below(path: str, command: Any) -> list[tuple[str, Any]]:
    inner = getattr(command, "commands", {})
    below = [pair for name in sorted(inner) for pair in _below(f"{path} {name}", inner[name])]
    return below if inner and path == "noiseproof" else [(path, command), *below]


def _help(command: Any, context: Any) -> str:
    formatter = context.make_formatter()
    command.format_help(context, formatter)
    return str(formatter.getvalue()).rstrip()
