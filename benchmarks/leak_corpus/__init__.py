"""The leak corpus: small services as people write them, each with a leak and with a sound twin, listed before any learner was built for them."""

from .arrays import ARRAYS
from .exact_numbers import EXACT_NUMBERS
from .joint import JOINT
from .json_answers import JSON_ANSWERS
from .leak_case import LeakCase
from .log_lines import LOG_LINES
from .relations import RELATIONS
from .sequences import SEQUENCES
from .shapes import SHAPES
from .tables import TABLES

LEAK_CORPUS: tuple[LeakCase, ...] = (
    *LOG_LINES,
    *JSON_ANSWERS,
    *TABLES,
    *EXACT_NUMBERS,
    *ARRAYS,
    *SEQUENCES,
    *SHAPES,
    *JOINT,
    *RELATIONS,
)

__all__ = ["LEAK_CORPUS", "LeakCase"]
