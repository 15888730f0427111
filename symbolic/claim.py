"""A claim: who says what of which subject, for which inputs, under which assumptions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

from .predicates import OVER_NOTHING, TRUE_OF_ALL, Predicate


@dataclass(frozen=True)
class Scope:
    """Which inputs or parameters a claim quantifies over, in words: adjacency, domain of the records, unit of privacy.

    The words go to the certificate and its page; the audit tests the inputs of the subject.

    >>> npf.Scope(adjacency="one record replaced", domain="ages from 0 to 120", unit="one person").unit
    'one person'
    """

    adjacency: str = "the given pair of inputs"
    domain: str = ""
    unit: str = ""


@dataclass(frozen=True, eq=False)
class Claim:
    """A predicate of a subject, with its scope, assumptions and source, and whether it should hold.

    `predicate` is a guarantee such as PureDP(1.0), an ErrorBound, a FisherInformation, an optimum or a sensitivity bound;
    `subject` None means the subject that `examine` is given.
    `about="law"` speaks of the law a mechanism is meant to have and can be PROVED; `about="code"` (the
    default) also speaks of the code that releases and is never better than SURVIVED.
    `expect="falls"` marks a control: a claim that is false on purpose and must be refuted. `title` heads the finding.
    TypeError for a predicate that is none, ValueError for other words.

    >>> claim = npf.Claim(npf.PureDP(0.9), about="law", expect="falls")
    >>> npf.examine(npf.LaplaceMechanism(epsilon=1.0, sensitivity=1.0), claim).findings[0].as_expected
    True
    """

    predicate: Predicate
    subject: Any = None
    scope: Scope = Scope()
    about: Literal["law", "code"] = "code"
    assumptions: tuple[str, ...] = ()
    source: str = ""
    expect: Literal["holds", "falls"] = "holds"
    title: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.predicate, Predicate):
            raise TypeError(
                f"predicate must be a Predicate such as PureDP(1.0), got {type(self.predicate).__name__}"
            )
        if not isinstance(self.scope, Scope):
            raise ValueError(f"scope must be a Scope(...), got {self.scope!r}")
        for name in ("source", "title"):
            if not isinstance(getattr(self, name), str):
                raise ValueError(f"{name} must be text, got {getattr(self, name)!r}")
        if not isinstance(self.assumptions, tuple | list):
            raise ValueError(f"assumptions must be a tuple of texts, got {self.assumptions!r}")
        if self.about not in ("law", "code"):
            raise ValueError(f'about must be "law" or "code", got {self.about!r}')
        if self.expect not in ("holds", "falls"):
            raise ValueError(f'expect must be "holds" or "falls", got {self.expect!r}')

    def vacuous(self) -> str:
        """Why nothing is said, true of every subject or quantifying over nothing; empty if something is."""
        why = self.predicate.vacuous()
        if why:
            return TRUE_OF_ALL + why
        if self.predicate.of_neighbours and not self.subject.neighbours():
            return f"{OVER_NOTHING}{self.subject.name} declares no pair of neighbouring inputs, which a privacy claim is about: examine a mechanism"
        return ""

    def of(self, subject: Any) -> Claim:
        """The same claim about `subject`, if it does not name one already."""
        return self if self.subject is not None else replace(self, subject=subject)
