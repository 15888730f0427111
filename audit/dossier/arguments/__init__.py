"""Arguments that serve more than one paper: formulas that are argued, and rules for instances."""
