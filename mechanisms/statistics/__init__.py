"""Statistics: counts, sums and tables with exact integer noise, and how their budget is split."""
