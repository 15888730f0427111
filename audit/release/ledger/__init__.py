"""The budget of a table: what its releases cost, in a locked, hash-chained file that is only ever added to."""

from .accountant import Statement
from .cost import Cost, Information
from .information import ColumnTotal
from .ledger import Ledger, adopt
from .locked_file import LedgerExistsError

__all__ = ["ColumnTotal", "Cost", "Information", "Ledger", "LedgerExistsError", "Statement", "adopt"]
