"""What text and bytes say: tokens as columns of numbers, words as a sparse score, and what several columns say together."""

from .anywhere import alone_score, anywhere_score, placed_score
from .columns import Columns, holds_text, unread_share
from .inside import inside_scores, unread_relations
from .relations import difference_scores, parity_score
from .remainders import digit_scores, remainder_scores
from .together import product_score
from .words import word_score
