"""Sealed folders that others can verify."""

from ...record.checked import Checked, exit_code
from ...record.seal.canonical import canonical_digest, canonical_json
from ...record.seal.keys import make_key
from .sealing import attest, seal
from .verification import verify

__all__ = [
    "Checked",
    "attest",
    "canonical_digest",
    "canonical_json",
    "exit_code",
    "make_key",
    "seal",
    "verify",
]
