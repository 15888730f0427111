"""Neighbours found by search: domains, adjacency relations, and the pair that a release hides worst."""

from .adjacency import AddOrRemove, Adjacency, AnyTwo, Distance, Person, ReplaceOne
from .ball import Ball
from .box import Box
from .discrete import Categorical, Table
from .domain import Domain
from .result import FoundPair, SearchedRelease, SearchResult
from .search import search_neighbours
from .simplex import Simplex

__all__ = [
    "AddOrRemove", "Adjacency", "AnyTwo", "Ball", "Box", "Categorical", "Distance", "Domain", "FoundPair", "Person",
    "ReplaceOne", "SearchResult", "SearchedRelease", "Simplex", "Table", "search_neighbours",
]  # fmt: skip
