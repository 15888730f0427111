"""The process that computes a manifest's statements again: its policy comes in as JSON, what follows from it goes out."""

from __future__ import annotations

import json
import math
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ....symbolic.claim import Claim


def main() -> None:
    """When its share of processor time or memory is used up, the process ends without an answer."""
    seconds, memory = float(sys.argv[1]), int(sys.argv[2])
    question = json.loads(sys.stdin.buffer.read())
    _limit(seconds, memory)
    from ....symbolic.errors import SpecError
    from ...record.certificate_check import DAMAGED
    from ..not_met import PolicyNotMetError

    try:
        answer = _stated(question)
    except PolicyNotMetError as error:
        answer = {
            "fault": f"the policy in it is not met, release again with `noiseproof release` and one that is: {'; '.join(error.reasons)[:2000]}"
        }
    except SpecError as error:
        answer = {"fault": f"the policy in it cannot be used: {str(error)[:2000]}"}
    except DAMAGED as error:
        answer = {"fault": f"incomplete or damaged: {type(error).__name__}: {str(error)[:500]}"}
    print(json.dumps(answer))


def _stated(question: dict[str, Any]) -> dict[str, Any]:
    from ...record.plain import json_text, plain
    from ..kinds import KINDS
    from ..not_met import PolicyNotMetError
    from ..plan import ReleasePlan
    from ..policy import policy_of
    from ..statements import statements

    policy = policy_of(question["policy"], "release.json")
    kind = KINDS[policy.model.mechanism.kind].restated(policy, question["rows"], question["parameters"])
    planned = ReleasePlan(policy, kind)
    if planned.unmet:
        raise PolicyNotMetError(planned.unmet)
    figures = [plain(series) for series in kind.figures()]
    return {
        "stated": json.loads(json_text(statements(planned).to_dict())),
        "facts": list(kind.facts),
        "settings": policy.model.audit.model_dump(include={"alpha", "samples", "seed", "bits"}),
        "trials": [_trial(claim) for claim in kind.trials()],
        "figures": json.loads(json_text(figures)),
    }


def _trial(claim: Claim) -> dict[str, Any]:
    """What a certificate must show of a claim that the configuration is put on trial for."""
    from ....mechanisms.adapted import subject_of
    from ...record.plain import plain

    subject = subject_of(claim.subject)
    assert subject is not None  # every kind names what it puts on trial
    return {
        "predicate": type(claim.predicate).__name__,
        "parameters": plain(claim.predicate.parameters()),
        "about": claim.about,
        "expect": claim.expect,
        "subject": {"name": subject.name, "parameters": plain(subject.parameters())},
    }


def _limit(seconds: float, memory: int) -> None:
    try:
        import resource
    except ImportError:  # not a POSIX system
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (memory if hard < 0 else min(memory, hard), hard))
    whole = math.ceil(seconds)
    resource.setrlimit(resource.RLIMIT_CPU, (whole, whole))


if __name__ == "__main__":
    main()
