"""Events of a law that no plain sample shows: exact convolution, weighted draws, single points."""
