"""Signing with an identity instead of a key file, through sigstore: a bundle beside the attestation.

Needs the extra `sigstore` and the network.  A signature is entered into a public log, with the name of who signed and the
digest of the attestation, for ever.
"""

from __future__ import annotations

import base64
import os
import re
from pathlib import Path
from typing import Any

from ....symbolic.errors import SpecError
from ..checked import Checked
from ..extra import from_extra
from ..reading.strict_json import MAX_BYTES, read_strict
from .envelope import PAYLOAD_TYPE
from .folder import BUNDLE, FolderError, read_file

_LONGEST = 2**20
_MEDIA = re.compile(r"application/vnd\.dev\.sigstore\.bundle(\+json;version=0\.\d|\.v0\.\d\+json)")
_MATERIAL = {"certificate", "publicKey", "timestampVerificationData", "tlogEntries", "x509CertificateChain"}


def sign_online(directory: Path, payload: bytes) -> Path:
    """The bundle in which sigstore signs `payload`, an in-toto Statement; SpecError without library, network or login."""
    models, oidc = _part("models"), _part("oidc")
    dsse, sign = _part("dsse"), _part("sign")
    path = directory / BUNDLE
    if path.exists() or path.is_symlink():
        raise SpecError("this bundle exists already and is not overwritten", file=str(path))
    try:
        trust = models.ClientTrustConfig.production()
        found = oidc.detect_credential()
        token = (
            oidc.IdentityToken(found)
            if found
            else oidc.Issuer(trust.signing_config.get_oidc_url()).identity_token()
        )
        with sign.SigningContext.from_trust_config(trust).signer(token) as signer:
            text = signer.sign_dsse(dsse.Statement(payload)).to_json()
    except Exception as error:  # the library and the network raise many kinds
        raise SpecError(f"sigstore did not sign: {error}", file=str(path)) from error
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def check_bundle(directory: Path, payload: bytes, identity: tuple[str, str]) -> Checked:
    """Whether the bundle is by (name, issuer) and about the very payload of the attestation."""
    name, issuer = identity
    try:
        models, verifier, policy = _part("models"), _part("verify.verifier"), _part("verify.policy")
        raw = read_file(directory, BUNDLE, MAX_BYTES)
    except (SpecError, FolderError) as error:
        return Checked("signature", "fails" if isinstance(error, FolderError) else "open", str(error), BUNDLE)
    try:
        expected = policy.Identity(identity=name, issuer=issuer)
        kind, signed = verifier.Verifier.production().verify_dsse(models.Bundle.from_json(raw), expected)
    except Exception as error:  # the library and the network raise many kinds
        return Checked("signature", "fails", f"sigstore does not confirm {name}: {error}", BUNDLE)
    if (kind, signed) != (PAYLOAD_TYPE, payload):
        return Checked("signature", "fails", "the bundle is about another attestation", BUNDLE)
    return Checked("signature", "holds", f"signed by {name}, as {issuer} says", BUNDLE)


def misfit(directory: Path, payload: bytes) -> str | None:
    """Why the file of the bundle is none about this very payload; who signed it is asked with an identity only."""
    try:
        data = read_strict(read_file(directory, BUNDLE, _LONGEST))
        envelope = data["dsseEnvelope"]
        known = set(data) == {"mediaType", "verificationMaterial", "dsseEnvelope"} and _MEDIA.fullmatch(
            data["mediaType"]
        )
        if not known or not set(data["verificationMaterial"]) <= _MATERIAL:
            return "not a sigstore bundle: it has other entries"
        signatures = envelope["signatures"]
        if set(envelope) != {"payload", "payloadType", "signatures"} or not 0 < len(signatures) <= 64:
            return "not a sigstore bundle: its envelope has other entries"
        for one in signatures:
            if not set(one) <= {"sig", "keyid"} or not base64.b64decode(one["sig"], validate=True):
                return "not a sigstore bundle: its envelope has no signature"
        about = envelope["payloadType"], base64.b64decode(envelope["payload"], validate=True)
    except (FolderError, ValueError, TypeError, KeyError, AttributeError) as error:
        return f"not a sigstore bundle: {str(error)[:100]}"
    return None if about == (PAYLOAD_TYPE, payload) else "the bundle is about another attestation"


def _part(name: str) -> Any:
    return from_extra("sigstore", f"sigstore.{name}", "sigstore")
