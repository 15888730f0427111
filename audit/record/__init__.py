"""Record: what is written down, and how what others wrote is read."""
