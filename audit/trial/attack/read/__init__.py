"""What text and bytes say: tokens as columns of numbers, words as a sparse score, and what several columns say together."""

from .columns import Columns, holds_text, unread_share
from .remainders import Remainders
from .together import product_score
from .words import word_score

__all__ = ["Columns", "Remainders", "holds_text", "product_score", "unread_share", "word_score"]
