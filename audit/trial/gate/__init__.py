"""What a gate in somebody's build adds to an audit: shares of one alpha, seeds by name, fingerprints, words for a failure."""
