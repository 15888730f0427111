"""Linear adversaries who estimate the private record, with exact errors."""
