"""Certificates, dossiers and sealed folders that are read."""

from __future__ import annotations

from .case import Case


def _on(kit: str, name: str, line: str, *edits: tuple[str, str, str], fine: bool = False) -> Case:
    return Case(name, f"noiseproof {line}", (kit,), edits=edits, fine=fine)


_CERTIFICATE = "out/certificate.json"

CERTIFICATES = [
    _on("audited", "a report of a file that is not there", "report certificate.json"),
    _on("audited", "a report of a folder", "report out"),
    _on("audited", "a report of a spec", "report spec.toml"),
    _on("audited", "a report over its certificate", f"report {_CERTIFICATE} -o {_CERTIFICATE}"),
    _on("audited", "a report to a folder", f"report {_CERTIFICATE} -o out"),
    _on("audited", "a report below a file", f"report {_CERTIFICATE} -o spec.toml/page.html"),
    _on(
        "audited", "a verdict edited by hand", f"report {_CERTIFICATE}", (_CERTIFICATE, "PROVED", "SURVIVED")
    ),
    _on(
        "audited",
        "a certificate of the future",
        f"report {_CERTIFICATE}",
        (_CERTIFICATE, '"schema": ', '"schema": 9'),
    ),
    Case("an empty certificate", "noiseproof report c.json", files={"c.json": ""}),
    Case("half a certificate", "noiseproof report c.json", files={"c.json": '{"title": "a", "find'}),
    Case("a list for a certificate", "noiseproof report c.json", files={"c.json": "[]"}),
    Case("null for a certificate", "noiseproof report c.json", files={"c.json": "null"}),
    Case("a deep certificate", "noiseproof report c.json", files={"c.json": "[" * 100_000}),
    Case("NaN for a certificate", "noiseproof report c.json", files={"c.json": "NaN"}),
    Case("a zipped certificate", "noiseproof report c.json", files={"c.json": b"\x1f\x8b\x08\x00\x00"}),
    _on("audited", "a replay without a number", f"replay {_CERTIFICATE}"),
    _on("audited", "a replay of a finding that is not there", f"replay '{_CERTIFICATE}#7'"),
    _on("audited", "a replay of what was proved", f"replay '{_CERTIFICATE}#1'"),
    _on("audited", "a replay of a word", f"replay '{_CERTIFICATE}#one'"),
    _on("refuted", "a replay of a refutation", f"replay '{_CERTIFICATE}#1'", fine=True),
    _on("refuted", "a replay of a file that is not there", "replay 'x.json#1'"),
    _on("audited", "a diff with itself", f"diff {_CERTIFICATE} {_CERTIFICATE}", fine=True),
    _on("audited", "a diff with nothing", f"diff {_CERTIFICATE}"),
    _on("audited", "a diff with a spec", f"diff {_CERTIFICATE} spec.toml"),
    _on("audited", "an export of a spec", "export spec.toml"),
    _on("audited", "an export onto a file", f"export {_CERTIFICATE} -o spec.toml"),
    _on("audited", "an export of nothing", f"export {_CERTIFICATE} --no-latex --no-scripts"),
    _on("papers", "a report of a dossier", "report report/theorem.json"),
    _on(
        "papers",
        "a dossier with another verdict",
        "export report/theorem.json",
        ("report/theorem.json", '"refuted"', '"proved"'),
    ),
    _on("papers", "a dossier's page for its data", "export report/theorem.html"),
]

FOLDERS = [
    _on("sealed", "verify a folder that is not there", "verify nowhere"),
    _on("sealed", "verify a file", "verify spec.toml"),
    _on("audited", "verify what nobody sealed", "verify out"),
    _on(
        "sealed",
        "verify an edited certificate",
        "verify out --unsigned",
        (_CERTIFICATE, "A noisy number", "A quiet number"),
    ),
    _on(
        "sealed",
        "verify an edited seal",
        "verify out --unsigned",
        ("out/attestation.json", "payload", "paylaod"),
    ),
    _on("sealed", "verify half a seal", "verify out --unsigned", ("out/attestation.json", "}", "")),
    _on("sealed", "verify with a key that is not there", "verify out --key key.pub"),
    _on("sealed", "verify with a spec for a key", "verify out --key spec.toml"),
    _on("sealed", "verify with a ledger that is not there", "verify out --unsigned --ledger none.ledger"),
    _on("sealed", "an issuer without an identity", "verify out --issuer someone"),
    _on("sealed", "verify as JSON what is not there", "verify nowhere --json"),
    _on("sealed", "seal a folder that is not there", "seal nowhere"),
    _on("spec", "seal a folder without a certificate", "seal ."),
    _on("sealed", "seal with a key that is not there", "seal out --key key.pem"),
    _on("sealed", "seal with a spec for a key", "seal out --key spec.toml"),
    _on("keys", "a key over a key", "keygen key.pem"),
    _on("keys", "a key below a folder that is not there", "keygen a/b/key.pem"),
    _on("keys", "a key in the place of a folder", "keygen ."),
    Case("seal with the public key", "noiseproof seal out --key key.pem.pub", ("audited", "keys")),
    Case("verify with the private key", "noiseproof verify out --key key.pem", ("sealed", "keys")),
]
