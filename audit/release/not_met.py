"""What is said when a policy is not met: nothing was written, and why."""

from __future__ import annotations


class PolicyNotMetError(Exception):
    """The release would break the policy; the command exits with 1 and nothing is written."""

    def __init__(self, *reasons: str) -> None:
        self.reasons = reasons
        super().__init__("the policy is not met, and nothing was written: " + "; ".join(reasons))
