"""Arguments that only this paper uses: formulas that are argued, and rules for instances."""
