"""Neighbours found by search: domains, adjacency relations, and the pair that a release hides worst."""

from ....symbolic.domains.adjacency import AddOrRemove, Adjacency, AnyTwo, Distance, Person, ReplaceOne
from ....symbolic.domains.ball import Ball
from ....symbolic.domains.box import Box
from ....symbolic.domains.discrete import Categorical, Table
from ....symbolic.domains.domain import Domain
from ....symbolic.domains.simplex import Simplex
from .result import FoundPair, SearchedRelease, SearchResult
from .search import search_neighbours

__all__ = [
    "AddOrRemove",
    "Adjacency",
    "AnyTwo",
    "Ball",
    "Box",
    "Categorical",
    "Distance",
    "Domain",
    "FoundPair",
    "Person",
    "ReplaceOne",
    "SearchResult",
    "SearchedRelease",
    "Simplex",
    "Table",
    "search_neighbours",
]
