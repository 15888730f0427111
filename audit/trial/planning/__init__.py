"""How many samples a claim needs for a resolution, and the other way round."""
