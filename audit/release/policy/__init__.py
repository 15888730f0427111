"""Policies: what is to be released of a table, by which mechanism, and the limits that it has to meet."""

from .places import inside
from .reading import SCHEMA, Number, Policy, parse_policy, policy_of, read_policy

__all__ = ["SCHEMA", "Number", "Policy", "inside", "parse_policy", "policy_of", "read_policy"]
