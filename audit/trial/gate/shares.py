"""One alpha for a whole session, divided before anything runs; whatever runs then, the parts never exceed it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Share:
    """The part of alpha that one test may spend on its trials.

    A test that declares `trials` spends equal parts.  One that does not may try as often as it likes: trial k gets
    1/(k (k + 1)) of the share, and these fractions sum to one.
    """

    alpha: float
    trials: int | None = None

    def of_trial(self, k: int) -> float:
        """The part of trial k = 1, 2, ...; ValueError beyond the trials that were declared."""
        if self.trials is None:
            return self.alpha / (k * (k + 1))
        if k > self.trials:
            raise ValueError(
                f"this test declares trials={self.trials}, and this is audit {k}: alpha was divided before it ran; declare "
                f"@pytest.mark.noiseproof(trials={k}), or leave trials out"
            )
        return self.alpha / self.trials


@dataclass(frozen=True)
class Budget:
    """`alpha` for the session, divided into `parts`; a test that declares n trials gets n parts, any other test one."""

    alpha: float
    parts: int

    @classmethod
    def of(cls, alpha: float, declared: list[int | None], parts: int | None) -> Budget:
        """The budget of the tests that were collected; ValueError if they need more than a fixed number of parts."""
        needed = sum(n or 1 for n in declared)
        if parts is not None and needed > parts:
            raise ValueError(
                f"alpha is divided into {parts} parts, and {needed} audits were collected: raise noiseproof_trials, "
                "or leave it out to divide alpha by what is collected"
            )
        return cls(alpha, parts or max(needed, 1))

    def share(self, trials: int | None) -> Share:
        """The share of one test."""
        return Share(self.alpha * (trials or 1) / self.parts, trials)
