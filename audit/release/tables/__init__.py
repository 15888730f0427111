"""Private tables streamed in batches, and releases that are written whole or not at all."""

from .digest import has_digest, kept_salt, require_salt, salted_digest
from .outcome_folder import date_files, leftovers, remove_leftovers, require_free, whole_or_nothing
from .table import PolicyTable, open_table, released_schema
from .writing import data_name, table_writer, write_table
