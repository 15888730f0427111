"""The DSSE envelope (secure-systems-lab, protocol 1.0): a payload, its type, and signatures over both."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..reading.strict_json import StrictJsonError, read_strict
from .keys import key_id

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PAYLOAD_TYPE = "application/vnd.in-toto+json"
_MOST_SIGNATURES = 64


class EnvelopeError(ValueError):
    """Bytes that are not an envelope."""


@dataclass(frozen=True)
class Envelope:
    """`payload` as bytes, its type, and pairs (key id, signature); the key ids are hints and prove nothing."""

    payload: bytes
    payload_type: str = PAYLOAD_TYPE
    signatures: tuple[tuple[str, bytes], ...] = ()

    def signed(self, key: Ed25519PrivateKey) -> Envelope:
        """The envelope with one more signature; the same one if this key has signed already."""
        public = key.public_key()
        if self.is_signed_by(public):
            return self
        signature = (key_id(public), key.sign(encoded(self.payload_type, self.payload)))
        return replace(self, signatures=(*self.signatures, signature))

    def is_signed_by(self, key: Ed25519PublicKey) -> bool:
        """Whether some signature is by this key, whatever its hint says."""
        from cryptography.exceptions import InvalidSignature

        message = encoded(self.payload_type, self.payload)
        for _, signature in self.signatures:
            try:
                key.verify(signature, message)
            except InvalidSignature:
                continue
            return True
        return False

    def to_dict(self) -> dict[str, Any]:
        """The JSON form of the envelope."""
        return {
            "payloadType": self.payload_type,
            "payload": base64.b64encode(self.payload).decode(),
            "signatures": [{"keyid": k, "sig": base64.b64encode(s).decode()} for k, s in self.signatures],
        }

    @classmethod
    def read(cls, raw: bytes) -> Envelope:
        """The envelope in the bytes of a JSON file; EnvelopeError says what is wrong with it."""
        try:
            data = read_strict(raw)
        except StrictJsonError as error:
            raise EnvelopeError(str(error)) from None
        if not isinstance(data, dict) or not {"payload", "payloadType", "signatures"} <= set(data):
            raise EnvelopeError('expected an object with "payloadType", "payload" and "signatures"')
        signatures = data["signatures"]
        if not isinstance(signatures, list) or len(signatures) > _MOST_SIGNATURES:
            raise EnvelopeError(f'"signatures" must be a list of at most {_MOST_SIGNATURES} entries')
        if not all(isinstance(s, dict) and isinstance(s.get("keyid", ""), str) for s in signatures):
            raise EnvelopeError('a signature must be an object with "sig" and "keyid"')
        if data["payloadType"] != PAYLOAD_TYPE:
            raise EnvelopeError(
                f'expected "payloadType": "{PAYLOAD_TYPE}", got {str(data["payloadType"])[:80]!r}'
            )
        pairs = tuple((s.get("keyid", ""), _bytes(s.get("sig"), "sig")) for s in signatures)
        return cls(_bytes(data["payload"], "payload"), PAYLOAD_TYPE, pairs)


def encoded(payload_type: str, payload: bytes) -> bytes:
    """What is signed: type and payload with their lengths, so that neither can be taken for part of the other."""
    kind = payload_type.encode()
    return b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload)


def _bytes(text: Any, what: str) -> bytes:
    """Base64, standard or URL-safe: a verifier has to take both."""
    if not isinstance(text, str):
        raise EnvelopeError(f'"{what}" must be text in base64')
    try:
        return base64.b64decode(text.translate(str.maketrans("-_", "+/")), validate=True)
    except (binascii.Error, ValueError):
        raise EnvelopeError(f'"{what}" is not base64') from None
