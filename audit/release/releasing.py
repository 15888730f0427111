"""A release from beginning to end: planned, screened, audited, charged, drawn, written; whole or not at all."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...symbolic.errors import SpecError
from ..record.certificate import Certificate
from ..record.seal.folder import digest_file, require_unsealed
from ..trial.examine import Progress
from .booking import Booking, Charge, charged, standing
from .checklist.checklist import answers_by_item, contradictions
from .kinds import KINDS
from .manifest import NAME, FileFacts, Manifest
from .not_met import PolicyNotMetError
from .plan import ReleasePlan, plan
from .policy import Policy
from .statements import statements
from .trial import audited, failed

if TYPE_CHECKING:
    from ...mechanisms.grid_noise import Bits
    from .kinds.kind import Drawn
    from .tables import PolicyTable

Pages = Callable[[dict[str, Any], dict[str, Any], list[dict[str, Any]]], Mapping[str, str]]
"""From the plain data of manifest, certificate and figures to the other files of the release, by name."""

CERTIFICATE = "certificate.json"


@dataclass(frozen=True)
class Released:
    """What was written: the folder, its manifest, the certificate of the audit before it, and what was charged where."""

    directory: Path
    manifest: Manifest
    certificate: Certificate
    charge: Charge | None = None


def release(
    policy: Policy,
    directory: str | Path,
    *,
    table: Any = None,
    salt: str | Path | None = None,
    pages: Pages | None = None,
    progress: Progress | None = None,
    workers: int = 1,
    cluster: str | None = None,
) -> Released:
    """Write the release of a policy to `directory`, which must not exist.

    `table` replaces the file that the policy names: another file, a folder of Parquet files, or a table of pandas, polars,
    pyarrow or DuckDB (`open_table`).

    Every record is screened first, then the configuration is audited, without the table; its cost is spent in the
    ledger before anything is drawn, and stays spent whatever happens after that (an error says so in its notes).
    `cluster` is the address of a Dask scheduler whose workers sum statistics of a folder of files.
    `salt` is the file of the secret salt of the table's digest, made last if it is not there; without it there is no digest.
    PolicyNotMetError, and nothing is written, if a limit is not met, the audit finds something or the budget is spent;
    SpecError for anything that cannot be used.
    """
    from ...mechanisms.grid_noise import secure_bits
    from .tables import (
        data_name,
        date_files,
        open_table,
        require_free,
        require_salt,
        whole_or_nothing,
        write_table,
    )

    say = progress or (lambda fraction, text: None)
    bits = secure_bits()
    key = _key(policy)
    answers_by_item(policy.model.answers)
    standing(policy)
    if salt is not None:
        require_salt(salt)
    source = open_table(policy, table)
    if salt is not None:
        source.require_digest()
    require_unsealed(Path(directory).parent, "--output")
    require_free(Path(directory))
    # Counting reads the whole table, but tells what the policy declares public.
    with _unquoted():
        records = source.count() if KINDS[policy.model.mechanism.kind].needs_records else None
    planned = plan(policy, records)
    if planned.unmet:
        raise PolicyNotMetError(*planned.unmet)
    booking = Booking.of(planned)
    # A record that cannot be released is found before anything is entered where others read it.
    with _unquoted():
        draw = _screened(planned, source, records, progress, cluster)
    certificate = audited(planned, progress, workers)
    # What the draws cost is found a second time, from their laws, before it is charged.
    stated = json.loads(_manifest(planned, certificate, {}, None).to_json())
    reasons = failed(certificate) or contradictions(stated, certificate)
    if reasons:
        raise PolicyNotMetError(*reasons)
    charge: Charge | None = None
    today = datetime.datetime.combine(datetime.datetime.now(datetime.UTC), datetime.time(), datetime.UTC)
    try:
        with whole_or_nothing(directory) as folder:
            say(1.0, "drawing")
            source.require_same()
            charge = None if booking is None else charged(booking)
            data = folder / data_name(policy.model.output)
            with _unquoted(), draw(bits) as drawn:
                rows = write_table(data, planned.kind.schema, drawn.batches, policy.model.output)
                facts = drawn.facts()
                records = rows if drawn.records is None else drawn.records
            _write(folder / CERTIFICATE, certificate.to_json())
            # A salt comes into being once nothing in the table can refuse the release any more.
            digest = None if salt is None else source.digest(salt)
            manifest = replace(
                _manifest(planned, certificate, facts, digest),
                created=today.date().isoformat(),
                rows=records if policy.model.table.rows_public else None,
                files=tuple(_facts_of(folder, name) for name in (data.name, CERTIFICATE)),
                ledger=None if charge is None else charge.entry,
            )
            _write(folder / NAME, manifest.to_json())
            _write_pages(folder, manifest, certificate, planned, pages)
            _seal(folder, key)
            date_files(folder, today)
    except BaseException as error:
        if charge is not None:
            error.add_note(charge.after(Path(directory)))
        raise
    return Released(Path(directory), manifest, certificate, charge)


@contextmanager
def _unquoted() -> Iterator[None]:
    """What goes wrong among the records of a table is told without its words, which may quote one."""
    try:
        yield
    except (SpecError, PolicyNotMetError, OSError, MemoryError):
        raise
    except Exception as error:
        raise RuntimeError(
            f"{type(error).__name__} among the records, whose words may quote one (--debug shows them)"
        ) from error


def _screened(
    planned: ReleasePlan,
    source: PolicyTable,
    records: int | None,
    progress: Progress | None,
    cluster: str | None,
) -> Callable[[Bits], AbstractContextManager[Drawn]]:
    """What draws the release, once every record was looked at; those that had to be counted were, then."""
    if records is not None and cluster is None:
        return partial(planned.kind.draw, source)
    return planned.kind.screen(source, progress, cluster)


def _manifest(
    planned: ReleasePlan, certificate: Certificate, facts: dict[str, Any], digest: str | None
) -> Manifest:
    stated = statements(planned)
    return replace(
        stated,
        mechanism={**stated.mechanism, "parameters": {**stated.mechanism["parameters"], **facts}},
        salted_digest=digest,
        verdict=certificate.verdict.name,
        versions={k: certificate.provenance[k] for k in ("noiseproof", "python", "packages")},
    )


def _write_pages(
    folder: Path, manifest: Manifest, certificate: Certificate, planned: ReleasePlan, pages: Pages | None
) -> None:
    if pages is None:
        return
    from ..record.plain import plain

    figures = [plain(series) for series in planned.kind.figures()]
    written = pages(json.loads(manifest.to_json()), json.loads(certificate.to_json()), figures)
    for name, text in written.items():
        _write(folder / name, text)


def _write(path: Path, text: str) -> None:
    with path.open("x", encoding="utf-8", newline="\n") as file:
        file.write(text)


def _facts_of(folder: Path, name: str) -> FileFacts:
    digest = digest_file(folder, name)
    return FileFacts(name, digest.sha256, digest.bytes)


def _key(policy: Policy) -> Path | None:
    """The file of the signing key, read once so that a key that cannot sign is found before any work."""
    path = policy.key_path
    if path is not None:
        from ..record.seal.keys import load_private_key

        load_private_key(path)
    return path


def _seal(folder: Path, key: Path | None) -> None:
    from .verify.sealing import attest

    attest(folder, key)
