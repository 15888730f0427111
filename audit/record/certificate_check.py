"""Whether a certificate says what its evidence says, as verification words it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...symbolic.errors import counted
from .certificate import Certificate
from .checked import Checked
from .follows import InconsistentError

CERTIFICATE = "certificate.json"
# What reading data of another form raises.
DAMAGED = (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, IndexError, RecursionError)

# What an audit alone can have written, and nothing computes again.
_AS_SEALED = (
    "counts, settings, digests, notes and the points of figures are as written, and are not computed again"
)


def check_certificate(data: Mapping[str, Any]) -> list[Checked]:
    """What the strict reader says of a certificate: everything that it would refuse, or that each verdict follows."""
    try:
        certificate = Certificate.from_data(data)
    except InconsistentError as error:
        return [Checked("evidence", "fails", fault, CERTIFICATE) for fault in error.faults]
    except DAMAGED as error:
        said = str(error) if type(error) is ValueError else f"incomplete or damaged: {error!r}"
        return [Checked("verdicts", "fails", said, CERTIFICATE)]
    said = f"{counted(len(certificate.findings), 'finding')}, verdict {certificate.verdict.name}: each follows from its evidence; {_AS_SEALED}"
    return [Checked("verdicts", "holds", said, CERTIFICATE)]
