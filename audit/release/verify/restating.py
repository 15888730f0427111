"""A manifest's statements, computed again from the policy in it, as data; everything is imported where it is run."""

from __future__ import annotations

import json
from itertools import islice
from typing import Any


def answered(question: dict[str, Any]) -> dict[str, Any]:
    """What follows from a policy, or under "fault" why nothing does."""
    from ....symbolic.errors import SpecError
    from ...record.certificate_check import DAMAGED
    from ..not_met import PolicyNotMetError

    try:
        return _stated(question)
    except PolicyNotMetError as error:
        said = "; ".join(error.reasons)[:2000]
        return {
            "fault": f"the policy in it is not met, release again with `noiseproof release` and one that is: {said}"
        }
    except SpecError as error:
        return {"fault": f"the policy in it cannot be used: {str(error)[:2000]}"}
    except DAMAGED as error:
        return {"fault": f"incomplete or damaged: {type(error).__name__}: {str(error)[:500]}"}


def _stated(question: dict[str, Any]) -> dict[str, Any]:
    from ...record.finding import claim_record
    from ...record.plain import json_text, plain
    from ...trial.examine import bind, described
    from ..kinds import KINDS
    from ..not_met import PolicyNotMetError
    from ..plan import ReleasePlan
    from ..policy import policy_of
    from ..statements import statements
    from ..tables import data_name

    policy = policy_of(question["policy"], "release.json")
    kind = KINDS[policy.model.mechanism.kind].restated(policy, question["rows"], question["parameters"])
    planned = ReleasePlan(policy, kind)
    if planned.unmet:
        raise PolicyNotMetError(*planned.unmet)
    figures = [plain(series) for series in kind.figures()]
    return {
        "stated": json.loads(json_text(statements(planned).to_dict())),
        "facts": list(kind.facts),
        "data": {
            "name": data_name(policy.model.output),
            "columns": kind.schema.names,
            "rows": kind.rows(question["rows"]),
        },
        "settings": policy.model.audit.model_dump(include={"alpha", "samples", "seed", "bits"}),
        "trials": [
            {"claim": claim_record(claim), "subject": described(claim.subject)}
            for claim in bind(None, kind.trials())
        ],
        "figures": json.loads(json_text(figures)),
        "misfits": list(islice(kind.misfits(question.get("facts", {})), 3)),
    }
