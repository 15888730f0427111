"""The object behind the fixture `noiseproof`: it audits claims with the test's share of alpha."""

from __future__ import annotations

import re
import shlex
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from noiseproof.audit.trial.gate.seeds import seed_of
from noiseproof.audit.trial.gate.shares import Share

if TYPE_CHECKING:
    from noiseproof.audit.record.certificate import Certificate, Finding
    from noiseproof.symbolic.claim import Claim
    from noiseproof.symbolic.predicates import Predicate


class UndecidedClaim(pytest.PytestWarning):
    """A claim could not be settled; under noiseproof_undecided = warn that is no failure."""


@dataclass(frozen=True)
class Place:
    """What a test needs to know of the session: its name, its share, the session's seed, and how to run it again.

    `output` is a folder for the certificates of all trials, or None.
    """

    name: str
    share: Share
    seed: int
    repeat: str
    undecided: Literal["fail", "warn"]
    output: Path | None = None


class Gate:
    """Audits claims inside one test; each call is one trial with a seed and a part of alpha of its own."""

    def __init__(
        self, place: Place, options: Mapping[str, Any], properties: list[tuple[str, object]]
    ) -> None:
        self.place, self._options, self._properties = place, dict(options), properties
        self.trials = 0
        # What a test may not leave behind: trials that failed, or that came to no verdict; said again when it ends.
        self._open: dict[int, str] = {}

    def settle(self, silent: bool = False) -> None:
        """Fail the test for what its trials said, once: no `try` and no `raises` hides a verdict."""
        __tracebackhide__ = True
        said, self._open = "\n".join(self._open.values()), {}
        if said and not silent:
            pytest.fail(said, pytrace=False)

    def holds(
        self, subject: Any, claims: Predicate | Claim | Sequence[Predicate | Claim], **options: Any
    ) -> Certificate:
        """Fail the test unless every claim is proved or survives, and every control among them is refuted.

        There must be a claim: controls alone show power and test nothing.  A failure stands when it is caught.
        `options` are samples, bits, sequential, seconds and call_seconds of `noiseproof.examine`; those of the marker
        are the default.  All claims of one call share its part of alpha.
        """
        __tracebackhide__ = True
        certificate = self._examined(subject, claims, options)
        if certificate.findings and all(f.is_control for f in certificate.findings):
            raise self._failed(
                "only controls were audited: give holds a claim that can fail, or use noiseproof.falls"
            )
        return self._judge(certificate)

    def falls(
        self, subject: Any, claims: Predicate | Claim | Sequence[Predicate | Claim], **options: Any
    ) -> Certificate:
        """Fail the test unless every claim, false on purpose, is refuted: it shows the power of the attack."""
        __tracebackhide__ = True
        from dataclasses import replace

        from noiseproof.symbolic.claim import Claim
        from noiseproof.symbolic.predicates import Predicate

        given = [claims] if isinstance(claims, Predicate | Claim) else list(claims)
        controls = [
            replace(Claim(c) if isinstance(c, Predicate) else c, expect="falls")
            if isinstance(c, Predicate | Claim)
            else c
            for c in given
        ]
        return self._judge(self._examined(subject, controls, options))

    def _examined(self, subject: Any, claims: Any, options: Mapping[str, Any]) -> Certificate:
        __tracebackhide__ = True
        from noiseproof.audit.trial.examine import examine

        for name in ("alpha", "seed"):
            if name in options:
                raise TypeError(
                    f"{name} belongs to the session: set --noiseproof-{name} or noiseproof_{name}, not an argument"
                )
        self.trials += 1
        self._open[self.trials] = f"audit {self.trials} of this test began and reached no verdict"
        place = self.place
        try:
            alpha = place.share.of_trial(self.trials)
        except ValueError as error:
            raise self._failed(str(error)) from None
        return examine(
            subject,
            claims,
            alpha=alpha,
            seed=seed_of(place.seed, place.name, self.trials),
            title=place.name,
            provenance={"command": place.repeat},
            **{**self._options, **options},
        )

    def _failed(self, message: str) -> BaseException:
        """The failure of the trial that runs, which stands until the test has failed."""
        self._open[self.trials] = message
        return pytest.fail.Exception(message, pytrace=False)

    def _judge(self, certificate: Certificate) -> Certificate:
        __tracebackhide__ = True
        from noiseproof.audit.record.evidence import Verdict
        from noiseproof.audit.trial.gate.failure import failure_message

        self._record(certificate)
        file = self._written(certificate)
        failed = [f for f in certificate.findings if not f.as_expected]
        if not certificate.findings:
            raise self._failed("nothing was audited: give at least one claim")
        if not failed:
            del self._open[self.trials]
            return certificate
        message = failure_message(certificate, failed, self.place.repeat)
        if file is not None:
            again = shlex.join(["noiseproof", "replay", f"{file}#{failed[0].id}"])
            message += f"\n  written: {file}; a witness is evaluated again by: {again}"
        open_only = all(not f.is_control and f.verdict is Verdict.UNDECIDED for f in failed)
        if open_only and self.place.undecided == "warn":
            del self._open[self.trials]
            warnings.warn(UndecidedClaim(message), stacklevel=3)
            return certificate
        raise self._failed(message)

    def _written(self, certificate: Certificate) -> Path | None:
        """The file of the certificate, if the session wants them; its name follows from the test and the trial."""
        if self.place.output is None:
            return None
        name = re.sub(r"[^\w.-]+", "_", self.place.name)[-120:]
        file = self.place.output / f"{name}-{self.trials}-{certificate.settings['seed']:x}.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(certificate.to_json(), encoding="utf-8")
        return file

    def _record(self, certificate: Certificate) -> None:
        """The evidence as properties of the test, which pytest writes into its JUnit XML."""
        from noiseproof.audit.record.shown_text import one_line
        from noiseproof.audit.record.weakest import half_noise, least_power
        from noiseproof.audit.trial.gate.adjusted import p_value

        prefix = "noiseproof" if self.trials == 1 else f"noiseproof.{self.trials}"
        settings = certificate.settings
        several = len(certificate.findings) > 1
        rows: list[tuple[str, object]] = [
            ("alpha", f"{settings['alpha']:.6g}"),
            ("seed", settings["seed"]),
            ("samples", settings["samples"]),
        ]
        for finding in certificate.findings:
            name = f"claim.{finding.id}." if several else ""
            rows += [(name + key, value) for key, value in _properties(finding)]
            if (chance := p_value(finding, certificate)) is not None and not finding.is_control:
                rows.append((f"{name}p_value", f"{chance:.6g}"))
        least = least_power(finding.record() for finding in certificate.findings)
        if least is not None and not any(f.is_control for f in certificate.findings):
            found, _ = least
            rows.append(("weakest_resolution", f"{1 + found.departure:.4g}"))
            rows.append(("half_noise", half_noise(found)))
        self._properties.extend(
            (f"{prefix}.{key}", one_line(value) if isinstance(value, str) else value) for key, value in rows
        )


def _properties(finding: Finding) -> list[tuple[str, object]]:
    from noiseproof.audit.trial.gate.fingerprints import certified_epsilon, digest, witness_of

    record = finding.record()
    rows: list[tuple[str, object]] = [
        ("claim", f"{finding.subject}: {finding.claim['sentence']}"),
        ("verdict", finding.verdict.name + (" (control)" if finding.is_control else "")),
    ]
    bound = certified_epsilon(record)
    if bound is not None:
        delta, claimed, certified = bound
        rows += [("epsilon_certified", f"{certified:.6g}"), ("epsilon_claimed", f"{claimed:.6g}")]
        rows += [("delta", f"{delta:.6g}")]
    witness = witness_of(record)
    if witness is not None:
        rows.append(("witness", digest(witness)))
    return rows
