"""The commands `noiseproof verify`, `seal` and `keygen`: folders that others can check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from noiseproof.console import reported_errors, say, say_data
from noiseproof.shared_options import Debug

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="A folder with a certificate.json.")]


def verify(
    directory: Folder,
    key: Annotated[
        Path | None, typer.Option("--key", help="Public key (PEM) of the signer, from elsewhere.")
    ] = None,
    rerun: Annotated[bool, typer.Option("--rerun", help="Re-evaluate every witness.")] = False,
    identity: Annotated[str | None, typer.Option(help="Sigstore identity of the signer.")] = None,
    issuer: Annotated[str | None, typer.Option(help="Issuer of the sigstore identity.")] = None,
    ledger: Annotated[Path | None, typer.Option(help="Ledger that must have the entry.")] = None,
    unsigned: Annotated[bool, typer.Option("--unsigned", help="Expect no signature.")] = False,
    require_pass: Annotated[bool, typer.Option("--require-pass", help="The audit must have passed.")] = False,
    json_lines: Annotated[bool, typer.Option("--json", help="One JSON object per line.")] = False,
    debug: Debug = False,
) -> None:
    """Verify a sealed folder: digests, schemas, signature, verdicts.

    Verdicts must follow from the evidence.

    Exit code: 0 everything holds: the folder is as it was sealed, by that key, and says what its evidence says, be it
    that a claim is refuted (a gate asks --require-pass) or that questions to the signer are not answered; 1 something does not hold, 2 bad usage, 4 something is open: who
    made the folder, unless a key is given.
    """
    with reported_errors(debug):
        from dataclasses import asdict

        from noiseproof.audit.record.checked import closing
        from noiseproof.audit.release.verify import exit_code
        from noiseproof.audit.release.verify import verify as look
        from noiseproof.release_command import pages
        from noiseproof.symbolic.errors import SpecError

        if (identity is None) != (issuer is None):
            raise SpecError(
                "--identity and --issuer go together: a name is worth as much as who vouches for it"
            )
        if unsigned and (key or identity):
            raise SpecError("expected either --unsigned, or a --key or an --identity")
        if key is not None and key.is_file() and b"PRIVATE KEY" in key.read_bytes():
            said = f"warning: {key} is a private key. Verify with the public one, and send the private one to nobody"
            say(said, err=True)
        who = None if identity is None or issuer is None else (identity, issuer)
        found = look(directory, key, rerun, published_schemas(), who, ledger, require_pass, pages=pages)
        if unsigned:
            found = [one for one in found if (one.what, one.state) != ("signature", "open")]
        for one in found:
            if json_lines:
                say_data(asdict(one), indent=None)
            else:
                say(str(one))
        if not json_lines:
            say(f"verdict: {closing(found)}")
        raise typer.Exit(exit_code(found))


def seal(
    directory: Folder,
    key: Annotated[Path | None, typer.Option("--key", help="Private key (PEM) of `keygen`.")] = None,
    online: Annotated[bool, typer.Option("--sigstore", help="Also sign with sigstore (public log).")] = False,
    debug: Debug = False,
) -> None:
    """Seal a folder: write or countersign its attestation.json."""
    with reported_errors(debug):
        from noiseproof.audit.release.verify import seal as attest
        from noiseproof.release_command import pages

        say(f"sealed: {attest(directory, key, online=online, pages=pages, say=say)}")


def keygen(
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The private key.")],
    encrypt: Annotated[bool, typer.Option("--encrypt", help="Encrypt it; asks for a passphrase.")] = False,
    debug: Debug = False,
) -> None:
    """Make an Ed25519 key pair: PATH (private) and PATH.pub."""
    with reported_errors(debug):
        from noiseproof.audit.record.seal.keys import key_id, load_public_key
        from noiseproof.audit.release.verify import make_key

        passphrase = (
            typer.prompt("Passphrase", hide_input=True, confirmation_prompt=True) if encrypt else None
        )
        private, public = make_key(path, passphrase)
        say(f"private key: {private}", f"public key:  {public}")
        say(f"key id:      {key_id(load_public_key(public))}")


def published_schemas() -> dict[str, dict[str, Any]]:
    """The JSON Schemas of the package that say of which "schema" they are."""
    import json
    from importlib.resources import files

    found = {}
    for path in files("noiseproof.reports").joinpath("schemas").iterdir():
        schema = json.loads(path.read_text(encoding="utf-8"))
        name = schema.get("properties", {}).get("schema", {}).get("const")
        if isinstance(name, str):
            found[name] = schema
    return found
