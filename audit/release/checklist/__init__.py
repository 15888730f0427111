"""The checklist an officer goes through before a release, each item answered by evidence or asked of the signer."""

from .checklist import QUESTIONS, answers_by_item, checklist, contradictions
from .item import STATES, Answer, Item, SignerAnswer, State
from .template import answers_template, waiting
