"""Studies: the mechanisms of the papers under attack, one folder each, and their experiments."""
