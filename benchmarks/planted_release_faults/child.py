"""Releases policies with the package that is imported, one after the other, up to the first that is not released.

python child.py FOLDER SEED [STATISTIC...]

With SEED 0 the claims of a trial are looked at a few at a time, each with its portion of the error probability: a refusal is early.
"""

from __future__ import annotations

import json
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

_TOGETHER = 5  # claims


def main() -> None:
    """One line for each policy: its name, how it ended and in which words, and seconds of CPU."""
    sys.path.insert(0, str(Path(__file__).parent))
    import policies

    import noiseproof
    from noiseproof.audit.release import release, trial
    from noiseproof.audit.release.not_met import PolicyNotMetError
    from noiseproof.audit.release.policy import parse_policy

    folder, seed = Path(sys.argv[1]), int(sys.argv[2])
    policies.write_table(folder)
    if seed == 0:
        _early(trial, PolicyNotMetError)
    # At other seeds every measure is released, of persons and of records in turn.
    names = list(policies.POLICIES) if seed == 0 else [list(policies.POLICIES)[seed % 2]]
    for name in names:
        start, said, claims = time.process_time(), "", 0
        policy = parse_policy(policies.policy_text(name, seed, sys.argv[3:]).encode(), folder=folder)
        try:
            done = release(policy, folder / f"{name} {seed}")
            ended, claims = "released", len(done.certificate.findings)
        except PolicyNotMetError as error:
            ended, said = "refused", str(error)
        except Exception as error:
            ended, said = "failed", f"{type(error).__name__}: {error}"
        left = (folder / f"{name} {seed}").exists()
        row = {"policy": name, "ended": ended, "said": said, "written": left, "claims": claims}
        seconds = round(time.process_time() - start, 1)
        print(json.dumps({**row, "seconds": seconds, "package": noiseproof.__file__}), flush=True)
        if ended != "released":
            break


def _early(trial: Any, refused: type[Exception]) -> None:
    """Lets a trial end with the first claims that do not come out as they must."""
    real = trial.examine

    def examine(subject: Any, claims: Any, *, alpha: float, **named: Any) -> Any:
        findings, subjects = [], {}
        for start in range(0, len(claims), _TOGETHER):
            some = claims[start : start + _TOGETHER]
            certificate = real(subject, some, alpha=alpha * len(some) / len(claims), **named)
            if reasons := trial.failed(certificate):
                raise refused(*reasons)
            findings += certificate.findings
            subjects |= {one["name"]: one for one in certificate.subjects}
        numbered = tuple(replace(one, id=i) for i, one in enumerate(findings, 1))
        return replace(certificate, findings=numbered, subjects=tuple(subjects.values()))

    trial.examine = examine


if __name__ == "__main__":
    main()
