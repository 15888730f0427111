"""Policies: what is to be released of a table, by which mechanism, and the limits that it has to meet."""

from .places import inside
from .reading import Number, Policy, json_schema, parse_policy, policy_of, read_policy, schema_text

__all__ = [
    "Number",
    "Policy",
    "inside",
    "json_schema",
    "parse_policy",
    "policy_of",
    "read_policy",
    "schema_text",
]
