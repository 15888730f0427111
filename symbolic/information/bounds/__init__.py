"""Lower bounds on the errors of estimators of a user's own model, each with whom it binds and how it came about."""
