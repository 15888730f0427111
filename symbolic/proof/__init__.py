"""Proof: derivations whose steps are checked, enclosures, exact numbers, three-valued truth."""
