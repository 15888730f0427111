"""How far one record can move an answer: sensitivities enclosed from both sides, with the pair that reaches the lower end."""

from . import queries

__all__ = ["queries"]
