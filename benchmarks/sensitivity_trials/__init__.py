"""Queries with their true sensitivities, and a search over neighbours that knows nothing of the instrument."""
