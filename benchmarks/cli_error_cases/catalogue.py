"""All cases, by what the person was about to do."""

from __future__ import annotations

from .audits import AUDITS
from .case import Case
from .files_read import CERTIFICATES, FOLDERS
from .ledgers import LEDGERS
from .policies import POLICIES
from .python_cases import PYTHON_CASES
from .releases import RELEASES, TABLES
from .surroundings import SURROUNDINGS

GROUPS: dict[str, list[Case]] = {
    "Audits and plans": AUDITS,
    "Certificates": CERTIFICATES,
    "Sealed folders": FOLDERS,
    "Policies": POLICIES,
    "Tables": TABLES,
    "Releases": RELEASES,
    "Ledgers": LEDGERS,
    "Python": PYTHON_CASES,
    "Pipes, locales, folders that cannot be written, and kills": SURROUNDINGS,
}
