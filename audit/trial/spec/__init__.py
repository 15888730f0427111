"""Spec files: an audit written down as TOML."""

from .reading import Spec, json_schema, load_spec, parse_spec, schema_text

__all__ = ["Spec", "json_schema", "load_spec", "parse_spec", "schema_text"]
