"""Domains of records, and which inputs are neighbours in them."""

from .adjacency import AddOrRemove, Adjacency, AnyTwo, Distance, Person, ReplaceOne
from .ball import Ball
from .box import Box
from .discrete import Categorical, Table
from .domain import Domain
from .simplex import Simplex
