"""Events on the bits of what is written: reachable sets, grids, collisions; calls that repeat; time."""
