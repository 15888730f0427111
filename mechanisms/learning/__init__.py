"""Learning from labelled data, exactly: support vector machines with multipliers, smooth losses, and how both move with the data."""
