"""Private tables streamed in batches, and releases that are written whole or not at all."""

from .digest import has_digest, kept_salt, require_salt, salted_digest
from .outcome_folder import date_files, leftovers, remove_leftovers, require_free, whole_or_nothing
from .table import PolicyTable, open_table, released_schema
from .writing import data_name, table_writer, write_table

__all__ = [
    "PolicyTable",
    "data_name",
    "date_files",
    "has_digest",
    "kept_salt",
    "leftovers",
    "open_table",
    "released_schema",
    "remove_leftovers",
    "require_free",
    "require_salt",
    "salted_digest",
    "table_writer",
    "whole_or_nothing",
    "write_table",
]
