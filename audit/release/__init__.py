"""Pre-release: from a policy and a table to a release that was audited first, whole or not at all."""

from .manifest import Manifest
from .plan import ReleasePlan, plan
from .releasing import release
from .trial import audited

__all__ = ["Manifest", "ReleasePlan", "audited", "plan", "release"]
