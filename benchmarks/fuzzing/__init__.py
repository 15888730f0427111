"""Random cases whose truth is known by other means than the product, and what the product said of them."""
