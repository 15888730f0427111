"""Spec files: an audit written down as TOML."""

from .reading import SCHEMA, Spec, load_spec, parse_spec

__all__ = ["SCHEMA", "Spec", "load_spec", "parse_spec"]
