"""What the parts of a policy demand of each other: domains, roles, units of privacy, and what each mechanism can take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ....symbolic.domains.adjacency import one_record
from ....symbolic.errors import SpecError, counted, nearest_name
from .column_agreement import check_column
from .mechanism_models import ROW_WISE, SIZE_OF_NOISE
from .models import ColumnModel, PolicyModel
from .places import fault_of_name
from .statistics_agreement import check_statistics

_MOST_NUMBERS = 10_000


def check_agreement(policy: PolicyModel) -> None:
    """Raises SpecError, with the key, for the first part that does not fit the others."""
    seen: dict[str, int] = {}
    for i, column in enumerate(policy.columns):
        key = f"columns[{i}]"
        if column.name in seen:
            raise SpecError(
                f"{column.name!r} is declared twice, first as columns[{seen[column.name]}]", key=f"{key}.name"
            )
        seen[column.name] = i
        check_column(column, key, encoded=policy.mechanism.kind != "statistics")
        unknown = next((c for c in column.categories or () if str(c) in policy.table.missing), None)
        if unknown is not None:
            raise SpecError(
                f"{unknown!r} means a missing value in table.missing: take it out of one of the lists",
                key=f"{key}.categories",
            )
    names = {"table.path": policy.table.path}
    if policy.ledger is not None:
        names["ledger.path"] = policy.ledger.path
    if policy.signing is not None:
        names["signing.key"] = policy.signing.key
    for key, name in names.items():
        wrong = fault_of_name(name)
        if wrong:
            raise SpecError(
                f"{wrong}; expected the name of a file in the folder of the policy, got {name!r}", key=key
            )
    _check_persons(policy)
    _check_roles(policy)
    _check_mechanism(policy)
    check_statistics(policy)
    _check_limits(policy)


def _check_persons(policy: PolicyModel) -> None:
    table = policy.table
    if table.missing_person == "drop" and (policy.mechanism.kind != "statistics" or table.person_key is None):
        raise SpecError(
            'only with mechanism.kind = "statistics" and a person_key: leave it out',
            key="table.missing_person",
        )
    if table.unit_of_privacy == "record":
        for name in ("person_key", "rows_per_person"):
            if getattr(table, name) is not None:
                raise SpecError(
                    'only with unit_of_privacy = "person"; set that, or leave this out', key=f"table.{name}"
                )
        return
    if table.person_key is None:
        raise SpecError("this key is missing: the column that tells persons apart", key="table.person_key")
    if table.rows_per_person is None:
        raise SpecError(
            "this key is missing: the largest number of rows of one person, on which the guarantee depends",
            key="table.rows_per_person",
        )
    names = [column.name for column in policy.columns]
    if table.person_key not in names:
        raise SpecError(
            f"no column {table.person_key!r} is declared; {nearest_name(table.person_key, names)}",
            key="table.person_key",
        )
    i = names.index(table.person_key)
    if policy.columns[i].role != "drop":
        raise SpecError(
            'the person key names persons and is never released: expected role = "drop"',
            key=f"columns[{i}].role",
        )


def _check_roles(policy: PolicyModel) -> None:
    labels = [i for i, c in enumerate(policy.columns) if c.kind == "label" and c.role != "drop"]
    if len(labels) > 1:
        raise SpecError("there is another label: expected at most one", key=f"columns[{labels[1]}].kind")
    private = [c for c in policy.columns if c.role == "private" and c.kind != "label"]
    if not private:
        raise SpecError("no column is private: there is nothing to protect", key="columns")
    numbers = sum(len(c.categories or ()) if c.encode == "one-hot" else 1 for c in private)
    if numbers > _MOST_NUMBERS:
        raise SpecError(
            f"the private columns make {numbers:,} numbers a record, expected at most {_MOST_NUMBERS:,}; "
            'encode = "index" makes one of each category',
            key="columns",
        )
    kind = policy.mechanism.kind
    for i, column in enumerate(policy.columns):
        entries = (
            [f"{column.name}={c}" for c in column.categories or ()] if column.encode == "one-hot" else []
        )
        taken = next((name for name in entries if any(name == c.name for c in policy.columns)), None)
        if taken is not None:
            raise SpecError(
                f"its entry {taken!r} has the name of another column: rename that", key=f"columns[{i}].encode"
            )
        if column.role == "public" and kind not in ROW_WISE:
            raise SpecError(
                f"what {kind} releases has no row for each record, so nothing can be released beside it: "
                'expected role = "private" or "drop"',
                key=f"columns[{i}].role",
            )
        if column.kind == "label" and column.role == "private" and kind != "ron-gauss":
            raise SpecError(
                f"{kind} does not protect labels: declare a number or a category, or make the label public",
                key=f"columns[{i}].role",
            )
    if kind in ROW_WISE and not policy.table.rows_public:
        raise SpecError(
            f"{kind} releases one row for each record, which tells their number: set it to true if that may be published, "
            "or take another mechanism",
            key="table.rows_public",
        )


def _check_mechanism(policy: PolicyModel) -> None:
    mechanism = policy.mechanism
    private = [c.name for c in policy.columns if c.role == "private" and c.kind != "label"]
    for name, value in mechanism:
        if isinstance(value, dict):
            _check_table(value, private, f"mechanism.{name}")
    size_of_noise = SIZE_OF_NOISE.get(mechanism.kind)
    if size_of_noise is not None:
        _given_or_calibrated(mechanism, (size_of_noise,), policy)
    if mechanism.kind == "ron-gauss":
        _given_or_calibrated(mechanism, ("epsilon_mean", "epsilon_covariance"), policy)
        _check_ron_gauss(policy, mechanism, len(private))
    elif mechanism.kind == "compression" and mechanism.covariance is not None:
        size = len(private)
        if len(mechanism.covariance) != size or any(len(row) != size for row in mechanism.covariance):
            raise SpecError(
                f"expected {counted(size, 'row')} of {counted(size, 'number')}, one for each private column",
                key="mechanism.covariance",
            )
    if mechanism.kind == "null-space":
        label = next((c for c in policy.columns if c.kind == "label" and c.role == "public"), None)
        if label is None or label.categories is None or len(label.categories) != 2:
            raise SpecError(
                'null-space noise belongs to a classifier: expected one column with kind = "label", role = "public" and two '
                "categories",
                key="columns",
            )


def _check_ron_gauss(policy: PolicyModel, mechanism: Any, private: int) -> None:
    if one_record(mechanism.adjacency).resizes and policy.table.rows_public:
        raise SpecError(
            "with add-or-remove the number of rows is private: set it to false, or take replace-one",
            key="table.rows_public",
        )
    if mechanism.records is None and not policy.table.rows_public:
        raise SpecError(
            "this key is missing: how many synthetic records to write, since the number of rows is private",
            key="mechanism.records",
        )
    numbers = len(policy_numbers(policy))
    if mechanism.components > numbers:
        raise SpecError(
            f"expected at most {numbers}, the number of private numbers of a record, got {mechanism.components}",
            key="mechanism.components",
        )


def _given_or_calibrated(mechanism: Any, names: tuple[str, ...], policy: PolicyModel) -> None:
    for name in names:
        given = getattr(mechanism, name) is not None
        if given and mechanism.calibrate:
            raise SpecError(
                "given as a number and by calibrate = true: leave one of them out", key=f"mechanism.{name}"
            )
        if not given and not mechanism.calibrate:
            raise SpecError(
                "this key is missing: a number, or calibrate = true to find it from [limits]",
                key=f"mechanism.{name}",
            )
    limits = policy.limits
    if mechanism.calibrate and limits.epsilon is limits.rho is limits.information is limits.error is None:
        raise SpecError("calibration needs a limit to meet: epsilon, rho, information or error", key="limits")


def _check_limits(policy: PolicyModel) -> None:
    limits = policy.limits
    if all(value is None for _, value in limits):
        raise SpecError(
            "no limit is set, so that nothing could be refused: expected epsilon, rho, information, error or utility",
            key="limits",
        )
    if limits.unbiased_error is not None and policy.mechanism.kind != "null-space":
        raise SpecError(
            f"bounds unbiased adversaries alone, and {policy.mechanism.kind} has bounds against all of them: set limits.error",
            key="limits.unbiased_error",
        )
    if limits.delta is not None and limits.epsilon is None:
        raise SpecError("delta belongs to an epsilon: set limits.epsilon as well", key="limits.delta")
    private = [c.name for c in policy.columns if c.role == "private" and c.kind != "label"]
    budget = policy.ledger.budget if policy.ledger else None
    for key, parent in (("limits", limits), ("ledger.budget", budget)):
        for name, value in parent or ():
            if isinstance(value, dict):
                _check_table(value, private, f"{key}.{name}")
    if budget is not None and all(value is None for _, value in budget):
        raise SpecError("expected epsilon, rho or information", key="ledger.budget")
    if policy.ledger is not None and policy.ledger.create and budget is None:
        raise SpecError(
            "this key is missing: the budget of the ledger that is to be made", key="ledger.budget"
        )
    if budget is not None and budget.delta is not None and budget.epsilon is None:
        raise SpecError(
            "delta belongs to an epsilon: set ledger.budget.epsilon as well", key="ledger.budget.delta"
        )
    if budget is not None and None not in (budget.epsilon, budget.rho):
        raise SpecError("a ledger counts in one currency: keep epsilon or rho", key="ledger.budget")


def _check_table(table: Mapping[str, Any], private: list[str], key: str) -> None:
    """One entry for each private column, no more and no less."""
    for name in table:
        if name not in private:
            raise SpecError(f"no private column {name!r}; {nearest_name(name, private)}", key=key)
    missing = [name for name in private if name not in table]
    if missing:
        raise SpecError(f"no entry for the private column {missing[0]!r}", key=key)


def policy_numbers(policy: PolicyModel) -> list[tuple[ColumnModel, int | None]]:
    """The numbers that a record's private columns become: the column, and the category of a one-hot entry."""
    found: list[tuple[ColumnModel, int | None]] = []
    for column in policy.columns:
        if column.role != "private" or column.kind == "label":
            continue
        if column.encode == "one-hot":
            found += [(column, level) for level in range(len(column.categories or ()))]
        else:
            found.append((column, None))
    return found
