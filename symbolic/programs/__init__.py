"""Programs: the noise of least cost in closed form, and positive definiteness that is verified."""
