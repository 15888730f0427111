"""Rules of the dossiers, by subject: what a printed statement says about one instance, in enclosed arithmetic."""
