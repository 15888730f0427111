"""All uses, by what the person was about to do."""

from __future__ import annotations

from .audits import AUDITS
from .files_read import CERTIFICATES, FOLDERS
from .ledgers import LEDGERS
from .policies import POLICIES
from .python_uses import PYTHON_USES
from .releases import RELEASES, TABLES
from .surroundings import SURROUNDINGS
from .use import Use

GROUPS: dict[str, list[Use]] = {
    "Audits and plans": AUDITS,
    "Certificates": CERTIFICATES,
    "Sealed folders": FOLDERS,
    "Policies": POLICIES,
    "Tables": TABLES,
    "Releases": RELEASES,
    "Ledgers": LEDGERS,
    "Python": PYTHON_USES,
    "Pipes, locales, folders that cannot be written, and kills": SURROUNDINGS,
}
