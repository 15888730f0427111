"""With what a derivation was made: versions, the digest of the file, the command that does it again."""

from __future__ import annotations

from typing import Any

from ...record.seal.environment import environment


def provenance(digest: str | None, command: str | None) -> dict[str, Any]:
    """Versions of what computed, the digest of the file if there was one, the command if it is known."""
    known = environment()
    return {
        "noiseproof": known["noiseproof"],
        "python": known["python"],
        "packages": {k: known["packages"][k] for k in ("mpmath", "numpy", "python-flint", "scipy", "sympy")},
        **({"spec_digest": digest} if digest else {}),
        **({"command": command} if command else {}),
    }
